"""The lines of one match for a serial line, by their numbers: the latest here, older in the log.

Lines are counted from 1, so a line's number is its `seq`. The latest are kept in memory: they may
not be on the disk yet, or never if it fails. Whoever has missed more than those gets the older ones
from the log's file, which is known by its first line: it may be that of another match by now.

The one rule: however long a match lasts, memory does not grow; and whoever appends never waits.
"""

import threading
from collections import deque
from collections.abc import Callable, Iterator
from itertools import islice
from typing import IO

KEEP_LINES = 1000  # about half a megabyte, and about as long as a match to 11

Log = Callable[[], IO[bytes]]  # opens it


class Backlog:
    """Appended to by one thread, taken from by another."""

    def __init__(self, log: Log, *, resumed: bool, keep: int = KEEP_LINES) -> None:
        """Nobody has been sent anything yet.

        Args:
            log: opens the log of the present match; what it raises as OSError means lost lines.
            resumed: whether the match in the log goes on. It is read once, now, so that no line is
                appended meanwhile; if it cannot be read, what it holds is lost to the readers.
            keep: how many lines to keep in memory.
        """
        self.resumed = resumed
        self.lost = 0  # lines that no reader has been sent, and none can be any more
        self._log = log
        self._lock = threading.Lock()  # never held while the log is read
        self._match = 0  # of this run
        self._latest: deque[bytes] = deque(maxlen=keep)
        self._first = b""  # line of the match
        self._count = 0  # of its lines
        self._sent = 0  # the last that the present reader was sent,
        self._reached = 0  # and that any reader was
        self._awaited = False
        self._older: IO[bytes] | None = None  # the log as far as it was read, the taker's own
        self._older_at = 0  # number of its next line
        if resumed:
            self._first, self._count = _begun(log)

    def append(self, line: bytes) -> bool:
        """One more; returns whether the other thread has found none and waits for it."""
        with self._lock:
            self._first = self._first or line
            self._count += 1
            self._latest.append(line)
            awaited, self._awaited = self._awaited, False
            return awaited

    def begin(self) -> None:
        """A new match begins: the lines of the last one that were not sent are lost."""
        with self._lock:
            self.lost += self._count - self._reached
            self._match += 1
            self._latest.clear()
            self._first, self._count, self._sent, self._reached = b"", 0, 0, 0

    def rewind(self) -> None:
        """A new reader is there, who gets all of the match."""
        with self._lock:
            self._sent = 0

    def next(self) -> bytes:
        """The next line to be sent; nothing if all are."""
        while True:
            with self._lock:
                match, number = self._match, self._sent + 1
                self._awaited = number > self._count
                if self._awaited or number >= self._oldest:
                    line = b"" if self._awaited else self._latest[number - self._oldest]
                    self._send(number - self._awaited)
                    break
            line = self._read(number)
            with self._lock:
                if match == self._match:
                    if line:
                        self._send(number)
                        return line
                    self._skip()
        self._leave_log()
        return line

    def forget_losses(self) -> int:
        """How many lines are lost; from now on they are counted anew."""
        with self._lock:
            lost, self.lost = self.lost, 0
            return lost

    # --- its parts ----------------------------------------------------------------------------

    @property
    def _oldest(self) -> int:
        """The number of the first line in memory, or of the next if there is none."""
        return self._count - len(self._latest) + 1

    def _send(self, number: int) -> None:
        self._sent = number
        self._reached = max(self._reached, number)

    def _skip(self) -> None:
        """What is neither in memory nor in the log is lost."""
        self.lost += max(0, self._oldest - 1 - self._reached)
        self._send(self._oldest - 1)

    def _read(self, number: int) -> bytes:
        """A line of the log; nothing if there is none such, or it is another match's."""
        try:
            line = self._following() if number == self._older_at else b""
            line = line or self._opened(number)
        except OSError:
            line = b""
        self._older_at = number + 1 if line else 0
        return line

    def _opened(self, number: int) -> bytes:
        """A line of the log as it is now: another file may have taken its place."""
        self._leave_log()
        self._older = self._log()
        first = self._following()
        if first != self._first or number == 1:
            return first if first == self._first else b""
        return self._following(number - 2)

    def _following(self, skipping: int = 0) -> bytes:
        """The next whole line, or one after that."""
        lines: Iterator[bytes] = iter(self._older or ())
        line = next(islice(lines, skipping, None), b"")
        return line if line.endswith(b"\n") else b""

    def _leave_log(self) -> None:
        if self._older is not None:
            self._older.close()
        self._older, self._older_at = None, 0


def _begun(log: Log) -> tuple[bytes, int]:
    """The first line of a log, and how many there are; none if it cannot be read."""
    first, count = b"", 0
    try:
        with log() as lines:
            for line in lines:
                first, count = first or line, count + 1
    except OSError:
        return b"", 0
    return first, count
