"""The clock that the hub counts by: nothing sets it, and where possible nothing slews it.

The date is needed only to delete old matches, and to say when lines came.
"""

import time
from datetime import UTC, date, datetime

EPOCH = date(1970, 1, 1)


def now_ns() -> int:
    """Return the present instant, in ns since some moment of this boot.

    It is the clock of the logs that are written on this computer, so that their instants need no
    estimate. Windows has no such clock; there no clock writes logs.
    """
    raw = getattr(time, "CLOCK_MONOTONIC_RAW", None)
    return time.monotonic_ns() if raw is None else time.clock_gettime_ns(raw)


def today() -> int:
    """Return the present day, counted from 1970-01-01."""
    return (datetime.now(UTC).date() - EPOCH).days


def wall() -> str:
    """Return date and time of this computer, for people."""
    return datetime.now().astimezone().isoformat(timespec="seconds")
