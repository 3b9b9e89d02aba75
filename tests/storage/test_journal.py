"""The journal: what it writes and how, and what it does when the disk fails."""

import ctypes
import errno
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from queue import SimpleQueue

import pytest

from clock.eventlog.codec import decode
from clock.eventlog.replay import replay
from clock.match.faults import Fault
from clock.storage import disk_health, fsync, log_files, segment, writer_queue
from clock.storage import journal as journal_module
from clock.storage.checkpoint import BLOCK_SIZE, CHECKPOINT, SLOT_DISTANCE, SLOT_SIZE
from clock.storage.disk_health import SLOW_NS
from clock.storage.journal import Journal, JournalError
from clock.storage.log_reader import CURRENT
from tests.support.logs import monkey_logs
from tests.support.world import World

LINES = [line + b"\n" for line in monkey_logs(1, 60)[0]]
RAW = [line[:-1] for line in LINES]
NAME = decode(RAW[0], 1).envelope.match


class Disk:
    """The system's calls, counted; some of them can be made to fail."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.calls: list[tuple[str, int]] = []  # a call's name, and how many bytes it had
        self.failing: dict[str, list[int | None]] = {}  # error numbers of the next calls
        self._patch = patch
        for name in ("write", "fdatasync", "fsync", "pwrite", "open", "rename"):
            self._watch(name)

    def _watch(self, name: str) -> None:
        real = getattr(os, name)

        def call(*args: object, **kwargs: object) -> object:
            size = len(args[1]) if name in {"write", "pwrite"} else 0  # type: ignore[arg-type]
            self.calls.append((name, size))
            faults = self.failing.get(name, [])
            number = faults.pop(0) if faults else None
            if number == errno.EINTR:  # stands for a write that is not whole
                file, data, *at = args
                return real(file, data[: len(data) // 2], *at)  # type: ignore[index, arg-type]
            if number is not None:
                raise OSError(number, os.strerror(number))
            return real(*args, **kwargs)

        self._patch.setattr(os, name, call)

    def named(self, *names: str) -> list[str]:
        """The calls of these names, in their order."""
        return [name for name, _ in self.calls if name in names]


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    """A disk whose calls are counted."""
    return Disk(monkeypatch)


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    """A journal in a directory of its own."""
    journal = Journal(tmp_path)
    yield journal
    journal.close()


def written(tmp_path: Path, lines: list[bytes], match: str = "match") -> Path:
    """Write the log of a match that has ended, and return its path."""
    journal = Journal(tmp_path)
    name = journal.begin(match)
    for line in lines:
        journal.append(line)
    journal.close()
    assert journal.drain() == []
    return tmp_path / f"{name}.jsonl"


# --- files ------------------------------------------------------------------------------------


@pytest.mark.rule("R83", "R84")
def test_a_match_has_a_file_and_current_links_to_it(tmp_path: Path) -> None:
    """R83: `<match>.jsonl`; the link is relative, so that a copy of the directory is whole."""
    path = written(tmp_path / "deep" / "logs", LINES)
    assert path.name == "match.jsonl"
    assert path.read_bytes() == b"".join(LINES)
    link = path.parent / CURRENT
    assert link.readlink() == Path("match.jsonl")
    assert {each.name for each in path.parent.iterdir()} == {path.name, CURRENT, CHECKPOINT}


def test_no_log_is_ever_written_over(tmp_path: Path) -> None:
    """Two matches that began in the same second have two names."""
    names = [written(tmp_path, LINES[:number], "match").name for number in (1, 2, 3)]
    assert names == ["match.jsonl", "match-2.jsonl", "match-3.jsonl"]
    assert [(tmp_path / name).read_bytes().count(b"\n") for name in names] == [1, 2, 3]
    assert (tmp_path / CURRENT).readlink() == Path("match-3.jsonl")


def test_the_lines_of_a_match_stay_in_its_file(tmp_path: Path) -> None:
    """The next match begins while the writer is still busy with the last one."""
    journal, names = Journal(tmp_path), set()
    for _ in range(5):
        names.add(journal.begin("match"))
        for line in LINES:
            journal.append(line)
    journal.close()
    assert len(names) == 5
    for name in names:
        assert (tmp_path / f"{name}.jsonl").read_bytes() == b"".join(LINES)


@pytest.mark.rule("R67", "R84")
def test_each_line_is_one_write_and_one_sync(tmp_path: Path, disk: Disk) -> None:
    """R67: durable line by line, and nothing is ever rewritten."""
    written(tmp_path, LINES)
    wanted = [each for line in LINES for each in (("write", len(line)), ("fdatasync", 0))]
    assert disk.calls[-len(wanted) :] == wanted
    assert len(disk.named("write")) == len(LINES)
    assert disk.named("fsync", "rename") == ["fsync", "rename", "fsync"]  # file, link, directory


def wait_for_writer(journal: Journal) -> None:
    """Wait until the writer has carried out all requests."""
    done, attempt = threading.Event(), journal._attempt
    vars(journal)["_attempt"] = lambda job: done.set() if job is done else attempt(job)
    journal._queue.put(done)  # type: ignore[arg-type]
    assert done.wait(60)


def write_checkpoint(journal: Journal, seq: int) -> None:
    """Have one checkpoint written; no clock runs, so no other follows."""
    journal._queue._checkpoint_ns = None
    journal.checkpoint(seq, seq * 10, "boot", World().state)
    wait_for_writer(journal)


@pytest.mark.rule("R67")
def test_a_checkpoint_is_one_write_of_one_slot_and_one_sync(tmp_path: Path, disk: Disk) -> None:
    """R67: the slots take turns, and the newest is found again."""
    written(tmp_path, LINES)
    journal, state = Journal(tmp_path), World().state
    assert journal.reopen() is not None
    begun = len(disk.calls)
    for seq in range(1, 6):
        write_checkpoint(journal, seq)
    journal.close()
    assert disk.calls[begun:] == [("pwrite", BLOCK_SIZE), ("fdatasync", 0)] * 5
    assert (tmp_path / CHECKPOINT).stat().st_size == SLOT_DISTANCE + SLOT_SIZE
    journal = Journal(tmp_path)
    found = journal.reopen()
    journal.close()
    assert found is not None
    assert found.checkpoint is not None
    latest = found.checkpoint
    assert (latest.match, latest.seq, latest.at_ns, latest.state) == (NAME, 5, 50, state)


def test_generations_continue_after_a_restart(tmp_path: Path) -> None:
    """Otherwise an old slot would win over a new one."""
    written(tmp_path, LINES)
    latest = 0
    for signs in (5, 1, 1, 2, 1):
        journal = Journal(tmp_path)
        found = journal.reopen()
        assert found is not None
        assert (found.checkpoint.seq if found.checkpoint else 0) == latest
        for _ in range(signs):
            latest += 1
            write_checkpoint(journal, latest)
        journal.close()


# --- what the last run left behind ------------------------------------------------------------


def test_nothing_is_found_in_a_new_directory(journal: Journal) -> None:
    """No match to go on with."""
    assert journal.reopen() is None


def found_lines(tmp_path: Path) -> tuple[bytes, ...] | None:
    """The lines that a new journal finds."""
    journal = Journal(tmp_path)
    try:
        found = journal.reopen()
        return found and found.lines
    finally:
        journal.close()


@pytest.mark.slow
@pytest.mark.rule("T12")
def test_a_torn_last_line_is_kept_beside_the_log_and_cut_off(tmp_path: Path) -> None:
    """T12: cut at every byte of the last line; what was whole stays, and the log goes on."""
    path = written(tmp_path, LINES[:3])
    whole, whole_lines = b"".join(LINES[:3]), tuple(RAW[:3])
    torn = path.with_suffix(".torn")
    for length in range(1, len(LINES[3])):
        path.write_bytes(whole + LINES[3][:length])
        assert found_lines(tmp_path) == whole_lines
        assert path.read_bytes() == whole
        assert torn.read_bytes() == LINES[3][:length]
        torn.unlink()


@pytest.mark.rule("T12")
@pytest.mark.parametrize(
    "tail",
    [bytes(512), b"\n", b"\xff\n", LINES[2][:-9] + b"\0" * 8 + b"\n", bytes(99) + b"\n", LINES[2]],
    ids=["zeros", "empty", "one byte", "zeroed end", "zeroed", "twice"],
)
def test_a_last_line_that_is_bad_is_torn_whatever_it_ends_with(tmp_path: Path, tail: bytes) -> None:
    """T12: a sector that was never written may lie in the middle of it."""
    path = written(tmp_path, LINES[:3])
    path.write_bytes(b"".join(LINES[:3]) + tail)
    assert found_lines(tmp_path) == tuple(RAW[:3])
    assert path.with_suffix(".torn").read_bytes() == tail


def test_every_torn_line_is_kept(tmp_path: Path) -> None:
    """The second does not take the place of the first."""
    path = written(tmp_path, LINES[:3])
    for tail in (b"first", b"second"):
        with path.open("ab") as log:
            log.write(tail)
        found_lines(tmp_path)
    assert path.with_suffix(".torn").read_bytes() == b"firstsecond"


def test_a_bad_line_before_the_last_is_damage_and_stays(tmp_path: Path) -> None:
    """It is evidence; replaying says where it is."""
    path = written(tmp_path, LINES[:4])
    damaged = b"".join([LINES[0], b"{}\n", *LINES[2:4]])
    path.write_bytes(damaged)
    assert found_lines(tmp_path) == (RAW[0], b"{}", *RAW[2:4])
    assert path.read_bytes() == damaged
    assert not path.with_suffix(".torn").exists()


@pytest.mark.rule("T12")
@pytest.mark.parametrize("data", [b"", b"{", LINES[0][:-1], b"\0" * 512, b"\n"])
def test_a_log_without_a_whole_line_is_no_match(tmp_path: Path, data: bytes) -> None:
    """T12: the power went while the first line was written; the next match can begin."""
    path = written(tmp_path, LINES[:1])
    path.write_bytes(data)
    journal = Journal(tmp_path)
    assert journal.reopen() is None
    assert journal.begin(path.stem) == f"{path.stem}-2"
    journal.close()


def test_a_found_log_goes_on_where_it_ended(tmp_path: Path) -> None:
    """The next line stands behind the last whole one."""
    path = written(tmp_path, LINES[:3])
    with path.open("ab") as log:
        log.write(LINES[3][:50])
    journal = Journal(tmp_path)
    journal.reopen()
    for line in LINES[3:]:
        journal.append(line)
    journal.close()
    assert path.read_bytes() == b"".join(LINES)


# --- a directory that cannot be used ----------------------------------------------------------


def message(directory: Path) -> str:
    """Return the error that a director reads."""
    with pytest.raises(JournalError) as caught:
        Journal(directory)
    return str(caught.value)


def test_a_file_in_the_place_of_the_directory(tmp_path: Path) -> None:
    """It is named, and what to do."""
    (tmp_path / "logs").write_bytes(b"")
    assert message(tmp_path / "logs") == (
        f"{tmp_path}/logs: cannot be written to (File exists); set [log] directory to a folder that"
        " the clock may write to"
    )
    assert "Not a directory" in message(tmp_path / "logs" / "deeper")


def test_a_directory_that_may_not_be_written_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even if the checkpoint's file in it may be."""
    Journal(tmp_path).close()
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert "cannot be written to (Permission denied)" in message(tmp_path)


