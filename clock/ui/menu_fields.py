"""The entries of the director's menu: who, how much, why.

An entry is made for the match as it stands and begins with the most likely value. Options that the
profile's rules do not have are not offered (R47).
"""

from collections.abc import Callable
from itertools import starmap
from typing import Any

from clock.match.corrections import LATE
from clock.match.durations import clock_text
from clock.match.rules import Gin, Reason, Ruler, RulingReason
from clock.match.scoring import forfeits, game_kinds
from clock.match.state import MatchState, crawford_is_open
from clock.match.turns import fresh
from clock.match.types import Crawford, NextDelay, Pair, Phase, ResumeWith, Side
from clock.ui.forms import UNSET, Change, Choice, Entry, Number, Option, Time
from clock.ui.i18n import LANGUAGE_NAMES, LINE_LENGTH
from clock.ui.names import UNNAMED, both_names
from clock.units import MINUTE_NS

Values = tuple[Any, ...]  # of the entries completed so far, in order
MakeEntry = Callable[[MatchState, Values], Entry | None]
"""Makes an entry; None if it is not asked for now."""
MakeChoice = Callable[[MatchState, Values], Choice]

MOST_LATE_MINUTES = 90
TIME_PENALTY = "time_penalty"  # why, of time that is taken
MOST_POINTS = 64

LEFT_OR_RIGHT = tuple(Option(side, side.value) for side in Side)


def side_entry(
    name: str,
    prefer: Callable[[MatchState], Side | None] = lambda _: None,
    among: Callable[[MatchState, Side], object] = lambda _state, _side: True,
) -> MakeChoice:
    """Return an entry of a side that begins with the preferred one, or with neither (R89).

    Each plunger chooses its side, and the centre takes the one that is chosen (R210). `among` says
    whether a side can be chosen; if only one can, no other is offered.
    """

    def make(state: MatchState, _: Values) -> Choice:
        sides = [side for side in Side if among(state, side)]
        if len(sides) == 1:
            return Choice(name, (Option(sides[0], sides[0].value),))
        side = prefer(state)
        if side is None:
            return Choice.between(name, *LEFT_OR_RIGHT)
        return Choice(name, LEFT_OR_RIGHT, 1 if side is Side.RIGHT else 0)

    return make


def one_of(name: str, *options: tuple[object, str]) -> MakeChoice:
    """Return an entry of one of several values, each given with the key of its text."""
    choices = tuple(Option(value, label) for value, label in options)
    return lambda _state, _values: Choice(name, choices)


def number_entry(
    name: str, start: Callable[[MatchState, Values], int], highest: int
) -> Callable[[MatchState, Values], Number]:
    """Return an entry of a number from 0 to `highest`."""
    return lambda state, values: Number(name, start(state, values), 0, highest)


def mover(state: MatchState) -> Side | None:
    """Return the side whose turn it is."""
    return state.turn.side if state.turn else None


def time_reason_entry(state: MatchState, _: Values) -> Choice:
    """Return an entry of the reason for changing a time; an undecided game may be the first.

    The director's own reasons follow (R114); each is a pair, of why and of that reason.
    """
    whys = ["director", "restored", "best_estimate", TIME_PENALTY, "not_decided"]
    if state.held and state.reason is Reason.NOT_DECIDED:
        whys.reverse()
    own = [Option(("director", reason), f"why_{reason.value}") for reason in RulingReason]
    return Choice("why", (*(Option((why, None), f"why_{why}") for why in whys), *own))


def penalty_reason_entry(state: MatchState, values: Values) -> Choice | None:
    """Return an entry of the reason for a time penalty, which must be given; None for others."""
    is_penalty = values[-1] == (TIME_PENALTY, None)
    return reason_entry(lambda _: True)(state, values) if is_penalty else None


def added_time_entry(state: MatchState, _: Values) -> Change:
    """Return an entry of the time to add: at first 0, or what NBgF 4-3-2 awards."""
    granted = state.reason is Reason.NOT_DECIDED and state.held
    return Change.of("time", state.settings.rules.not_decided_ns if granted else 0)


def reserves_to_give_back(state: MatchState, side: Side) -> dict[int, int]:
    """Return a side's reserve as each of the last turns began, and how many turns ago that was.

    The turn on the clock comes first; of turns with the same reserve only the latest is there, and
    none from before a ruling that changed this reserve or the match length (EBF 3.5(vi)).
    """
    reserves: dict[int, int] = {}
    for back, begin in enumerate(reversed(state.recent), 1):
        left_ns = begin.reserves[side]
        if left_ns is not None:
            reserves.setdefault(left_ns, back)
    return reserves


