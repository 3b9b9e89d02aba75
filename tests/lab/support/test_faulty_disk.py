"""What the model of a disk keeps over a power cut; tests of the journal and whole rooms use it."""

import errno
import os
from pathlib import Path

import pytest

from lab.support.faulty_disk import FaultyDisk

SLOT = 4096


@pytest.fixture
def log(tmp_path: Path) -> tuple[FaultyDisk, int]:
    """A disk with a file that holds "one", and the file open."""
    folder = tmp_path / "card"
    folder.mkdir()
    disk = FaultyDisk(folder)
    file = disk.open(folder / "log", os.O_CREAT | os.O_RDWR)
    disk.write(file, b"one")
    disk.sync(file)
    disk.sync(disk.open(folder, os.O_RDONLY))
    return disk, file


def kept(disk: FaultyDisk, tmp_path: Path) -> bytes:
    return (disk.power_cut(tmp_path / "cut") / "log").read_bytes()


def test_a_sync_that_fails_loses_what_it_should_have_written(
    log: tuple[FaultyDisk, int], tmp_path: Path
) -> None:
    """The next sync succeeds without it; reading gives it until the cache is dropped."""
    disk, file = log
    disk.write(file, b"two")
    disk.failing["sync_data"] = [errno.EIO]
    with pytest.raises(OSError, match=os.strerror(errno.EIO)):
        disk.sync_data(file)
    disk.sync_data(file)
    assert (tmp_path / "card" / "log").read_bytes() == b"onetwo"
    disk.drop_cache(file)
    assert (tmp_path / "card" / "log").read_bytes() == b"one"
    assert kept(disk, tmp_path) == b"one"


def test_a_block_takes_the_place_of_what_stands_there(
    log: tuple[FaultyDisk, int], tmp_path: Path
) -> None:
    """Of a longer one the rest stays; what is not synced is not there."""
    disk, file = log
    for block in (b"long block", b"short"):
        disk.write_at(file, block, SLOT)
        disk.sync_data(file)
    disk.write_at(file, b"later", 2 * SLOT)
    assert kept(disk, tmp_path) == b"one".ljust(SLOT, b"\0") + b"shortblock"


def test_a_name_is_there_when_its_directory_is_synced(
    log: tuple[FaultyDisk, int], tmp_path: Path
) -> None:
    disk, file = log
    disk.rename(tmp_path / "card" / "log", tmp_path / "card" / "new")
    disk.write(file, b"two")
    disk.sync_data(file)
    assert kept(disk, tmp_path) == b"onetwo"