def test_a_disk_that_is_read_only(tmp_path: Path, disk: Disk) -> None:
    """As it is after an error on some cards."""
    disk.failing["open"] = [errno.EROFS]
    assert "(Read-only file system); set [log] directory" in message(tmp_path)


def test_a_directory_that_cannot_be_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is said, and the directory is not kept locked."""
    with monkeypatch.context() as patch:

        def fail(_: Path) -> Iterator[Path]:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

        patch.setattr(Path, "iterdir", fail)
        assert message(tmp_path) == (
            f"{tmp_path}: cannot be read (Input/output error); try another card"
        )
    Journal(tmp_path).close()


def test_two_clocks_in_one_directory(tmp_path: Path, journal: Journal) -> None:
    """The second is refused; it would spoil the log of the first."""
    assert "another clock writes its logs there" in message(tmp_path)
    assert journal.reopen() is None


def test_a_log_that_cannot_be_read(tmp_path: Path) -> None:
    """It stays; the TD may move it, and the checkpoint counts."""
    path = written(tmp_path, LINES)
    path.unlink()
    path.mkdir()
    journal = Journal(tmp_path)
    with pytest.raises(JournalError, match="check its permissions, or move it to another"):
        journal.reopen()
    journal.close()


def test_a_link_that_leads_nowhere_is_no_match(tmp_path: Path) -> None:
    """The log was removed; a new match can begin."""
    written(tmp_path, LINES).unlink()
    assert found_lines(tmp_path) is None
    assert written(tmp_path, LINES).read_bytes() == b"".join(LINES)


# --- a disk that fails ------------------------------------------------------------------------

FAILURES = [
    pytest.param("write", errno.EIO, "Input/output error", id="write"),
    pytest.param("write", errno.EINTR, "No space left on device", id="half a write"),
    pytest.param("fdatasync", errno.EIO, "Input/output error", id="sync"),
]


@pytest.mark.rule("R84")
@pytest.mark.parametrize(("name", "number", "why"), FAILURES)
def test_after_one_failure_all_lines_are_in_a_new_file(
    tmp_path: Path, disk: Disk, name: str, number: int, why: str
) -> None:
    """R84: nothing is lost, no error reaches the loop, and the failed file is not written again."""
    path = written(tmp_path, LINES[:3])
    inode = path.stat().st_ino
    journal = Journal(tmp_path)
    journal.reopen()
    disk.failing[name] = [number]
    for line in LINES[3:]:
        journal.append(line)
    journal.close()
    assert path.read_bytes() == b"".join(LINES)
    assert path.stat().st_ino != inode
    assert (tmp_path / CURRENT).readlink() == Path(path.name)
    assert journal.drain() == [Fault("log", f"{why}: log lines are not saved"), Fault("log", None)]
    evidence = {".failed"} if number == errno.EIO else set()
    assert {each.suffix for each in tmp_path.iterdir()} == {".jsonl", "", *evidence}


@pytest.mark.rule("R84")
@pytest.mark.parametrize("count", [1, 2, 5, 9])
@pytest.mark.parametrize(("name", "number", "why"), FAILURES)
def test_while_it_fails_the_lines_wait_in_memory(
    tmp_path: Path, disk: Disk, name: str, number: int, why: str, count: int
) -> None:
    """R84: tried again with every line; said once, and once that it works again."""
    journal = Journal(tmp_path)
    journal.begin("match")
    disk.failing[name] = [number] * count
    for line in LINES:
        journal.append(line)
    journal.close()
    assert (tmp_path / "match.jsonl").read_bytes() == b"".join(LINES)
    assert journal.drain() == [Fault("log", f"{why}: log lines are not saved"), Fault("log", None)]
    assert journal.drain() == []


@pytest.mark.rule("R84")
def test_a_disk_that_never_recovers_leaves_what_was_saved(tmp_path: Path, disk: Disk) -> None:
    """R84: one fault, no error; the log on the disk is good as far as it goes."""
    path = written(tmp_path, LINES[:3])
    journal = Journal(tmp_path)
    journal.reopen()
    disk.failing["write"] = [errno.EINTR, *[errno.ENOSPC] * 999]
    for line in LINES[3:]:
        journal.append(line)
    journal.close()
    assert [fault.what for fault in journal.drain()] == [
        "No space left on device: log lines are not saved"
    ]
    assert path.read_bytes().startswith(b"".join(LINES[:3]))
    disk.failing.clear()
    assert replay(found_lines(tmp_path) or ()).match.chain.seq == 3


@pytest.mark.rule("R84")
def test_a_match_begins_though_its_file_cannot_be_made(tmp_path: Path, disk: Disk) -> None:
    """R84: its lines wait in memory; the last match's file is left as it is."""
    last = written(tmp_path, LINES)
    journal = Journal(tmp_path)
    disk.failing["open"] = [errno.ENOSPC] * 3
    name = journal.begin("match")
    for line in LINES:
        journal.append(line)
    journal.close()
    assert name == "match-2"
    assert (tmp_path / "match-2.jsonl").read_bytes() == last.read_bytes() == b"".join(LINES)
    assert [fault.what for fault in journal.drain()] == [
        "No space left on device: log lines are not saved",
        None,
    ]


