"""The TD's corrections: score, length, Crawford, sides and breaks; times, flags and delays.

A correction also changes what follows from it by the rules: a flag, the banks, the Crawford game,
or the end of the match.
"""

from msgspec import structs

from clock.match import inputs
from clock.match.events import (
    AdjustedEvent,
    CorrectedEvent,
    OvertimeEvent,
    PenaltyEvent,
    WarnedEvent,
)
from clock.match.inputs import DIRECTOR
from clock.match.lateness import settle
from clock.match.rules import RulingReason
from clock.match.scoring import add_points, derive_crawford, forfeits
from clock.match.state import BETWEEN_GAMES, Flag, MatchState, Step
from clock.match.timecontrol import Account, Turn
from clock.match.turns import refuse
from clock.match.types import Button, NextDelay, Phase, Side

BONUS = "bonus"  # why, of points that are no penalty (NBgF 2-3-1)
LATE = RulingReason.LATE.value  # why, of points for lateness (EBF 2.2(iv))
SLOW = (BONUS, RulingReason.SLOW_PLAY.value)  # why, of what is done against slow play
SHORTEN_BY = 2  # points (NBgF 2-3-1)
ON_CLOCK = "on_clock"  # how a turn begins where the rules have no delay, unless off the clock


def refuse_act(state: MatchState, why: str) -> Step:
    """Refuse an act that the rules forbid; the centre press would have carried it out."""
    return refuse(state, Button.CENTRE, why)


# --- score, length, Crawford, sides, names, breaks ----------------------------------------------


def award_points(state: MatchState, act: inputs.PointsAwarded) -> Step:
    """Award penalty or bonus points; the rules say which count in the match (EBF 2.2(iv)).

    Before the first game both reserves follow the formula on request (R119).
    """
    if act.why != BONUS and not act.points:
        return _warn(state, act)
    offender, beneficiary = act.side, act.side.other
    lost, adjusted_ns, old = False, None, state
    if act.why != BONUS:
        points = state.players[offender].penalty_points + act.points
        state = state.with_player(offender, penalty_points=points)
        lost = forfeits(state, points)
    if act.why == LATE:
        state = settle(state, offender, act.points)
    if act.why == BONUS or state.settings.rules.penalty_points_score:
        between_games = state.phase in BETWEEN_GAMES
        state = add_points(state, beneficiary, act.points)
        if between_games and state.champion is None:
            state = derive_crawford(state)
        if act.adjust_banks and state.legs == old.legs:
            state, adjusted_ns = _follow_formula(old, state)
    event = PenaltyEvent(offender, beneficiary, act.points, act.why, state.score, lost, adjusted_ns)
    if act.why not in SLOW:
        return state, event
    since_ns, early_ns = _slow_play_times(state)
    event = structs.replace(event, since_ns=since_ns, early_ns=early_ns)
    return _note_slow_play(state), event


def _warn(state: MatchState, act: inputs.PointsAwarded) -> Step:
    """Warn a player, for one of the director's reasons (EBF 2.3(i)(a), 4.2; NBgF 4-1-5)."""
    reason = RulingReason(act.why)
    if act.why in SLOW:
        state = _note_slow_play(state)
    player = state.players[act.side]
    count, reasons = player.warnings + 1, dict.fromkeys((*player.warned_for, reason))
    state = state.with_player(act.side, warnings=count, warned_for=tuple(reasons))
    return state, WarnedEvent(act.side, reason, count)


def _note_slow_play(state: MatchState) -> MatchState:
    """Count the time to the next ruling for slow play from now on (NBgF 2-3-1)."""
    return state.replace(slow_play_ns=state.at_ns)


def _slow_play_times(state: MatchState) -> tuple[int | None, int]:
    """Return the time since the latest warning or ruling for slow play, and what it lacks.

    NBgF 2-3-1: five minutes. The first is None if it is not known, or the rules have no such time.
    """
    step_ns, before_ns = state.settings.rules.slow_play_step_ns, state.slow_play_ns
    since_ns = None if before_ns is None or not step_ns else state.at_ns - before_ns
    return since_ns, max(0, step_ns - (since_ns or 0))


