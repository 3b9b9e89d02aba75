"""The log on the disk: the only files the game writes.

A thread of its own appends each line with one `write` and makes it durable with `fdatasync`; the
loop never waits for it. The one rule: a line is either whole on the disk, or the displays say that
the log is not saved.
"""

import os
import queue
import threading
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from clock import checkpoint
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


class Journal:
    """The log directory of a clock, written by one thread."""

    def __init__(self, directory: Path) -> None:
        """Make the directory if need be and start the writer.

        Raises:
            JournalError: the directory cannot be made or written to.
        """
        self._directory = directory
        try:
            directory.mkdir(parents=True, exist_ok=True)
            self._slots = os.open(directory / CHECKPOINT, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise JournalError(
                f"{directory}: cannot be written to ({error.strerror}); set [log] directory to a"
                " folder that the clock may write to"
            ) from error
        self._generation = 0
        self._match = ""
        self._file: int | None = None
        self._jobs: queue.SimpleQueue[bytes | Checkpoint | None] = queue.SimpleQueue()
        self._faults: deque[Fault] = deque()
        self._failed = False
        self._writer = threading.Thread(target=self._write, name="journal", daemon=True)
        self._writer.start()

    # --- what the runtime asks for ------------------------------------------------------------

    def found(self) -> Found | None:
        """The match of the last run; a torn last line is cut off and kept beside the log.

        Returns:
            None if there is no match to go on with.
        """
        path = self._directory / CURRENT
        if not path.exists():
            return None
        path = path.resolve()
        data = path.read_bytes()
        whole = data.rfind(b"\n") + 1
        if whole < len(data):
            _keep_torn(path, data[whole:], whole)
        self._generation, latest = checkpoint.decode(self._read_slots())
        self._match = path.stem
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND)
        return Found(tuple(data[:whole].split(b"\n")[:-1]), latest)

    def begin(self, match: str) -> str:
        """Make the file of a new match, and let `current.jsonl` link to it.

        Raises:
            JournalError: it cannot be made.
        """
        name, number = match, 1
        while (self._directory / f"{name}.jsonl").exists():
            number += 1
            name = f"{match}-{number}"
        try:
            self._begin(name)
        except OSError as error:
            raise JournalError(
                f"{self._directory}: no log for a new match ({error.strerror}); make room or set"
                " [log] directory to another folder"
            ) from error
        return name

    def append(self, line: bytes) -> None:
        """Have a line written and synced."""
        self._jobs.put(line)

    def checkpoint(self, seq: int, at_ns: int, boot: str, state: MatchState) -> None:
        """Have a sign of life written and synced."""
        self._jobs.put(Checkpoint(self._match, seq, at_ns, boot, state))

    def drain(self) -> Sequence[Fault]:
        """What became of the disk since last asked."""
        faults = [self._faults.popleft() for _ in range(len(self._faults))]
        return faults

    def close(self) -> None:
        """Write what is waiting and end."""
        self._jobs.put(None)
        self._writer.join()
        for descriptor in (self._file, self._slots):
            if descriptor is not None:
                os.close(descriptor)

    # --- files --------------------------------------------------------------------------------

    def _begin(self, name: str) -> None:
        path = self._directory / f"{name}.jsonl"
        self._match = name
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND
        self._file = os.open(path, flags, 0o644)
        link = self._directory / f".{CURRENT}.new"
        link.unlink(missing_ok=True)
        link.symlink_to(path.name)
        link.rename(self._directory / CURRENT)
        _sync_directory(self._directory)

    def _read_slots(self) -> bytes:
        return os.pread(self._slots, checkpoint.SLOTS * checkpoint.SLOT_SIZE, 0)

    def _write(self) -> None:
        """The writer's life: one job after another, until None."""
        while (job := self._jobs.get()) is not None:
            try:
                self._do(job)
            except OSError as error:
                self._faults.append(Fault(PART, f"{error.strerror}: lines are not saved"))
                self._failed = True

    def _do(self, job: bytes | Checkpoint) -> None:
        if isinstance(job, Checkpoint):
            self._generation += 1
            at, slot = checkpoint.encode(self._generation, job)
            os.pwrite(self._slots, slot, at)
            os.fdatasync(self._slots)
        elif self._file is not None:
            os.write(self._file, job)
            os.fdatasync(self._file)


def _keep_torn(path: Path, torn: bytes, whole: int) -> None:
    """A torn last line is kept in a file of its own, then cut off."""
    path.with_suffix(".torn").write_bytes(torn)
    os.truncate(path, whole)
    _sync_directory(path.parent)


def _sync_directory(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