@pytest.mark.rule("R84")
@pytest.mark.parametrize(
    ("name", "number"),
    [("pwrite", errno.EIO), ("pwrite", errno.EINTR), ("fdatasync", errno.EIO)],
    ids=["write", "half a write", "sync"],
)
def test_a_checkpoint_that_cannot_be_written_is_a_fault(
    tmp_path: Path, disk: Disk, name: str, number: int
) -> None:
    """R84: the lines are saved; the next checkpoint never overwrites the good slot."""
    path, wrote = written(tmp_path, LINES[:3]), list[int]()
    journal = Journal(tmp_path)
    journal.reopen()
    write_checkpoint(journal, 1)
    pwrite = os.pwrite
    with pytest.MonkeyPatch.context() as patch:

        def at(file: int, data: bytes, offset: int) -> int:
            wrote.append(offset)
            return pwrite(file, data, offset)

        patch.setattr(os, "pwrite", at)
        disk.failing[name] = [number] * 2
        for seq in range(2, 6):
            write_checkpoint(journal, seq)
    journal.append(LINES[3])
    journal.close()
    assert wrote == [0, 0, 0, SLOT_DISTANCE]  # the first is in the second slot
    assert path.read_bytes() == b"".join(LINES[:4])
    why = os.strerror(errno.ENOSPC if number == errno.EINTR else errno.EIO)
    assert journal.drain() == [
        Fault("log", f"{why}: checkpoints are not saved"),
        Fault("log", None),
    ]


