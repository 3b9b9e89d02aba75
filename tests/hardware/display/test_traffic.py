"""What is sent again waits for a quiet bus, but not for ever."""

from hardware.display.traffic import BUSY_PAUSE_NS, QUIET_BYTES, QUIET_PAUSE_NS, RECENT_NS, Traffic

SECOND = 1_000_000_000


class Bus:
    """A bus whose time is a number."""

    def __init__(self) -> None:
        self.ns = 5 * SECOND
        self.traffic = Traffic(lambda: self.ns)

    def parts(self, seconds: int, rate: int) -> int:
        """Return how many parts are allowed while so many bytes a second are sent."""
        allowed = 0
        for _ in range(seconds):
            self.ns += SECOND
            self.traffic.add(rate)
            allowed += self.traffic.allows_part()
        return allowed


def test_a_quiet_bus_has_a_part_every_three_seconds() -> None:
    assert Bus().parts(60, rate=60) == 60 * SECOND // QUIET_PAUSE_NS


def test_a_busy_bus_has_a_part_a_minute() -> None:
    """Else a long turn would leave a disturbed picture as it is."""
    bus = Bus()
    bus.parts(10, rate=200)
    assert (
        bus.parts(600, rate=QUIET_BYTES * SECOND // RECENT_NS + 1) == 600 * SECOND // BUSY_PAUSE_NS
    )


def test_what_was_sent_long_ago_does_not_count() -> None:
    bus = Bus()
    bus.parts(30, rate=1_000)
    bus.ns += RECENT_NS
    assert bus.traffic.allows_part()
