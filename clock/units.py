"""Units: all instants and durations are integers of nanoseconds, named `*_ns`."""

from typing import Final

MILLISECOND_NS: Final = 1_000_000
SECOND_NS: Final = 1_000 * MILLISECOND_NS
MINUTE_NS: Final = 60 * SECOND_NS
