"""A log or directory that is deleted or replaced under the clock; file systems without links."""

import errno
import os
import shutil
from pathlib import Path

import msgspec
import pytest

from clock.storage.checkpoint import (
    CHECKPOINT,
    FORMER_OFFSET,
    SLOT_DISTANCE,
    SLOT_SIZE,
    CheckpointFile,
    encode_slot,
    read_checkpoint,
)
from clock.storage.journal import Journal, JournalError
from clock.storage.log_reader import CURRENT, log_path, open_log, read_lines
from hardware.diagnostics import check_log
from hardware.diagnostics.finding import Verdict
from tests.storage.test_checkpoint import checkpoint
from tests.storage.test_journal import (
    LINES,
    RAW,
    found_lines,
    wait_for_writer,
    write_checkpoint,
    written,
)


def whats(journal: Journal) -> list[str | None]:
    """What the loop is told of the log."""
    return [fault.what for fault in journal.drain() if fault.part == "log"]


def begun(logs: Path) -> Journal:
    """A match of five lines and a checkpoint, and the clock goes on."""
    journal = Journal(logs)
    journal.begin("match")
    for line in LINES[:5]:
        journal.append(line)
    write_checkpoint(journal, 5)
    assert whats(journal) == []
    return journal


@pytest.mark.rule("R84")
@pytest.mark.parametrize("how", ["deleted", "renamed", "replaced"])
def test_a_log_that_is_deleted_or_replaced_is_written_again(tmp_path: Path, how: str) -> None:
    """R84: told, and nothing is lost: also not what somebody has put in its place."""
    journal, path = begun(tmp_path), tmp_path / "match.jsonl"
    if how == "renamed":
        path.rename(tmp_path / "elsewhere")
    else:
        path.unlink()
    if how == "replaced":
        path.write_bytes(b"".join(LINES[:2]))
    for line in LINES[5:8]:
        journal.append(line)
    journal.close()
    told = "match.jsonl was deleted or replaced: log lines are not saved"
    assert whats(journal) == [told, None]
    assert path.read_bytes() == b"".join(LINES[:8])
    assert found_lines(tmp_path) == tuple(RAW[:8])
    if how == "replaced":
        assert (tmp_path / "match.failed").read_bytes() == b"".join(LINES[:2])


@pytest.mark.rule("R84")
@pytest.mark.parametrize("how", ["deleted", "renamed", "replaced"])
@pytest.mark.parametrize("first", ["line", "checkpoint"])
def test_a_directory_that_is_deleted_or_replaced_is_written_again(
    tmp_path: Path, how: str, first: str
) -> None:
    """R84: log, link, checkpoint and lock are in the directory that has the name now."""
    logs = tmp_path / "logs"
    journal = begun(logs)
    if how == "renamed":
        logs.rename(tmp_path / "elsewhere")
    else:
        shutil.rmtree(logs)
    if how == "replaced":
        logs.mkdir()
    if first == "line":
        journal.append(LINES[5])
        wait_for_writer(journal)
        assert (logs / "match.jsonl").read_bytes() == b"".join(LINES[:6])
    for _ in range(2):
        write_checkpoint(journal, 6)
    wait_for_writer(journal)
    count = 6 if first == "line" else 5
    assert (logs / CURRENT).read_bytes() == b"".join(LINES[:count])
    latest = read_checkpoint(logs / CHECKPOINT)
    assert latest is not None
    assert latest.seq == 6
    with pytest.raises(JournalError, match="another clock writes its logs there"):
        CheckpointFile(logs)
    journal.close()
    told = whats(journal)
    assert "deleted or replaced" in str(told[0])
    assert told[-1] is None
    assert found_lines(logs) == tuple(RAW[:count])


@pytest.mark.rule("R84")
def test_a_directory_that_another_clock_has_made_its_own_is_left_to_it(tmp_path: Path) -> None:
    """R84: the lines wait in memory, and that is told."""
    logs = tmp_path / "logs"
    journal = begun(logs)
    logs.rename(tmp_path / "elsewhere")
    other = Journal(logs)
    journal.append(LINES[5])
    wait_for_writer(journal)
    told = whats(journal)
    assert "deleted or replaced" in str(told[0])
    assert None not in told
    assert not (logs / "match.jsonl").exists()
    other.close()
    journal.append(LINES[6])
    journal.close()
    assert (logs / "match.jsonl").read_bytes() == b"".join(LINES[:7])


