"""Report edges that arrived too late or not at all.

A late edge keeps its stamp, but a flag that fell before it arrived stays. A press without an edge
is stamped when its level is read. Neither happens on a computer that is well. Unlike a fault latch,
this reports new edges again, at most every ten seconds: each report is a line of the log.
"""

from hardware.units import NS_PER_MS, NS_PER_SECOND

REPORT_INTERVAL_NS = 10 * NS_PER_SECOND

LATE_EDGES = (
    "{late} more than {margin_ms} ms late, {missing} missing: a press may be stamped too late. Stop"
    " other programs on this computer; gammonclock doctor shows how old each stamp is"
)


class LateEdges:
    """What has been reported so far."""

    def __init__(self, margin_ns: int) -> None:
        """Start with nothing to report; an edge that takes longer than the margin is late."""
        self._margin_ms = margin_ns // NS_PER_MS
        self._late = self._missing = 0
        self._reported_ns: int | None = None

    def report(self, late: int, missing: int, now_ns: int) -> str | None:
        """Return what to report now, if anything; both numbers count since the start."""
        last_ns = self._reported_ns
        too_soon = last_ns is not None and now_ns - last_ns < REPORT_INTERVAL_NS
        if too_soon or (late, missing) == (self._late, self._missing):
            return None
        new = {"late": late - self._late, "missing": missing - self._missing}
        self._late, self._missing, self._reported_ns = late, missing, now_ns
        return LATE_EDGES.format(margin_ms=self._margin_ms, **new)
