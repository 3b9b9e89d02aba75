"""What the items of the director's menu ask for: who, how much, why.

Each function makes an entry for the match as it stands, beginning with what is most likely meant.
The one rule: an option that the rules do not know is not offered (R47).
"""

from collections.abc import Callable
from typing import Any

from clock.match.time_format import clock_text
from clock.ui.forms import Choice, Entry, Number, Option, Time
from clock.match.ledger import forfeits
from clock.match.state import MatchState
from clock.match.phases import ResumeWith
from clock.match.rules import MINUTE_NS, Gin, Reason
from clock.match.sides import Side

Values = tuple[Any, ...]  # of the entries made so far, in their order
MakeEntry = Callable[[MatchState, Values], Entry]


def side_entry(
    name: str, prefer: Callable[[MatchState], Side | None] = lambda _: None
) -> MakeEntry:
    """One of the two sides, beginning with the one that is probably meant."""

    def make(state: MatchState, _: Values) -> Choice:
        options = tuple(Option(side, side.value) for side in Side)
        return Choice(name, options, 1 if prefer(state) is Side.RIGHT else 0)

    return make


def one_of(name: str, *options: tuple[object, str]) -> MakeEntry:
    """One of several values, each with its key in the language table."""
    choices = tuple(Option(value, label) for value, label in options)
    return lambda _state, _values: Choice(name, choices)


def number_entry(name: str, start: Callable[[MatchState, Values], int], highest: int) -> MakeEntry:
    """A number from 0."""
    return lambda state, values: Number(name, start(state, values), 0, highest)


def mover(state: MatchState) -> Side | None:
    """The side whose turn is on the clock."""
    return state.turn.side if state.turn else None


def awaited(state: MatchState) -> Side | None:
    """The side whose player is late."""
    return next((side for side in Side if state.players[side].absence), None)


def why_time(state: MatchState, _: Values) -> Choice:
    """Why a reserve is changed; the rule that speaks of the present situation first."""
    whys = ["director", "restored", "best_estimate", "time_penalty", "not_decided"]
    if state.held and state.reason is Reason.NOT_DECIDED:
        whys.reverse()
    return Choice("why", tuple(Option(why, f"why_{why}") for why in whys))


def added_time(state: MatchState, _: Values) -> Time:
    """How much time; for a game that was not decided what the rules give (NBgF 4-3-2)."""
    granted = state.reason is Reason.NOT_DECIDED and state.held
    return Time.of("time", state.settings.rules.not_decided_ns if granted else 0)


def press_entry(state: MatchState, values: Values) -> Choice:
    """The presses that time can be given back to, latest first, with the reserve at each.

    Of presses between which the player was not on the clock, the latest stands for all.
    """
    reserves: dict[int, int] = {}
    for back, press in enumerate(reversed(state.recent), 1):
        reserves.setdefault(press.reserves[values[0]], back)
    options = [
        Option(left_ns, f"=-{back}: {clock_text(left_ns)}") for left_ns, back in reserves.items()
    ]
    return Choice("since_press", tuple(options))


def resume_delay(state: MatchState, values: Values) -> Choice:
    """With what delay a clock starts; exactly as it was only if that side was on the clock."""
    kinds = list(ResumeWith)
    if state.turn is None or values[0] is not state.turn.side:
        kinds.remove(ResumeWith.REST)
    return Choice("delay", tuple(Option(kind, f"resume_{kind.value}") for kind in kinds))


def loser(state: MatchState) -> Side | None:
    """Whose flag fell first, else who has too many penalty points, else who is late."""
    lost = (side for side in Side if forfeits(state, state.players[side].penalty_points))
    return state.first_flagged or next(lost, None) or awaited(state)


def winner_entry(state: MatchState, _: Values) -> Choice:
    """Who wins, beginning with the opponent of the one who seems to have lost."""
    options = (Option(Side.LEFT, "left"), Option(Side.RIGHT, "right"), Option(None, "nobody"))
    return Choice("winner", options, 1 if loser(state) is Side.LEFT else 0)


def end_reasons(state: MatchState, winner: Side | None) -> tuple[str, ...]:
    """Why the director may end the match for this winner, most likely first.

    The gin exception only where the rules have it (EBF and DBgF 4.3(iii), NBgF 4-3-3).
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
    """Whether the rules let this player win in a certain winning position after a flag."""
    own, both = state.players[winner].flag is not None, state.flags_down == len(Side)
    match state.settings.rules.gin:
        case Gin.NEVER:
            return False
        case Gin.BOTH_FLAGS | Gin.BOTH_FLAGS_FLAGGED:
            return both
        case Gin.FLAGGED_PLAYER:
            return own


def end_why(state: MatchState, values: Values) -> Choice:
    """Why the match ends."""
    whys = end_reasons(state, values[0])
    return Choice("why", tuple(Option(why, f"end_{why}") for why in whys))


def overtime_entry(state: MatchState, _: Values) -> Time:
    """How much overtime."""
    return Time.of("time", state.settings.rules.overtime_ns or MINUTE_NS)


def proposed_points(state: MatchState, side: Side) -> int:
    """The points that lateness has come to; the director may change them (DBgF 2.2(iii)).

    After a break who is late the clock cannot know: it proposes the same for both.
    """
    wait = state.pause or state.players[side].absence
    return max(1, wait.points) if wait else 1
