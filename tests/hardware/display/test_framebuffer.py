"""Frames: what a picture is to a panel, what has to be sent of it, and where it may move."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from hardware.display.framebuffer import BLANK, DRIFTS, PAGES, WHOLE, Box, changes, drifted, frame, part
from hardware.display.pieces import HEIGHT, LIT, WIDTH

PIXELS = st.binary(min_size=WIDTH * PAGES, max_size=WIDTH * PAGES)
BOXES = st.tuples(
    st.integers(0, WIDTH - 1), st.integers(0, HEIGHT - 1), st.integers(1, 40), st.integers(1, 40)
)


def picture(pixels: bytes) -> Image.Image:
    """Any picture."""
    return Image.frombytes("1", (WIDTH, HEIGHT), pixels)


def boxes(*lit: tuple[int, int, int, int]) -> Image.Image:
    """A dark picture with lit boxes: left, top, width, height of each."""
    drawn = Image.new("1", (WIDTH, HEIGHT))
    for left, top, width, height in lit:
        drawn.paste(LIT, (left, top, left + width, top + height))
    return drawn


def area(box: Box) -> int:
    """The bytes of a box."""
    left, top, right, bottom = box
    return (right - left) * (bottom - top)


def around(*each: Box) -> Box:
    """The smallest box around some."""
    left, top, right, bottom = zip(*each, strict=True)
    return min(left), min(top), max(right), max(bottom)


def dear(box: Box) -> int:
    """A cost in which every box counts as much as any: it is best to send one."""
    return area(box) + WIDTH * PAGES


@given(PIXELS)
def test_a_byte_is_eight_pixels_with_the_topmost_in_its_lowest_bit(pixels: bytes) -> None:
    """Pixel by pixel, as the data sheet draws it."""
    drawn = picture(pixels)
    packed = frame(drawn)
    for page in range(PAGES):
        for x in range(WIDTH):
            column = [bool(drawn.getpixel((x, 8 * page + bit))) for bit in range(8)]
            assert packed[page * WIDTH + x] == sum(lit << bit for bit, lit in enumerate(column))


@given(st.lists(BOXES, max_size=4), st.lists(BOXES, max_size=4), st.sampled_from([1, 4, 10, 200]))
def test_what_is_sent_makes_the_new_picture_of_the_old_one(
    before: list[tuple[int, int, int, int]], after: list[tuple[int, int, int, int]], each: int
) -> None:
    """Within the whole panel, nothing twice, and never dearer than one box around everything."""
    old, new = frame(boxes(*before)), frame(boxes(*after))

    def cost(box: Box) -> int:
        return area(box) + each

    sent = changes(old, new, cost)
    places = [(x, y) for left, top, right, bottom in sent
              for y in range(top, bottom) for x in range(left, right)]  # fmt: skip
    shown = bytearray(old)
    for x, y in places:
        shown[y * WIDTH + x] = new[y * WIDTH + x]
    assert shown == new
    assert len(set(places)) == len(places)
    news = [(at % WIDTH, at // WIDTH, at % WIDTH + 1, at // WIDTH + 1)
            for at in range(len(new)) if old[at] != new[at]]  # fmt: skip
    assert sum(map(cost, sent)) <= (cost(around(*news)) if news else 0)


@given(PIXELS, BOXES)
def test_a_part_is_sent_page_by_page(pixels: bytes, place: tuple[int, int, int, int]) -> None:
    """Each from the left; what is outside the panel is not."""
    left, top, width, height = place
    box = left, top // 8, min(WIDTH, left + width), min(PAGES, top // 8 + 1 + height // 8)
    whole = Image.frombytes("L", (WIDTH, PAGES), pixels)
    assert part(pixels, box) == whole.crop(box).tobytes()


def test_nothing_is_sent_when_nothing_changes() -> None:
    """No box at all."""
    drawn = frame(boxes((3, 3, 30, 30)))
    assert changes(drawn, bytes(bytearray(drawn)), area) == []


def test_the_box_is_tight_and_whole_pages_high() -> None:
    """A pixel is a byte; one line over the middle of the panel is two pages."""
    assert changes(BLANK, frame(boxes((7, 9, 1, 1))), area) == [(7, 1, 8, 2)]
    assert changes(BLANK, frame(boxes((10, 31, 5, 2))), dear) == [(10, 3, 15, 5)]
    assert changes(BLANK, frame(boxes((0, 0, WIDTH, HEIGHT))), area) == [WHOLE]


def test_corners_are_sent_apart_if_that_is_cheaper() -> None:
    """Two boxes of one byte each, or one around all there is."""
    corners = frame(boxes((0, 0, 1, 1), (WIDTH - 1, HEIGHT - 1, 1, 1)))
    assert changes(BLANK, corners, area) == [(0, 0, 1, 1), (127, 7, 128, 8)]
    assert changes(BLANK, corners, dear) == [WHOLE]


def test_a_number_and_the_end_of_its_bar_are_sent_apart() -> None:
    """They stand side by side, with nothing new between them."""
    beside = frame(boxes((5, 52, 8, 10), (100, 52, 8, 10)))
    assert changes(BLANK, beside, lambda box: area(box) + 10) == [(5, 6, 13, 8), (100, 6, 108, 8)]


@given(st.lists(BOXES, max_size=3), st.integers(0, 40))
def test_a_picture_drifts_by_a_pixel_and_loses_none(
    lit: list[tuple[int, int, int, int]], step: int
) -> None:
    """It is the same picture somewhere else, nearby."""
    still = boxes(*lit)
    moved = drifted(still, step)
    assert (moved.mode, moved.size) == (still.mode, still.size)
    before, after = still.getbbox(), moved.getbbox()
    if before is None or after is None:
        assert before == after
        return
    assert still.crop(before).tobytes() == moved.crop(after).tobytes()
    assert (after[0] - before[0], after[1] - before[1]) in DRIFTS


def test_a_picture_with_room_on_all_sides_comes_by_all_places() -> None:
    """Nine of them, the first and the tenth its own; each a step from the one before."""
    still = boxes((1, 1, WIDTH - 2, HEIGHT - 2))
    places = [(drifted(still, step).getbbox() or WHOLE)[:2] for step in range(10)]
    assert places[0] == places[9] == (1, 1)
    assert len(set(places)) == 9
    for (x, y), (was_x, was_y) in zip(places[1:], places, strict=False):
        assert max(abs(x - was_x), abs(y - was_y)) == 1


@pytest.mark.parametrize("step", [0, 1, 2, 17])
def test_a_picture_without_room_stays(step: int) -> None:
    """Its edges are lit on all sides."""
    full = boxes((0, 0, WIDTH, 1), (0, 0, 1, HEIGHT), (127, 0, 1, HEIGHT), (0, 63, WIDTH, 1))
    assert drifted(full, step).tobytes() == full.tobytes()
