"""Convert instants of a guest's clock to the clock of this computer.

In real time the clock of a User-Mode Linux kernel is CLOCK_MONOTONIC of its host less a constant,
in steps of 256 ns (`TIMER_MULTIPLIER`); CLOCK_MONOTONIC and CLOCK_MONOTONIC_RAW run alike. Each
time that the guest is asked for its time, two bounds of the constant are found; of all of them the
narrowest count. In time travel the clocks are not related.
"""

import time
from collections.abc import Callable, Iterable
from typing import NamedTuple

STEP_NS = 256  # of the guest's clock
ROUNDS = 100


class Relation(NamedTuple):
    """The bounds of what is added to a guest's instants to get CLOCK_MONOTONIC of this computer."""

    least_ns: int
    most_ns: int

    def host_ns(self, guest_ns: int) -> int:
        """Convert a guest's instant to this computer's clock, with an error up to `error_ns`."""
        return guest_ns + (self.least_ns + self.most_ns) // 2

    @property
    def error_ns(self) -> int:
        """Half of the distance between the bounds, rounded up."""
        return (self.most_ns - self.least_ns + 1) // 2


def relate(
    guest_ns: Callable[[], int],
    now_ns: Callable[[], int] = time.monotonic_ns,
    rounds: int = ROUNDS,
) -> Relation:
    """Find the relation by asking the guest for its time.

    Args:
        guest_ns: returns the guest's time.
        now_ns: returns this computer's time.
        rounds: how often to ask.

    Raises:
        ValueError: the clocks did not run alike while they were compared.
    """
    bounds = []
    for _ in range(rounds):
        before_ns, read_ns, after_ns = now_ns(), guest_ns(), now_ns()
        bounds.append((before_ns - read_ns - STEP_NS + 1, after_ns - read_ns))
    return _within(bounds)


def related(stamps: Iterable[tuple[int, int]], begun_ns: Iterable[int]) -> Relation:
    """Find the relation from transfers that both sides have stamped.

    Args:
        stamps: the guest's times before and after each transfer.
        begun_ns: this computer's time when each transfer began (`Transfer.begun_ns`).

    Raises:
        ValueError: the clocks did not run alike meanwhile.
    """
    return _within(
        (at_ns - after_ns - STEP_NS + 1, at_ns - before_ns)
        for (before_ns, after_ns), at_ns in zip(stamps, begun_ns, strict=True)
    )


def _within(bounds: Iterable[tuple[int, int]]) -> Relation:
    least_ns, most_ns = zip(*bounds, strict=True)
    relation = Relation(max(least_ns), min(most_ns))
    if relation.least_ns > relation.most_ns:
        apart_ns = relation.least_ns - relation.most_ns
        raise ValueError(f"the guest's clock moved against this one, by {apart_ns} ns or more")
    return relation
