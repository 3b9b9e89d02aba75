"""Why a clock is stopped, and what follows: the centre button and the reasons to press it.

The entries of the machine's table for a stop, the choice of its reason, and what each reason
demands when the centre carries it out (`CARRIED_OUT`). The one rule: no stop is ever refused, and
no reason changes what a turn has used.
"""

from collections.abc import Callable

from msgspec import structs

from clock.match.events import FlagClaimedEvent, FreeTurnEvent, ReasonChosenEvent, ResumedEvent, StoppedEvent
from clock.match.inputs import CentrePressed, Pressed
from clock.match.state import MatchState, Step, settled
from clock.match.phases import NextDelay, Phase, ResumeWith
from clock.match.turns import on_clock, refused, rejected, restart, resume
from clock.match.rules import DiceTaken, EarlyPickup, IllegalMove, Reason
from clock.match.sides import Button, Pair, Side


def stop(state: MatchState, press: CentrePressed) -> Step:
    """RUNNING, FREE_TURN: both clocks stand still; never refused (EBF 4.3(ii))."""
    turn = on_clock(state)
    stopped = StoppedEvent(Reason.UNSPECIFIED)
    if turn.absent:  # he has come: the opening roll (NBgF 2-2-4)
        return settled(state, press.at_ns).replace(phase=Phase.READY), stopped
    return (
        state.replace(
            phase=Phase.STOPPED, turn=turn.stopped(press.at_ns), reason=Reason.UNSPECIFIED
        ),
        stopped,
    )


def choose_reason(state: MatchState, pressed: Pressed) -> Step:
    """STOPPED: left goes to the previous reason, right to the next."""
    if state.held:
        return rejected(state, pressed, "director_needed")
    reasons = state.settings.rules.reasons
    here = reasons.index(state.reason) if state.reason in reasons else 0
    step = 1 if pressed.side is Side.RIGHT else -1
    reason = reasons[(here + step) % len(reasons)]
    return state.replace(reason=reason), ReasonChosenEvent(reason, Button(pressed.side.value))


def carry_out(state: MatchState, press: CentrePressed) -> Step:
    """STOPPED: what the chosen reason demands happens (`CARRIED_OUT`)."""
    if state.held:
        return state, refused(Button.CENTRE, "director_needed")
    return CARRIED_OUT[state.reason](state, press.at_ns)


def _end_game(state: MatchState, _: int) -> Step:
    """EBF 4.3(ii)(a)(g): the points are entered next."""
    return _chosen(state.replace(phase=Phase.GAME_OVER, game_points=Pair(0, 0)))


def _hold(state: MatchState, _: int) -> Step:
    """EBF 3.7(ii), 5.1; NBgF 1-8-1: stays stopped until the director resumes."""
    return _chosen(state.replace(held=True))


def _chosen(state: MatchState) -> Step:
    return state, ReasonChosenEvent(state.reason, Button.CENTRE)


def _not_decided(state: MatchState, at_ns: int) -> Step:
    """EBF and DBgF 4.3(ii)(g) play on; NBgF 4-3-2: the director, who may grant time."""
    if state.settings.rules.not_decided_ns:
        return _hold(state, at_ns)
    return resume(state, at_ns)


def _early_pickup(state: MatchState, at_ns: int) -> Step:
    """EBF 4.1(v)(b): the mover finishes off the clock; the opponent's next delay is forfeit."""
    rule = state.settings.rules.early_pickup
    if rule is EarlyPickup.WARN:
        return resume(state, at_ns)
    offender = on_clock(state).side.other
    forfeit = NextDelay.SKIP if rule is EarlyPickup.SKIP else NextDelay.WAIT
    return _free_turn(state.with_player(offender, next_delay=forfeit))


def _dice_taken(state: MatchState, at_ns: int) -> Step:
    """EBF 4.3(ii)(e) resumes; NBgF 4-1-6: the player's next roll and move are off the clock."""
    if state.settings.rules.dice_taken is DiceTaken.FREE_TURN:
        return _free_turn(state)
    return resume(state, at_ns)


def _free_turn(state: MatchState) -> Step:
    turn = structs.replace(on_clock(state), free=True, absent=False)
    event = FreeTurnEvent(state.reason, turn.side)
    return state.replace(phase=Phase.FREE_TURN, turn=turn, reason=Reason.UNSPECIFIED), event


def _illegal_move(state: MatchState, at_ns: int) -> Step:
    """EBF 4.2(iii)(c), NBgF 4-2-3: accepted; the clock of the one who moved restarts."""
    waits = state.settings.rules.illegal_move is IllegalMove.WAIT
    delay = ResumeWith.WAIT if waits else ResumeWith.FULL
    offender = on_clock(state).side.other
    event = ResumedEvent(state.reason, offender, delay, "centre")
    return restart(state, offender, delay, at_ns), event


def _invalid_roll(state: MatchState, at_ns: int) -> Step:
    """EBF 4.3(v): the delay starts anew; reserve that was used is not given back."""
    side = on_clock(state).side
    count = state.players[side].invalid_rolls + 1
    event = ResumedEvent(state.reason, side, ResumeWith.FULL, "centre", count)
    state = state.with_player(side, invalid_rolls=count)
    return restart(state, side, ResumeWith.FULL, at_ns), event


def _claim(state: MatchState, at_ns: int) -> Step:
    """EBF 4.3(iii): announced, so the director must come; whose time ran out first is on record."""
    side = state.first_flagged
    overrun = max(0, -state.balance_ns(side, at_ns)) if side else 0
    claimant = side.other if side else None
    for fallen in Side:
        flag = state.players[fallen].flag
        claimed = flag and structs.replace(flag, claimed=True)
        state = state.with_player(fallen, flag=claimed)
    return state.replace(held=True), FlagClaimedEvent(side, claimant, overrun)


CARRIED_OUT: dict[Reason, Callable[[MatchState, int], Step]] = {
    Reason.UNSPECIFIED: resume,
    Reason.GAME_OVER: _end_game,
    Reason.GAME_DECIDED: _end_game,
    Reason.NOT_DECIDED: _not_decided,
    Reason.DIRECTOR_CALLED: resume,
    Reason.EARLY_PICKUP: _early_pickup,
    Reason.DICE_TAKEN: _dice_taken,
    Reason.ILLEGAL_MOVE: _illegal_move,
    Reason.INVALID_ROLL: _invalid_roll,
    Reason.DIE_ON_FLOOR: resume,
    Reason.TIME_EXPIRED: _claim,
    Reason.CLOCK_FAULTY: _hold,
    Reason.POWER_LOSS: resume,
}
