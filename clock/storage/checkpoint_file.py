"""The file of signs of life, open and locked: two clocks in one directory would spoil its logs.

The one rule: while one slot is written the other is good; a slot that failed is the next again.
"""

import errno
import fcntl
import os
from contextlib import suppress
from pathlib import Path

from clock.storage import fsync as durable
from clock.storage.checkpoint_format import SLOT_SIZE, SLOTS, decode, encode
from clock.eventlog.recovery import Checkpoint

CHECKPOINT = "checkpoint"


class JournalError(Exception):
    """The log directory cannot be used; the message says what to do."""


class Slots:
    """The two slots."""

    def __init__(self, directory: Path) -> None:
        """Make the directory if need be, and lock it.

        A card that has become read-only (some file systems do so after an error) is taken as it is,
        for the sake of the match that is under way on it.

        Raises:
            JournalError: it cannot be made or written to, or another clock has it.
        """
        self._path = directory / CHECKPOINT
        self._generation = 0
        try:
            self._lock, self._file = _opened(self._path)
        except OSError as error:
            raise _unusable(directory, error) from error
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            durable.close(self._lock)
            raise JournalError(
                f"{directory}: another clock writes its logs there; end it, or set [log] directory"
                " to another folder"
            ) from error
        if self._file is not None:
            with suppress(OSError):  # so that it never grows, and a full disk does not matter
                os.posix_fallocate(self._file, 0, SLOTS * SLOT_SIZE)

    def require_writable(self) -> None:
        """For a new match a card that is read-only will not do.

        Raises:
            JournalError: it is.
        """
        try:
            self._writable()
        except OSError as error:
            raise _unusable(self._path.parent, error) from error

    def read(self) -> Checkpoint | None:
        """The newest valid one that can be read; the next to be written follows it."""
        slots = [self._read(at) for at in range(0, SLOTS * SLOT_SIZE, SLOT_SIZE)]
        self._generation, latest = decode(b"".join(slots))
        return latest

    def write(self, checkpoint: Checkpoint) -> None:
        """Write and sync.

        Raises:
            OSError: it is not on the disk.
            ValueError: it is too large for a slot.
        """
        at, slot = encode(self._generation + 1, checkpoint)
        durable.overwrite(self._writable(), slot, at)
        self._generation += 1

    def close(self) -> None:
        """Unlock the directory."""
        if self._file not in {None, self._lock}:
            durable.close(self._file or -1)
        durable.close(self._lock)
        self._lock, self._file = -1, None

    def _writable(self) -> int:
        """The file, open for writing: the card may be writable again."""
        if self._file is None:
            self._file = os.open(self._path, os.O_RDWR)
        return self._file

    def _read(self, at: int) -> bytes:
        """A slot; of one that cannot be read, nothing."""
        try:
            return os.pread(self._lock, SLOT_SIZE, at).ljust(SLOT_SIZE)
        except OSError:
            return bytes(SLOT_SIZE)


def _make(directory: Path) -> None:
    """Make a directory, if there is none, so that a power cut leaves it there."""
    if not directory.is_dir():
        directory.mkdir(parents=True)
        durable.sync_directory(directory.parent)


def _opened(path: Path) -> tuple[int, int | None]:
    """The file for reading, and for writing; None: the card is read-only."""
    try:
        _make(path.parent)
        slots = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        if error.errno == errno.EROFS and path.exists():
            return os.open(path, os.O_RDONLY), None
        raise
    if not os.access(path.parent, os.W_OK | os.X_OK):
        durable.close(slots)
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    return slots, slots


def _unusable(directory: Path, error: OSError) -> JournalError:
    return JournalError(
        f"{directory}: cannot be written to ({error.strerror}); set [log] directory to a folder"
        " that the clock may write to"
    )
