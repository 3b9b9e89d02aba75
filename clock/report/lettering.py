"""Text in Pillow's own font, which every installation has, with the letters that it lacks.

The font knows ASCII and little more. Letters with marks are made of a plain letter and the mark, so
that Jørgen, Müller and Åse find their names in a picture; what cannot be made is a "?".

The one rule: no font of the system is used, so a picture is the same everywhere.
"""

from functools import cache
from typing import NamedTuple
from unicodedata import combining, normalize

from PIL import ImageFont
from PIL.ImageDraw import ImageDraw

ANCHORS = {"start": "ls", "middle": "ms", "end": "rs"}  # of Pillow: on the line letters stand on
SPELLED = {"æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ß": "ss", "þ": "th", "Þ": "Th"}
SPELLED |= {"\N{EN DASH}": "-", "\N{EM DASH}": "-", "→": "->"}
STRUCK = {"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D"}
STROKE = "\N{COMBINING LONG SOLIDUS OVERLAY}"

# The strokes of a mark, as (x, y) in hundredths of the letters' size: from the middle of the letter
# to the right, from its top upwards. One point is a dot.
Strokes = tuple[tuple[tuple[int, int], ...], ...]
MARKS: dict[str, Strokes] = {
    "\N{COMBINING DIAERESIS}": (((-12, 10),), ((12, 10),)),
    "\N{COMBINING RING ABOVE}": (((-7, 10), (0, 17), (7, 10), (0, 3), (-7, 10)),),
    "\N{COMBINING ACUTE ACCENT}": (((-3, 5), (7, 16)),),
    "\N{COMBINING GRAVE ACCENT}": (((3, 5), (-7, 16)),),
    "\N{COMBINING CIRCUMFLEX ACCENT}": (((-9, 5), (0, 14), (9, 5)),),
    "\N{COMBINING CARON}": (((-9, 14), (0, 5), (9, 14)),),
    "\N{COMBINING TILDE}": (((-11, 7), (-4, 12), (4, 7), (11, 12)),),
    "\N{COMBINING MACRON}": (((-10, 9), (10, 9)),),
    "\N{COMBINING BREVE}": (((-9, 14), (0, 6), (9, 14)),),
    "\N{COMBINING DOT ABOVE}": (((0, 10),),),
    "\N{COMBINING DOUBLE ACUTE ACCENT}": (((-8, 5), (-3, 16)), ((4, 5), (9, 16))),
}
KNOWN = frozenset([*map(chr, range(32, 127)), "·", "…", "«", "»", "“", "”"])


class Letter(NamedTuple):
    """A letter that the font has, and what is drawn over it."""

    plain: str
    marks: str = ""


def letters(text: str) -> list[Letter]:
    """A text in letters that can be drawn."""
    found: list[Letter] = []
    for letter in normalize("NFD", "".join(SPELLED.get(letter, letter) for letter in text)):
        if letter in KNOWN:
            found.append(Letter(letter))
        elif letter in STRUCK:
            found.append(Letter(STRUCK[letter], STROKE))
        elif letter in MARKS and found:
            found[-1] = found[-1]._replace(marks=found[-1].marks + letter)
        elif not combining(letter):
            found.append(Letter("?"))
    return found


class Place(NamedTuple):
    """Where and how a text is drawn, in pixels."""

    x: int
    y: int  # of the line that letters stand on
    size: int
    colour: str
    align: str


def letter(draw: ImageDraw, text: str, place: Place) -> None:
    """Draw a text."""
    font, found = font_of(place.size), letters(text)
    plain = "".join(each.plain for each in found)
    anchor = ANCHORS[place.align]
    draw.text((place.x, place.y), plain, fill=place.colour, font=font, anchor=anchor)
    left = font.getbbox(plain, anchor=anchor)[0] + place.x if plain else place.x
    for number, each in enumerate(found):
        middle = left + font.getlength(plain[:number]) + font.getlength(each.plain) / 2
        top = place.y + font.getbbox(each.plain, anchor="ls")[1]
        for mark in each.marks:
            _mark(draw, mark, (middle, top), place)


@cache
def font_of(size: int) -> ImageFont.FreeTypeFont:
    """Pillow's own font in a size.

    Raises:
        TypeError: this Pillow was built without FreeType, which no wheel is.
    """
    font = ImageFont.load_default(size)
    if not isinstance(font, ImageFont.FreeTypeFont):
        raise TypeError("this Pillow has no FreeType: it cannot draw letters in a size")
    return font


def _mark(draw: ImageDraw, mark: str, top: tuple[float, float], place: Place) -> None:
    (x, y), size = top, place.size
    pen = max(1, size * 8 // 100)
    if mark == STROKE:
        reach = size * 20 // 100
        ends = [(x - reach, place.y + size * 5 / 100), (x + reach, y - size * 5 / 100)]
        draw.line(ends, fill=place.colour, width=pen)
    for stroke in MARKS.get(mark, ()):
        spots = [(x + right * size / 100, y - up * size / 100) for right, up in stroke]
        if len(spots) == 1:
            draw.circle(spots[0], size * 6 / 100, fill=place.colour)
        else:
            draw.line(spots, fill=place.colour, width=pen, joint="curve")
