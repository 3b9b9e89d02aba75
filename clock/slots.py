"""The file of signs of life, open and locked: two clocks in one directory would spoil its logs.

The one rule: while one slot is written the other is good; a slot that failed is the next again.
"""

import errno
import fcntl
import os
from contextlib import suppress
from pathlib import Path

from clock import durable
from clock.checkpoint import SLOT_SIZE, SLOTS, decode, encode
from clock.recovery import Checkpoint

CHECKPOINT = "checkpoint"


class JournalError(Exception):
    """The log directory cannot be used; the message says what to do."""


class Slots:
    """The two slots."""

    def __init__(self, directory: Path) -> None:
        """Make the directory if need be, and lock it.

        Raises:
            JournalError: it cannot be made or written to, or another clock has it.
        """
        self._file = _opened(directory)
        self._generation = 0
        with suppress(OSError):  # so that it never grows, and a full disk does not matter
            os.posix_fallocate(self._file, 0, SLOTS * SLOT_SIZE)

    def read(self) -> Checkpoint | None:
        """The newest valid one; the next to be written follows it."""
        data = os.pread(self._file, SLOTS * SLOT_SIZE, 0)
        self._generation, latest = decode(data)
        return latest

    def write(self, checkpoint: Checkpoint) -> None:
        """Write and sync.

        Raises:
            OSError: it is not on the disk.
            ValueError: it is too large for a slot.
        """
        at, slot = encode(self._generation + 1, checkpoint)
        durable.overwrite(self._file, slot, at)
        self._generation += 1

    def close(self) -> None:
        """Unlock the directory."""
        file, self._file = self._file, -1
        durable.close(file)


def _opened(directory: Path) -> int:
    try:
        directory.mkdir(parents=True, exist_ok=True)
        if not os.access(directory, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        slots = os.open(directory / CHECKPOINT, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise JournalError(
            f"{directory}: cannot be written to ({error.strerror}); set [log] directory to a"
            " folder that the clock may write to"
        ) from error
    try:
        fcntl.flock(slots, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        durable.close(slots)
        raise JournalError(
            f"{directory}: another clock writes its logs there; end it, or set [log] directory to"
            " another folder"
        ) from error
    return slots
