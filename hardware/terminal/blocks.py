"""Pictures as block characters, each of which stands for several pixels.

A half block holds 1x2 pixels, square and solid; a Braille pattern 2x4, in half the width, but as
dots. Where nearly all dots are lit they are hard to read, so lit boxes, and the whole panel of a
running side, are dark dots on a lit ground instead.
"""

from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from PIL import Image, ImageChops

from hardware.display.layout import arrange, draw
from hardware.display.widgets import HEIGHT, LIT, WIDTH
from hardware.face import Face


class Cells(NamedTuple):
    """A set of characters that stand for a few pixels each."""

    columns: int  # pixels in a character, across
    rows: int  # and down
    glyphs: str  # one for each set of lit pixels: the first pixel is bit 0, its neighbour bit 1


class Run(NamedTuple):
    """Neighbouring characters on one ground."""

    text: str
    lit: bool = False  # the ground is lit and the characters are dark


Line = list[Run]

# Unicode counts the upper six dots down the columns, then the two of the last row.
BRAILLE_BITS = (0, 3, 1, 4, 2, 5, 6, 7)


def _braille(lit: int) -> str:
    """Return the Braille pattern for eight pixels in reading order."""
    dots = sum(1 << bit for pixel, bit in enumerate(BRAILLE_BITS) if lit >> pixel & 1)
    return chr(0x2800 + dots)


FRAME = 1  # pixels, of a bar

HALVES = Cells(1, 2, " ▀▄█")
QUARTERS = Cells(2, 2, " ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█")
DOTS = Cells(2, 4, " " + "".join(_braille(lit) for lit in range(1, 256)))


def size(cells: Cells) -> tuple[int, int]:
    """Return how many characters a whole panel takes, across and down."""
    return WIDTH // cells.columns, HEIGHT // cells.rows


def characters(picture: Image.Image, cells: Cells) -> list[str]:
    """Return a picture as lines of characters; its size must be a multiple of theirs."""
    pixels, width = picture.convert("L").tobytes(), picture.width
    pixel = [row * width + column for row in range(cells.rows) for column in range(cells.columns)]

    def glyph(corner: int) -> str:
        return cells.glyphs[sum(1 << bit for bit, at in enumerate(pixel) if pixels[corner + at])]

    corners = range(0, picture.height * width, cells.rows * width)
    return ["".join(map(glyph, range(at, at + width, cells.columns))) for at in corners]


def exact(face: Face, cells: Cells) -> list[Line]:
    """Return a face pixel by pixel, in as many lines and columns as `size` says."""
    ground = _ground(face, cells)
    whole = ground.resize((WIDTH, HEIGHT), Image.Resampling.NEAREST)
    lines = characters(ImageChops.logical_xor(draw(face), whole), cells)
    flat, width = ground.convert("L").tobytes(), ground.width
    grounds = [flat[at : at + width] for at in range(0, len(flat), width)]
    return [_runs(zip(text, row, strict=True)) for text, row in zip(lines, grounds, strict=True)]


def _ground(face: Face, cells: Cells) -> Image.Image:
    ground = Image.new("1", size(cells), LIT * face.running)
    for widget in arrange(face):
        if _is_box(widget.picture):
            ground.paste(LIT * (not face.running), _inside(widget.box, cells))
    return ground


def _is_box(picture: Image.Image) -> bool:
    """Return whether it is a lit box; a bar is dark inside its frame, a symbol in its corners."""
    width, height = picture.size
    if picture.histogram()[LIT] * 2 <= width * height or min(width, height) <= 2 * FRAME:
        return False
    corners = (FRAME, FRAME), (width - 1 - FRAME, height - 1 - FRAME)
    return all(picture.getpixel(corner) for corner in corners)


def _inside(box: tuple[int, int, int, int], cells: Cells) -> tuple[int, int, int, int]:
    left, top, right, bottom = box
    left, top = -(-left // cells.columns), -(-top // cells.rows)
    return left, top, max(left, right // cells.columns), max(top, bottom // cells.rows)


def _runs(line: Iterable[tuple[str, int]]) -> Line:
    return [
        Run("".join(text for text, _ in run), bool(lit))
        for lit, run in groupby(line, key=itemgetter(1))
    ]
