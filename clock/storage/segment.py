"""One file of lines that only grows, and how much of it is known to be on the disk.

After a failed sync the kernel takes pages for written that are not, and a second sync that succeeds
proves nothing. The one rule: a file that has failed once is never written to again.
"""

import errno
import os
import zlib
from pathlib import Path

from clock.storage import fsync as durable

STEP = 1 << 20  # bytes reserved ahead: a match has room when others fill the disk


class Segment:
    """A file of a match's log."""

    def __init__(self, path: Path, saved: bytes = b"") -> None:
        """Not open yet.

        Args:
            path: of the file.
            saved: what is in it, if it is there.
        """
        self.path = path
        self.suspect = False  # a sync has failed: it may not hold what reading it gives
        self._size, self._crc = len(saved), zlib.crc32(saved)
        self._reserved = 0
        self._file: int | None = None

    @property
    def usable(self) -> bool:
        """It is open and has not failed."""
        return self._file is not None

    def make(self) -> None:
        """Make the file.

        Raises:
            OSError: it cannot be made, or is there already.
        """
        self._file = durable.make(self.path)

    def open(self) -> None:
        """Go on in the file as it is.

        Raises:
            OSError: it cannot be written to.
        """
        self._file = os.open(self.path, os.O_WRONLY | os.O_APPEND)

    def append(self, data: bytes) -> None:
        """Write and sync.

        Raises:
            OSError: it is not on the disk; the file is left and takes no more.
        """
        if self._file is None:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        self._reserve(self._file, self._size + len(data))
        try:
            durable.append(self._file, data)
        except OSError as error:
            self.suspect = error.errno != errno.ENOSPC
            self.leave()
            raise
        self._size += len(data)
        self._crc = zlib.crc32(data, self._crc)

    def saved(self) -> bytes | None:
        """What is known to be on the disk, read back; None if that cannot be had."""
        if not self._size:
            return b""
        try:
            data = durable.read(self.path)[: self._size]
        except OSError:
            return None
        intact = (len(data), zlib.crc32(data)) == (self._size, self._crc)
        return data if intact else None

    def rename(self, path: Path) -> None:
        """Have it take the place of another file.

        Raises:
            OSError: it has its old name.
        """
        self.path.rename(path)
        self.path = path

    def leave(self) -> None:
        """Nothing more will be written."""
        if self._file is not None:
            file, self._file = self._file, None
            durable.leave(file)

    def _reserve(self, file: int, size: int) -> None:
        if size > self._reserved:
            self._reserved = size + STEP
            durable.reserve(file, self._reserved)
