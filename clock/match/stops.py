"""Stopping the clock: the reasons to stop, and what each one does when the centre carries it out.

A stop is never refused, and no reason changes what a turn has used.
"""

from collections.abc import Callable

from msgspec import structs

from clock.match import events
from clock.match.inputs import CentrePressed, Pressed
from clock.match.rules import DiceTaken, EarlyPickup, IllegalMove, Reason
from clock.match.state import MatchState, Step
from clock.match.turns import charge_turn, fresh, refuse, restart, resume, turn_on_clock
from clock.match.types import Button, NextDelay, Phase, ResumeWith, Side


def stop(state: MatchState, press: CentrePressed) -> Step:
    """RUNNING, FREE_TURN: stop the clock (EBF 4.3(ii)).

    If the clock ran for an absent player, they have come, and the opening roll is next
    (NBgF 2-2-4).
    """
    turn = turn_on_clock(state)
    event = events.StoppedEvent(Reason.UNSPECIFIED, state.running)
    if turn.absent:
        return charge_turn(state, press.at_ns).replace(phase=Phase.READY), event
    turn = turn.stopped(press.at_ns)
    return state.replace(phase=Phase.STOPPED, turn=turn, reason=Reason.UNSPECIFIED), event


def choose_reason(state: MatchState, pressed: Pressed) -> Step:
    """STOPPED: choose the previous reason (left plunger) or the next one (right)."""
    if state.held:
        return refuse(state, pressed.button, "director_needed")
    reasons = offered_reasons(state)
    here = reasons.index(state.reason) if state.reason in reasons else 0
    step = 1 if pressed.side is Side.RIGHT else -1
    reason = reasons[(here + step) % len(reasons)]
    return state.replace(reason=reason), events.ReasonShownEvent(reason, pressed.button)


def offered_reasons(state: MatchState) -> tuple[Reason, ...]:
    """Return the reasons to choose from; a double is one in a turn off the clock (NBgF 4-1-6)."""
    first, *others = state.settings.rules.reasons
    if state.flagless:
        others.remove(Reason.TIME_EXPIRED)
    doubles = (Reason.DOUBLE,) if _keeps_free_turn(state) else ()
    return (first, *doubles, *others)


def end_game_without_clock(state: MatchState, _: CentrePressed) -> Step:
    """NO_CLOCK: let the players enter the points of a game (R118)."""
    return state.replace(phase=Phase.GAME_OVER), events.ReasonChosenEvent(Reason.GAME_OVER)


def carry_out(state: MatchState, press: CentrePressed) -> Step:
    """STOPPED: do what the chosen reason demands."""
    if state.held:
        return refuse(state, Button.CENTRE, "director_needed")
    return _reason_handler(state.reason)(state, press.at_ns)


def _reason_handler(reason: Reason) -> Callable[[MatchState, int], Step]:  # noqa: C901
    match reason:
        case Reason.UNSPECIFIED | Reason.DIRECTOR_CALLED | Reason.DIE_ON_FLOOR | Reason.POWER_LOSS:
            return resume
        case Reason.ROLL_DISPUTED:  # until they agree that it is valid (EBF, DBgF 4.3(v))
            return resume
        case Reason.GAME_OVER | Reason.GAME_DECIDED:
            return _end_game
        case Reason.NOT_DECIDED:
            return _not_decided
        case Reason.EARLY_PICKUP:
            return _early_pickup
        case Reason.DICE_TAKEN:
            return _dice_taken
        case Reason.ILLEGAL_MOVE:
            return _illegal_move
        case Reason.INVALID_ROLL:
            return _invalid_roll
        case Reason.TIME_EXPIRED:
            return _claim_flag
        case Reason.CLOCK_FAULTY:
            return _hold
        case Reason.DOUBLE:
            return _double


def _end_game(state: MatchState, _: int) -> Step:
    """Let the players enter the points (EBF 4.3(ii)(a)(g))."""
    return _confirm_reason(state.replace(phase=Phase.GAME_OVER))


def _hold(state: MatchState, _: int) -> Step:
    """Stay stopped until the director resumes (EBF 3.7(ii), 5.1; NBgF 1-8-1)."""
    return _confirm_reason(state.replace(held=True))


def _confirm_reason(state: MatchState) -> Step:
    return state, events.ReasonChosenEvent(state.reason)


