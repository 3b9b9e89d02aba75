"""Find the texts in a picture by the shapes of their characters.

This searches the whole picture for the characters of all fonts, lit on dark and dark on lit, the
largest font first; pixels that belong to a text are not read again. It does not use the layout of a
face, so that it notices a face that is drawn wrongly.
"""

from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import groupby
from typing import NamedTuple, get_args

from PIL import Image, ImageChops

from hardware.display.glyphs import UNKNOWN, FontName, font
from hardware.display.widgets import HEIGHT

FONTS: list[FontName] = sorted(get_args(FontName), key=lambda name: -font(name).height)
SYMBOLS = "⚑⚠"  # characters that are a text by themselves, as letters and digits are
MARGIN = 2  # pixels
Columns = tuple[int, ...]  # of a picture; the lowest bit is on top


class Text(NamedTuple):
    """A text in the picture: characters side by side."""

    text: str
    font: FontName
    left: int
    top: int
    right: int
    bottom: int
    inverted: bool  # dark on lit
    ink: int  # the number of pixels of its characters

    def overlaps(self, other: "Text") -> bool:
        """Return whether the rectangles of both texts share a pixel."""
        beside = self.right <= other.left or other.right <= self.left
        return not (beside or self.bottom <= other.top or other.bottom <= self.top)


class _Shape(NamedTuple):
    char: str
    columns: Columns
    ink: int


class _Shapes(NamedTuple):
    """The characters of a font, indexed by their column with most pixels."""

    height: int
    space: int  # width in pixels
    by_column: dict[int, list[tuple[int, _Shape]]]  # column -> its position, the character


def texts(picture: Image.Image) -> Iterator[Text]:
    """Yield all texts in a picture, those of the largest font first, each size from the top."""
    ways = [(False, _margined(picture)), (True, _margined(ImageChops.invert(picture)))]
    found: list[Text] = []
    for _, names in groupby(FONTS, lambda name: font(name).height):
        new = (text for name in names for way in ways for text in _candidates(name, *way))
        before = len(found)
        for text in sorted(new, key=lambda text: -text.ink):
            if not any(map(text.overlaps, found)):
                found.append(text)
        yield from sorted(found[before:], key=lambda text: (text.top, text.left))


def _candidates(name: FontName, inverted: bool, columns: Columns) -> Iterator[Text]:
    """Yield everything that may be a text of a font."""
    shapes, different = _shapes(name), set(columns)
    mask = (1 << shapes.height) - 1
    for top in range(HEIGHT + 2 * MARGIN - shapes.height + 1):
        band = {column: column >> top & mask for column in different}
        if shapes.by_column.keys().isdisjoint(band.values()):
            continue
        for text, left, right, ink in _row(tuple(band[column] for column in columns), shapes):
            if any(char.isalnum() or char in SYMBOLS for char in text):
                y = top - MARGIN
                place = (left - MARGIN, y, right - MARGIN, y + shapes.height)
                yield Text(text, name, *place, inverted, ink)


def _row(band: Columns, shapes: _Shapes) -> Iterator[tuple[str, int, int, int]]:
    """Yield the texts whose top is in one row of pixels, each with its left, right and ink."""
    # For each column, the text with most ink that ends there.
    best: dict[int, tuple[str, int, int, int]] = {}
    for left, shape in _hits(band, shapes):
        right = left + len(shape.columns)
        text, first, _, ink = _before(best, left, band, shapes.space)
        new = (text + shape.char, first, right, ink + shape.ink)
        if right not in best or best[right][3] < new[3]:
            best[right] = new
    yield from best.values()


def _before(
    best: dict[int, tuple[str, int, int, int]], left: int, band: Columns, space: int
) -> tuple[str, int, int, int]:
    """Return the text that a character continues: one that ends beside it or a space away."""
    if left in best:
        return best[left]
    if left - space in best and not any(band[left - space : left]):
        text, first, _, ink = best[left - space]
        return f"{text} ", first, left, ink
    return "", left, left, 0


def _hits(band: Columns, shapes: _Shapes) -> list[tuple[int, _Shape]]:
    """Return the positions of all characters in a row of pixels, from the left."""
    hits = [
        (x - place, shape)
        for x, column in enumerate(band)
        if column in shapes.by_column
        for place, shape in shapes.by_column[column]
        if place <= x and band[x - place : x - place + len(shape.columns)] == shape.columns
    ]
    return sorted(hits, key=lambda hit: hit[0])


def alike(text: str) -> str:
    """Return a text with each letter replaced by the first one of the same shape."""
    return "".join(_first(char) for char in text)


@cache
def _first(char: str) -> str:
    """Return the first character with the shape of this one: "0" for "O", "I" for "l"."""
    face = font("text")
    shape = face.picture(char).tobytes() if char in face.characters else b""
    alike = (each for each in face.characters if face.picture(each).tobytes() == shape)
    return min(alike, default=char)


@cache
def _shapes(name: FontName) -> _Shapes:
    by_column: defaultdict[int, list[tuple[int, _Shape]]] = defaultdict(list)
    for char in sorted(font(name).characters):
        columns = _columns(font(name).picture(char))
        ink = sum(column.bit_count() for column in columns)
        if ink and char != UNKNOWN:
            column = max(columns, key=int.bit_count)
            by_column[column].append((columns.index(column), _Shape(char, columns, ink)))
    return _Shapes(font(name).height, font(name).width(" "), dict(by_column))


def _margined(picture: Image.Image) -> Columns:
    """Return the columns of a picture with a dark margin, as characters may touch the edge."""
    beside = (0,) * MARGIN
    return (*beside, *(column << MARGIN for column in _columns(picture)), *beside)


def _columns(picture: Image.Image) -> Columns:
    """Return a picture as one number for each column, the topmost pixel in the lowest bit."""
    rows = picture.transpose(Image.Transpose.ROTATE_270).tobytes()  # each a column, from below
    size = -(-picture.height // 8)
    unused = size * 8 - picture.height  # bits at the end of each
    return tuple(
        int.from_bytes(rows[begin : begin + size]) >> unused for begin in range(0, len(rows), size)
    )
