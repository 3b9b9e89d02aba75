"""What may lie in a log directory when the clock starts, and what becomes of it."""

import errno
import os
from pathlib import Path

import pytest

from clock.storage import fsync
from clock.storage.journal import Journal, JournalError
from clock.storage.log_reader import CURRENT, read_lines, read_log, segments
from tests.storage.test_journal import LINES, NAME, RAW, found_lines, wait_for_writer, written
from tests.support.file_faults import EVER, FaultyDisk, Plan
from tests.support.paths import DATA


def relink(directory: Path, target: str) -> None:
    """Have the link lead elsewhere."""
    (directory / CURRENT).unlink()
    (directory / CURRENT).symlink_to(target)


@pytest.mark.parametrize("name", ["notes.txt", "notes", "notes.old.jsonl", "match.jsonl.bak"])
def test_a_link_to_a_file_of_another_name(tmp_path: Path, name: str) -> None:
    """Somebody has renamed the log and put the link right: it is the match, and goes on."""
    path = written(tmp_path, LINES[:3])
    path.rename(tmp_path / name)
    relink(tmp_path, name)
    journal = Journal(tmp_path)
    found = journal.reopen()
    journal.append(LINES[3])
    journal.close()
    assert found is not None
    assert found.lines == tuple(RAW[:3])
    assert found_lines(tmp_path) == tuple(RAW[:4])
    (tmp_path / name).write_text("no log at all")
    assert found_lines(tmp_path) is None


@pytest.mark.parametrize(("target", "why"), [("/dev/zero", "not a regular"), (".", "directory")])
def test_a_link_to_what_is_no_file(tmp_path: Path, target: str, why: str) -> None:
    """It is not read: that may never end."""
    written(tmp_path, LINES)
    relink(tmp_path, target)
    journal = Journal(tmp_path)
    with pytest.raises(JournalError, match=why):
        journal.reopen()
    journal.close()


def test_a_pipe_in_the_place_of_the_log(tmp_path: Path) -> None:
    """To open it would wait for ever."""
    path = written(tmp_path, LINES)
    path.unlink()
    os.mkfifo(path)
    journal = Journal(tmp_path)
    with pytest.raises(JournalError, match="not a regular file"):
        journal.reopen()
    journal.close()


@pytest.mark.rule("R84")
def test_a_copy_of_the_log_in_the_place_of_the_link_is_gone_on_with_and_kept(
    tmp_path: Path,
) -> None:
    """R84: the directory was copied by way of a stick, which knows no links."""
    path = written(tmp_path, LINES[:4])
    data = path.read_bytes()
    path.unlink()
    (tmp_path / CURRENT).unlink()
    (tmp_path / CURRENT).write_bytes(data)
    journal = Journal(tmp_path)
    found = journal.reopen()
    journal._logs[0].close()  # as if it had failed: the next line needs a new file
    journal.append(LINES[4])
    wait_for_writer(journal)
    assert found is not None
    assert found.lines == tuple(RAW[:4])
    assert found_copy(tmp_path / CURRENT) == tuple(RAW[:5])
    journal.begin("next")
    journal.append(LINES[0])
    journal.close()
    assert (tmp_path / CURRENT).readlink() == Path("next.jsonl")
    assert (tmp_path / "current-1.jsonl").read_bytes() == b"".join(LINES[:5])


def found_copy(path: Path) -> tuple[bytes, ...]:
    """The lines of a file that is no link."""
    assert not path.is_symlink()
    return tuple(path.read_bytes().splitlines())


def test_checkpoints_have_the_name_that_the_lines_have(tmp_path: Path) -> None:
    """Else they would not count when the log is called otherwise."""
    assert written(tmp_path, LINES).stem != NAME
    log = read_log(tmp_path / CURRENT)
    assert log is not None
    assert log.match == NAME


