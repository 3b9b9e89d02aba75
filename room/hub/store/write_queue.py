"""What waits to be written, and the thread that writes it."""

import threading
import time
from collections.abc import Callable, Sequence

from room.hub.store.items import Item
from room.lines.backlog import Backlog

RETRY_S = 2.0  # between attempts to write what could not be written
GATHER_S = 0.2  # what comes meanwhile shares a transaction: to commit costs more than to write
CLOSE_S = 5.0  # the end of the program does not wait longer for the disk


class WriteQueue:
    """Items in the order in which they are written, all that wait at once."""

    def __init__(self, write: Callable[[Sequence[Item]], str]) -> None:
        """Write nothing before `start`.

        Args:
            write: writes items and calls `written`, or returns why that is not possible.
        """
        self.changed = threading.Condition()  # of all that the thread and its callers share
        self._write = write
        self._waiting: list[Item] = []
        self._since_ns = 0  # since when at most the oldest of these waits
        self._writing_ns = 0  # since when; 0: nothing is being written
        self._closing = False
        self._flushing = 0  # callers that wait for it
        self._trouble = ""
        self._thread = threading.Thread(target=self._run, name="database", daemon=True)

    def start(self) -> None:
        """Begin to write."""
        self._thread.start()

    def put(self, items: Sequence[Item]) -> None:
        """Have items written; return at once."""
        with self.changed:
            if not self._waiting:
                self._since_ns = time.monotonic_ns()
                self.changed.notify_all()  # later ones find the thread awake, or gathering
            self._waiting.extend(items)

    def waiting(self) -> list[Item]:
        """Return what is not written yet."""
        with self.changed:
            return list(self._waiting)

    def written(self, count: int, begun_ns: int) -> None:
        """Note that the first items are written: all that waited at an instant."""
        with self.changed:
            del self._waiting[:count]
            self._since_ns = begun_ns

    def troubles(self) -> list[str]:
        """Return why nothing can be written, in words."""
        with self.changed:
            return [self._trouble] if self._trouble else []

    def writes_ns(self) -> int:
        """Return since when something is being written, which may hang; 0: nothing is."""
        with self.changed:
            return time.monotonic_ns() - self._writing_ns if self._writing_ns else 0

    def backlog(self) -> Backlog:
        """Return how much waits, and for how long."""
        with self.changed:
            oldest_ns = time.monotonic_ns() - self._since_ns if self._waiting else 0
            return Backlog(len(self._waiting), oldest_ns)

    def flush(self) -> bool:
        """Wait until everything is written, or cannot be; return whether it is."""
        with self.changed:
            self._flushing += 1
            self.changed.notify_all()
            self.changed.wait_for(lambda: not (self._waiting or self._writing_ns) or self._trouble)
            self._flushing -= 1
            return not self._waiting

    def close(self) -> bool:
        """Write what is left; return whether the thread has ended."""
        with self.changed:
            self._closing = True
            self.changed.notify_all()
        self._thread.join(CLOSE_S)
        return not self._thread.is_alive()

    def write_waiting(self) -> str:
        """Write all that waits now; return why that is not possible, or ""."""
        with self.changed:
            items = list(self._waiting)
            self._writing_ns = time.monotonic_ns()
        error = self._write(items) if items else ""
        with self.changed:
            self._trouble, self._writing_ns = error, 0
            self.changed.notify_all()
        return error

    def _run(self) -> None:
        while True:
            with self.changed:
                self.changed.wait_for(lambda: self._waiting or self._closing)
                self.changed.wait_for(lambda: self._flushing or self._closing, GATHER_S)
                closing_now = self._closing
            error = self.write_waiting()
            with self.changed:
                if closing_now and (error or not self._waiting):
                    return
                if error:
                    self.changed.wait_for(lambda: self._closing, RETRY_S)
