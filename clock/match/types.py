"""The small types that everything else in the match is made of: sides, buttons, pairs, phases.

Whatever both players have is held once, in a `Pair`.
"""

from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import Generic, TypeVar

import msgspec

T = TypeVar("T")
U = TypeVar("U")


class Side(StrEnum):
    """A side of the clock, with its plunger, its display and its player."""

    LEFT = "left"
    RIGHT = "right"

    @property
    def other(self) -> "Side":
        """The opponent's side."""
        return Side.RIGHT if self is Side.LEFT else Side.LEFT


class Button(StrEnum):
    """One of the three buttons of the clock."""

    LEFT = "left"
    RIGHT = "right"
    CENTRE = "centre"

    @property
    def side(self) -> Side | None:
        """The side whose plunger this is; None for the centre button."""
        return None if self is Button.CENTRE else Side(self.value)


class Pair(msgspec.Struct, Generic[T], frozen=True, array_like=True):
    """One value for each side; in JSON and TOML a list of two, left first."""

    left: T
    right: T

    def __getitem__(self, side: Side | int) -> T:
        """Return the value of a side; also of a place: 0 is left, 1 is right."""
        if side is Side.LEFT:
            return self.left
        return self.right if side is Side.RIGHT else (self.left, self.right)[side]

    def __len__(self) -> int:
        """Return 2."""
        return len(Side)

    def __iter__(self) -> Iterator[T]:
        """Iterate over left, then right."""
        yield self.left
        yield self.right

    def put(self, side: Side, value: T) -> "Pair[T]":
        """Return the pair with another value on one side."""
        return Pair(value, self.right) if side is Side.LEFT else Pair(self.left, value)

    def update(self, side: Side, change: Callable[[T], T]) -> "Pair[T]":
        """Return the pair with `change` applied to one side's value."""
        return self.put(side, change(self[side]))

    def map(self, change: Callable[[T], U]) -> "Pair[U]":
        """Return the pair with `change` applied to both values."""
        return Pair(change(self.left), change(self.right))

    def swapped(self) -> "Pair[T]":
        """Return the pair with left and right exchanged."""
        return Pair(self.right, self.left)


class Phase(StrEnum):
    """What the clock is doing."""

    REVIEW = "REVIEW"  # the settings are shown until both players have confirmed them
    READY = "READY"  # between games, until the opening roll
    RUNNING = "RUNNING"
    STOPPED = "STOPPED"
    FREE_TURN = "FREE_TURN"  # a turn is played off the clock
    GAME_OVER = "GAME_OVER"  # the points of the game are being entered
    BREAK = "BREAK"
    NO_CLOCK = "NO_CLOCK"  # the match goes on without a clock
    FINISHED = "FINISHED"
    PUT_ASIDE = "PUT_ASIDE"  # to be resumed later, in a log of its own (R131)


class NextDelay(StrEnum):
    """The delay of a player's next turn."""

    FULL = "full"
    SKIP = "skip"  # none
    WAIT = "wait"  # full, and no press counts before it has run out
    FREE = "free"  # the whole turn is played off the clock (NBgF 4-1-6)


class Crawford(StrEnum):
    """Where the match stands with the Crawford rule (EBF 4.4(iv))."""

    BEFORE = "before"
    NOW = "now"
    DONE = "done"
    UNKNOWN = "unknown"  # the match was entered with a player one point away: to be asked for


class ResumeWith(StrEnum):
    """The delay with which the clock starts again after a stop."""

    REST = "rest"  # exactly what was left
    FULL = "full"
    NEW = "new"  # a new turn, where the rules have no delay
    WAIT = "wait"  # full, and no press counts before it has run out
    FREE = "free"  # the clock does not start: the turn is played off the clock (NBgF 4-1-6)