def set_score(state: MatchState, act: inputs.ScoreSet) -> Step:
    """Correct a player's score, as the score cards say (EBF 4.7, US 5.13)."""
    if not 0 <= act.points <= state.length:
        return refuse_act(state, "score_outside_match")
    old = state
    state = state.replace(score=state.score.put(act.side, act.points))
    adjusted_ns = None
    if act.adjust_banks:
        state, adjusted_ns = _follow_formula(old, state)
    if act.points == state.length and state.phase is not Phase.FINISHED:
        state = add_points(state, act.side, 0)
    elif act.crawford is not None:
        state = state.replace(crawford=act.crawford)
    elif state.turn is None:
        state = derive_crawford(state)
    return state, CorrectedEvent(
        "score",
        act.side,
        old.score[act.side],
        act.points,
        adjusted_ns,
        _flag_cleared(old, state),
        act.crawford.value if act.crawford else None,
        reason=act.reason,
    )


def _follow_formula(before: MatchState, after: MatchState) -> tuple[MatchState, int]:
    """Change both reserves by the difference that the formula makes; return it too (R70, R96)."""
    added_ns = after.bank_ns() - before.bank_ns()
    if added_ns:
        for side in Side:
            reserve_ns = before.reserve_ns(side, before.at_ns) + added_ns
            after = set_reserve(after, side, reserve_ns if after.flagless else max(0, reserve_ns))
    return after, added_ns


def set_length(state: MatchState, act: inputs.LengthSet) -> Step:
    """Correct the length, between games and unless that ends the match (EBF 4.8).

    On request both reserves change by the difference that the formula makes (R70).
    """
    if state.phase not in BETWEEN_GAMES:
        return refuse_act(state, "not_between_games")
    if act.length <= max(state.score):
        return refuse_act(state, "length_ends_match")
    old, added_ns = state, 0
    state = _change_length(state, act.length)
    if act.adjust_banks:
        state, added_ns = _follow_formula(old, state)
    cleared = _flag_cleared(old, state)
    changed = (old.length, act.length, added_ns, cleared)
    return state, CorrectedEvent("length", None, *changed, reason=act.reason)


def shorten(state: MatchState, act: inputs.MatchShortened) -> Step:
    """Shorten the match for slow play by both players; that may decide it (NBgF 2-3-1)."""
    old, length = state.length, max(1, state.length - SHORTEN_BY)
    leader = max(Side, key=lambda side: state.score[side])
    if state.score[leader] >= length and state.score.left == state.score.right:
        return refuse_act(state, "length_ends_match")
    state = _change_length(state, length)
    if state.score[leader] >= length:
        state = add_points(state, leader, 0)
    since_ns, early_ns = _slow_play_times(state)
    slow = RulingReason.SLOW_PLAY
    event = CorrectedEvent("length_shortened", None, old, length, 0, reason=slow)
    event = structs.replace(event, since_ns=since_ns, early_ns=early_ns)
    return _note_slow_play(state), event


def _change_length(state: MatchState, length: int) -> MatchState:
    state = state.replace(length=length).forget_reserves(*Side)
    return derive_crawford(state) if state.turn is None else state


def set_crawford(state: MatchState, act: inputs.CrawfordSet) -> Step:
    """Correct the Crawford status (EBF 4.4(iv)), or take it as the players say it (R107)."""
    change = (state.crawford.value, act.crawford.value)
    event = CorrectedEvent("crawford", None, *change, by=act.by, reason=act.reason)
    return state.replace(crawford=act.crawford), event


