"""Panels and wires that are pulled out, refuse, hang or are slow in the middle of a turn.

The one rule of the box: a press is no later for it, and afterwards everything is as it should be.
"""

from pathlib import Path

import pytest
from bench.board import CENTRE, LEFT, RIGHT, Board
from bench.fingers import ERROR_NS
from bench.i2c_bus import FAST_HZ, STANDARD_HZ
from bench.panel_faces import expected, shift
from bench.panels import LEFT_AT, RIGHT_AT
from bench.plunger import MS_NS
from bench.serial_line import DEVICE

from clock.ui.dialogue import Dialogue
from clock.ui.face import View
from clock.ui.i18n import sayer
from clock.match.sides import Button, Side

CONFIG = {"match": {"length": 7}}
HEARD_S = 20.0  # within which what was sent is heard, in real time
PRESSES = 6


def unshown(board: Board, dark: Side | None = None, warnings: tuple[str, ...] = ()) -> list[Side]:
    """The sides whose panels do not show what the log says they should."""
    say = sayer("en")
    told = tuple(say(f"warning_{part}") for part in warnings)
    view = View(board.log().verified().match.state, Dialogue(), say, warnings=told)
    faces = expected(view, board.figures()["at_ns"], dark)
    return [side for side in Side if shift(board.panel(side).picture, faces[side]) is None]


def turn(board: Board, button: Button) -> None:
    """A press that ends a turn: at its instant, and in the log a tenth of a second later."""
    made = board.press(button)
    log = board.log()
    assert (log.last["event"], log.last["side"]) == ("pressed", button)
    assert log.last["running"] != button
    assert made.holds(log.last["at_ns"])


def events(board: Board, part: str) -> list[str]:
    """What became of a part."""
    log = board.log()
    return [each["event"] for each in log.of("fault", "fault_cleared") if each["part"] == part]


@pytest.mark.rule("R84")
@pytest.mark.parametrize("side", [LEFT, RIGHT])
def test_a_panel_is_pulled_and_put_back(tmp_path: Path, side: Button) -> None:
    """The other one shows both times meanwhile; afterwards both are right, to the pixel."""
    dark = Side(side.value)
    with Board(CONFIG, tmp_path, time_travel=True) as board:
        board.confirm()
        turn(board, LEFT)
        board.wait("0:20")  # in the reserve
        assert not unshown(board)
        board.panel(side).unplug()
        board.wait("0:04")
        for button in (RIGHT, LEFT):  # a picture that stands still is not missed before
            turn(board, button)
            board.wait("0:16")
            assert not unshown(board, dark, ("display",))
            assert board.panel(dark.other).other_reserve
        assert events(board, "display") == ["fault"]
        board.panel(side).plug()
        board.wait("0:05")
        assert events(board, "display") == ["fault", "fault_cleared"]
        assert not unshown(board)
        turn(board, RIGHT)
        board.wait("0:20")
        assert not unshown(board)


@pytest.mark.rule("R84")
def test_both_panels_are_pulled(tmp_path: Path) -> None:
    """The match goes on in the dark."""
    with Board(CONFIG, tmp_path, time_travel=True) as board:
        board.confirm()
        turn(board, LEFT)
        for side in (LEFT, RIGHT):
            board.panel(side).unplug()
        for number in range(PRESSES):
            board.wait("0:07")
            turn(board, (RIGHT, LEFT)[number % 2])
        for side in (LEFT, RIGHT):
            board.panel(side).plug()
        board.wait("0:06")
        assert events(board, "display")[-1] == "fault_cleared"
        assert not unshown(board)


@pytest.mark.rule("R84")
def test_the_bus_hangs(tmp_path: Path) -> None:
    """T13: no press waits for it; each is in the log while the bus still hangs."""
    with Board(CONFIG, tmp_path, time_travel=True) as board:
        board.confirm()
        turn(board, LEFT)
        board.panels.bus.hang()
        for number in range(PRESSES):
            board.wait("0:01")
            turn(board, (RIGHT, LEFT)[number % 2])
        board.panels.bus.mend()
        board.wait("0:10")
        assert events(board, "display")[-1] == "fault_cleared"
        assert not unshown(board)


@pytest.mark.rule("R84")
@pytest.mark.parametrize("address", [LEFT_AT, RIGHT_AT])
def test_a_panel_acknowledges_nothing(tmp_path: Path, address: int) -> None:
    """For a while, or once in the middle of a picture: no press waits, no pixel stays wrong."""
    with Board(CONFIG, tmp_path, time_travel=True) as board:
        board.confirm()
        turn(board, LEFT)
        for after in (1, 2, 3, 5, 8):
            board.panels.bus.fail(after)
            turn(board, RIGHT)
            board.panels.bus.fail(after)
            turn(board, LEFT)
            board.wait("0:05")
            assert not unshown(board)
        board.panels.bus.refuse(address)
        turn(board, RIGHT)
        board.wait("0:05")
        turn(board, LEFT)
        board.panels.bus.mend()
        board.wait("0:05")
        assert events(board, "display")[-1] == "fault_cleared"
        assert not unshown(board)


@pytest.mark.rule("R84")
@pytest.mark.parametrize("hz", [STANDARD_HZ, FAST_HZ])
def test_a_bus_has_a_speed(tmp_path: Path, hz: int) -> None:
    """In real time: a picture takes its milliseconds, a press is on time, and the last is right."""
    with Board(CONFIG, tmp_path, bus_hz=hz) as board:
        board.confirm()
        made = [board.press((LEFT, RIGHT)[number % 2]) for number in range(2 * PRESSES)]
        board.press(CENTRE)
        board.wait("0:03")
        log = board.log()
        records = log.of("pressed")
        assert len(records) == len(made)
        for down, each in zip(made, records, strict=True):
            assert down.off_ns(each["at_ns"]) <= ERROR_NS
        assert log.last["phase"] == "STOPPED"
        assert not unshown(board)
        assert not log.of("fault")


@pytest.mark.rule("R84")
def test_a_serial_line_is_pulled_and_put_back(tmp_path: Path) -> None:
    """In real time: the log says so, no press waits, and whoever listens again gets all of it."""
    with Board({**CONFIG, "log": {"serial": DEVICE}}, tmp_path) as board:
        board.confirm()
        made = [board.press(LEFT)]
        assert board.serial.wait_for('"event":"pressed"', HEARD_S)
        board.serial.unplug()
        for number in range(PRESSES):
            board.wait(500 * MS_NS)
            made.append(board.press((RIGHT, LEFT)[number % 2]))
        assert set(events(board, "serial")) == {"fault"}
        board.serial.plug()
        assert board.serial.wait_for('"event":"fault_cleared"', HEARD_S)
        board.wait("0:02")  # the wire may be quicker than the card
        log = board.log()
        log.verified()
        assert events(board, "serial")[-1] == "fault_cleared"
        for down, each in zip(made, log.of("pressed"), strict=True):
            assert down.off_ns(each["at_ns"]) <= ERROR_NS
        heard = set(board.serial.heard.splitlines())
        assert [line for line in log.text.splitlines() if line not in heard] == []
        board.press(CENTRE)
        board.wait("0:02")
        assert not unshown(board)