def _not_decided(state: MatchState, at_ns: int) -> Step:
    """Play on (EBF and DBgF 4.3(ii)(g)), or call the director, who may grant time (NBgF 4-3-2)."""
    if state.settings.rules.not_decided_ns:
        return _hold(state, at_ns)
    return resume(state, at_ns)


def _early_pickup(state: MatchState, at_ns: int) -> Step:
    """Let the mover finish off the clock; the opponent pays with the next delay, if there is one.

    EBF 4.1(v)(b).
    """
    offender, rules = turn_on_clock(state).side.other, state.settings.rules
    match rules.early_pickup:
        case EarlyPickup.WARN:
            return resume(state, at_ns)
        case EarlyPickup.SKIP | EarlyPickup.WAIT if not rules.delay_ns:
            return _free_turn(state, None)
        case EarlyPickup.SKIP:
            return _free_turn(state.with_player(offender, next_delay=NextDelay.SKIP))
        case EarlyPickup.WAIT:
            waiting = state.with_player(offender, next_delay=NextDelay.WAIT)
            return _free_turn(waiting, NextDelay.WAIT)


def _dice_taken(state: MatchState, at_ns: int) -> Step:
    """Resume (EBF 4.3(ii)(e)), or let the player roll and move off the clock (NBgF 4-1-6)."""
    match state.settings.rules.dice_taken:
        case DiceTaken.FREE_TURN:
            return _free_turn(state)
        case DiceTaken.RESUME:
            return resume(state, at_ns)


def _free_turn(state: MatchState, delay: NextDelay | None = NextDelay.SKIP) -> Step:
    turn = structs.replace(turn_on_clock(state), free=True, absent=False)
    event = events.FreeTurnEvent(state.reason, turn.side, delay)
    return state.replace(phase=Phase.FREE_TURN, turn=turn, reason=Reason.UNSPECIFIED), event


def _illegal_move(state: MatchState, at_ns: int) -> Step:
    """Restart the clock of the player who made the illegal move (EBF 4.2(iii)(c), NBgF 4-2-3)."""
    match state.settings.rules.illegal_move:
        case IllegalMove.WAIT:
            return _give_to_opponent(state, ResumeWith.WAIT, at_ns)
        case IllegalMove.FRESH:
            return _give_to_opponent(state, ResumeWith.FULL, at_ns)


def _double(state: MatchState, at_ns: int) -> Step:
    """Start the clock of the player who answers a double offered in a turn off the clock."""
    if not _keeps_free_turn(state):
        return resume(state, at_ns)
    return _give_to_opponent(state, ResumeWith.FULL, at_ns)


def _give_to_opponent(state: MatchState, delay: ResumeWith, at_ns: int) -> Step:
    """Start the opponent's clock; a turn off the clock goes on when they have pressed (R100)."""
    turn, delay = turn_on_clock(state), fresh(state, delay)
    event = events.ResumedEvent(state.reason, turn.side.other, delay, "centre")
    if _keeps_free_turn(state):
        state = state.with_player(turn.side, next_delay=NextDelay.FREE)
    return restart(state, turn.side.other, delay, at_ns).replace(interrupted=turn), event


def _invalid_roll(state: MatchState, at_ns: int) -> Step:
    """Restart the delay; the reserve that was used is not given back (EBF 4.3(v))."""
    turn = turn_on_clock(state)
    count = state.players[turn.side].invalid_rolls + 1
    delay = ResumeWith.FREE if _keeps_free_turn(state) else fresh(state, ResumeWith.FULL)
    event = events.ResumedEvent(state.reason, turn.side, delay, "centre", count)
    state = state.with_player(turn.side, invalid_rolls=count)
    return restart(state, turn.side, delay, at_ns), event


def _claim_flag(state: MatchState, at_ns: int) -> Step:
    """Record that the fallen flags were announced, and wait for the director (EBF 4.3(iii))."""
    side = state.first_flagged
    overrun_ns = max(0, -state.balance_ns(side, at_ns)) if side else 0
    for flagged in Side:
        flag = state.players[flagged].flag
        state = state.with_player(flagged, flag=flag and structs.replace(flag, claimed=True))
    return state.replace(held=True), events.FlagClaimedEvent(side, overrun_ns)


def _keeps_free_turn(state: MatchState) -> bool:
    """Return whether the stopped turn is off the clock and stays so (R100)."""
    return turn_on_clock(state).free and state.settings.rules.free_turn_kept
