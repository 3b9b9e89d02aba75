"""The memory card: an ext4 file system in a file, which outlives a power cut as a card does.

What the guest had not synced is gone with its memory; what it had synced is in the file.

The one rule: it is looked into from outside only while no guest has it.
"""

import subprocess
from pathlib import Path

SIZE = 128 << 20  # bytes; sparse. With less than 64 MB free the clock warns
MOUNTED = "/run/log"  # in the guest


class Card:
    """A card, formatted."""

    def __init__(self, path: Path) -> None:
        """Make it."""
        self.path = path
        with path.open("wb") as image:
            image.truncate(SIZE)
        _run("mkfs.ext4", "-q", "-F", str(path))

    def read(self, name: str) -> str | None:
        """What is in a file, as far as it is in place without the journal; None if there is none.

        Links are followed once. The next guest's kernel replays the journal; see `Board.log`.
        """
        shown = _run("debugfs", "-R", f"stat {name}", str(self.path))
        if "Fast link dest" in shown:
            name = shown.split('Fast link dest: "')[1].split('"')[0]
        elif "Inode:" not in shown:
            return None
        return _run("debugfs", "-R", f"cat {name}", str(self.path))


def _run(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
