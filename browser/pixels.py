"""Pictures of one bit in place of Pillow, which browsers do not have: what the panels draw with.

Registered as the modules `PIL`, `PIL.Image`, `PIL.ImageChops`, `PIL.ImageDraw` and `PIL.ImageFont`,
with the few names that `hardware/display` uses. A row of pixels is an integer, its leftmost pixel
the highest bit. The golden pictures of the panels are its test.
"""

import re
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple

LIT = 255


class Image:
    """A picture of one bit a pixel."""

    def __init__(self, width: int, height: int, rows: Sequence[int]) -> None:
        """Make a picture of its rows."""
        self.width, self.height, self.rows = width, height, [*rows]

    @property
    def size(self) -> tuple[int, int]:
        """Width and height."""
        return self.width, self.height

    def crop(self, box: tuple[int, int, int, int]) -> "Image":
        """Return a part; outside of the picture it is dark."""
        left, top, right, bottom = box
        cropped = Image(right - left, bottom - top, [0] * (bottom - top))
        cropped.paste(self, (-left, -top))
        return cropped

    def paste(self, what: Any, box: Any, mask: "Image | None" = None) -> None:
        """Put a picture or a colour onto a place, where a mask is lit if there is one."""
        if isinstance(what, Image):
            left, top = box[:2]
            source, width = what.rows, what.width
        else:
            left, top = box[:2]
            width, height = mask.size if mask else (box[2] - left, box[3] - top)
            source = [(1 << width) - 1 if what else 0] * height
        for number, pixels in enumerate(source):
            covered = mask.rows[number] if mask else (1 << width) - 1
            bits = (self._moved(each, width, left) for each in (pixels, covered))
            self._put(top + number, *bits)

    def _moved(self, pixels: int, width: int, left: int) -> int:
        shift = self.width - left - width
        moved = pixels << shift if shift >= 0 else pixels >> -shift
        return moved & ((1 << self.width) - 1)

    def _put(self, row: int, pixels: int, covered: int) -> None:
        if 0 <= row < self.height:
            self.rows[row] = self.rows[row] & ~covered | pixels & covered

    def getbbox(self) -> tuple[int, int, int, int] | None:
        """Return the box of what is lit; None: nothing is."""
        lit = [number for number, row in enumerate(self.rows) if row]
        if not lit:
            return None
        every = 0
        for row in self.rows:
            every |= row
        right = self.width - ((every & -every).bit_length() - 1)
        return self.width - every.bit_length(), lit[0], right, lit[-1] + 1

    def tobytes(self) -> bytes:
        """Return the rows, each of whole bytes, as Pillow packs them."""
        size = (self.width + 7) // 8
        return b"".join((row << size * 8 - self.width).to_bytes(size) for row in self.rows)


def new(_mode: str, size: tuple[int, int], color: int = 0) -> Image:
    """Return a picture of one colour."""
    width, height = size
    return Image(width, height, [(1 << width) - 1 if color else 0] * height)


def invert(picture: Image) -> Image:
    """Return a picture in which what was dark is lit."""
    full = (1 << picture.width) - 1
    return Image(*picture.size, [row ^ full for row in picture.rows])


class _Glyph(NamedTuple):
    advance: int
    width: int
    left: int
    bottom: int
    rows: list[int]


class Face:
    """A font in the format BDF."""

    def __init__(self, text: str) -> None:
        """Read a font."""
        (self._ascent,) = map(int, re.findall(r"^FONT_ASCENT (\d+)$", text, re.MULTILINE))
        (self._descent,) = map(int, re.findall(r"^FONT_DESCENT (\d+)$", text, re.MULTILINE))
        self.glyphs = dict(map(_glyph, text.split("STARTCHAR")[1:]))

    def getmetrics(self) -> tuple[int, int]:
        """Return ascent and descent in pixels."""
        return self._ascent, self._descent

    def getlength(self, text: str) -> float:
        """Return the width of a text in pixels."""
        return sum(self.glyphs[char].advance for char in text)


def _glyph(text: str) -> tuple[str, _Glyph]:
    (code,) = re.findall(r"^ENCODING (\d+)$", text, re.MULTILINE)
    (advance,) = re.findall(r"^DWIDTH (\d+)", text, re.MULTILINE)
    ((width, height, left, bottom),) = re.findall(
        r"^BBX (\d+) (\d+) (-?\d+) (-?\d+)$", text, re.MULTILINE
    )
    bits = text.partition("BITMAP\n")[2].split()[: int(height)]
    rows = [int(each, 16) >> len(each) * 4 - int(width) for each in bits]
    return chr(int(code)), _Glyph(int(advance), int(width), int(left), int(bottom), rows)


@cache
def truetype(file: Path, _size: int, **_: object) -> Face:
    """Open a font."""
    return Face(file.read_text("ascii"))


class Draw:
    """What draws on a picture."""

    def __init__(self, picture: Image) -> None:
        """Draw on this one."""
        self._picture = picture

    def text(self, at: tuple[int, int], text: str, _fill: str, face: Face, anchor: str) -> None:
        """Draw lit letters from a point on their base line."""
        assert anchor == "ls"  # noqa: S101 (the only one that the panels use)
        left, base = at
        for char in text:
            glyph = face.glyphs[char]
            lit = Image(glyph.width, len(glyph.rows), glyph.rows)
            top = base - glyph.bottom - len(glyph.rows)
            self._picture.paste(LIT, (left + glyph.left, top), lit)
            left += glyph.advance


def register() -> None:
    """Make `import PIL` find this module's pictures."""
    parts: dict[str, dict[str, Any]] = {
        "Image": {"Image": Image, "new": new},
        "ImageChops": {"invert": invert},
        "ImageDraw": {"Draw": Draw},
        "ImageFont": {"truetype": truetype, "Layout": SimpleNamespace(BASIC=0)},
    }
    package = ModuleType("PIL")
    sys.modules["PIL"] = package
    for name, names in parts.items():
        module = ModuleType(f"PIL.{name}")
        for each, value in names.items():
            setattr(module, each, value)
        sys.modules[module.__name__] = module
        setattr(package, name, module)
