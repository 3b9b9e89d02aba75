"""Models of new, worn and dirty contacts, and presses on them.

J. Ganssle, "A Guide to Debouncing", measured 18 kinds of switches: a bounce took 1.6 ms on average
and most of them at most 6.2 ms, but the worst one took up to 157 ms. How long a contact rests at
one level within a bounce is not known from there: that is assumed, for each kind of wear.
"""

from collections.abc import Sequence
from itertools import accumulate
from random import Random
from typing import NamedTuple

from hardware.buttons.debounce import Change, Debouncer

MS = 1_000_000
APART_NS = 60 * MS  # at least so long after a button is let go a hand presses it again
NAME = "left"


class Wear(NamedTuple):
    """How a contact bounces, as it closes and as it opens."""

    mean_ns: int
    longest_ns: int  # from the first edge of a bounce to its last
    rest_ns: int  # the longest time at one level within a bounce

    def bounce(self, random: Random) -> list[int]:
        """Return the edges of a bounce after its first one, counted from it: an even number."""
        most_ns = min(self.longest_ns, random.expovariate(1 / self.mean_ns))
        rests: list[int] = []
        while sum(rests) < most_ns:
            rests.append(random.randint(1, self.rest_ns))
        return self.edges(rests)

    def edges(self, rests: Sequence[int]) -> list[int]:
        """Return the edges between such rests, as far as they fit into the longest bounce."""
        edges = [at_ns for at_ns in accumulate(rests) if at_ns <= self.longest_ns]
        return edges[: len(edges) // 2 * 2]


WEARS = {
    "new": Wear(1_600_000, 6_200_000, 3 * MS),
    "worn": Wear(6 * MS, 25 * MS, 12 * MS),
    "dirty": Wear(12 * MS, 40 * MS, 14 * MS),
    "worst": Wear(30 * MS, 157 * MS, 14 * MS),
}


class Press(NamedTuple):
    """A press of a button: its instants are counted from the end of the one before."""

    apart_ns: int  # since the first edge of the release before
    closing: Sequence[int]  # the edges of its bounce after the first one
    held_ns: int  # from the last of them to the first edge of the release
    opening: Sequence[int]


def trains(presses: Sequence[Press]) -> tuple[list[int], list[int]]:
    """Return the instants of all edges, and those of the first edges of the presses."""
    edges, first, now_ns = list[int](), list[int](), 0
    for press in presses:
        down_ns = now_ns + press.apart_ns
        closed_ns = [down_ns, *(down_ns + each for each in press.closing)]
        now_ns = closed_ns[-1] + press.held_ns
        first.append(down_ns)
        edges += [*closed_ns, now_ns, *(now_ns + each for each in press.opening)]
    return edges, first


def debounced(edges: Sequence[int], settle_ns: int, margin_ns: int) -> list[Change]:
    """Return the changes of one button, which is up at first, settled whenever it is due."""
    debouncer, down = Debouncer({NAME: False}, settle_ns, margin_ns), False
    changes: list[Change] = []
    for at_ns in [*edges, None]:
        while (due_ns := debouncer.due_ns) is not None and (at_ns is None or due_ns < at_ns):
            changes += debouncer.settle(due_ns, {NAME: down}).changes
        if at_ns is not None:
            down = not down
            debouncer.edge(NAME, at_ns, down=down)
    return changes


def pressed_at(changes: Sequence[Change]) -> list[int]:
    """Return the stamps of the presses."""
    return [change.at_ns for change in changes if change.down]
