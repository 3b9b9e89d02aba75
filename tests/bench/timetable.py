"""A table of presses: each some time after the one before, so that a match can be written down.

The one rule: a press that follows another is counted from the instant at which that one took
effect.
"""

from typing import Self

from bench.plunger import MS_NS, Move, pressed

from clock.match.sides import Button

TAP_NS = 60 * MS_NS  # a hand's; a busy computer holds it up for tens of ms
GAP_NS = 2 * TAP_NS  # from one press to the next


class Timetable:
    """Presses, written down one after another."""

    def __init__(self) -> None:
        """Nobody presses."""
        self._at_ns = 0
        self._moves: list[Move] = []

    def press(self, button: Button, gap_ns: int = GAP_NS) -> Self:
        """A tap, some time after what went before took effect, which is as it goes down."""
        self._at_ns += gap_ns
        return self._add(button, TAP_NS)

    def click(self, button: Button, gap_ns: int = GAP_NS) -> Self:
        """A tap that takes effect when the button comes up, as the centre's while nobody plays."""
        self.press(button, gap_ns)
        self._at_ns += TAP_NS
        return self

    def _add(self, button: Button, held_ns: int) -> Self:
        self._moves += [
            move._replace(after_ns=self._at_ns + move.after_ns) for move in pressed(button, held_ns)
        ]
        return self

    @property
    def moves(self) -> list[Move]:
        """All of it, in the order of the instants."""
        return sorted(self._moves)
