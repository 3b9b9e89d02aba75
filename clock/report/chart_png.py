"""A drawing as a picture of pixels.

The one rule: a drawing gives the same pixels on every machine.
"""

from PIL import Image
from PIL.ImageDraw import Draw, ImageDraw

from clock.report.drawing import UNIT, Area, Dot, Drawing, Line, Shape, Spot, Words
from clock.report.lettering import Place, letter

FINER = 2  # drawn so many times larger, then reduced: that makes edges smooth


def png(drawing: Drawing) -> Image.Image:
    """The picture; a drawing of 16,000 by 9,000 units has 1,600 by 900 pixels."""
    size = (_fine(drawing.width), _fine(drawing.height))
    picture = Image.new("RGB", size, "white")
    draw = Draw(picture)
    for shape in drawing.shapes:
        _draw(draw, shape)
    return picture.reduce(FINER)


def _draw(draw: ImageDraw, shape: Shape) -> None:
    match shape:
        case Line(spots, colour, width):
            draw.line(_spots(spots), fill=colour, width=max(1, _fine(width)), joint="curve")
        case Area(spots, colour):
            draw.polygon(_spots(spots), fill=colour)
        case Dot((x, y), radius, colour):
            draw.circle((_fine(x), _fine(y)), _fine(radius), fill=colour)
        case Words((x, y), text, size, colour, align):
            letter(draw, text, Place(_fine(x), _fine(y), _fine(size), colour, align))


def _spots(spots: tuple[Spot, ...]) -> list[tuple[int, int]]:
    return [(_fine(x), _fine(y)) for x, y in spots]


def _fine(units: int) -> int:
    return units * FINER // UNIT