def swap_sides(state: MatchState, act: inputs.SidesSwapped) -> Step:
    """Let the players change sides, with everything that is theirs (EBF 3.5(iv))."""
    old, new = ", ".join(state.names), ", ".join(state.names.swapped())
    state = state.replace(
        players=state.players.swapped(),
        names=state.names.swapped(),
        score=state.score.swapped(),
        legs=state.legs.swapped(),
        game_points=state.game_points.swapped(),
        turn=state.turn and structs.replace(state.turn, side=state.turn.side.other),
        interrupted=None,
        decision=state.decision and state.decision.swapped(),
        recent=(),
        winner=state.winner and state.winner.other,
    )
    return state, CorrectedEvent("sides", None, old, new)


def set_names(state: MatchState, act: inputs.NamesSet) -> Step:
    """Correct the players' names; the log keeps those before."""
    old, new = list[int | str](state.names), list[int | str](act.names)
    return state.replace(names=act.names), CorrectedEvent("names", None, old, new)


def set_breaks(state: MatchState, act: inputs.BreaksSet) -> Step:
    """Correct how many breaks a player has taken, which may allow one more."""
    old = state.players[act.side].breaks_taken
    state = state.with_player(act.side, breaks_taken=act.taken)
    return state, CorrectedEvent("breaks_taken", act.side, old, act.taken, reason=act.reason)


# --- times, flags, delays -----------------------------------------------------------------------


def set_reserve(state: MatchState, side: Side, new_ns: int) -> MatchState:
    """Set a side's reserve, whatever its turn has used; above 0 this clears its flag (R66)."""
    account = state.players[side].account
    granted_ns = account.granted_ns + new_ns - state.balance_ns(side, state.at_ns)
    state = state.with_player(side, account=structs.replace(account, granted_ns=granted_ns))
    state = state.forget_reserves(side)
    return clear_flag(state, side) if new_ns > 0 else state


def clear_flag(state: MatchState, side: Side) -> MatchState:
    """Clear a side's flag; the other flag, if it is down, is then the first."""
    other = state.players[side.other].flag
    state = state.with_player(side, flag=None)
    return state.with_player(side.other, flag=other and structs.replace(other, order=1))


def set_time(state: MatchState, act: inputs.TimeSet) -> Step:
    """Set a player's reserve (EBF 3.7(ii), 4.3(iv)); in practice it may be below 0."""
    if state.settings.rules.pace is not None:
        return refuse_act(state, "no_limit")
    if act.new_ns < 0 and not state.flagless:
        return refuse_act(state, "negative_time")
    old_ns = state.reserve_ns(act.side, act.at_ns)
    cleared = state.players[act.side].flag is not None and act.new_ns > 0
    state = set_reserve(state, act.side, act.new_ns)
    return state, AdjustedEvent(act.side, old_ns, act.new_ns, act.why, cleared, act.reason)


def grant_overtime(state: MatchState, act: inputs.OvertimeGranted) -> Step:
    """Grant a player overtime; what the rules give once comes with a warning (USBGF, quoted)."""
    if act.granted_ns <= 0:
        return refuse_act(state, "negative_time")
    if state.flagless:
        return refuse_act(state, "no_flags")
    before, old_ns = state, state.reserve_ns(act.side, act.at_ns)
    new_ns = old_ns + act.granted_ns
    player, rules = state.players[act.side], state.settings.rules
    warned = bool(player.flag and rules.overtime_called and not player.overtime_used)
    count = player.warnings + 1 if warned else 0
    state = set_reserve(state, act.side, new_ns).with_player(
        act.side, overtime_used=True, warnings=player.warnings + warned
    )
    cleared = _flag_cleared(before, state)
    return state, OvertimeEvent(act.side, old_ns, new_ns, DIRECTOR, cleared, act.reason, count)


def _flag_cleared(before: MatchState, after: MatchState) -> bool:
    return any(before.players[side].flag and not after.players[side].flag for side in Side)


def begin_times(state: MatchState, act: inputs.TimesBegun) -> Step:
    """Turn pace mode into a timed match: banks by the formula at this score (EBF 2.3(i)(b))."""
    if state.settings.rules.pace is None:
        return refuse_act(state, "already_timed")
    rules = state.settings.rules.timed()
    state = state.replace(settings=structs.replace(state.settings, rules=rules))
    bank_ns = state.bank_ns()
    state = state.with_both_players(account=Account(bank_ns)).forget_reserves(*Side)
    return state, CorrectedEvent(
        "pace", None, old=True, new=False, adjusted_ns=bank_ns, reason=act.reason
    )


