"""Edges of contacts become movements: how often a contact bounced, for how long, how far apart.

Edges that follow one another within `QUIET_NS` are one movement; whether that was a press, a
release, or a touch that let go at once, the levels before and after it say. A contact that does not
come to rest is told of in parts, else nobody would hear of a loose wire.

The one rule: nothing here decides what counts in a match; that is `debounce`'s.
"""

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import NamedTuple

QUIET_NS = 25_000_000  # no contact opens for so long while it bounces, and no hand is so quick
LONGEST_NS = 500_000_000  # no contact bounces for so long: a wire is loose, or hums


class Edge(NamedTuple):
    """An edge as it was reported."""

    name: str  # of the button
    at_ns: int  # its stamp
    age_ns: int  # of the stamp when it was reported


class Movement(NamedTuple):
    """A button went down, came up, or was only touched."""

    name: str
    was_down: bool
    is_down: bool
    edges: int
    settling_ns: int  # from the first edge to the last
    gap_ns: int  # the longest between two of them; 0 for a single one
    age_ns: int  # of the first one's stamp when it was reported

    @property
    def restless(self) -> bool:
        """Whether it had not come to rest when it was told of."""
        return self.settling_ns >= LONGEST_NS - QUIET_NS


class Movements:
    """All buttons of a box."""

    def __init__(self, down: Mapping[str, bool]) -> None:
        """The buttons as they are at the beginning."""
        self._down = dict(down)
        self._edges: dict[str, list[Edge]] = {name: [] for name in down}

    @property
    def under_way(self) -> bool:
        """Whether there are edges whose movement is not over."""
        return any(self._edges.values())

    def add(self, edges: Iterable[Edge]) -> None:
        """Edges, those of one button in their order."""
        for edge in edges:
            self._edges[edge.name].append(edge)

    def over(self, now_ns: int, down: Mapping[str, bool]) -> list[Movement]:
        """The movements that are over by now.

        Args:
            now_ns: now.
            down: the buttons' levels, read now.
        """
        names = [name for name, edges in self._edges.items() if _ended(edges, now_ns)]
        return [self._over(name, is_down=down[name]) for name in names]

    def _over(self, name: str, *, is_down: bool) -> Movement:
        edges, self._edges[name] = self._edges[name], []
        was_down, self._down[name] = self._down[name], is_down
        gap_ns = max((after.at_ns - edge.at_ns for edge, after in pairwise(edges)), default=0)
        settling_ns = edges[-1].at_ns - edges[0].at_ns
        age_ns = edges[0].age_ns
        return Movement(name, was_down, is_down, len(edges), settling_ns, gap_ns, age_ns)


def _ended(edges: list[Edge], now_ns: int) -> bool:
    if not edges:
        return False
    return now_ns - edges[-1].at_ns >= QUIET_NS or now_ns - edges[0].at_ns >= LONGEST_NS
