"""`room/forecast/pace.py`."""

from clock.eventlog.replay import replay_lines
from clock.match import inputs
from clock.match.types import Button, Side
from clock.report.build import summary
from clock.units import SECOND_NS
from lab.support.last_run import RUNNING, Written
from lab.support.paths import DATA
from lab.support.random_logs import random_logs
from lab.support.rows import row
from lab.support.world import LEFT, RIGHT
from room.forecast.pace import MatchPace, SidePace, follow_pace, middle_s

PLAYED = ("dbgf", "us", "nbgf-analog")
TAKEN_BACK = Written().give(  # the players change sides and end a game, which is taken back
    *RUNNING,
    inputs.Pressed(30 * SECOND_NS, LEFT),
    inputs.Pressed(40 * SECOND_NS, RIGHT),
    inputs.CentrePressed(50 * SECOND_NS),
    inputs.SidesSwapped(50 * SECOND_NS),
    inputs.Pressed(50 * SECOND_NS, RIGHT),
    inputs.CentrePressed(50 * SECOND_NS),
    inputs.Pressed(50 * SECOND_NS, LEFT),
    inputs.CentrePressed(50 * SECOND_NS),
    inputs.Noted(50 * SECOND_NS, Button.LEFT),
    inputs.Undone(50 * SECOND_NS),
)


def test_the_pace_of_a_log_is_that_of_its_report() -> None:
    played = [(DATA / f"{name}.jsonl").read_bytes().splitlines() for name in PLAYED]
    alone = [logs[0] for logs in map(random_logs, range(30)) if len(logs) == 1]
    for number, lines in enumerate((*played, TAKEN_BACK.lines, *alone)):
        with row(number):
            compare(lines)


def compare(lines: list[bytes]) -> None:
    """Compare the pace of a log with its report."""
    pace, before = MatchPace(), None
    for step in replay_lines(lines):
        pace = follow_pace(pace, before, step.line.record, step.match.state)
        before = step.match.state
    of = summary(lines)
    for side in Side:
        pressed = [turn for turn in of.turns if turn.player is side and turn.pressed]
        mine = pace.sides[side.other if of.swapped else side]
        assert mine.turns == sum(mine.seconds) == len(pressed)
        assert mine.used_ns == sum(turn.length_ns for turn in pressed)
        assert mine.beyond_ns == sum(turn.spent_ns for turn in pressed)
    latest = [turn for turn in of.turns if turn.pressed and turn.game == len(of.games)]
    assert pace.game_turns == (len(latest) if before and before.turn else 0)


def test_the_middle_turn_lies_within_its_second() -> None:
    assert middle_s([0, 0, 4]) == 2.5
    assert middle_s([1, 0, 0, 3]) == 3 + 1 / 3
    assert middle_s([2, 0, 0, 2]) == 1  # of two, the end of the shorter one
    assert middle_s([]) == 0
    assert middle_s(SidePace().after(500 * SECOND_NS, 0).seconds) == 120.5  # it counts as shorter