def test_a_state_too_large_for_its_slot_is_a_fault(tmp_path: Path) -> None:
    """It never happens; and if it does, the other slot is not spoilt and the lines are saved."""
    journal = Journal(tmp_path)
    journal.begin("match")
    journal.checkpoint(1, 0, "boot", World().state)
    wait_for_writer(journal)
    journal._queue._checkpoint_ns = None
    journal.checkpoint(2, 0, "boot", World().state.replace(ended="x" * SLOT_SIZE))
    journal.append(LINES[0])
    journal.close()
    [fault] = journal.drain()
    assert str(fault.what).endswith(f"{SLOT_SIZE} at most: checkpoints are not saved")
    journal = Journal(tmp_path)
    found = journal.reopen()
    journal.close()
    assert found is not None
    assert found.checkpoint is not None
    assert found.checkpoint.seq == 1


def test_any_error_in_the_writer_is_a_fault_and_the_writer_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fault of the program itself is a fault of the log, and the next line is saved."""
    journal = Journal(tmp_path)
    journal.begin("match")
    wait_for_writer(journal)
    with monkeypatch.context() as patch:
        patch.setattr(fsync, "append", lambda file, data: 1 // 0)
        journal.append(LINES[0])
        wait_for_writer(journal)
    journal.append(LINES[1])
    journal.close()
    assert (tmp_path / "match.jsonl").read_bytes() == b"".join(LINES[:2])
    [fault, well] = journal.drain()
    assert "by zero: log lines are not saved" in str(fault.what)
    assert well == Fault("log", None)


# --- what a fault brings about by itself ------------------------------------------------------


def lines_of_faults(journal: Journal, rounds: int = 20) -> int:
    """The loop logs what it is told; how many lines that makes within some turns."""
    made = 0
    for _ in range(rounds):
        wait_for_writer(journal)
        for _ in journal.drain():
            journal.append(LINES[made % len(LINES)])
            made += 1
    return made


@pytest.mark.rule("R84")
def test_a_disk_that_fails_each_time_before_it_works_does_not_fill_itself(
    tmp_path: Path, disk: Disk
) -> None:
    """R84: each fault is a line, and each line fails once: said once, it stays said."""
    disk.failing["fdatasync"] = [errno.EIO, None] * 999
    journal = Journal(tmp_path)
    journal.begin("match")
    journal.append(LINES[0])
    assert lines_of_faults(journal) == 1
    disk.failing.clear()
    journal.append(LINES[0])
    assert lines_of_faults(journal) == 1  # that it works again
    journal.close()


@pytest.mark.rule("R84")
def test_a_disk_that_is_always_slow_does_not_fill_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R84: the lines of its own faults would be ever more that wait."""
    now_ns, real = 0, os.fdatasync

    def slow(file: int) -> None:
        nonlocal now_ns
        now_ns += 3 * SLOW_NS // 2
        real(file)

    journal = Journal(tmp_path, lambda: now_ns)
    journal.begin("match")
    with monkeypatch.context() as patch:
        patch.setattr(os, "fdatasync", slow)
        journal.append(LINES[0])
        assert lines_of_faults(journal) == 1
    journal.append(LINES[0])
    assert lines_of_faults(journal) == 1
    journal.close()


