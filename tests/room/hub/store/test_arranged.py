"""The lines of a log in their order, and the rows that they come from."""

from room.hub.store.arranged import ArrangedLog, LineRow, arranged
from room.lines.inbox import Verdict

STORED, FORK, MISSING, DAMAGED = Verdict.STORED, Verdict.FORK, Verdict.MISSING, Verdict.DAMAGED


def test_later_lines_follow_a_log_or_take_the_place_of_its_end() -> None:
    """Of a log that is kept as a whole no line has a row; damaged lines stand where they came."""
    whole = ArrangedLog([b"1", b"2", b"3"], [])
    rows = [
        LineRow(7, 4, STORED, b"4"),
        LineRow(8, 9, MISSING, b"9"),
        LineRow(9, None, DAMAGED, b"noise"),
        LineRow(10, 5, STORED, b"5"),
    ]
    assert arranged(whole, rows) == ([b"1", b"2", b"3", b"4", b"5"], [7, 10])
    assert arranged(whole, rows[:3]) == ([b"1", b"2", b"3", b"4", b"noise"], [7, 9])
    end = [LineRow(11, 6, STORED, b"6"), LineRow(12, 2, FORK, b"other")]
    assert arranged(whole, [*rows, *end]) == ([b"1", b"other"], [12])
    assert whole == ([b"1", b"2", b"3"], [])
