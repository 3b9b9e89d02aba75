"""Open files carefully: never write through a symlink, and never wait for a pipe or a device.

What lies in a directory was perhaps put there by others, and the clock may run as root. So a file
is written only if no symlink lies in its place, and every file is looked at once it is open.
"""

import errno
import os
import stat
import sys
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

# A pipe must not block; on Windows line ends must not be changed. Each system has one of the two.
_PLAIN = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
READ = os.O_RDONLY | _PLAIN
WRITE = _PLAIN | getattr(os, "O_NOFOLLOW", 0)


class NotOursError(OSError):
    """What has this name may not be written to; `strerror` says what it is."""

    def __init__(self, path: Path, what: str) -> None:
        super().__init__(errno.EPERM, f"{path.name} is {what}")


def open_to_read(path: Path) -> BinaryIO:
    """Return a regular file open for reading.

    Raises:
        OSError: it cannot be read, or is a directory, or a pipe or a device, which may have no end.
    """
    file = os.open(path, READ)
    try:
        require_regular(os.fstat(file))
    except OSError:
        os.close(file)
        raise
    return os.fdopen(file, "rb")


def require_regular(status: os.stat_result, max_bytes: int = sys.maxsize) -> int:
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


def require_ours(path: Path, file: int | None = None) -> None:
    """Check that what lies at a path, open or not, may be written to; it need not exist.

    It is a regular file of this user, or of the user to whom its directory belongs: on a card
    without owners all files belong to the user who mounted it.

    Raises:
        NotOursError: it is a symlink, a directory, a pipe or a device, or another user's file.
        OSError: that cannot be found out.
    """
    if file is None and not os.path.lexists(path):
        return
    status = os.lstat(path) if file is None else os.fstat(file)
    kinds = ((stat.S_ISLNK, "a link"), (stat.S_ISDIR, "a directory"))
    for is_kind, what in kinds:
        if is_kind(status.st_mode):
            raise NotOursError(path, what)
    if not stat.S_ISREG(status.st_mode):
        raise NotOursError(path, "a pipe or a device")
    if hasattr(os, "geteuid") and status.st_uid not in {os.geteuid(), path.parent.stat().st_uid}:
        raise NotOursError(path, "a file of another user")


def replace_file(
    path: Path,
    content: bytes,
    mode: int = 0o644,
    *,
    owner: tuple[int, int] | None = None,
    durable: bool = True,
) -> None:
    """Write a file anew, which is the old or the new one at any time; a symlink is replaced.

    The owner is a user with their group; None: those of this process. A durable file is on the disk
    before it has its name, which after a power cut leads to the old file or the new one.

    Raises:
        OSError: it cannot be written.
    """
    new = path.with_name(f"{path.name}.new")
    new.unlink(missing_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    with os.fdopen(os.open(new, flags | WRITE, mode), "wb") as file:
        file.write(content)
        file.flush()
        if hasattr(os, "fchmod"):  # not on Windows
            with suppress(OSError):  # a card without rights
                os.fchmod(file.fileno(), mode)
        if owner is not None:
            os.fchown(file.fileno(), *owner)
        if durable:
            os.fsync(file.fileno())
    new.replace(path)
