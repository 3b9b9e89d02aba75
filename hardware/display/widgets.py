"""The elements that a face is drawn from, its QR code, and rows to place them without overlap."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from PIL import Image, ImageChops

from hardware.display.glyphs import FontName, fits, label, width

WIDTH, HEIGHT = 128, 64  # of a panel, in pixels of 0.43 mm
GAP = 3  # pixels between two widgets of a row
LIT, DARK = 255, 0  # values of a pixel in a picture of mode "1"
PADDING = 2  # pixels between the edge of a tag or frame and its text


class Widget(NamedTuple):
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
    """Widgets side by side, filled from both ends, each centred vertically."""

    def __init__(
        self, top: int, height: int, left: int = 0, right: int = WIDTH, *, gap: int = GAP
    ) -> None:
        """Start with an empty row; no picture put into it may be higher."""
        self.widgets: list[Widget] = []
        self.height = height
        self._top, self._left, self._right, self._gap = top, left, right, gap

    @property
    def room(self) -> int:
        """The pixels still free; no picture put into the row may be wider."""
        return max(0, self._right - self._left)

    def put_left(self, name: str, picture: Image.Image) -> None:
        """Put a picture at the left end of the free room."""
        self._put(name, picture, self._left)
        if picture.width:
            self._left += picture.width + self._gap

    def put_right(self, name: str, picture: Image.Image) -> None:
        """Put a picture at the right end of the free room."""
        self._put(name, picture, self._right - picture.width)
        if picture.width:
            self._right -= picture.width + self._gap

    def put_centre(self, name: str, picture: Image.Image) -> None:
        """Put a picture in the middle of the free room, after all others."""
        self._put(name, picture, self._left + (self.room - picture.width) // 2)

    def put_middle(self, name: str, picture: Image.Image) -> None:
        """Put a picture as near the middle of the panel as possible, after all others."""
        middle = (WIDTH - picture.width) // 2
        self._put(name, picture, max(self._left, min(middle, self._right - picture.width)))

    def _put(self, name: str, picture: Image.Image, left: int) -> None:
        if picture.width:
            top = self._top + (self.height - picture.height) // 2
            self.widgets.append(Widget(name, left, top, picture))


def bold_label(text: str, width: int) -> Image.Image:
    """Return a text in bold if it fits, else in regular letters, shortened if need be."""
    return label("text-bold" if fits("text-bold", text, width) else "text", text, width)


def figures(text: str, width: int, *sizes: FontName) -> Image.Image:
    """Return a text in the first font that it fits in, else as a `bold_label`."""
    for size in sizes:
        if fits(size, text, width):
            return label(size, text, width)
    return bold_label(text, width)


def plate(picture: Image.Image, width: int, height: int) -> Image.Image:
    """Return a picture, inverted, in the middle of a lit box."""
    box = Image.new("1", (width, height), LIT)
    left, top = (width - picture.width) // 2, (height - picture.height + 1) // 2
    box.paste(ImageChops.invert(picture), (left, top))
    return box


def tag(text: str, width: int, height: int) -> Image.Image:
    """Return a text, dark on a lit box as wide as the text; without text there is no box."""
    picture = bold_label(text, width - 2 * PADDING)
    return plate(picture, picture.width + 2 * PADDING, height) if picture.width else picture


def outline(width: int, height: int) -> Image.Image:
    """Return an empty box."""
    box = Image.new("1", (width, height), LIT)
    box.paste(DARK, (1, 1, width - 1, height - 1))
    return box


def bar(permille: int, width: int, height: int) -> Image.Image:
    """Return a box filled from the left: wholly at 1000, and empty only at 0."""
    inside = width - 4
    filled = min(inside, max(0, -(-inside * permille // 1000)))
    box = outline(width, height)
    box.paste(LIT, (2, 2, 2 + filled, height - 2))
    return box


LINES_SHOWN = 4
LINE_HEIGHT = 10  # pixels
TEXT_HEIGHT = 9  # of a line whose descenders end in the first row of the line below
CAPITALS_HEIGHT = 8  # of a line of capitals and digits
INDENT = 2  # pixels left and right of a line's text, lit where the line is highlighted
ARROW_WIDTH = 8  # pixels kept free on the right of a page that scrolls
MORE_ABOVE, MORE_BELOW = "▲", "▼"
KEYS_RULE = 53  # pixel row
KEYS_ROW = (54, 10)  # top and height in pixels
KEYS_GAP = 7  # pixels between two legends


def text_lines(texts: Sequence[str], selected: int | None, top: int) -> Iterator[Widget]:
    """Yield the lines that fit a page from the pixel row `top` on, with arrows if there are more.

    The page scrolls to the selected line, and highlights it if there is such a line.
    """
    more = len(texts) - LINES_SHOWN
    first = min(max(0, (selected or 0) - 1), max(0, more))
    room = WIDTH - ARROW_WIDTH if more > 0 else WIDTH
    for place, text in enumerate(texts[first : first + LINES_SHOWN]):
        picture = text_line(text, room, selected=first + place == selected)
        yield Widget(f"line {first + place}", 0, top + place * LINE_HEIGHT, picture)
    if first > 0:
        yield _arrow("more above", MORE_ABOVE, top)
    if first < more:
        yield _arrow("more below", MORE_BELOW, top + (LINES_SHOWN - 1) * LINE_HEIGHT)


def text_line(text: str, room: int, *, selected: bool) -> Image.Image:
    """Return a line of a page, inverted if it is selected."""
    line = Image.new("1", (room, LINE_HEIGHT))
    line.paste(label("text", text, room - 2 * INDENT), (INDENT, 0))
    return ImageChops.invert(line) if selected else line


def _arrow(name: str, symbol: str, top: int) -> Widget:
    picture = label("text", symbol, ARROW_WIDTH)
    return Widget(name, WIDTH - picture.width, top, picture)


class TextRow(NamedTuple):
    """A text as wide as the panel, and how much of the panel's height it takes."""

    name: str
    picture: Image.Image
    height: int = TEXT_HEIGHT


