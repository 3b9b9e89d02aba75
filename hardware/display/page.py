"""The parts of a page: lines of text that scroll, and what the three buttons do.

The one rule: the selected line is always among those shown.
"""

from collections.abc import Iterator, Sequence

from PIL import Image, ImageChops

from hardware.display.glyphs import label, width
from hardware.display.pieces import LIT, WIDTH, Piece, Row

LINES_SHOWN = 4
LINE_HEIGHT = 10  # pixels
INDENT = 2  # pixels left and right of a line's text, lit where the line is highlighted
ARROW_WIDTH = 8  # pixels kept free on the right of a page that scrolls
MORE_ABOVE, MORE_BELOW = "▲", "▼"
KEYS_RULE = 53  # pixel row
KEYS_ROW = (54, 10)  # top and height in pixels
KEYS_GAP = 7  # pixels between two legends


def lines(texts: Sequence[str], selected: int | None, top: int) -> Iterator[Piece]:
    """As many lines as a page shows, the selected one among them, and arrows where there are more.

    Args:
        texts: all lines of the page.
        selected: the index of the one to highlight; None or any other number highlights none.
        top: the pixel row where the first begins.
    """
    more = len(texts) - LINES_SHOWN
    first = min(max(0, (selected or 0) - 1), max(0, more))
    room = WIDTH - ARROW_WIDTH if more > 0 else WIDTH
    for place, text in enumerate(texts[first : first + LINES_SHOWN]):
        picture = _line(text, room, selected=first + place == selected)
        yield Piece(f"line {first + place}", 0, top + place * LINE_HEIGHT, picture)
    if first > 0:
        yield _arrow("more above", MORE_ABOVE, top)
    if first < more:
        yield _arrow("more below", MORE_BELOW, top + (LINES_SHOWN - 1) * LINE_HEIGHT)


def _line(text: str, room: int, *, selected: bool) -> Image.Image:
    """A line of a page, as wide as the panel allows."""
    line = Image.new("1", (room, LINE_HEIGHT))
    line.paste(label("text", text, room - 2 * INDENT), (INDENT, 0))
    return ImageChops.invert(line) if selected else line


def _arrow(name: str, symbol: str, top: int) -> Piece:
    """A hint that the page goes on, at the right end of a line."""
    picture = label("text", symbol, ARROW_WIDTH)
    return Piece(name, WIDTH - picture.width, top, picture)


def keys(legends: tuple[str, str, str]) -> list[Piece]:
    """A rule and the legends of left, centre and right, the centre's in the middle if it can be."""
    if not any(legends):
        return []
    left, centre, right = (
        label("text", legend, share)
        for legend, share in zip(legends, _shares(legends), strict=True)
    )
    row = Row(*KEYS_ROW, gap=KEYS_GAP)
    row.put_left("left key", left)
    row.put_right("right key", right)
    row.put_middle("centre key", centre)
    return [Piece("rule", 0, KEYS_RULE, Image.new("1", (WIDTH, 1), LIT)), *row.pieces]


def _shares(legends: tuple[str, str, str]) -> list[int]:
    """The widths of the legends: a third each, and more where the others need less."""
    room = WIDTH - 2 * KEYS_GAP
    wanted = [width("text", legend) for legend in legends]
    shares = [min(wish, room // 3) for wish in wanted]
    for place, wish in enumerate(wanted):
        shares[place] += min(wish - shares[place], room - sum(shares))
    return shares
