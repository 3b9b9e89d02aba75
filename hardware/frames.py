"""What of a picture has to be sent to a panel, and in which form.

A panel keeps its picture in bytes, each of them eight pixels one above the other with the topmost
in the lowest bit; 128 of them side by side are a page, and eight pages the panel. A frame is a
picture in that form, held as an image in which a byte is a pixel: so Pillow finds what has changed,
and cuts it out in the order in which it is sent.

The one rule: nothing here knows a wire or a time; a frame depends on its picture alone.
"""

from collections.abc import Callable
from itertools import pairwise

from PIL import Image, ImageChops

from hardware.pieces import HEIGHT, WIDTH

Box = tuple[int, int, int, int]  # left column, top page, right and bottom; the last two are outside
Cost = Callable[[Box], int]  # what sending a box takes, in bytes

PAGES = HEIGHT // 8
WHOLE: Box = (0, 0, WIDTH, PAGES)
BLANK = Image.new("L", (WIDTH, PAGES))

# Where a picture that stands still can go: to the right and down, in pixels. Neighbours in this
# ring are one step apart.
DRIFTS = ((0, 0), (0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1))


def frame(picture: Image.Image) -> Image.Image:
    """A picture of `WIDTH` x `HEIGHT` pixels, mode "1", as a frame: mode "L", `WIDTH` x `PAGES`."""
    columns = picture.transpose(Image.Transpose.ROTATE_270).tobytes()  # each from its last page up
    pages = (columns[page::PAGES] for page in reversed(range(PAGES)))
    return Image.frombytes("L", (WIDTH, PAGES), b"".join(pages))


def changes(before: Image.Image, after: Image.Image, cost: Cost) -> list[Box]:
    """What to send so that a panel that shows `before` shows `after`.

    Returns:
        The smallest box around all that differs, cut in two again and again as long as that makes
        it cheaper; none if nothing differs.
    """
    return _cheapest(ImageChops.difference(before, after), WHOLE, cost)


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


def _cheapest(difference: Image.Image, within: Box, cost: Cost) -> list[Box]:
    """The boxes around what is not 0 within a box."""
    box = _tight(difference, within)
    if box is None:
        return []
    halves = [
        tuple(_tight(difference, half) or box for half in cut) for cut in _cuts(difference, box)
    ]
    first, second = min(halves, key=lambda cut: sum(map(cost, cut)), default=(box, box))
    if cost(first) + cost(second) >= cost(box):
        return [box]
    return [*_cheapest(difference, first, cost), *_cheapest(difference, second, cost)]


def _tight(difference: Image.Image, within: Box) -> Box | None:
    """The smallest box around what is not 0 within a box."""
    found = difference.crop(within).getbbox()
    if found is None:
        return None
    left, top = within[:2]
    return left + found[0], top + found[1], left + found[2], top + found[3]


def _cuts(difference: Image.Image, box: Box) -> list[tuple[Box, Box]]:
    """Where a tight box could be cut in two: between any pages, and beside columns without news."""
    left, top, right, bottom = box
    columns, _ = difference.crop(box).getprojection()
    begins = [left + x for x, (was, now) in enumerate(pairwise(columns), 1) if now and not was]
    across = [((left, top, right, y), (left, y, right, bottom)) for y in range(top + 1, bottom)]
    return [*across, *(((left, top, x, bottom), (x, top, right, bottom)) for x in begins)]
