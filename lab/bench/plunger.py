"""A model of a plunger whose contact bounces: each press and each release is a burst of edges.

A contact that closes opens again a few times at random instants, and one that opens closes again.
`Bounce` says for how long and how often. New switches bounce for less than 10 ms, most of them for
less than 2 ms; a worn one may bounce for longer.
"""

from random import Random
from typing import NamedTuple

from clock.match.types import Button
from clock.units import SECOND_NS

MS_NS = SECOND_NS // 1000

PINS = {Button.LEFT: 17, Button.RIGHT: 27, Button.CENTRE: 22}  # BCM, as configured by default
PRESS_NS = 80 * MS_NS  # how long a player holds a plunger down
PAUSE_NS = 60 * MS_NS  # the shortest time from a release to the next press of the same button
MIN_EDGE_GAP_NS = 50_000  # between two edges of a bounce: a contact has mass


class Bounce(NamedTuple):
    """How a contact bounces until it has settled."""

    duration_ns: int
    openings: int  # how often it leaves the level at which it settles

    def edges(self, random: Random) -> list[int]:
        """Return the instants of all edges, counted from the first one.

        Raises:
            ValueError: so many openings do not fit into the duration.
        """
        count = 2 * self.openings
        room_ns = self.duration_ns - count * MIN_EDGE_GAP_NS
        if room_ns < 0:
            raise ValueError(f"{self.openings} openings do not fit into {self.duration_ns} ns")
        if count == 0:
            return [0]
        at = sorted(random.randrange(room_ns + 1) for _ in range(count - 1))
        return [
            0,
            *(ns + number * MIN_EDGE_GAP_NS for number, ns in enumerate(at, 1)),
            self.duration_ns,
        ]


NO_BOUNCE = Bounce(0, 0)


class PlungerMove(NamedTuple):
    """A move of a button's line: low when the button goes down, high when it comes up."""

    after_ns: int  # since the first of several moves
    button: Button
    down: bool


def pressed(
    button: Button, held_ns: int = PRESS_NS, bounce: Bounce = NO_BOUNCE, seed: int = 0
) -> list[PlungerMove]:
    """Return the moves of a press and its release, which bounce alike."""
    random = Random(seed)
    down, up = ([*bounce.edges(random)] for _ in range(2))
    return [PlungerMove(ns, button, number % 2 == 0) for number, ns in enumerate(down)] + [
        PlungerMove(held_ns + ns, button, number % 2 == 1) for number, ns in enumerate(up)
    ]


def together(*presses: tuple[int, list[PlungerMove]]) -> list[PlungerMove]:
    """Merge several presses, each with its delay in ns, into one list in the order of time."""
    moves = [
        move._replace(after_ns=at_ns + move.after_ns) for at_ns, each in presses for move in each
    ]
    return sorted(moves)
