"""What is wrong with the disk, for the loop: also while the writer hangs in a call that never ends.

What is told makes lines in the log; so a trouble is over only when something has gone well, else a
disk that is bad again and again would be written to for ever. The one rule: each trouble is told
once when it begins, and all is well only when none is left.
"""

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from clock.storage.fsync import free_bytes
from clock.runtime.ports import Fault
from clock.match.rules import SECOND_NS

LOG, SPACE = "log", "space"  # parts of the clock
SLOW_NS = 2 * SECOND_NS  # a write of more than that
MEGABYTE = 10**6
OPEN_BYTES = 8 * MEGABYTE  # a match is not opened with less: some ten matches
LOW_BYTES = 64 * MEGABYTE  # the director is told
ENOUGH_BYTES = 72 * MEGABYTE  # and no more is: not at each file that comes and goes


class DiskFaults:
    """The troubles of a log directory and its writer."""

    def __init__(
        self, directory: Path, now_ns: Callable[[], int], changed: Callable[[], None]
    ) -> None:
        """Nothing is wrong.

        Args:
            directory: of the logs.
            now_ns: the instant on the raw clock.
            changed: called, from any thread, when `drain` has something to say.
        """
        self.slowest_ns = 0  # of all writes so far
        self._directory = directory
        self._now_ns = now_ns
        self._changed = changed
        self._lock = threading.Lock()  # of all below; never for long
        self._since_ns: int | None = None  # the write under way
        self._kinds: dict[str, set[str]] = {LOG: set(), SPACE: set()}
        self._news: deque[Fault] = deque()

    def drain(self) -> list[Fault]:
        """What became of the disk since last asked."""
        with self._lock:
            if self.under_way_ns() > SLOW_NS:
                self._tell(LOG, "slow", _SLOW)
            return [self._news.popleft() for _ in range(len(self._news))]

    def tell(self, part: str, kind: str, what: str | None) -> None:
        """A kind of trouble with a part has begun, or (None) is over; said again, it is no news."""
        with self._lock:
            self._tell(part, kind, what)
            news = bool(self._news)
        if news:
            self._changed()

    def is_well(self, part: str) -> bool:
        """Nothing is wrong with a part."""
        with self._lock:
            return not self._kinds[part]

    def under_way_ns(self) -> int:
        """How long the present write has been under way."""
        since_ns = self._since_ns
        return 0 if since_ns is None else self._now_ns() - since_ns

    def late_ns(self, *, waiting: bool) -> int | None:
        """When to drain, for a write that is under way then has taken too long.

        Args:
            waiting: whether there will be one, if there is none yet.
        """
        since_ns = self._since_ns
        if since_ns is None:
            since_ns = self._now_ns() if waiting and self.is_well(LOG) else None
        is_known = "slow" in self._kinds[LOG]
        return None if since_ns is None or is_known else since_ns + SLOW_NS + 1

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Around a write: it is timed."""
        self._since_ns = self._now_ns()
        try:
            yield
        finally:
            self._written()

    def check_space(self, *, opening: bool = False) -> None:
        """Look how much may still be written."""
        with suppress(OSError):  # then the writes will fail, and be told
            free = free_bytes(self._directory)
            if opening and free < OPEN_BYTES:
                self.tell(SPACE, "none", no_room(self._directory, free))
            elif free >= OPEN_BYTES:
                self.tell(SPACE, "none", None)
            if free < LOW_BYTES:
                self.tell(SPACE, "low", _low(self._directory, free))
            elif free >= ENOUGH_BYTES:
                self.tell(SPACE, "low", None)

    def _written(self) -> None:
        with self._lock:
            taken_ns, self._since_ns = self.under_way_ns(), None
            self.slowest_ns = max(self.slowest_ns, taken_ns)
            self._tell(LOG, "slow", _SLOW if taken_ns > SLOW_NS else None)
            news = bool(self._news)
        if news:
            self._changed()

    def _tell(self, part: str, kind: str, what: str | None) -> None:
        kinds = self._kinds[part]
        if what is not None and kind not in kinds:
            kinds.add(kind)
            self._news.append(Fault(part, what))
        elif what is None and kind in kinds:
            kinds.discard(kind)
            if not kinds:
                self._news.append(Fault(part, None))


_SLOW = (
    f"slow: a write has taken more than {SLOW_NS // SECOND_NS} s; lines wait in memory: change the"
    " card after the match"
)


def no_room(directory: Path, free: int) -> str:
    """Why no match should be opened."""
    return (
        f"{directory}: only {free // MEGABYTE} MB free, and a match needs {OPEN_BYTES // MEGABYTE};"
        " copy old logs to another place and delete them here"
    )


def _low(directory: Path, free: int) -> str:
    return (
        f"{directory}: {free // MEGABYTE} MB free; after the match, copy old logs to another place"
        " and delete them here"
    )
