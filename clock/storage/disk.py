"""The disk under a log directory: system calls, and durable operations made of them.

A durable operation returns when its bytes have reached the disk, or raises OSError. Reading also
works on Windows, where logs are reported but none is written, and both work on macOS.
"""

import ctypes
import errno
import os
from contextlib import suppress
from pathlib import Path

from clock.files import READ, WRITE, require_ours, require_regular

BLOCK_SIZE = 4096  # bytes, in most file systems
KEEP_SIZE = 1  # FALLOC_FL_KEEP_SIZE (linux/falloc.h): reserve blocks without changing the size


class SystemCalls:
    """The system's calls on files and names; a disk for tests replaces them (OSError as ever)."""

    def open(self, path: Path, flags: int, mode: int = 0o644) -> int:
        """Return a file or directory open; by default everybody may read a new file."""
        return os.open(path, flags, mode)

    def read(self, file: int, size: int) -> bytes:
        """Return at most `size` bytes."""
        return os.read(file, size)

    def read_at(self, file: int, size: int, at: int) -> bytes:
        """Return at most `size` bytes from the middle of a file; its position may change."""
        if hasattr(os, "pread"):
            return os.pread(file, size, at)
        os.lseek(file, at, os.SEEK_SET)  # Windows
        return os.read(file, size)

    def write(self, file: int, data: bytes) -> int:
        """Return how many bytes were written at the end of a file."""
        return os.write(file, data)

    def write_at(self, file: int, data: bytes, at: int) -> int:
        """Return how many bytes were written in the middle of a file."""
        return os.pwrite(file, data, at)

    def sync(self, file: int) -> None:
        """Sync a new file, or the names in a directory."""
        os.fsync(file)

    def sync_data(self, file: int) -> None:
        """Sync the bytes of a file, and its size."""
        getattr(os, "fdatasync", os.fsync)(file)  # macOS has fsync only

    def truncate(self, file: int, size: int) -> None:
        """Cut a file down to `size` bytes, or fill it up with zeros."""
        os.ftruncate(file, size)

    def allocate(self, file: int, at: int, size: int) -> None:
        """Allocate the space of a part of a file; it grows if need be."""
        with suppress(AttributeError):  # macOS has no such call
            os.posix_fallocate(file, at, size)

    def reserve(self, file: int, size: int) -> bool:
        """Reserve space for a file up to `size` bytes; False where that is not possible."""
        try:
            call = ctypes.CDLL(None).fallocate64
        except (AttributeError, OSError):  # not Linux
            return False
        call.argtypes = (ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64)
        return bool(call(file, KEEP_SIZE, 0, size) == 0)

    def drop_cache(self, file: int) -> None:
        """Drop the clean pages of a file from the cache, so that it is read from the disk."""
        with suppress(AttributeError):  # Linux only
            os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)

    def close(self, file: int) -> None:
        """Close a file or directory."""
        os.close(file)

    def rename(self, old: Path, new: Path) -> None:
        """Rename a file, which replaces another one."""
        old.rename(new)

    def link(self, old: Path, new: Path) -> None:
        """Give a file a second name."""
        os.link(old, new)

    def symlink(self, target: str, link: Path) -> None:
        """Make a symbolic link."""
        link.symlink_to(target)

    def unlink(self, path: Path) -> None:
        """Delete a file if it is there."""
        path.unlink(missing_ok=True)

    def make_directory(self, directory: Path) -> None:
        """Create a directory and those above it."""
        directory.mkdir(parents=True)

    def names(self, directory: Path) -> list[str]:
        """Return the names in a directory."""
        return [path.name for path in directory.iterdir()]

    def may_write(self, directory: Path) -> bool:
        """Return whether this user may create files in a directory."""
        return os.access(directory, os.W_OK | os.X_OK)

    def is_read_only(self, directory: Path) -> bool:
        """Return whether a directory is on a file system that is read-only."""
        return bool(os.statvfs(directory).f_flag & os.ST_RDONLY)

    def free_bytes(self, directory: Path) -> int:
        """Return how many bytes this program may still write."""
        system = os.statvfs(directory)
        return system.f_bavail * system.f_frsize


