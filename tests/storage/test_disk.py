"""The disk of this computer."""

import ctypes
from pathlib import Path

import pytest

from clock.storage.disk import DISK, Disk
from tests.support.journals import LINES, written


def test_reserving_does_not_change_what_is_read(tmp_path: Path) -> None:
    """Where the file system can: blocks are had, the size is true, and leaving gives them back."""
    path = tmp_path / "log"
    file = DISK.create(path)
    DISK.append(file, b"text")
    had = DISK.reserve(file, 1 << 20)
    assert path.read_bytes() == b"text"
    assert (path.stat().st_blocks * 512 >= 1 << 20) == had
    DISK.trim_and_close(file)
    assert path.stat().st_blocks * 512 <= 1 << 16
    assert path.read_bytes() == b"text"


def test_a_deleted_file_is_read_as_far_as_it_was_saved(tmp_path: Path) -> None:
    """However few bytes each call gives; what follows is not on the disk."""

    class Slow(Disk):
        """A disk that gives three bytes at a time."""

        def read_at(self, file: int, size: int, at: int) -> bytes:
            return super().read_at(file, min(size, 3), at)

    disk = Slow()
    file = disk.create(tmp_path / "log")
    disk.append(file, b"saved bytes, others")
    (tmp_path / "log").unlink()
    assert disk.read_deleted(file, 11) == b"saved bytes"
    disk.close(file)


def test_without_a_way_to_reserve_space_it_does_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """FAT and some others cannot, and some systems have no such call."""
    monkeypatch.setattr(ctypes, "CDLL", lambda name: object())
    assert not DISK.reserve(-1, 1)
    assert written(tmp_path, LINES).read_bytes() == b"".join(LINES)
