"""Results in the order in which they are listed."""

from msgspec import convert, to_builtins

from clock.match.types import Pair
from room.boards.board import Conflict, Result, latest_first
from tests.room.boards.test_results import result


def test_the_latest_result_comes_first() -> None:
    """Of two that began at the same time, the one whose name is the last; a damaged one ends."""
    dates = {"a": "2026-05-01T14", "b": "2026-05-01T09", "c": "2026-05-01T14", "d": ""}
    found = latest_first(result(match, "7", begun) for match, begun in dates.items())
    assert [each.match for each in found] == ["c", "a", "b", "d"]


def test_a_result_of_an_earlier_version_can_be_read() -> None:
    """It has no word of what came later: a match alone, for no practice, that was not adjourned."""
    fields = to_builtins(result("m", "7", ""))
    later = ("legs", "best_of_three", "practice", "put_aside", "continues_seq", "lines", "carried")
    for each in later:
        del fields[each]
    read = convert(fields, Result)
    assert (read.legs, read.best_of_three) == (Pair(0, 0), False)
    assert (read.practice, read.put_aside) == (False, False)
    assert (read.continues_seq, read.lines, read.carried) == (0, 0, Pair(0, 0))
    assert convert({"what": "match", "source": "a", "since": "", "lines": 9}, Conflict).agrees
