"""Edges that came too late or not at all: when that is told of, and in which words.

A late edge keeps its stamp, but what time brought about before it came, such as a flag, stays. A
press without an edge is stamped when its level was read. A computer that is well does neither.

The one rule: integers in, words out; it is told of at once, and then at most every ten seconds.
"""

NS_PER_MS = 1_000_000
AGAIN_NS = 10_000 * NS_PER_MS  # else each of many edges would be a line of the log

EDGES = "edges"  # of all buttons, in faults
UNTIMELY = (
    "{late} came more than {margin_ms} ms late, {missing} not at all: a press may count too late."
    " End what else runs on this computer; gammonclock doctor shows how old each stamp is"
)


class Untimely:
    """What has been told so far."""

    def __init__(self, margin_ns: int) -> None:
        """Nothing has.

        Args:
            margin_ns: an edge that takes longer is late.
        """
        self._margin_ms = margin_ns // NS_PER_MS
        self._late = self._missing = 0
        self._told_ns: int | None = None

    def told(self, late: int, missing: int, now_ns: int) -> str | None:
        """What is to be told now; None for nothing.

        Args:
            late: edges that came late, from the beginning.
            missing: presses and releases without an edge, from the beginning.
            now_ns: now.
        """
        lately = self._told_ns is not None and now_ns - self._told_ns < AGAIN_NS
        if lately or (late, missing) == (self._late, self._missing):
            return None
        new = {"late": late - self._late, "missing": missing - self._missing}
        self._late, self._missing, self._told_ns = late, missing, now_ns
        return UNTIMELY.format(margin_ms=self._margin_ms, **new)
