"""Measure the log on the disk: bytes written, time, memory, and recovery from kills and damage.

    python -m lab.benchmarks.journal DIRECTORY    resume the match there, print its phase, and end

The kernel counts the writes to a new ext4 file system in a file. That needs root and a free loop
device; without them these writes are not measured.
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

from clock.eventlog.codec import DamagedError
from clock.eventlog.recovery import Checkpoint, recover
from clock.eventlog.replay import replay, replay_lines
from clock.match.state import MatchState
from clock.storage.checkpoint import CheckpointFile
from clock.storage.journal import Journal
from clock.storage.log_reader import untorn_length
from lab.benchmarks.game import RECORDS, running
from lab.benchmarks.loads import log
from lab.benchmarks.measure import Figure, at_most, seconds

ROOT = Path(__file__).parents[2]
KILLER = "lab.support.clock_process"
MATCH = ROOT / "tests" / "data" / "nbgf-analog.jsonl"
MATCHES, KILLS = 50, 20  # 20 kills of each match: a thousand kills
WRITES = 200
LINES = 2_000  # memory is compared after the first 200 lines and after the last
SECTOR = 512  # bytes, in /sys/block/*/stat (Documentation/block/stat.rst)


def figures() -> Iterator[Figure]:
    """Measure and yield each figure."""
    yield from _medium()
    yield _memory()
    yield _recovery()
    yield _restart()
    yield _kills()
    yield _flips()


# --- writes to the medium ---------------------------------------------------------------------


class Written(NamedTuple):
    """What was written to a disk since it was attached."""

    sectors: int
    flushes: int


def _medium() -> Iterator[Figure]:
    try:
        with TemporaryDirectory() as folder, _ext4(Path(folder)) as (directory, device):
            yield from _costs(directory, Path("/sys/block", device, "stat"))
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"Writes to the medium are not measured: that needs root and a loop device ({error})")


@contextmanager
def _ext4(folder: Path) -> Iterator[tuple[Path, str]]:
    """Mount a new file system; yield its directory and the name of its block device."""
    image, mounted = folder / "image", folder / "mounted"
    mounted.mkdir()
    with image.open("wb") as file:
        file.truncate(256 << 20)
    lazy = "lazy_itable_init=0,lazy_journal_init=0"  # else ext4 writes in the background
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


def _costs(directory: Path, stat: Path) -> Iterator[Figure]:
    lines, state = log(WRITES + 1), running()
    journal = Journal(directory)
    journal.begin("bench")
    journal.append(lines[0] + b"\n")
    journal.close()
    journal = Journal(directory)
    journal.reopen()
    before = _written(stat)
    for line in lines[1:]:
        journal.append(line + b"\n")
    journal.close()
    yield from _cost("an event", before, _written(stat), 20, 2)
    slots = CheckpointFile(directory)
    slots.write(Checkpoint("bench", 0, 0, "boot", state))
    before = _written(stat)
    for seq in range(WRITES):
        slots.write(Checkpoint("bench", seq, 0, "boot", state))
    yield from _cost("a checkpoint", before, _written(stat), 8, 1.1)
    slots.close()
    yield at_most("slowest write of an event", [journal.slowest_ns / 1e6], "ms", 2000)


def _cost(
    name: str, before: Written, after: Written, kib: float, flushes: float
) -> Iterator[Figure]:
    written = (after.sectors - before.sectors) * SECTOR / 1024 / WRITES
    flushed = (after.flushes - before.flushes) / WRITES
    yield at_most(f"{name}, written to an ext4", [written], "KiB", kib)
    yield at_most(f"{name}, flushes of the medium", [flushed], "", flushes)


def _written(stat: Path) -> Written:
    fields = [int(field) for field in stat.read_text(encoding="ascii").split()]
    return Written(fields[6], fields[15])


# --- memory and time --------------------------------------------------------------------------


def _memory() -> Figure:
    """Measure the memory while lines are saved; lines on the disk should not be kept in it."""
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


def _write_log(directory: Path, records: int) -> None:
    """Write the log of a clock that was killed."""
    (directory / "bench.jsonl").write_bytes(b"".join(line + b"\n" for line in log(records)))
    (directory / "current.jsonl").symlink_to("bench.jsonl")


def _resume(directory: Path) -> MatchState:
    journal = Journal(directory)
    found = journal.reopen()
    if found is None:
        raise LookupError("there is no match")
    match = recover(found.lines, found.checkpoint, "another boot", 0).match
    journal.close()
    return match.state


def _recovery() -> Figure:
    with TemporaryDirectory() as folder:
        _write_log(Path(folder), RECORDS)
        taken = seconds(lambda: _resume(Path(folder)), 5)
    return at_most(f"recovery of a log of {RECORDS:,} records", taken, "s", 1)


def _restart() -> Figure:
    """Measure a start; the service waits another 0.1 s before it (RestartSec)."""
    command = [sys.executable, "-m", "lab.benchmarks.journal"]
    taken = []
    with TemporaryDirectory() as folder:
        _write_log(Path(folder), 500)
        for _ in range(7):
            begin_ns = time.perf_counter_ns()
            with subprocess.Popen([*command, folder], stdout=subprocess.PIPE, cwd=ROOT) as process:
                if process.stdout is None or not process.stdout.readline():
                    raise LookupError("it did not resume the match")
                taken.append((time.perf_counter_ns() - begin_ns) / 1e9)
    return at_most("process start to the match resumed, 500 records", taken, "s", 1)


# --- proofs that take too long for a test -----------------------------------------------------


def _kills() -> Figure:
    """Kill matches again and again; each checks its own log and prints what is wrong."""
    wrong = 0
    for seed in range(MATCHES):
        command = [sys.executable, "-m", KILLER, str(seed), str(KILLS)]
        done = subprocess.run(command, cwd=ROOT, check=False, stdout=subprocess.DEVNULL)
        wrong += done.returncode != 0
    return at_most(f"matches that lost a line in {MATCHES * KILLS:,} kills", [wrong], "", 0)


def _flips() -> Figure:
    """Flip a bit in every byte of a real match's log, and replay it each time."""
    data = MATCH.read_bytes()
    states = [replayed.match.state for replayed in replay_lines(data.split(b"\n")[:-1])]
    wrong = 0
    for at in range(len(data)):
        flipped = data[:at] + bytes((data[at] ^ 1 << at % 8,)) + data[at + 1 :]
        lines = flipped[: untorn_length(flipped)].split(b"\n")[:-1]
        try:
            wrong += replay(lines).match.state != states[len(lines) - 1]
        except DamagedError as error:
            wrong += error.line != data.count(b"\n", 0, at) + 1
    return at_most(f"flips of {len(data):,} bytes that gave a wrong match", [wrong], "", 0)


def main() -> None:
    """Resume a match, as a clock does when it starts."""
    from clock.runtime import adapters, loop  # noqa: F401 (a clock imports them too)
    from clock.ui import pages  # noqa: F401 (a clock imports them too)

    print(_resume(Path(sys.argv[1])).phase.value, flush=True)


if __name__ == "__main__":
    main()
