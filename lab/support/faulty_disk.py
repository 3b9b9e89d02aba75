"""A disk that fails, fills, hangs and lies as told, and forgets at a power cut what was not synced.

The calls on one directory go on to the real files, as the page cache would show them. Beside them
it keeps what is on the disk: what was written counts from the sync of its file on, a name from the
sync of the directory on. A sync that fails loses what it should have written: the kernel takes
those pages for clean, and the next sync succeeds without them; who reads them gets what was
written, until they are dropped from the cache.
"""

import errno
import os
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from threading import Semaphore
from typing import Any, NamedTuple

from clock.storage.disk import Disk, SystemCalls

CHUNK = 1 << 16
SHORT = -1  # in the place of an error's number: half of the data is written
EVER = 10**6
WAIT_S = 60  # s; a test that waits so long has failed
SYNCS = ("sync", "sync_data")  # the real ones would take their time for nothing
NAMES = ("rename", "link", "symlink", "unlink", "make_directory")
NEVER_RAISE = ("reserve", "may_write")
CHANGES = {"write", "write_at", "truncate", "allocate", *NAMES} - {"make_directory"}

Image = dict[str, bytes | Path]


class Plan(NamedTuple):
    """Which calls fail, and how."""

    number: int  # of the error, or SHORT
    first: int  # of the calls that can fail so
    times: int = 1  # in a row

    def __str__(self) -> str:
        kind = "SHORT" if self.number == SHORT else errno.errorcode[self.number]
        return f"{kind}-{self.first}-{self.times}"


NEVER = Plan(errno.EIO, EVER)


class Call(NamedTuple):
    """A call of the system."""

    name: str
    args: tuple[Any, ...]


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


