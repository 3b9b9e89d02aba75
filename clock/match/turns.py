"""What the plungers and the centre button do, except stopping: confirm, take turns, enter points.

A press without effect leaves the state as it was, and its event says why. These functions, like
those of `stops`, `breaks`, `corrections` and `director`, are called through `transitions.TABLE`:
they take the state and an input, and return the state after it and the event for the log.
"""

from clock.match.events import ConfirmedEvent, GameOverEvent, PressedEvent, ResumedEvent
from clock.match.inputs import CentrePressed, GameScored, Noted, Pressed
from clock.match.rules import Reason
from clock.match.scoring import score_game, score_warning
from clock.match.state import RECENT_TURNS, MatchState, Step, TurnBegin
from clock.match.timecontrol import Turn
from clock.match.types import Button, Crawford, NextDelay, Pair, Phase, ResumeWith, Side


def refuse(state: MatchState, button: Button, why: str) -> Step:
    """Leave the match as it is and record that a press had no effect."""
    return state, PressedEvent(button, accepted=False, why=why)


def refuse_in_phase(state: MatchState, press: Pressed | CentrePressed) -> Step:
    """Refuse a press that has no meaning in this phase; the reason is the phase's name."""
    return refuse(state, press.button, state.phase.value.lower())


def accept(state: MatchState, pressed: Pressed) -> Step:
    """Record that a plunger was pressed and led to this state."""
    return state, PressedEvent(pressed.button, accepted=True, why=None)


def record_press(state: MatchState, press: Noted) -> Step:
    """Record a press that a page of the dialogue has used or refused."""
    return state, PressedEvent(press.button, press.accepted, press.why)


# --- before a game ----------------------------------------------------------------------------


def confirm(state: MatchState, pressed: Pressed) -> Step:
    """REVIEW: confirm the settings for one player, who is then no longer absent."""
    if state.players[pressed.side].confirmed:
        return refuse(state, pressed.button, "already_confirmed")
    state = state.with_player(pressed.side, confirmed=True, absence=None)
    return state, ConfirmedEvent(pressed.side.value)


def close_review(state: MatchState, press: CentrePressed) -> Step:
    """REVIEW: go on to the opening roll, once both players have confirmed (EBF 3.5(iii))."""
    if not all(player.confirmed for player in state.players):
        return refuse(state, Button.CENTRE, "not_confirmed")
    return state.replace(phase=Phase.READY), ConfirmedEvent(Button.CENTRE.value)


def begin_game(state: MatchState, pressed: Pressed) -> Step:
    """READY: start the high roller's clock when the low roller presses (US 5.1)."""
    state = state.with_both_players(absence=None)
    return accept(start_turn(state, pressed.side.other, pressed.at_ns), pressed)


# --- turns ------------------------------------------------------------------------------------


def start_turn(state: MatchState, side: Side, at_ns: int) -> MatchState:
    """Start a side's clock with the delay that this player is due, or a turn off the clock."""
    due = state.players[side].next_delay
    if due is not NextDelay.FULL:
        state = state.with_player(side, next_delay=NextDelay.FULL)
    return _begin_turn(state, side, due, at_ns)


def _begin_turn(state: MatchState, side: Side, delay: NextDelay, at_ns: int) -> MatchState:
    """Begin a turn, whoever started it, and note both reserves: the TD may give them back."""
    left, right = (state.reserve_ns(each, at_ns) for each in Side)
    recent = (*state.recent[1 - RECENT_TURNS :], TurnBegin(Pair(left, right)))
    free = delay is NextDelay.FREE
    turn = Turn(
        side,
        delay_ns=0 if delay is NextDelay.SKIP else state.settings.rules.delay_ns,
        since_ns=None if free else at_ns,
        must_wait=delay is NextDelay.WAIT,
        free=free,
    )
    phase = Phase.FREE_TURN if free else Phase.RUNNING
    return state.replace(
        phase=phase, turn=turn, held=False, reason=Reason.UNSPECIFIED, recent=recent
    )


