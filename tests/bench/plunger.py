"""A plunger as wood, spring and contact make it: one press is a burst of edges, and a quiet while.

A contact that closes opens again a few times, at random, while its spring comes to rest; one that
opens does the same. `Bounce` says how long and how often at most. A real switch stays below 10 ms,
most below 2; a worn one may do anything.

The one rule: the same seed gives the same edges.
"""

from random import Random
from typing import NamedTuple

from clock.match.rules import SECOND_NS
from clock.match.sides import Button

MS_NS = SECOND_NS // 1000

PINS = {Button.LEFT: 17, Button.RIGHT: 27, Button.CENTRE: 22}  # BCM, as configured by default
HELD_NS = 80 * MS_NS  # how long a player's hand stays down
REST_NS = 40 * MS_NS  # until the same button goes down again, at least
APART_NS = 50_000  # between two edges of a bounce, at least: a contact has mass


class Bounce(NamedTuple):
    """What a contact does until it has come to rest."""

    duration_ns: int
    openings: int  # how often it leaves where it shall rest

    def edges(self, random: Random) -> list[int]:
        """The instants of all edges, counted from the first, which is the true one."""
        count = 2 * self.openings
        room_ns = self.duration_ns - count * APART_NS
        if room_ns < 0:
            raise ValueError(f"{self.openings} openings do not fit into {self.duration_ns} ns")
        if count == 0:
            return [0]
        at = sorted(random.randrange(room_ns + 1) for _ in range(count - 1))
        return [0, *(ns + number * APART_NS for number, ns in enumerate(at, 1)), self.duration_ns]


NONE = Bounce(0, 0)


class Move(NamedTuple):
    """A button's line goes low (down) or high, some time after the first."""

    after_ns: int
    button: Button
    down: bool


def pressed(
    button: Button, held_ns: int = HELD_NS, bounce: Bounce = NONE, seed: int = 0
) -> list[Move]:
    """A press and its end: both bounce alike."""
    random = Random(seed)
    down, up = ([*bounce.edges(random)] for _ in range(2))
    return [Move(ns, button, number % 2 == 0) for number, ns in enumerate(down)] + [
        Move(held_ns + ns, button, number % 2 == 1) for number, ns in enumerate(up)
    ]


def together(*presses: tuple[int, list[Move]]) -> list[Move]:
    """Several presses, each begun some time after the moves begin, in one order."""
    moves = [
        move._replace(after_ns=at_ns + move.after_ns) for at_ns, each in presses for move in each
    ]
    return sorted(moves)