class FaultyDisk(Disk):
    """The disk under one directory."""

    def __init__(self, directory: Path, plan: Plan = NEVER) -> None:
        """What is in the directory now is on the disk."""
        self.plan = plan
        self.failing: dict[str, list[int | None]] = defaultdict(list)  # the next calls by name
        self.calls: list[Call] = []
        self.images: list[Image] = []  # what a power cut after each would leave
        self.fired = 0
        self.read_only = False  # what changes it fails
        self.unreadable: set[tuple[str, int]] = set()  # a file's name, and an offset in it
        self.free: int | None = None  # bytes
        self.ns = 0  # now
        self.sync_ns = 0  # what a sync of a line or checkpoint takes
        self.hangs = False  # such a sync returns when it is let
        self.begun, self._let = Semaphore(0), Semaphore(0)
        self._directory = directory
        self._eligible = 0
        self._names: dict[str, File | Path] = {
            path.name: path.readlink() if path.is_symlink() else File(path.read_bytes())
            for path in (directory.iterdir() if directory.exists() else ())
            if path.is_symlink() or path.is_file()
        }
        self._durable = dict(self._names)
        self._open: dict[int, tuple[str, File | None]] = {}  # None: the directory
        for name in (each for each in vars(SystemCalls) if not each.startswith("_")):
            vars(self)[name] = self._through(name, getattr(self, name))

    def now_ns(self) -> int:
        """Now."""
        return self.ns

    def named(self, *names: str) -> list[str]:
        """The calls of these names, in their order."""
        return [call.name for call in self.calls if call.name in names]

    @property
    def left_open(self) -> list[str]:
        """The names of the files that are open."""
        return [name for name, _ in self._open.values()]

    def wait_for_sync(self) -> None:
        """Wait until a sync hangs."""
        assert self.begun.acquire(timeout=WAIT_S)

    def let_sync(self, *, after_ns: int = 0) -> None:
        """Let a sync that hangs return."""
        self.ns += after_ns
        self._let.release()

    def power_cut(self, directory: Path, image: Image | None = None) -> Path:
        """Make a directory with what is left, now or at an earlier moment."""
        directory.mkdir()
        for name, what in (self.image() if image is None else image).items():
            if isinstance(what, Path):
                (directory / name).symlink_to(what)
            else:
                _write_sparse(directory / name, what)
        return directory

    def image(self) -> Image:
        """What is on the disk."""
        return {
            name: what if isinstance(what, Path) else what.disk
            for name, what in self._durable.items()
        }

    # --- calls that a test changes ------------------------------------------------------------

    def read(self, file: int, size: int) -> bytes:
        """See `unreadable`."""
        self._require_readable(file, 0, 1 << 30)
        return super().read(file, size)

    def read_at(self, file: int, size: int, at: int) -> bytes:
        """See `unreadable`."""
        self._require_readable(file, at, size)
        return super().read_at(file, size, at)

    def free_bytes(self, directory: Path) -> int:
        """See `free`."""
        return super().free_bytes(directory) if self.free is None else self.free

    def sync_data(self, file: int) -> None:  # noqa: ARG002 (the real one takes its time)
        """See `sync_ns` and `hangs`."""
        self.ns += self.sync_ns
        if self.hangs:
            self.begun.release()
            assert self._let.acquire(timeout=WAIT_S)

    def sync(self, file: int) -> None:
        """It takes no time."""

    def _require_readable(self, file: int, at: int, size: int) -> None:
        name, _ = self._open.get(file, ("", None))
        if any(each == name and at <= bad < at + size for each, bad in self.unreadable):
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    # --- all calls ----------------------------------------------------------------------------

    def _through(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any) -> Any:
            if not self._is_ours(name, *args):
                return real(*args)
            self.calls.append(Call(name, args))
            try:
                if self.read_only and _changes(name, *args):
                    raise OSError(errno.EROFS, os.strerror(errno.EROFS))
                if number := self._error(name):
                    return self._fail(number, name, real, *args)
                before = self._before(name, *args)
                result = real(*args)
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

    def _error(self, name: str) -> int | None:
        """Return how a call fails; None: it does not."""
        if self.failing[name]:
            return self.failing[name].pop(0)
        if name in NEVER_RAISE or (self.plan.number == SHORT and name not in {"write", "write_at"}):
            return None
        self._eligible += 1
        fails = 0 <= self._eligible - 1 - self.plan.first < self.plan.times
        self.fired += fails
        return self.plan.number if fails else None

    def _fail(self, number: int, name: str, real: Callable[..., Any], *args: Any) -> Any:
        if number == SHORT:
            file, data, *at = args
            self._after(name, None, self._before(name, *args), file, data[: len(data) // 2], *at)
            return real(file, data[: len(data) // 2], *at)
        _, file = self._open.get(args[0], ("", None)) if isinstance(args[0], int) else ("", None)
        if name in SYNCS and file is not None:
            file.sync(fails=True)
        if name == "close":  # it is closed all the same (close(2))
            self._open.pop(args[0])
            real(*args)
        raise OSError(number, os.strerror(number))

    def _before(self, name: str, first: Any, *_: Any) -> int:
        return os.fstat(first).st_size if name == "write" else 0

    def _after(self, name: str, result: Any, size: int, first: Any, *rest: Any) -> None:
        """The effect of a call that succeeded."""
        if name in NAMES:
            return self._renamed(name, first, *rest)
        if name == "open":
            path = Path(first)
            file = None if path == self._directory else self._names.setdefault(path.name, File())
            assert not isinstance(file, Path), "the link is never opened"
            self._open[result] = path.name, file
            return None
        _, file = (self._open.pop if name == "close" else self._open.get)(first, ("", None))
        if name == "sync" and file is None:
            self._durable = dict(self._names)
        elif name == "drop_cache" and file is not None:
            self._dropped(file)
        elif file is not None:
            self._written(file, name, size, *rest)
        return None

    def _dropped(self, file: File) -> None:
        """Who reads it now gets what is on the disk, if nothing waits to be written."""
        for name, what in self._names.items():
            if what is file and file.lost and not file.dirty:
                (self._directory / name).write_bytes(file.disk)

    def _written(self, file: File, name: str, size: int, *rest: Any) -> None:
        match name:
            case "write":
                file.dirty.append(lambda disk: _patched(disk, rest[0], size))
            case "write_at":
                file.dirty.append(lambda disk: _patched(disk, rest[0], rest[1]))
            case "truncate":
                file.dirty.append(lambda disk: disk[: rest[0]].ljust(rest[0], b"\0"))
            case "allocate":
                file.dirty.append(lambda disk: disk.ljust(rest[0] + rest[1], b"\0"))
            case "sync" | "sync_data":
                file.sync(fails=False)
            case _:
                pass

    def _renamed(self, name: str, first: Any, *rest: Any) -> None:
        names = [Path(each).name for each in (first, *rest)]
        match name:
            case "rename":
                self._names[names[1]] = self._names.pop(names[0], File())
            case "link":
                self._names[names[1]] = self._names.get(names[0], File())
            case "symlink":
                self._names[names[1]] = Path(first)
            case "unlink":
                self._names.pop(names[0], None)
            case _:
                pass


def _changes(name: str, *args: Any) -> bool:
    """Whether a disk that is read-only refuses a call; a directory that is there, it has."""
    if name == "open":
        return bool(args[1] & (os.O_WRONLY | os.O_RDWR))
    return name in CHANGES


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
