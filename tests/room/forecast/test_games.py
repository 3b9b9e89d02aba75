"""`room/forecast/games.py`."""

from statistics import fmean, stdev

import pytest

from clock.match.types import Crawford
from lab.support.rows import row
from room.forecast.games import DRAWS, Score, ahead


@pytest.mark.parametrize(
    ("length", "counted"),
    # Turns of whole matches of people (3 to 7, 13) and of a program (3 to 15), as counted.
    [(3, (98, 102)), (5, (155, 159)), (7, (204, 230)), (11, (321, 321)), (15, (430, 430))],
)
def test_whole_matches_take_the_turns_that_were_counted(
    length: int, counted: tuple[int, int]
) -> None:
    """The walk from 0 : 0 has the mean and about the spread of real matches."""
    turns = [each.turns for each in ahead(Score(length, length))]
    assert len(turns) == DRAWS
    assert min(counted) * 0.95 <= fmean(turns) <= max(counted) * 1.1
    assert 0.2 <= stdev(turns) / fmean(turns) <= 0.46


def test_what_is_ahead_is_what_was_judged() -> None:
    """The mean turns and games from a score, each reached by other ways and tables.

    `make bench ARGS=forecast` judges the walk. A change that it approves of writes these anew.
    """
    for score, turns, mean in (
        (Score(25, 25), 0, (747.49, 17.56)),
        (Score(7, 7), 0, (202.60, 3.99)),
        (Score(4, 9), 0, (160.76, 2.88)),
        (Score(3, 3), 0, (101.74, 1.31)),
        (Score(2, 2), 0, (68.31, 0.5)),
        (Score(1, 4, Crawford.NOW), 0, (82.12, 0.75)),
        (Score(1, 4, Crawford.DONE), 0, (65.47, 0.65)),
        (Score(1, 1, Crawford.DONE), 0, (51.73, 0)),
        (Score(7, 7), 20, (182.43, 3.87)),
        (Score(7, 7), 500, (174.40, 3.99)),  # longer than any game in the tables
    ):
        with row(score, turns):
            found = ahead(score, turns)
            means = fmean(each.turns for each in found), fmean(each.games for each in found)
            assert means == pytest.approx(mean, abs=0.006)


def test_the_walk_follows_the_crawford_rule() -> None:
    """One game without the cube, as soon as a player needs one point."""
    assert Score(2, 5).after(1, for_near=True) == Score(1, 5, Crawford.NOW)
    assert Score(1, 5, Crawford.NOW).after(2, for_near=False) == Score(1, 3, Crawford.DONE)
    assert Score(1, 2, Crawford.DONE).after(1, for_near=False) == Score(1, 1, Crawford.DONE)
    assert Score(3, 5).after(4, for_near=True) is None


def test_a_game_under_way_has_no_more_than_its_rest_ahead() -> None:
    last = Score(1, 1, Crawford.DONE)
    means = [fmean(each.turns for each in ahead(last, turns)) for turns in (1, 50)]
    whole = fmean(each.turns for each in ahead(last))
    assert means[0] == pytest.approx(whole - 1)  # no game is as short
    assert means[1] < whole
    assert all(0 < each.turns < 100 and each.games == 0 for each in ahead(last, 500))
