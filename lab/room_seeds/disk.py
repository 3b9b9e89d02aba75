"""The card of a clock: it fails, fills up, lies about syncs, and forgets when the power is cut.

Files are real ones, in memory, as the page cache would show them. Beside them stands what is on the
card: what was written counts from the sync of its file on, a name from the sync of the directory
on. Of what was not synced, a power cut leaves some of the oldest.
"""

import errno
import os
from pathlib import Path
from random import Random

from clock.storage.disk import Disk


class Contents:
    """A file: what is on the card, and what was written since."""

    def __init__(self, data: bytes = b"") -> None:
        """Begin with what is on the card."""
        self.data = bytearray(data)
        self.blocks: dict[int, bytes] = {}  # written in the middle, by offset: the checkpoint's
        self.dirty: list[tuple[str, int, bytes]] = []
        self.is_lost = False  # something of it, though reading gives it

    def keep(self, count: int | None = None) -> None:
        """Bring the oldest of what was written to the card; None: all."""
        kept = self.dirty[:count]
        del self.dirty[:count]
        for kind, at, data in kept:
            if kind == "block":
                self.blocks[at] = data
            elif kind == "cut":
                del self.data[at:]
            else:
                self.data[:] = self.data[:at].ljust(at, b"\0")
                self.data += data

    def lose(self) -> None:
        """Lose what was written: a sync that fails takes the pages for clean."""
        self.is_lost |= bool(self.dirty)
        self.dirty.clear()


Image = dict[str, Contents | str]  # files, and where links lead, by name


