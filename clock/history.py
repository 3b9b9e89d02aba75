"""A log as a row of moments: what happened, where the match stood before and after, how much was played.

Two things of a log are awkward for whoever counts: instants begin anew with each boot, and players
change sides. Both are put right here and nowhere else. The one rule: time counts as played only as
far as the log proves it.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from clock.codec import Line, decode
from clock.events import AnyEvent, CorrectedEvent, RestoredEvent
from clock.match import MatchState
from clock.replay import replayed_lines
from clock.sides import Pair, Side
from clock.summary import Stamp
from clock.timecontrol import Turn


class Standing(NamedTuple):
    """A match at one instant, seen by players instead of sides."""

    state: MatchState
    raw_ns: int  # on that boot's clock
    swapped: bool

    def player(self, side: Side) -> Side:
        """Who sits on a side; and as well, where a player sits."""
        return side.other if self.swapped else side

    def by_player[T](self, sides: Pair[T]) -> Pair[T]:
        """What belongs to the sides, by players."""
        return sides.swapped() if self.swapped else sides

    @property
    def running(self) -> Side | None:
        """The player whose clock runs."""
        return self.state.running and self.player(self.state.running)

    @property
    def reserves(self) -> Pair[int]:
        """What each player has left."""
        left, right = (self.state.reserve_ns(side, self.raw_ns) for side in Side)
        return self.by_player(Pair(left, right))

    @property
    def names(self) -> Pair[str]:
        """Who is on the left, who on the right."""
        return self.state.names.map(printable)
