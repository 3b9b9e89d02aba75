"""A match whose panels are read by the shapes of the digits, and compared with the script alone."""

from pathlib import Path

import pytest
from PIL import Image, ImageChops

from clock.ui.face import Face
from clock.units import SECOND_NS
from hardware.display.layout import draw
from tests.bench.board import LEFT, RIGHT, Board
from tests.bench.digit_shapes import shown_reserve
from tests.bench.plunger import PAUSE_NS, PRESS_NS

DELAY_S = 12
THINKS_S = (5, 31, 75, 12, 14, 48, 90, 26, 63, 17)  # the seconds of each turn, the left one first


@pytest.mark.parametrize("seconds", range(20, 3600, 37))
@pytest.mark.parametrize("running", [True, False])
def test_every_time_is_read(seconds: int, running: bool) -> None:
    """Minutes and seconds, dark on lit while the clock runs."""
    minutes, rest = divmod(seconds, 60)
    face = Face(reserve=f"{minutes}:{rest:02}", running=running, delay="12", status="Delay")
    assert shown_reserve(draw(face), inverted=running) == face.reserve


@pytest.mark.parametrize("right", [-1, 0, 1])
@pytest.mark.parametrize("down", [-1, 0, 1])
def test_a_picture_that_stands_a_pixel_off_is_not_read(right: int, down: int) -> None:
    """The digits have their place on the panel."""
    face = Face(reserve="14:56", delay="12")
    picture: Image.Image = ImageChops.offset(draw(face), right, down)
    if not right and not down:
        assert shown_reserve(picture, inverted=False) == face.reserve
        return
    assert "?" in shown_reserve(picture, inverted=False)


def test_the_panels_show_what_the_script_leaves(tmp_path: Path) -> None:
    """After each turn both reserves are the bank less what each turn took beyond its delay."""
    left_s = {LEFT: 14 * 60.0, RIGHT: 14 * 60.0}
    with Board({"match": {"length": 7}}, tmp_path, time_travel=True) as board:
        board.confirm()
        board.press(RIGHT)
        pressing_s = (PRESS_NS + PAUSE_NS) / SECOND_NS
        for number, thinks_s in enumerate(THINKS_S):
            mover, other = (LEFT, RIGHT)[:: 1 if number % 2 == 0 else -1]
            board.wait(thinks_s * SECOND_NS)
            board.press(mover)
            left_s[mover] -= max(0, thinks_s + pressing_s - DELAY_S)
            for side in (LEFT, RIGHT):
                shown = shown_reserve(board.panel(side).picture, inverted=side is other)
                minutes, seconds = divmod(int(-(-left_s[side] // 1)), 60)
                assert shown == f"{minutes}:{seconds:02}", (number, side)
