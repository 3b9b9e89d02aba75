"""The forms of the chart's marks, each made of plain shapes, and their legend.

The one rule: each kind has a form of its own, so that no colour is needed to tell them apart.
"""

from collections.abc import Callable, Iterator
from itertools import chain

from clock.report.chart_frame import COLOURS, FADED, GREY, HATCHED, INK, LEFT, PAPER, width
from clock.report.drawing import Area, Dot, Line, Shape, Spot, Words, box
from clock.match.rules import Reason
from clock.match.sides import Side
from clock.report.summary import Stop, Summary

SMALL = 180  # size of letters
HATCH = 110  # between the lines of a hatching
THIN = 8
DASH, GAP = 120, 80
LEGEND = 8_620  # where its words stand

Form = Callable[[int], Iterator[Shape]]  # what begins at an x in the legend


def marked_stops(summary: Summary) -> list[Stop]:
    """The stops that need a mark of their own: not those at a game's end or a power cut."""
    unmarked = (Reason.GAME_OVER, Reason.POWER_LOSS)
    return [stop for stop in summary.stops if stop.reason not in unmarked]


def hatching(left: int, top: int, right: int, bottom: int) -> Iterator[Shape]:
    """A stop: slanting lines that fill a rectangle between two upright ones."""
    for x in (left, right):
        yield Line((Spot(x, top), Spot(x, bottom)), HATCHED, THIN)
    first = (left + top) // HATCH + 1  # along such a line x + y is the same
    for total in range(first * HATCH, right + bottom, HATCH):
        lower = Spot(max(left, total - bottom), min(bottom, total - left))
        upper = Spot(min(right, total - top), max(top, total - right))
        yield Line((lower, upper), HATCHED, THIN)


def dashes(x: int, top: int, bottom: int) -> Iterator[Shape]:
    """A power cut: an upright line with gaps."""
    for y in range(top, bottom, DASH + GAP):
        yield Line((Spot(x, y), Spot(x, min(y + DASH, bottom))), INK, 14)


def pause_sign(x: int, y: int, title: str) -> Iterator[Shape]:
    """A stop: two bars."""
    for left in (x - 55, x + 15):
        yield Area(box(left, y - 80, left + 40, y + 80), INK, title)


def bolt(x: int, y: int, title: str) -> Iterator[Shape]:
    """A power cut: a flash of lightning."""
    corners = ((20, -110), (-60, 20), (-5, 20), (-20, 110), (60, -25), (5, -25))
    yield Area(tuple(Spot(x + right, y + down) for right, down in corners), INK, title)


def diamond(x: int, y: int, title: str) -> Iterator[Shape]:
    """An act of the director: a square on its corner."""
    corners = (Spot(x, y - 85), Spot(x + 85, y), Spot(x, y + 85), Spot(x - 85, y))
    yield Area(corners, FADED, title)


def cloth(top: Spot, player: Side, order: int, title: str) -> Iterator[Shape]:
    """A flag, without its pole: a triangle with its order, pointing the player's way."""
    x, y = top
    way = -1 if player is Side.LEFT else 1
    number = PAPER if player is Side.LEFT else INK  # dark on light, light on dark
    corners = (top, Spot(x + way * 420, y + 170), Spot(x, y + 340))
    yield Area(corners, COLOURS[player], title)
    yield Words(Spot(x + way * 130, y + 232), str(order), SMALL, number, "middle")


def ringed(at: Spot, player: Side, title: str) -> Iterator[Shape]:
    """A reserve that was changed: a dot with a rim."""
    yield Dot(at, 95, PAPER)
    yield Dot(at, 70, COLOURS[player], title)


def legend(summary: Summary) -> Iterator[Shape]:
    """The forms that occur in a chart, with their meanings."""
    x = LEFT
    for text, form in _forms(summary, LEGEND - 65):
        yield from form(x)
        yield Words(Spot(x + 420, LEGEND), text, SMALL, INK)
        x += 420 + width(text, SMALL) + 250


def _forms(summary: Summary, y: int) -> Iterator[tuple[str, Form]]:
    """The meanings, and what draws their forms around a height."""
    if marked_stops(summary):
        yield (
            "stop",
            lambda x: chain(hatching(x, y - 120, x + 300, y + 120), pause_sign(x + 150, y, "")),
        )
    if summary.breaks:
        yield "break", lambda x: iter([Area(box(x, y - 120, x + 300, y + 120), GREY)])
    if summary.flags:
        yield "flag, which fell first", lambda x: cloth(Spot(x - 60, y - 170), Side.RIGHT, 1, "")
    if summary.jumps:
        yield "time given or taken", lambda x: ringed(Spot(x + 150, y), Side.LEFT, "")
    if summary.acts:
        yield "adjustment, correction, penalty", lambda x: diamond(x + 150, y, "")
    if summary.restorations:
        yield "power cut", lambda x: chain(dashes(x + 60, y - 160, y + 160), bolt(x + 200, y, ""))
