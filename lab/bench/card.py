"""The memory card: an ext4 file system in a file, which survives a power cut of the guest.

Data that the guest has synced is in the file; unsynced data is lost with the guest's memory. In
time travel there is a folder of this computer in its place.
"""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from lab.support.paths import IN_MEMORY

SIZE = 128 << 20  # bytes, in a sparse file; with less than 64 MB free the clock warns
MOUNTED = "/run/log"  # in the guest


class Card:
    """A formatted card."""

    def __init__(self, path: Path) -> None:
        """Make and format the card.

        Args:
            path: the file that holds its contents.
        """
        self.path = path
        with path.open("wb") as image:
            image.truncate(SIZE)
        _run("mkfs.ext4", "-q", "-F", str(path))

    def read(self, name: str) -> str | None:
        """Return the contents of a file on the card; None if it does not exist.

        This follows one link, and does not replay the file system's journal. The kernel of the next
        guest does; see `Board.log`.
        """
        shown = _run("debugfs", "-R", f"stat {name}", str(self.path))
        if "Fast link dest" in shown:
            name = shown.split('Fast link dest: "')[1].split('"')[0]
        elif "Inode:" not in shown:
            return None
        return _run("debugfs", "-R", f"cat {name}", str(self.path))


@contextmanager
def folder_in_memory(path: Path) -> Iterator[None]:
    """Have a folder in memory within this context, if that is possible, and on the disk after it.

    A clock syncs its files twice a second, for which a disk takes real time.
    """
    path.mkdir(exist_ok=True)
    if IN_MEMORY is None:
        yield
        return
    with TemporaryDirectory(dir=IN_MEMORY) as place:
        there = Path(place, path.name)
        shutil.move(path, there)
        path.symlink_to(there)
        try:
            yield
        finally:
            path.unlink()
            shutil.move(there, path)


def _run(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
