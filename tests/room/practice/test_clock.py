"""A practice clock: the box's pixels, the box's log, and buttons over a network."""

from base64 import b64decode
from functools import partial

from clock.match.types import Button, Phase, Side
from clock.runtime.loop import SIMULATED
from clock.units import MINUTE_NS, SECOND_NS
from lab.support.glass import Glass
from lab.support.practice import Practice
from room.practice.clock import RELEASED_NS
from room.practice.wishes import PRACTICE


def test_the_panels_have_the_pixels_of_the_box() -> None:
    """As a panel's memory holds them, and its inversion, from the settings to a running clock."""
    practice, glass = Practice(), Glass()
    for act in (partial(practice.wait, 0), practice.start, partial(practice.wait, 75 * SECOND_NS)):
        act()
        shown = practice.clock.panels()
        faces = practice.clock._parts.faces
        assert faces is not None
        glass.show(*faces)
        for side, model, face in zip(Side, (glass.left, glass.right), faces, strict=True):
            assert b64decode(shown[side].frame) == b"".join(model.memory)
            assert shown[side].inverted == model.inverted == face.running
            assert face.reserve in shown[side].times


def test_a_running_clock_counts_down_without_a_press() -> None:
    """12 s of delay, then 10:00 of reserve, and a flag when they are over."""
    practice = Practice()
    practice.start()
    practice.wait(72 * SECOND_NS)
    assert practice.clock.panels().left.times[0] == "9:00"
    practice.wait(10 * MINUTE_NS)
    assert "FLAG 1" in practice.clock.panels().left.texts
    assert practice.clock.beeps.count == 2  # low time and the flag


def test_a_button_whose_release_is_lost_comes_up_by_itself() -> None:
    """Otherwise the centre, pressed once and held by nobody, would never count again."""
    practice = Practice()
    practice.clock.press(Button.CENTRE, down=True)
    practice.wait(RELEASED_NS)
    assert practice.clock.due_in_ns() != 0
    practice.press("centre", hold_ns=2 * SECOND_NS)  # leaves the menu
    practice.start()
    assert practice.clock.state.phase is Phase.RUNNING


def test_its_log_cannot_pass_for_one_of_a_board() -> None:
    """The clock has an id that no box has, and the players are nobody."""
    practice = Practice()
    options = practice.clock._runtime._options
    assert (options.clock, options.stamps) == (PRACTICE, "software")
    assert SIMULATED != PRACTICE
    [(number, opened)] = practice.clock.log
    assert (number, opened.split("  ")[-1]) == (1, "Match to 5 · wbgf")
