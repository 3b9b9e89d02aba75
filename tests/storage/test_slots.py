"""The checkpoint file: unreadable slots, read-only cards."""

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from clock.match.faults import Fault
from clock.storage.checkpoint import CHECKPOINT, SLOT_DISTANCE, CheckpointFile
from clock.storage.journal import Journal, JournalError
from tests.storage.test_journal import LINES, NAME, RAW, write_checkpoint, written
from tests.support.file_faults import FaultyDisk

READ_ONLY = "Read-only file system"


@pytest.mark.rule("T12")
@pytest.mark.parametrize(
    ("bad", "found"), [({0}, 5), ({SLOT_DISTANCE}, 4), ({0, SLOT_DISTANCE}, None)]
)
def test_a_slot_that_cannot_be_read_hides_neither_the_other_nor_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bad: set[int], found: int | None
) -> None:
    """T12: no place of the card is written as often; the match goes on without."""
    written(tmp_path, LINES)
    journal = Journal(tmp_path)
    journal.reopen()
    for seq in range(1, 6):  # the last in the second slot
        write_checkpoint(journal, seq)
    journal.close()
    pread = os.pread

    def fails(file: int, size: int, at: int) -> bytes:
        if at in bad:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return pread(file, size, at)

    monkeypatch.setattr(os, "pread", fails)
    journal = Journal(tmp_path)
    what = journal.reopen()
    journal.close()
    assert what is not None
    assert what.lines == tuple(RAW)
    assert (what.checkpoint and what.checkpoint.seq) == found


# --- a card that is read-only -----------------------------------------------------------------


@pytest.fixture
def card(tmp_path: Path) -> Iterator[FaultyDisk]:
    """With a match of five lines on it; it has become read-only."""
    journal = Journal(tmp_path)
    journal.begin(NAME)
    for line in LINES[:5]:
        journal.append(line)
    write_checkpoint(journal, 5)
    journal.close()
    disk = FaultyDisk(tmp_path)
    disk.read_only = True
    with disk.installed():
        yield disk


@pytest.mark.rule("R67", "R84")
def test_a_match_on_a_card_that_has_become_read_only_goes_on(
    tmp_path: Path, card: FaultyDisk
) -> None:
    """R67: the watchdog has started the program again; it is saved when the card can be written."""
    journal = Journal(tmp_path)
    found = journal.reopen()
    assert found is not None
    assert found.lines == tuple(RAW[:5])
    assert (found.checkpoint and found.checkpoint.seq) == 5
    for line in LINES[5:8]:
        journal.append(line)
    write_checkpoint(journal, 8)
    assert journal.drain() == [
        Fault("log", f"{READ_ONLY}: log lines are not saved"),
        Fault("log", f"{READ_ONLY}: checkpoints are not saved"),
    ]
    with pytest.raises(JournalError, match=READ_ONLY):
        journal.require_room()
    card.read_only = False
    journal.append(LINES[8])
    write_checkpoint(journal, 9)
    assert journal.drain() == [Fault("log", None)]
    journal.require_room()
    journal.close()
    journal = Journal(card.power_cut(tmp_path / "cut"))
    found = journal.reopen()
    journal.close()
    assert found is not None
    assert (found.lines, found.checkpoint and found.checkpoint.seq) == (tuple(RAW[:9]), 9)


@pytest.mark.usefixtures("card")
def test_two_clocks_on_a_card_that_is_read_only(tmp_path: Path) -> None:
    """It may become writable under both."""
    slots = CheckpointFile(tmp_path)
    with pytest.raises(JournalError, match="another clock writes its logs there"):
        CheckpointFile(tmp_path)
    slots.close()
    CheckpointFile(tmp_path).close()


def test_a_card_that_is_read_only_and_was_never_written_to(
    tmp_path: Path, card: FaultyDisk
) -> None:
    """There is no match to go on with."""
    card.read_only = False
    (tmp_path / CHECKPOINT).unlink()
    card.read_only = True
    with pytest.raises(JournalError, match=f"{READ_ONLY}.; set .log. directory"):
        CheckpointFile(tmp_path)
    card.read_only = False
    CheckpointFile(tmp_path).close()


@pytest.mark.usefixtures("card")
def test_no_file_is_left_open(tmp_path: Path) -> None:
    """Whether the card can be written or not."""
    before = len(list(Path("/proc/self/fd").iterdir()))
    slots = CheckpointFile(tmp_path)
    with pytest.raises(JournalError):
        slots.require_writable()
    slots.close()
    assert len(list(Path("/proc/self/fd").iterdir())) == before
