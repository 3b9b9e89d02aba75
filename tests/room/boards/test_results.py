"""The list of results: in which round each match was played."""

from clock.match.types import Pair, Side
from room.boards.board import Result
from room.boards.results import listed


def result(match: str, board: str, begun: str, clock: str = "") -> Result:
    """Return the result of a match that began at a board."""
    return Result(
        match=match,
        board=board,
        clock=clock,
        players=dict.fromkeys(Side, ""),
        score=Pair(0, 0),
        length=11,
        winner=None,
        begun=begun,
        duration_ns=0,
        flags=[],
        restorations=0,
        corrections=0,
        head="",
        complete=False,
        forks=0,
    )


def test_rounds_are_counted_for_each_board_and_day() -> None:
    """By the instants at which the matches began; the order of the list remains."""
    results = [
        result("c", "7", "2026-05-02T09:00:00+02:00"),
        result("b", "7", "2026-05-01T14:00:00+02:00"),
        result("d", "8", "2026-05-01T14:30:00+02:00"),
        result("a", "7", "2026-05-01T10:00:00+02:00"),
    ]
    found = [(each.match, each.round) for each in listed(results)]
    assert found == [("c", 1), ("b", 2), ("d", 1), ("a", 1)]


def test_a_clock_without_a_board_has_rounds_too() -> None:
    """Of its own."""
    day = "2026-05-01T10:00:00+02:00"
    results = [result("a", "", day, "1a2b3c4d"), result("b", "", day, "5e6f7a8b")]
    assert [each.round for each in listed(results)] == [1, 1]


def test_a_match_of_unknown_time_or_place_has_no_round() -> None:
    """Nor does it count for the others."""
    results = [result("a", "7", ""), result("b", "", "2026-05-01"), result("c", "7", "2026-05-01")]
    assert [each.round for each in listed(results)] == [None, None, 1]
