"""`gammonclock doctor` on a box: what it finds there, and what it shows of each press.

The one rule: what it must say is said in the product's own words, or measured by the bench.
"""

import re
from pathlib import Path
from typing import NamedTuple

from bench.board import CENTRE, CONFIG, LEFT, PROGRAM, RIGHT, Board, Made
from bench.card import MOUNTED
from bench.i2c_bus import STANDARD_HZ
from bench.panels import LEFT_AT, RIGHT_AT
from bench.plunger import HELD_NS, MS_NS, Bounce, Move, pressed, together

from clock.cli import NO_HARDWARE
from clock.apps.doctor import BUSY
from clock.match.rules import SECOND_NS
from clock.match.sides import Button
from hardware.diagnostics.check_bus import ENABLE, NO_ANSWER, picture
from hardware.gpio.factories import STAMPS
from hardware.diagnostics.finding import Verdict
from hardware.diagnostics.bounce import Movement
from hardware.diagnostics.press_findings import BOUNCES, NEVER_PRESSED, bounce

TABLES = {"match": {"length": 7}}
AS_PI = ("unshare", "--mount", "sh", str(Path(__file__).parent / "guest" / "as_pi.sh"))
WELL, NOTE, FAULT, LEFT_OUT = (each.value for each in Verdict)


class Examined(NamedTuple):
    """How an examination ended."""

    code: int
    text: str

    def found(self, name: str) -> tuple[str, str]:
        """Its verdict and its words on something, each row of which is put behind the other."""
        rows = rf"^(\S+) +{name}  +(.*\n(?: {{20}}.*\n)*)"
        [(verdict, words)] = re.findall(rows, self.text, re.MULTILINE)
        return verdict, " ".join(words.split())

    def says_last(self, words: str) -> bool:
        """Whether it ends with that."""
        return self.text.rstrip().endswith(words)

    def advises(self, advice: str) -> bool:
        """Whether it says that, wherever its rows are broken."""
        return advice in " ".join(self.text.split())


def begin(board: Board, *options: str) -> None:
    """Begin it, on a computer that calls itself a Raspberry Pi."""
    command = [*AS_PI, PROGRAM, "doctor", "--config", CONFIG, *options]
    board.guest.ask("begin", command=command)


def hear(board: Board, words: str) -> str:
    """What it says until it has said these words."""
    heard: str = board.guest.ask("hear", words=words)
    return heard


def ended(board: Board) -> Examined:
    """Somebody presses Enter."""
    return Examined(*board.guest.ask("enter"))


def examined(board: Board) -> Examined:
    """Nobody is there to press anything."""
    begin(board, "--no-input")
    return ended(board)


def settled(button: Button, made: list[Made]) -> Movement:
    """A press whose edges were these."""
    settling_ns = made[-1].after_ns - made[0].after_ns
    return Movement(button.value, False, True, len(made), settling_ns, 0, 0)


def test_a_box_that_is_well(tmp_path: Path) -> None:
    """Each part is found where it is; nothing is left behind, and the clock starts again."""
    with Board(TABLES, tmp_path, time_travel=True) as board:
        board.stop()
        before = board.guest.ask("run", command=["ls", "-A", MOUNTED])
        found = examined(board)
        assert found.code == 0
        assert found.says_last("What was examined is well.")
        assert found.found("settings") == (WELL, CONFIG)
        assert found.found("computer") == (WELL, "Raspberry Pi 4 Model B Rev 1.5")
        assert found.found("gpiochip") == (WELL, "/dev/gpiochip0, pinctrl-bcm2711")
        assert found.found("stamps") == (WELL, f"gpiod: {STAMPS['gpiod'][1]}")
        assert found.found("log") == (WELL, MOUNTED)
        for name, at in (("left", LEFT_AT), ("right", RIGHT_AT)):
            verdict, words = found.found(f"{name} panel")
            assert verdict == WELL
            assert words.startswith(f"0x{at:02X}, shows its test picture")
        for name, pin in (("left", 17), ("right", 27), ("centre", 22)):
            assert found.found(name) == (LEFT_OUT, f"BCM {pin}, up; nobody was asked to press it")
        assert board.guest.ask("run", command=["ls", "-A", MOUNTED]) == before
        assert board.panel(LEFT).dark
        board.start()
        assert_left_alone(board)


