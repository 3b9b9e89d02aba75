"""The log on the disk: what the loop asks for, and the thread that does it.

The thread makes each line durable; the loop never waits for it. A file that has failed is not tried
again: see `MatchLog`. While nothing can be written the lines wait here, and the clock runs on.

The one rule: a line is either whole on the disk, or the displays say that the log is not saved.
"""

import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from clock.storage.disk_health import LOG, OPEN_BYTES, DiskFaults, no_room
from clock.storage.fsync import free_bytes
from clock.storage.log_reader import Files, Found, cut_off, files, names
from clock.match.state import MatchState
from clock.storage.log_files import CURRENT, MatchLog
from clock.runtime.ports import Fault
from clock.eventlog.recovery import Checkpoint
from clock.match.rules import SECOND_NS
from clock.storage.segment import Segment
from clock.storage.checkpoint_file import CHECKPOINT, JournalError, Slots
from clock.storage.writer_queue import Again, Begun, Job, Jobs, Saved

__all__ = ["CHECKPOINT", "CURRENT", "Found", "Journal", "JournalError"]

KEEP_BYTES = 16 << 20  # of a match's lines that wait in memory: two days of a busy clock
CLOSE_NS = SECOND_NS  # a write that takes longer does not hold up the end of the program
LINES, SIGNS = "lines", "signs of life"  # what may not be saved


def raw_ns() -> int:
    """The instant on the raw clock."""
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)


def _unusable(directory: Path, error: OSError) -> JournalError:
    return JournalError(f"{directory}: cannot be used ({error.strerror}); try another card")


