"""A picture of lit and dark pixels as characters, each of which stands for several pixels.

A half block holds 1x2 pixels, which come out square and solid; a Braille pattern 2x4, in half the
width, but as dots. Dots on a dark ground are hard to read where nearly all are lit, so a face's
lit boxes, and the whole of a running side's panel, are dark dots on a lit ground instead.

The one rule: as long as the size fits, every pixel of the panel is there, and none besides.
"""

from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from PIL import Image, ImageChops

from hardware.display.pieces import HEIGHT, LIT, WIDTH, Piece
from hardware.display.layout import FaceLike, draw, pieces


class Cells(NamedTuple):
    """Characters that stand for a few pixels each."""

    columns: int  # pixels in a character, across
    rows: int  # and down
    glyphs: str  # one for each set of lit pixels: the first pixel is bit 0, its neighbour bit 1


class Run(NamedTuple):
    """Neighbouring characters on the same ground."""

    text: str
    lit: bool = False  # the ground is lit and the characters are dark


Line = list[Run]

# Unicode counts the upper six dots down the columns, then the two of the last row.
BRAILLE_BITS = (0, 3, 1, 4, 2, 5, 6, 7)


def _braille(lit: int) -> str:
    """The Braille pattern for eight pixels in reading order."""
    dots = sum(1 << bit for pixel, bit in enumerate(BRAILLE_BITS) if lit >> pixel & 1)
    return chr(0x2800 + dots)


FRAME = 1  # pixels, of a bar

HALVES = Cells(1, 2, " ▀▄█")
QUARTERS = Cells(2, 2, " ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█")
DOTS = Cells(2, 4, " " + "".join(_braille(lit) for lit in range(1, 256)))


def size(cells: Cells) -> tuple[int, int]:
    """How many characters a whole panel takes: across and down."""
    return WIDTH // cells.columns, HEIGHT // cells.rows


def characters(picture: Image.Image, cells: Cells) -> list[str]:
    """The lines of characters of a picture, whose size is a multiple of a character's."""
    pixels, width = picture.convert("L").tobytes(), picture.width
    pixel = [row * width + column for row in range(cells.rows) for column in range(cells.columns)]

    def glyph(corner: int) -> str:
        return cells.glyphs[sum(1 << bit for bit, at in enumerate(pixel) if pixels[corner + at])]

    corners = range(0, picture.height * width, cells.rows * width)
    return ["".join(map(glyph, range(at, at + width, cells.columns))) for at in corners]


def exact(face: FaceLike, cells: Cells) -> list[Line]:
    """A face with all its pixels.

    Args:
        face: what the panel shows.
        cells: the characters to draw it with.

    Returns:
        As many lines as `size` says, each a list of runs of that length together.
    """
    ground = _ground(face, cells)
    whole = ground.resize((WIDTH, HEIGHT), Image.Resampling.NEAREST)
    lines = characters(ImageChops.logical_xor(draw(face), whole), cells)
    flat, width = ground.convert("L").tobytes(), ground.width
    grounds = [flat[at : at + width] for at in range(0, len(flat), width)]
    return [_runs(zip(text, row, strict=True)) for text, row in zip(lines, grounds, strict=True)]


def _ground(face: FaceLike, cells: Cells) -> Image.Image:
    """Which characters have a lit ground, a pixel each."""
    ground = Image.new("1", size(cells), LIT * face.running)
    for piece in pieces(face):
        if _is_box(piece.picture):
            ground.paste(LIT * (not face.running), _inside(piece, cells))
    return ground


def _is_box(picture: Image.Image) -> bool:
    """Whether it is lit, with dark text; a bar is dark inside its frame, a symbol beside it."""
    width, height = picture.size
    if picture.histogram()[LIT] * 2 <= width * height or min(width, height) <= 2 * FRAME:
        return False
    corners = (FRAME, FRAME), (width - 1 - FRAME, height - 1 - FRAME)
    return all(picture.getpixel(corner) for corner in corners)


def _inside(piece: Piece, cells: Cells) -> tuple[int, int, int, int]:
    """The characters that are wholly inside a piece."""
    left, top, right, bottom = piece.box
    left, top = -(-left // cells.columns), -(-top // cells.rows)
    return left, top, max(left, right // cells.columns), max(top, bottom // cells.rows)


def _runs(line: Iterable[tuple[str, int]]) -> Line:
    """Characters and their grounds, joined where the ground is the same."""
    return [
        Run("".join(text for text, _ in run), bool(lit))
        for lit, run in groupby(line, key=itemgetter(1))
    ]
