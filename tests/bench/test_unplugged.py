"""Panels and the serial line are unplugged during a turn; the bus refuses, hangs or is slow."""

from pathlib import Path

import pytest

from clock.eventlog.fingerprint import Shown
from clock.match.types import Button, Side
from clock.ui.dialogue import Dialogue
from clock.ui.face import View
from clock.ui.i18n import sayer
from lab.bench.board import CENTRE, LEFT, RIGHT, Board
from lab.bench.i2c_bus import FAST_HZ, STANDARD_HZ
from lab.bench.logbook import Logbook
from lab.bench.panel_faces import expected, shift
from lab.bench.panels import LEFT_AT, RIGHT_AT
from lab.bench.plunger import MS_NS
from lab.bench.serial_line import DEVICE
from lab.support.panel_models import MODELS

CONFIG: dict[str, dict[str, object]] = {"match": {"length": 7}}
HEARD_S = 120.0  # timeout for what is sent, in real time
PRESSES = 6
GAMES = 8  # at most, until one has no fault
# 2.5 s less what a picture takes at 100 kHz, and the panel from its switch-on to the first light.
LIT_AGAIN_NS = 2_300 * MS_NS


def wrong_panels(
    board: Board, dark: Side | None = None, warnings: tuple[str, ...] = ()
) -> list[Side]:
    """Return the sides whose panels do not show the state that is in the log."""
    say = sayer("en")
    texts = tuple(say(f"warning_{part}") for part in warnings)
    state, chain = board.log().verified().match
    latest = Shown(chain.hash, chain.seq, state.score)
    view = View(state, Dialogue(), say, warnings=texts, latest=latest)
    faces = expected(view, board.figures()["at_ns"], dark)
    return [side for side in Side if shift(board.panel(side).picture, faces[side]) is None]


def end_turn(board: Board, button: Button) -> None:
    """End a turn with a press; check that it is in the log within 0.1 s, with the right stamp."""
    made = board.press(button)
    log = board.log()
    assert (log.last["event"], log.last["side"]) == ("pressed", button)
    assert log.last["running"] != button
    assert made.holds(log.last["at_ns"])


def fault_events(board: Board, part: str) -> list[str]:
    log = board.log()
    return [each["event"] for each in log.of("fault", "fault_cleared") if each["part"] == part]


@pytest.mark.rule("R84")
@pytest.mark.parametrize("side", [LEFT, RIGHT])
def test_a_panel_is_pulled_and_put_back(tmp_path: Path, side: Button) -> None:
    """The other panel shows both times meanwhile; afterwards both are right, to the pixel."""
    dark = Side(side.value)
    with Board(CONFIG, tmp_path, time_travel=True) as board:
        board.confirm()
        end_turn(board, LEFT)
        board.wait("0:20")  # in the reserve
        assert not wrong_panels(board)
        board.panel(side).unplug()
        board.wait("0:04")
        for button in (RIGHT, LEFT):  # a fault shows only when a picture changes
            end_turn(board, button)
            board.wait("0:16")
            assert not wrong_panels(board, dark, ("display",))
        assert fault_events(board, "display") == ["fault"]
        board.panel(side).plug()
        board.wait("0:05")
        assert fault_events(board, "display") == ["fault", "fault_cleared"]
        assert not wrong_panels(board)
        end_turn(board, RIGHT)
        board.wait("0:20")
        assert not wrong_panels(board)


@pytest.mark.rule("R84")
@pytest.mark.parametrize("driver", MODELS)
@pytest.mark.parametrize("side", [LEFT, RIGHT])
@pytest.mark.parametrize("running", [True, False])
def test_a_panel_loses_its_supply_for_a_moment(
    tmp_path: Path, driver: str, side: Button, running: bool
) -> None:
    """It is lit again within 2.5 s, on the running and the waiting side, and logged once."""
    config: dict[str, dict[str, object]] = {**CONFIG, "display": {"driver": driver}}
    with Board(config, tmp_path, time_travel=True) as board:
        board.confirm()
        end_turn(board, LEFT)
        board.wait("0:20")  # in the reserve
        if not running:
            board.press(CENTRE)
        for tenths in (0, 3, 11):
            board.wait(tenths * 100 * MS_NS)
            board.panel(side).drop_supply()
            assert board.panel(side).dark
            board.wait(LIT_AGAIN_NS)
            assert not wrong_panels(board, warnings=("display",))
        assert fault_events(board, "display") == ["fault"]
        assert "was reset" in board.log().of("fault")[0]["what"]
        board.wait("0:15")
        assert fault_events(board, "display") == ["fault", "fault_cleared"]
        assert not wrong_panels(board)


