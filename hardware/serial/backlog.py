"""The lines of one match that a serial line still has to send.

Lines are counted from 1, so a line's number is its `seq`. The latest are kept in memory, for they
may not be on the disk yet, or never if it fails; older ones are read from the log's file. Memory
does not grow with the match, and appending never waits for the disk.
"""

import threading
from collections import deque
from collections.abc import Callable, Generator
from typing import IO

KEEP_LINES = 1000  # about half a megabyte, and about as long as a match to 11

OpenLog = Callable[[], IO[bytes]]


class Backlog:
    """The lines of the present match; appended to by one thread, taken from by another."""

    def __init__(self, open_log: OpenLog, *, resumed: bool, keep: int = KEEP_LINES) -> None:
        """Start with an empty match, or with the one in the log.

        If the match in the log goes on, the log is read once, now, so that no line can be appended
        meanwhile. When `open_log` raises OSError, lines are lost. Memory keeps the last `keep`
        lines.
        """
        self.resumed = resumed
        self.lost = 0  # lines that were never sent, and cannot be any more
        self._open_log = open_log
        self._lock = threading.Lock()  # never held while the log is read
        self._match = object()  # another one for each match
        self._latest: deque[bytes] = deque(maxlen=keep)
        self._first, self._count = _summary(open_log) if resumed else (b"", 0)
        self._sent = 0  # number of the last line sent since the port was opened,
        self._reached = 0  # and since the match began
        self._awaited = False  # the other thread has found no line
        self._log_lines = _log_lines(open_log, b"", 1)
        self._log_at = 0  # number of the next of `_log_lines`, if the log is open

    def append(self, line: bytes) -> bool:
        """Add a line; return whether the other thread waits for it."""
        with self._lock:
            self._first = self._first or line
            self._count += 1
            self._latest.append(line)
            awaited, self._awaited = self._awaited, False
            return awaited

    def begin(self) -> None:
        """Begin a new match: lines of the last one that were not sent are lost."""
        with self._lock:
            self.lost += self._count - self._reached
            self._match = object()
            self._latest.clear()
            self._first, self._count, self._sent, self._reached = b"", 0, 0, 0

    def rewind(self) -> None:
        """Send the match from its first line again, to a new reader."""
        with self._lock:
            self._sent = 0

    def next(self) -> bytes:
        """Return the next line to send; b"" if all have been sent."""
        while True:
            with self._lock:
                match, number = self._match, self._sent + 1
                self._awaited = number > self._count
                line = self._from_memory(number)
            if line or self._awaited:
                self._log_lines.close()
                return line
            line = self._from_log(number)
            with self._lock:
                if match is not self._match:
                    continue
                if line:
                    self._note_sent(number)
                    return line
                self._skip_to_memory()

    def take_lost(self) -> int:
        """Return how many lines are lost, and count from 0 again."""
        with self._lock:
            lost, self.lost = self.lost, 0
            return lost

    # --- memory; with the lock held -----------------------------------------------------------

    @property
    def _oldest(self) -> int:
        """The number of the first line in memory, or of the next line if there is none."""
        return self._count - len(self._latest) + 1

    def _from_memory(self, number: int) -> bytes:
        if not self._oldest <= number <= self._count:
            return b""
        self._note_sent(number)
        return self._latest[number - self._oldest]

    def _note_sent(self, number: int) -> None:
        self._sent = number
        self._reached = max(self._reached, number)

    def _skip_to_memory(self) -> None:
        """Give up the lines that are neither in memory nor in the log."""
        self.lost += max(0, self._oldest - 1 - self._reached)
        self._note_sent(self._oldest - 1)

    # --- the log; of the thread that takes lines ------------------------------------------------

    def _from_log(self, number: int) -> bytes:
        """Return a line of the log; b"" if it has none such or cannot be read.

        At the end of the file the log is opened again: it may have grown, or be another file.
        """
        try:
            line = next(self._log_lines, b"") if number == self._log_at else b""
            if not line:
                self._log_lines.close()
                self._log_lines = _log_lines(self._open_log, self._first, number)
                line = next(self._log_lines, b"")
        except OSError:
            line = b""
        self._log_at = number + 1
        return line


def _log_lines(open_log: OpenLog, first: bytes, number: int) -> Generator[bytes, None, None]:
    """Yield the whole lines of a log from a number on; none if its first line is not `first`."""
    with open_log() as log:
        for at, line in enumerate(log, 1):
            if not line.endswith(b"\n") or (at == 1 and line != first):
                return
            if at >= number:
                yield line


def _summary(open_log: OpenLog) -> tuple[bytes, int]:
    """Return the first line of a log and the number of lines; b"" and 0 if it is unreadable."""
    first, count = b"", 0
    try:
        with open_log() as log:
            for line in log:
                first, count = first or line, count + 1
    except OSError:
        return b"", 0
    return first, count
