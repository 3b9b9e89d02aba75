"""The traffic of the panels' bus, so that what is not urgent waits until the bus is quiet.

A running clock alone takes up to 190 bytes a second in its worst minute, and 60 while a delay runs.
With all that is sent beside the pictures it shall stay within 200 in any minute.
"""

from collections import deque
from collections.abc import Callable

from hardware.units import NS_PER_SECOND

RECENT_NS = 10 * NS_PER_SECOND
QUIET_BYTES = 1_500  # within `RECENT_NS`; a running clock whose delay is over sends more

# How often a part of a panel is sent again.
QUIET_PAUSE_NS = 3 * NS_PER_SECOND
BUSY_PAUSE_NS = 60 * NS_PER_SECOND


class Traffic:
    """The bytes that were sent lately to all panels of a bus."""

    def __init__(self, now_ns: Callable[[], int]) -> None:
        self._now_ns = now_ns
        self._sent: deque[tuple[int, int]] = deque()  # when, and how many bytes
        self._part_ns = now_ns()  # when a part was last sent again

    def add(self, size: int) -> None:
        """Count bytes that are sent now."""
        now_ns = self._now_ns()
        self._sent.append((now_ns, size))
        while now_ns - self._sent[0][0] >= RECENT_NS:
            self._sent.popleft()

    def allows_part(self) -> bool:
        """Return whether to send a part again now; if so, the next one has to wait."""
        now_ns = self._now_ns()
        pause_ns = QUIET_PAUSE_NS if self._recent(now_ns) <= QUIET_BYTES else BUSY_PAUSE_NS
        if now_ns - self._part_ns < pause_ns:
            return False
        self._part_ns = now_ns
        return True

    def _recent(self, now_ns: int) -> int:
        return sum(size for at_ns, size in self._sent if now_ns - at_ns < RECENT_NS)