def assert_left_alone(board: Board) -> None:
    """That a clock that runs keeps its pins and its panels, and hears its buttons."""
    shown = [board.panel(side).picture for side in (LEFT, RIGHT)]
    found = examined(board)
    assert found.code == NO_HARDWARE
    assert found.found("buttons") == (FAULT, "pin GPIO17 is already in use by 'gpiozero'")
    assert found.advises("End the program that has it.")
    assert found.found("left panel") == (LEFT_OUT, BUSY)
    assert [board.panel(side).picture for side in (LEFT, RIGHT)] == shown
    made = board.press(LEFT)
    assert (board.log().last["event"], made.holds(board.log().last["at_ns"])) == ("confirmed", True)


def test_a_panel_is_missing_and_the_bus_is_slow(tmp_path: Path) -> None:
    """In real time: it says which, what to look at, and how fast the bus is by its pictures."""
    with Board(TABLES, tmp_path, bus_hz=STANDARD_HZ) as board:
        board.stop()
        board.panel(RIGHT).unplug()
        found = examined(board)
        assert found.code == NO_HARDWARE
        assert found.found("left panel")[0] == WELL
        assert found.found("right panel")[0] == FAULT
        assert f"0x{RIGHT_AT:02X}" in found.found("right panel")[1]
        assert found.advises(NO_ANSWER)
        verdict, words = found.found("bus speed")
        measured = re.fullmatch(r"(\d+) kHz measured", words)
        assert measured
        assert verdict == NOTE
        assert 0 < int(measured[1]) * 1000 <= STANDARD_HZ
        assert found.advises(ENABLE)
        assert found.found("log sync")[0] in {WELL, NOTE}


def test_each_press_is_shown_as_it_is_made(tmp_path: Path) -> None:
    """Edges and settling are those that were made; each button is asked for until it has come."""
    with Board(TABLES, tmp_path, time_travel=True) as board:
        board.stop()
        begin(board)
        hear(board, "Now press LEFT.")
        for side, at in ((LEFT, LEFT_AT), (RIGHT, RIGHT_AT)):
            shown = picture(side.value.upper(), at)
            assert board.panel(side).picture.tobytes() == shown.tobytes()
        asked = ("Now press RIGHT.", "Now press CENTRE.", "All three are there.")
        for openings, (button, then) in enumerate(zip((LEFT, RIGHT, CENTRE), asked, strict=True)):
            made = board.play(pressed(button, bounce=Bounce(2 * MS_NS, openings)))
            heard = hear(board, then)
            told = bounce(settled(button, made[: len(made) // 2]))
            assert f"{button.value:7} press 1    {told}" in heard
        found = ended(board)
        assert found.code == 0
        assert found.says_last("All is well.")
        edges = "BCM 22, pressed 1 time, at most 5 edges in 2.00 ms"
        assert found.found("centre") == (WELL, edges)
        assert board.panel(LEFT).dark


def test_a_worn_contact_and_a_wire_that_is_off(tmp_path: Path) -> None:
    """Both plungers held for a second end it; the worn one's `settle_ms` is named."""
    with Board(TABLES, tmp_path, time_travel=True) as board:
        board.stop()
        begin(board)
        hear(board, "Now press LEFT.")
        down = [(0, True), (8 * MS_NS, False), (9 * MS_NS, True), (HELD_NS, False)]
        board.play([Move(after_ns, LEFT, level) for after_ns, level in down])
        hear(board, "Now press RIGHT.")
        board.play(together(*((0, pressed(side, 2 * SECOND_NS)) for side in (LEFT, RIGHT))))
        found = ended(board)
        assert found.code == NO_HARDWARE
        assert found.found("left")[0] == NOTE
        assert found.advises(BOUNCES.format(ms=10))
        assert found.found("right")[0] == WELL
        assert found.found("centre") == (FAULT, "BCM 22, never seen pressed")
        assert found.advises(NEVER_PRESSED.format(pin=22))
