"""The journal: what it writes and how, and what it does when the disk fails."""

import errno
import fcntl
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from clock.eventlog.replay import replay
from clock.match.faults import Fault
from clock.storage import journal as journal_module
from clock.storage import writer_queue
from clock.storage.checkpoint import CHECKPOINT, LOCK, read_checkpoint
from clock.storage.disk_health import SLOW_NS
from clock.storage.journal import Journal, JournalError
from clock.storage.log_reader import CURRENT
from lab.support.faulty_disk import SHORT, WAIT_S, FaultyDisk
from lab.support.journals import (
    LINES,
    NAME,
    STATE,
    WatchedJournal,
    found,
    found_lines,
    opened,
    written,
)

READ_ONLY = "Read-only file system"
NOT_SAVED = "No space left on device: log lines are not saved"


@pytest.fixture
def disk(tmp_path: Path) -> FaultyDisk:
    return FaultyDisk(tmp_path)


@pytest.fixture
def journal(tmp_path: Path, disk: FaultyDisk) -> Iterator[WatchedJournal]:
    """A journal in a directory of its own."""
    journal = opened(tmp_path, disk)
    yield journal
    journal.close()


# --- files ------------------------------------------------------------------------------------


@pytest.mark.rule("R83", "R84")
def test_a_match_has_a_file_and_current_links_to_it(tmp_path: Path) -> None:
    """R83: `<match>.jsonl`; the link is relative, so that a copy of the directory is whole."""
    path = written(tmp_path / "deep" / "logs", LINES)
    assert path.name == "match.jsonl"
    assert path.read_bytes() == b"".join(LINES)
    assert (path.parent / CURRENT).readlink() == Path("match.jsonl")
    assert {each.name for each in path.parent.iterdir()} == {path.name, CURRENT, CHECKPOINT, LOCK}


def test_no_log_is_ever_written_over(tmp_path: Path) -> None:
    """Matches that began in the same second have names of their own, and so have their files."""
    journal = opened(tmp_path)
    names = []
    for number in range(1, 4):  # the writer may still be busy with the last one
        names.append(journal.begin("match"))
        for line in LINES[:number]:
            journal.append(line)
    journal.close()
    assert names == ["match", "match-2", "match-3"]
    assert (tmp_path / CURRENT).readlink() == Path("match-3.jsonl")
    for number, name in enumerate(names, 1):
        assert (tmp_path / f"{name}.jsonl").read_bytes() == b"".join(LINES[:number])
    assert written(tmp_path, LINES).name == "match-4.jsonl"


def test_a_match_begins_without_a_look_at_the_disk(tmp_path: Path, disk: FaultyDisk) -> None:
    """The loop begins it: a card that hangs or is gone must not hold it up."""
    for name in ("match.jsonl", "match-2.torn"):
        (tmp_path / name).touch()
    journal = opened(tmp_path, disk)
    for path in tmp_path.glob("match*"):
        path.unlink()
    assert [journal.begin("match") for _ in range(2)] == ["match-3", "match-4"]
    journal.close()


def test_without_a_thread_all_is_on_the_disk_at_once(tmp_path: Path, disk: FaultyDisk) -> None:
    """And what the disk refused is saved at the end."""
    journal = Journal(tmp_path, disk=disk, threaded=False)
    journal.begin("match")
    for count, line in enumerate(LINES[:3], 1):
        disk.failing["write"] = [errno.ENOSPC] * (2 * (count == 3))
        journal.append(line)
        disk.failing.clear()
        journal.checkpoint(count, 0, "boot", STATE)
        saved = b"".join(LINES[: min(count, 2)])
        assert (tmp_path / "match.jsonl").read_bytes() == saved
        latest = read_checkpoint(tmp_path / CHECKPOINT)
        assert latest is not None
        assert (latest.match, latest.seq) == ("match", count)
    journal.close()
    assert (tmp_path / "match.jsonl").read_bytes() == b"".join(LINES[:3])
    assert disk.left_open == []


