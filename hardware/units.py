"""Units of time: all instants and durations are integers of nanoseconds, named `*_ns`."""

from typing import Final

NS_PER_MS: Final = 1_000_000
NS_PER_SECOND: Final = 1_000_000_000
