"""Late players: how late they are, what it costs, and what of that is still open.

The clock counts the points for lateness; only the tournament director gives or waives them.
"""

import sys

from msgspec import structs

from clock.match.events import CorrectedEvent, LateEvent
from clock.match.inputs import DIRECTOR, AbsenceNoted, LatenessWaived
from clock.match.rules import LateAward, Lateness, Rules
from clock.match.scoring import forfeits
from clock.match.state import Absence, LateAccount, MatchState, Pause, Step
from clock.match.types import Phase, Side

CLOCK = "clock"  # the value of `by` in events of steps that the clock counts


# --- counting -----------------------------------------------------------------------------------


def note_absence(state: MatchState, ruling: AbsenceNoted) -> Step:
    """Count a player's lateness from now on, or from `late_ns` ago (EBF 2.2(iv)).

    If it is being counted already, it is counted anew.
    """
    player, since_ns = state.players[ruling.side], ruling.at_ns - ruling.late_ns
    counted = player.absence.points if player.absence else 0
    account = player.late if player.absence else player.late.carried()
    points = _points_after(state, ruling.late_ns)
    if _costs_points(state):
        account = structs.replace(account, due=account.due - counted + points)
    state = state.with_player(ruling.side, absence=Absence(since_ns, points), late=account)
    return state, late_event(state, ruling.side, ruling.at_ns, DIRECTOR, ruling.late_ns)


def next_late_ns(state: MatchState) -> int | None:
    """Return the instant at which the next step of lateness is full; None if none is counted."""
    if state.pause is not None:
        return _step_full_ns(state, state.pause.end_ns(), state.pause.points)
    if state.phase not in (Phase.REVIEW, Phase.READY):
        return None
    steps = [_next_step_ns(state, side) for side in Side]
    return min((step for step in steps if step is not None), default=None)


def _next_step_ns(state: MatchState, side: Side) -> int | None:
    absence = state.players[side].absence
    return _step_full_ns(state, absence.since_ns, absence.points) if absence else None


def _step_full_ns(state: MatchState, due_ns: int, points: int) -> int | None:
    """Return the instant at which one more point than `points` is due; None if none ever is."""
    rules = state.settings.rules
    if points >= _most_steps(rules):
        return None
    return due_ns + (points + 1) * rules.late_step_ns


