"""Panels on SPI: the clock's own code through spidev, with DC and RES on lines of the header."""

import random
from pathlib import Path

import pytest

from clock.units import SECOND_NS
from hardware.diagnostics.check_spi import CANNOT_ANSWER
from hardware.display.spi import SPEED_HZ
from tests.bench.board import LEFT, RIGHT, Board
from tests.bench.service import ServiceBoard
from tests.bench.test_doctor import OK, SKIPPED, run_without_input
from tests.bench.test_unplugged import end_turn, fault_events, wrong_panels

CONFIG: dict[str, dict[str, object]] = {
    "match": {"length": 7},
    "display": {"interface": "spi", "driver": "ssd1309"},
}
WHOLE_AGAIN_NS, PARTS = 5 * SECOND_NS // 2, 5
DIPS = 100


@pytest.mark.rule("R140")
def test_a_panel_that_was_reset_is_whole_again(tmp_path: Path) -> None:
    """Within 2.5 s, a hundred times at any instant; the other is never dark, and RES stays high."""
    chance = random.Random(29)
    with Board(CONFIG, tmp_path, time_travel=True) as board:
        board.confirm()
        end_turn(board, LEFT)
        for number in range(DIPS):
            board.wait(chance.randrange(3 * SECOND_NS))
            side, other = chance.choice(((LEFT, RIGHT), (RIGHT, LEFT)))
            if number % 2:
                board.panel(side).unplug()
                board.panel(side).plug()
            else:
                board.panel(side).drop_supply()
            for _ in range(PARTS):
                assert not board.panel(other).dark
                board.wait(WHOLE_AGAIN_NS // PARTS)
            assert not wrong_panels(board), number
        assert board.panels.spi.resets == 1
        assert fault_events(board, "display") == []  # nothing of it can be noticed


@pytest.mark.rule("R140")
def test_the_doctor_finds_both_chip_selects(tmp_path: Path) -> None:
    """Without a person who looks at the panels nobody knows whether they work."""
    with Board(CONFIG, tmp_path, time_travel=True) as board:
        board.stop()
        found = run_without_input(board)
        assert (found.code, found.found("spi")) == (0, (OK, "/dev/spidev0.0 and /dev/spidev0.1"))
        for name in ("left", "right"):
            verdict, words = found.found(f"{name} panel")
            assert (verdict, words.endswith(CANNOT_ANSWER)) == (SKIPPED, True)
        assert board.panels.spi.hz == {SPEED_HZ}


@pytest.mark.rule("R140")
def test_the_service_may_use_spidev_and_the_lines_beside_it(tmp_path: Path) -> None:
    """In its sandbox, as its own user; started again, it pulses RES again, because it must."""
    with ServiceBoard(CONFIG, tmp_path) as board:
        assert board.wait_until(lambda: not board.panel(RIGHT).dark)
        assert board.panels.spi.resets == 1
        board.restart()
        assert board.wait_until(lambda: not board.panel(RIGHT).dark)
        assert board.panels.spi.resets == 2
