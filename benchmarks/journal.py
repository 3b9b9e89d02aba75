"""The figures of the log on the disk: what it writes, what it costs, what a kill and a flip do.

    python -m benchmarks.journal DIRECTORY       go on with the match there, say so, and end

What goes to the medium is counted by the kernel on an ext4 of its own in a file, which takes root
and a free loop device; elsewhere it is not measured.
"""

import os
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from benchmarks.game import RECORDS, running
from benchmarks.loads import log
from benchmarks.measure import Figure, at_most, seconds
from clock.eventlog.codec import DamagedError
from clock.storage.log_reader import whole
from clock.storage.journal import Journal
from clock.match.state import MatchState
from clock.eventlog.recovery import Checkpoint, recovered
from clock.eventlog.replay import replay, replayed_lines
from clock.storage.checkpoint_file import Slots

ROOT = Path(__file__).parent.parent
KILLER = ROOT / "tests" / "clock_process.py"
MATCH = ROOT / "tests" / "data" / "nbgf-analog.jsonl"
MATCHES, KILLS = 50, 20  # each match is killed so often: a thousand kills
WRITES = 200
LINES = 2_000  # of which the memory after the first 200 is compared with the end
SECTOR = 512  # bytes, in /sys/block/*/stat (Documentation/block/stat.rst)


def figures() -> list[Figure]:
    """All of them."""
    return [*_medium(), _memory(), _recovery(), _restart(), _kills(), _flips()]


# --- what goes to the medium ------------------------------------------------------------------


class Written(NamedTuple):
    """What a disk has done since it was there."""

    sectors: int
    flushes: int


def _medium() -> list[Figure]:
    try:
        with TemporaryDirectory() as folder, _ext4(Path(folder)) as (directory, device):
            return _costs(directory, Path("/sys/block", device, "stat"))
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"What goes to the medium is not measured: it takes root and a loop device ({error})")
        return []


@contextmanager
def _ext4(folder: Path) -> Iterator[tuple[Path, str]]:
    """A file system of its own: where it is, and its block device's name."""
    image, mounted = folder / "image", folder / "mounted"
    mounted.mkdir()
    with image.open("wb") as file:
        file.truncate(256 << 20)
    lazy = "lazy_itable_init=0,lazy_journal_init=0"  # else it goes on writing for a while
    _run("mkfs.ext4", "-q", "-b", "4096", "-E", lazy, str(image))
    device = _run("losetup", "--find", "--show", str(image))
    try:
        _run("mount", "-o", "noatime", device, str(mounted))
        try:
            yield mounted, Path(device).name
        finally:
            _run("umount", str(mounted))
    finally:
        _run("losetup", "--detach", device)


