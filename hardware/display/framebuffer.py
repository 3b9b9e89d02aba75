"""What of a picture has to be sent to a panel, and in which form.

A panel keeps its picture in bytes, each of them eight pixels one above the other with the topmost
in the lowest bit; 128 of them side by side are a page, and eight pages the panel. A frame is a
picture in that form, page by page from the top: in the order in which it is sent.

The one rule: nothing here knows a wire or a time; a frame depends on its picture alone.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from itertools import accumulate
from operator import or_

from PIL import Image

from hardware.display.pieces import HEIGHT, WIDTH

Box = tuple[int, int, int, int]  # left column, top page, right and bottom; the last two are outside
Cost = Callable[[Box], int]  # what sending a box takes, in bytes

PAGES = HEIGHT // 8
WHOLE: Box = (0, 0, WIDTH, PAGES)
BLANK = bytes(WIDTH * PAGES)
NOTHING: Box = (WIDTH, PAGES, 0, 0)  # around it and a box there is just that box
NEWS = re.compile(rb"\0[^\0]")  # where columns with news begin, beside one without

# Where a picture that stands still can go: to the right and down, in pixels. Neighbours in this
# ring are one step apart.
DRIFTS = ((0, 0), (0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1))


def frame(picture: Image.Image) -> bytes:
    """A picture of `WIDTH` x `HEIGHT` pixels, mode "1", as a frame."""
    columns = picture.transpose(Image.Transpose.ROTATE_270).tobytes()  # each from its last page up
    return b"".join(columns[page::PAGES] for page in reversed(range(PAGES)))


def part(frame: bytes, box: Box) -> bytes:
    """What of a frame is within a box."""
    left, top, right, bottom = box
    starts = range(top * WIDTH, bottom * WIDTH, WIDTH)
    return b"".join(frame[start + left : start + right] for start in starts)


def changes(before: bytes, after: bytes, cost: Cost) -> list[Box]:
    """What to send so that a panel that shows `before` shows `after`.

    Returns:
        The smallest box around all that differs, cut in two again and again as long as that makes
        it cheaper; none if nothing differs.
    """
    if before == after:
        return []
    differing = int.from_bytes(before) ^ int.from_bytes(after)
    difference = differing.to_bytes(len(after))
    pages = [difference[start : start + WIDTH] for start in range(0, len(after), WIDTH)]
    return _cheapest(pages, _tight(pages, WHOLE), cost)


def drifted(picture: Image.Image, step: int) -> Image.Image:
    """A picture moved by at most a pixel, and never so that a lit pixel would be lost.

    Args:
        picture: what is lit moves over what is dark.
        step: how often it has moved; 0 leaves it where it is, and after all places that it fits in
            it is there again.
    """
    left, top, right, bottom = picture.getbbox() or (1, 1, WIDTH - 1, HEIGHT - 1)
    places = [
        (x, y)
        for x, y in DRIFTS
        if left + x >= 0 and right + x <= WIDTH and top + y >= 0 and bottom + y <= HEIGHT
    ]
    moved = Image.new("1", picture.size)
    moved.paste(picture, places[step % len(places)])
    return moved


def _cheapest(pages: Sequence[bytes], box: Box, cost: Cost) -> list[Box]:
    """The boxes around what is not 0 within a tight box."""
    least = cost((box[0], box[1], box[0] + 1, box[1] + 1))
    if cost(box) <= 2 * least:  # two boxes cannot be cheaper
        return [box]
    halves = [*_between_pages(pages, box), *_beside_columns(pages, box)]
    first, second = min(halves, key=lambda cut: cost(cut[0]) + cost(cut[1]), default=(box, box))
    if cost(first) + cost(second) >= cost(box):
        return [box]
    return [*_cheapest(pages, first, cost), *_cheapest(pages, second, cost)]


def _between_pages(pages: Sequence[bytes], box: Box) -> Iterator[tuple[Box, Box]]:
    """Where a tight box could be cut in two between its pages, and the tight boxes there."""
    rows = _rows(pages, box)
    above = [*accumulate(rows, _around)]
    below = [*accumulate(reversed(rows), _around)]
    return zip(above, below[-2::-1], strict=False)


def _beside_columns(pages: Sequence[bytes], box: Box) -> Iterator[tuple[Box, Box]]:
    """The same beside columns without news."""
    left, top, right, bottom = box
    columns = reduce(or_, (int.from_bytes(page[left:right]) for page in pages[top:bottom]))
    for begin in NEWS.finditer(columns.to_bytes(right - left)):
        x = left + begin.start() + 1
        yield _tight(pages, (left, top, x, bottom)), _tight(pages, (x, top, right, bottom))


def _tight(pages: Sequence[bytes], within: Box) -> Box:
    """The smallest box around what is not 0 within a box; there is something."""
    return reduce(_around, _rows(pages, within))


def _rows(pages: Sequence[bytes], within: Box) -> list[Box]:
    """The same of each of its pages; where there is nothing, `NOTHING`."""
    left, top, right, bottom = within
    rows = []
    for page in range(top, bottom):
        news = pages[page][left:right].lstrip(b"\0")
        end = right - len(news) + len(news.rstrip(b"\0"))
        rows.append((right - len(news), page, end, page + 1) if news else NOTHING)
    return rows


def _around(one: Box, other: Box) -> Box:
    """The smallest box around two."""
    return (
        min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3]),
    )  # fmt: skip