def press_entry(state: MatchState, values: Values) -> Choice:
    """Return an entry of the turns to go back to, latest first, with the reserve at each begin."""
    reserves = reserves_to_give_back(state, values[0])
    options = [
        Option(left_ns, f"=-{back}: {clock_text(left_ns)}", back)
        for left_ns, back in reserves.items()
    ]
    return Choice("since_press", tuple(options))


CRAWFORD_GAMES = (
    Option(Crawford.DONE, "crawford_done"),
    Option(Crawford.NOW, "crawford_now"),
    Option(Crawford.BEFORE, "crawford_before"),
)


def crawford_entry(state: MatchState, _: Values) -> Choice:
    """Return an entry of the Crawford status, with nothing chosen at first: players must say (R91).

    With just one player one point away the game is this one, or has been played (R107).
    """
    answers = CRAWFORD_GAMES[: 2 if crawford_is_open(state.away) else None]
    return Choice.between("crawford", *answers)


def score_crawford_entry(state: MatchState, values: Values) -> Choice | None:
    """Return an entry of the Crawford status for a score that leaves it open; None if it does not.

    It does if just one player is one point away (EBF 4.4(iv)).
    """
    side, points = values
    away = state.away.put(side, state.length - points)
    return Choice.between("crawford", *CRAWFORD_GAMES[:2]) if crawford_is_open(away) else None


def resume_entry(state: MatchState, values: Values) -> Choice:
    """Return an entry of the delay to start with.

    "As it was" is offered for the turn on the clock, and for one that a reason has interrupted.
    """
    kinds = [kind for kind in ResumeWith if fresh(state, kind) is kind]
    exact = [turn for turn in (state.turn, state.interrupted) if turn and turn.side is values[0]]
    if not exact:
        kinds.remove(ResumeWith.REST)
    elif exact[0].free:  # as it was is off the clock
        kinds.remove(ResumeWith.FREE)
    name = "delay" if state.settings.rules.delay_ns else "how"
    return Choice(name, tuple(Option(kind, f"resume_{kind.value}") for kind in kinds))


def likely_loser(state: MatchState) -> Side | None:
    """Return the side that has lost by the rules: too many penalty points, or the first flag.

    None: neither has, or the order of two flags is not known.
    """
    for side in Side:
        if forfeits(state, state.players[side].penalty_points):
            return side
    orders = {player.flag.order for player in state.players if player.flag}
    return state.first_flagged if len(orders) == state.flags_down else None


def _likely_winner(state: MatchState) -> Side | None:
    loser = likely_loser(state)
    return loser and loser.other


winner_entry = side_entry("winner", _likely_winner)
"""At first neither, unless the rules name the loser (R89)."""


def end_reasons(state: MatchState, winner: Side | None) -> tuple[str, ...]:
    """Return why the director may end the match for this winner, most likely first.

    Gin is among them only where the rules have it (EBF and DBgF 4.3(iii), NBgF 4-3-3).
    """
    if winner is None:
        return ("director",)
    whys = ["director", "forfeit"]
    whys.insert(0 if _has_been_late(state, winner.other) else len(whys), "late")
    if gin_possible(state, winner):
        whys.insert(0, "gin")
    if state.players[winner.other].flag:
        gin_first = "gin" in whys and state.first_flagged is winner
        whys.insert(1 if gin_first else 0, "time")
    return tuple(whys)


def _has_been_late(state: MatchState, side: Side) -> bool:
    """Return whether a player is late or has been given points, which may lose the match."""
    player = state.players[side]
    return bool(player.absence or player.late.due or player.penalty_points)


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
    """Return an entry of the reason why the match ends for the winner entered before."""
    whys = end_reasons(state, values[0])
    return Choice("why", tuple(Option(why, f"end_{why}") for why in whys))


def overtime_entry(state: MatchState, _: Values) -> Time:
    """Return an entry of the overtime to grant: at first what the rules say, or a minute."""
    return Time.of("time", state.settings.rules.overtime_ns or MINUTE_NS)


def names_entry(state: MatchState, _: Values) -> Choice:
    """Return an entry of both players' names: exchanged, or as they are where nobody has one.

    `in_file` adds those of the settings file.
    """
    names = state.names if tuple(state.names) == UNNAMED else state.names.swapped()
    return Choice("names", (_named(names),), of_names=True)


