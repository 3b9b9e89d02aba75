"""Edges that came too late or not at all are in the log, once, and on no panel."""

from hardware.buttons.late_edges import AGAIN_NS, UNTIMELY, Untimely

MS = 1_000_000


def words(late: int, missing: int, margin_ms: int = 2) -> str:
    """What is told."""
    return UNTIMELY.format(late=late, missing=missing, margin_ms=margin_ms)


def test_nothing_is_told_of_edges_that_come_in_time() -> None:
    """Asked as often as may be."""
    untimely = Untimely(2 * MS)
    assert [untimely.told(0, 0, at_ns) for at_ns in (0, 1, AGAIN_NS)] == [None] * 3


def test_each_is_told_of_once_with_the_margin() -> None:
    """At once; later only what has come since."""
    untimely = Untimely(20 * MS)
    assert untimely.told(1, 0, 5) == words(1, 0, 20)
    assert untimely.told(1, 0, 5 + AGAIN_NS) is None
    assert untimely.told(1, 2, 5 + AGAIN_NS) == words(0, 2, 20)


def test_many_are_told_of_together() -> None:
    """Not a nanosecond before ten seconds are over; else an edge would be a line of the log."""
    untimely = Untimely(2 * MS)
    assert untimely.told(1, 0, 0) == words(1, 0)
    assert untimely.told(2, 0, 1) is None
    assert untimely.told(7, 1, AGAIN_NS - 1) is None
    assert untimely.told(7, 1, AGAIN_NS) == words(6, 1)


def test_it_says_what_to_do() -> None:
    """Whoever reads the log a day later has only this line."""
    assert words(3, 1) == (
        "3 came more than 2 ms late, 1 not at all: a press may count too late. End what else runs"
        " on this computer; gammonclock doctor shows how old each stamp is"
    )