@pytest.mark.parametrize("call", ["stat", "scandir"])
def test_a_match_begins_without_a_look_at_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    """The loop begins it: a card that hangs or is gone must not hold it up."""
    for name in ("match.jsonl", "match-2.torn"):
        (tmp_path / name).touch()
    journal = Journal(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(os, call, lambda *_, **__: 1 // 0)
        patch.setattr(journal, "_queue", SimpleQueue())  # the writer may look
        names = [journal.begin("match") for _ in range(2)]
    journal.close()
    assert names == ["match-3", "match-4"]


@pytest.mark.parametrize(("mask", "mode", "folder"), [(0o022, 0o644, 0o755), (0, 0o644, 0o777)])
def test_people_may_read_the_logs_and_the_clock_alone_writes_them(
    tmp_path: Path, disk: Disk, mask: int, mode: int, folder: int
) -> None:
    """A log can be copied without special rights; the service runs with umask 022."""
    before = os.umask(mask)
    try:
        disk.failing["fdatasync"] = [errno.EIO]
        path = written_through_a_fault(tmp_path / "logs")
    finally:
        os.umask(before)
    assert {each.stat().st_mode & 0o777 for each in path.parent.iterdir()} == {mode}
    assert path.parent.stat().st_mode & 0o777 == folder


def written_through_a_fault(directory: Path) -> Path:
    """A log with its evidence beside it."""
    journal = Journal(directory)
    journal.begin("match")
    for line in LINES:
        journal.append(line)
    journal.close()
    assert (directory / "match.failed").exists()
    return directory / "match.jsonl"


# --- what a failed file leaves, and where the lines go ----------------------------------------


def failing_sync(disk: Disk, journal: Journal, line: bytes) -> None:
    """A line whose first sync fails."""
    disk.failing["fdatasync"] = [errno.EIO]
    journal.append(line)
    wait_for_writer(journal)


@pytest.mark.rule("R84")
def test_the_first_file_that_failed_is_kept_as_evidence(tmp_path: Path, disk: Disk) -> None:
    """R84: only the first: a disk that fails again and again is not filled by it."""
    journal = Journal(tmp_path)
    journal.begin("match")
    for line in LINES[:6]:
        failing_sync(disk, journal, line)
    journal.close()
    assert (tmp_path / "match.failed").read_bytes() == LINES[0]
    assert (tmp_path / "match.jsonl").read_bytes() == b"".join(LINES[:6])
    assert len(list(tmp_path.iterdir())) == 4


@pytest.mark.rule("R84")
@pytest.mark.parametrize("spoilt", ["gone", "other", "shorter"])
def test_a_file_that_cannot_be_read_back_is_left_and_a_segment_goes_on(
    tmp_path: Path, disk: Disk, spoilt: str
) -> None:
    """R84: what reading gives is not what was written: not copied; all that is there joins."""
    path = written(tmp_path, LINES[:3])
    journal = Journal(tmp_path)
    journal.reopen()
    whole, damaged = path.read_bytes(), bytearray(path.read_bytes())
    damaged[50] ^= 1
    path.unlink()
    if spoilt != "gone":
        path.write_bytes(damaged if spoilt == "other" else whole[:-1])
    for line in LINES[3:6]:
        failing_sync(disk, journal, line)
    journal.close()
    segment = tmp_path / "match.2.jsonl"
    assert segment.read_bytes() == b"".join(LINES[3:6])
    assert (tmp_path / CURRENT).readlink() == Path(segment.name)
    path.write_bytes(whole)  # it could be read after all
    assert found_lines(tmp_path) == tuple(RAW[:6])
    journal = Journal(tmp_path)
    journal.reopen()
    failing_sync(disk, journal, LINES[6])
    journal.close()
    assert segment.read_bytes() == b"".join(LINES[3:7])
    assert found_lines(tmp_path) == tuple(RAW[:7])


@pytest.mark.rule("R84")
def test_segments_do_not_multiply_while_the_directory_cannot_be_synced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R84: each attempt takes the place of the one before."""
    path = written(tmp_path, LINES[:3])
    journal = Journal(tmp_path)
    journal.reopen()
    wait_for_writer(journal)
    path.unlink()
    journal._logs[0].close()
    with monkeypatch.context() as patch:

        def fail(directory: Path) -> None:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

        patch.setattr(log_files, "sync_directory", fail)
        for line in LINES[3:6]:
            journal.append(line)
        wait_for_writer(journal)
        path.write_bytes(b"".join(LINES[:3]))  # it could be read after all
        journal.append(LINES[6])
        wait_for_writer(journal)
    journal.append(LINES[7])
    journal.close()
    assert [each.name for each in tmp_path.glob("match.*.jsonl")] == ["match.2.jsonl"]
    assert (tmp_path / "match.2.jsonl").read_bytes() == b"".join(LINES[3:8])
    assert found_lines(tmp_path) == tuple(RAW[:8])


@pytest.mark.rule("T12")
def test_the_last_segment_may_be_torn_and_the_first_may_have_more_than_it_should(
    tmp_path: Path,
) -> None:
    """T12: a line whose sync failed may be on the disk all the same; it counts once."""
    path = written(tmp_path, LINES[:4])
    segment = path.with_name("match.2.jsonl")
    for torn in (b"", LINES[5][:70], b"\0" * 512, LINES[4]):
        segment.write_bytes(b"".join(LINES[3:5]) + torn)
        (tmp_path / CURRENT).unlink()
        (tmp_path / CURRENT).symlink_to(segment.name)
        assert found_lines(tmp_path) == tuple(RAW[:5])
        assert segment.read_bytes() == b"".join(LINES[3:5])


def test_a_segment_after_a_gap_is_given_whole(tmp_path: Path) -> None:
    """Lines between are lost: that is damage, and replaying says where it is."""
    path = written(tmp_path, LINES[:2])
    segment = path.with_name("match.2.jsonl")
    segment.write_bytes(LINES[4])
    (tmp_path / CURRENT).unlink()
    (tmp_path / CURRENT).symlink_to(segment.name)
    assert found_lines(tmp_path) == (RAW[0], RAW[1], RAW[4])


@pytest.mark.rule("R84")
def test_lines_of_the_last_match_are_saved_when_the_disk_is_back(
    tmp_path: Path, disk: Disk
) -> None:
    """R84: the next match has begun meanwhile; the link leads to that one."""
    journal = Journal(tmp_path)
    journal.begin("match")
    disk.failing["write"] = [errno.ENOSPC] * 5
    for line in LINES[:2]:  # two attempts each but the second
        journal.append(line)
    journal.begin("next")
    journal.append(LINES[0])
    journal.append(LINES[1])
    journal.close()
    assert (tmp_path / "match.jsonl").read_bytes() == b"".join(LINES[:2])
    assert (tmp_path / "next.jsonl").read_bytes() == b"".join(LINES[:2])
    assert (tmp_path / CURRENT).readlink() == Path("next.jsonl")
    assert journal.drain()[-1] == Fault("log", None)


@pytest.mark.rule("R84")
def test_the_latest_match_is_saved_first(tmp_path: Path, disk: Disk) -> None:
    """R84: an earlier match that cannot be saved must not hold up the one under way."""
    journal = Journal(tmp_path)
    journal.begin("match")
    (tmp_path / "match.new").mkdir()  # stands in the way of a new file
    disk.failing["write"] = [errno.EIO]
    journal.append(LINES[0])
    journal.begin("next")
    journal.append(LINES[0])
    wait_for_writer(journal)
    assert (tmp_path / "next.jsonl").read_bytes() == LINES[0]
    assert not (tmp_path / "match.jsonl").read_bytes()
    (tmp_path / "match.new").rmdir()
    journal.append(LINES[1])
    journal.close()
    assert (tmp_path / "match.jsonl").read_bytes() == LINES[0]
    assert journal.drain()[-1] == Fault("log", None)


@pytest.mark.rule("R84")
def test_saving_is_retried_by_itself(
    tmp_path: Path, disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R84: the director has made room between two games: the warning goes by itself."""
    monkeypatch.setattr(writer_queue, "RETRY_NS", 0)
    told = threading.Semaphore(0)
    journal = Journal(tmp_path, changed=told.release)
    disk.failing["write"] = [errno.ENOSPC] * 4
    journal.begin("match")
    journal.append(LINES[0])
    found: list[Fault] = []
    while len(found) < 2:
        assert told.acquire(timeout=60)
        found += journal.drain()
    assert [fault.what for fault in found] == [
        "No space left on device: log lines are not saved",
        None,
    ]
    assert (tmp_path / "match.jsonl").read_bytes() == LINES[0]
    journal.close()


def test_no_line_is_kept_in_memory_once_it_is_saved(tmp_path: Path) -> None:
    """A clock that runs for days does not grow."""
    journal = Journal(tmp_path)
    journal.begin("match")
    for line in LINES:
        journal.append(line)
    wait_for_writer(journal)
    [log] = journal._logs
    assert not log.has_unsynced
    assert journal._put_bytes == journal._saved_bytes == len(b"".join(LINES))
    journal.close()


@pytest.mark.rule("R84")
def test_a_full_write_queue_drops_the_rest_of_the_match(
    tmp_path: Path, disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R84: also once the queue is empty: the log never goes on after a gap. The next match does."""
    monkeypatch.setattr(journal_module, "MAX_QUEUED_BYTES", len(b"".join(LINES[:5])))
    journal = Journal(tmp_path)
    journal.begin("match")
    disk.failing["write"] = [errno.ENOSPC] * 99
    for line in LINES[:9]:
        journal.append(line)
    wait_for_writer(journal)
    disk.failing.clear()
    journal._queue.put(writer_queue.Retry())
    wait_for_writer(journal)  # the queue is empty again
    for line in LINES[9:15]:
        journal.append(line)
    wait_for_writer(journal)
    journal.begin("next")
    journal.append(LINES[0])
    wait_for_writer(journal)
    told = [fault.what for fault in journal.drain()]
    journal.close()
    assert (tmp_path / "match.jsonl").read_bytes() == b"".join(LINES[:5])
    assert "Write queue full: the rest of this match is not logged" in told
    assert told[-1] is None


# --- slow storage -----------------------------------------------------------------------------

SLOW = (
    "card slow: a write takes more than 2 s, log lines wait in memory; change the card after the"
    " match"
)


class Hanging:
    """A disk whose syncs return when they are let, and a time that stands still."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.ns = 0
        self.begun, self.let = threading.Semaphore(0), threading.Semaphore(0)
        real = os.fdatasync

        def fdatasync(file: int) -> None:
            self.begun.release()
            assert self.let.acquire(timeout=60)
            real(file)

        patch.setattr(os, "fdatasync", fdatasync)

    def sync(self, *, after_ns: int = 0) -> None:
        """A sync that has begun returns."""
        self.ns += after_ns
        self.let.release()


@pytest.mark.rule("R84")
def test_a_slow_write_is_reported_while_it_hangs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R84: not before 2 s, while the writer is still stuck; and when it works again."""
    hanging = Hanging(monkeypatch)
    journal = Journal(tmp_path, lambda: hanging.ns)
    journal.begin("match")
    journal.append(LINES[0])
    assert hanging.begun.acquire(timeout=60)
    hanging.ns = SLOW_NS
    assert journal.drain() == []
    hanging.ns += 1
    assert journal.drain() == [Fault("log", SLOW)]
    assert journal.drain() == []
    hanging.sync()
    wait_for_writer(journal)
    journal.close()
    assert journal.drain() == [Fault("log", None)]
    assert journal.slowest_ns == SLOW_NS + 1


@pytest.mark.rule("R84")
def test_a_slow_write_is_reported_after_it_has_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R84: the log says what the disk did."""
    hanging = Hanging(monkeypatch)
    journal = Journal(tmp_path, lambda: hanging.ns)
    journal.begin("match")
    for line, taken_ns in zip(LINES, (SLOW_NS, SLOW_NS + 1, 5), strict=False):
        journal.append(line)
        assert hanging.begun.acquire(timeout=60)
        hanging.sync(after_ns=taken_ns)
        wait_for_writer(journal)
    assert journal.drain() == [Fault("log", SLOW), Fault("log", None)]
    journal.close()


@pytest.mark.rule("R84")
def test_the_loop_wakes_when_a_write_takes_too_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R84: at rest nothing else wakes it; it is told once, and when all is written it sleeps."""
    hanging = Hanging(monkeypatch)
    journal = Journal(tmp_path, lambda: hanging.ns)
    assert journal.late_ns() is None
    journal.begin("match")
    journal.append(LINES[0])
    assert journal.late_ns() == SLOW_NS + 1
    assert hanging.begun.acquire(timeout=60)
    hanging.ns = 5
    assert journal.late_ns() == SLOW_NS + 1
    hanging.ns = SLOW_NS + 1
    assert journal.drain() == [Fault("log", SLOW)]
    assert journal.late_ns() is None
    hanging.sync()
    wait_for_writer(journal)
    assert journal.late_ns() is None
    journal.close()


@pytest.mark.rule("R84")
def test_a_write_that_has_not_begun_yet_is_waited_for_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R84: the loop goes to sleep before the writer has woken."""
    journal = Journal(tmp_path, lambda: 7)
    wait_for_writer(journal)
    ready, attempt = threading.Event(), journal._attempt
    vars(journal)["_attempt"] = lambda job: (ready.wait(60), attempt(job))
    journal.begin("match")
    journal.append(LINES[0])
    assert journal.late_ns() == 7 + SLOW_NS + 1
    ready.set()
    journal.close()
    assert journal.late_ns() is None


def test_checkpoints_do_not_queue_behind_a_disk_that_hangs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One waits, whatever the time; else memory would grow."""
    hanging = Hanging(monkeypatch)
    journal = Journal(tmp_path, lambda: hanging.ns)
    journal.begin("match")
    journal.append(LINES[0])
    assert hanging.begun.acquire(timeout=60)
    for seq in range(1, 1000):
        journal.checkpoint(seq, 0, "boot", World().state)
    assert journal._queue._queue.qsize() == 1
    for _ in range(2):
        hanging.sync()
    journal.close()


def test_the_end_of_the_program_does_not_wait_for_a_disk_that_hangs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SIGTERM ends it within a second; the writer ends with the process."""
    hanging = Hanging(monkeypatch)
    journal = Journal(tmp_path, lambda: hanging.ns)
    journal.begin("match")
    journal.append(LINES[0])
    assert hanging.begun.acquire(timeout=60)
    hanging.ns += journal_module.CLOSE_NS
    journal.close()
    assert journal._writer.is_alive()
    hanging.sync()
    journal._writer.join()
    journal.close()


# --- space ------------------------------------------------------------------------------------


def test_space_is_reserved_ahead_and_given_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A match has room when others fill the disk; the file has its true size all the time."""
    sizes: list[int] = []
    monkeypatch.setattr(segment, "RESERVE_BYTES", len(LINES[0]) + 1000)
    monkeypatch.setattr(fsync, "reserve", lambda _, size: sizes.append(size))
    path = written(tmp_path, LINES)
    assert path.read_bytes() == b"".join(LINES)
    assert sizes[0] == 2 * len(LINES[0]) + 1000
    assert len(sizes) > 3
    assert sizes == sorted(sizes)


def test_reserving_does_not_change_what_is_read(tmp_path: Path) -> None:
    """Where the file system can: blocks are had, the size is true, and leaving gives them back."""
    path = tmp_path / "log"
    file = fsync.create(path)
    fsync.append(file, b"text")
    had = fsync.reserve(file, 1 << 20)
    assert path.read_bytes() == b"text"
    assert (path.stat().st_blocks * 512 >= 1 << 20) == had
    fsync.trim_and_close(file)
    assert path.stat().st_blocks * 512 <= 1 << 16
    assert path.read_bytes() == b"text"


def test_without_a_way_to_reserve_space_it_does_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """FAT and some others cannot, and some systems have no such call."""
    monkeypatch.setattr(ctypes, "CDLL", lambda name: object())
    assert written(tmp_path, LINES).read_bytes() == b"".join(LINES)


def free(patch: pytest.MonkeyPatch, megabytes: float) -> None:
    """So much is free."""
    patch.setattr(disk_health, "free_bytes", lambda directory: int(megabytes * 10**6))
    patch.setattr(journal_module, "free_bytes", lambda directory: int(megabytes * 10**6))


def test_a_match_needs_room(
    tmp_path: Path, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message names the directory, what is free and what to do."""
    free(monkeypatch, 8)
    journal.require_room()
    free(monkeypatch, 7.9)
    with pytest.raises(JournalError) as caught:
        journal.require_room()
    assert str(caught.value) == (
        f"{tmp_path}: only 7 MB free, and a match needs 8; copy old logs to another place and"
        " delete them here"
    )


@pytest.mark.rule("R84")
def test_a_running_clock_plays_on_and_says_that_there_is_no_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R84: at the board it warns; what can be saved is saved."""
    free(monkeypatch, 5)
    journal = Journal(tmp_path)
    journal.begin("match")
    journal.append(LINES[0])
    wait_for_writer(journal)
    full, low = journal.drain()
    assert full.part == low.part == "space"
    assert "only 5 MB free" in str(full.what)
    free(monkeypatch, 80)
    journal.append(LINES[1])
    journal.close()
    assert journal.drain() == [Fault("space", None)]
    assert (tmp_path / "match.jsonl").read_bytes() == b"".join(LINES[:2])


def test_the_director_is_told_once_when_space_runs_low(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under 64 MB; and again only when there was enough in between."""
    journal = Journal(tmp_path)
    told: list[str | None] = []
    for line, megabytes in zip(LINES, (64, 63.9, 50, 65, 63, 72, 60), strict=False):
        free(monkeypatch, megabytes)
        if line is LINES[0]:
            journal.begin("match")
        journal.append(line)
        wait_for_writer(journal)
        told += [fault.what for fault in journal.drain() if fault.part == "space"]
    journal.close()
    low = "{}: {} MB free; after the match, copy old logs to another place and delete them here"
    assert told == [low.format(tmp_path, 63), None, low.format(tmp_path, 60)]
