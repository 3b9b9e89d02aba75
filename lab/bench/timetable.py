"""A timetable of presses: each one comes some time after the one before."""

from typing import Self

from clock.match.types import Button
from lab.bench.plunger import MS_NS, PlungerMove, pressed

TAP_NS = 60 * MS_NS  # longer than the tens of ms for which a busy computer may hold up the guest
GAP_NS = 2 * TAP_NS  # from one press to the next


class Timetable:
    """A list of presses, built one after another."""

    def __init__(self) -> None:
        self._at_ns = 0
        self._moves: list[PlungerMove] = []

    def press(self, button: Button, gap_ns: int = GAP_NS) -> Self:
        """Add a press that takes effect as the button goes down, `gap_ns` after the last effect."""
        self._at_ns += gap_ns
        return self._add(button, TAP_NS)

    def click(self, button: Button, gap_ns: int = GAP_NS) -> Self:
        """Add a press that takes effect as the button comes up, as the centre's between turns."""
        self.press(button, gap_ns)
        self._at_ns += TAP_NS
        return self

    def _add(self, button: Button, held_ns: int) -> Self:
        self._moves += [
            move._replace(after_ns=self._at_ns + move.after_ns) for move in pressed(button, held_ns)
        ]
        return self

    @property
    def moves(self) -> list[PlungerMove]:
        """All moves in the order of their instants."""
        return sorted(self._moves)
