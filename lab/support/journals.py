"""Journals for tests: the lines of a match, and a journal whose writer can be waited for."""

from pathlib import Path
from threading import Event

from clock.eventlog.codec import decode
from clock.eventlog.recovery import Checkpoint
from clock.match.state import MatchState
from clock.storage.disk import DISK, Disk
from clock.storage.journal import Journal
from clock.storage.writer_queue import Request, Retry
from lab.support.faulty_disk import WAIT_S, FaultyDisk
from lab.support.logs import monkey_logs
from lab.support.world import World

LINES = [line + b"\n" for line in monkey_logs(1, 60)[0]]
RAW = [line[:-1] for line in LINES]
NAME = decode(RAW[0], 1).envelope.match
STATE = World().state


class WatchedJournal(Journal):
    """A journal that can be waited for, and that writes checkpoints at once."""

    def _attempt(self, request: Request | Event) -> None:
        if isinstance(request, Event):
            request.set()
        else:
            super()._attempt(request)

    def wait(self) -> None:
        """Wait until the writer has carried out all requests."""
        done = Event()
        self._queue.put(done)  # type: ignore[arg-type]
        assert done.wait(WAIT_S)

    def retry(self) -> None:
        """Try to save what is not saved, as it happens every few seconds."""
        self._queue.put(Retry())
        self.wait()

    def add(self, *lines: bytes) -> None:
        """Append lines, and wait."""
        for line in lines:
            self.append(line)
        self.wait()

    def write_checkpoint(self, seq: int, state: MatchState = STATE) -> None:
        """Have one checkpoint written; no clock runs, so no other follows."""
        self._queue._checkpoint_ns = None
        self.checkpoint(seq, seq * 10, "boot", state)
        self.wait()

    def told(self, part: str = "log") -> list[str | None]:
        """What the loop is told of a part."""
        return [fault.what for fault in self.drain() if fault.part == part]


def opened(directory: Path, disk: Disk | None = None) -> WatchedJournal:
    """A journal on a disk; a faulty one has a time of its own."""
    if isinstance(disk, FaultyDisk):
        return WatchedJournal(directory, disk.now_ns, disk=disk)
    return WatchedJournal(directory, disk=disk or DISK)


def written(directory: Path, lines: list[bytes], match: str = "match", disk: Disk = DISK) -> Path:
    """Write the log of a match that has ended, and return its path."""
    journal = opened(directory, disk)
    name = journal.begin(match)
    journal.add(*lines)
    journal.close()
    assert journal.drain() == []
    return directory / f"{name}.jsonl"


def found(directory: Path, disk: Disk = DISK) -> tuple[tuple[bytes, ...] | None, Checkpoint | None]:
    """The lines and the checkpoint that a new journal finds."""
    journal = opened(directory, disk)
    try:
        saved = journal.reopen()
        return (saved.lines, saved.checkpoint) if saved else (None, None)
    finally:
        journal.close()


def found_lines(directory: Path, disk: Disk = DISK) -> tuple[bytes, ...] | None:
    """The lines that a new journal finds."""
    return found(directory, disk)[0]
