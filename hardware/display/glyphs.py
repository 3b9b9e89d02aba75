"""Text as little pictures, from the bitmap fonts in `hardware/fonts`.

A panel has no greys, so letters must sit on its pixel grid, and a picture of a face must be the
same with every version of Pillow and FreeType. Hence bitmap fonts (BDF), read once, and no font
engine. A glyph becomes a picture when it is first needed: a font at once would hold up a picture.

The one rule: any text gives a picture that is no wider than asked; nothing here raises for what a
text says. A picture handed out is shared: paste it, never draw on it.
"""

import re
import unicodedata
from collections.abc import Mapping
from functools import cache, lru_cache
from itertools import accumulate
from pathlib import Path
from typing import Literal, NamedTuple

from PIL import Image

FontName = Literal[
    "text", "text-bold", "digits-12", "digits-20", "digits-28", "digits-34", "digits-39"
]

FONTS = Path(__file__).with_name("fonts")

ELLIPSIS = "…"
UNKNOWN = "\N{REPLACEMENT CHARACTER}"  # every font draws it as a box
KEPT_LABELS = 512  # more than all pages of one evening need; some 100 kB

_METRIC = re.compile(r"^FONT_(ASCENT|DESCENT) (\d+)$", re.MULTILINE)
_GLYPH = re.compile(
    r"^ENCODING (\d+)\nSWIDTH .*\nDWIDTH (\d+) 0\n"
    r"BBX (\d+) (\d+) (\d+) (-?\d+)\nBITMAP\n([0-9A-F\n]*)ENDCHAR$",
    re.MULTILINE,
)


class Font(NamedTuple):
    """The glyphs of one font, each in a cell of the font's full height."""

    ascent: int  # of the base line, in pixels
    height: int  # of every cell
    glyphs: Mapping[str, re.Match[str]]  # in the font's file
    cells: dict[str, Image.Image]  # those needed so far

    def cell(self, char: str) -> Image.Image:
        """The picture of a character: else of its base letter, else the box."""
        if char in self.cells:
            return self.cells[char]
        known = char if char in self.glyphs else self._instead(char)
        if known not in self.cells:
            self.cells[known] = _cell(self.glyphs[known], self.ascent, self.height)
        return self.cells[known]

    def _instead(self, char: str) -> str:
        base = unicodedata.normalize("NFKD", char)[0]
        return base if base in self.glyphs else UNKNOWN

    def width(self, text: str) -> int:
        """The width of a text in pixels."""
        return sum(self.cell(char).width for char in text)

    def picture(self, text: str) -> Image.Image:
        """A text as a picture, lit on dark."""
        picture = Image.new("1", (self.width(text), self.height))
        left = 0
        for char in text:
            picture.paste(self.cell(char), (left, 0))
            left += self.cell(char).width
        return picture


@cache
def font(name: FontName) -> Font:
    """A font by its name, read at its first use."""
    source = (FONTS / f"{name}.bdf").read_text("ascii")
    metrics = {key: int(value) for key, value in _METRIC.findall(source)}
    ascent, height = metrics["ASCENT"], metrics["ASCENT"] + metrics["DESCENT"]
    glyphs = {chr(int(found[1])): found for found in _GLYPH.finditer(source)}
    return Font(ascent, height, glyphs, {})


def _cell(found: re.Match[str], ascent: int, height: int) -> Image.Image:
    """The cell of one glyph: its ink, placed on the base line."""
    advance, width, rows, left, bottom = (int(number) for number in found.groups()[1:6])
    cell = Image.new("1", (advance, height))
    if width:
        ink = Image.frombytes("1", (width, rows), bytes.fromhex(found[7]))
        cell.paste(ink, (left, ascent - bottom - rows))
    return cell


def width(name: FontName, text: str) -> int:
    """The pixels that a text needs in a font."""
    return font(name).width(unicodedata.normalize("NFC", text))


def fits(name: FontName, text: str, room: int) -> bool:
    """Whether a text needs no more than `room` pixels."""
    return width(name, text) <= room


@lru_cache(KEPT_LABELS)
def label(name: FontName, text: str, room: int) -> Image.Image:
    """A text in a font, shortened with an ellipsis to at most `room` pixels."""
    text = unicodedata.normalize("NFC", text)
    return font(name).picture(_shortened(font(name), text, room))


def _shortened(face: Font, text: str, room: int) -> str:
    """As much of a text as fits with an ellipsis; nothing if not even that fits."""
    if face.width(text) <= room:
        return text
    rest = room - face.cell(ELLIPSIS).width
    if rest < 0:
        return ""
    widths = accumulate(face.cell(char).width for char in text)
    return text[: sum(used <= rest for used in widths)].rstrip() + ELLIPSIS