@pytest.mark.rule("R67", "R84")
def test_each_line_is_one_write_and_one_sync(
    tmp_path: Path, disk: FaultyDisk, journal: WatchedJournal
) -> None:
    """R67: durable line by line, and nothing is ever rewritten."""
    for name in ("match", "next"):
        before = len(disk.named("sync", "sync_data", "rename"))
        journal.begin(name)
        journal.add(LINES[0])
        made = disk.named("sync", "sync_data", "rename")[before:]
        assert made == ["sync", "sync_data", "rename", "sync"]  # file, line, link, directory
    before = len(disk.calls)
    journal.add(*LINES[1:])
    aside = {"reserve", "free_bytes"}
    calls = [call for call in disk.calls[before:] if call.name not in aside]
    assert [call.name for call in calls] == ["write", "sync_data"] * len(LINES[1:])
    assert [call.args[1] for call in calls[::2]] == LINES[1:]


def test_checkpoints_continue_after_a_restart(tmp_path: Path) -> None:
    """Otherwise an old slot would win over a new one."""
    written(tmp_path, LINES)
    latest = 0
    for count in (5, 1, 1, 2, 1):
        journal = opened(tmp_path)
        saved = journal.reopen()
        assert saved is not None
        assert (saved.checkpoint.seq if saved.checkpoint else 0) == latest
        for _ in range(count):
            latest += 1
            journal.write_checkpoint(latest)
        journal.close()
    checkpoint = read_checkpoint(tmp_path / CHECKPOINT)
    assert checkpoint is not None
    assert (checkpoint.match, checkpoint.seq, checkpoint.state) == (NAME, latest, STATE)


@pytest.mark.parametrize(("mask", "folder"), [(0o022, 0o755), (0, 0o777)])
def test_people_may_read_the_logs_and_the_clock_alone_writes_them(
    tmp_path: Path, mask: int, folder: int
) -> None:
    """A log can be copied without special rights; the service runs with umask 022."""
    before, logs = os.umask(mask), tmp_path / "logs"
    try:
        disk = FaultyDisk(logs)
        journal = opened(logs, disk)
        journal.begin("match")
        disk.failing["sync_data"] = [errno.EIO]
        journal.add(*LINES)
        journal.close()
    finally:
        os.umask(before)
    assert (logs / "match.failed").exists()
    modes = {each.name: each.stat().st_mode & 0o777 for each in logs.iterdir()}
    assert modes.pop(LOCK) == 0o600
    assert {*modes.values()} == {0o644}
    assert logs.stat().st_mode & 0o777 == folder


@pytest.mark.rule("R84")
def test_who_may_only_read_the_logs_cannot_lock_them(tmp_path: Path) -> None:
    """R84: a lock on all that others can open does not stop the clock, and its own is told."""
    written(tmp_path, LINES)
    (tmp_path / CURRENT).unlink()  # another name of the log
    readable = [each for each in (tmp_path, *tmp_path.iterdir()) if each.stat().st_mode & 0o044]
    files = [os.open(each, os.O_RDONLY) for each in readable]
    for file in files:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    journal = opened(tmp_path)
    assert journal.reopen() is not None
    assert "another clock writes its logs there" in message(tmp_path)
    journal.close()
    for file in files:
        os.close(file)


# --- a directory that cannot be used ----------------------------------------------------------


def message(directory: Path, disk: FaultyDisk | None = None) -> str:
    """Return the error that a director reads."""
    with pytest.raises(JournalError) as caught:
        opened(directory, disk)
    return str(caught.value)


def test_nothing_is_found_in_a_new_directory(journal: Journal) -> None:
    assert journal.reopen() is None


def test_a_file_in_the_place_of_the_directory(tmp_path: Path) -> None:
    (tmp_path / "logs").write_bytes(b"")
    assert message(tmp_path / "logs") == (
        f"{tmp_path}/logs: cannot be written to (File exists); set [log] directory to a folder that"
        " the clock may write to"
    )
    assert "Not a directory" in message(tmp_path / "logs" / "deeper")


def test_a_directory_that_cannot_be_listed(tmp_path: Path, disk: FaultyDisk) -> None:
    disk.failing["names"] = [errno.EIO]
    assert message(tmp_path, disk) == (
        f"{tmp_path}: cannot be read (Input/output error); try another card"
    )
    Journal(tmp_path).close()


def test_a_log_that_cannot_be_read(tmp_path: Path) -> None:
    """It stays; the TD may move it, and the checkpoint counts."""
    path = written(tmp_path, LINES)
    path.unlink()
    path.mkdir()
    with pytest.raises(JournalError, match="check its permissions, or move it to another"):
        found(tmp_path)


