"""`room/forecast/check.py`."""

import pytest

from clock.match import inputs
from clock.match.types import Pair
from clock.units import SECOND_NS
from lab.support.last_run import START, Written
from lab.support.paths import DATA
from lab.support.world import LEFT, RIGHT
from room.forecast.check import Compared, NotComparedError, compare_forecasts, table
from room.forecast.games import Score
from room.forecast.match import PRIOR, Standing, rest_s
from room.forecast.pace import MatchPace, SidePace
from room.forecast.round import Spread, spread


def lines(name: str) -> list[bytes]:
    """Return the lines of a log of the tests."""
    return (DATA / f"{name}.jsonl").read_bytes().splitlines()


def test_a_forecast_every_ten_minutes_is_compared_with_the_end() -> None:
    """The first when the clock has run for so long; each knows what the log said before it."""
    seconds = SECOND_NS
    match = Written(length=7).give(
        *START,
        inputs.Pressed(100 * seconds, RIGHT),
        inputs.Pressed(120 * seconds, LEFT),
        inputs.Pressed(130 * seconds, RIGHT),
        inputs.CentrePressed(140 * seconds),
        inputs.Pressed(140 * seconds, RIGHT),
        inputs.CentrePressed(140 * seconds),
        inputs.Pressed(140 * seconds, LEFT),
        inputs.CentrePressed(140 * seconds),
        inputs.BreakTaken(500 * seconds, Pair(1, 0)),  # until 800 s
        inputs.CentrePressed(800 * seconds),
        inputs.Pressed(1280 * seconds, RIGHT),
        inputs.Pressed(1300 * seconds, LEFT),  # a line of the same instant is not known yet
        inputs.CentrePressed(1500 * seconds),
        inputs.MatchEnded(1500 * seconds, LEFT, "time"),
    )
    sides = Pair(SidePace().after(20 * seconds, 8 * seconds), SidePace().after(10 * seconds, 0))
    first = Standing(Score(6, 7), MatchPace(sides), Pair(832.0, 840.0), 100.0)
    made = ((first, 800.0), (first._replace(wait_s=0.0), 200.0))
    assert compare_forecasts(match.lines) == [
        Compared(spread(rest_s(standing, PRIOR)), took_s) for standing, took_s in made
    ]


def test_a_match_that_is_not_over_is_not_compared() -> None:
    for short in (lines("ebf")[:-1], []):
        with pytest.raises(NotComparedError, match="not played to its end"):
            compare_forecasts(short)


def test_a_table_counts_the_ends_before_each_time() -> None:
    """An end at a time itself is one before it."""
    said = Spread(3600, 7200, 10800)
    compared = [Compared(said, took_s) for took_s in (3600, 7200, 10800, 20000)]
    assert list(table(2, compared)) == [
        "4 forecasts of 2 matches, one every 10 minutes",
        "  ended before the early time:  25%   (should be 10%)",
        "  ended before the middle time:  50%   (should be 50%)",
        "  ended before the late time:  75%   (should be 90%)",
        "  the middle time was wrong by 60.0 minutes (median)",
    ]
    assert next(table(1, compared[:1])) == "1 forecast of 1 match, one every 10 minutes"