@pytest.mark.rule("R84")
@pytest.mark.parametrize("address", [LEFT_AT, RIGHT_AT])
def test_a_panel_acknowledges_nothing(tmp_path: Path, address: int) -> None:
    """Failed transfers, single ones or all for a while, delay no press and leave no wrong pixel."""
    with Board(CONFIG, tmp_path, time_travel=True) as board:
        board.confirm()
        end_turn(board, LEFT)
        for after in (1, 2, 3, 5, 8):
            board.panels.bus.fail(after)
            end_turn(board, RIGHT)
            board.panels.bus.fail(after)
            end_turn(board, LEFT)
            board.wait("0:05")
            assert not wrong_panels(board)
        board.panels.bus.refuse(address)
        end_turn(board, RIGHT)
        board.wait("0:05")
        end_turn(board, LEFT)
        board.panels.bus.mend()
        board.wait("0:05")
        assert fault_events(board, "display")[-1] == "fault_cleared"
        assert not wrong_panels(board)


@pytest.mark.rule("R84")
@pytest.mark.parametrize("hz", [STANDARD_HZ, FAST_HZ])
def test_a_bus_has_a_speed(tmp_path: Path, hz: int) -> None:
    """In real time a slow bus delays no press, the last picture is right, and there is no fault.

    A busy computer may hold up the model of the bus until a transfer times out, which is a fault
    indeed. Such a game is played again.
    """
    logs = (play_on_bus(tmp_path / str(number), hz) for number in range(GAMES))
    assert any(not log.of("fault") for log in logs)


def play_on_bus(folder: Path, hz: int) -> Logbook:
    """Press on a board whose bus has a speed; check stamps and pictures, and return the log."""
    folder.mkdir()
    with Board(CONFIG, folder, bus_hz=hz) as board:
        board.confirm()
        made = [board.press((LEFT, RIGHT)[number % 2]) for number in range(2 * PRESSES)]
        board.press(CENTRE)
        log = board.wait_for("stopped")
        records = log.of("pressed")
        assert len(records) == len(made)
        for down, each in zip(made, records, strict=True):
            assert down.is_near(each["at_ns"])
        assert log.last["phase"] == "STOPPED"
        assert board.wait_until(lambda: not wrong_panels(board))
    return log


@pytest.mark.rule("R84")
def test_a_serial_line_is_pulled_and_put_back(tmp_path: Path) -> None:
    """In real time the fault is logged, no press waits, and the whole log is sent afterwards."""
    with Board({**CONFIG, "log": {"serial": DEVICE}}, tmp_path) as board:
        board.confirm()
        made = [board.press(LEFT)]
        assert board.serial.wait_for('"event":"pressed"', HEARD_S)
        board.serial.unplug()
        for number in range(PRESSES):
            board.wait(500 * MS_NS)
            made.append(board.press((RIGHT, LEFT)[number % 2]))
        assert board.wait_until(lambda: fault_events(board, "serial"))
        assert set(fault_events(board, "serial")) == {"fault"}
        board.serial.plug()
        assert board.serial.wait_for('"event":"fault_cleared"', HEARD_S)
        assert board.wait_until(lambda: "fault_cleared" in fault_events(board, "serial"))
        log = board.log()
        log.verified()
        assert fault_events(board, "serial")[-1] == "fault_cleared"
        for down, each in zip(made, log.of("pressed"), strict=True):
            assert down.is_near(each["at_ns"])
        heard = set(board.serial.heard.splitlines())
        assert [line for line in log.text.splitlines() if line not in heard] == []
        board.press(CENTRE)
        board.wait_for("stopped")
        assert board.wait_until(lambda: not wrong_panels(board))
