"""One file of a match's log: it only grows, and knows how much of it is on the disk.

A file is never written to again after one failure: a failed sync leaves pages marked clean that
are not on the disk, so that a later sync succeeds and proves nothing.
"""

import errno
import os
import zlib
from contextlib import suppress
from pathlib import Path

from clock.storage.disk import Disk, require_in_place

MAX_BYTES = 64 << 20  # of a file that is read back: far more than a match writes
RESERVE_BYTES = 1 << 20  # reserved ahead, so that a match has room when others fill the disk


class Segment:
    """A file of a match's log."""

    def __init__(self, path: Path, disk: Disk, saved: bytes = b"") -> None:
        """Do not open the file yet; `saved` is its content if it exists."""
        self.path = path
        self._disk = disk
        self.sync_failed = False  # reading the file may give bytes that are not on the disk
        self._size, self._crc = len(saved), zlib.crc32(saved)
        self._rescued: bytes | None = None  # what was saved, if the file was deleted or replaced
        self._reserved = 0
        self._file: int | None = None

    @property
    def is_open(self) -> bool:
        """Whether the file can be written to: it was opened and has not failed."""
        return self._file is not None

    def create(self) -> None:
        """Create the file; raise OSError if it cannot be created, or exists."""
        self._file = self._disk.create(self.path)

    def open(self) -> None:
        """Open the existing file to continue it; raise OSError if it cannot be written to."""
        self._file = self._disk.open_for_writing(self.path, os.O_RDWR | os.O_APPEND)

    def append(self, data: bytes) -> None:
        """Write and sync.

        Raises:
            OSError: the data is not on the disk; the file is closed for good.
        """
        if self._file is None:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        needed = self._size + len(data)
        if needed > self._reserved:
            self._reserved = needed + RESERVE_BYTES
            self._disk.reserve(self._file, self._reserved)
        try:
            self._disk.append(self._file, data)
            require_in_place(self._file, self.path)
        except OSError as error:
            self._fail(error)
            raise
        self._size = needed
        self._crc = zlib.crc32(data, self._crc)

    def require_in_place(self) -> None:
        """Check that the open file was not deleted or replaced.

        Raises:
            OSError: it was; it is closed for good.
        """
        try:
            require_in_place(-1 if self._file is None else self._file, self.path)
        except OSError as error:
            self._fail(error)
            raise

    def _fail(self, error: OSError) -> None:
        """Close the file for good; keep what was saved if its name does not lead there any more."""
        self.sync_failed = error.errno != errno.ENOSPC
        if error.errno == errno.ESTALE and self._file is not None:
            with suppress(OSError):
                self._rescued = self._disk.read_deleted(self._file, self._size)
        self.close()

    def read_back(self) -> bytes | None:
        """Return what was saved, read from the disk; None if it is not there as written."""
        if not self._size:
            return b""
        try:
            data = self._rescued or self._disk.read_file(self.path, MAX_BYTES)[: self._size]
        except OSError:
            return None
        intact = (len(data), zlib.crc32(data)) == (self._size, self._crc)
        return data if intact else None

    def rename(self, path: Path) -> None:
        """Rename the file, replacing another one; raise OSError if it keeps its old name."""
        self._disk.rename(self.path, path)
        self.path = path

    def close(self) -> None:
        """Close the file if it is open, and give back reserved space."""
        if self._file is not None:
            file, self._file = self._file, None
            self._disk.trim_and_close(file)
