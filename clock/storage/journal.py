"""The log directory of a clock: the loop's side, and the thread that writes.

The loop hands over lines and checkpoints and never waits for the disk. Every line is either on the
disk, or the displays warn that the log is not saved; while nothing can be written the lines wait in
memory and the clock runs on.
"""

import errno
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Thread

from clock.eventlog.recovery import Checkpoint
from clock.files import NotOursError
from clock.match.faults import Fault
from clock.match.state import MatchState
from clock.storage.checkpoint import CheckpointFile, JournalError
from clock.storage.disk import DISK, Disk
from clock.storage.disk_health import LOG, OPEN_BYTES, DiskHealth, no_room
from clock.storage.last_match import find_last_match
from clock.storage.log_files import MatchLog
from clock.storage.log_reader import CURRENT, LogFiles, SavedMatch, cut_torn_end, match_names
from clock.storage.segment import Segment
from clock.storage.writer_queue import Request, Retry, StartMatch, WriteQueue
from clock.units import SECOND_NS

__all__ = ["Journal", "JournalError"]

MAX_QUEUED_BYTES = 16 << 20  # of a match's unsaved lines in memory: two days of a busy clock
CLOSE_NS = SECOND_NS  # the end of the program does not wait for a write that takes longer
LINES, CHECKPOINTS = "log lines", "checkpoints"  # what may not be saved


def raw_ns() -> int:
    """Return the instant on the raw clock."""
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)


