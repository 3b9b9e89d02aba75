"""Group the raw edges of a button into movements, to measure how its contact bounces.

Edges less than `QUIET_NS` apart belong to one movement. The levels before and after it say whether
it was a press, a release, or only a touch. A contact that does not settle is reported every
`LONGEST_NS`, so that a loose wire is seen at once. What counts as a press is decided by
`hardware.buttons`, as in a match; this only measures.
"""

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import NamedTuple

QUIET_NS = 25_000_000  # longer than any contact opens while it bounces; no hand is faster
LONGEST_NS = 500_000_000  # no contact bounces for so long: a wire is loose, or picks up hum


class ContactEdge(NamedTuple):
    """An edge of a button's contact."""

    name: str  # of the button
    at_ns: int  # its time stamp
    age_ns: int  # of the time stamp when the edge was reported


class Movement(NamedTuple):
    """A button went down, came up, or was only touched."""

    name: str
    at_ns: int  # the stamp of the first edge
    was_down: bool
    is_down: bool
    edges: int
    settling_ns: int  # from the first edge to the last
    gap_ns: int  # the longest time between two edges; 0 for a single edge
    age_ns: int  # of the first edge
    pressed: bool = False  # the clock has counted a press in it
    cut_off: bool = False  # the clock ignores the contact since then

    @property
    def end_ns(self) -> int:
        """The stamp of the last edge."""
        return self.at_ns + self.settling_ns

    @property
    def unsettled(self) -> bool:
        """Whether the contact had not settled yet when the movement was reported."""
        return self.cut_off or self.settling_ns >= LONGEST_NS - QUIET_NS


class Movements:
    """The movements of all buttons."""

    def __init__(self, down: Mapping[str, bool]) -> None:
        """Begin with the present levels of the buttons: whether each is down, by its name."""
        self._down = dict(down)
        self._edges: dict[str, list[ContactEdge]] = {name: [] for name in down}

    @property
    def under_way(self) -> bool:
        """Whether any movement has begun that is not complete."""
        return any(self._edges.values())

    def add(self, edges: Iterable[ContactEdge]) -> None:
        """Add edges; those of one button must be in order."""
        for edge in edges:
            self._edges[edge.name].append(edge)

    def completed(self, now_ns: int, down: Mapping[str, bool]) -> list[Movement]:
        """Return the movements that are complete at `now_ns`, given the levels read then."""
        complete = [name for name, edges in self._edges.items() if _is_complete(edges, now_ns)]
        return [self._complete(name, is_down=down[name]) for name in complete]

    def _complete(self, name: str, *, is_down: bool) -> Movement:
        edges, self._edges[name] = self._edges[name], []
        was_down, self._down[name] = self._down[name], is_down
        gap_ns = max((after.at_ns - edge.at_ns for edge, after in pairwise(edges)), default=0)
        settling_ns = edges[-1].at_ns - edges[0].at_ns
        at_ns, age_ns = edges[0].at_ns, edges[0].age_ns
        return Movement(name, at_ns, was_down, is_down, len(edges), settling_ns, gap_ns, age_ns)


def _is_complete(edges: list[ContactEdge], now_ns: int) -> bool:
    if not edges:
        return False
    return now_ns - edges[-1].at_ns >= QUIET_NS or now_ns - edges[0].at_ns >= LONGEST_NS
