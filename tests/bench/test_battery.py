"""The kernel's test battery, on a clock that runs: what is shown, logged and a fault."""

from pathlib import Path

import pytest

from lab.bench.board import LEFT, RIGHT, Board
from tests.bench.test_unplugged import end_turn, fault_events

CHARGES = [  # percent, status, and all events about the battery so far
    (16, "discharging", []),
    (15, "discharging", ["fault"]),
    (4, "discharging", ["fault"]),
    (4, "charging", ["fault", "fault_cleared"]),
]


@pytest.mark.rule("R143")
def test_a_battery_that_runs_low_and_is_charged(tmp_path: Path) -> None:
    """It stands on the first page and in the log; low, it is one fault, until it is charged."""
    config = {"match": {"length": 7}}
    with Board(config, tmp_path, time_travel=True, battery=True) as board:
        assert board.panel(LEFT).says("Batt 50%")
        board.confirm()
        assert '"battery":50' in board.log().text.splitlines()[0]
        end_turn(board, LEFT)
        for turn, (percent, status, events) in enumerate(CHARGES):
            board.set_battery(percent, status)
            board.wait("1:01")
            assert fault_events(board, "battery") == events
            end_turn(board, (RIGHT, LEFT)[turn % 2])
        board.log().verified()