def reset_banks(state: MatchState, act: inputs.BanksReset) -> Step:
    """Set both banks by the formula at the present score, and clear the flags (NBgF 4-3-3)."""
    if state.settings.rules.pace is not None:
        return refuse_act(state, "no_limit")
    old: list[int | str] = [state.reserve_ns(side, act.at_ns) for side in Side]
    before, new_ns = state, state.bank_ns()
    for side in Side:
        state = set_reserve(state, side, new_ns)
    new, cleared = list[int | str]([new_ns, new_ns]), _flag_cleared(before, state)
    return state, CorrectedEvent("banks", None, old, new, flag_cleared=cleared, reason=act.reason)


def set_flag(state: MatchState, act: inputs.FlagSet) -> Step:
    """Clear a flag, or enter one as it stood on another clock (EBF 3.7(ii))."""
    if state.flagless:
        return refuse_act(state, "no_flags")
    before, flag = state, state.players[act.side].flag
    old = flag.order if flag else 0
    if act.order:
        state = state.with_player(act.side, flag=Flag(act.order, None))
    else:
        state = clear_flag(state, act.side)
    cleared = _flag_cleared(before, state)
    return state, CorrectedEvent(
        "flag", act.side, old, act.order, flag_cleared=cleared, reason=act.reason
    )


def rule_delay(state: MatchState, act: inputs.DelayRuled) -> Step:
    """Rule how a player's next turn begins: its delay, or off the clock.

    EBF 4.1(v)(b), NBgF 4-1-6.
    """
    if act.this_turn and state.turn is not None:
        return _rule_this_delay(state, act, state.turn)
    old, new = state.players[act.side].next_delay, act.delay
    if not state.settings.rules.delay_ns and new is not NextDelay.FREE:
        new = NextDelay.FULL
    state = state.with_player(act.side, next_delay=new)
    change = (_next_turn(state, old), _next_turn(state, new))
    return state, CorrectedEvent("next_delay", act.side, *change, reason=act.reason)


def _next_turn(state: MatchState, delay: NextDelay) -> str:
    """Return how a turn begins, for the log: without a delay it is on the clock or off it."""
    on_clock = delay is not NextDelay.FREE
    return ON_CLOCK if on_clock and not state.settings.rules.delay_ns else delay.value


def delay_named(name: str) -> NextDelay:
    """Return the delay of a turn that begins as the log says.

    Raises:
        ValueError: no turn begins so.
    """
    return NextDelay.FULL if name == ON_CLOCK else NextDelay(name)


def _rule_this_delay(state: MatchState, act: inputs.DelayRuled, turn: Turn) -> Step:
    """Give the stopped turn its whole delay, or none: what it used counts against that (R111)."""
    old, side = state, turn.side
    delay_ns = state.settings.rules.delay_ns if act.delay is NextDelay.FULL else 0
    changed = structs.replace(turn, delay_ns=delay_ns, must_wait=False, free=False)
    state = state.replace(turn=changed).forget_reserves(side)
    added_ns = state.reserve_ns(side, state.at_ns) - old.reserve_ns(side, state.at_ns)
    if added_ns > 0:
        state = clear_flag(state, side)
    return state, CorrectedEvent(
        "delay",
        side,
        delay_of(turn).value,
        delay_of(changed).value,
        added_ns,
        _flag_cleared(old, state),
        reason=act.reason,
    )


def delay_of(turn: Turn) -> NextDelay:
    """Return the delay that a turn was begun with."""
    if turn.free:
        return NextDelay.FREE
    if turn.must_wait:
        return NextDelay.WAIT
    return NextDelay.FULL if turn.delay_ns else NextDelay.SKIP
