"""The bench reads panels correctly, and notices every wrong pixel; `test_panels.py` reads times."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageChops

from clock.ui.face import Face
from clock.units import SECOND_NS
from hardware.display.framebuffer import shifted
from hardware.display.layout import draw
from hardware.display.panel_pair import DIMMED
from hardware.display.panel_pair import PanelPair as DisplayPair
from tests.bench.i2c_bus import I2cBus
from tests.bench.panel import SCALE, Panel
from tests.bench.panel_faces import shift
from tests.bench.panel_glyphs import alike
from tests.bench.panel_reading import Reading
from tests.bench.panels import LEFT_AT, RIGHT_AT
from tests.support.panel_models import HEIGHT, MODELS, WIDTH

MINUTE_NS = 60 * SECOND_NS
TENTH_NS = SECOND_NS // 10
WARNINGS = ("LOG NOT SAVED", "RIGHT DISPLAY")

RUNNING = Face(
    reserve="21:37", running=True, delay="9", delay_permille=750, status="Delay", score="3-5/11"
)
WAITING = Face(reserve="20:48", delay="12", delay_permille=1000, score="3-5/11")
PAGE = Face(reserve="22:00", lines=("ebf 11", "Time 22:05", "Delay 0:12", "Code K7QX"), selected=2)


class Glass:
    """Two modelled panels that the clock's code draws on, and the time for it."""

    def __init__(self, driver: str = "ssd1306", rotate: tuple[int, int] = (0, 0)) -> None:
        self.ns = 1_000 * SECOND_NS
        models = MODELS[driver](1), MODELS[driver](2)
        self.bus = I2cBus(dict(zip((LEFT_AT, RIGHT_AT), models, strict=True)))
        self.left, self.right = (
            Panel(model, self.bus.lock, turns) for model, turns in zip(models, rotate, strict=True)
        )
        self._pair = DisplayPair(
            driver, (LEFT_AT, RIGHT_AT), rotate, lambda at: self.bus.connect(1, at), lambda: self.ns
        )

    def show(self, left: Face, right: Face, after_ns: int = 0) -> "Glass":
        """Show both faces, and draw until nothing is left to send."""
        self.ns += after_ns
        while self._pair.show((left, right)) <= self.ns:
            pass
        return self


# --- reading ----------------------------------------------------------------------------------


@pytest.mark.parametrize("flag", ["", "FLAG 1"])
@pytest.mark.parametrize("running", [False, True])
@pytest.mark.parametrize("delay", [str(seconds) for seconds in (0, 1, 4, 7, 9, 10, 12, 58, 99)])
def test_everything_on_a_clock_is_read(delay: str, running: bool, flag: str) -> None:
    """Delay, texts, score, flag and warnings are read, however long the delay's bar is."""
    for permille, reserve in enumerate(("1:20:48", "22:00", "0:59", "19.9", "0.1"), 7):
        face = Face(
            reserve=reserve, running=running, delay=delay, delay_permille=permille * 90, flag=flag,
            delay_note="WAIT", status="Time", score="3-5/11", warnings=WARNINGS[: permille % 3],
        )  # fmt: skip
        read = Reading(draw(face))
        assert (read.reserve, read.delay, read.inverted) == (reserve, delay, running)
        assert (read.says(flag), read.says("WAIT"), read.says("3-5/11")) == (True, True, True)
        assert read.says("LOG NOT SAVED") == bool(face.warnings)
        assert read.says("FLAG") == bool(flag)


def test_a_page_is_read() -> None:
    """All lines of a page are read, also a highlighted one; a time in a line is no reserve."""
    read = Reading(draw(PAGE))
    wanted = ["22:00", "ebf 11", "Time 22:05", "Delay 0:12", "Code K7QX"]
    assert read.text.split("\n") == [alike(line) for line in wanted]
    assert (read.reserve, read.other_reserve, read.delay, read.inverted) == ("22:00", "", "", False)


@pytest.mark.parametrize("lines", [("At home", "12:34"), ("One", "Two", "Three", "Four")])
def test_the_other_reserve_is_read(lines: tuple[str, ...]) -> None:
    """Both reserves are read on a clock and on pages; the larger one is the panel's own."""
    for shown in ((), lines):
        face = Face(reserve="1:02:03", other_reserve="9.4", status="Stopped", lines=shown)
        read = Reading(draw(face))
        assert (read.reserve, read.other_reserve) == ("1:02:03", "9.4")


