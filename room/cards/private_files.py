"""Write files that hold a secret."""

import os
from pathlib import Path

from clock.storage.disk import DISK

BINARY = getattr(os, "O_BINARY", 0)  # on Windows line ends must not be changed


def write_private(path: Path, content: bytes, owner: tuple[int, int] | None = None) -> None:
    """Write a file that only its owner can read; after a power cut it is the old or the new one.

    The owner is a user with their group; None: those of this process. Folders that do not exist are
    made, for their owner alone.

    Raises:
        OSError: it cannot be written.
    """
    _make_folder(path.parent)
    partial = path.with_name(f"{path.name}.new")
    partial.unlink(missing_ok=True)
    file = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | BINARY, 0o600)
    with os.fdopen(file, "wb") as opened:
        opened.write(content)
        opened.flush()
        if owner is not None:
            os.fchown(file, *owner)
        os.fsync(file)
    partial.replace(path)
    if hasattr(os, "O_DIRECTORY"):  # not on Windows
        DISK.sync_directory(path.parent)


def _make_folder(folder: Path) -> None:
    if not folder.is_dir():
        _make_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)