class SimulatedDisk(Disk):
    """The card under one directory, from one power cut to the next."""

    def __init__(self, directory: Path, random: Random, image: Image) -> None:
        """Make the directory as the card has it.

        Args:
            directory: to be made.
            random: what chance there is in faults.
            image: what is on the card.
        """
        self.is_failing = self.is_full = self.is_lying = False
        self.was_honest = True  # no call has failed, and no sync was a lie
        self._directory, self._random = directory, random
        self._names, self._synced = dict(image), dict(image)
        self._renames: list[tuple[str, Contents | str | None]] = []  # since the last sync
        self._open: dict[int, tuple[str, Contents | None]] = {}  # None: the directory
        self._by_inode: dict[int, Contents] = {}
        self._is_off = False
        directory.mkdir(parents=True)
        for name, what in image.items():
            self._make(directory / name, what)

    def _make(self, path: Path, what: Contents | str) -> None:
        if isinstance(what, str):
            path.symlink_to(what)
            return
        with path.open("wb") as file:
            file.write(what.data)
            for at, data in what.blocks.items():
                file.seek(at)
                file.write(data)
        self._by_inode[path.stat().st_ino] = what

    def cut_power(self) -> Image:
        """Return what is on the card now, some of what was not synced included."""
        self._is_off = True
        for name, what in self._renames[: self._random.randint(0, len(self._renames))]:
            _rename(self._synced, name, what)
        for what in self._synced.values():
            if isinstance(what, Contents):
                self._tear(what)
        return self._synced

    def _tear(self, what: Contents) -> None:
        """Keep the oldest of what was not synced, the last of it perhaps in part."""
        what.keep(self._random.randint(0, len(what.dirty)))
        if what.dirty and what.dirty[0][0] == "append":
            _, at, data = what.dirty[0]
            what.dirty[0] = ("append", at, data[: self._random.randint(0, len(data))])
            what.keep(1)
        what.dirty.clear()
        what.is_lost = False

    def sync_inode(self, inode: int) -> None:
        """Sync a file that a reader has open."""
        if inode in self._by_inode and not self._is_off:
            self._sync(self._by_inode[inode])

    # --- calls --------------------------------------------------------------------------------

    def open(self, path: Path, flags: int, mode: int = 0o644) -> int:
        """See `SystemCalls`."""
        self._require(opening=bool(flags & os.O_CREAT) and not path.exists())
        file = super().open(path, flags, mode)
        if path == self._directory:
            self._open[file] = path.name, None
            return file
        found = self._names.get(path.name)
        if not isinstance(found, Contents):
            found = Contents()
            self._name(path.name, found)
            self._by_inode[os.fstat(file).st_ino] = found
        self._open[file] = path.name, found
        return file

    def write(self, file: int, data: bytes) -> int:
        """See `SystemCalls`."""
        self._require(space=True)
        return self._written(file, data, os.fstat(file).st_size, "append")

    def write_at(self, file: int, data: bytes, at: int) -> int:
        """See `SystemCalls`; blocks that were reserved can be written on a full card."""
        self._require()
        return self._written(file, data, at, "block")

    def _written(self, file: int, data: bytes, at: int, kind: str) -> int:
        if self.is_failing and self._random.random() < 0.2:  # a part of it
            data = data[: len(data) // 2]
            self.was_honest = False
        self._contents(file).dirty.append((kind, at, data))
        return super().write(file, data) if kind == "append" else super().write_at(file, data, at)

    def sync(self, file: int) -> None:
        """See `SystemCalls`."""
        name, contents = self._open.get(file, ("", None))
        if contents is not None:
            self._sync(contents)
        elif name:
            self._require()
            if not self._lies():
                self._synced = dict(self._names)
                self._renames.clear()

    def sync_data(self, file: int) -> None:
        """See `SystemCalls`."""
        self._sync(self._contents(file))

    def _sync(self, contents: Contents) -> None:
        try:
            self._require()
        except OSError:
            contents.lose()
            raise
        if not self._lies():
            contents.keep()

    def _lies(self) -> bool:
        lies = self.is_lying and self._random.random() < 0.7
        self.was_honest &= not lies
        return lies

    def truncate(self, file: int, size: int) -> None:
        """See `SystemCalls`."""
        self._contents(file).dirty.append(("cut", size, b""))
        super().truncate(file, size)

    def allocate(self, file: int, at: int, size: int) -> None:
        """Allocate nothing: blocks have room."""

    def reserve(self, file: int, size: int) -> bool:  # noqa: ARG002
        """Reserve nothing."""
        return True

    def drop_cache(self, file: int) -> None:
        """Let who reads now get what is on the card, if nothing waits to be written."""
        path = Path(f"/proc/self/fd/{file}")
        contents = self._by_inode.get(os.fstat(file).st_ino)
        if contents is not None and contents.is_lost and not contents.dirty:
            path.write_bytes(contents.data)

    def close(self, file: int) -> None:
        """See `SystemCalls`."""
        self._open.pop(file, None)
        super().close(file)

    def rename(self, old: Path, new: Path) -> None:
        """See `SystemCalls`."""
        self._require()
        super().rename(old, new)
        what = self._names.get(old.name)
        self._name(new.name, what)
        self._name(old.name, None)

    def link(self, old: Path, new: Path) -> None:
        """See `SystemCalls`."""
        self._require()
        super().link(old, new)
        self._name(new.name, self._names.get(old.name))

    def symlink(self, target: str, link: Path) -> None:
        """See `SystemCalls`."""
        self._require(space=True)
        super().symlink(target, link)
        self._name(link.name, target)

    def unlink(self, path: Path) -> None:
        """See `SystemCalls`."""
        super().unlink(path)
        self._name(path.name, None)

    def free_bytes(self, directory: Path) -> int:  # noqa: ARG002
        """See `SystemCalls`."""
        return 0 if self.is_full else 1 << 33

    def _contents(self, file: int) -> Contents:
        found = self._open[file][1]
        return Contents() if found is None else found

    def _name(self, name: str, what: Contents | str | None) -> None:
        _rename(self._names, name, what)
        self._renames.append((name, what))

    def _require(self, *, space: bool = False, opening: bool = False) -> None:
        """Raise an error if the card fails now."""
        number = 0
        if self.is_failing and self._random.random() < 0.3:
            number = errno.EIO
        elif self.is_full and (space or opening):
            number = errno.ENOSPC
        if number and not self._is_off:
            self.was_honest = False
            raise OSError(number, os.strerror(number))


def _rename(names: Image, name: str, what: Contents | str | None) -> None:
    """Let a name lead to something; None: to nothing."""
    if what is None:
        names.pop(name, None)
    else:
        names[name] = what
