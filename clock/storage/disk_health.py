"""The health of the log directory: faults for the loop, also while the writer hangs in a call.

Each kind of fault is reported once when it begins, and a part is reported well again once none is
left. A kind ends only after a success: every report becomes a line in the log, so a disk that fails
again and again must not cause ever more writes.
"""

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from clock.match.faults import Fault
from clock.storage.disk import Disk
from clock.units import SECOND_NS

LOG, SPACE = "log", "space"  # parts of the clock
SLOW_NS = 2 * SECOND_NS  # a longer write is a fault
MEGABYTE = 10**6
OPEN_BYTES = 8 * MEGABYTE  # needed to open a match: room for some ten matches
LOW_BYTES = 64 * MEGABYTE  # warn below this
ENOUGH_BYTES = 72 * MEGABYTE  # end the warning: not at each file that comes and goes

_SLOW = (
    f"card slow: a write takes more than {SLOW_NS // SECOND_NS} s, log lines wait in memory;"
    " change the card after the match"
)


class DiskHealth:
    """The faults of a log directory and its writer; its methods may be called from any thread."""

    def __init__(
        self, directory: Path, disk: Disk, now_ns: Callable[[], int], changed: Callable[[], None]
    ) -> None:
        """Start without faults.

        `changed` is called, from any thread, when `drain` has something to return.
        """
        self.slowest_ns = 0  # of all writes so far
        self._directory = directory
        self._disk = disk
        self._now_ns = now_ns
        self._changed = changed
        self._lock = threading.Lock()  # for changes of all below; held for moments only
        self._write_began_ns: int | None = None  # None: no write is in progress
        self._kinds: dict[str, set[str]] = {LOG: set(), SPACE: set()}  # present faults of each part
        self._news: deque[Fault] = deque()

    def drain(self) -> list[Fault]:
        """Return the changes since the last call."""
        if not self._news and self.write_age_ns() <= SLOW_NS:
            return []
        with self._lock:
            if self.write_age_ns() > SLOW_NS:
                self._update(LOG, "slow", _SLOW)
            return [self._news.popleft() for _ in range(len(self._news))]

    def report(self, part: str, kind: str, what: str | None) -> None:
        """Report that a kind of fault has begun, or (None) is over; repeats are ignored."""
        if what is None and kind not in self._kinds[part]:
            return
        with self._updating():
            self._update(part, kind, what)

    def is_well(self, part: str) -> bool:
        """Whether a part has no fault."""
        return not self._kinds[part]

    def write_age_ns(self) -> int:
        """Return how long the present write has taken so far; 0 if there is none."""
        began_ns = self._write_began_ns
        return 0 if began_ns is None else self._now_ns() - began_ns

    def late_ns(self, *, waiting: bool) -> int | None:
        """Return when the present write becomes slow, to call `drain` then.

        `waiting` says whether a write is about to begin if there is none.
        """
        began_ns = self._write_began_ns
        if began_ns is None:
            began_ns = self._now_ns() if waiting and self.is_well(LOG) else None
        is_known = "slow" in self._kinds[LOG]
        return None if began_ns is None or is_known else began_ns + SLOW_NS + 1

    @contextmanager
    def timing_write(self) -> Iterator[None]:
        """Time the write within this context."""
        self._write_began_ns = self._now_ns()
        try:
            yield
        finally:
            with self._updating():
                taken_ns, self._write_began_ns = self.write_age_ns(), None
                self.slowest_ns = max(self.slowest_ns, taken_ns)
                self._update(LOG, "slow", _SLOW if taken_ns > SLOW_NS else None)

    def check_space(self, *, opening: bool) -> None:
        """Report whether there is enough space, at the opening of a match enough for a match."""
        with suppress(OSError):  # then writes fail too, and are reported
            free = self._disk.free_bytes(self._directory)
            if opening and free < OPEN_BYTES:
                self.report(SPACE, "none", no_room(self._directory, free))
            elif free >= OPEN_BYTES:
                self.report(SPACE, "none", None)
            if free < LOW_BYTES:
                self.report(SPACE, "low", _low(self._directory, free))
            elif free >= ENOUGH_BYTES:
                self.report(SPACE, "low", None)

    @contextmanager
    def _updating(self) -> Iterator[None]:
        """Hold the lock, then call `changed` if there is something to drain."""
        with self._lock:
            yield
            has_news = bool(self._news)
        if has_news:
            self._changed()

    def _update(self, part: str, kind: str, what: str | None) -> None:
        kinds = self._kinds[part]
        if what is not None and kind not in kinds:
            kinds.add(kind)
            self._news.append(Fault(part, what))
        elif what is None and kind in kinds:
            kinds.discard(kind)
            if not kinds:
                self._news.append(Fault(part, None))


def no_room(directory: Path, free: int) -> str:
    """Say why a match cannot be opened with so many bytes free, and what to do."""
    return (
        f"{directory}: only {free // MEGABYTE} MB free, and a match needs {OPEN_BYTES // MEGABYTE};"
        " copy old logs to another place and delete them here"
    )


def _low(directory: Path, free: int) -> str:
    return (
        f"{directory}: {free // MEGABYTE} MB free; after the match, copy old logs to another place"
        " and delete them here"
    )
