"""Late and missing edges are reported, but not one line of the log for each of them."""

from hardware.buttons.late_edges import LATE_EDGES, REPORT_INTERVAL_NS, LateEdges

MS = 1_000_000


def text(late: int, missing: int, margin_ms: int = 2) -> str:
    """Return the text of a report."""
    return LATE_EDGES.format(late=late, missing=missing, margin_ms=margin_ms)


def test_nothing_is_reported_while_all_edges_come_in_time() -> None:
    edges = LateEdges(2 * MS)
    assert [edges.report(0, 0, at_ns) for at_ns in (0, 1, REPORT_INTERVAL_NS)] == [None] * 3


def test_a_report_covers_the_edges_since_the_last_one_and_names_the_margin() -> None:
    edges = LateEdges(20 * MS)
    assert edges.report(1, 0, 5) == text(1, 0, 20)
    assert edges.report(1, 0, 5 + REPORT_INTERVAL_NS) is None
    assert edges.report(1, 2, 5 + REPORT_INTERVAL_NS) == text(0, 2, 20)


def test_edges_within_ten_seconds_are_reported_together() -> None:
    edges = LateEdges(2 * MS)
    assert edges.report(1, 0, 0) == text(1, 0)
    assert edges.report(2, 0, 1) is None
    assert edges.report(7, 1, REPORT_INTERVAL_NS - 1) is None
    assert edges.report(7, 1, REPORT_INTERVAL_NS) == text(6, 1)


def test_the_report_says_what_to_do() -> None:
    assert text(3, 1) == (
        "3 more than 2 ms late, 1 missing: a press may be stamped too late. Stop other programs on"
        " this computer; gammonclock doctor shows how old each stamp is"
    )
