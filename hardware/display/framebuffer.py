"""Frames: pictures as a panel stores them, and the rectangles of a frame that have changed.

A byte of a frame is eight pixels one above the other, the topmost in the lowest bit. 128 bytes side
by side are a page, and eight pages from the top are the panel.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from itertools import accumulate
from operator import or_

from PIL import Image

from hardware.display.widgets import HEIGHT, WIDTH

# Left column, top page, right column and bottom page; the last two are outside.
Rectangle = tuple[int, int, int, int]
Cost = Callable[[Rectangle], int]  # bytes that it takes to send a rectangle

PAGES = HEIGHT // 8
WHOLE: Rectangle = (0, 0, WIDTH, PAGES)
EMPTY: Rectangle = (WIDTH, PAGES, 0, 0)  # its union with another rectangle is that rectangle
BLANK = bytes(WIDTH * PAGES)  # a dark frame
CHANGED = re.compile(rb"[^\0]+")

# Where burn-in protection moves a picture: pixels to the right and down. Each place is one step
# from the one before it, and the first from the last.
SHIFTS = ((0, 0), (0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1))


def frame(picture: Image.Image) -> bytes:
    """Return a picture of `WIDTH` x `HEIGHT` pixels, mode "1", as a frame."""
    columns = picture.transpose(Image.Transpose.ROTATE_270).tobytes()  # each from its last page up
    return b"".join(columns[page::PAGES] for page in reversed(range(PAGES)))


def crop(frame: bytes, rectangle: Rectangle) -> bytes:
    """Return the bytes of a frame within a rectangle, page by page."""
    left, top, right, bottom = rectangle
    starts = range(top * WIDTH, bottom * WIDTH, WIDTH)
    return b"".join(frame[start + left : start + right] for start in starts)


def shifted(picture: Image.Image, step: int) -> Image.Image:
    """Return a picture, lit on dark, moved by at most a pixel, without losing a lit pixel.

    `step` counts its moves through the places of `SHIFTS` where it fits; 0 leaves it in place.
    """
    lit = picture.getbbox()
    if lit is None:
        return picture
    left, top, right, bottom = lit
    places = [
        (x, y)
        for x, y in SHIFTS
        if left + x >= 0 and right + x <= WIDTH and top + y >= 0 and bottom + y <= HEIGHT
    ]
    moved = Image.new("1", picture.size)
    moved.paste(picture, places[step % len(places)])
    return moved


def dirty_rectangles(before: bytes, after: bytes, cost: Cost) -> list[Rectangle]:
    """Return what to send so that a panel that shows the frame `before` shows `after`.

    The smallest rectangle around all changes is cut in two again and again, as long as that makes
    it cheaper to send. Equal frames have no dirty rectangles.
    """
    if before == after:
        return []
    differing = int.from_bytes(before) ^ int.from_bytes(after)
    difference = differing.to_bytes(len(after))
    pages = [difference[start : start + WIDTH] for start in range(0, len(after), WIDTH)]
    return _split(pages, _bounds(pages, WHOLE), cost)


def _split(pages: Sequence[bytes], tight: Rectangle, cost: Cost) -> list[Rectangle]:
    """Return the cheapest rectangles around the changes within a tight one."""
    cuts = [*_cuts(_page_bounds(pages, tight)), *_cuts(_column_bounds(pages, tight))]
    first, second = min(cuts, key=lambda cut: cost(cut[0]) + cost(cut[1]), default=(tight, tight))
    if cost(first) + cost(second) >= cost(tight):
        return [tight]
    return [*_split(pages, first, cost), *_split(pages, second, cost)]


def _cuts(parts: Sequence[Rectangle]) -> Iterator[tuple[Rectangle, Rectangle]]:
    """Yield the rectangles around the first parts and around the others, for each number."""
    first = [*accumulate(parts, _union)]
    others = [*accumulate(reversed(parts), _union)]
    return zip(first, others[-2::-1], strict=False)


def _column_bounds(pages: Sequence[bytes], tight: Rectangle) -> list[Rectangle]:
    """Return the smallest rectangle around each run of columns with changes."""
    left, top, right, bottom = tight
    columns = reduce(or_, (int.from_bytes(page[left:right]) for page in pages[top:bottom]))
    runs = CHANGED.finditer(columns.to_bytes(right - left))
    return [_bounds(pages, (left + run.start(), top, left + run.end(), bottom)) for run in runs]


def _bounds(pages: Sequence[bytes], within: Rectangle) -> Rectangle:
    """Return the smallest rectangle around the changes within another; there is one at least."""
    return reduce(_union, _page_bounds(pages, within))


def _page_bounds(pages: Sequence[bytes], within: Rectangle) -> list[Rectangle]:
    """Return the smallest rectangle around the changes of each page, or `EMPTY`."""
    left, top, right, bottom = within
    bounds = []
    for page in range(top, bottom):
        changed = pages[page][left:right].lstrip(b"\0")
        end = right - len(changed) + len(changed.rstrip(b"\0"))
        bounds.append((right - len(changed), page, end, page + 1) if changed else EMPTY)
    return bounds


def _union(one: Rectangle, other: Rectangle) -> Rectangle:
    return (
        min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3]),
    )  # fmt: skip
