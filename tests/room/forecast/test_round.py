"""`room/forecast/round.py`."""

from clock.match.types import Pair, Side
from clock.units import SECOND_NS
from room.forecast.games import Score
from room.forecast.match import Standing
from room.forecast.pace import MatchPace, SidePace
from room.forecast.round import Playing, forecast

RESERVES = Pair(840.0, 840.0)


def side(turns: int, seconds: int) -> SidePace:
    """Return a side whose turns took so many seconds each, of which twelve are delay."""
    pace = SidePace()
    for _ in range(turns):
        pace = pace.after(seconds * SECOND_NS, max(0, seconds - 12) * SECOND_NS)
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


def test_a_long_match_is_not_called_slow() -> None:
    boards = {str(number): board(3, 50) for number in range(7)} | {"long": board(6, 160)}
    said = forecast(boards)
    assert list(said.long) == ["long"]
    assert said.long["long"].turns == 320
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
    del others["0"]
    assert not forecast(others | {"slow": board(3, 40, left_s=20)}).slow


def test_an_empty_room_has_no_end() -> None:
    said = forecast({})
    assert said.end is None
    assert said.last == ()
