"""Pictures as characters: no pixel is lost or added."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageChops

from hardware.display.layout import draw
from hardware.display.widgets import HEIGHT, LIT, WIDTH
from hardware.face import Face
from hardware.terminal.blocks import DOTS, HALVES, QUARTERS, Cells, Line, characters, exact

FACES = {
    "running": Face(reserve="21:37", running=True, delay="9", delay_permille=750, status="Delay"),
    "no delay": Face(reserve="20:48", delay="0", delay_note="NO DELAY", score="3-5/11"),
    "flagged": Face(reserve="0:00", flag="FLAG 1", delay="12", delay_permille=1000),
    "flagged, running": Face(reserve="0:00", running=True, flag="FLAG 1", warnings=("LOG LOST",)),
    "menu": Face(
        reserve="1:05:00", status="Director", lines=("a", "b", "c", "d", "e"), selected=1,
        keys=("<", "OK", ">"),
    ),
}  # fmt: skip


def pixels_of(lines: list[Line], cells: Cells) -> Image.Image:
    """Return the lit pixels, read back from the characters and their grounds."""
    picture = Image.new("1", (WIDTH, HEIGHT))
    for row, line in enumerate(lines):
        glyphs = [(glyph, run.lit) for run in line for glyph in run.text]
        for column, (glyph, lit) in enumerate(glyphs):
            for bit in range(cells.columns * cells.rows):
                y, x = divmod(bit, cells.columns)
                at = column * cells.columns + x, row * cells.rows + y
                picture.putpixel(at, LIT * ((cells.glyphs.index(glyph) >> bit & 1) ^ lit))
    return picture


@pytest.mark.parametrize("cells", [HALVES, QUARTERS, DOTS], ids=["halves", "quarters", "dots"])
@pytest.mark.parametrize("name", FACES)
def test_every_pixel_is_there(name: str, cells: Cells) -> None:
    lines = exact(FACES[name], cells)
    assert ImageChops.difference(pixels_of(lines, cells), draw(FACES[name])).getbbox() is None


@given(st.binary(min_size=8, max_size=8))
def test_dots_stand_where_the_pixels_are(rows: bytes) -> None:
    """Unicode counts the dots 1 2 3 7 down the left, 4 5 6 8 down the right."""
    picture = Image.frombytes("1", (2, 4), bytes(row & 0xC0 for row in rows[:4]))
    [glyph] = characters(picture, DOTS)
    order = ((0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3))
    dots = sum(1 << dot for dot, place in enumerate(order) if picture.getpixel(place))
    assert glyph == (chr(0x2800 + dots) if dots else " ")


def test_half_blocks_are_two_pixels() -> None:
    picture = Image.frombytes("1", (4, 2), bytes([0b10100000, 0b01100000]))
    assert characters(picture, HALVES) == ["▀▄█ "]


def test_a_running_side_stands_on_a_lit_ground() -> None:
    assert exact(FACES["running"], DOTS)[4][0].lit


def test_text_in_a_lit_box_is_dark_on_solid_light() -> None:
    """This holds for the plate of a flag; a bar stays dots."""
    assert [run.lit for run in exact(FACES["flagged"], DOTS)[10]] == [True]
    assert [run.lit for run in exact(FACES["flagged"], DOTS)[14]] == [False]
    assert [run.lit for run in exact(FACES["flagged, running"], DOTS)[14]] == [True]
