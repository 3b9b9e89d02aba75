"""The card of a clock: it fails, fills up, lies about syncs, and forgets when the power is cut.

Of what was not synced, a power cut leaves some of the oldest.
"""

import errno
import os
from pathlib import Path
from random import Random
from typing import Any

from lab.support.faulty_disk import SHORT, SYNCS, FaultyDisk, File, Image, rename, restored

MAY_FAIL = ("open", "write", "write_at", *SYNCS, "rename", "link", "symlink")


class SimulatedDisk(FaultyDisk):
    """The card under one directory, from one power cut to the next."""

    remembers = False

    def __init__(self, directory: Path, random: Random, image: Image) -> None:
        """Make the directory as the card has it.

        Args:
            directory: to be made.
            random: what chance there is in faults.
            image: what is on the card.
        """
        super().__init__(restored(directory, image), image=image)
        self.is_failing = self.is_full = self.is_lying = False
        self._random = random
        self._renames: list[tuple[str, File | Path | None]] = []  # since the last sync
        self._is_off = False

    def cut_power(self) -> Image:
        """Return what is on the card now, some of what was not synced included."""
        self._is_off = True
        for name, what in self._renames[: self._random.randint(0, len(self._renames))]:
            rename(self._durable, name, what)
        for what in self._durable.values():
            if isinstance(what, File):
                self._tear(what)
        return self.image()

    def _tear(self, file: File) -> None:
        """Keep the oldest of what was not synced, the last of it perhaps in part."""
        file.keep(self._random.randint(0, len(file.dirty)))
        if file.dirty and file.dirty[0][0] == "write":
            name, data, at = file.dirty[0]
            file.dirty[0] = (name, data[: self._random.randint(0, len(data))], at)
            file.keep(1)

    def sync_inode(self, inode: int) -> None:
        """Sync a file that a reader has open."""
        for name, what in self._names.items():
            if isinstance(what, File) and (self._directory / name).stat().st_ino == inode:
                if number := self._error("sync"):
                    what.lose()
                    raise OSError(number, os.strerror(number))
                self._synced(what)
                return

    def free_bytes(self, directory: Path) -> int:  # noqa: ARG002
        """See `SystemCalls`."""
        return 0 if self.is_full else 1 << 33

    def allocate(self, file: int, at: int, size: int) -> None:
        """Allocate nothing: blocks have room."""

    def reserve(self, file: int, size: int) -> bool:  # noqa: ARG002
        """Reserve nothing."""
        return True

    def _error(self, name: str, *args: Any) -> int | None:
        number = None if name not in MAY_FAIL else self._failure(name, *args)
        return None if self._is_off else number

    def _failure(self, name: str, *args: Any) -> int | None:
        if self.is_failing and self._random.random() < 0.3:
            return errno.EIO
        grows = name in {"write", "symlink"} or (name == "open" and _is_new(*args))
        if self.is_full and grows:  # blocks that were reserved can be written on a full card
            return errno.ENOSPC
        is_short = name in {"write", "write_at"} and self.is_failing
        return SHORT if is_short and self._random.random() < 0.2 else None

    def _synced(self, file: File | None) -> None:
        if self.is_lying and self._random.random() < 0.7:
            return
        super()._synced(file)
        if file is None:
            self._renames.clear()

    def _name(self, name: str, what: File | Path | None) -> None:
        super()._name(name, what)
        self._renames.append((name, what))


def _is_new(path: Path, flags: int, *_: Any) -> bool:
    return bool(flags & os.O_CREAT) and not path.exists()
