"""The files of a match's log: what a failed one leaves, and where the lines go then."""

import errno
import shutil
from pathlib import Path

import msgspec
import pytest

from clock.storage.checkpoint import CHECKPOINT, CheckpointFile, read_checkpoint
from clock.storage.journal import JournalError
from clock.storage.log_files import MatchLog
from clock.storage.log_reader import CURRENT, log_path, open_log, read_lines
from lab.support.faulty_disk import FaultyDisk
from lab.support.journals import LINES, RAW, WatchedJournal, found, found_lines, opened, written


@pytest.fixture
def disk(tmp_path: Path) -> FaultyDisk:
    return FaultyDisk(tmp_path)


def reopened(directory: Path, disk: FaultyDisk) -> WatchedJournal:
    """A journal that goes on with the last match."""
    journal = opened(directory, disk)
    assert journal.reopen() is not None
    journal.wait()
    return journal


def failing_sync(disk: FaultyDisk, journal: WatchedJournal, *lines: bytes) -> None:
    """Lines each of which is saved in the second attempt only."""
    for line in lines:
        disk.failing["sync_data"] = [errno.EIO]
        journal.add(line)


@pytest.mark.rule("R84")
def test_the_first_file_that_failed_is_kept_as_evidence(tmp_path: Path, disk: FaultyDisk) -> None:
    """R84: only the first: a disk that fails again and again is not filled by it."""
    journal = opened(tmp_path, disk)
    journal.begin("match")
    failing_sync(disk, journal, *LINES[:6])
    journal.close()
    assert (tmp_path / "match.failed").read_bytes() == LINES[0]
    assert (tmp_path / "match.jsonl").read_bytes() == b"".join(LINES[:6])
    assert len(list(tmp_path.glob("[!.]*"))) == 4


@pytest.mark.rule("R84")
@pytest.mark.parametrize("spoilt", ["gone", "other", "shorter"])
def test_a_file_that_cannot_be_read_back_is_left_and_a_segment_goes_on(
    tmp_path: Path, disk: FaultyDisk, spoilt: str
) -> None:
    """R84: what reading gives is not what was written: not copied; all that is there joins."""
    path = written(tmp_path, LINES[:3])
    journal = reopened(tmp_path, disk)
    whole, damaged = path.read_bytes(), bytearray(path.read_bytes())
    damaged[50] ^= 1
    path.unlink()
    if spoilt != "gone":
        path.write_bytes(damaged if spoilt == "other" else whole[:-1])
    failing_sync(disk, journal, *LINES[3:6])
    journal.close()
    segment = tmp_path / "match.2.jsonl"
    assert segment.read_bytes() == b"".join(LINES[3:6])
    assert (tmp_path / CURRENT).readlink() == Path(segment.name)
    path.write_bytes(whole)  # it could be read after all
    assert found_lines(tmp_path) == tuple(RAW[:6])
    journal = reopened(tmp_path, disk)
    failing_sync(disk, journal, LINES[6])
    journal.close()
    assert segment.read_bytes() == b"".join(LINES[3:7])
    assert found_lines(tmp_path) == tuple(RAW[:7])


@pytest.mark.rule("R84")
def test_segments_do_not_multiply_while_the_directory_cannot_be_synced(
    tmp_path: Path, disk: FaultyDisk
) -> None:
    """R84: each attempt takes the place of the one before."""
    path = written(tmp_path, LINES[:3])
    journal = reopened(tmp_path, disk)
    path.write_bytes(b"spoilt")
    disk.failing["write"] = [errno.EIO]
    for line in LINES[3:7]:
        disk.failing["sync"] = [None, errno.EIO]  # the new file, then the directory
        journal.add(line)
        path.write_bytes(b"".join(LINES[:3]))  # it can be read after all
    journal.add(LINES[7])
    journal.close()
    assert [each.name for each in tmp_path.glob("match.*.jsonl")] == ["match.2.jsonl"]
    assert (tmp_path / "match.2.jsonl").read_bytes() == b"".join(LINES[3:8])
    assert found_lines(tmp_path) == tuple(RAW[:8])


