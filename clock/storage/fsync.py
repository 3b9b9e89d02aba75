"""System calls that make bytes durable: they have reached the disk, or OSError is raised.

Reading also works on Windows, where logs are reported but none is written, and both work on macOS.
"""

import ctypes
import errno
import os
import stat
from contextlib import suppress
from pathlib import Path

BLOCK_SIZE = 4096  # bytes, in most file systems
# A pipe must not block; on Windows line ends must not be changed. Each system has one of the two.
READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
KEEP_SIZE = 1  # FALLOC_FL_KEEP_SIZE (linux/falloc.h): reserve blocks without changing the size


def create(path: Path) -> int:
    """Create a file that must not exist yet, and return it open for appending and reading."""
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o644)
    try:
        os.fsync(file)
    except OSError:
        close(file)
        raise
    return file


def read(path: Path, max_bytes: int) -> bytes:
    """Return a whole file from the disk, not from the page cache, which a failed sync falsifies.

    Args:
        path: of a regular file; pipes and devices, which may block, are refused.
        max_bytes: a longer file is refused.
    """
    file, size = open_for_reading(path, max_bytes)
    try:
        parts = []
        while size > 0 and (part := os.read(file, size)):
            parts.append(part)
            size -= len(part)
        return b"".join(parts)
    finally:
        close(file)


def read_partial(path: Path, max_bytes: int) -> tuple[bytes, bool]:
    """Return a file with zeros for its unreadable blocks, and whether there were none."""
    file, size = open_for_reading(path, max_bytes)
    try:
        blocks = [_read_block(file, at) for at in range(0, size, BLOCK_SIZE)]
    finally:
        close(file)
    if not any(blocks):
        raise OSError(errno.EIO, os.strerror(errno.EIO))
    return b"".join(block or bytes(BLOCK_SIZE) for block in blocks)[:size], all(blocks)


def open_for_reading(path: Path, max_bytes: int) -> tuple[int, int]:
    """Return a regular file open for reading, and its size; a longer one is refused."""
    file = os.open(path, READ)
    try:
        size = require_regular(os.fstat(file), max_bytes)
    except OSError:
        close(file)
        raise
    with suppress(OSError, AttributeError):  # Linux only
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)  # drop clean pages from the cache
    return file, size


def require_regular(status: os.stat_result, max_bytes: int) -> int:
    """Return the size of a regular file that is not too long.

    Raises:
        OSError: it is something else (EINVAL), or longer (EFBIG).
    """
    if not stat.S_ISREG(status.st_mode):
        kind = "Is a directory" if stat.S_ISDIR(status.st_mode) else "not a regular file"
        raise OSError(errno.EINVAL, kind)
    if status.st_size > max_bytes:
        raise OSError(errno.EFBIG, f"larger than {max_bytes} bytes: it has {status.st_size}")
    return status.st_size


def _read_block(file: int, at: int) -> bytes | None:
    try:
        return read_at(file, BLOCK_SIZE, at)
    except OSError:
        return None


def read_at(file: int, size: int, at: int) -> bytes:
    """Return at most `size` bytes from the middle of a file; its position may change."""
    if hasattr(os, "pread"):
        return os.pread(file, size, at)
    os.lseek(file, at, os.SEEK_SET)  # Windows
    return os.read(file, size)


def read_deleted(file: int, size: int) -> bytes:
    """Return the beginning of an open file, which need not have a name any more."""
    parts, at = [], 0
    while at < size and (part := read_at(file, size - at, at)):
        parts.append(part)
        at += len(part)
    return b"".join(parts)


def require_in_place(file: int, path: Path) -> None:
    """Check that an open file or directory is still the one of this name.

    Raises:
        OSError: it was deleted or replaced (ESTALE), or that cannot be found out.
    """
    own = os.fstat(file)
    try:
        named = os.stat(path)  # noqa: PTH116 (tests replace the calls of `os`)
    except FileNotFoundError:
        named = None
    if not own.st_nlink or named is None or not os.path.samestat(own, named):
        raise OSError(errno.ESTALE, f"{path.name} was deleted or replaced")


def append(file: int, data: bytes) -> None:
    """Write at the end of a file in one call, and sync; a partial write is an error."""
    _require_all(os.write(file, data), data)
    _sync_data(file)


def overwrite(file: int, data: bytes, at: int) -> None:
    """Write in the middle of a file in one call, and sync; a partial write is an error."""
    _require_all(os.pwrite(file, data, at), data)
    _sync_data(file)


def _sync_data(file: int) -> None:
    getattr(os, "fdatasync", os.fsync)(file)  # macOS has fsync only


def _require_all(written: int, data: bytes) -> None:
    if written != len(data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def sync_directory(directory: Path) -> None:
    """Make the names in a directory durable; syncing a file does not do that (fsync(2))."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        close(descriptor)


def reserve(file: int, size: int) -> bool:
    """Reserve disk space for a file up to `size` bytes; False where that is not possible."""
    try:
        call = ctypes.CDLL(None).fallocate64
    except (AttributeError, OSError):  # not Linux
        return False
    call.argtypes = (ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64)
    return bool(call(file, KEEP_SIZE, 0, size) == 0)


def trim_and_close(file: int) -> None:
    """Give back the reserved space that was not used, and close."""
    with suppress(OSError):
        os.ftruncate(file, os.fstat(file).st_size)
    close(file)


def close(file: int) -> None:
    """Close, and ignore errors: what was synced is on the disk, and what was not is known."""
    with suppress(OSError):
        os.close(file)


def free_bytes(directory: Path) -> int:
    """Return how many bytes this program may still write."""
    system = os.statvfs(directory)
    return system.f_bavail * system.f_frsize
