"""What happened in a match, as marks in its chart: stops, breaks, flags, jumps, power cuts.

The one rule: each kind has a form of its own, so that no colour is needed to tell them apart.
"""

from collections.abc import Callable, Iterator

from clock.cells import act_words
from clock.chart_frame import (
    BOTTOM,
    COLOURS,
    FADED,
    GREY,
    INK,
    LEFT,
    MARKS,
    PAPER,
    TOP,
    Frame,
    width,
)
from clock.display_time import clock_text
from clock.drawing import Area, Dot, Line, Shape, Spot, Words, box
from clock.events import CorrectedEvent
from clock.rules import Reason
from clock.sides import Side
from clock.summary import Break, Fallen, Jump, Restoration, Stop, Summary
from clock.telling import Say

SMALL = 180  # size of letters
HATCH = 110  # between the lines of a hatching
THIN = 8
LEGEND = 8_600
CLOSE = 130  # symbols nearer than this to the one before are left out


def shown_stops(summary: Summary) -> list[Stop]:
    """The stops that need a mark: those that did not just end a game."""
    return [stop for stop in summary.stops if stop.reason is not Reason.GAME_OVER]


# --- behind the lines -------------------------------------------------------------------------


def backdrop(summary: Summary, frame: Frame, say: Say) -> Iterator[Shape]:
    """Breaks, stops, power cuts and the end of playing with a clock."""
    for each in summary.breaks:
        yield from _break(each, frame)
    for stop in shown_stops(summary):
        left = frame.x(stop.begun.at_ns)
        right = frame.x(stop.ended.at_ns if stop.ended else frame.end_ns)
        yield from hatching(left, TOP, right, BOTTOM)
    for cut in summary.restorations:
        yield from _dashed(frame.x(cut.stamp.at_ns), TOP, BOTTOM)
    for told in summary.acts:
        if isinstance(told.event, CorrectedEvent) and told.event.what == "clock":
            x = frame.x(told.stamp.at_ns)
            yield from _dashed(x, TOP, BOTTOM)
            yield Words(Spot(x + 60, TOP + 220), "without a clock", SMALL, INK)


