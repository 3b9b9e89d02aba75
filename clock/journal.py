"""The log on the disk: the only files the game writes.

A thread of its own appends each line with one `write` and makes it durable with `fdatasync`; the
loop never waits for it. When that fails, the kernel may take pages for written that are not, so the
same file is not tried again: all lines of the match, which are kept in memory, go into a new file
in its place, at every further line until that works; and the clock runs on.

The one rule: a line is either whole on the disk, or the displays say that the log is not saved.
"""

import errno
import fcntl
import os
import queue
import threading
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from clock import checkpoint
from clock.codec import checksum
from clock.match import MatchState
from clock.ports import Fault
from clock.recovery import Checkpoint

CURRENT = "current.jsonl"
CHECKPOINT = "checkpoint"
PART = "log"  # of the clock, in faults


class JournalError(Exception):
    """The log directory cannot be used; the message says what to do."""


class Found(NamedTuple):
    """What the last run of the program left behind."""

    lines: tuple[bytes, ...]  # without their line feeds
    latest: Checkpoint | None


class _Begun(NamedTuple):
    """A new match, for the writer."""

    match: str


class Journal:
    """The log directory of a clock, written by one thread."""

    def __init__(self, directory: Path) -> None:
        """Make the directory if need be and start the writer.

        Raises:
            JournalError: the directory cannot be made or written to, or another clock has it.
        """
        self._directory = directory
        self._slots = _slots_file(directory)
        self._match = ""
        self._begun: set[str] = set()  # their files may not have been made yet
        self._faults: deque[Fault] = deque()
        self._jobs: queue.SimpleQueue[bytes | Checkpoint | _Begun | None] = queue.SimpleQueue()
        # From here on the writer's own, as soon as there is a job.
        self._generation = 0
        self._path = directory
        self._file: int | None = None  # None: it failed, or could not be made
        self._lines: list[bytes] = []  # of the match, all of them
        self._failing: set[str] = set()
        self._writer = threading.Thread(target=self._write, name="journal", daemon=True)
        self._writer.start()

    # --- what the runtime asks for ------------------------------------------------------------

    def found(self) -> Found | None:
        """The match of the last run; a torn last line is cut off and kept beside the log.

        Returns:
            None if there is no match to go on with.

        Raises:
            JournalError: there is one, but it cannot be read or written to.
        """
        link = self._directory / CURRENT
        try:
            return self._found(link.resolve()) if link.exists() else None
        except OSError as error:
            raise JournalError(
                f"{link}: cannot be used ({error.strerror}); see to its permissions, or remove it"
                " to begin a new match (the logs stay)"
            ) from error

    def begin(self, match: str) -> str:
        """Have the file of a new match made, and `current.jsonl` link to it."""
        name, number = match, 1
        while name in self._begun or (self._directory / f"{name}.jsonl").exists():
            number += 1
            name = f"{match}-{number}"
        self._match = name
        self._begun.add(name)
        self._jobs.put(_Begun(name))
        return name

    def append(self, line: bytes) -> None:
        """Have a line written and synced."""
        self._jobs.put(line)

    def checkpoint(self, seq: int, at_ns: int, boot: str, state: MatchState) -> None:
        """Have a sign of life written and synced."""
        self._jobs.put(Checkpoint(self._match, seq, at_ns, boot, state))

    def drain(self) -> Sequence[Fault]:
        """What became of the disk since last asked."""
        return [self._faults.popleft() for _ in range(len(self._faults))]

    def close(self) -> None:
        """Write what is waiting and end."""
        self._jobs.put(None)
        self._writer.join()
        self._leave_file()
        os.close(self._slots)

    # --- files --------------------------------------------------------------------------------

    def _found(self, path: Path) -> Found | None:
        data = path.read_bytes()
        whole = _whole(data)
        if whole < len(data):
            _cut_off(path, data[whole:], whole)
        self._generation, latest = checkpoint.decode(self._read_slots())
        lines = tuple(data[:whole].split(b"\n")[:-1])
        if not lines:  # the power was cut while the first line was written
            return None
        self._match, self._path = path.stem, path
        self._lines = [line + b"\n" for line in lines]
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND)
        return Found(lines, latest)

    def _read_slots(self) -> bytes:
        return os.pread(self._slots, checkpoint.SLOTS * checkpoint.SLOT_SIZE, 0)

    def _write(self) -> None:
        """The writer's life: one job after another, until None."""
        while (job := self._jobs.get()) is not None:
            what = "signs of life" if isinstance(job, Checkpoint) else "lines"
            try:
                self._do(job, what)
            except (OSError, ValueError) as error:
                self._failed(what, error)
            else:
                self._works(what)

    def _do(self, job: bytes | Checkpoint | _Begun, what: str) -> None:
        match job:
            case _Begun(match):
                self._begin(match)
            case Checkpoint():
                self._generation += 1
                at, slot = checkpoint.encode(self._generation, job)
                os.pwrite(self._slots, slot, at)  # after a failure too: an old slot does no harm
                os.fdatasync(self._slots)
            case bytes():
                self._lines.append(job)
                self._append(job, what)

    def _append(self, line: bytes, what: str) -> None:
        if self._file is not None:
            try:
                _write_durably(self._file, line)
            except OSError as error:
                self._leave_file()
                self._failed(what, error)
            else:
                return
        self._write_anew()

    def _begin(self, match: str) -> None:
        self._leave_file()
        self._path, self._lines = self._directory / f"{match}.jsonl", []
        self._make(self._path)

    def _write_anew(self) -> None:
        """All lines of the match in a new file, which takes the place of the one that failed."""
        new = self._path.with_suffix(".new")
        new.unlink(missing_ok=True)
        try:
            self._make(new, b"".join(self._lines))
        except OSError:
            with suppress(OSError):  # it takes room that the next attempt may need
                new.unlink(missing_ok=True)
            raise

    def _make(self, path: Path, content: bytes = b"") -> None:
        """Make a durable file, give it its name and the link, and go on in it."""
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o644)
        try:
            if content:
                _write_durably(file, content)
            path.rename(self._path)
            link = self._directory / f".{CURRENT}.new"
            link.unlink(missing_ok=True)
            link.symlink_to(self._path.name)
            link.rename(self._directory / CURRENT)
            _sync_directory(self._directory)
        except OSError:
            os.close(file)
            raise
        self._file = file

    def _leave_file(self) -> None:
        if self._file is not None:
            os.close(self._file)
        self._file = None

    # --- faults -------------------------------------------------------------------------------

    def _failed(self, what: str, error: OSError | ValueError) -> None:
        if what not in self._failing:
            why = error.strerror if isinstance(error, OSError) else error
            self._faults.append(Fault(PART, f"{why}: {what} are not saved"))
        self._failing.add(what)

    def _works(self, what: str) -> None:
        if self._failing == {what}:
            self._faults.append(Fault(PART, None))
        self._failing.discard(what)