def end_turn(state: MatchState, pressed: Pressed) -> Step:
    """RUNNING: end the turn, if the player on move has pressed (EBF 4.1(vi)(b), US 5.3)."""
    turn = turn_on_clock(state)
    if pressed.side is not turn.side:
        return refuse(state, pressed.button, "not_on_move")
    if turn.absent:
        return refuse(state, pressed.button, "absent")
    if turn.must_wait and turn.delay_left_ns(pressed.at_ns) > 0:
        return refuse(state, pressed.button, "must_wait")
    return accept(_pass_turn(state, turn, pressed.at_ns), pressed)


def end_free_turn(state: MatchState, pressed: Pressed) -> Step:
    """FREE_TURN: end it when its player presses, and start the opponent's clock."""
    turn = turn_on_clock(state)
    if pressed.side is not turn.side:
        return refuse(state, pressed.button, "not_on_move")
    return accept(_pass_turn(state, turn, pressed.at_ns), pressed)


def _pass_turn(state: MatchState, turn: Turn, at_ns: int) -> MatchState:
    state = charge_turn(state, at_ns)
    return start_turn(state, turn.side.other, at_ns)


def charge_turn(state: MatchState, now_ns: int) -> MatchState:
    """Take the turn off the clock and charge what it used to its player's account."""
    turn = state.turn
    if turn is None:
        return state
    account = state.players[turn.side].account.charge(turn.reserve_used_ns(now_ns))
    return state.with_player(turn.side, account=account).replace(turn=None, interrupted=None)


def turn_on_clock(state: MatchState) -> Turn:
    """Return the turn on the clock, in a phase that always has one."""
    if state.turn is None:
        raise RuntimeError(f"no turn on the clock in phase {state.phase}")
    return state.turn


def resume(state: MatchState, at_ns: int, by: str = "centre") -> Step:
    """Resume the stopped turn with exactly the delay and reserve that it had."""
    turn = turn_on_clock(state)
    kept = turn.free and state.settings.rules.free_turn_kept
    delay = ResumeWith.FREE if kept else ResumeWith.REST
    event = ResumedEvent(state.reason, turn.side, delay, by)
    state = state.replace(held=False, reason=Reason.UNSPECIFIED)
    if turn.free:
        return state.replace(phase=Phase.FREE_TURN), event
    return state.replace(phase=Phase.RUNNING, turn=turn.started(at_ns)), event


def restart(state: MatchState, side: Side, delay: ResumeWith, at_ns: int) -> MatchState:
    """Start a side's turn anew, on the clock or off it; what the stopped turn used stays used."""
    state = charge_turn(state.with_both_players(absence=None), at_ns)
    due = NextDelay.FULL if delay is ResumeWith.NEW else NextDelay(delay.value)
    return _begin_turn(state, side, due, at_ns)


def fresh(state: MatchState, delay: ResumeWith) -> ResumeWith:
    """Return how a turn is started anew: with its delay, or as a new turn if rules have none."""
    match delay:
        case ResumeWith.REST | ResumeWith.FREE:
            return delay
        case ResumeWith.FULL | ResumeWith.WAIT | ResumeWith.NEW:
            if not state.settings.rules.delay_ns:
                return ResumeWith.NEW
            return ResumeWith.FULL if delay is ResumeWith.NEW else delay


# --- the end of a game ------------------------------------------------------------------------


def enter_point(state: MatchState, pressed: Pressed) -> Step:
    """GAME_OVER: enter one more point for that side and none for the other."""
    points = state.game_points[pressed.side] + 1
    return accept(state.replace(game_points=Pair(0, 0).put(pressed.side, points)), pressed)


def close_game(state: MatchState, press: CentrePressed | GameScored) -> Step:
    """GAME_OVER: score the points entered; delays forfeited for a next turn lapse."""
    points = max(state.game_points)
    winner = next((side for side in Side if state.game_points[side]), None)
    warning = score_warning(state)
    state = charge_turn(state, press.at_ns).with_both_players(next_delay=NextDelay.FULL)
    unclaimed, legs = state.unclaimed_flags, state.legs
    state = score_game(state, winner, points).replace(game_points=Pair(0, 0))
    if state.legs == legs or state.champion is not None:  # no leg ended, or MatchOverEvent has them
        unclaimed = []
    crawford = state.crawford is Crawford.NOW
    event = GameOverEvent(winner, points, state.score, state.legs, crawford, warning, unclaimed)
    return state, event
