"""A disk that fails when it is told to, and forgets at a power cut what was not synced.

The system's calls on one directory go through it to the real files, as the page cache would show
them. Beside them it keeps what is on the disk: what was written counts from the sync of its file
on, a name from the sync of the directory on. A sync that fails loses what it should have written:
the kernel takes those pages for clean, and the next sync succeeds without them; who reads them gets
what was written, until they are dropped (posix_fadvise).
"""

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

CHUNK = 1 << 16
SHORT = -1  # in the place of an error's number: half of the data is written
EVER = 10**6
MUTATE = ("open", "write", "pwrite", "fdatasync", "fsync", "ftruncate", "posix_fallocate")
SYNCS = ("fsync", "fdatasync")  # the real ones would take their time for nothing
NAMES = ("rename", "link", "symlink", "unlink", "mkdir")
CALLS = (*MUTATE, *NAMES, "read", "pread", "close", "statvfs", "posix_fadvise")


class Plan(NamedTuple):
    """Which calls fail, and how."""

    number: int  # of the error, or SHORT
    first: int  # of the calls that can fail so
    times: int = 1  # in a row

    def __str__(self) -> str:
        kind = "SHORT" if self.number == SHORT else errno.errorcode[self.number]
        return f"{kind}-{self.first}-{self.times}"


NEVER = Plan(errno.EIO, EVER)


class File:
    """A file: what is on the disk, and what was written since it was synced."""

    def __init__(self, disk: bytes = b"") -> None:
        self.disk = disk
        self.dirty: list[Callable[[bytes], bytes]] = []
        self.lost = False  # some of that, though reading gives it

    def sync(self, *, fails: bool) -> None:
        """What was written is on the disk, or lost."""
        self.lost |= fails and bool(self.dirty)
        for change in () if fails else self.dirty:
            self.disk = change(self.disk)
        self.dirty.clear()


