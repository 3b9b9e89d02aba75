"""The two sides of the board and a value for each of them.

The one rule: whatever both players have is held once, as a `Pair`, never as two variables.
"""

from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import Generic, TypeVar

import msgspec

T = TypeVar("T")
U = TypeVar("U")


class Side(StrEnum):
    """A side of the clock: the plunger, the display and the player behind them."""

    LEFT = "left"
    RIGHT = "right"

    @property
    def other(self) -> "Side":
        """The opponent's side."""
        return Side.RIGHT if self is Side.LEFT else Side.LEFT


class Button(StrEnum):
    """One of the three buttons of the box."""

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

    def __getitem__(self, side: Side) -> T:
        """The value of a side."""
        return self.left if side is Side.LEFT else self.right

    def __iter__(self) -> Iterator[T]:
        """Left, then right."""
        yield self.left
        yield self.right

    def put(self, side: Side, value: T) -> "Pair[T]":
        """The same pair with another value on one side."""
        return Pair(value, self.right) if side is Side.LEFT else Pair(self.left, value)

    def update(self, side: Side, change: Callable[[T], T]) -> "Pair[T]":
        """The same pair with one side's value changed by a function."""
        return self.put(side, change(self[side]))

    def map(self, change: Callable[[T], U]) -> "Pair[U]":
        """The pair of what a function makes of each side's value."""
        return Pair(change(self.left), change(self.right))

    def swapped(self) -> "Pair[T]":
        """Left and right exchanged."""
        return Pair(self.right, self.left)
