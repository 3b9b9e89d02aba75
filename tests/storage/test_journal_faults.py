"""Every call of the journal fails, in every way; the power goes after every call.

The lines are those of a real match. Whatever fails: what is on the disk is the match as far as it
goes, never a wrong line; and either all of it is there, or the loop was told.
"""

import errno
from pathlib import Path

import pytest

from clock.eventlog.replay import replay
from clock.match.faults import Fault
from clock.storage import checkpoint
from clock.storage.checkpoint import SLOTS
from clock.storage.journal import JournalError
from lab.support.faulty_disk import EVER, SHORT, Content, FaultyDisk, Plan, restored
from lab.support.journals import opened
from lab.support.paths import DATA

pytestmark = pytest.mark.slow

MATCH = (DATA / "nbgf-analog.jsonl").read_bytes()
LINES = MATCH.splitlines(keepends=True)[:6]
RAW = [line[:-1] for line in LINES]
KINDS = (errno.EIO, errno.ENOSPC, errno.EROFS, errno.EINTR, SHORT)
REFUSED = [Fault("log", "refused: log lines are not saved")]
SOME = 9
COUNTS = (1, SOME, EVER)  # calls that fail in a row


@pytest.fixture(autouse=True)
def near_slots(monkeypatch: pytest.MonkeyPatch) -> None:
    """A checkpoint file of 32 KiB, not of 4 MiB: it is read and written a thousand times here."""
    distance = 4 * checkpoint.BLOCK_SIZE
    monkeypatch.setattr(checkpoint, "SLOT_DISTANCE", distance)
    monkeypatch.setattr(checkpoint, "_OFFSETS", range(0, SLOTS * distance, distance))
    monkeypatch.setattr(checkpoint, "_MAX_FILE", SLOTS * distance)


def write(
    directory: Path, disk: FaultyDisk, lines: list[bytes], *, begin: bool = True
) -> list[Fault]:
    """Write lines, with a checkpoint after every third; returns what the loop is told."""
    try:
        journal = opened(directory, disk)
    except JournalError:
        return REFUSED
    try:
        if begin:
            journal.begin("match")
        elif journal.reopen() is None:
            return [Fault("log", None)]  # so that the caller looks for all lines, in vain
        for number, line in enumerate(lines, 1):
            journal.append(line)
            if number % 3 == 0:
                journal.write_checkpoint(number)
    except JournalError:
        return REFUSED
    finally:
        journal.close()
    return list(journal.drain())


def recovered(directory: Path) -> list[bytes]:
    """The lines that the next run finds; they must be those of the match, as far as they go."""
    journal = opened(directory)
    found = journal.reopen()
    journal.close()
    lines = [] if found is None else list(found.lines)
    assert lines == RAW[: len(lines)]
    assert not lines or replay(lines).match.chain.seq == len(lines)
    assert [fault for fault in journal.drain() if fault.part == "log"] == []
    return lines


def is_saved(told: list[Fault]) -> bool:
    """The loop knows of no line that is not on the disk."""
    of_log = [fault.what for fault in told if fault.part == "log"]
    lasting = of_log[len(of_log) - of_log[::-1].index(None) :] if None in of_log else of_log
    return not any("log lines are not saved" in str(what) for what in lasting)


def every_plan() -> list[tuple[int, int]]:
    """Every way to fail, once or for good, and two for some calls in a row."""
    return [
        (number, count)
        for number in KINDS
        for count in COUNTS
        if count != SOME or number in (errno.EIO, SHORT)
    ]


@pytest.mark.rule("R67", "R84")
@pytest.mark.parametrize(("number", "count"), every_plan())
def test_whichever_call_fails_nothing_is_lost_in_silence(
    tmp_path: Path, number: int, count: int
) -> None:
    """R84: the N-th call of a new match fails, for every N; then the power is cut."""
    first, fired = 0, 1
    while fired:
        logs, cut = tmp_path / f"logs-{first}", tmp_path / f"cut-{first}"
        disk = FaultyDisk(logs, Plan(number, first, count))
        told = write(logs, disk, LINES)
        lines = recovered(disk.power_cut(cut))
        assert not is_saved(told) or len(lines) == len(RAW), disk.plan
        assert told or not disk.fired or lines == RAW
        first, fired = first + 1, disk.fired
    assert first > (2 if number == SHORT else 20)


@pytest.mark.rule("R67", "R84", "T12")
@pytest.mark.parametrize(("number", "count"), every_plan())
def test_whichever_call_fails_while_it_recovers(tmp_path: Path, number: int, count: int) -> None:
    """R84: the last line is torn, and the N-th call of the next run fails; what was there stays."""
    before = FaultyDisk(tmp_path / "before")
    write(tmp_path / "before", before, LINES[:4])
    image = before.image()
    image["match.jsonl"] = Content(b"".join(LINES[:4]) + LINES[4][:99])
    first, fired = 0, 1
    while fired:
        logs, cut = tmp_path / f"logs-{first}", tmp_path / f"cut-{first}"
        restored(logs, image)
        disk = FaultyDisk(logs, Plan(number, first, count))
        told = write(logs, disk, LINES[4:], begin=False)
        lines = recovered(disk.power_cut(cut))
        assert len(lines) >= 4, disk.plan
        assert not is_saved(told) or len(lines) == len(RAW), disk.plan
        first, fired = first + 1, disk.fired
    assert first > (2 if number == SHORT else 20)


@pytest.mark.rule("R67", "T12")
def test_the_power_goes_after_every_call(tmp_path: Path) -> None:
    """T12: a line is there from the sync of its file on, the first one with the file's name."""
    logs = tmp_path / "logs"
    disk = FaultyDisk(logs)
    write(logs, disk, LINES)
    synced, is_named = 0, False
    for number, (call, image) in enumerate(zip(disk.calls, disk.images, strict=True)):
        synced += call.name == "sync_data" and disk.calls[number - 1].name == "write"
        is_named |= call.name == "sync" and synced > 0
        found = recovered(restored(tmp_path / f"cut-{number}", image))
        assert len(found) == (synced if is_named else 0)
    assert synced == len(RAW)


@pytest.mark.rule("R67", "T12")
@pytest.mark.parametrize("call", ["write", "sync_data"])
def test_the_power_goes_while_a_new_file_takes_the_place_of_one_that_failed(
    tmp_path: Path, call: str
) -> None:
    """T12: at every moment the old lines or the new ones are there."""
    logs = tmp_path / "logs"
    disk = FaultyDisk(logs)
    disk.failing[call] = [*[None] * 4, errno.EIO]
    told = write(logs, disk, LINES)
    assert [fault.what for fault in told][-1:] == [None]
    found = [
        len(recovered(restored(tmp_path / f"cut-{number}", image)))
        for number, image in enumerate(disk.images)
    ]
    assert found == sorted(found)
    assert found[-1] == len(RAW)


def test_the_disk_forgets_what_was_not_synced(tmp_path: Path) -> None:
    """The model itself: a control that must lose, else it proves nothing."""
    disk = FaultyDisk(tmp_path)
    vars(disk)["sync_data"] = lambda file: None
    write(tmp_path, disk, LINES)
    assert recovered(disk.power_cut(tmp_path / "cut")) == []