def test_a_match_needs_room(tmp_path: Path, disk: FaultyDisk, journal: Journal) -> None:
    disk.free = 8_000_000
    journal.require_room()
    disk.free = 7_900_000
    with pytest.raises(JournalError) as caught:
        journal.require_room()
    assert str(caught.value) == (
        f"{tmp_path}: only 7 MB free, and a match needs 8; copy old logs to another place and"
        " delete them here"
    )
    disk.failing["free_bytes"] = [errno.EIO]
    with pytest.raises(
        JournalError, match=r"cannot be read .Input/output error.; try another card"
    ):
        journal.require_room()


@pytest.mark.rule("R84")
def test_a_running_clock_plays_on_and_says_that_there_is_no_room(
    tmp_path: Path, disk: FaultyDisk, journal: WatchedJournal
) -> None:
    """R84: at the board it warns; what can be saved is saved."""
    disk.free = 5_000_000
    journal.begin("match")
    journal.add(LINES[0])
    assert len(journal.told("space")) == 2
    disk.free = 80_000_000
    journal.add(LINES[1])
    assert journal.drain() == [Fault("space", None)]
    assert (tmp_path / "match.jsonl").read_bytes() == b"".join(LINES[:2])


# --- a disk that fails ------------------------------------------------------------------------

FAILURES = [
    pytest.param("write", errno.EIO, "Input/output error", id="write"),
    pytest.param("write", SHORT, "No space left on device", id="half a write"),
    pytest.param("sync_data", errno.EIO, "Input/output error", id="sync"),
]


@pytest.mark.rule("R84")
@pytest.mark.parametrize("count", [1, 2, 5, 9])
@pytest.mark.parametrize(("name", "number", "why"), FAILURES)
def test_while_it_fails_the_lines_wait_in_memory(
    tmp_path: Path, disk: FaultyDisk, name: str, number: int, why: str, count: int
) -> None:
    """R84: tried again with every line; said once, and once that it works again."""
    journal = opened(tmp_path, disk)
    journal.begin("match")
    disk.failing[name] = [number] * count
    journal.add(*LINES)
    journal.close()
    assert (tmp_path / "match.jsonl").read_bytes() == b"".join(LINES)
    assert journal.drain() == [Fault("log", f"{why}: log lines are not saved"), Fault("log", None)]
    assert journal.drain() == []


@pytest.mark.rule("R84")
def test_a_disk_that_never_recovers_leaves_what_was_saved(tmp_path: Path, disk: FaultyDisk) -> None:
    """R84: one fault, no error; the log on the disk is good as far as it goes."""
    path = written(tmp_path, LINES[:3])
    journal = opened(tmp_path, disk)
    journal.reopen()
    disk.failing["write"] = [SHORT, *[errno.ENOSPC] * 999]
    journal.add(*LINES[3:])
    journal.close()
    assert journal.told() == [NOT_SAVED]
    assert path.read_bytes().startswith(b"".join(LINES[:3]))
    assert not list(tmp_path.glob("*.new"))  # which would take space
    assert replay(found_lines(tmp_path) or ()).match.chain.seq == 3


@pytest.mark.rule("R84")
@pytest.mark.parametrize(
    ("name", "number"), [("write_at", errno.EIO), ("write_at", SHORT), ("sync_data", errno.EIO)]
)
def test_a_checkpoint_that_cannot_be_written_is_a_fault(
    tmp_path: Path, disk: FaultyDisk, journal: WatchedJournal, name: str, number: int
) -> None:
    """R84: the lines are saved; the next checkpoint never overwrites the good slot."""
    journal.begin("match")
    journal.add(*LINES[:3])
    journal.write_checkpoint(1)
    disk.failing[name] = [number] * 2
    for seq in range(2, 6):
        journal.write_checkpoint(seq)
    journal.add(LINES[3])
    places = [call.args[2] for call in disk.calls if call.name == "write_at"]
    assert (places[1], places[2], places[3]) == (0, 0, 0)  # the first is in the second slot
    assert places[4] == places[0] != 0
    assert (tmp_path / "match.jsonl").read_bytes() == b"".join(LINES[:4])
    why = os.strerror(errno.ENOSPC if number == SHORT else errno.EIO)
    assert journal.told() == [f"{why}: checkpoints are not saved", None]


