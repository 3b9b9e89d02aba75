"""Read the large reserve of a running clock by the shapes of its digits, without any font.

A digit is told by which of seven strokes it has, as on a pocket calculator: lit at the top, in the
middle and at the bottom, and left and right of these in the upper and in the lower half. A slanted
stroke, as in 2, 4 and 7, counts where it passes. A person has compared the shapes. Nothing here
comes from the clock's own drawing, so that both cannot be wrong alike; and digits and colon must
stand where that person saw them, so that a picture moved by a pixel to any side is not read.
"""

from itertools import groupby

from PIL import Image, ImageChops

TOP, BOTTOM = 11, 50  # the rows of the digits; the last one is below them
# Top, upper left, upper right, middle, lower left, lower right, bottom.
STROKES = {
    "1110111": "0", "1111001": "2", "1001111": "3", "1100110": "4", "1101011": "5",
    "1101111": "6", "1011001": "7", "1111111": "8", "1111011": "9",
}  # fmt: skip
NARROW = 16  # pixels; a colon and a one are narrower than all other digits
DOTS = 10  # pixels; a colon is narrower than a one
COLON_AT = {4: 45, 5: 60}  # its left column, by the characters of the time


def shown_reserve(picture: Image.Image, *, inverted: bool) -> str:
    """Return the time in the middle of a picture; "?" for what is no digit."""
    lit = ImageChops.invert(picture) if inverted else picture
    band = lit.crop((0, TOP - 1, lit.width, BOTTOM + 1))
    columns = [[bool(band.getpixel((x, y))) for y in range(band.height)] for x in range(band.width)]
    runs = groupby(enumerate(columns), key=lambda column: any(column[1]))
    shapes = [list(run) for some, run in runs if some]
    text = "".join(_character([column for _, column in shape]) for shape in shapes)
    colons = [shape[0][0] for shape, read in zip(shapes, text, strict=True) if read == ":"]
    return text if colons == [COLON_AT.get(len(text))] else "?"


def _character(shape: list[list[bool]]) -> str:
    """Return the character of a shape, given column by column with a row above and below."""
    rows = [any(column[y] for column in shape) for y in range(len(shape[0]))]
    if len(shape) < DOTS and not rows[1]:
        return ":"
    if rows[0] or rows[-1] or not (rows[1] and rows[-2]):
        return "?"  # not where digits stand
    if len(shape) < NARROW:
        return "1"
    return STROKES.get("".join(map(str, _strokes([column[1:-1] for column in shape]))), "?")


def _strokes(shape: list[list[bool]]) -> list[int]:
    """Return for each of the seven strokes whether it is there."""
    width, height = len(shape), len(shape[0])
    centre = shape[width // 2]
    left, right = shape[: width // 4], shape[-(width // 4) :]
    upper, lower = height * 2 // 7, height * 5 // 7
    return [
        int(some)
        for some in (
            any(centre[: height // 6]),
            any(column[upper] for column in left),
            any(column[upper] for column in right),
            any(centre[height * 2 // 5 : height * 3 // 5]),
            any(column[lower] for column in left),
            any(column[lower] for column in right),
            any(centre[-(height // 6) :]),
        )
    ]
