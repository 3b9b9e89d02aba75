"""Text as one-bit pictures, in the bitmap fonts of `hardware/display/fonts`.

A panel has no greys, so letters are drawn on its pixel grid, as BDF fonts, which FreeType
reproduces pixel for pixel. A label is shared between its users: paste it, never draw on it.
"""

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from itertools import accumulate
from typing import Final, Literal

from PIL import Image, ImageDraw, ImageFont

from hardware.display.spelling import FONTS, characters, spelled

FontName = Literal[
    "text", "text-bold", "digits-12", "digits-20", "digits-28-thin", "digits-28-narrow",
    "digits-28", "digits-34", "digits-39",
]  # fmt: skip
PIXEL_SIZES: Final[Mapping[FontName, int]] = {
    "text": 10, "text-bold": 10, "digits-12": 12, "digits-20": 20, "digits-28-thin": 28,
    "digits-28-narrow": 28, "digits-28": 28, "digits-34": 34, "digits-39": 39,
}  # fmt: skip

ELLIPSIS = "…"
UNKNOWN = "\N{REPLACEMENT CHARACTER}"  # every font draws it as a box
CACHED_LABELS = 512  # more than all pages of one evening need; some 100 kB


class Font:
    """A bitmap font; every picture is as high as the font."""

    def __init__(self, name: FontName) -> None:
        """Open the font's file; glyphs are rendered as they are needed."""
        file = FONTS / f"{name}.bdf"
        basic = ImageFont.Layout.BASIC
        self._face = ImageFont.truetype(file, PIXEL_SIZES[name], layout_engine=basic)
        self._ascent, descent = self._face.getmetrics()
        self.height = self._ascent + descent
        self.characters = characters(file)

    def width(self, text: str) -> int:
        """Return the width of `text` in pixels."""
        return int(self._face.getlength(self._drawable(text)))

    def picture(self, text: str) -> Image.Image:
        """Return `text` as a picture, lit on dark."""
        picture = Image.new("1", (self.width(text), self.height))
        draw = ImageDraw.Draw(picture)
        draw.text((0, self._ascent), self._drawable(text), "white", self._face, anchor="ls")
        return picture

    def shorten(self, text: str, room: int) -> str:
        """Return as much of `text` as fits `room` pixels, "…" included; "" if nothing does."""
        text = self._drawable(text)
        if self.width(text) <= room:
            return text
        rest = room - self.width(ELLIPSIS)
        if rest < 0:
            return ""
        widths = accumulate(self.width(char) for char in text)
        return text[: sum(used <= rest for used in widths)].rstrip() + ELLIPSIS

    def _drawable(self, text: str) -> str:
        """Spell what is missing in letters that the font has, and make the rest `UNKNOWN`."""
        known = self.characters
        return "".join(char if char in known else UNKNOWN for char in spelled(text, known))


@cache
def font(name: FontName) -> Font:
    """Return a font, opened at its first use."""
    return Font(name)


@lru_cache(CACHED_LABELS)
def width(name: FontName, text: str) -> int:
    """Return the width of `text` in a font, in pixels."""
    return font(name).width(text)


def fits(name: FontName, text: str, room: int) -> bool:
    """Return whether `text` needs no more than `room` pixels."""
    return width(name, text) <= room


def short_name(font_name: FontName, name: str, room: int, forms: Sequence[str] = ()) -> str:
    """Return a name or the first of its shorter forms that fits `room` pixels, else the last."""
    texts = (name, *forms)
    return next((text for text in texts if fits(font_name, text, room)), texts[-1])


@lru_cache(CACHED_LABELS)
def label(name: FontName, text: str, room: int) -> Image.Image:
    """Return `text` as a picture, shortened with an ellipsis to at most `room` pixels."""
    return font(name).picture(font(name).shorten(text, room))