# --- a log or directory that is deleted or replaced under the clock ---------------------------


def begun(logs: Path) -> WatchedJournal:
    """A match of five lines and a checkpoint, and the clock goes on."""
    journal = opened(logs)
    journal.begin("match")
    journal.add(*LINES[:5])
    journal.write_checkpoint(5)
    assert journal.told() == []
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
    journal.add(*LINES[5:8])
    journal.close()
    told = "match.jsonl was deleted or replaced: log lines are not saved"
    assert journal.told() == [told, None]
    assert path.read_bytes() == b"".join(LINES[:8])
    assert found_lines(tmp_path) == tuple(RAW[:8])
    if how == "replaced":
        assert (tmp_path / "match.failed").read_bytes() == b"".join(LINES[:2])


@pytest.mark.rule("R84")
@pytest.mark.parametrize("how", ["deleted", "renamed", "replaced"])
@pytest.mark.parametrize("count", [5, 6])
def test_a_directory_that_is_deleted_or_replaced_is_written_again(
    tmp_path: Path, how: str, count: int
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
    journal.add(*LINES[5:count])  # else a checkpoint finds it out
    for _ in range(2):
        journal.write_checkpoint(6)
    journal.wait()
    assert (logs / CURRENT).read_bytes() == b"".join(LINES[:count])
    with pytest.raises(JournalError, match="another clock writes its logs there"):
        CheckpointFile(logs)
    journal.close()
    told = journal.told()
    assert "deleted or replaced" in str(told[0])
    assert told[-1] is None
    lines, checkpoint = found(logs)
    assert lines == tuple(RAW[:count])
    assert checkpoint is not None
    assert checkpoint.seq == 6


@pytest.mark.rule("R84")
def test_a_directory_that_another_clock_has_made_its_own_is_left_to_it(tmp_path: Path) -> None:
    """R84: the lines wait in memory, and that is told."""
    logs = tmp_path / "logs"
    journal = begun(logs)
    logs.rename(tmp_path / "elsewhere")
    other = opened(logs)
    journal.add(LINES[5])
    told = journal.told()
    assert "deleted or replaced" in str(told[0])
    assert None not in told
    assert not (logs / "match.jsonl").exists()
    other.close()
    journal.add(LINES[6])
    journal.close()
    assert (logs / "match.jsonl").read_bytes() == b"".join(LINES[:7])


def test_a_second_clock_is_refused_though_the_checkpoint_was_deleted(tmp_path: Path) -> None:
    journal = begun(tmp_path)
    (tmp_path / CHECKPOINT).unlink()
    with pytest.raises(JournalError, match="another clock writes its logs there; stop it"):
        opened(tmp_path)
    journal.write_checkpoint(6)
    journal.write_checkpoint(7)
    journal.close()
    assert journal.told()[-1] is None
    latest = read_checkpoint(tmp_path / CHECKPOINT)
    assert latest is not None
    assert latest.seq == 7


# --- no symbolic links ------------------------------------------------------------------------


@pytest.fixture(params=[errno.EPERM, errno.EOPNOTSUPP])
def no_links(request: pytest.FixtureRequest, disk: FaultyDisk) -> FaultyDisk:
    """A file system such as FAT."""
    for name in ("symlink", "link"):
        disk.failing[name] = [request.param] * 99
    return disk


def test_without_symbolic_links_a_plain_file_names_the_log(
    tmp_path: Path, no_links: FaultyDisk
) -> None:
    """It is one line of JSON; whoever reads the link reads that log."""
    open_files = len([*Path("/proc/self/fd").iterdir()])
    path = written(tmp_path, LINES[:5], disk=no_links)
    assert len([*Path("/proc/self/fd").iterdir()]) == open_files
    pointer = tmp_path / CURRENT
    assert msgspec.json.decode(pointer.read_bytes()) == {"log": path.name}
    assert log_path(pointer) == path
    assert read_lines(pointer) == RAW[:5]
    with open_log(pointer) as log:
        assert log.read() == b"".join(LINES[:5])
    assert found_lines(tmp_path) == tuple(RAW[:5])
    assert written(tmp_path, LINES[:2], "next", no_links).name == "next.jsonl"
    assert log_path(pointer).name == "next.jsonl"
    assert not list(tmp_path.glob("current-*"))


@pytest.mark.rule("R84")
@pytest.mark.parametrize("links", [True, False])
def test_a_copy_in_the_place_of_the_link_goes_on_and_is_kept(tmp_path: Path, links: bool) -> None:
    """R84: the directory was copied by way of a stick; the next match takes the name."""
    (tmp_path / CURRENT).write_bytes(b"".join(LINES[:4]))
    for number in (1, 2):
        (tmp_path / f"current-{number}.jsonl").write_bytes(b"another")
    disk = FaultyDisk(tmp_path)
    journal = reopened(tmp_path, disk)
    failing_sync(disk, journal, LINES[4])
    assert not (tmp_path / CURRENT).is_symlink()
    assert (tmp_path / CURRENT).read_bytes() == b"".join(LINES[:5])
    disk.failing["link"] = disk.failing["symlink"] = [] if links else [errno.EPERM] * 9
    journal.begin("next")
    journal.add(LINES[0])
    journal.close()
    assert log_path(tmp_path / CURRENT) == tmp_path / "next.jsonl"
    assert (tmp_path / CURRENT).is_symlink() == links
    assert (tmp_path / "current-3.jsonl").read_bytes() == b"".join(LINES[:5])


# --- what an earlier attempt has left ---------------------------------------------------------


@pytest.mark.rule("R84")
def test_what_an_earlier_attempt_has_left_is_in_nobodys_way(
    tmp_path: Path, disk: FaultyDisk
) -> None:
    """R84: the power went while a file or the link was being replaced."""
    (tmp_path / f".{CURRENT}.new").write_bytes(b"left")
    journal = opened(tmp_path, disk)
    journal.begin("match")
    (tmp_path / "match.new").write_bytes(b"left")
    journal.add(LINES[0])
    open_files = len([*Path("/proc/self/fd").iterdir()])
    disk.failing["sync_data"], disk.failing["rename"] = [errno.EIO], [errno.EIO]
    journal.add(LINES[1])  # the file fails, and then the one in its place
    journal.add(LINES[2])
    assert journal.told()[-1] is None
    assert len([*Path("/proc/self/fd").iterdir()]) == open_files
    journal.close()
    assert (tmp_path / CURRENT).readlink() == Path("match.jsonl")
    assert found_lines(tmp_path) == tuple(RAW[:3])
    assert not list(tmp_path.glob("*.new"))


@pytest.mark.rule("R84")
@pytest.mark.parametrize("call", ["symlink", "link"])
def test_a_link_that_cannot_be_made_is_told(tmp_path: Path, disk: FaultyDisk, call: str) -> None:
    """R84: a disk that fails is no file system without links: the next attempt may work."""
    (tmp_path / CURRENT).write_bytes(b"".join(LINES[:2]))
    journal = opened(tmp_path, disk)
    disk.failing[call] = [errno.EIO]
    journal.begin("match")
    journal.add(LINES[0])
    journal.add(LINES[1])
    told = journal.told()
    assert (told[0] is not None, told[-1]) == (True, None)
    journal.close()
    assert (tmp_path / CURRENT).is_symlink()
    assert (tmp_path / "match.jsonl").read_bytes() == b"".join(LINES[:2])


@pytest.mark.rule("R84")
def test_a_file_to_which_no_link_leads_is_not_written_to(tmp_path: Path, disk: FaultyDisk) -> None:
    """R84: nobody would find its lines; the next attempt makes it anew, with its link."""
    log = MatchLog(tmp_path, "match", disk)
    log.create()
    log.add(LINES[0])
    disk.failing["symlink"] = [errno.EIO]
    with pytest.raises(OSError, match="error"):
        log.flush()
    assert not log.is_open
