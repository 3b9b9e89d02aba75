"""NTP slews CLOCK_MONOTONIC during a match: the log counts the raw clock all the same."""

from itertools import pairwise
from pathlib import Path

import pytest

from clock.units import SECOND_NS
from lab.bench.board import CENTRE, LEFT, RIGHT, Board

CONFIG: dict[str, dict[str, object]] = {
    "match": {"length": 1},
    "rules": {"time_per_point": "0:40", "delay": "0:00"},
}
STEP_NS = 2_000  # what making an edge takes in time travel, and the error of its conversion


@pytest.mark.parametrize("parts", [-900, -50, 50, 900])
def test_a_slewed_clock_takes_nobodys_time(tmp_path: Path, parts: int) -> None:
    """Stamps, charges and the flag are exact to microseconds while the other clock runs away."""
    with Board(CONFIG, tmp_path, time_travel=True) as board:
        board.confirm()
        board.slew(parts)
        began = board.guest.ask("clocks")
        made = []
        for number in range(9):
            made.append(board.press((LEFT, RIGHT)[number % 2]))
            board.wait("0:03")
        ended = board.guest.ask("clocks")
        passed, passed_raw = (after - before for before, after in zip(began, ended, strict=True))
        assert abs(passed - passed_raw) > 20 * SECOND_NS * abs(parts) // 10_000
        records = board.log().of("pressed")
        for edge, record in zip(made, records, strict=True):
            assert edge.off_ns(record["at_ns"]) <= STEP_NS
        for (before, after), edges in zip(pairwise(records), pairwise(made), strict=True):
            side = before["running"]
            charged_ns = before[f"{side}_ns"] - after[f"{side}_ns"]
            assert charged_ns == after["at_ns"] - before["at_ns"]
            assert abs(charged_ns - (edges[1].before_ns - edges[0].before_ns)) <= 2 * STEP_NS
        board.wait("1:00")
        [flag] = board.log().of("flag_fell")
        mover = records[-1]["running"]
        assert flag["at_ns"] == records[-1]["at_ns"] + records[-1][f"{mover}_ns"]
        assert flag["at_ns"] < board.figures()["at_ns"]
        board.press(CENTRE)
        board.log().verified()