class Disk(SystemCalls):
    """Durable operations on files; all of them go through the system's calls above."""

    def create(self, path: Path) -> int:
        """Create a file that must not exist, and return it open for appending and reading."""
        file = self.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND)
        try:
            self.sync(file)
        except OSError:
            self.let_go(file)
            raise
        return file

    def open_for_writing(self, path: Path, flags: int, mode: int = 0o644) -> int:
        """Return a regular file of ours open: never what a symlink in its place leads to.

        Raises:
            NotOursError: it is something else, or another user's.
            OSError: it cannot be opened.
        """
        require_ours(path)  # before: to open a device may do something
        file = self.open(path, flags | WRITE, mode)
        try:
            require_ours(path, file)  # after: it may be another one by now
        except OSError:
            self.let_go(file)
            raise
        return file

    def append(self, file: int, data: bytes) -> None:
        """Write at the end of a file in one call, and sync; a partial write is an error."""
        _require_all(self.write(file, data), data)
        self.sync_data(file)

    def overwrite(self, file: int, data: bytes, at: int) -> None:
        """Write in the middle of a file in one call, and sync; a partial write is an error."""
        _require_all(self.write_at(file, data, at), data)
        self.sync_data(file)

    def cut(self, path: Path, size: int) -> None:
        """Cut a file off, and sync."""
        file = self.open_for_writing(path, os.O_WRONLY)
        try:
            self.truncate(file, size)
            self.sync(file)
        finally:
            self.let_go(file)

    def sync_directory(self, directory: Path) -> None:
        """Make the names in a directory durable; syncing a file does not do that (fsync(2))."""
        descriptor = self.open(directory, os.O_RDONLY | os.O_DIRECTORY)
        try:
            self.sync(descriptor)
        finally:
            self.let_go(descriptor)

    def trim_and_close(self, file: int) -> None:
        """Give back the reserved space that was not used, and close."""
        with suppress(OSError):
            self.truncate(file, os.fstat(file).st_size)
        self.let_go(file)

    def let_go(self, file: int) -> None:
        """Close, and ignore errors: what was synced is on the disk, and what was not is known."""
        with suppress(OSError):
            self.close(file)

    # --- reading ------------------------------------------------------------------------------

    def read_file(self, path: Path, max_bytes: int) -> bytes:
        """Return a whole file from the disk, not from the cache, which a failed sync falsifies.

        Pipes and devices, which may block, and longer files are refused.
        """
        file, size = self.open_for_reading(path, max_bytes)
        try:
            parts = []
            while size > 0 and (part := self.read(file, size)):
                parts.append(part)
                size -= len(part)
            return b"".join(parts)
        finally:
            self.let_go(file)

    def read_partial(self, path: Path, max_bytes: int) -> tuple[bytes, bool]:
        """Return a file with zeros for its unreadable blocks, and whether there were none."""
        file, size = self.open_for_reading(path, max_bytes)
        try:
            blocks = [self._read_block(file, at) for at in range(0, size, BLOCK_SIZE)]
        finally:
            self.let_go(file)
        if not any(blocks):
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return b"".join(block or bytes(BLOCK_SIZE) for block in blocks)[:size], all(blocks)

    def open_for_reading(self, path: Path, max_bytes: int) -> tuple[int, int]:
        """Return a regular file open for reading, and its size; a longer one is refused."""
        file = self.open(path, READ)
        try:
            size = require_regular(os.fstat(file), max_bytes)
        except OSError:
            self.let_go(file)
            raise
        with suppress(OSError):
            self.drop_cache(file)
        return file, size

    def read_deleted(self, file: int, size: int) -> bytes:
        """Return the beginning of an open file, which need not have a name any more."""
        parts, at = [], 0
        while at < size and (part := self.read_at(file, size - at, at)):
            parts.append(part)
            at += len(part)
        return b"".join(parts)

    def _read_block(self, file: int, at: int) -> bytes | None:
        try:
            return self.read_at(file, BLOCK_SIZE, at)
        except OSError:
            return None


DISK = Disk()  # of this computer


def require_in_place(file: int, path: Path) -> None:
    """Check that an open file or directory is still the one of this name.

    Raises:
        OSError: it was deleted or replaced (ESTALE), or that cannot be found out.
    """
    own = os.fstat(file)
    try:
        named = path.stat()
    except FileNotFoundError:
        named = None
    if named is None or not os.path.samestat(own, named):
        raise OSError(errno.ESTALE, f"{path.name} was deleted or replaced")


def _require_all(written: int, data: bytes) -> None:
    if written != len(data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
