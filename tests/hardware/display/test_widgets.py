"""The elements of a face: bars, and pages that scroll."""

import hashlib
import subprocess
import sys
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from PIL import Image

from clock.eventlog.fingerprint import Shown, fingerprint_text, parse_qr, qr_text
from clock.match.types import Pair
from hardware.display.layout import arrange, draw
from hardware.display.widgets import (
    ARROW_WIDTH,
    BOX,
    CODE,
    DARK,
    HEIGHT,
    LIT,
    WIDTH,
    bar,
    qr_code,
    text_lines,
)
from hardware.face import Face
from lab.support.camera import photograph, read_codes


@pytest.mark.parametrize("count", [4, 5, 9])
def test_the_selected_line_is_seen(count: int) -> None:
    """A page scrolls to its selection, and arrows show where there are more lines."""
    for selected in range(count):
        drawn = list(text_lines([f"line {place}" for place in range(count)], selected, 10))
        shown = [widget for widget in drawn if widget.name.startswith("line")]
        lit = [widget.name for widget in shown if widget.picture.getpixel((0, 0)) == LIT]
        assert (len(shown), lit) == (4, [f"line {selected}"])
        room = WIDTH - (ARROW_WIDTH if count > 4 else 0)
        assert {widget.picture.width for widget in shown} == {room}
        names = {widget.name for widget in drawn}
        assert ("more above" in names) == (shown[0].name != "line 0")
        assert ("more below" in names) == (shown[-1].name != f"line {count - 1}")


@pytest.mark.parametrize(
    ("permille", "lit"), [(-5, 0), (0, 0), (1, 1), (500, 48), (999, 96), (1000, 96), (5000, 96)]
)
def test_bar(permille: int, lit: int) -> None:
    row = bar(permille, 100, 10).crop((2, 5, 98, 6))
    assert [row.getpixel((column, 0)) for column in range(96)] == [LIT] * lit + [DARK] * (96 - lit)


def shown(number: int) -> Shown:
    """Return the latest line of one of many logs."""
    hash_ = hashlib.sha256(str(number).encode()).hexdigest()[:32]
    return Shown(hash_, (17, 4321, 9_999_999)[number % 3], Pair(number % 26, 25))


def face_of(latest: Shown) -> Face:
    """Return the page of a finished match."""
    return Face(
        reserve="8:04", lines=("Left WINS", "25-3 by score"),
        fingerprint=fingerprint_text(latest.hash), qr=qr_text(latest),
        result=("by score", "25-3"), name="Zaphod",
    )  # fmt: skip


@cache
def picture_of(number: int) -> Image.Image:
    """Return the panel with the code of one of many logs."""
    return draw(face_of(shown(number)))


@pytest.mark.slow
@pytest.mark.parametrize("blur", [0.3, 0.4, 0.5])
@pytest.mark.parametrize("light", [60, 255])
@pytest.mark.parametrize("scale", [3, 4, 6, 8])
def test_a_camera_reads_the_code(scale: int, light: int, blur: float) -> None:
    """At each distance, in and out of focus, from a bright or a dim panel, at one angle of three.

    A phone takes many pictures a second.
    """
    picture = picture_of(scale)
    read = {
        parse_qr(code)
        for degrees in (0, 4, 15)
        for code in read_codes(photograph(picture, scale, blur, degrees=degrees, light=light))
    }
    assert read == {shown(scale)}


@pytest.mark.parametrize("scale", [3, 4, 6, 8])
def test_the_bare_picture_is_read(scale: int) -> None:
    """As a terminal or a document shows it: nothing lies between the pixels."""
    latest = shown(7)
    picture = draw(face_of(latest)).convert("L")
    (code,) = read_codes(picture.resize((WIDTH * scale, HEIGHT * scale)))
    assert parse_qr(code) == latest


def test_the_code_is_dark_on_a_lit_box_and_has_room_around_it() -> None:
    """Phones expect a margin of their own colour, and burn-in protection moves the picture."""
    (box,) = [widget for widget in arrange(face_of(shown(1))) if widget.name == "qr"]
    left, top, right, bottom = box.box
    margin = (BOX - CODE) // 2
    assert margin >= 6
    assert (left > 0, top, right, bottom) == (True, 1, WIDTH - 1, HEIGHT - 1)
    assert box.picture.crop((0, 0, BOX, margin)).getextrema() == (LIT, LIT)
    assert box.picture.getpixel((margin, margin)) != LIT


def test_two_panels_draw_the_code_once() -> None:
    """Drawing takes some 10 ms on a PC, and ten times that on a small Pi."""
    assert qr_code(qr_text(shown(2))) is qr_code(qr_text(shown(2)))


def test_a_lone_panel_shows_both_reserves_instead() -> None:
    """Times and result are more than fit beside the code; the fingerprint is still there."""
    names = {
        widget.name
        for widget in arrange(structs.replace(face_of(shown(1)), other_reserve="1:05:00"))
    }
    assert {"reserve", "other_reserve", "line 0", "line 1", "fingerprint"} <= names
    assert "qr" not in names


@given(st.text(min_size=1))
def test_any_text_has_a_picture(text: str) -> None:
    """One that is too long for the panel has an empty one, and then the page is as without it."""
    size = qr_code(text).size
    assert size in {(0, 0), (BOX, BOX)}
    face = Face(reserve="8:04", lines=("x",), qr=text)
    assert ("qr" in {widget.name for widget in arrange(face)}) == (size == (BOX, BOX))


def test_nothing_is_imported_for_it_before_it_is_drawn() -> None:
    """The clock starts, and shows every other page, without it."""
    program = (
        "import sys; import clock.apps.appliance; from hardware.face import Face;"
        "from hardware.display.layout import draw; draw(Face(reserve='8:04', lines=('x',)));"
        "sys.exit('segno' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