def _run(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def _costs(directory: Path, stat: Path) -> list[Figure]:
    lines, state, found = log(WRITES + 1), running(), list[Figure]()
    journal = Journal(directory)
    journal.begin("bench")
    journal.append(lines[0] + b"\n")
    journal.close()
    journal = Journal(directory)
    journal.found()
    before = _written(stat)
    for line in lines[1:]:
        journal.append(line + b"\n")
    journal.close()
    found += _cost("an event", before, _written(stat), 20, 2)
    slots = Slots(directory)
    slots.write(Checkpoint("bench", 0, 0, "boot", state))
    before = _written(stat)
    for seq in range(WRITES):
        slots.write(Checkpoint("bench", seq, 0, "boot", state))
    found += _cost("a checkpoint", before, _written(stat), 8, 1.1)
    slots.close()
    return [*found, at_most("slowest write of an event", [journal.slowest_ns / 1e6], "ms", 2000)]


def _cost(name: str, before: Written, after: Written, kib: float, flushes: float) -> list[Figure]:
    written = (after.sectors - before.sectors) * SECTOR / 1024 / WRITES
    flushed = (after.flushes - before.flushes) / WRITES
    return [
        at_most(f"{name}, written to an ext4", [written], "KiB", kib),
        at_most(f"{name}, flushes of the medium", [flushed], "", flushes),
    ]


def _written(stat: Path) -> Written:
    fields = [int(field) for field in stat.read_text(encoding="ascii").split()]
    return Written(fields[6], fields[15])


# --- memory and time --------------------------------------------------------------------------


def _memory() -> Figure:
    """Lines that are on the disk are not kept."""
    lines = log(LINES)
    with TemporaryDirectory() as folder:
        journal = Journal(Path(folder))
        path, size = Path(folder, f"{journal.begin('bench')}.jsonl"), 0
        before = 0
        tracemalloc.start()
        for number, line in enumerate(lines):
            journal.append(line + b"\n")
            size += len(line) + 1
            while not path.exists() or path.stat().st_size < size:
                os.sched_yield()
            if number == LINES // 10:
                before, _ = tracemalloc.get_traced_memory()
        grown = tracemalloc.get_traced_memory()[0] - before
        tracemalloc.stop()
        journal.close()
    return at_most(f"memory grown over {LINES * 9 // 10:,} lines saved", [grown / 1024], "KiB", 16)


def _left_behind(directory: Path, records: int) -> None:
    """The log of a clock that was killed."""
    (directory / "bench.jsonl").write_bytes(b"".join(line + b"\n" for line in log(records)))
    (directory / "current.jsonl").symlink_to("bench.jsonl")


def _gone_on(directory: Path) -> MatchState:
    journal = Journal(directory)
    found = journal.found()
    if found is None:
        raise LookupError("there is no match")
    match = recovered(found.lines, found.latest, "another boot", 0).match
    journal.close()
    return match.state


def _recovery() -> Figure:
    with TemporaryDirectory() as folder:
        _left_behind(Path(folder), RECORDS)
        taken = seconds(lambda: _gone_on(Path(folder)), 5)
    return at_most(f"recovery of a log of {RECORDS:,} records", taken, "s", 1)


def _restart() -> Figure:
    """The service starts a clock again 0.1 s after its end (RestartSec); this is the rest."""
    command = [sys.executable, "-m", "benchmarks.journal"]
    taken = []
    with TemporaryDirectory() as folder:
        _left_behind(Path(folder), 500)
        for _ in range(7):
            begin_ns = time.perf_counter_ns()
            with subprocess.Popen([*command, folder], stdout=subprocess.PIPE, cwd=ROOT) as process:
                if process.stdout is None or not process.stdout.readline():
                    raise LookupError("it did not go on")
                taken.append((time.perf_counter_ns() - begin_ns) / 1e9)
    return at_most("a new process to the match gone on with, 500 records", taken, "s", 1)


# --- proofs that take too long for a test -----------------------------------------------------


def _kills() -> Figure:
    """Each match checks itself; what it says is wrong is shown."""
    environ = os.environ | {"PYTHONPATH": os.pathsep.join((str(ROOT), str(KILLER.parent)))}
    wrong = 0
    for seed in range(MATCHES):
        command = [sys.executable, str(KILLER), str(seed), str(KILLS)]
        done = subprocess.run(command, env=environ, check=False, stdout=subprocess.DEVNULL)
        wrong += done.returncode != 0
    return at_most(f"matches that lost a line in {MATCHES * KILLS:,} kills", [wrong], "", 0)


def _flips() -> Figure:
    """A bit of every byte of a real match's log is another one; it is replayed."""
    data = MATCH.read_bytes()
    states = [replayed.match.state for replayed in replayed_lines(data.split(b"\n")[:-1])]
    wrong = 0
    for at in range(len(data)):
        flipped = data[:at] + bytes((data[at] ^ 1 << at % 8,)) + data[at + 1 :]
        lines = flipped[: whole(flipped)].split(b"\n")[:-1]
        try:
            wrong += replay(lines).match.state != states[len(lines) - 1]
        except DamagedError as error:
            wrong += error.line != data.count(b"\n", 0, at) + 1
    return at_most(f"flips of {len(data):,} bytes that gave a wrong match", [wrong], "", 0)


def main() -> None:
    """Go on with a match, as a clock does when it starts."""
    from clock.runtime import adapters as assembly, loop as runtime  # noqa: F401, PLC0415 (a clock imports them too)
    from clock.ui import pages  # noqa: F401, PLC0415 (a clock imports them too)

    print(_gone_on(Path(sys.argv[1])).phase.value, flush=True)


if __name__ == "__main__":
    main()
