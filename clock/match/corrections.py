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


def refuse_ruling(state: MatchState, why: str) -> Step:
    """Refuse a ruling that the rules forbid; the centre press would have carried it out."""
    return refuse(state, Button.CENTRE, why)


# --- score, length, Crawford, sides, names, breaks ----------------------------------------------


def award_points(state: MatchState, ruling: inputs.PointsAwarded) -> Step:
    """Award penalty or bonus points; the rules say which count in the match (EBF 2.2(iv)).

    Before the first game both reserves follow the formula on request (R119).
    """
    if ruling.why != BONUS and not ruling.points:
        return _warn(state, ruling)
    offender, beneficiary = ruling.side, ruling.side.other
    lost, adjusted_ns, old = False, None, state
    if ruling.why != BONUS:
        points = state.players[offender].penalty_points + ruling.points
        state = state.with_player(offender, penalty_points=points)
        lost = forfeits(state, points)
    if ruling.why == LATE:
        state = settle(state, offender, ruling.points)
    if ruling.why == BONUS or state.settings.rules.penalty_points_score:
        between_games = state.phase in BETWEEN_GAMES
        state = add_points(state, beneficiary, ruling.points)
        if between_games and state.champion is None:
            state = derive_crawford(state)
        if ruling.adjust_banks and state.legs == old.legs:
            state, adjusted_ns = _follow_formula(old, state)
    event = PenaltyEvent(
        offender, beneficiary, ruling.points, ruling.why, state.score, lost, adjusted_ns
    )
    if ruling.why not in SLOW:
        return state, event
    since_ns, early_ns = _slow_play_times(state)
    event = structs.replace(event, since_ns=since_ns, early_ns=early_ns)
    return _note_slow_play(state), event


def _warn(state: MatchState, ruling: inputs.PointsAwarded) -> Step:
    """Warn a player, for one of the director's reasons (EBF 2.3(i)(a), 4.2; NBgF 4-1-5)."""
    reason = RulingReason(ruling.why)
    if ruling.why in SLOW:
        state = _note_slow_play(state)
    player = state.players[ruling.side]
    count, reasons = player.warnings + 1, dict.fromkeys((*player.warned_for, reason))
    state = state.with_player(ruling.side, warnings=count, warned_for=tuple(reasons))
    return state, WarnedEvent(ruling.side, reason, count)


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


def set_score(state: MatchState, ruling: inputs.ScoreSet) -> Step:
    """Correct a player's score, as the score cards say (EBF 4.7, US 5.13)."""
    if not 0 <= ruling.points <= state.length:
        return refuse_ruling(state, "score_outside_match")
    old = state
    state = state.replace(score=state.score.put(ruling.side, ruling.points))
    adjusted_ns = None
    if ruling.adjust_banks:
        state, adjusted_ns = _follow_formula(old, state)
    if ruling.points == state.length and state.phase is not Phase.FINISHED:
        state = add_points(state, ruling.side, 0)
    elif ruling.crawford is not None:
        state = state.replace(crawford=ruling.crawford)
    elif state.turn is None:
        state = derive_crawford(state)
    return state, CorrectedEvent(
        "score",
        ruling.side,
        old.score[ruling.side],
        ruling.points,
        adjusted_ns,
        _flag_cleared(old, state),
        ruling.crawford.value if ruling.crawford else None,
        reason=ruling.reason,
    )


def _follow_formula(before: MatchState, after: MatchState) -> tuple[MatchState, int]:
    """Change both reserves by the difference that the formula makes; return it too (R70, R96)."""
    added_ns = after.bank_ns() - before.bank_ns()
    if added_ns:
        for side in Side:
            reserve_ns = before.reserve_ns(side, before.at_ns) + added_ns
            after = set_reserve(after, side, reserve_ns if after.flagless else max(0, reserve_ns))
    return after, added_ns


def set_length(state: MatchState, ruling: inputs.LengthSet) -> Step:
    """Correct the length, between games and unless that ends the match (EBF 4.8).

    On request both reserves change by the difference that the formula makes (R70).
    """
    if state.phase not in BETWEEN_GAMES:
        return refuse_ruling(state, "not_between_games")
    if ruling.length <= max(state.score):
        return refuse_ruling(state, "length_ends_match")
    old, added_ns = state, 0
    state = _change_length(state, ruling.length)
    if ruling.adjust_banks:
        state, added_ns = _follow_formula(old, state)
    cleared = _flag_cleared(old, state)
    changed = (old.length, ruling.length, added_ns, cleared)
    return state, CorrectedEvent("length", None, *changed, reason=ruling.reason)


def shorten(state: MatchState, ruling: inputs.MatchShortened) -> Step:
    """Shorten the match for slow play by both players; that may decide it (NBgF 2-3-1)."""
    old, length = state.length, max(1, state.length - SHORTEN_BY)
    leader = max(Side, key=lambda side: state.score[side])
    if state.score[leader] >= length and state.score.left == state.score.right:
        return refuse_ruling(state, "length_ends_match")
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


def set_crawford(state: MatchState, ruling: inputs.CrawfordSet) -> Step:
    """Correct the Crawford status (EBF 4.4(iv)), or take it as the players say it (R107)."""
    change = (state.crawford.value, ruling.crawford.value)
    event = CorrectedEvent("crawford", None, *change, by=ruling.by, reason=ruling.reason)
    return state.replace(crawford=ruling.crawford), event


def swap_sides(state: MatchState, ruling: inputs.SidesSwapped) -> Step:
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


def set_names(state: MatchState, ruling: inputs.NamesSet) -> Step:
    """Correct the players' names; the log keeps those before."""
    old, new = list[int | str](state.names), list[int | str](ruling.names)
    return state.replace(names=ruling.names), CorrectedEvent("names", None, old, new)


