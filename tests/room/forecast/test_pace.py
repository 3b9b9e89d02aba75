"""`room/forecast/pace.py`."""

import pytest

from clock.eventlog.replay import replay_lines
from clock.match.types import Side
from clock.report.build import summary
from lab.support.paths import DATA
from room.forecast.pace import MatchPace, follow_pace, middle_s


@pytest.mark.parametrize("name", ["dbgf", "us", "nbgf-analog"])
def test_the_pace_of_a_log_is_that_of_its_report(name: str) -> None:
    lines = (DATA / f"{name}.jsonl").read_bytes().splitlines()
    pace, before = MatchPace(), None
    for step in replay_lines(lines):
        pace = follow_pace(pace, before, step.line.record, step.match.state)
        before = step.match.state
    for side in Side:
        pressed = [turn for turn in summary(lines).turns if turn.player is side and turn.pressed]
        mine = pace.sides[side]
        assert mine.turns == sum(mine.seconds) == len(pressed)
        assert mine.used_ns == sum(turn.length_ns for turn in pressed)
        assert mine.beyond_ns == sum(turn.spent_ns for turn in pressed)
    assert pace.game_turns == 0


def test_the_middle_turn_lies_within_its_second() -> None:
    assert middle_s([0, 0, 4]) == 2.5
    assert middle_s([1, 0, 0, 3]) == 3 + 1 / 3
    assert middle_s([]) == 0
