"""Where things stand in the chart, and in which colours.

The colours of the players differ in hue for those who see red and green alike, and in lightness for
those who print in grey. The one rule: a time has one place, whoever asks.
"""

from typing import NamedTuple

from clock.match.events import LateEvent
from clock.match.rules import MINUTE_NS, SECOND_NS
from clock.match.sides import Pair
from clock.report.summary import Stamp, Summary

WIDTH, HEIGHT = 16_000, 9_000
LEFT, RIGHT, TOP, BOTTOM = 1_100, 14_100, 2_250, 7_350  # of the plot
STRIP_TOP, STRIP_BOTTOM = 1_600, 2_150  # of the games above it
STOPS, ACTS = 7_530, 7_760  # middles of the rows of signs below it

INK, FADED, FAINT = "#222222", "#666666", "#D8D8D8"
PAPER, BAND, GREY, HATCHED = "#FFFFFF", "#F4F3EF", "#CDCDCD", "#B4B4B4"
COLOURS = Pair("#17438F", "#D67500")

LETTER = 53  # the mean width of a letter, in hundredths of its size

STEPS_NS = tuple(
    step * SECOND_NS for step in (1, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400)
)


class Frame(NamedTuple):
    """The plot's scales."""

    begin_ns: int
    end_ns: int
    most_ns: int  # the reserve at the upper edge

    def x(self, at_ns: int) -> int:
        """The place of an instant; what is before or after stands at the edge."""
        passed_ns = min(max(at_ns, self.begin_ns), self.end_ns) - self.begin_ns
        return LEFT + passed_ns * (RIGHT - LEFT) // (self.end_ns - self.begin_ns)

    def y(self, left_ns: int) -> int:
        """The place of a reserve."""
        return BOTTOM - left_ns * (BOTTOM - TOP) // self.most_ns

    def span(self, begun: Stamp, ended: Stamp | None) -> tuple[int, int, int]:
        """Left edge, top and right edge of what lasted, or still lasts."""
        return self.x(begun.at_ns), TOP, self.x(ended.at_ns if ended else self.end_ns)

    def ticks(self, count: int) -> range:
        """Instants for the horizontal axis, at round times."""
        step_ns = _step(self.end_ns - self.begin_ns, count)
        first = -(-self.begin_ns // step_ns) * step_ns
        return range(first, self.end_ns + 1, step_ns)

    def levels(self, count: int) -> range:
        """Reserves for the vertical axis."""
        return range(0, self.most_ns + 1, _step(self.most_ns, count))


def framed(summary: Summary) -> Frame:
    """The scales for a match: from its confirmation, or what came before, to its end."""
    begun = [game.begun.at_ns for game in summary.games[:1] if game.begun]
    begun += [summary.confirmed.at_ns] if summary.confirmed else []
    begun += [told.stamp.at_ns for told in summary.acts if isinstance(told.event, LateEvent)][:1]
    begin_ns = min(begun, default=0)
    last = summary.over[0] if summary.over else summary.last
    most_ns = max(point.left_ns for curve in summary.curves for point in curve)
    step_ns = _step(most_ns or MINUTE_NS, 6)
    top_ns = -(-(most_ns or MINUTE_NS) // step_ns) * step_ns
    return Frame(begin_ns, max(last.at_ns, begin_ns + SECOND_NS), top_ns)


def _step(span_ns: int, count: int) -> int:
    """The smallest round step of which at most so many make the span."""
    fitting = (step for step in STEPS_NS if span_ns <= step * count)
    return next(fitting, STEPS_NS[-1] * -(-span_ns // (STEPS_NS[-1] * count)))


def width(text: str, size: int) -> int:
    """About how wide a text is."""
    return len(text) * size * LETTER // 100


def shortened(text: str, size: int, room: int) -> str:
    """As much of a text as there is room for."""
    if width(text, size) <= room:
        return text
    return text[: max(1, room * 100 // (size * LETTER) - 1)] + "…"