class Journal:
    """The log directory of a clock, written by one thread."""

    def __init__(
        self,
        directory: Path,
        now_ns: Callable[[], int] = raw_ns,
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        """Make the directory if need be and start the writer.

        Args:
            directory: of the logs.
            now_ns: the instant on the raw clock: writes are timed.
            changed: called, from other threads, when `drain` has something to say.

        Raises:
            JournalError: the directory cannot be made or written to, or another clock has it.
        """
        self._directory = directory
        self._slots = Slots(directory)
        try:
            self._names = names(directory)  # that are taken
        except OSError as error:
            self._slots.close()
            raise _unusable(directory, error) from error
        self._faults = DiskFaults(directory, now_ns, changed)
        self._match = ""
        self._jobs = Jobs(now_ns, Saved(lambda: self._faults.is_well(LOG), self._all_saved))
        self._asked = self._saved = 0  # bytes of lines: given to the writer, and done with by it
        self._before = 0  # of them, those of earlier matches
        self._forgetting = False
        self._went_well = True  # for the writer: the present job, so far
        # From here on the writer's own, as soon as there is a job.
        self._logs: list[MatchLog] = []  # of the latest match, the last; of earlier ones what waits
        self._taken = 0
        self._writer = threading.Thread(target=self._write, name="journal", daemon=True)
        self._writer.start()

    @property
    def slowest_ns(self) -> int:
        """How long the slowest write took so far."""
        return self._faults.slowest_ns

    # --- what the runtime asks for ------------------------------------------------------------

    def require_room(self) -> None:
        """Ask this before a match is opened, never while one is under way.

        Raises:
            JournalError: there is too little space for a match, or the card is read-only.
        """
        self._slots.require_writable()
        try:
            free = free_bytes(self._directory)
        except OSError as error:
            raise _unusable(self._directory, error) from error
        if free < OPEN_BYTES:
            raise JournalError(no_room(self._directory, free))

    def found(self) -> Found | None:
        """The match of the last run; a torn last line is cut off and kept beside the log.

        Its log goes on, if need be in a new file.

        Returns:
            None if there is no match to go on with.

        Raises:
            JournalError: there is one, but it cannot be read.
        """
        link, latest = self._directory / CURRENT, self._slots.read()
        try:
            left = files(link)
        except OSError as error:
            raise JournalError(
                f"{link}: cannot be used ({error.strerror}); see to its permissions, or remove it"
                " to begin a new match (the logs stay)"
            ) from error
        if left is None:  # also if the power was cut while the first line was written
            return None
        self._go_on(left)
        return Found(left.lines, latest)

    def begin(self, match: str) -> str:
        """Have the file of a new match made, and `current.jsonl` link to it."""
        name, number = match, 1
        while name in self._names:
            number += 1
            name = f"{match}-{number}"
        self._match = name
        self._names.add(name)
        self._before, self._forgetting = self._asked, False
        self._faults.tell(LOG, "forgotten", None)
        self._jobs.put(Begun(name))
        return name

    def append(self, line: bytes) -> None:
        """Have a line written and synced."""
        waiting = self._asked - max(self._saved, self._before)
        self._forgetting |= waiting + len(line) > KEEP_BYTES
        if self._forgetting:  # a line after a gap would be of no use
            self._faults.tell(LOG, "forgotten", "too much waits: the rest of the match is not kept")
        else:
            self._asked += len(line)
            self._jobs.put(line)

    def checkpoint(self, seq: int, at_ns: int, boot: str, state: MatchState) -> None:
        """Have signs of life written and synced, while a clock runs."""
        self._jobs.tell(Checkpoint(self._match, seq, at_ns, boot, state))

    def late_ns(self) -> int | None:
        """See `Log.late_ns`."""
        return self._faults.late_ns(waiting=self._asked != self._saved)

    def drain(self) -> Sequence[Fault]:
        """What became of the disk since last asked."""
        return self._faults.drain()

    def close(self) -> None:
        """Write what is waiting and end; but never wait for a disk that hangs."""
        self._jobs.put(None)
        while self._writer.is_alive() and self._faults.under_way_ns() < CLOSE_NS:
            self._writer.join(0.1)
        if not self._writer.is_alive():
            for log in self._logs:
                log.leave()
            self._slots.close()

    def _go_on(self, left: Files) -> None:
        self._match = left.match
        segment = Segment(left.last, left.saved)
        try:
            if left.torn:
                cut_off(left)
            segment.open()
        except OSError as error:  # it can be read, and so written anew
            self._not_saved(LINES, error)
        self._logs = [MatchLog(self._directory, left.match, segment)]
        self._jobs.put(Again())

    # --- the writer ---------------------------------------------------------------------------

    def _write(self) -> None:
        """One job after another, until None; then once more what could not be written."""
        while (job := self._jobs.next()) is not None:
            self._attempt(job)
        self._attempt(Again())

    def _attempt(self, job: Job) -> None:
        sign, self._went_well = isinstance(job, Checkpoint), True
        what = SIGNS if sign else LINES
        try:
            with self._faults.writing():
                self._do(job)
        except Exception as error:  # noqa: BLE001 (a thread's top)
            self._not_saved(what, error)
        if self._went_well:
            self._faults.tell(LOG, what, None)
        if not sign:
            self._faults.check_space(opening=isinstance(job, Begun))

    def _do(self, job: Job) -> None:
        match job:
            case Checkpoint():
                self._slots.write(job)
            case Begun(match):
                self._begin(match)
                self._save()
            case bytes():
                self._logs[-1].take(job)
                self._taken += len(job)
                self._save()
            case Again():
                self._save()

    def _begin(self, match: str) -> None:
        for log in self._logs:
            log.leave()
            log.latest = False
        self._logs = [log for log in self._logs if log.waits]
        self._logs.append(MatchLog(self._directory, match))
        self._logs[-1].begin()

    def _save(self) -> None:
        """Bring to the disk what is not there: of the latest match, then of those before it."""
        for log in reversed(self._logs):
            self._save_log(log)
        self._logs = self._logs[-1:]
        self._saved = self._taken

    def _all_saved(self) -> bool:
        return not (self._forgetting or any(log.waits for log in self._logs))

    def _save_log(self, log: MatchLog) -> None:
        if log.usable:
            try:
                log.append()
            except OSError as error:
                self._not_saved(LINES, error)
            else:
                return
        log.anew()
        if not log.latest:
            log.leave()

    def _not_saved(self, what: str, error: Exception) -> None:
        self._went_well = False
        why = (error.strerror if isinstance(error, OSError) else None) or error
        self._faults.tell(LOG, what, f"{why}: {what} are not saved")