class FaultyDisk:
    """The disk under one directory."""

    def __init__(self, directory: Path, plan: Plan = NEVER) -> None:
        """What is in the directory now is on the disk."""
        self.plan = plan
        self.calls: list[str] = []  # all
        self.images: list[dict[str, bytes | Path]] = []  # what a power cut after each would leave
        self.fired = 0
        self.read_only = False  # what changes it fails
        self._directory = directory
        self._eligible = 0
        self._names: dict[str, File | Path] = {
            path.name: path.readlink() if path.is_symlink() else File(path.read_bytes())
            for path in (directory.iterdir() if directory.exists() else ())
        }
        self._durable = dict(self._names)
        self._open: dict[int, File | None] = {}  # None: the directory

    @contextmanager
    def installed(self) -> Iterator[None]:
        """The system's calls go through it."""
        with pytest.MonkeyPatch.context() as patch:
            for name in CALLS:
                patch.setattr(os, name, self._through(name, getattr(os, name)))
            yield

    def power_cut(self, directory: Path, image: dict[str, bytes | Path] | None = None) -> Path:
        """Make a directory with what is left, now or at an earlier moment."""
        directory.mkdir()
        for name, what in (self.image() if image is None else image).items():
            if isinstance(what, Path):
                (directory / name).symlink_to(what)
            else:
                _write_sparse(directory / name, what)
        return directory

    def image(self) -> dict[str, bytes | Path]:
        """What is on the disk."""
        return {
            name: what if isinstance(what, Path) else what.disk
            for name, what in self._durable.items()
        }

    # --- calls --------------------------------------------------------------------------------

    def _through(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            if not self._is_ours(name, *args):
                return real(*args, **kwargs)
            self.calls.append(name)
            try:
                if self.read_only and _changes(name, *args):
                    raise OSError(errno.EROFS, os.strerror(errno.EROFS))
                if self._fails(name):
                    return self._fail(name, real, *args)
                before = self._before(name, *args)
                result = None if name in SYNCS else real(*args, **kwargs)
                self._after(name, result, before, *args)
                return result
            finally:
                self.images.append(self.image())

        return call

    def _is_ours(self, name: str, first: Any, *_: Any) -> bool:
        if isinstance(first, int):
            return first in self._open
        path = Path(_[0]) if name in {"symlink", "link"} else Path(first)
        return self._directory in {path, path.parent}

    def _fails(self, name: str) -> bool:
        if self.plan.number == SHORT and name not in {"write", "pwrite"}:
            return False
        self._eligible += 1
        fails = 0 <= self._eligible - 1 - self.plan.first < self.plan.times
        self.fired += fails
        return fails

    def _fail(self, name: str, real: Callable[..., Any], *args: Any) -> Any:
        if self.plan.number == SHORT:
            file, data, *at = args
            self._after(name, None, self._before(name, *args), file, data[: len(data) // 2], *at)
            return real(file, data[: len(data) // 2], *at)
        file = self._open.get(args[0]) if isinstance(args[0], int) else None
        if name in SYNCS and file is not None:
            file.sync(fails=True)
        if name == "close":  # it is closed all the same (close(2))
            self._open.pop(args[0])
            real(*args)
        raise OSError(self.plan.number, os.strerror(self.plan.number))

    def _before(self, name: str, first: Any, *_: Any) -> int:
        return os.fstat(first).st_size if name == "write" else 0

    def _after(self, name: str, result: Any, size: int, first: Any, *rest: Any) -> None:
        """The effect of a call that succeeded."""
        if name in NAMES:
            return self._renamed(name, first, *rest)
        if name == "open":
            is_directory = Path(first) == self._directory
            file = None if is_directory else self._names.setdefault(Path(first).name, File())
            if isinstance(file, Path):
                raise TypeError("the link is never opened")
            self._open[result] = file
            return None
        file = self._open.pop(first) if name == "close" else self._open.get(first)
        if name == "fsync" and file is None:
            self._durable = dict(self._names)
        elif name == "posix_fadvise" and file is not None:
            self._dropped(file)
        elif file is not None:
            self._written(file, name, size, *rest)
        return None

    def _dropped(self, file: File) -> None:
        """Who reads it now gets what is on the disk, if nothing waits to be written."""
        [name] = [name for name, what in self._names.items() if what is file]
        if file.lost and not file.dirty:
            (self._directory / name).write_bytes(file.disk)

    def _written(self, file: File, name: str, size: int, *rest: Any) -> None:
        match name:
            case "write":
                file.dirty.append(lambda disk: _patched(disk, rest[0], size))
            case "pwrite":
                file.dirty.append(lambda disk: _patched(disk, rest[0], rest[1]))
            case "ftruncate":
                file.dirty.append(lambda disk: disk[: rest[0]].ljust(rest[0], b"\0"))
            case "posix_fallocate":
                file.dirty.append(lambda disk: disk.ljust(rest[0] + rest[1], b"\0"))
            case "fsync" | "fdatasync":
                file.sync(fails=False)
            case _:
                pass

    def _renamed(self, name: str, first: Any, *rest: Any) -> None:
        names = [Path(each).name for each in (first, *rest) if isinstance(each, str | Path)]
        match name:
            case "rename":
                self._names[names[1]] = self._names.pop(names[0])
            case "link":
                self._names[names[1]] = self._names[names[0]]
            case "symlink":
                self._names[names[1]] = Path(first)
            case "unlink":
                del self._names[names[0]]
            case _:
                pass


def _changes(name: str, *args: Any) -> bool:
    """Whether a disk that is read-only refuses a call; a directory that is there, it has."""
    if name == "open":
        return bool(args[1] & (os.O_WRONLY | os.O_RDWR))
    return name in {*MUTATE, *NAMES} - {*SYNCS, "mkdir"}


def _write_sparse(path: Path, data: bytes) -> None:
    """Write a file with holes for its zeros: the checkpoint's slots are far apart."""
    with path.open("wb") as file:
        for at in range(0, len(data), CHUNK):
            chunk = data[at : at + CHUNK]
            if chunk != bytes(len(chunk)):
                file.seek(at)
                file.write(chunk)
        file.truncate(len(data))


def _patched(disk: bytes, data: bytes, at: int) -> bytes:
    """What a write makes of a file; bytes before it that were never written are zeros."""
    return disk[:at].ljust(at, b"\0") + data + disk[at + len(data) :]