def test_any_error_in_the_writer_is_a_fault_and_the_writer_goes_on(
    tmp_path: Path, disk: FaultyDisk, journal: WatchedJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fault of the program itself is a fault of the log, and the next line is saved."""
    journal.begin("match")
    with monkeypatch.context() as patch:
        journal.wait()
        patch.setattr(disk, "append", lambda file, data: 1 // 0)
        journal.add(LINES[0])
    journal.add(LINES[1])
    assert (tmp_path / "match.jsonl").read_bytes() == b"".join(LINES[:2])
    [fault, well] = journal.told()
    assert "by zero: log lines are not saved" in str(fault)
    assert well is None


@pytest.mark.rule("R84")
def test_a_log_that_cannot_be_continued_is_moved_at_once(tmp_path: Path, disk: FaultyDisk) -> None:
    """R84: without waiting for the next line."""
    path = written(tmp_path, LINES[:3])
    path.write_bytes(path.read_bytes() + LINES[3][:9])
    disk.failing["truncate"] = [errno.EIO]
    journal = opened(tmp_path, disk)
    assert journal.reopen() is not None
    journal.wait()
    assert path.read_bytes() == b"".join(LINES[:3])
    assert journal.told() == ["Input/output error: log lines are not saved", None]
    journal.close()


@pytest.mark.rule("R84")
def test_lines_of_the_last_match_are_saved_when_the_disk_is_back(
    tmp_path: Path, disk: FaultyDisk, journal: WatchedJournal
) -> None:
    """R84: the next match has begun meanwhile; the link leads to that one."""
    journal.begin("match")
    disk.failing["write"] = [errno.ENOSPC] * 5
    journal.add(*LINES[:2])  # two attempts each but the second
    journal.begin("next")
    journal.add(*LINES[:2])
    for name in ("match", "next"):
        assert (tmp_path / f"{name}.jsonl").read_bytes() == b"".join(LINES[:2])
    assert (tmp_path / CURRENT).readlink() == Path("next.jsonl")
    assert journal.told()[-1] is None
    moves = disk.named("rename")
    journal.add(LINES[2])
    assert disk.named("rename") == moves  # nothing is left to do for the last match
    journal.close()
    assert disk.left_open == []


@pytest.mark.rule("R67")
def test_while_a_line_is_not_saved_a_checkpoint_says_more_than_the_lines(
    disk: FaultyDisk, journal: WatchedJournal
) -> None:
    """R67: so none is left out of the queue."""
    journal.begin("match")
    disk.failing["write"] = [errno.ENOSPC] * 2
    journal.add(LINES[0])
    assert not journal._all_saved()
    journal.retry()
    assert journal._all_saved()


def test_a_checkpoint_file_that_was_deleted_before_a_match_began(
    tmp_path: Path, journal: WatchedJournal
) -> None:
    (tmp_path / CHECKPOINT).unlink()
    journal.write_checkpoint(1)
    assert journal.told() == ["checkpoint was deleted or replaced: checkpoints are not saved"]
    journal.write_checkpoint(2)
    assert journal.told() == [None]


@pytest.mark.rule("R84")
def test_the_latest_match_is_saved_first(
    tmp_path: Path, disk: FaultyDisk, journal: WatchedJournal
) -> None:
    """R84: an earlier match that cannot be saved must not hold up the one under way."""
    journal.begin("match")
    (tmp_path / "match.new").mkdir()  # stands in the way of a new file
    disk.failing["write"] = [errno.EIO]
    journal.append(LINES[0])
    journal.begin("next")
    journal.add(LINES[0])
    assert (tmp_path / "next.jsonl").read_bytes() == LINES[0]
    assert not (tmp_path / "match.jsonl").read_bytes()
    assert not journal._all_saved()
    assert None not in journal.told()  # it is a fault all the while
    (tmp_path / "match.new").rmdir()
    journal.add(LINES[1])
    assert (tmp_path / "match.jsonl").read_bytes() == LINES[0]
    assert journal.told()[-1] is None


@pytest.mark.rule("R84")
def test_saving_is_retried_by_itself(
    tmp_path: Path, disk: FaultyDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R84: the director has made room between two games: the warning goes by itself."""
    monkeypatch.setattr(writer_queue, "RETRY_NS", 0)
    told = threading.Semaphore(0)
    journal = Journal(tmp_path, changed=told.release, disk=disk)
    disk.failing["write"] = [errno.ENOSPC] * 4
    journal.begin("match")
    journal.append(LINES[0])
    faults: list[Fault] = []
    while len(faults) < 2:
        assert told.acquire(timeout=WAIT_S)
        faults += journal.drain()
    assert faults == [Fault("log", NOT_SAVED), Fault("log", None)]
    assert (tmp_path / "match.jsonl").read_bytes() == LINES[0]
    journal.close()


@pytest.mark.rule("R84")
def test_a_full_write_queue_drops_the_rest_of_the_match(
    tmp_path: Path, disk: FaultyDisk, journal: WatchedJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R84: also once the queue is empty: the log never goes on after a gap. The next match does."""
    monkeypatch.setattr(journal_module, "MAX_QUEUED_BYTES", len(b"".join(LINES[:5])))
    journal.write_checkpoint(1)
    disk.failing["write"] = [errno.ENOSPC] * 99
    for name in ("match", "next"):
        journal.begin(name)
        journal.add(*LINES[:9])
    disk.failing.clear()
    journal.retry()  # the queue is empty again
    journal.add(*LINES[9:15])
    journal.checkpoint(15, 0, "boot", STATE)  # it knows more than the log
    journal.wait()
    journal.begin("last")
    journal.add(LINES[0])
    told = journal.told()
    for name, count in (("match", 5), ("next", 5), ("last", 1)):
        assert (tmp_path / f"{name}.jsonl").read_bytes() == b"".join(LINES[:count])
    latest = read_checkpoint(tmp_path / CHECKPOINT)
    assert latest is not None
    assert latest.seq == 15
    assert "Write queue full: the rest of this match is not logged" in told
    assert told[-1] is None


def test_what_is_saved_takes_no_room_in_the_queue(
    tmp_path: Path, journal: WatchedJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "MAX_QUEUED_BYTES", max(map(len, LINES)))
    journal.begin("match")
    for line in LINES:
        journal.add(line)
    assert (tmp_path / "match.jsonl").read_bytes() == b"".join(LINES)
    assert journal.late_ns() is None


# --- what a fault brings about by itself ------------------------------------------------------


def lines_of_faults(journal: WatchedJournal, rounds: int = 20) -> int:
    """The loop logs what it is told; how many lines that makes within some turns."""
    made = 0
    for _ in range(rounds):
        for _ in journal.drain():
            journal.add(LINES[made % len(LINES)])
            made += 1
    return made


@pytest.mark.rule("R84")
@pytest.mark.parametrize("slow", [False, True])
def test_a_disk_that_fails_or_is_slow_each_time_does_not_fill_itself(
    disk: FaultyDisk, journal: WatchedJournal, slow: bool
) -> None:
    """R84: each fault is a line, and each line fails once: said once, it stays said."""
    if slow:
        disk.sync_ns = 3 * SLOW_NS // 2
    else:
        disk.failing["sync_data"] = [errno.EIO, None] * 999
    journal.begin("match")
    journal.add(LINES[0])
    assert lines_of_faults(journal) == 1
    disk.failing.clear()
    disk.sync_ns = 0
    journal.add(LINES[0])
    assert lines_of_faults(journal) == 1  # that it works again


# --- slow storage -----------------------------------------------------------------------------


@pytest.mark.rule("R84")
def test_a_write_that_has_not_begun_yet_is_waited_for_too(
    disk: FaultyDisk, journal: WatchedJournal
) -> None:
    """R84: the loop goes to sleep before the writer has woken; and is told while it hangs."""
    assert journal.late_ns() is None
    disk.hangs = True
    journal.begin("match")
    journal.append(LINES[0])
    assert journal.late_ns() == SLOW_NS + 1
    disk.wait_for_sync()
    disk.ns = SLOW_NS + 1
    assert "card slow" in str(journal.told())
    disk.let_sync()
    journal.wait()
    assert journal.late_ns() is None


def test_the_end_of_the_program_does_not_wait_for_a_disk_that_hangs(
    disk: FaultyDisk, journal: WatchedJournal
) -> None:
    """SIGTERM ends it within a second; the writer ends with the process."""
    disk.hangs = True
    journal.begin("match")
    journal.append(LINES[0])
    disk.wait_for_sync()
    closed = disk.named("close")
    disk.ns += journal_module.CLOSE_NS
    journal.close()
    assert disk.named("close") == closed  # nothing under the writer
    assert {each.daemon for each in threading.enumerate() if each.name == "journal"} == {True}
    disk.let_sync()
