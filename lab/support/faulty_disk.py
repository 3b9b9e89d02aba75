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
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Semaphore
from types import MappingProxyType
from typing import Any, NamedTuple

from clock.storage.disk import Disk, SystemCalls

SHORT = -1  # in the place of an error's number: half of the data is written
EVER = 10**6
WAIT_S = 60  # s; a test that waits so long has failed
SYNCS = ("sync", "sync_data")  # the real ones would take their time for nothing
NAMES = ("rename", "link", "symlink", "unlink", "make_directory")
NEVER_RAISE = ("reserve", "may_write")
CHANGES = {"write", "write_at", "truncate", "allocate", *NAMES} - {"make_directory"}


class Content(NamedTuple):
    """What is in a file; what is written in its middle stands apart, as the checkpoint's slots."""

    start: bytes = b""
    blocks: Mapping[int, bytes] = MappingProxyType({})  # by offset

    def after(self, name: str, data: Any, at: int) -> "Content":
        """Return what a call makes of it; bytes that were never written are zeros."""
        if name == "write_at":
            block = data + self.blocks.get(at, b"")[len(data) :]
            return self._replace(blocks={**self.blocks, at: block})
        start = self.start[:at].ljust(at, b"\0")
        return self._replace(start=start + data if name == "write" else start)

    def make(self, path: Path) -> None:
        """Write the file, with holes between the blocks."""
        with path.open("wb") as file:
            file.write(self.start)
            for at, data in self.blocks.items():
                file.seek(at)
                file.write(data)


Image = dict[str, Content | Path]  # files, and where links lead, by name


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
    """A file: what is on the disk, and the calls since it was synced."""

    def __init__(self, disk: Content) -> None:
        self.disk = disk
        self.dirty: list[tuple[str, Any, int]] = []  # name, data and offset of each
        self.lost = False  # some of that, though reading gives it

    def keep(self, count: int | None = None) -> None:
        """Bring the oldest of what was written to the disk; None: all."""
        for call in self.dirty[:count]:
            self.disk = self.disk.after(*call)
        del self.dirty[:count]

    def lose(self) -> None:
        """Lose what was written."""
        self.lost |= bool(self.dirty)
        self.dirty.clear()


class FaultyDisk(Disk):
    """The disk under one directory."""

    remembers = True  # each call, and what there is after it

    def __init__(self, directory: Path, plan: Plan = NEVER, image: Image | None = None) -> None:
        """What is in the directory now is on the disk; `image` is that, if it is known."""
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
        self._directory = directory.absolute()
        self._eligible = 0
        self._names: dict[str, File | Path] = {
            name: what if isinstance(what, Path) else File(what)
            for name, what in (_image_of(directory) if image is None else image).items()
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

    def power_cut(self, directory: Path) -> Path:
        """Make a directory with what a power cut would leave now."""
        return restored(directory, self.image())

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
            if self.remembers:
                self.calls.append(Call(name, args))
            try:
                if self.read_only and _changes(name, *args):
                    raise OSError(errno.EROFS, os.strerror(errno.EROFS))
                if number := self._error(name, *args):
                    return self._fail(number, name, real, *args)
                before = self._before(name, *args)
                result = real(*args)
                self._after(name, result, before, *args)
                return result
            finally:
                if self.remembers:
                    self.images.append(self.image())

        return call

    def _is_ours(self, name: str, first: Any, *_: Any) -> bool:
        if isinstance(first, int):
            return first in self._open
        path = Path(_[0] if name in {"symlink", "link"} else first).absolute()
        return self._directory in {path, path.parent}

    def _error(self, name: str, *_: Any) -> int | None:
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
            file.lose()
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
            self._open[result] = Path(first).name, self._opened(Path(first))
            return None
        _, file = (self._open.pop if name == "close" else self._open.get)(first, ("", None))
        if name in SYNCS:
            self._synced(file)
        elif name == "drop_cache" and file is not None:
            self._dropped(file)
        elif file is not None:
            match name, *rest:
                case "write", data:
                    file.dirty.append((name, data, size))
                case "write_at", data, at:
                    file.dirty.append((name, data, at))
                case "truncate", at:
                    file.dirty.append((name, b"", at))
                case _:
                    pass
        return None

    def _opened(self, path: Path) -> File | None:
        if path.absolute() == self._directory:
            return None
        if path.name not in self._names:
            self._name(path.name, File(Content()))
        file = self._names[path.name]
        assert not isinstance(file, Path), "the link is never opened"
        return file

    def _synced(self, file: File | None) -> None:
        """A sync succeeded, that of a file or of the directory."""
        if file is None:
            self._durable = dict(self._names)
        else:
            file.keep()

    def _dropped(self, file: File) -> None:
        """Who reads it now gets what is on the disk, if nothing waits to be written."""
        for name, what in self._names.items():
            if what is file and file.lost and not file.dirty:
                file.disk.make(self._directory / name)

    def _renamed(self, name: str, first: Any, *rest: Any) -> None:
        names = [Path(each).name for each in (first, *rest)]
        match name:
            case "rename":
                self._name(names[1], self._names.get(names[0], File(Content())))
                self._name(names[0], None)
            case "link":
                self._name(names[1], self._names.get(names[0], File(Content())))
            case "symlink":
                self._name(names[1], Path(first))
            case "unlink":
                self._name(names[0], None)
            case _:
                pass

    def _name(self, name: str, what: File | Path | None) -> None:
        rename(self._names, name, what)


def rename(names: dict[str, File | Path], name: str, what: File | Path | None) -> None:
    """Let a name lead to something; None: to nothing."""
    if what is None:
        names.pop(name, None)
    else:
        names[name] = what


def _image_of(directory: Path) -> Image:
    return {
        path.name: path.readlink() if path.is_symlink() else Content(path.read_bytes())
        for path in (directory.iterdir() if directory.exists() else ())
        if path.is_symlink() or path.is_file()
    }


def restored(directory: Path, image: Image) -> Path:
    """Make a directory with what a disk had."""
    directory.mkdir(parents=True)
    for name, what in image.items():
        if isinstance(what, Path):
            (directory / name).symlink_to(what)
        else:
            what.make(directory / name)
    return directory


def _changes(name: str, *args: Any) -> bool:
    """Whether a disk that is read-only refuses a call; a directory that is there, it has."""
    if name == "open":
        return bool(args[1] & (os.O_WRONLY | os.O_RDWR))
    return name in CHANGES
