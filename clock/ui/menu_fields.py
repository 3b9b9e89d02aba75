"""The entries of the director's menu: who, how much, why.

An entry is made for the match as it stands and begins with the most likely value. Options that the
profile's rules do not have are not offered (R47).
"""

from collections.abc import Callable
from typing import Any

from clock.match.durations import clock_text
from clock.match.rules import MINUTE_NS, Gin, Reason
from clock.match.scoring import forfeits
from clock.match.state import MatchState
from clock.match.types import ResumeWith, Side
from clock.ui.forms import Choice, Entry, Number, Option, Time

Values = tuple[Any, ...]  # of the entries completed so far, in order
MakeEntry = Callable[[MatchState, Values], Entry]


def side_entry(
    name: str, prefer: Callable[[MatchState], Side | None] = lambda _: None
) -> MakeEntry:
    """Return an entry of a side that begins with the preferred one, or with the left."""

    def make(state: MatchState, _: Values) -> Choice:
        options = tuple(Option(side, side.value) for side in Side)
        return Choice(name, options, 1 if prefer(state) is Side.RIGHT else 0)

    return make


def one_of(name: str, *options: tuple[object, str]) -> MakeEntry:
    """Return an entry of one of several values, each with the key of its text."""
    choices = tuple(Option(value, label) for value, label in options)
    return lambda _state, _values: Choice(name, choices)


def number_entry(name: str, start: Callable[[MatchState, Values], int], highest: int) -> MakeEntry:
    """Return an entry of a number from 0 to `highest`."""
    return lambda state, values: Number(name, start(state, values), 0, highest)


def mover(state: MatchState) -> Side | None:
    """Return the side whose turn it is."""
    return state.turn.side if state.turn else None


def late_side(state: MatchState) -> Side | None:
    """Return the side whose player is late."""
    return next((side for side in Side if state.players[side].absence), None)


def time_reason_entry(state: MatchState, _: Values) -> Choice:
    """Return an entry of why a time is changed; an undecided game comes first if it is one."""
    whys = ["director", "restored", "best_estimate", "time_penalty", "not_decided"]
    if state.held and state.reason is Reason.NOT_DECIDED:
        whys.reverse()
    return Choice("why", tuple(Option(why, f"why_{why}") for why in whys))


def added_time_entry(state: MatchState, _: Values) -> Time:
    """Return an entry of time to add that begins at 0, or at the award of NBgF 4-3-2."""
    granted = state.reason is Reason.NOT_DECIDED and state.held
    return Time.of("time", state.settings.rules.not_decided_ns if granted else 0)


def press_entry(state: MatchState, values: Values) -> Choice:
    """Return an entry of the presses to go back to, latest first, with the reserve at each.

    Of presses with the same reserve only the latest is offered.
    """
    reserves: dict[int, int] = {}
    for back, press in enumerate(reversed(state.recent), 1):
        reserves.setdefault(press.reserves[values[0]], back)
    options = [
        Option(left_ns, f"=-{back}: {clock_text(left_ns)}") for left_ns, back in reserves.items()
    ]
    return Choice("since_press", tuple(options))


def resume_entry(state: MatchState, values: Values) -> Choice:
    """Return an entry of the delay to start with; "as it was" only for the side on move."""
    kinds = list(ResumeWith)
    if state.turn is None or values[0] is not state.turn.side:
        kinds.remove(ResumeWith.REST)
    return Choice("delay", tuple(Option(kind, f"resume_{kind.value}") for kind in kinds))


def likely_loser(state: MatchState) -> Side | None:
    """Return the side that flagged first, else has too many penalty points, else is late."""
    lost = (side for side in Side if forfeits(state, state.players[side].penalty_points))
    return state.first_flagged or next(lost, None) or late_side(state)


def winner_entry(state: MatchState, _: Values) -> Choice:
    """Return an entry of the winner that begins with the likely loser's opponent."""
    options = (Option(Side.LEFT, "left"), Option(Side.RIGHT, "right"), Option(None, "nobody"))
    return Choice("winner", options, 1 if likely_loser(state) is Side.LEFT else 0)


def end_reasons(state: MatchState, winner: Side | None) -> tuple[str, ...]:
    """Return why the director may end the match for this winner, most likely first.

    Gin is among them only where the rules have it (EBF and DBgF 4.3(iii), NBgF 4-3-3).
    """
    whys = ["late", "forfeit", "director"]
    if winner is None:
        return ("director",)
    if gin_possible(state, winner):
        whys.insert(0, "gin")
    if state.players[winner.other].flag:
        gin_first = "gin" in whys and state.first_flagged is winner
        whys.insert(1 if gin_first else 0, "time")
    return tuple(whys)


def gin_possible(state: MatchState, winner: Side) -> bool:
    """Return whether the rules let this player claim a certain win (gin) after a flag."""
    own, both = state.players[winner].flag is not None, state.flags_down == len(Side)
    match state.settings.rules.gin:
        case Gin.NEVER:
            return False
        case Gin.BOTH_FLAGS | Gin.BOTH_FLAGS_FLAGGED:
            return both
        case Gin.FLAGGED_PLAYER:
            return own


def end_reason_entry(state: MatchState, values: Values) -> Choice:
    """Return an entry of why the match ends for the winner entered before."""
    whys = end_reasons(state, values[0])
    return Choice("why", tuple(Option(why, f"end_{why}") for why in whys))


def overtime_entry(state: MatchState, _: Values) -> Time:
    """Return an entry of overtime that begins at the rules' own, or at a minute."""
    return Time.of("time", state.settings.rules.overtime_ns or MINUTE_NS)


def proposed_points(state: MatchState, side: Side) -> int:
    """Return the penalty points for the lateness so far, at least 1 (DBgF 2.2(iii)).

    After a break the clock cannot know who is late, so both sides get the same proposal.
    """
    wait = state.pause or state.players[side].absence
    return max(1, wait.points) if wait else 1
