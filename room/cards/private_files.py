"""Write and read files that hold a secret."""

import os
from pathlib import Path

from clock.files import open_to_read, replace_file
from clock.storage.disk import DISK


def write_private(path: Path, content: bytes, owner: tuple[int, int] | None = None) -> None:
    """Write a file that only its owner can read; after a power cut it is the old or the new one.

    The owner is a user with their group; None: those of this process. Folders that do not exist are
    made, for their owner alone.

    Raises:
        OSError: it cannot be written.
    """
    _make_folder(path.parent)
    replace_file(path, content, 0o600, owner=owner)
    if hasattr(os, "O_DIRECTORY"):  # not on Windows
        DISK.sync_directory(path.parent)


def read_private(path: Path) -> bytes:
    """Return the content of a file.

    Raises:
        OSError: it cannot be read, or is a pipe or a device, which may have no end.
    """
    try:
        with open_to_read(path) as file:
            return file.read()
    except OSError as error:
        error.filename = str(path)
        raise


def _make_folder(folder: Path) -> None:
    if not folder.is_dir():
        _make_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)