def test_a_second_clock_is_refused_though_the_checkpoint_was_deleted(tmp_path: Path) -> None:
    """The lock is on the directory, not on a file in it."""
    journal = begun(tmp_path)
    (tmp_path / CHECKPOINT).unlink()
    with pytest.raises(JournalError, match="another clock writes its logs there; stop it"):
        Journal(tmp_path)
    write_checkpoint(journal, 6)
    write_checkpoint(journal, 7)
    journal.close()
    assert whats(journal)[-1] is None
    latest = read_checkpoint(tmp_path / CHECKPOINT)
    assert latest is not None
    assert latest.seq == 7


# --- the former place of the second slot ------------------------------------------------------


@pytest.mark.parametrize("newest", [4, 5])
def test_a_file_with_both_slots_in_one_erase_block_is_read(tmp_path: Path, newest: int) -> None:
    """As clocks wrote it before; the slot at the former place does not come back later."""
    path = tmp_path / CHECKPOINT
    data = bytearray(2 * SLOT_SIZE)
    for generation in (newest - 1, newest):
        _, slot = encode_slot(generation, checkpoint(generation))
        at = generation % 2 * FORMER_OFFSET
        data[at : at + len(slot)] = slot
    path.write_bytes(data)
    assert read_checkpoint(path) == checkpoint(newest)
    file = CheckpointFile(tmp_path)
    assert file.read() == checkpoint(newest)
    for seq in (newest + 1, newest + 2):
        file.write(checkpoint(seq))
        assert read_checkpoint(path) == checkpoint(seq)
    file.close()
    with path.open("r+b") as slots:
        for at in (0, SLOT_DISTANCE):
            slots.seek(at)
            slots.write(bytes(SLOT_SIZE))
    assert read_checkpoint(path) is None


# --- no symbolic links ------------------------------------------------------------------------


@pytest.fixture(params=[errno.EPERM, errno.EOPNOTSUPP])
def no_links(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system such as FAT."""

    def refuse(*_: object, **__: object) -> None:
        raise OSError(request.param, os.strerror(request.param))

    monkeypatch.setattr(os, "symlink", refuse)
    monkeypatch.setattr(os, "link", refuse)


@pytest.mark.usefixtures("no_links")
def test_without_symbolic_links_a_plain_file_names_the_log(tmp_path: Path) -> None:
    """It is one line of JSON; whoever reads the link reads that log."""
    path = written(tmp_path, LINES[:5])
    pointer = tmp_path / CURRENT
    assert msgspec.json.decode(pointer.read_bytes()) == {"log": path.name}
    assert log_path(pointer) == path
    assert read_lines(pointer) == RAW[:5]
    with open_log(pointer) as log:
        assert log.read() == b"".join(LINES[:5])
    assert found_lines(tmp_path) == tuple(RAW[:5])
    assert written(tmp_path, LINES[:2], "next").name == "next.jsonl"
    assert log_path(pointer).name == "next.jsonl"
    assert not list(tmp_path.glob("current-*"))


@pytest.mark.usefixtures("no_links")
def test_a_copy_in_the_place_of_the_link_is_kept_without_links_too(tmp_path: Path) -> None:
    """It gets a name of its own before the next match takes its place."""
    (tmp_path / CURRENT).write_bytes(b"".join(LINES[:3]))
    written(tmp_path, LINES[:2], "next")
    assert (tmp_path / "current-1.jsonl").read_bytes() == b"".join(LINES[:3])
    assert log_path(tmp_path / CURRENT).name == "next.jsonl"


@pytest.mark.parametrize("text", [b"", b"{}", b'{"log":"a/b"}', b'{"log":7}', b"\xff", b"[" * 400])
def test_a_file_that_names_no_log_leads_to_itself(tmp_path: Path, text: bytes) -> None:
    """Whatever it says."""
    path = tmp_path / CURRENT
    path.write_bytes(text)
    assert log_path(path) == path


@pytest.mark.usefixtures("no_links")
def test_the_doctor_says_that_there_are_no_links(tmp_path: Path) -> None:
    """A note: the clock works without."""
    finding = check_log.links(tmp_path)
    assert finding is not None
    assert finding.verdict is Verdict.NOTE
    assert "current.jsonl will name the log instead" in finding.found
    assert list(tmp_path.iterdir()) == []


def test_the_doctor_says_nothing_of_links_that_work(tmp_path: Path) -> None:
    """Nor does it leave one behind."""
    assert check_log.links(tmp_path) is None
    assert list(tmp_path.iterdir()) == []
