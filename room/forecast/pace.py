"""How long the turns of a match were, folded from what its log says.

A turn counts when a press ends it. Turns off the clock, and the last one of a game, do not.
"""

from collections.abc import Sequence
from typing import NamedTuple

from clock.match.events import PressedEvent, Record, UndoneEvent, swaps_sides
from clock.match.state import MatchState
from clock.match.types import Pair
from clock.units import SECOND_NS

LONGEST_S = 120  # longer turns count as this long where the middle one is looked for


class SidePace(NamedTuple):
    """The turns of one player so far."""

    turns: int = 0
    used_ns: int = 0  # playing time of these turns, delay included
    beyond_ns: int = 0  # the part of it that the reserve paid
    seconds: tuple[int, ...] = (0,) * (LONGEST_S + 1)  # how many turns took so many whole seconds

    def after(self, used_ns: int, beyond_ns: int) -> "SidePace":
        """Return the pace after one more turn."""
        place = min(used_ns // SECOND_NS, LONGEST_S)
        seconds = (*self.seconds[:place], self.seconds[place] + 1, *self.seconds[place + 1 :])
        return SidePace(self.turns + 1, self.used_ns + used_ns, self.beyond_ns + beyond_ns, seconds)


class MatchPace(NamedTuple):
    """The turns of a match so far."""

    sides: Pair[SidePace] = Pair(SidePace(), SidePace())
    game_turns: int = 0  # of the game that is played
    latest_turns: int = 0  # of the game before it, until that cannot be taken back any more


def follow_pace(
    pace: MatchPace, before: MatchState | None, record: Record, after: MatchState
) -> MatchPace:
    """Return the pace after one more line of an undamaged log.

    Args:
        pace: before it.
        before: the match before it; None: it is the log's first line.
        record: what the line says.
        after: the match after it.
    """
    turn = before and before.turn
    match record.event:
        case PressedEvent() if turn and after.turn and turn.side is not after.turn.side:
            if turn.free:
                return pace
            used_ns, beyond_ns = turn.elapsed_ns(after.at_ns), turn.reserve_used_ns(after.at_ns)
            sides = pace.sides.update(turn.side, lambda side: side.after(used_ns, beyond_ns))
            return MatchPace(sides, pace.game_turns + 1)
        case UndoneEvent() if not turn and after.turn:
            return pace._replace(game_turns=pace.latest_turns)
        case event if swaps_sides(event):
            return pace._replace(sides=pace.sides.swapped())
        case _ if turn and not after.turn:
            return pace._replace(game_turns=0, latest_turns=pace.game_turns)
        case _:
            return pace


def middle_s(seconds: Sequence[int]) -> float:
    """Return the middle turn of some, in seconds.

    Args:
        seconds: how many turns took 0, 1, 2 .. whole seconds.
    """
    half = sum(seconds) / 2.0
    for second, count in enumerate(seconds):
        if count and half <= count:
            return second + half / count
        half -= count
    return 0.0
