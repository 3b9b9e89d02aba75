"""Convert instants of a clock's computer to those of the hub.

A message that was sent at `sent_ns` arrives later, never earlier: the difference of the two clocks
is at most arrival - `sent_ns`. The least of these over the last minutes is the best estimate. No
wall clock is involved. All instants are nanoseconds of raw clocks.
"""

from typing import NamedTuple

from clock.units import MINUTE_NS, SECOND_NS

WINDOW_NS = 5 * MINUTE_NS  # crystals drift some 15 ms apart in this time
SLICE_NS = 30 * SECOND_NS  # the least of each slice is kept, so that memory is bounded


class Slice(NamedTuple):
    """The least difference in a part of the window."""

    begin_ns: int
    offset_ns: int
    latest_ns: int  # when the latest message in it arrived


class Timing(NamedTuple):
    """What is known about the difference between two clocks during one boot."""

    boot: str = ""
    slices: tuple[Slice, ...] = ()

    @property
    def offset_ns(self) -> int | None:
        """What to add to an instant of the clock; None: not known."""
        return min((each.offset_ns for each in self.slices), default=None)


def hear(timing: Timing, boot: str, sent_ns: int, arrival_ns: int) -> Timing:
    """Return what is known after a message that was sent at `sent_ns` at the latest.

    Another boot of the clock's computer than before makes old differences void.
    """
    if boot != timing.boot:
        timing = Timing(boot)
    kept = [each for each in timing.slices if arrival_ns - each.latest_ns <= WINDOW_NS]
    offset_ns = arrival_ns - sent_ns
    if kept and arrival_ns - kept[-1].begin_ns < SLICE_NS:
        begin_ns, least_ns, _ = kept.pop()
        kept.append(Slice(begin_ns, min(least_ns, offset_ns), arrival_ns))
    else:
        kept.append(Slice(arrival_ns, offset_ns, arrival_ns))
    return Timing(boot, tuple(kept))
