"""The checkpoint file: two slots written in turn, each with a checksum; the directory's lock.

A power cut can spoil the slot being written, and with it the erase block of the card in which it
lies. The other slot lies in another erase block, for the file has a hole between them; the newest
valid slot counts.
"""

import errno
import os
import zlib
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import msgspec

from clock.eventlog.recovery import Checkpoint
from clock.files import NotOursError
from clock.storage.disk import DISK, Disk, require_in_place

CHECKPOINT = "checkpoint"  # the file's name
LOCK = ".lock"  # locked while a clock uses the directory; whoever can open a file can lock it
LOCK_MODE = 0o600  # so nobody but the clock can open this one
SLOT_SIZE = 12288  # bytes; the largest state takes two thirds of it
BLOCK_SIZE = 4096  # bytes, in most file systems; most states take one block
SLOTS = 2
SLOT_DISTANCE = 4 << 20  # bytes; erase blocks of cards are not larger, and ext4 keeps the distance
_OFFSETS = range(0, SLOTS * SLOT_DISTANCE, SLOT_DISTANCE)
_MAX_FILE = SLOTS * SLOT_DISTANCE


class JournalError(Exception):
    """The log directory cannot be used; the message says what to do."""


def encode_slot(generation: int, checkpoint: Checkpoint) -> tuple[int, bytes]:
    """Return the offset in the file where a generation goes, and the bytes to write there.

    Raises:
        ValueError: it is too large for a slot and would spoil the other one.
    """
    body = b"%d %b" % (generation, msgspec.json.encode(checkpoint))
    slot = b"%08x %b\n" % (zlib.crc32(body), body)
    if len(slot) > SLOT_SIZE:
        raise ValueError(f"a state of {len(slot)} bytes, {SLOT_SIZE} at most")
    blocks = -(-len(slot) // BLOCK_SIZE)
    return generation % SLOTS * SLOT_DISTANCE, slot.ljust(blocks * BLOCK_SIZE)


def decode_slots(slots: Iterable[bytes]) -> tuple[int, Checkpoint | None]:
    """Return generation and checkpoint of the newest valid slot, or 0 and None."""
    valid = [decoded for slot in slots if (decoded := _decode_slot(slot)) is not None]
    return max(valid, key=lambda slot: slot[0], default=(0, None))


def read_checkpoint(path: Path) -> Checkpoint | None:
    """Return the newest valid checkpoint in a file, None if there is none."""
    try:
        file, _ = DISK.open_for_reading(path, _MAX_FILE)
    except OSError:
        return None
    try:
        return decode_slots(_read_slots(file, DISK))[1]
    finally:
        DISK.let_go(file)


def _decode_slot(slot: bytes) -> tuple[int, Checkpoint] | None:
    crc, _, body = slot.partition(b"\n")[0].partition(b" ")
    if crc != b"%08x" % zlib.crc32(body):
        return None
    generation, _, text = body.partition(b" ")
    try:
        return int(generation), msgspec.json.decode(text, type=Checkpoint)
    except (ValueError, RecursionError, msgspec.DecodeError):
        return None


class CheckpointFile:
    """The checkpoint file of a log directory, which no other clock can use while it is open."""

    def __init__(self, directory: Path, disk: Disk = DISK) -> None:
        """Create the directory if need be, and lock it.

        A card that has become read-only (some file systems do that after an error) is accepted, so
        that the match that is under way on it can resume.

        Raises:
            JournalError: it cannot be created or written to, or another clock uses it.
        """
        self._disk = disk
        self._directory = directory
        self._path = directory / CHECKPOINT
        self._generation = 0
        self._file: int | None = None  # for reading and writing; None: to be opened
        try:
            self._lock = _lock(directory, disk)
        except BlockingIOError as error:
            raise JournalError(
                f"{directory}: {error.strerror}; stop it, or set [log] directory to another folder"
            ) from error
        except OSError as error:
            raise _not_writable(directory, error) from error
        try:
            self._open()
        except OSError as error:
            if error.errno != errno.EROFS or not self._path.exists():
                disk.let_go(self._lock)
                raise _not_writable(directory, error) from error

    def require_writable(self) -> None:
        """Check that a new match can be saved; one under way resumes on a read-only card too.

        Raises:
            JournalError: the card is read-only.
        """
        try:
            self._open()
        except OSError as error:
            raise _not_writable(self._directory, error) from error

    def read(self) -> Checkpoint | None:
        """Return the newest valid checkpoint; the next to be written follows it."""
        try:
            file, _ = self._disk.open_for_reading(self._path, _MAX_FILE)
        except OSError:
            return None
        slots = _read_slots(file, self._disk)
        self._disk.let_go(file)
        self._generation, latest = decode_slots(slots)
        return latest

    def write(self, checkpoint: Checkpoint) -> None:
        """Write and sync.

        Raises:
            OSError: it is not on the disk.
            ValueError: it is too large for a slot.
        """
        at, slot = encode_slot(self._generation + 1, checkpoint)
        file = self._open()
        self._disk.overwrite(file, slot, at)
        try:
            require_in_place(file, self._path)
        except OSError:
            self._disk.let_go(file)
            self._file = None
            raise
        self._generation += 1

    def keep_copy(self, checkpoint: Checkpoint) -> None:
        """Keep a checkpoint as `<match>.checkpoint`, for people.

        Raises:
            OSError: it is not on the disk; or there is an earlier copy, which stays.
        """
        _, slot = encode_slot(1, checkpoint)
        file = self._disk.create(self._directory / f"{checkpoint.match}.{CHECKPOINT}")
        try:
            self._disk.append(file, slot)
        finally:
            self._disk.let_go(file)
        self._disk.sync_directory(self._directory)

    def follow_directory(self) -> None:
        """Create and lock the directory anew if it was deleted or replaced.

        Raises:
            OSError: that failed, or another clock uses the new one.
        """
        try:
            require_in_place(self._lock, self._directory / LOCK)
        except OSError:
            lock = _lock(self._directory, self._disk)
            self._disk.let_go(self._lock)
            self._lock = lock

    def close(self) -> None:
        """Unlock the directory."""
        if self._file is not None:
            self._disk.let_go(self._file)
        self._disk.let_go(self._lock)
        self._lock, self._file = -1, None

    def _open(self) -> int:
        """Return the file open for writing; try again on a card that was read-only."""
        if self._file is None:
            self.follow_directory()
            self._file = self._disk.open_for_writing(self._path, os.O_RDWR | os.O_CREAT)
            with suppress(OSError):  # have the space now, so that a full disk does not matter
                for at in _OFFSETS:
                    self._disk.allocate(self._file, at, SLOT_SIZE)
        return self._file


def _lock(directory: Path, disk: Disk) -> int:
    """Return the lock file open and locked; create it and the directory if need be.

    Raises:
        BlockingIOError: another clock has locked it.
        OSError: it cannot be created or written to.
    """
    if not directory.is_dir():
        disk.make_directory(directory)
        disk.sync_directory(directory.parent)
    if not (disk.may_write(directory) or disk.is_read_only(directory)):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    lock = _open_lock(directory, disk)
    try:
        import fcntl  # noqa: PLC0415 (not on Windows, where checkpoints are only read)
    except ImportError:  # in a browser's Python, where no other program is
        return lock
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        disk.let_go(lock)
        raise BlockingIOError(error.errno, "another clock writes its logs there") from error
    return lock


def _open_lock(directory: Path, disk: Disk) -> int:
    """Open the lock file, and make it if it is missing; a read-only card must have it already."""
    path = directory / LOCK
    try:
        return disk.open_for_writing(path, os.O_RDWR | os.O_CREAT, LOCK_MODE)
    except OSError as error:
        if error.errno != errno.EROFS or not path.exists():
            raise
    return disk.open_for_writing(path, os.O_RDONLY)


def _read_slots(file: int, disk: Disk) -> list[bytes]:
    return [_read_slot(file, at, disk) for at in _OFFSETS]


def _read_slot(file: int, at: int, disk: Disk) -> bytes:
    """Return a slot's bytes, or zeros if it cannot be read."""
    try:
        return disk.read_at(file, SLOT_SIZE, at)
    except OSError:
        return bytes(SLOT_SIZE)


def _not_writable(directory: Path, error: OSError) -> JournalError:
    if isinstance(error, NotOursError):
        return JournalError(f"{directory}: {error.strerror}; delete it, or move it elsewhere")
    return JournalError(
        f"{directory}: cannot be written to ({error.strerror}); set [log] directory to a folder"
        " that the clock may write to"
    )
