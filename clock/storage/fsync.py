"""What it takes for bytes to be on the disk, in the system's own calls.

The one rule: a function here has done what it says, durably, or raises OSError; only space that is
reserved ahead is had or not had without a word.
"""

import ctypes
import errno
import os
import stat
from contextlib import suppress
from pathlib import Path

BLOCK_SIZE = 4096  # bytes: of most file systems
KEEP_SIZE = 1  # FALLOC_FL_KEEP_SIZE (linux/falloc.h): the file's size stays true, its text clean


def make(path: Path) -> int:
    """Make a file that did not exist; returns it open, for appending."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o644)
    try:
        os.fsync(file)
    except OSError:
        close(file)
        raise
    return file


def read(path: Path, most: int | None = None) -> bytes:
    """A whole file, as it is on the disk: after a failed sync the page cache may hold other bytes.

    Args:
        path: of the file. What would have the reader wait (a pipe, a device) is refused.
        most: bytes; a longer file is refused. None: as long as it is.
    """
    file, size = _readable(path, most)
    try:
        parts = []
        while size > 0 and (part := os.read(file, size)):
            parts.append(part)
            size -= len(part)
        return b"".join(parts)
    finally:
        close(file)


def read_in_part(path: Path, most: int | None = None) -> tuple[bytes, bool]:
    """What can be read of a file that could not be read whole, and whether that is all of it.

    Zeros stand for the blocks that cannot be read.
    """
    file, size = _readable(path, most)
    try:
        blocks = [_block(file, at) for at in range(0, size, BLOCK_SIZE)]
    finally:
        close(file)
    if not any(blocks):
        raise OSError(errno.EIO, os.strerror(errno.EIO))
    return b"".join(block or bytes(BLOCK_SIZE) for block in blocks)[:size], all(blocks)


def _readable(path: Path, most: int | None) -> tuple[int, int]:
    """A file open for reading, and its size."""
    file = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # to open a pipe would wait too
    try:
        size = _size(os.fstat(file), most)
    except OSError:
        close(file)
        raise
    with suppress(OSError):
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)  # what is clean is read anew
    return file, size


def _size(status: os.stat_result, most: int | None) -> int:
    if not stat.S_ISREG(status.st_mode):
        kind = "Is a directory" if stat.S_ISDIR(status.st_mode) else "not a regular file"
        raise OSError(errno.EINVAL, kind)
    if most is not None and status.st_size > most:
        raise OSError(errno.EFBIG, f"larger than {most} bytes")
    return status.st_size


def _block(file: int, at: int) -> bytes | None:
    try:
        return os.pread(file, BLOCK_SIZE, at)
    except OSError:
        return None


def append(file: int, data: bytes) -> None:
    """One write, one sync; a write that is not whole has failed."""
    _whole(os.write(file, data), data)
    os.fdatasync(file)


def overwrite(file: int, data: bytes, at: int) -> None:
    """The same in the middle of a file."""
    _whole(os.pwrite(file, data, at), data)
    os.fdatasync(file)


def sync_directory(directory: Path) -> None:
    """The names in it; syncing a file does not make its name durable (fsync(2))."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        close(descriptor)


def reserve(file: int, size: int) -> bool:
    """Reserve the space of a file up to a size; False where the file system cannot."""
    try:
        call = ctypes.CDLL(None).fallocate64
    except (AttributeError, OSError):  # not Linux
        return False
    call.argtypes = (ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64)
    return bool(call(file, KEEP_SIZE, 0, size) == 0)


def leave(file: int) -> None:
    """Give back the space that was reserved, and close."""
    with suppress(OSError):
        os.ftruncate(file, os.fstat(file).st_size)
    close(file)


def close(file: int) -> None:
    """Close, whatever that says: what was synced is on the disk, and what was not, is known."""
    with suppress(OSError):
        os.close(file)


def free_bytes(directory: Path) -> int:
    """What this program may still write."""
    system = os.statvfs(directory)
    return system.f_bavail * system.f_frsize


def _whole(written: int, data: bytes) -> None:
    if written != len(data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
