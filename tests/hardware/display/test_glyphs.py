"""Fonts and labels: every glyph as its file has it, and every text within its room."""

from collections.abc import Iterator
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from hardware.display.glyphs import ELLIPSIS, UNKNOWN, FontName, fits, font, label, width
from hardware.display.spelling import FONTS
from hardware.display.widgets import WIDTH


def cells_in_file(name: FontName) -> Iterator[tuple[str, Image.Image]]:
    """Read the font's file line by line, without FreeType: each character and its cell."""
    values: dict[str, list[int]] = {}
    lines = iter((FONTS / f"{name}.bdf").read_text("ascii").splitlines())
    for line in lines:
        keyword, *operands = line.split()
        if keyword in {"FONT_ASCENT", "FONT_DESCENT", "ENCODING", "DWIDTH", "BBX"}:
            values[keyword] = [int(operand) for operand in operands]
        elif keyword == "BITMAP":
            width, rows, left, bottom = values["BBX"]
            [ascent], [descent] = values["FONT_ASCENT"], values["FONT_DESCENT"]
            cell = Image.new("1", (values["DWIDTH"][0], ascent + descent))
            for y in range(ascent - bottom - rows, ascent - bottom):
                bits = "".join(f"{int(digit, 16):04b}" for digit in next(lines))
                for x in range(width):
                    cell.putpixel((left + x, y), 255 * int(bits[x]))
            yield chr(values["ENCODING"][0]), cell


@pytest.mark.parametrize("name", get_args(FontName))
def test_every_glyph_is_the_one_in_the_file(name: FontName) -> None:
    """All glyphs of all fonts are equal to their files, pixel for pixel."""
    cells = dict(cells_in_file(name))
    assert font(name).characters == set(cells)
    for char, cell in cells.items():
        picture = font(name).picture(char)
        assert (picture.mode, picture.size) == ("1", cell.size), char
        assert picture.tobytes() == cell.tobytes(), char


@pytest.mark.parametrize("name", get_args(FontName))
def test_glyphs_stand_side_by_side(name: FontName) -> None:
    """A text is its glyphs one after the other, without kerning or overlap."""
    cells = dict(cells_in_file(name))
    text = "".join(sorted(cells))
    picture = font(name).picture(text)
    assert picture.width == sum(cell.width for cell in cells.values())
    left = 0
    for char in text:
        box = left, 0, left + cells[char].width, picture.height
        assert picture.crop(box).tobytes() == cells[char].tobytes(), char
        left += cells[char].width


@pytest.mark.parametrize("name", get_args(FontName))
def test_fonts_are_complete(name: FontName) -> None:
    """Every font has the figures; text fonts have the letters of four languages."""
    needed = "0123456789:.- " + UNKNOWN
    if name.startswith("text"):
        needed += "".join(map(chr, range(32, 127))) + "æøåäöüßÆØÅÄÖÜé\N{EN DASH}·→⚑⚠" + ELLIPSIS
    assert set(needed) <= font(name).characters
    assert {font(name).picture(char).height for char in needed} == {font(name).height}


@given(st.text(), st.integers(0, WIDTH), st.sampled_from(["text", "text-bold"]))
def test_labels_fit_their_room(text: str, room: int, name: FontName) -> None:
    """A text that does not fit ends in an ellipsis, or is left out."""
    picture = label(name, text, room)
    assert picture.width <= room
    assert picture.height == font(name).height


def test_labels_that_fit_are_whole() -> None:
    needed = width("text", "Bedenkzeit")
    assert label("text", "Bedenkzeit", needed).width == needed
    assert label("text", "Bedenkzeit", needed - 1).width < needed
    assert not fits("text", "Bedenkzeit", needed - 1)
    least = width("text", ELLIPSIS)
    assert [label("text", "Bedenkzeit", room).width for room in (least - 1, least)] == [0, least]


@pytest.mark.parametrize(
    ("text", "drawn"),
    [("š", "s"), ("🎲", UNKNOWN), ("日\n", 2 * UNKNOWN), ("a\N{COMBINING DIAERESIS}", "ä")],
)
def test_missing_characters_are_replaced(text: str, drawn: str) -> None:
    """A letter loses an accent that the font lacks; any other character becomes a box."""
    assert label("text", text, WIDTH).tobytes() == label("text", drawn, WIDTH).tobytes()
    assert label("text", text, WIDTH).getbbox() is not None
