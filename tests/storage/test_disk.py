"""The disk of this computer."""

import ctypes
import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from clock.files import NotOursError
from clock.storage.disk import DISK, Disk
from lab.support.journals import LINES, written
from lab.support.paths import IN_MEMORY


@pytest.fixture(params=["in memory", "on the disk"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """A folder in memory, where Linux can reserve space, or one where it perhaps cannot."""
    if request.param == "on the disk" or IN_MEMORY is None:
        yield tmp_path
    else:
        with TemporaryDirectory(dir=IN_MEMORY) as made:
            yield Path(made)


def test_reserving_does_not_change_what_is_read(folder: Path) -> None:
    """Where the file system can: blocks are had, the size is true, and leaving gives them back."""
    path = folder / "log"
    file = DISK.create(path)
    DISK.append(file, b"text")
    had = DISK.reserve(file, 1 << 20)
    assert had or IN_MEMORY is None or IN_MEMORY not in folder.parents
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
    monkeypatch.setattr(ctypes, "CDLL", lambda name: object())
    assert not DISK.reserve(-1, 1)
    assert written(tmp_path, LINES).read_bytes() == b"".join(LINES)


def test_what_returns_was_synced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the system itself: the file, or its bytes alone, or the names in a directory."""
    synced: list[str] = []
    monkeypatch.setattr(os, "fsync", lambda file: synced.append("file"))
    monkeypatch.setattr(os, "fdatasync", lambda file: synced.append("bytes"))
    path = tmp_path / "log"
    file = DISK.create(path)
    assert synced == ["file"]
    DISK.append(file, b"text")
    DISK.overwrite(file, b"T", 0)
    assert synced == ["file", "bytes", "bytes"]
    DISK.let_go(file)
    DISK.cut(path, 2)
    DISK.sync_directory(tmp_path)
    assert synced == ["file", "bytes", "bytes", "file", "file"]


def test_a_file_is_read_from_the_disk_and_not_from_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of it: what a failed sync has left in the cache is not on the disk."""
    dropped: list[tuple[int, ...]] = []
    monkeypatch.setattr(os, "posix_fadvise", lambda file, *rest: dropped.append(rest))
    (tmp_path / "log").write_bytes(b"x")
    assert DISK.read_file(tmp_path / "log", 9) == b"x"
    assert dropped == [(0, 0, os.POSIX_FADV_DONTNEED)]


def test_no_file_stays_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor one that could not be made safe, which is an error."""

    def broken(_: int) -> None:
        raise OSError("broken")

    monkeypatch.setattr(os, "fsync", broken)
    (tmp_path / "log").write_bytes(b"text")
    before = len([*Path("/proc/self/fd").iterdir()])
    assert DISK.read_file(tmp_path / "log", 9) == b"text"
    assert DISK.read_partial(tmp_path / "log", 9) == (b"text", True)
    with pytest.raises(OSError, match="broken"):
        DISK.create(tmp_path / "new")

    class Swapped(Disk):
        """A disk on which somebody puts a pipe in the place of a file that was looked at."""

        def open(self, path: Path, flags: int, mode: int = 0o644) -> int:
            path.unlink()
            os.mkfifo(path)
            return super().open(path, flags, mode)

    with pytest.raises(NotOursError, match="log is a pipe or a device"):
        Swapped().open_for_writing(tmp_path / "log", os.O_RDWR)
    assert len([*Path("/proc/self/fd").iterdir()]) == before


def test_a_file_that_grows_is_read_as_far_as_it_went(tmp_path: Path) -> None:
    class Growing(Disk):
        """A disk on which the file had five bytes when it was opened."""

        def open_for_reading(self, path: Path, max_bytes: int) -> tuple[int, int]:
            file, _ = super().open_for_reading(path, max_bytes)
            return file, 5

        def read(self, file: int, size: int) -> bytes:
            return super().read(file, min(size, 2))

    (tmp_path / "log").write_bytes(b"text, and more")
    assert Growing().read_file(tmp_path / "log", 99) == b"text,"


def test_a_folder_may_be_written_to_by_who_may_enter_it_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: mode == os.W_OK | os.X_OK)
    assert DISK.may_write(tmp_path)
