"""The director puts times right: reserves, flags, overtime, the delay of a turn.

The one rule: one act, one line of the log, with the old value, the new one and why.
"""

from msgspec import structs

from clock.match.events import AdjustedEvent, CorrectedEvent, OvertimeEvent
from clock.match.inputs import BanksReset, DelayRuled, FlagSet, OvertimeGranted, TimeSet
from clock.match.state import Flag, MatchState, Step
from clock.match.turns import refused
from clock.match.sides import Button, Side

DIRECTOR = "director"  # who did it, in the log


def refused_act(state: MatchState, why: str) -> Step:
    """The step of an act that the rules forbid: the centre press that would have done it."""
    return state, refused(Button.CENTRE, why)


def _with_reserve(state: MatchState, side: Side, new_ns: int) -> MatchState:
    """The state in which a side has exactly this much left, whatever it used before."""
    account = state.players[side].account
    grown = account.granted_ns + new_ns - state.balance_ns(side, state.at_ns)
    return state.with_player(side, account=structs.replace(account, granted_ns=grown))


def _unflagged(state: MatchState, side: Side) -> MatchState:
    """The state without a side's flag; one that fell after it is now the first."""
    state = state.with_player(side, flag=None)
    other = state.players[side.other].flag
    if other is None:
        return state
    return state.with_player(side.other, flag=structs.replace(other, order=1))


def given(state: MatchState, side: Side, new_ns: int) -> MatchState:
    """The state with a new reserve; time for a flagged player clears his flag (R66)."""
    state = _with_reserve(state, side, new_ns)
    return _unflagged(state, side) if new_ns > 0 else state


def set_time(state: MatchState, act: TimeSet) -> Step:
    """A reserve is set (EBF 3.7(ii), 4.3(iv)); time for a flagged player clears his flag."""
    if act.new_ns < 0:
        return refused_act(state, "negative_time")
    old_ns = state.reserve_ns(act.side, act.at_ns)
    cleared = state.players[act.side].flag is not None and act.new_ns > 0
    state = given(state, act.side, act.new_ns)
    return state, AdjustedEvent(act.side, old_ns, act.new_ns, act.why, cleared)


def set_flag(state: MatchState, act: FlagSet) -> Step:
    """A flag is cleared, or entered as it stood on another clock (EBF 3.7(ii))."""
    flag = state.players[act.side].flag
    old = flag.order if flag else 0
    if act.order:
        state = state.with_player(act.side, flag=Flag(act.order, None))
    else:
        state = _unflagged(state, act.side)
    return state, CorrectedEvent("flag", act.side, old, act.order)


def grant_overtime(state: MatchState, act: OvertimeGranted) -> Step:
    """A player gets overtime by the director's word (USBGF)."""
    if act.granted_ns <= 0:
        return refused_act(state, "negative_time")
    old_ns = state.reserve_ns(act.side, act.at_ns)
    new_ns = old_ns + act.granted_ns
    state = given(state, act.side, new_ns).with_player(act.side, overtime_used=True)
    return state, OvertimeEvent(act.side, old_ns, new_ns, DIRECTOR)


def rule_delay(state: MatchState, act: DelayRuled) -> Step:
    """The delay of a player's next turn is forfeited or given back (EBF 4.1(v)(b))."""
    old = state.players[act.side].next_delay
    state = state.with_player(act.side, next_delay=act.delay)
    return state, CorrectedEvent("next_delay", act.side, old.value, act.delay.value)


def reset_banks(state: MatchState, act: BanksReset) -> Step:
    """Both banks anew by the formula at the present score, flags cleared (NBgF 4-3-3)."""
    old = [state.reserve_ns(side, act.at_ns) for side in Side]
    new_ns = state.bank_ns()
    for side in Side:
        state = given(state, side, new_ns)
    return state, CorrectedEvent("banks", None, old, [new_ns, new_ns])
