"""`room/forecast/round.py`."""

from itertools import cycle, islice

import pytest

from clock.match.types import Pair, Side
from clock.units import SECOND_NS
from room.forecast.games import Score
from room.forecast.match import PRIOR, Standing, mean_turn, rest_s
from room.forecast.pace import MatchPace, SidePace
from room.forecast.round import Long, Playing, forecast

RESERVES = Pair(840.0, 840.0)


def side(turns: int, *seconds: int) -> SidePace:
    """Return a side whose turns took so many seconds, in turn, of which twelve are delay."""
    pace = SidePace()
    for each in islice(cycle(seconds), turns):
        pace = pace.after(each * SECOND_NS, max(0, each - 12) * SECOND_NS)
    return pace


def board(needs: int, turns: int, left_s: int = 11, right_s: int = 11) -> Playing:
    """Return a match to seven in which both need as many points."""
    pace = MatchPace(Pair(side(turns, left_s), side(turns, right_s)), game_turns=5)
    return Playing(7, Standing(Score(needs, needs), pace, RESERVES))


def test_the_round_ends_with_its_last_board_which_is_named() -> None:
    boards = {str(number): board(2, 60) for number in range(7)} | {"late": board(7, 60)}
    said = forecast(boards)
    assert said.end is not None
    assert said.last[0] == "late"
    assert len(said.last) == 3
    assert said.end.late_s >= max(each.late_s for each in said.boards.values())
    assert said.end.early_s < said.end.middle_s < said.end.late_s


def test_the_round_ends_when_as_many_boards_have_ended_as_chance_would_have_it() -> None:
    """Of boards that are alike, each has to have ended with the root of the chance."""
    for count, draws in ((1, (25, 127, 230)), (40, (241, 251, 255))):
        one = board(7, 20)
        ends = rest_s(one.standing, mean_turn([*one.standing.pace.sides] * count, PRIOR, 200))
        end = forecast({str(number): one for number in range(count)}).end
        assert end == pytest.approx(tuple(ends[draw] for draw in draws), abs=0.01)


def test_boards_are_named_by_how_often_they_are_the_last() -> None:
    """Slow players may take long, and still others are the last more often."""
    boards = {str(needs): board(needs, 60) for needs in (6, 5, 7)} | {"as 5": board(5, 60)}
    said = forecast(boards | {"slow": board(3, 60, 20, 20)})
    assert said.boards["slow"].late_s > said.boards["5"].late_s
    assert said.last == ("7", "6", "5")  # as often as the one that is alike, and before it


def test_a_long_match_is_not_called_slow() -> None:
    """It is long among matches of its length; of few such the walk tells what is usual."""
    boards = {str(number): board(3, 50) for number in range(7)}
    boards |= {"nearly": board(5, 46), "long": board(5, 52)}
    far = {"far": board(5, 200), "too long": board(5, 400)}  # beyond what the walk knows
    boards |= {name: each._replace(length=27) for name, each in far.items()}
    said = forecast(boards | {"alone": board(5, 100)._replace(length=5)})
    assert said.long == {
        "long": Long(104, 247, 189),
        "too long": Long(800, 943, 740),
        "alone": Long(200, 343, 156),
    }
    assert not said.slow


def test_slow_is_said_of_a_side_with_forty_turns_in_a_room_of_six() -> None:
    others = {str(number): board(3, 50) for number in range(5)}
    said = forecast(others | {"slow": board(3, 40, left_s=20)})
    assert said.slow == {"slow": Side.LEFT}
    assert said.sides["slow"][0].mean_s == 20
    assert said.sides["slow"][0].share == 20 / 31
    early = forecast(others | {"slow": board(3, 39, left_s=20)})
    assert not early.slow
    assert early.sides["slow"] == ()
    both = forecast(others | {"slow": board(3, 40, left_s=20, right_s=30)})
    assert both.slow == {"slow": Side.RIGHT}  # the slower one
    both = forecast(others | {"slow": board(3, 40, left_s=30, right_s=20)})
    assert both.slow == {"slow": Side.LEFT}
    for seconds in ((11, 11, 11, 60), (15, 15, 15, 2)):  # slow by the mean or the middle alone
        pace = MatchPace(Pair(side(40, *seconds), side(40, 11)), game_turns=5)
        standing = Standing(Score(3, 3), pace, RESERVES)
        assert not forecast(others | {"slow": Playing(7, standing)}).slow
    del others["0"]
    assert not forecast(others | {"slow": board(3, 40, left_s=20)}).slow


def test_an_empty_room_has_no_end() -> None:
    said = forecast({})
    assert said.end is None
    assert said.last == ()