def _points_after(state: MatchState, late_ns: int) -> int:
    rules = state.settings.rules
    return min(late_ns // rules.late_step_ns, _most_steps(rules))


def _most_steps(rules: Rules) -> int:
    """Return how many steps of one lateness are counted."""
    match rules.lateness:
        case Lateness.POINTS | Lateness.EITHER:
            return sys.maxsize
        case Lateness.START_CLOCK:
            return 1
        case Lateness.NONE:
            return 0


def count_late_step(state: MatchState, at_ns: int) -> Step:
    """Count a full step of lateness: a point after 5 minutes, then every 5 (EBF 2.2(iv))."""
    if state.pause is not None:
        return _count_break_step(state, state.pause, at_ns)
    for side in Side:
        step_ns, absence = _next_step_ns(state, side), state.players[side].absence
        if absence and step_ns is not None and step_ns <= at_ns:
            absence = structs.replace(absence, points=absence.points + 1)
            state = _add_due(state.with_player(side, absence=absence), side, shared=0)
            return state, late_event(state, side, at_ns, CLOCK)
    return state, None


def _count_break_step(state: MatchState, pause: Pause, at_ns: int) -> Step:
    """Count a step after a break: for the player who took it, or for both if both did.

    The clock cannot know who is late; when the director says so, the points are that player's.
    """
    state = state.replace(pause=structs.replace(pause, points=pause.points + 1))
    if pause.late is not None:
        state = _add_due(state, pause.late, shared=0)
    else:
        for side in Side if pause.taker is None else (pause.taker,):
            state = _add_due(state, side, shared=1)
    return state, late_event(state, pause.late, at_ns, CLOCK)


def _add_due(state: MatchState, side: Side, shared: int) -> MatchState:
    if not _costs_points(state):
        return state
    late = state.players[side].late
    late = structs.replace(late, due=late.due + 1, shared=late.shared + shared)
    return state.with_player(side, late=late)


def _costs_points(state: MatchState) -> bool:
    match state.settings.rules.lateness:
        case Lateness.POINTS | Lateness.EITHER:
            return True
        case Lateness.START_CLOCK | Lateness.NONE:
            return False


# --- what is due, given and waived ---------------------------------------------------------------


def carry_open_points(state: MatchState) -> MatchState:
    """Begin another lateness: of the earlier ones only the points that are still open count."""
    for side in Side:
        state = state.with_player(side, late=state.players[side].late.carried())
    return state


def settle(state: MatchState, side: Side, points: int) -> MatchState:
    """Settle points for a player's lateness, which also says who was late from a break."""
    late, other = state.players[side].late, state.players[side.other].late
    if late.shared or other.shared:
        other = structs.replace(other, due=other.due - other.shared, shared=0)
        state = state.with_player(side.other, late=other)
        if state.pause is not None:
            state = state.replace(pause=structs.replace(state.pause, late=side))
    late = structs.replace(late, settled=late.settled + points, shared=0)
    return state.with_player(side, late=late)


def clock_for_points(state: MatchState, side: Side) -> MatchState:
    """Settle a player's open points if their clock is started in place of them (WBGF 2.2(iv))."""
    match state.settings.rules.lateness:
        case Lateness.EITHER:
            return settle(state, side, state.players[side].late.open)
        case Lateness.POINTS | Lateness.START_CLOCK | Lateness.NONE:
            return state


def waive(state: MatchState, ruling: LatenessWaived) -> Step:
    """Waive the points that are open for a player's lateness (EBF 2.2(iii))."""
    points = state.players[ruling.side].late.open
    if not points:
        return state, None
    state = settle(state, ruling.side, points)
    return state, CorrectedEvent("late_points", ruling.side, points, 0, reason=ruling.reason)


def late_player(state: MatchState) -> Side | None:
    """Return the side whose player is late, or who owes points for it; None: not known.

    Of a break it is the player who took it, unless both did.
    """
    if state.pause is not None and state.pause.late is not None:
        return state.pause.late
    for candidates in (
        [side for side in Side if state.players[side].absence],
        [side for side in Side if state.players[side].late.open],
    ):
        if len(candidates) == 1:
            return candidates[0]
    return state.pause.taker if state.pause is not None else None


def late_event(
    state: MatchState, side: Side | None, at_ns: int, by: str, late_ns: int = 0
) -> LateEvent:
    """Return the event for a late player; `by` is `director` or `clock`, as in `LateEvent.by`.

    `side` is None after a break, when the clock cannot know who is late. `late_ns` is how late the
    player was already when the director noted it.
    """
    due_ns = next_late_ns(state) if side is None or state.pause else _next_step_ns(state, side)
    next_ns = None if due_ns is None else due_ns - at_ns
    award = _award(state.settings.rules)
    taker = state.pause.taker if state.pause else None
    event = LateEvent(side, 0, award, by, False, 0, late_ns, next_ns, taker)  # noqa: FBT003
    match state.settings.rules.lateness:
        case Lateness.START_CLOCK:
            return event
        case Lateness.POINTS | Lateness.EITHER | Lateness.NONE:
            return _with_points(state, event)


def _award(rules: Rules) -> str:
    """Return what a full step of lateness leads to, as in `LateEvent.award`."""
    match rules.lateness:
        case Lateness.START_CLOCK:
            return rules.lateness.value
        case Lateness.POINTS | Lateness.EITHER | Lateness.NONE:
            match rules.late_award:
                case LateAward.MAY | LateAward.SHALL:
                    return rules.late_award.value


def _with_points(state: MatchState, event: LateEvent) -> LateEvent:
    side = event.side
    account = state.players[side].late if side else _break_account(state)
    penalties = state.players[side].penalty_points if side else 0
    lost = forfeits(state, penalties + account.open)
    return structs.replace(event, points=account.due, forfeits=lost, settled=account.settled)


def _break_account(state: MatchState) -> LateAccount:
    return LateAccount(due=state.pause.points if state.pause else 0)
