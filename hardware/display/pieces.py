"""What a panel's picture is put together from: pieces, and rows to put them in.

The one rule: a row hands out its room once, so that no two of its pieces can ever overlap.
"""

from typing import NamedTuple

from PIL import Image, ImageChops

from hardware.display.glyphs import FontName, fits, label

WIDTH, HEIGHT = 128, 64  # of a panel, in pixels of 0.43 mm
GAP = 3  # pixels between two pieces of a row
LIT, DARK = 255, 0  # of a pixel, as Pillow holds them
PADDING = 3  # pixels between the edge of a tag or frame and its text


class Piece(NamedTuple):
    """One element of a face: a picture and the place of its upper left corner."""

    name: str
    left: int
    top: int
    picture: Image.Image

    @property
    def box(self) -> tuple[int, int, int, int]:
        """Left, top, right and bottom; the last two are outside."""
        return self.left, self.top, self.left + self.picture.width, self.top + self.picture.height


class Row:
    """Pieces side by side, filled from both ends; each stands in the middle of the row's height."""

    def __init__(
        self, top: int, height: int, left: int = 0, right: int = WIDTH, *, gap: int = GAP
    ) -> None:
        """An empty row.

        Args:
            top: the panel's pixel row where it begins.
            height: in pixels; no picture put into it may be higher.
            left: the pixel column where its room begins.
            right: the pixel column after the last of its room.
            gap: pixels between two pieces.
        """
        self.pieces: list[Piece] = []
        self.height = height
        self._top, self._left, self._right, self._gap = top, left, right, gap

    @property
    def room(self) -> int:
        """The pixels still free."""
        return max(0, self._right - self._left)

    def put_left(self, name: str, picture: Image.Image) -> None:
        """Puts a picture, no wider than the room, at the left end of what is free."""
        self._put(name, picture, self._left)
        if picture.width:
            self._left += picture.width + self._gap

    def put_right(self, name: str, picture: Image.Image) -> None:
        """Puts a picture, no wider than the room, at the right end of what is free."""
        self._put(name, picture, self._right - picture.width)
        if picture.width:
            self._right -= picture.width + self._gap

    def put_centre(self, name: str, picture: Image.Image) -> None:
        """Puts a picture, no wider than the room, in the middle of what is free, and closes it."""
        self._put(name, picture, self._left + (self.room - picture.width) // 2)
        self._left = self._right

    def put_middle(self, name: str, picture: Image.Image) -> None:
        """The same, but as near to the middle of the panel as what is free allows."""
        middle = (WIDTH - picture.width) // 2
        self._put(name, picture, max(self._left, min(middle, self._right - picture.width)))
        self._left = self._right

    def _put(self, name: str, picture: Image.Image, left: int) -> None:
        if picture.width:
            top = self._top + (self.height - picture.height) // 2
            self.pieces.append(Piece(name, left, top, picture))


def words(text: str, width: int) -> Image.Image:
    """A text in bold if it fits, else in regular letters and as much as fits."""
    return label("text-bold" if fits("text-bold", text, width) else "text", text, width)


def number(text: str, width: int, *sizes: FontName) -> Image.Image:
    """A text in the first of several fonts that it fits in; else as words."""
    for size in sizes:
        if fits(size, text, width):
            return label(size, text, width)
    return words(text, width)


def plate(picture: Image.Image, width: int, height: int) -> Image.Image:
    """A picture, inverted, in the middle of a lit box."""
    box = Image.new("1", (width, height), LIT)
    left, top = (width - picture.width) // 2, (height - picture.height + 1) // 2
    box.paste(ImageChops.invert(picture), (left, top))
    return box


def tag(text: str, width: int, height: int) -> Image.Image:
    """A text, dark on a lit box that is no wider than the text needs; no text, no box."""
    picture = words(text, max(0, width - 2 * PADDING))
    return plate(picture, picture.width + 2 * PADDING, height) if picture.width else picture


def outline(width: int, height: int) -> Image.Image:
    """An empty box."""
    box = Image.new("1", (width, height), LIT)
    box.paste(DARK, (1, 1, width - 1, height - 1))
    return box


def bar(permille: int, width: int, height: int) -> Image.Image:
    """A box filled from the left: all of it at 1000, none at 0, and something before 0."""
    inside = width - 4
    filled = min(inside, max(0, -(-inside * permille // 1000)))
    box = outline(width, height)
    box.paste(LIT, (2, 2, 2 + filled, height - 2))
    return box