class Journal:
    """The log directory of a clock, written by one thread."""

    def __init__(
        self,
        directory: Path,
        now_ns: Callable[[], int] = raw_ns,
        changed: Callable[[], None] = lambda: None,
        disk: Disk = DISK,
        *,
        threaded: bool = True,
    ) -> None:
        """Create the directory if need be, lock it and start the writer.

        `changed` is called, from other threads, when `drain` has something to return. Without a
        thread each line is written before `append` returns, and no checkpoint is repeated.

        Raises:
            JournalError: the directory cannot be created or written to, or another clock uses it.
        """
        self._directory = directory
        self._disk = disk
        self._checkpoints = CheckpointFile(directory, disk)
        try:
            self._used_names = match_names(directory, disk)
        except OSError as error:
            self._checkpoints.close()
            raise _unreadable(directory, error) from error
        self._health = DiskHealth(directory, disk, now_ns, changed)
        self._match = ""
        self._queue = WriteQueue(now_ns, lambda: self._health.is_well(LOG), self._all_saved)
        self._put_bytes = self._saved_bytes = 0  # of lines: put in the queue, and saved or dropped
        self._earlier_bytes = 0  # put for earlier matches
        self._is_full = False  # the rest of this match is not logged
        # From here on only the writer's thread uses these, once there is a request.
        self._succeeded = True  # the present request, so far
        self._logs: list[MatchLog] = []  # unsaved ones of earlier matches, then the latest match's
        self._taken_bytes = 0  # of lines, from the queue
        self._writer: Thread | None = None
        if threaded:
            self._writer = Thread(target=self._write, name="journal", daemon=True)
            self._writer.start()

    @property
    def slowest_ns(self) -> int:
        """How long the slowest write has taken."""
        return self._health.slowest_ns

    # --- what the loop calls ------------------------------------------------------------------

    def require_room(self) -> None:
        """Check that a new match can be logged; not to be called while one is under way.

        Raises:
            JournalError: there is too little space for a match, or the card is read-only.
        """
        self._checkpoints.require_writable()
        try:
            free = self._disk.free_bytes(self._directory)
        except OSError as error:
            raise _unreadable(self._directory, error) from error
        if free < OPEN_BYTES:
            raise JournalError(no_room(self._directory, free))

    def reopen(self) -> SavedMatch | None:
        """Return the match of the last run, and continue its log.

        A torn last line is cut off and kept beside the log. A log that cannot be written to
        continues in a new file.

        Returns:
            None if the directory shows no match. Without lines: there is no usable log.

        Raises:
            JournalError: there is a log, but it cannot be read.
        """
        last = find_last_match(self._directory, self._checkpoints.read(), self._disk)
        if last is not None and last.log is not None:
            self._continue_log(last.log, publish=not last.is_linked)
        return last and last.saved

    def keep_checkpoint(self) -> None:
        """Keep a copy of the checkpoint of a match that does not go on, if the disk allows it."""
        with suppress(OSError, ValueError):
            if (checkpoint := self._checkpoints.read()) is not None:
                self._checkpoints.keep_copy(checkpoint)

    def begin(self, match: str) -> str:
        """Start the log of a new match, and link `current.jsonl` to it; return its unique name."""
        name, number = match, 1
        while name in self._used_names:
            number += 1
            name = f"{match}-{number}"
        self._match = name
        self._used_names.add(name)
        self._earlier_bytes, self._is_full = self._put_bytes, False
        self._health.report(LOG, "full", None)
        self._put(StartMatch(name))
        return name

    def append(self, line: bytes) -> None:
        """Queue a line to be written and synced."""
        queued = self._put_bytes - max(self._saved_bytes, self._earlier_bytes)
        self._is_full |= queued + len(line) > MAX_QUEUED_BYTES
        if self._is_full:  # a line after a gap would be of no use
            full = "Write queue full: the rest of this match is not logged"
            self._health.report(LOG, "full", full)
        else:
            self._put_bytes += len(line)
            self._put(line)

    def checkpoint(self, seq: int, at_ns: int, boot: str, state: MatchState) -> None:
        """Have this state written as the checkpoint, again and again while its clock runs."""
        checkpoint = Checkpoint(self._match, seq, at_ns, boot, state)
        if self._writer is None:
            self._attempt(checkpoint)
        else:
            self._queue.update_checkpoint(checkpoint)

    def late_ns(self) -> int | None:
        """See `EventLog.late_ns`."""
        return self._health.late_ns(waiting=self._put_bytes != self._saved_bytes)

    def drain(self) -> Sequence[Fault]:
        """Return the disk's faults and recoveries since the last call."""
        return self._health.drain()

    def close(self) -> None:
        """Write what is queued and end, without waiting for a disk that hangs."""
        writer = self._writer
        if writer is None:
            self._attempt(Retry())
        else:
            self._queue.put(None)
            while writer.is_alive() and self._health.write_age_ns() < CLOSE_NS:
                writer.join(0.1)
        if writer is None or not writer.is_alive():
            for log in self._logs:
                log.close()
            self._checkpoints.close()

    def _continue_log(self, log: LogFiles, *, publish: bool) -> None:
        self._match = log.match
        is_outside = log.last.parent != self._directory.resolve()
        if is_outside:
            self._fail(LINES, NotOursError(self._directory / CURRENT, "a link out of its folder"))
        if is_outside or not log.is_plain:  # somebody else has written it anew: it is left as it is
            self._logs = [MatchLog(self._directory, log.match, self._disk)]
            self._logs[0].copy(log.lines[-1:] if log.goes_on and not is_outside else log.lines)
            self._put(Retry())
            return
        segment = Segment(log.last, self._disk, log.saved)
        try:
            if log.torn:
                cut_torn_end(log, self._disk)
            segment.open()
        except OSError as error:  # it could be read, so it can be moved to a new file
            self._fail(LINES, error)
        self._logs = [MatchLog(self._directory, log.match, self._disk, segment)]
        if publish:
            with suppress(OSError):  # the checkpoint leads to the log, too
                self._logs[0].publish()
        self._put(Retry())

    def _put(self, request: Request) -> None:
        """Have a request carried out: by the writer, or now if there is no thread."""
        if self._writer is None:
            self._attempt(request)
        else:
            self._queue.put(request)

    # --- the writer's thread ------------------------------------------------------------------

    def _write(self) -> None:
        """Carry out requests until None, then try once more to save what could not be saved."""
        while (request := self._queue.next()) is not None:
            self._attempt(request)
        self._attempt(Retry())

    def _attempt(self, request: Request) -> None:
        what = CHECKPOINTS if isinstance(request, Checkpoint) else LINES
        self._succeeded = True
        try:
            with self._health.timing_write():
                self._carry_out(request)
        except Exception as error:  # noqa: BLE001 (a thread's top)
            self._fail(what, error)
        if self._succeeded:
            self._health.report(LOG, what, None)
        if what is LINES:
            self._health.check_space(opening=isinstance(request, StartMatch))

    def _carry_out(self, request: Request) -> None:
        match request:
            case Checkpoint():
                self._write_checkpoint(request)
            case StartMatch(match):
                self._start_match(match)
                self._save()
            case bytes():
                self._logs[-1].add(request)
                self._taken_bytes += len(request)
                self._save()
            case Retry():
                self._save()

    def _write_checkpoint(self, checkpoint: Checkpoint) -> None:
        try:
            self._checkpoints.write(checkpoint)
        except OSError as error:
            if error.errno == errno.ESTALE and self._logs and self._logs[-1].find_missing():
                self._queue.put(Retry())
            raise

    def _start_match(self, match: str) -> None:
        for log in self._logs:
            log.close()
            log.is_latest = False
        self._logs = [log for log in self._logs if log.has_unsynced]
        self._logs.append(MatchLog(self._directory, match, self._disk))
        self._logs[-1].create()

    def _save(self) -> None:
        """Save all unsaved lines, those of the latest match first."""
        for log in reversed(self._logs):
            self._save_log(log)
        self._logs = self._logs[-1:]
        self._saved_bytes = self._taken_bytes

    def _save_log(self, log: MatchLog) -> None:
        if log.is_open:
            try:
                log.flush()
            except OSError as error:
                self._fail(LINES, error)
            else:
                return
        self._checkpoints.follow_directory()
        log.move()
        if not log.is_latest:
            log.close()

    def _all_saved(self) -> bool:
        return not (self._is_full or any(log.has_unsynced for log in self._logs))

    def _fail(self, what: str, error: Exception) -> None:
        self._succeeded = False
        why = (error.strerror if isinstance(error, OSError) else None) or error
        self._health.report(LOG, what, f"{why}: {what} are not saved")


def _unreadable(directory: Path, error: OSError) -> JournalError:
    return JournalError(f"{directory}: cannot be read ({error.strerror}); try another card")
