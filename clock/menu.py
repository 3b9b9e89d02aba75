"""The director's menu as data: each item's entries, and the act that they make.

The one rule: an item is offered only in a phase in which the machine carries its act out.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from clock import inputs
from clock.director import BONUS
from clock.display_time import clock_text
from clock.forms import Choice, Entry, Number, Option, Time
from clock.inputs import Act
from clock.machine import ACTS
from clock.match import MatchState
from clock.phases import Crawford, NextDelay, Phase, ResumeWith
from clock.rules import MAX_LENGTH, MINUTE_NS, BothFlags, Gin, Reason
from clock.sides import Side

Values = tuple[Any, ...]  # of the entries made so far, in their order
MakeEntry = Callable[[MatchState, Values], Entry]

MOST_POINTS = 64
MOST_BREAKS = 9


class Item(NamedTuple):
    """One line of the menu."""

    name: str  # a key of the language table
    entries: tuple[MakeEntry, ...]
    act: Callable[[MatchState, int, Values], Act]
    kind: type[Act]
    possible: Callable[[MatchState], bool] = lambda _: True


def items(state: MatchState) -> tuple[Item, ...]:
    """What the director can do now; what the rules propose in this situation comes first."""
    offered = [item for item in MENU if state.phase in ACTS[item.kind][0] and item.possible(state)]
    first = proposals(state)
    offered.sort(key=lambda item: first.index(item.name) if item.name in first else len(first))
    return tuple(offered)


def proposals(state: MatchState) -> tuple[str, ...]:
    """The items that the rules call for, most likely first."""
    if state.phase is Phase.FINISHED:
        return ("new_match", "reopen")
    if state.phase is Phase.GAME_OVER:
        return ("reopen",)
    if state.flags_down == len(Side):
        both = state.settings.rules.both_flags
        return ("reset_banks" if both is BothFlags.RESET else "no_clock", "end_match", "resume")
    if state.flags_down:
        return ("end_match", "resume", "set_time")
    if state.held and state.reason is Reason.NOT_DECIDED:  # NBgF 4-3-2
        return ("add_time", "resume")
    if any(player.absence and player.absence.points for player in state.players):
        return ("penalty", "absent_clock", "end_match")
    return ("resume",) if state.phase is Phase.STOPPED else ("approve",)


# --- the entries ------------------------------------------------------------------------------


def _side(name: str, prefer: Callable[[MatchState], Side | None] = lambda _: None) -> MakeEntry:
    def make(state: MatchState, _: Values) -> Choice:
        options = tuple(Option(side, side.value) for side in Side)
        return Choice(name, options, 1 if prefer(state) is Side.RIGHT else 0)

    return make


def _one_of(name: str, *options: tuple[object, str]) -> MakeEntry:
    choices = tuple(Option(value, label) for value, label in options)
    return lambda _state, _values: Choice(name, choices)


def _number(name: str, start: Callable[[MatchState, Values], int], highest: int) -> MakeEntry:
    return lambda state, values: Number(name, start(state, values), 0, highest)


def _mover(state: MatchState) -> Side | None:
    return state.turn.side if state.turn else None


def _flagged(state: MatchState) -> Side | None:
    fallen = [(player.flag.order, side) for side in Side if (player := state.players[side]).flag]
    return min(fallen)[1] if fallen else None


def _awaited(state: MatchState) -> Side | None:
    return next((side for side in Side if state.players[side].absence), None)


def _why_time(state: MatchState, _: Values) -> Choice:
    """Why a reserve is changed; the rule that speaks of the present situation first."""
    whys = ["director", "restored", "best_estimate", "time_penalty", "not_decided"]
    if state.held and state.reason is Reason.NOT_DECIDED:
        whys.reverse()
    return Choice("why", tuple(Option(why, f"why_{why}") for why in whys))


def _added_time(state: MatchState, _: Values) -> Time:
    granted = state.reason is Reason.NOT_DECIDED and state.held
    return Time.of("time", state.settings.rules.not_decided_ns if granted else 0)


def _press(state: MatchState, values: Values) -> Choice:
    """The presses that time can be given back to, latest first, with the reserve at each."""
    reserves = [press.reserves[values[0]] for press in reversed(state.recent)]
    options = [
        Option(left_ns, f"=-{back}: {clock_text(left_ns)}") for back, left_ns in enumerate(reserves, 1)
    ]
    return Choice("since_press", tuple(options))


def _resume_delay(state: MatchState, values: Values) -> Choice:
    kinds = list(ResumeWith)
    if state.turn is None or values[0] is not state.turn.side:
        kinds.remove(ResumeWith.REST)
    return Choice("delay", tuple(Option(kind, f"resume_{kind.value}") for kind in kinds))


def _winner(state: MatchState, _: Values) -> Choice:
    flagged = _flagged(state)
    options = (Option(Side.LEFT, "left"), Option(Side.RIGHT, "right"), Option(None, "nobody"))
    return Choice("winner", options, 1 if flagged is Side.LEFT else 0)


def end_reasons(state: MatchState, winner: Side | None) -> tuple[str, ...]:
    """Why the director may end the match for this winner.

    The gin exception only where the rules have it (EBF and DBgF 4.3(iii), NBgF 4-3-3).
    """
    whys = ["late", "forfeit", "director"]
    if winner is not None and state.players[winner.other].flag:
        whys.insert(0, "time")
    if winner is not None and gin_possible(state, winner):
        whys.insert(0, "gin")
    return tuple(whys)


def gin_possible(state: MatchState, winner: Side) -> bool:
    """Whether the rules let this player win in a certain winning position after a flag."""
    flagged, both = state.players[winner].flag is not None, state.flags_down == len(Side)
    match state.settings.rules.gin:
        case Gin.NEVER:
            return False
        case Gin.BOTH_FLAGS | Gin.BOTH_FLAGS_FLAGGED:
            return both
        case Gin.FLAGGED_PLAYER:
            return flagged


def _end_why(state: MatchState, values: Values) -> Choice:
    whys = end_reasons(state, values[0])
    return Choice("why", tuple(Option(why, f"end_{why}") for why in whys))


# --- the menu ---------------------------------------------------------------------------------


def _added(state: MatchState, at_ns: int, values: Values) -> Act:
    side, sign, time_ns, why = values
    new_ns = max(0, state.reserve_ns(side, at_ns) + sign * time_ns)
    return inputs.TimeSet(at_ns, side, new_ns, why)


def _limited_overtime(state: MatchState, _: Values) -> Time:
    return Time.of("time", state.settings.rules.overtime_ns or MINUTE_NS)


MENU: tuple[Item, ...] = (
    Item("approve", (), lambda _, at, v: inputs.Approved(at), inputs.Approved),
    Item(
        "resume",
        (_side("clock_of", _mover), _resume_delay),
        lambda _, at, v: inputs.TurnResumed(at, *v),
        inputs.TurnResumed,
    ),
    Item(
        "set_time",
        (
            _side("clock_of", _mover),
            lambda state, v: Time.of("time", state.reserve_ns(v[0], state.at_ns)),
            _why_time,
        ),
        lambda _, at, v: inputs.TimeSet(at, *v),
        inputs.TimeSet,
    ),
    Item(
        "add_time",
        (_side("clock_of", _mover), _one_of("sign", (1, "plus"), (-1, "minus")), _added_time, _why_time),
        _added,
        inputs.TimeSet,
    ),
    Item(
        "give_back",
        (_side("clock_of", _mover), _press),
        lambda _, at, v: inputs.TimeSet(at, v[0], v[1], "given_back"),
        inputs.TimeSet,
        lambda state: bool(state.recent),
    ),
    Item(
        "flag",
        (
            _side("flag_of", _flagged),
            _one_of("flag", (0, "flag_none"), (1, "flag_first"), (2, "flag_second")),
        ),
        lambda _, at, v: inputs.FlagSet(at, *v),
        inputs.FlagSet,
    ),
    Item(
        "overtime",
        (_side("clock_of", _flagged), _limited_overtime),
        lambda _, at, v: inputs.OvertimeGranted(at, *v),
        inputs.OvertimeGranted,
    ),
    Item(
        "next_delay",
        (
            _side("clock_of", _mover),
            _one_of("delay", *((delay, f"delay_{delay.value}") for delay in NextDelay)),
        ),
        lambda _, at, v: inputs.DelayRuled(at, *v),
        inputs.DelayRuled,
    ),
    Item(
        "penalty",
        (
            _side("against", _awaited),
            _number("points", lambda s, v: _proposed(s, v[0]), MOST_POINTS),
            _one_of("why", *((why, f"why_{why}") for why in ("late", "slow_play", "conduct"))),
        ),
        lambda _, at, v: inputs.PointsAwarded(at, *v),
        inputs.PointsAwarded,
    ),
    Item(
        "bonus",
        (_side("for"), _number("points", lambda s, v: 1, MOST_POINTS)),
        lambda _, at, v: inputs.PointsAwarded(at, v[0].other, v[1], BONUS),
        inputs.PointsAwarded,
    ),
    Item(
        "score",
        (
            _side("score_of"),
            lambda state, v: Number("points", min(state.score[v[0]], state.length), 0, state.length),
        ),
        lambda _, at, v: inputs.ScoreSet(at, *v),
        inputs.ScoreSet,
    ),
    Item(
        "length",
        (
            lambda state, v: Number("length", state.length, 1, MAX_LENGTH),
            _one_of("banks", (True, "banks_adjust"), (False, "banks_keep")),
        ),
        lambda _, at, v: inputs.LengthSet(at, *v),
        inputs.LengthSet,
        lambda state: state.turn is None,
    ),
    Item("shorten", (), lambda _, at, v: inputs.MatchShortened(at), inputs.MatchShortened),
    Item(
        "crawford",
        (_one_of("crawford", *((status, f"crawford_{status.value}") for status in Crawford)),),
        lambda _, at, v: inputs.CrawfordSet(at, *v),
        inputs.CrawfordSet,
    ),
    Item(
        "breaks",
        (
            _side("breaks_of"),
            _number("breaks_taken", lambda s, v: s.players[v[0]].breaks_taken, MOST_BREAKS),
        ),
        lambda _, at, v: inputs.BreaksSet(at, *v),
        inputs.BreaksSet,
    ),
    Item(
        "absent",
        (_side("absent_player"),),
        lambda _, at, v: inputs.AbsenceNoted(at, *v),
        inputs.AbsenceNoted,
    ),
    Item(
        "absent_clock",
        (_side("absent_player", _awaited),),
        lambda _, at, v: inputs.AbsentClockStarted(at, *v),
        inputs.AbsentClockStarted,
    ),
    Item("reset_banks", (), lambda _, at, v: inputs.BanksReset(at), inputs.BanksReset),
    Item("swap", (), lambda _, at, v: inputs.SidesSwapped(at), inputs.SidesSwapped),
    Item("no_clock", (), lambda _, at, v: inputs.ClockRemoved(at), inputs.ClockRemoved),
    Item(
        "end_match",
        (_winner, _end_why),
        lambda _, at, v: inputs.MatchEnded(at, *v),
        inputs.MatchEnded,
    ),
    Item("reopen", (), lambda _, at, v: inputs.Reopened(at), inputs.Reopened),
    Item("new_match", (), lambda _, at, v: inputs.MatchWanted(at), inputs.MatchWanted),
)


def _proposed(state: MatchState, side: Side) -> int:
    """The points that lateness has come to; the director may change them (DBgF 2.2(iii))."""
    absence = state.players[side].absence
    return max(1, absence.points) if absence else 1
