"""`gammonclock doctor` on the bench: its findings, and what it shows of each press."""

import re
from pathlib import Path
from typing import NamedTuple

from clock.apps.doctor import BUSY, NO_INPUT, PIN_IN_USE
from clock.match.types import Button
from gammonclock.console import NO_HARDWARE
from hardware.diagnostics.bounce import Movement
from hardware.diagnostics.button_test import bounce_text
from hardware.diagnostics.check_bus import picture
from hardware.diagnostics.finding import Verdict
from hardware.gpio.factories import STAMPS
from lab.bench.board import CENTRE, CONFIG_PATH, LEFT, PROGRAM, RIGHT, Board, MadeEdge
from lab.bench.card import MOUNTED
from lab.bench.panels import LEFT_AT, RIGHT_AT
from lab.bench.plunger import MS_NS, Bounce, pressed
from lab.support.paths import ROOT

CONFIG = {"match": {"length": 7}}
GUEST = ROOT / "lab" / "bench" / "guest"
AS_PI = ("unshare", "--mount", "sh", str(GUEST / "as_pi.sh"))
OK, _, FAULT, SKIPPED = (each.value for each in Verdict)


class Result(NamedTuple):
    """The exit code and the output of the doctor."""

    code: int
    text: str

    def found(self, name: str) -> tuple[str, str]:
        """Return the verdict on a part and its text, with the rows joined."""
        rows = rf"^(\S+) +{name}  +(.*\n(?: {{20}}.*\n)*)"
        [(verdict, words)] = re.findall(rows, self.text, re.MULTILINE)
        return verdict, " ".join(words.split())

    def ends_with(self, text: str) -> bool:
        return self.text.rstrip().endswith(text)

    def advises(self, advice: str) -> bool:
        """Return whether the output has this advice, wherever its rows are broken."""
        return advice in " ".join(self.text.split())


def begin(board: Board, *options: str) -> None:
    """Start the doctor, on a computer that calls itself a Raspberry Pi."""
    command = [*AS_PI, PROGRAM, "doctor", "--config", CONFIG_PATH, *options]
    board.guest.ask("begin", command=command)


def read_until(board: Board, words: str) -> str:
    """Return the output up to and with some words."""
    output: str = board.guest.ask("hear", words=words)
    return output


def finish(board: Board) -> Result:
    """Press Enter, and return the result."""
    return Result(*board.guest.ask("enter"))


def run_without_input(board: Board) -> Result:
    """Run the doctor without asking for presses."""
    begin(board, "--no-input")
    return finish(board)


def movement_of(button: Button, made: list[MadeEdge]) -> Movement:
    """Return the press that has these edges."""
    settling_ns = made[-1].after_ns - made[0].after_ns
    return Movement(button.value, 0, False, True, len(made), settling_ns, 0, 0)


def test_a_clock_without_faults(tmp_path: Path) -> None:
    """Every part is found; nothing is left behind, and the clock can be started again."""
    with Board(CONFIG, tmp_path, time_travel=True) as board:
        board.stop()
        before = board.guest.ask("run", command=["ls", "-A", MOUNTED])
        found = run_without_input(board)
        assert found.code == 0
        assert found.ends_with("No faults found. Lines marked - were not tested.")
        assert found.found("settings") == (OK, CONFIG_PATH)
        assert found.found("computer") == (OK, "Raspberry Pi 4 Model B Rev 1.5")
        assert found.found("gpiochip") == (OK, "/dev/gpiochip0, pinctrl-bcm2711")
        assert found.found("stamps") == (OK, f"gpiod: {STAMPS['gpiod'][1]}")
        assert found.found("log") == (OK, MOUNTED)
        for name, at in (("left", LEFT_AT), ("right", RIGHT_AT)):
            verdict, words = found.found(f"{name} panel")
            assert verdict == OK
            assert words.startswith(f"0x{at:02X}, shows its test picture")
        for name, pin in (("left", 17), ("right", 27), ("centre", 22)):
            assert found.found(name) == (SKIPPED, f"BCM {pin}, up; {NO_INPUT}")
        assert board.guest.ask("run", command=["ls", "-A", MOUNTED]) == before
        assert board.panel(LEFT).dark
        board.start()
        assert_a_running_clock_is_left_alone(board)


def assert_a_running_clock_is_left_alone(board: Board) -> None:
    """Assert that a running clock keeps its pins and panels, and still takes presses."""
    shown = [board.panel(side).picture for side in (LEFT, RIGHT)]
    found = run_without_input(board)
    assert found.code == NO_HARDWARE
    assert found.found("buttons") == (FAULT, "pin GPIO17 is already in use by 'gpiozero'")
    assert found.advises(PIN_IN_USE)
    assert found.found("left panel") == (SKIPPED, BUSY)
    assert [board.panel(side).picture for side in (LEFT, RIGHT)] == shown
    made = board.press(LEFT)
    assert (board.log().last["event"], made.holds(board.log().last["at_ns"])) == ("confirmed", True)


def test_each_press_is_shown_with_its_edges(tmp_path: Path) -> None:
    """Edges and settling times are those that were made; every button is asked for in turn."""
    with Board(CONFIG, tmp_path, time_travel=True) as board:
        board.stop()
        begin(board)
        read_until(board, "Now press LEFT.")
        for side, at in ((LEFT, LEFT_AT), (RIGHT, RIGHT_AT)):
            shown = picture(side.value.upper(), f"0x{at:02X}")
            assert board.panel(side).picture.tobytes() == shown.tobytes()
        asked = ("Now press RIGHT.", "Now press CENTRE.", "All three buttons work.")
        for openings, (button, then) in enumerate(zip((LEFT, RIGHT, CENTRE), asked, strict=True)):
            made = board.play(pressed(button, bounce=Bounce(2 * MS_NS, openings)))
            output = read_until(board, then)
            text = bounce_text(movement_of(button, made[: len(made) // 2]))
            assert f"{button.value:7} press 1    {text}" in output
        found = finish(board)
        assert found.code == 0
        assert found.ends_with("No faults found.")
        edges = "BCM 22, pressed 1 time, at most 5 edges in 2.00 ms"
        assert found.found("centre") == (OK, edges)
        assert board.panel(LEFT).dark