def test_letters_of_the_same_shape_are_equal() -> None:
    """Texts are compared by the shapes of their letters."""
    assert alike("Illegal OIL") == alike("I11egal 0IL".replace("1", "l"))
    assert alike("Delay") == "DeIay"
    assert Reading(draw(RUNNING)).says("Delay")
    assert not Reading(draw(RUNNING)).says("Time")


def test_an_empty_panel_has_no_text() -> None:
    """Nothing is read on a panel that is all dark or all lit."""
    dark = Image.new("1", (WIDTH, HEIGHT))
    for picture in (dark, ImageChops.invert(dark)):
        read = Reading(picture)
        assert (read.text, read.reserve, read.delay, read.inverted) == ("", "", "", False)


@settings(max_examples=30)
@given(st.binary(min_size=WIDTH * HEIGHT // 8, max_size=WIDTH * HEIGHT // 8))
def test_noise_has_no_reserve(noise: bytes) -> None:
    """No reserve is read on a panel that was plugged in and is not set up yet."""
    assert Reading(Image.frombytes("1", (WIDTH, HEIGHT), noise)).reserve == ""


@pytest.mark.parametrize("lit", [True, False])
def test_a_digit_with_one_wrong_pixel_is_not_read(lit: bool) -> None:
    """Reading does not guess, as that would hide faults of a panel."""
    picture = draw(WAITING)
    x, y = next(
        (x, y) for x in range(WIDTH) for y in range(20, 40) if bool(picture.getpixel((x, y))) != lit
    )
    picture.putpixel((x, y), 255 * lit)
    assert Reading(picture).reserve != "20:48"


# --- panels -----------------------------------------------------------------------------------


def test_a_panel_mounted_the_wrong_way_is_not_read() -> None:
    """A panel that is not rotated as configured is upside down for the player."""
    glass = Glass(rotate=(0, 0)).show(RUNNING, WAITING)
    wrong = Panel(glass.left.model, glass.bus.lock, turns=2)
    assert (wrong.reserve, shift(wrong.picture, RUNNING)) == ("", None)


def test_a_dimmed_panel_is_read_and_saved_darker(tmp_path: Path) -> None:
    """A dimmed panel can still be read, and its saved picture is darker."""
    glass = Glass().show(WAITING, PAGE)
    bright = brightest(glass.left, tmp_path / "bright.png")
    glass.show(WAITING, PAGE, after_ns=400 * SECOND_NS)
    assert (glass.left.contrast, glass.left.reserve) == (DIMMED, "20:48")
    assert bright > brightest(glass.left, tmp_path / "dim.png") > 0
    assert shift(glass.left.picture, WAITING) not in {None, (0, 0)}


def brightest(panel: Panel, path: Path) -> int:
    """Save a panel's picture; return its brightest value."""
    panel.save(path)
    with Image.open(path) as saved:
        assert saved.size == (WIDTH * SCALE, HEIGHT * SCALE)
        extrema = saved.getextrema()
    top = extrema[1]
    assert isinstance(top, int)
    return top


# --- expected faces ---------------------------------------------------------------------------


@pytest.mark.parametrize("face", [RUNNING, WAITING, PAGE])
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
def test_a_shifted_picture_is_read(running: bool) -> None:
    """It can be shifted to all eight neighbours; on an inverted face the dark pixels move."""
    face = Face(reserve="12:34", running=running)
    moved = [shifted(draw(face.with_light(running=False)), step) for step in range(9)]
    if running:
        moved = [ImageChops.invert(each) for each in moved]
    assert {shift(each, face) for each in moved} == {(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1)}
    assert {Reading(each).reserve for each in moved} == {"12:34"}


def test_a_picture_that_has_lost_pixels_is_wrong() -> None:
    """A shift by one that cuts pixels off is a difference."""
    face = Face(reserve="12:34", flag="FLAG 1")  # in a box as wide as the panel
    cut = Image.new("1", (WIDTH, HEIGHT))
    cut.paste(draw(face), (1, 0))
    assert shift(cut, face) is None


# --- the pair ---------------------------------------------------------------------------------
