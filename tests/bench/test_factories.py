"""A short match with each pin factory that a configuration can name.

`gpiod` and `lgpio` give the kernel's stamps; `rpigpio` takes stamps in a thread of its own, and the
log says so. Two of them have a thread that polls, so these tests cannot use time travel.
"""

import sys
from pathlib import Path

import pytest

from clock.match.types import Button
from lab.bench.board import CENTRE, LEFT, RIGHT, STAMP_ERROR_NS, Board, MadeEdge
from lab.bench.configuration import Config
from lab.bench.plunger import MS_NS, PAUSE_NS, PlungerMove

FACTORIES = ["gpiod", *(["lgpio", "rpigpio"] if sys.version_info < (3, 13) else [])]  # as wheels
STAMPS = {"gpiod": None, "lgpio": None, "rpigpio": "software"}
# The package rpi-lgpio finds a real Pi's revision and pins, but not those of a simulated one.
PI_4 = {"RPI_LGPIO_REVISION": "c03115", "RPI_LGPIO_CHIP": "0"}
PRESSES = 20
CENTRE_HELD_NS = 700 * MS_NS  # it counts when released, but is another button if held for 1.5 s


@pytest.mark.parametrize("factory", FACTORIES)
def test_a_short_match(tmp_path: Path, factory: str) -> None:
    """Each press is in the log once, stamped by the kernel or by software, as the log says.

    A plunger is held until its press is in the log, so that software sees it however long the
    computer holds it up. Its stamp lies between the press and the instant at which it was seen.
    """
    config: Config = {"match": {"length": 3}, "buttons": {"pin_factory": factory}}
    with Board(config, tmp_path, environ=PI_4) as board:
        for number, side in enumerate((LEFT, RIGHT), 1):
            hold_until_logged(board, side, "confirmed", number)
        board.press(CENTRE, CENTRE_HELD_NS)
        board.wait_for("confirmed", 3)
        held = [
            hold_until_logged(board, (LEFT, RIGHT)[number % 2], "pressed", number + 1)
            for number in range(PRESSES)
        ]
        log = board.log()
    log.verified()
    records = log.of("pressed")
    assert log.records[0].get("stamps") == STAMPS[factory]
    assert [each["side"] for each in records] == ["left", "right"] * (PRESSES // 2)
    assert all(each["accepted"] for each in records)
    for (down, seen_ns), record in zip(held, records, strict=True):
        if STAMPS[factory] == "software":
            assert down.before_ns - STAMP_ERROR_NS <= record["at_ns"] <= seen_ns + STAMP_ERROR_NS
        else:
            assert down.is_near(record["at_ns"])


def hold_until_logged(board: Board, side: Button, event: str, count: int) -> tuple[MadeEdge, int]:
    """Hold a plunger down until the log has `count` records of an event.

    Returns:
        When the plunger went down, and an instant at which the press had been logged.
    """
    [down] = board.play([PlungerMove(0, side, True)])
    board.wait_for(event, count)
    seen_ns: int = board.guest.ask("now")
    board.play([PlungerMove(0, side, False)])
    board.wait(PAUSE_NS)
    return down, seen_ns