def test_segments_of_a_match_with_any_name(tmp_path: Path) -> None:
    """On a stick it may be called anything."""
    names = ["table [7].jsonl", "table [7].2.jsonl", "table [7].10.jsonl"]
    for name in [*names, "table 7.2.jsonl", "table [7].torn", "table [7].x.jsonl"]:
        (tmp_path / name).touch()
    assert [path.name for path in segments(tmp_path, "table [7]")] == names


# --- a card that does not give back what was written ------------------------------------------

BLOCK = fsync.BLOCK_SIZE


def bad_blocks(patch: pytest.MonkeyPatch, *blocks: int) -> None:
    """Some blocks of every file cannot be read."""
    pread = os.pread

    def read(file: int, size: int) -> bytes:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    def fails(file: int, size: int, at: int) -> bytes:
        return read(file, size) if at // BLOCK in blocks else pread(file, size, at)

    patch.setattr(os, "read", read)
    patch.setattr(os, "pread", fails)


@pytest.mark.rule("T12")
def test_blocks_that_cannot_be_read_are_damage_and_nothing_is_cut_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """T12: perhaps they can be read another time; what is before and after them counts."""
    path = written(tmp_path, LINES)
    data, last = path.read_bytes(), path.stat().st_size // BLOCK
    for bad in (1, last):
        with monkeypatch.context() as patch:
            bad_blocks(patch, bad)
            lines = found_lines(tmp_path)
        assert lines is not None
        gap = slice(bad * BLOCK, (bad + 1) * BLOCK)
        size = len(data[gap])
        assert b"\n".join(lines) == data[: gap.start] + bytes(size) + data[gap.stop :]
        assert path.read_bytes() == data
        assert not path.with_suffix(".torn").exists()
    assert found_lines(tmp_path) == tuple(RAW)


def test_a_log_of_which_no_block_can_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A person has to see to it."""
    path = written(tmp_path, LINES)
    bad_blocks(monkeypatch, *range(path.stat().st_size // BLOCK + 1))
    journal = Journal(tmp_path)
    with pytest.raises(JournalError, match="Input/output error"):
        journal.reopen()
    journal.close()


@pytest.mark.rule("R84", "T12")
def test_a_line_whose_sync_failed_is_not_believed_by_the_next_run(tmp_path: Path) -> None:
    """R84: reading gives it, and the disk has it not; the program ended before it could move."""
    logs = tmp_path / "logs"
    disk = FaultyDisk(logs)
    with disk.installed():
        journal = Journal(logs)
        journal.begin("match")
        for line in LINES[:4]:
            journal.append(line)
        wait_for_writer(journal)
        disk.plan = Plan(errno.EIO, disk._eligible + 1, EVER)  # the write succeeds
        journal.append(LINES[4])
        journal.close()
        disk.plan = Plan(errno.EIO, EVER)
        journal = Journal(logs)
        found = journal.reopen()
        assert found is not None
        for line in LINES[len(found.lines) : 8]:
            journal.append(line)
        journal.close()
        assert journal.drain() == []
    assert found_lines(disk.power_cut(tmp_path / "cut")) == tuple(RAW[:8])


def test_a_log_in_segments_is_looked_at_as_one(tmp_path: Path) -> None:
    """Whichever of its files is named; a torn last line is one of its lines."""
    data = (DATA / "ebf.jsonl").read_bytes().splitlines(keepends=True)
    paths = [tmp_path / "match.jsonl", tmp_path / "match.2.jsonl", tmp_path / "current.jsonl"]
    paths[0].write_bytes(b"".join(data[:20]))
    paths[1].write_bytes(b"".join(data[15:40]) + data[40][:10])
    paths[2].symlink_to(paths[1].name)
    lines = [line.rstrip(b"\n") for line in [*data[:40], data[40][:10]]]
    assert [read_lines(path) for path in paths] == [lines] * 3
    other = tmp_path / "anything.txt"
    other.write_bytes(b"".join(data))
    assert read_lines(other) == [line.rstrip(b"\n") for line in data]