def _slots_file(directory: Path) -> int:
    """The checkpoint's file, open and locked: two clocks in one directory would spoil its logs."""
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
        os.close(slots)
        raise JournalError(
            f"{directory}: another clock writes its logs there; end it, or set [log] directory to"
            " another folder"
        ) from error
    return slots


def _whole(data: bytes) -> int:
    """How many bytes of a log are whole lines, as far as its last one can have been torn.

    A bad line before the last is not torn but damaged; it stays, and replaying says where it is.
    """
    whole = data.rfind(b"\n") + 1
    *before, last = data[:whole].split(b"\n")[:-1] or [b""]
    crc = 0
    for line in before:
        right = checksum(line, crc)
        if right is None:
            return whole
        crc = right
    return whole if checksum(last, crc) is not None else max(0, whole - len(last) - 1)


def _cut_off(path: Path, torn: bytes, whole: int) -> None:
    """A torn last line is kept in a file of its own, then cut off."""
    with path.with_suffix(".torn").open("ab", buffering=0) as kept:
        _write_durably(kept.fileno(), torn)
    with path.open("r+b", buffering=0) as log:
        log.truncate(whole)
        os.fsync(log.fileno())
    _sync_directory(path.parent)


def _write_durably(file: int, data: bytes) -> None:
    """One write, one sync; a write that is not whole has failed.

    Raises:
        OSError: it is not on the disk.
    """
    if os.write(file, data) != len(data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    os.fdatasync(file)


def _sync_directory(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