def _break(each: Break, frame: Frame) -> Iterator[Shape]:
    left = frame.x(each.begun.at_ns)
    right = frame.x(each.ended.at_ns if each.ended else frame.end_ns)
    took = clock_text(each.took_ns) if each.took_ns is not None else "under way"
    title = f"break {took}, allowed {clock_text(each.allowed_ns)}"
    yield Area(box(left, TOP, right, BOTTOM), GREY, title)
    for text, y in (("break", TOP + 240), (took, TOP + 460)):
        if width(text, SMALL) <= right - left:
            yield Words(Spot((left + right) // 2, y), text, SMALL, INK, "middle")


def hatching(left: int, top: int, right: int, bottom: int) -> Iterator[Shape]:
    """Slanting lines that fill a rectangle between two upright ones."""
    for x in (left, right):
        yield Line((Spot(x, top), Spot(x, bottom)), GREY, THIN)
    first = (left + top) // HATCH + 1  # along such a line x + y is the same
    for total in range(first * HATCH, right + bottom, HATCH):
        lower = Spot(max(left, total - bottom), min(bottom, total - left))
        upper = Spot(min(right, total - top), max(top, total - right))
        yield Line((lower, upper), GREY, THIN)


def _dashed(x: int, top: int, bottom: int) -> Iterator[Shape]:
    for y in range(top, bottom, 200):
        yield Line((Spot(x, y), Spot(x, min(y + 120, bottom))), INK, 14)


# --- before the lines -------------------------------------------------------------------------


def adjustments(summary: Summary, frame: Frame) -> Iterator[Shape]:
    """A dot where a reserve was changed, with the difference."""
    for jump in summary.jumps:
        yield from _jump(jump, frame)


def _jump(jump: Jump, frame: Frame) -> Iterator[Shape]:
    colour, x, y = COLOURS[jump.player], frame.x(jump.stamp.at_ns), frame.y(jump.new_ns)
    more = jump.new_ns >= jump.old_ns
    text = f"{'+' if more else '-'}{clock_text(abs(jump.new_ns - jump.old_ns))}"
    yield Dot(Spot(x, y), 90, PAPER)
    yield Dot(Spot(x, y), 70, colour, f"{text} at {jump.stamp.time}")
    yield Words(Spot(x, y - 130 if more else y + 270), text, SMALL, colour, "middle")


def flags(summary: Summary, frame: Frame) -> Iterator[Shape]:
    """A flag on the ground where one fell, with its order; each player's points his way."""
    for flag in summary.flags:
        if flag.player is not None:
            yield from flag_shape(flag, flag.player, Spot(frame.x(flag.stamp.at_ns), BOTTOM))


def flag_shape(flag: Fallen, player: Side, foot: Spot) -> Iterator[Shape]:
    """A flag on its pole."""
    x, y = foot
    way = -1 if player is Side.LEFT else 1
    cloth = (Spot(x, y - 900), Spot(x + way * 420, y - 730), Spot(x, y - 560))
    claimed = f", claimed {flag.claimed.time}" if flag.claimed else ""
    yield Line((foot, Spot(x, y - 900)), INK, 22)
    yield Area(cloth, COLOURS[player], f"flag {flag.order} at {flag.stamp.time}{claimed}")
    yield Words(Spot(x + way * 130, y - 668), str(flag.order), SMALL, PAPER, "middle")


def symbols(summary: Summary, frame: Frame, say: Say) -> Iterator[Shape]:
    """The row below the plot: a sign for each stop, power cut and act of the director."""
    marks: list[tuple[int, str, Callable[[int, int, str], Iterator[Shape]]]] = []
    marks += [
        (stop.begun.at_ns, _stop_title(stop, say), pause_sign) for stop in shown_stops(summary)
    ]
    marks += [(cut.stamp.at_ns, _cut_title(cut), bolt) for cut in summary.restorations]
    marks += [
        (told.stamp.at_ns, " ".join((told.stamp.time, *act_words(told, say))), diamond)
        for told in summary.acts
    ]
    latest = LEFT - CLOSE
    for at_ns, title, sign in sorted(marks, key=lambda mark: mark[0]):
        x = frame.x(at_ns)
        if x - latest >= CLOSE:
            yield from sign(x, MARKS, title)
            latest = x


def _stop_title(stop: Stop, say: Say) -> str:
    length = "" if stop.ended is None else f", {clock_text(stop.ended.at_ns - stop.begun.at_ns)}"
    return f"{stop.begun.time} {say(f'reason_{stop.reason.value}')}{length}"


def _cut_title(cut: Restoration) -> str:
    return f"{cut.stamp.time} {'power cut' if cut.reboot else 'program stopped'}"


def pause_sign(x: int, y: int, title: str) -> Iterator[Shape]:
    """Two bars."""
    for left in (x - 55, x + 15):
        yield Area(box(left, y - 80, left + 40, y + 80), INK, title)


def bolt(x: int, y: int, title: str) -> Iterator[Shape]:
    """A flash of lightning."""
    corners = ((20, -110), (-60, 20), (-5, 20), (-20, 110), (60, -25), (5, -25))
    yield Area(tuple(Spot(x + right, y + down) for right, down in corners), INK, title)


def diamond(x: int, y: int, title: str) -> Iterator[Shape]:
    """A square on its corner."""
    corners = (Spot(x, y - 85), Spot(x + 85, y), Spot(x, y + 85), Spot(x - 85, y))
    yield Area(corners, FADED, title)


# --- the legend -------------------------------------------------------------------------------


def legend(summary: Summary) -> Iterator[Shape]:
    """The forms that occur, with their meanings."""
    x = LEFT
    for text, shapes in _forms(summary, LEGEND - 60):
        yield from (moved(shape, x) for shape in shapes)
        yield Words(Spot(x + 330, LEGEND), text, SMALL, INK)
        x += 330 + width(text, SMALL) + 250


def _forms(summary: Summary, y: int) -> Iterator[tuple[str, Iterator[Shape]]]:
    """A meaning and its form, drawn from 0 to 250."""
    if shown_stops(summary):
        yield "stop", chain(hatching(0, y - 100, 250, y + 100), pause_sign(125, y, ""))
    if summary.breaks:
        yield "break", iter([Area(box(0, y - 100, 250, y + 100), GREY)])
    if any(flag.player for flag in summary.flags):
        sample = Fallen(summary.first, Side.RIGHT, 1, None)
        yield "flag, which first", flag_shape(sample, Side.RIGHT, Spot(0, y + 600))
