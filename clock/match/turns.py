"""What the buttons do to a match but for stopping it: confirmations, turns, points of a game.

Each function takes the state and an input and returns the state after it and what the log says of
it. They are the entries of the table in `machine`, which alone decides which one is called.

The one rule: a press that has no effect leaves the state as it was and says in the log why.
"""

from clock.match.events import ConfirmedEvent, GameOverEvent, PressedEvent, ResumedEvent
from clock.match.inputs import CentrePressed, Input, Noted, Pressed
from clock.match.ledger import score_warning, scored
from clock.match.state import RECENT_PRESSES, MatchState, Press, Step, settled
from clock.match.phases import Crawford, NextDelay, Phase, ResumeWith
from clock.match.rules import Reason
from clock.match.sides import Button, Pair, Side
from clock.match.timecontrol import Turn


def refused(button: Button, why: str) -> PressedEvent:
    """What the log says of a press without effect."""
    return PressedEvent(button, accepted=False, why=why)


def rejected(state: MatchState, pressed: Pressed, why: str) -> Step:
    """The step of a plunger without effect."""
    return state, refused(Button(pressed.side.value), why)


def accepted(state: MatchState, pressed: Pressed) -> Step:
    """The step of a plunger that has led to this state."""
    return state, PressedEvent(Button(pressed.side.value), accepted=True, why=None)


def noted(state: MatchState, press: Noted) -> Step:
    """A press that belonged to a page of the dialogue."""
    return state, PressedEvent(press.button, press.accepted, press.why)


def no_effect(state: MatchState, press: Input) -> Step:
    """A press in a phase in which it means nothing; the reason is the phase's name."""
    button = Button(press.side.value) if isinstance(press, Pressed) else Button.CENTRE
    return state, refused(button, state.phase.value.lower())


# --- before a game ----------------------------------------------------------------------------


def confirm(state: MatchState, pressed: Pressed) -> Step:
    """REVIEW: a player confirms the settings shown; if he was awaited, he has come."""
    if state.players[pressed.side].confirmed:
        return rejected(state, pressed, "already_confirmed")
    state = state.with_player(pressed.side, confirmed=True, absence=None)
    return state, ConfirmedEvent(pressed.side.value)


def close_review(state: MatchState, press: CentrePressed) -> Step:
    """REVIEW: on to the opening roll, once both players have confirmed (EBF 3.5(iii))."""
    if not all(player.confirmed for player in state.players):
        return state, refused(Button.CENTRE, "not_confirmed")
    return state.replace(phase=Phase.READY), ConfirmedEvent(Button.CENTRE.value)


def begin_game(state: MatchState, pressed: Pressed) -> Step:
    """READY: the low roller presses and the high roller's clock starts (US 5.1)."""
    for side in Side:
        state = state.with_player(side, absence=None)
    return accepted(start_turn(state, pressed.side.other, pressed.at_ns), pressed)


def no_break(state: MatchState, press: CentrePressed) -> Step:
    """READY: a break was asked for and there is none (EBF 2.2(ii)); the director may allow one."""
    return state, refused(Button.CENTRE, "no_break")


# --- turns ------------------------------------------------------------------------------------


def start_turn(state: MatchState, side: Side, at_ns: int) -> MatchState:
    """A side's clock starts, with the delay that is due to it."""
    due = state.players[side].next_delay
    turn = Turn(
        side,
        delay_ns=0 if due is NextDelay.SKIP else state.settings.rules.delay_ns,
        since_ns=at_ns,
        must_wait=due is NextDelay.WAIT,
    )
    if due is not NextDelay.FULL:
        state = state.with_player(side, next_delay=NextDelay.FULL)
    return state.replace(phase=Phase.RUNNING, turn=turn, reason=Reason.UNSPECIFIED)


def end_turn(state: MatchState, pressed: Pressed) -> Step:
    """RUNNING: the mover's press ends his turn; nothing else does (EBF 4.1(vi)(b), US 5.3)."""
    turn = on_clock(state)
    if pressed.side is not turn.side:
        return rejected(state, pressed, "not_on_move")
    if turn.absent:
        return rejected(state, pressed, "absent")
    if turn.must_wait and turn.delay_left_ns(pressed.at_ns) > 0:
        return rejected(state, pressed, "must_wait")
    return accepted(_pass_turn(state, turn, pressed.at_ns), pressed)


def end_free_turn(state: MatchState, pressed: Pressed) -> Step:
    """FREE_TURN: the free player's press ends it and the opponent's clock starts."""
    turn = on_clock(state)
    if pressed.side is not turn.side:
        return rejected(state, pressed, "not_on_move")
    return accepted(_pass_turn(state, turn, pressed.at_ns), pressed)


def _pass_turn(state: MatchState, turn: Turn, at_ns: int) -> MatchState:
    state = settled(state, at_ns)
    reserves = state.players.map(lambda player: max(0, player.account.left_ns))
    press = Press(at_ns, turn.side, reserves)
    state = state.replace(recent=(*state.recent[1 - RECENT_PRESSES :], press))
    return start_turn(state, turn.side.other, at_ns)


def on_clock(state: MatchState) -> Turn:
    """The turn on the clock, in a phase that always has one."""
    if state.turn is None:
        raise RuntimeError(f"no turn on the clock in phase {state.phase}")
    return state.turn


def resume(state: MatchState, at_ns: int, by: str = "centre") -> Step:
    """The turn goes on with exactly the delay and reserve that it had."""
    turn = on_clock(state)
    event = ResumedEvent(state.reason, turn.side, ResumeWith.REST, by)
    state = state.replace(held=False, reason=Reason.UNSPECIFIED)
    if turn.free:
        return state.replace(phase=Phase.FREE_TURN), event
    return state.replace(phase=Phase.RUNNING, turn=turn.started(at_ns)), event


def restart(state: MatchState, side: Side, delay: ResumeWith, at_ns: int) -> MatchState:
    """A side's clock starts with a fresh delay; what the stopped turn used stays used."""
    turn = Turn(
        side,
        delay_ns=state.settings.rules.delay_ns,
        since_ns=at_ns,
        must_wait=delay is ResumeWith.WAIT,
    )
    for player in Side:
        state = state.with_player(player, absence=None)
    return settled(state, at_ns).replace(
        phase=Phase.RUNNING, turn=turn, held=False, reason=Reason.UNSPECIFIED
    )


# --- the end of a game ------------------------------------------------------------------------


def add_point(state: MatchState, pressed: Pressed) -> Step:
    """GAME_OVER: one more point for that side; a press on the other side begins anew there."""
    points = state.game_points[pressed.side] + 1
    return accepted(state.replace(game_points=Pair(0, 0).put(pressed.side, points)), pressed)


def close_game(state: MatchState, press: CentrePressed) -> Step:
    """GAME_OVER: the points count, forfeits lapse, and the next game or match is ready."""
    points = max(state.game_points)
    winner = next((side for side in Side if state.game_points[side]), None)
    warning = score_warning(state)
    state = settled(state, press.at_ns)
    for side in Side:
        state = state.with_player(side, next_delay=NextDelay.FULL)
    unclaimed, legs = state.unclaimed_flags, state.legs
    state = scored(state, winner, points).replace(game_points=Pair(0, 0))
    if state.legs == legs or state.champion is not None:  # no match ended, or match_over tells
        unclaimed = []
    crawford = state.crawford is Crawford.NOW
    event = GameOverEvent(winner, points, state.score, state.legs, crawford, warning, unclaimed)
    return state, event
