"""Frames: what a picture is to a panel, what has to be sent of it, and where it may move."""

from itertools import pairwise, product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from PIL import Image

from hardware.display.framebuffer import PAGES, SHIFTS, Rectangle, dirty_rectangles, frame, shifted
from hardware.display.widgets import HEIGHT, LIT, WIDTH

PIXELS = st.binary(min_size=WIDTH * PAGES, max_size=WIDTH * PAGES)
BOXES = st.tuples(
    st.integers(0, WIDTH - 1), st.integers(0, HEIGHT - 1), st.integers(1, 40), st.integers(1, 40)
)


def picture(pixels: bytes) -> Image.Image:
    """Return a picture with these pixels."""
    return Image.frombytes("1", (WIDTH, HEIGHT), pixels)


def boxes(*lit: tuple[int, int, int, int]) -> Image.Image:
    """Return a dark picture with lit boxes: left, top, width, height of each."""
    drawn = Image.new("1", (WIDTH, HEIGHT))
    for left, top, width, height in lit:
        drawn.paste(LIT, (left, top, left + width, top + height))
    return drawn


def area(box: Rectangle) -> int:
    """Return the number of bytes in a rectangle."""
    left, top, right, bottom = box
    return (right - left) * (bottom - top)


def around(*each: Rectangle) -> Rectangle:
    """Return the smallest rectangle around some."""
    left, top, right, bottom = zip(*each, strict=True)
    return min(left), min(top), max(right), max(bottom)


@pytest.mark.slow
@given(PIXELS)
def test_a_byte_is_eight_pixels_with_the_topmost_in_its_lowest_bit(pixels: bytes) -> None:
    drawn = picture(pixels)
    packed = frame(drawn)
    rows = drawn.convert("L").tobytes()  # a byte for each pixel
    for page, x in product(range(PAGES), range(WIDTH)):
        column = rows[8 * page * WIDTH + x :: WIDTH][:8]
        assert packed[page * WIDTH + x] == sum(
            (pixel == LIT) << bit for bit, pixel in enumerate(column)
        )


@given(st.lists(BOXES, max_size=4), st.lists(BOXES, max_size=4), st.sampled_from([1, 4, 10, 200]))
@example([], [(0, 0, 1, 17), (0, 8, 2, 1)], 1)
@example([], [(0, 0, 1, 16), (0, 56, 1, 8)], 4)
def test_dirty_rectangles_turn_the_old_frame_into_the_new_one(
    before: list[tuple[int, int, int, int]], after: list[tuple[int, int, int, int]], each: int
) -> None:
    """No byte is sent twice; they cost no more than one rectangle, or two apart from each other.

    These lie on different pages, or columns without a change are between them.
    """
    old, new = frame(boxes(*before)), frame(boxes(*after))

    def cost(box: Rectangle) -> int:
        return area(box) + each

    sent = dirty_rectangles(old, new, cost)
    places = [(x, y) for left, top, right, bottom in sent
              for y in range(top, bottom) for x in range(left, right)]  # fmt: skip
    shown = bytearray(old)
    for x, y in places:
        shown[y * WIDTH + x] = new[y * WIDTH + x]
    assert shown == new
    assert len(set(places)) == len(places)
    news = [(at % WIDTH, at // WIDTH, at % WIDTH + 1, at // WIDTH + 1)
            for at in range(len(new)) if old[at] != new[at]]  # fmt: skip
    cuts = [([new for new in news if new[axis] < at], [new for new in news if new[axis] >= at])
            for axis, end in enumerate((WIDTH, PAGES)) for at in range(end)
            if axis or not {at - 1, at} <= {new[0] for new in news}]  # fmt: skip
    ways = [sum(cost(around(*part)) for part in cut if part) for cut in cuts]
    assert sum(map(cost, sent)) <= min(ways)


@given(st.lists(BOXES, max_size=3), st.integers(0, 40))
def test_a_picture_moves_by_a_pixel_and_loses_none(
    lit: list[tuple[int, int, int, int]], step: int
) -> None:
    """The lit pixels are the same, at one of the places of `SHIFTS`."""
    still = boxes(*lit)
    moved = shifted(still, step)
    assert (moved.mode, moved.size) == (still.mode, still.size)
    before, after = still.getbbox(), moved.getbbox()
    if before is None or after is None:
        assert before == after
        return
    assert still.crop(before).tobytes() == moved.crop(after).tobytes()
    assert (after[0] - before[0], after[1] - before[1]) in SHIFTS


def test_the_places_are_all_around_and_each_a_pixel_from_the_next() -> None:
    assert sorted(SHIFTS) == sorted(product((-1, 0, 1), repeat=2))
    for here, there in pairwise((*SHIFTS, SHIFTS[0])):
        assert max(abs(a - b) for a, b in zip(here, there, strict=True)) == 1


@pytest.mark.parametrize("step", [0, 1, 2, 17])
def test_a_picture_without_room_stays(step: int) -> None:
    full = boxes((0, 0, WIDTH, 1), (0, 0, 1, HEIGHT), (127, 0, 1, HEIGHT), (0, 63, WIDTH, 1))
    assert shifted(full, step).tobytes() == full.tobytes()
