"""What it takes for bytes to be on the disk, in the system's own calls.

The one rule: a function here has done what it says, durably, or raises OSError; only space that is
reserved ahead is had or not had without a word.
"""

import ctypes
import errno
import os
from contextlib import suppress
from pathlib import Path

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


def read(path: Path) -> bytes:
    """A whole file."""
    file = os.open(path, os.O_RDONLY)
    try:
        parts = []
        while part := os.read(file, 1 << 20):
            parts.append(part)
        return b"".join(parts)
    finally:
        close(file)


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
