"""A picture as plain shapes, for whoever can draw: lines, areas, dots and texts, in this order.

The unit is a tenth of a pixel: all places are whole numbers, the same everywhere. The one rule: a
shape says all that is needed to draw it; nobody who draws knows a match.
"""

from typing import NamedTuple

UNIT = 10  # of these make a pixel


class Spot(NamedTuple):
    """A place; down and to the right is more."""

    x: int
    y: int


class Line(NamedTuple):
    """A line through some places."""

    spots: tuple[Spot, ...]
    colour: str  # as "#1A2B3C"
    width: int


class Area(NamedTuple):
    """A polygon, filled."""

    spots: tuple[Spot, ...]
    colour: str
    title: str = ""  # shown when pointed at, where that is possible


class Dot(NamedTuple):
    """A filled circle."""

    centre: Spot
    radius: int
    colour: str
    title: str = ""


class Words(NamedTuple):
    """A line of text."""

    at: Spot  # on the line that letters stand on
    text: str
    size: int
    colour: str
    align: str = "start"  # or "middle" or "end": what of the text is at that place


Shape = Line | Area | Dot | Words


class Drawing(NamedTuple):
    """A picture."""

    width: int
    height: int
    shapes: tuple[Shape, ...]


def box(left: int, top: int, right: int, bottom: int) -> tuple[Spot, ...]:
    """The corners of a rectangle."""
    return (Spot(left, top), Spot(right, top), Spot(right, bottom), Spot(left, bottom))
