"""The kernel's clocks: one to count with, one that stamps edges, and the wall clock for people.

Playing time is counted in CLOCK_MONOTONIC_RAW, which nothing can set or slew. The kernel stamps the
edges of a button in CLOCK_MONOTONIC, which NTP may slew by thousands of ppm; so only the age of a
stamp is used, milliseconds at most. No instant is ever taken from the wall clock.
"""

import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from uuid import uuid4

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
# A thread may be interrupted between reading one clock and the other. So both are read again until
# their difference is known within this: twice the error of a converted stamp.
SURE_NS = 40_000
READINGS = 16  # at most


class RawClock:
    """The time of this computer."""

    def __init__(
        self,
        raw_ns: Callable[[], int] = lambda: time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW),
        monotonic_ns: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        """Take the kernel's clocks, or others in their place."""
        self._raw_ns = raw_ns
        self._monotonic_ns = monotonic_ns

    @property
    def boot(self) -> str:
        """The kernel's boot id: instants of different boots cannot be compared."""
        return boot_id()

    def now_ns(self) -> int:
        """Return the present instant on the raw clock, in ns since some moment of this boot."""
        return self._raw_ns()

    def raw_of(self, stamp_ns: int) -> int:
        """Convert a recent stamp of CLOCK_MONOTONIC to the raw clock.

        The error is at most the slew during the stamp's age, however much was slewed before: 0.1 ms
        if a stamp of 1 ms is converted while NTP slews by 100,000 ppm.
        """
        least_ns, most_ns = self._ahead_ns()
        for _ in range(READINGS - 1):
            if most_ns - least_ns <= SURE_NS:
                break
            again = self._ahead_ns()
            least_ns, most_ns = max(least_ns, again[0]), min(most_ns, again[1])
        return stamp_ns + (least_ns + most_ns) // 2

    def wall(self) -> str:
        """Return the local date and time with offset (RFC 3339), in milliseconds, for people."""
        return datetime.now(UTC).astimezone().isoformat(timespec="milliseconds")

    def _ahead_ns(self) -> tuple[int, int]:
        """Return by how much the raw clock is ahead of the other: at least, and at most."""
        before_ns = self._raw_ns()
        monotonic_ns = self._monotonic_ns()
        return before_ns - monotonic_ns, self._raw_ns() - monotonic_ns


@cache
def boot_id(source: Path = BOOT_ID) -> str:
    """Return the kernel's boot id.

    Where there is none (macOS), make up one that no other start of the program has: it then never
    assumes that the clock ran on while it was away.
    """
    try:
        return source.read_text(encoding="ascii").strip()
    except OSError:
        return f"unknown-{uuid4()}"