def in_file(entry: Choice, state: MatchState, names: Pair[str]) -> Choice:
    """Return an entry of names that begins with those of the settings file, if they are others."""
    if names in (state.names, *(option.value for option in entry.options)):
        return entry
    others = (option for option in entry.options if option.value != state.names)
    return entry._replace(options=(_named(names), *others))


def _named(names: Pair[str]) -> Option:
    return Option(names, f"={both_names(names, LINE_LENGTH)}")


def language_entry(_state: MatchState, _values: Values) -> Choice:
    """Return an entry of the panels' language, each called as it calls itself (R133)."""
    named = (Option(key, f"={name}") for key, name in LANGUAGE_NAMES.items())
    return Choice("language", tuple(named))


def late_minutes_entry(state: MatchState, _: Values) -> Number:
    """Return an entry of the minutes that a player is late already (R98)."""
    return Number("late_minutes", 0, 0, MOST_LATE_MINUTES)


OFFENCES = tuple(
    Option(reason.value, f"why_{reason.value}")
    for reason in (
        RulingReason.LATE,
        RulingReason.SLOW_PLAY,
        RulingReason.CONDUCT,
        RulingReason.ILLEGAL_MOVE,
        RulingReason.DICE,
        RulingReason.CLOCK,
        RulingReason.OTHER,
    )
)
REASONS = tuple(Option(reason, f"why_{reason.value}") for reason in RulingReason)
NO_REASON = Option(None, "=-")


def offence_entry(state: MatchState, values: Values) -> Choice:
    """Return an entry of what a player is warned or penalised for (R113, R114).

    It begins with lateness only where points for it are open.
    """
    late = state.players[values[0]].late.open
    return Choice("why", OFFENCES, 0 if late else 1)


def penalty_entry(state: MatchState, values: Values) -> Choice:
    """Return an entry of a warning or of penalty points; a first offence begins with the warning.

    There is no warning for lateness: it begins with the points that are open (EBF 2.2(iv)).
    """
    side, why = values
    player = state.players[side]
    points = tuple(Option(n, f"={n}") for n in range(1, MOST_POINTS + 1))
    if why == LATE:
        return Choice("points", points, max(0, player.late.open - 1))
    warning = Option(0, "warning_given", player.warnings)
    return Choice("points", (warning, *points), 1 if why in player.warned_for else 0)


BANKS = Choice("banks", tuple(starmap(Option, ((True, "banks_adjust"), (False, "banks_keep")))))


def banks_entry(state: MatchState, _: Values) -> Choice | None:
    """Return an entry of whether points before the first game change both players' times (R119)."""
    rules = state.settings.rules
    if not state.before_first_game or not rules.penalty_points_score or rules.pace:
        return None
    return BANKS


def reason_entry(
    is_asked_for: Callable[[Values], bool] = lambda _: False,
) -> Callable[[MatchState, Values], Choice | None]:
    """Return an entry of the director's reason, which begins with none (EBF 5.5(i), R114).

    Before the match nothing is ruled: what is entered is the settings. For some values entered
    before, the rules demand a reason.
    """

    def make(state: MatchState, values: Values) -> Choice | None:
        if is_asked_for(values):
            return Choice("why", (UNSET, *REASONS))
        return None if state.phase is Phase.REVIEW else Choice("why", (NO_REASON, *REASONS))

    return make


def decision_reason_entry(state: MatchState, values: Values) -> Choice | None:
    """Return an entry of the reason for the director's decision; None for other ends of a match."""
    winner, why = values
    if why != "director":
        return None
    return reason_entry(lambda _: winner is not None)(state, values)


def ruler_entry(_state: MatchState, _values: Values) -> Choice:
    """Return an entry of who rules, where the settings want it recorded."""
    return Choice("ruler", tuple(Option(each, each.value) for each in Ruler))


def cube_entry(state: MatchState, _: Values) -> Choice | None:
    """Return an entry of cube and gammon; None if only one answer fits the points."""
    kinds = game_kinds(state)
    options = (Option((cube, kind), f"won_{kind.value}", cube) for cube, kind in kinds)
    return Choice("cube", tuple(options)) if len(kinds) > 1 else None


def delay_entry(state: MatchState, values: Values) -> Choice:
    """Return an entry of the delay of the next turn, or of the stopped one (R111)."""
    options = tuple(Option(delay, f"delay_{delay.value}") for delay in NextDelay)
    turn = state.turn
    if turn is not None and turn.side is values[0]:
        for delay in (NextDelay.FULL, NextDelay.SKIP):
            options = (*options, Option((delay, True), f"this_delay_{delay.value}"))
    return Choice("delay", options)
