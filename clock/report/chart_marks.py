"""What happened in a match, marked in its chart: stops, breaks, flags, jumps, power cuts.

The one rule: a mark stands at the instant of the log's line, and tells it to whoever points at it.
"""

from collections.abc import Callable, Iterable, Iterator

from clock.report.cells import act_words
from clock.report.chart_frame import ACTS, BOTTOM, COLOURS, GREY, INK, LEFT, STOPS, TOP, Frame, width
from clock.report.chart_signs import SMALL, bolt, cloth, dashes, diamond, hatching, marked_stops, pause_sign, ringed
from clock.match.time_format import clock_text
from clock.report.drawing import Area, Line, Shape, Spot, Words, box
from clock.match.events import CorrectedEvent
from clock.report.summary import Break, Stamp, Summary
from clock.ui.descriptions import Say

POLE = 900
CLOSE = 130  # of two signs nearer to each other than this, one is left out

Mark = tuple[Stamp, str, Callable[[int, int, str], Iterator[Shape]]]


# --- behind the reserves ----------------------------------------------------------------------


def backdrop(summary: Summary, frame: Frame) -> Iterator[Shape]:
    """Breaks, stops, power cuts, and the end of playing with a clock."""
    for each in summary.breaks:
        yield from _break(each, frame)
    for stop in marked_stops(summary):
        yield from hatching(*frame.span(stop.begun, stop.ended), BOTTOM)
    for cut in summary.restorations:
        yield from dashes(frame.x(cut.stamp.at_ns), TOP, BOTTOM)
    for told in summary.acts:
        if isinstance(told.event, CorrectedEvent) and told.event.what == "clock":
            x = frame.x(told.stamp.at_ns)
            yield Line((Spot(x, TOP), Spot(x, BOTTOM)), INK, 14)
            yield Words(Spot(x - 80, TOP + 240), "no clock from here", SMALL, INK, "end")


def _break(each: Break, frame: Frame) -> Iterator[Shape]:
    left, top, right = frame.span(each.begun, each.ended)
    took = "under way" if each.took_ns is None else clock_text(each.took_ns)
    title = f"{each.begun.time} break, {took}, allowed {clock_text(each.allowed_ns)}"
    yield Area(box(left, top, right, BOTTOM), GREY, title)
    for text, y in (("break", top + 240), (took, top + 460)):
        if width(text, SMALL) <= right - left:
            yield Words(Spot((left + right) // 2, y), text, SMALL, INK, "middle")


# --- before the reserves ----------------------------------------------------------------------


def adjustments(summary: Summary, frame: Frame) -> Iterator[Shape]:
    """A dot where a reserve was changed, with the difference where there is room for it."""
    written: list[Spot] = []
    for jump in summary.jumps:
        spot = Spot(frame.x(jump.stamp.at_ns), frame.y(jump.new_ns))
        more = jump.new_ns >= jump.old_ns
        text = f"{'+' if more else '-'}{clock_text(abs(jump.new_ns - jump.old_ns))}"
        place = Spot(spot.x, spot.y - 140 if more else spot.y + 270)
        yield from ringed(spot, jump.player, f"{jump.stamp.time} {text}")
        if not any(_near(place, other, width(text, SMALL)) for other in written):
            yield Words(place, text, SMALL, COLOURS[jump.player], "middle")
            written.append(place)


def _near(one: Spot, other: Spot, room: int) -> bool:
    """Whether two texts would lie over each other."""
    return abs(one.x - other.x) < room and abs(one.y - other.y) < SMALL


def flags(summary: Summary, frame: Frame) -> Iterator[Shape]:
    """A flag on the ground where one fell, with its order; each player's points his way."""
    for flag in summary.flags:
        if flag.player is not None:
            x = frame.x(flag.stamp.at_ns)
            claimed = f", claimed {flag.claimed.time}" if flag.claimed else ""
            title = f"{flag.stamp.time} flag of {summary.names[flag.player]}{claimed}"
            yield Line((Spot(x, BOTTOM), Spot(x, BOTTOM - POLE)), INK, 22)
            yield from cloth(Spot(x, BOTTOM - POLE), flag.player, flag.order, title)


def signs(summary: Summary, frame: Frame, say: Say) -> Iterator[Shape]:
    """The rows below the plot: a sign for each stop; for each power cut and director's act."""
    yield from _row(_stop_marks(summary, say), frame, STOPS)
    yield from _row((*_cut_marks(summary), *_act_marks(summary, say)), frame, ACTS)


def _row(marks: Iterable[Mark], frame: Frame, y: int) -> Iterator[Shape]:
    latest = LEFT - CLOSE
    for stamp, title, sign in sorted(marks, key=lambda mark: mark[0].line):
        x = frame.x(stamp.at_ns)
        if x - latest >= CLOSE:
            yield from sign(x, y, f"{stamp.time} {title}")
            latest = x


def _stop_marks(summary: Summary, say: Say) -> Iterator[Mark]:
    for stop in marked_stops(summary):
        length = stop.ended and f", {clock_text(stop.ended.at_ns - stop.begun.at_ns)}"
        yield stop.begun, f"{say(f'reason_{stop.reason.value}')}{length or ''}", pause_sign


def _cut_marks(summary: Summary) -> Iterator[Mark]:
    for cut in summary.restorations:
        yield cut.stamp, "power cut" if cut.reboot else "program stopped", bolt


def _act_marks(summary: Summary, say: Say) -> Iterator[Mark]:
    for told in summary.acts:
        yield told.stamp, ", ".join(word for word in act_words(told, say) if word), diamond