def stacked(rows: Sequence[TextRow], top: int) -> Iterator[Widget]:
    """Yield rows one under the other; the ink below a row's height is drawn into the next row."""
    ends = [*accumulate(row.height for row in rows)]
    drawn = Image.new("1", (WIDTH, ends[-1]))
    for row, end in zip(rows, ends, strict=True):
        drawn.paste(LIT, (0, end - row.height), row.picture)
    for row, end in zip(rows, ends, strict=True):
        begin = end - row.height
        yield Widget(row.name, 0, top + begin, drawn.crop((0, begin, WIDTH, end)))


def strip(widgets: Sequence[Widget]) -> Image.Image:
    """Return the widgets of a row that begins at the top, as a picture as wide as the panel."""
    picture = Image.new("1", (WIDTH, LINE_HEIGHT))
    for widget in widgets:
        picture.paste(widget.picture, (widget.left, widget.top))
    return picture


def key_legends(legends: tuple[str, str, str]) -> list[Widget]:
    """Return a rule and the legends of left, centre and right under it; nothing without legends."""
    if not any(legends):
        return []
    rule = Image.new("1", (WIDTH, 1), LIT)
    return [Widget("rule", 0, KEYS_RULE, rule), *legend_row(legends, KEYS_ROW[0]).widgets]


def legend_row(legends: tuple[str, str, str], top: int = 0) -> Row:
    """Return the legends of left, centre and right, each over its button."""
    left, centre, right = (
        label("text", legend, share)
        for legend, share in zip(legends, _shares(legends), strict=True)
    )
    row = Row(top, KEYS_ROW[1], gap=KEYS_GAP)
    row.put_left("left key", left)
    row.put_right("right key", right)
    row.put_middle("centre key", centre)
    return row


def _shares(legends: tuple[str, str, str]) -> list[int]:
    """Return the widths of the legends: a third each, or more where others need less."""
    room = WIDTH - 2 * KEYS_GAP
    wanted = [width("text", legend) for legend in legends]
    shares = [min(wish, room // 3) for wish in wanted]
    for place, wish in enumerate(wanted):
        shares[place] += min(wish - shares[place], room - sum(shares))
    return shares


VERSION = 2  # 25 modules wide: up to 47 capitals and digits at error correction L
MODULE = 2  # pixels
CODE = (17 + 4 * VERSION) * MODULE  # pixels
BOX = 62  # pixels; leaves one around it on a panel, so that burn-in protection can move the picture
MARGIN = (BOX - CODE) // 2


@lru_cache(2)  # both panels show the same one
def qr_code(text: str) -> Image.Image:
    """Return the QR code of a text in its lit box; an empty picture if it is too long."""
    import segno  # noqa: PLC0415 (drawn once a match: neither start nor idle pays for it)

    try:
        code = segno.make(text, error="l", version=VERSION, boost_error=False)
    except (segno.DataOverflowError, ValueError):
        return Image.new("1", (0, 0))
    box = Image.new("1", (BOX, BOX), LIT)
    for row, modules in enumerate(code.matrix):
        for column, dark in enumerate(modules):
            left, top = MARGIN + column * MODULE, MARGIN + row * MODULE
            box.paste(DARK if dark else LIT, (left, top, left + MODULE, top + MODULE))
    return box
