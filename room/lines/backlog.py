"""How far a hub is behind the clocks, and from when on that is a trouble.

All instants are nanoseconds of raw clocks.
"""

from collections.abc import Iterable
from typing import NamedTuple

from clock.units import SECOND_NS

LATE_NS = 5 * SECOND_NS  # from so late on it is a trouble
MOST_LINES = 50_000  # that wait; a hub that has so many takes no more from the broker
HEARTBEATS = 20  # the latest, one a clock, by which lateness is judged
HEARD_NS = 15 * SECOND_NS  # older ones do not count
DRIFT = 10_000  # two crystals drift apart by at most 1 part in so many


class Backlog(NamedTuple):
    """What waits between the clocks and the disk of the hub, or on a part of that way."""

    lines: int = 0
    """Lines and messages that wait."""
    oldest_ns: int = 0
    """How old the oldest of them is, about."""

    @property
    def is_full(self) -> bool:
        """Whether to take no more: the clocks have their lines, and send them again."""
        return self.lines >= MOST_LINES

    @property
    def is_late(self) -> bool:
        """Whether the hub is so far behind that it says so."""
        return self.oldest_ns >= LATE_NS or self.is_full


def joined(parts: Iterable[Backlog]) -> Backlog:
    """Return the backlog of a way with these parts, one after another."""
    found = list(parts)
    return Backlog(sum(each.lines for each in found), sum(each.oldest_ns for each in found))


class Lateness:
    """How late messages come, by the heartbeats of all clocks.

    A heartbeat says when it was sent by the clock's own time. How much later than the fastest one
    of its clock it comes is how long it has waited: in the network, at the broker, or in the hub.
    """

    def __init__(self) -> None:
        self._fastest: dict[str, tuple[str, int, int]] = {}  # boot, difference, arrival
        self._latest: dict[str, tuple[int, int]] = {}  # arrival, how late; by clock, newest last

    def hear(self, clock: str, boot: str, sent_ns: int, arrived_ns: int) -> None:
        """Note a heartbeat of a boot of a clock."""
        difference_ns = arrived_ns - sent_ns
        known, fastest_ns, at_ns = self._fastest.get(clock, (boot, difference_ns, arrived_ns))
        if known != boot:
            fastest_ns = difference_ns
        fastest_ns += (arrived_ns - at_ns) // DRIFT
        self._fastest[clock] = boot, min(fastest_ns, difference_ns), arrived_ns
        self._latest.pop(clock, None)
        self._latest[clock] = arrived_ns, max(0, difference_ns - fastest_ns)
        if len(self._latest) > HEARTBEATS:
            del self._latest[next(iter(self._latest))]

    def late_ns(self, now_ns: int) -> int:
        """Return how late all messages come at least.

        If only some are late, the network of their clocks is slow, and not the way to the hub.
        """
        late = [late for at_ns, late in list(self._latest.values()) if now_ns - at_ns < HEARD_NS]
        return min(late, default=0)
