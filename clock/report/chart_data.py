"""What a chart shows of a match: its time, its stops, and the steps along an axis."""

from typing import NamedTuple

from clock.match.events import LateEvent
from clock.match.rules import Reason
from clock.report.summary import Stamp, Stop, Summary
from clock.units import SECOND_NS

STEPS_S = (1, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400)  # along an axis


class Period(NamedTuple):
    """The time that the horizontal axis shows, in ns since the log's first line."""

    begin_ns: int
    end_ns: int

    def clamp(self, at_ns: int) -> int:
        """Return the nearest instant that is shown."""
        return min(max(at_ns, self.begin_ns), self.end_ns)

    def span(self, begun: Stamp, ended: Stamp | None) -> tuple[int, int]:
        """Return the part of the axis that something takes; what still lasts goes to its end."""
        return self.clamp(begun.at_ns), self.clamp(ended.at_ns if ended else self.end_ns)


def period(summary: Summary) -> Period:
    """Return the time from the confirmation of the match, or what came before it, to its end."""
    begun = [summary.confirmed.at_ns] if summary.confirmed else []
    begun += [act.stamp.at_ns for act in summary.acts if isinstance(act.event, LateEvent)]
    begin_ns = min(begun, default=0)
    return Period(begin_ns, max(summary.ended.at_ns, begin_ns + SECOND_NS))


def marked_stops(summary: Summary) -> list[Stop]:
    """Return the stops to be marked: all but those at the end of a game or after a power cut."""
    unmarked = (Reason.GAME_OVER, Reason.POWER_LOSS)
    return [stop for stop in summary.stops if stop.reason not in unmarked]


def round_step_ns(span_ns: int, most: int) -> int:
    """Return the smallest round step of which at most `most` make the span."""
    step_ns = next((s * SECOND_NS for s in STEPS_S if span_ns <= s * SECOND_NS * most), 0)
    longest_ns = STEPS_S[-1] * SECOND_NS
    return step_ns or longest_ns * -(-span_ns // (longest_ns * most))