def set_breaks(state: MatchState, ruling: inputs.BreaksSet) -> Step:
    """Correct how many breaks a player has taken, which may allow one more."""
    old = state.players[ruling.side].breaks_taken
    state = state.with_player(ruling.side, breaks_taken=ruling.taken)
    return state, CorrectedEvent(
        "breaks_taken", ruling.side, old, ruling.taken, reason=ruling.reason
    )


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


def set_time(state: MatchState, ruling: inputs.TimeSet) -> Step:
    """Set a player's reserve (EBF 3.7(ii), 4.3(iv)); in practice it may be below 0."""
    if state.settings.rules.pace is not None:
        return refuse_ruling(state, "no_limit")
    if ruling.new_ns < 0 and not state.flagless:
        return refuse_ruling(state, "negative_time")
    old_ns = state.reserve_ns(ruling.side, ruling.at_ns)
    cleared = state.players[ruling.side].flag is not None and ruling.new_ns > 0
    state = set_reserve(state, ruling.side, ruling.new_ns)
    return state, AdjustedEvent(
        ruling.side, old_ns, ruling.new_ns, ruling.why, cleared, ruling.reason
    )


def grant_overtime(state: MatchState, ruling: inputs.OvertimeGranted) -> Step:
    """Grant a player overtime; what the rules give once comes with a warning (USBGF, quoted)."""
    if ruling.granted_ns <= 0:
        return refuse_ruling(state, "negative_time")
    if state.flagless:
        return refuse_ruling(state, "no_flags")
    before, old_ns = state, state.reserve_ns(ruling.side, ruling.at_ns)
    new_ns = old_ns + ruling.granted_ns
    player, rules = state.players[ruling.side], state.settings.rules
    warned = bool(player.flag and rules.overtime_called and not player.overtime_used)
    count = player.warnings + 1 if warned else 0
    state = set_reserve(state, ruling.side, new_ns).with_player(
        ruling.side, overtime_used=True, warnings=player.warnings + warned
    )
    cleared = _flag_cleared(before, state)
    return state, OvertimeEvent(
        ruling.side, old_ns, new_ns, DIRECTOR, cleared, ruling.reason, count
    )


def _flag_cleared(before: MatchState, after: MatchState) -> bool:
    return any(before.players[side].flag and not after.players[side].flag for side in Side)


def begin_times(state: MatchState, ruling: inputs.TimesBegun) -> Step:
    """Turn pace mode into a timed match: banks by the formula at this score (EBF 2.3(i)(b))."""
    if state.settings.rules.pace is None:
        return refuse_ruling(state, "already_timed")
    rules = state.settings.rules.timed()
    state = state.replace(settings=structs.replace(state.settings, rules=rules))
    bank_ns = state.bank_ns()
    state = state.with_both_players(account=Account(bank_ns)).forget_reserves(*Side)
    return state, CorrectedEvent(
        "pace", None, old=True, new=False, adjusted_ns=bank_ns, reason=ruling.reason
    )


def reset_banks(state: MatchState, ruling: inputs.BanksReset) -> Step:
    """Set both banks by the formula at the present score, and clear the flags (NBgF 4-3-3)."""
    if state.settings.rules.pace is not None:
        return refuse_ruling(state, "no_limit")
    old: list[int | str] = [state.reserve_ns(side, ruling.at_ns) for side in Side]
    before, new_ns = state, state.bank_ns()
    for side in Side:
        state = set_reserve(state, side, new_ns)
    new, cleared = list[int | str]([new_ns, new_ns]), _flag_cleared(before, state)
    return state, CorrectedEvent(
        "banks", None, old, new, flag_cleared=cleared, reason=ruling.reason
    )


def set_flag(state: MatchState, ruling: inputs.FlagSet) -> Step:
    """Clear a flag, or enter one as it stood on another clock (EBF 3.7(ii))."""
    if state.flagless:
        return refuse_ruling(state, "no_flags")
    before, flag = state, state.players[ruling.side].flag
    old = flag.order if flag else 0
    if ruling.order:
        state = state.with_player(ruling.side, flag=Flag(ruling.order, None))
    else:
        state = clear_flag(state, ruling.side)
    cleared = _flag_cleared(before, state)
    return state, CorrectedEvent(
        "flag", ruling.side, old, ruling.order, flag_cleared=cleared, reason=ruling.reason
    )


def rule_delay(state: MatchState, ruling: inputs.DelayRuled) -> Step:
    """Rule how a player's next turn begins: its delay, or off the clock.

    EBF 4.1(v)(b), NBgF 4-1-6.
    """
    if ruling.this_turn and state.turn is not None:
        return _rule_this_delay(state, ruling, state.turn)
    old, new = state.players[ruling.side].next_delay, ruling.delay
    if not state.settings.rules.delay_ns and new is not NextDelay.FREE:
        new = NextDelay.FULL
    state = state.with_player(ruling.side, next_delay=new)
    change = (_next_turn(state, old), _next_turn(state, new))
    return state, CorrectedEvent("next_delay", ruling.side, *change, reason=ruling.reason)


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


def _rule_this_delay(state: MatchState, ruling: inputs.DelayRuled, turn: Turn) -> Step:
    """Give the stopped turn its whole delay, or none: what it used counts against that (R111)."""
    old, side = state, turn.side
    delay_ns = state.settings.rules.delay_ns if ruling.delay is NextDelay.FULL else 0
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
        reason=ruling.reason,
    )


def delay_of(turn: Turn) -> NextDelay:
    """Return the delay that a turn was begun with."""
    if turn.free:
        return NextDelay.FREE
    if turn.must_wait:
        return NextDelay.WAIT
    return NextDelay.FULL if turn.delay_ns else NextDelay.SKIP
