"""When the boards of a room are likely to end."""

import pytest

from room.boards.outlook import Outlook, outlook
from tests.support.boards import FILE, LOG, PORT, RUNNING, Hall


def seen(hall: Hall) -> Outlook:
    """The outlook of a hall at its present instant."""
    hall.register.refresh(hall.ns)
    return outlook(hall.register.followed(), hall.ns)


def test_boards_that_play_are_forecast_and_others_are_named() -> None:
    """Nothing is said of uncertain times."""
    hall = Hall().lines(FILE, LOG[:RUNNING]).heard(FILE, 0, RUNNING).lines(PORT, LOG[:RUNNING][-1:])
    said = seen(hall)
    (board,) = said.boards
    assert said.last == [board.board]
    assert len(said.without) == 1
    assert said.ends is not None


def test_a_match_that_was_not_confirmed_or_is_over_does_not_play() -> None:
    """It is neither forecast nor missing."""
    said = seen(Hall().lines(FILE, LOG[:1]))
    assert (said.ends, said.boards, said.without) == (None, [], [])


def test_a_board_with_more_points_to_go_than_the_forecast_knows_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The director sees why nothing is said of it."""
    monkeypatch.setattr("room.boards.outlook.FURTHEST", 1)
    monkeypatch.setattr("room.forecast.match.FURTHEST", 1)
    hall = Hall().lines(FILE, LOG[:RUNNING]).heard(FILE, 0, RUNNING)
    said = seen(hall)
    assert said.boards == []
    assert said.too_far == said.without != []
