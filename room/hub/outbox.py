"""When notices are sent: together, not too often, and again if that failed."""

from collections import deque
from collections.abc import Iterable
from typing import NamedTuple

from clock.units import MINUTE_NS, SECOND_NS
from room.hub.notices import Notice
from room.hub.words import hub_message

GATHER_NS = 2 * SECOND_NS  # what comes within this time is sent together
FIRST_RETRY_NS, LAST_RETRY_NS = 5 * SECOND_NS, 5 * MINUTE_NS
MOST_WAITING = 500  # of more, the oldest are not sent
MOST_AT_ONCE = 50


class Batch(NamedTuple):
    """What is sent at once."""

    notices: tuple[Notice, ...]
    left_out: int  # older ones, for which there was no room


class Outbox:
    """The notices that wait, and whether the latest ones arrived."""

    def __init__(self, per_minute: int) -> None:
        """Begin without a notice.

        Args:
            per_minute: nothing is sent more often than that.
        """
        self._every_ns = MINUTE_NS // per_minute
        self._waiting: deque[Notice] = deque()
        self._left_out = 0
        self._due_ns = 0  # nothing is sent before this instant
        self._retry_ns = FIRST_RETRY_NS
        self._why = ""  # the latest attempt failed; empty: it did not

    @property
    def trouble(self) -> str:
        """What is wrong, in words; empty: nothing."""
        if not self._why:
            return ""
        return hub_message("notices", why=self._why, n=len(self._waiting))

    def add(self, notices: Iterable[Notice], now_ns: int) -> None:
        """Add notices, which are sent soon."""
        if not self._waiting:
            self._due_ns = max(self._due_ns, now_ns + GATHER_NS)
        self._waiting.extend(notices)
        while len(self._waiting) > MOST_WAITING:
            self._waiting.popleft()
            self._left_out += 1

    def due(self, now_ns: int) -> Batch | None:
        """Return what is to be sent now; call `sent` or `failed` then."""
        if not self._waiting or now_ns < self._due_ns:
            return None
        return Batch(tuple(self._waiting)[:MOST_AT_ONCE], self._left_out)

    def sent(self, batch: Batch, now_ns: int) -> None:
        """Note that a batch has arrived."""
        for notice in batch.notices:
            if self._waiting[0] is notice:  # else it was left out meanwhile, for others
                self._waiting.popleft()
        self._left_out -= batch.left_out
        self._why, self._retry_ns = "", FIRST_RETRY_NS
        self._due_ns = now_ns + self._every_ns

    def failed(self, why: str, now_ns: int) -> None:
        """Note that a batch has not arrived; it is sent again, later each time."""
        self._why = why
        self._due_ns = now_ns + max(self._retry_ns, self._every_ns)
        self._retry_ns = min(2 * self._retry_ns, LAST_RETRY_NS)
