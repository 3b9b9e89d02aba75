"""The bench finds texts on panels, and notices every wrong pixel of a face."""

from pathlib import Path
from threading import RLock
from typing import get_args

import pytest
from msgspec import structs
from PIL import Image, ImageChops

from hardware.display.framebuffer import shifted
from hardware.display.glyphs import FontName, font
from hardware.display.layout import draw
from hardware.face import Face
from lab.bench.panel import SCALE, Panel
from lab.bench.panel_faces import shift
from lab.bench.panel_reading import says
from lab.support.glass import REVIEW, RUNNING, WAITING, Glass
from lab.support.panel_models import HEIGHT, WIDTH

LONG_NS = 400 * 10**9  # panels that show the same for so long are dimmed and shifted


@pytest.mark.parametrize("name", get_args(FontName))
@pytest.mark.parametrize("inverted", [False, True])
def test_a_text_is_found_in_one_piece(name: FontName, inverted: bool) -> None:
    """It is found up to the edges, in each font and both ways; with one wrong pixel it is not."""
    drawn = font(name).picture("20:48")
    picture = Image.new("1", (WIDTH, HEIGHT))
    picture.paste(drawn, (WIDTH - drawn.width, HEIGHT - drawn.height))
    picture = ImageChops.invert(picture) if inverted else picture
    assert says(picture, "20:48")
    assert not says(picture, "20:49")
    corner = (WIDTH - 1, HEIGHT - 1)
    picture.putpixel(corner, 0 if picture.getpixel(corner) else 255)
    assert not says(picture, "20:48")


def brightest(panel: Panel, path: Path) -> int:
    """Save a panel's picture; return its brightest value."""
    panel.save(path)
    with Image.open(path) as saved:
        assert saved.size == (WIDTH * SCALE, HEIGHT * SCALE)
        extrema = saved.getextrema()
    top = extrema[1]
    assert isinstance(top, int)
    return top


def test_a_dimmed_panel_is_read_and_saved_darker(tmp_path: Path) -> None:
    """A dimmed panel can still be read, and its saved picture is darker."""
    glass = Glass().show(WAITING, REVIEW)
    panel = Panel(glass.left, RLock())
    bright = brightest(panel, tmp_path / "bright.png")
    glass.wait(LONG_NS)
    assert bright > brightest(panel, tmp_path / "dim.png") > 0
    assert shift(panel.picture, WAITING) not in {None, (0, 0)}


@pytest.mark.parametrize("face", [RUNNING, WAITING, REVIEW])
def test_any_difference_but_a_shift_is_found(face: Face) -> None:
    """One wrong pixel or an inversion means that a picture is not that of the face."""
    wanted = draw(face)
    assert shift(wanted, face) == (0, 0)
    for place in ((0, 0), (64, 20), (127, 63)):
        wrong = wanted.copy()
        wrong.putpixel(place, 255 - int(bool(wrong.getpixel(place))) * 255)
        assert shift(wrong, face) is None
    assert shift(ImageChops.invert(wanted), face) is None


@pytest.mark.parametrize("running", [False, True])
def test_a_shifted_picture_is_that_of_the_face(running: bool) -> None:
    """It can be shifted to all eight neighbours; on an inverted face the dark pixels move."""
    face = Face(reserve="12:34", running=running)
    moved = [shifted(draw(structs.replace(face, running=False)), step) for step in range(9)]
    if running:
        moved = [ImageChops.invert(each) for each in moved]
    assert {shift(each, face) for each in moved} == {(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1)}


def test_a_picture_that_has_lost_pixels_is_wrong() -> None:
    face = Face(reserve="12:34", flag="FLAG 1")  # in a box as wide as the panel
    cut = Image.new("1", (WIDTH, HEIGHT))
    cut.paste(draw(face), (1, 0))
    assert shift(cut, face) is None
