"""What the director does to a match: put right times, flags, points, sides; end it, reopen it.

Each function is an entry of the table in `machine`; it is reached only while no clock runs. The one
rule: one act, one line of the log, with the old value, the new one and why.
"""

from msgspec import structs

from clock.events import (
    AdjustedEvent,
    AnyEvent,
    ConfirmedEvent,
    CorrectedEvent,
    LateEvent,
    MatchOverEvent,
    OvertimeEvent,
    PenaltyEvent,
    ReopenedEvent,
    RestoredEvent,
    ResumedEvent,
)
from clock.inputs import (
    AbsenceNoted,
    AbsentClockStarted,
    Approved,
    BanksReset,
    BreaksSet,
    ClockRemoved,
    CrawfordSet,
    DelayRuled,
    FlagSet,
    HoldLifted,
    LengthSet,
    MatchEnded,
    MatchShortened,
    OvertimeGranted,
    PointsAwarded,
    Reopened,
    Restored,
    ScoreSet,
    SidesSwapped,
    TimeSet,
    TurnResumed,
)
from clock.ledger import forfeits, late_event, next_leg, with_points
from clock.match import Absence, Flag, MatchState, Player, settled
from clock.phases import Crawford, NextDelay, Phase, ResumeWith
from clock.playing import refused, restart, resume, start_turn
from clock.rules import Reason
from clock.sides import Button, Pair, Side

Step = tuple[MatchState, AnyEvent | None]

DIRECTOR = "director"
BONUS = "bonus"  # the reason of points that are no penalty (NBgF 2-3-1)
SHORTEN_BY = 2  # points (NBgF 2-3-1)


def _refused(state: MatchState, why: str) -> Step:
    return state, refused(Button.CENTRE, why)


# --- time -------------------------------------------------------------------------------------


def approve(state: MatchState, act: Approved) -> Step:
    """The director checked the settings, before the match begins or goes on (EBF 3.5(iii)).

    In REVIEW that stands for both players' confirmation.
    """
    if state.phase is Phase.REVIEW:
        for side in Side:
            state = state.with_player(side, confirmed=True)
    return state, ConfirmedEvent(DIRECTOR)


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


def _given(state: MatchState, side: Side, new_ns: int) -> MatchState:
    """The state with a new reserve; time for a flagged player clears his flag (R66)."""
    state = _with_reserve(state, side, new_ns)
    return _unflagged(state, side) if new_ns > 0 else state


def set_time(state: MatchState, act: TimeSet) -> Step:
    """A reserve is set (EBF 3.7(ii), 4.3(iv)); time for a flagged player clears his flag."""
    if act.new_ns < 0:
        return _refused(state, "negative_time")
    old_ns = state.reserve_ns(act.side, act.at_ns)
    cleared = state.players[act.side].flag is not None and act.new_ns > 0
    state = _given(state, act.side, act.new_ns)
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
        return _refused(state, "negative_time")
    old_ns = state.reserve_ns(act.side, act.at_ns)
    new_ns = old_ns + act.granted_ns
    state = _given(state, act.side, new_ns).with_player(act.side, overtime_used=True)
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
        state = _given(state, side, new_ns)
    return state, CorrectedEvent("banks", None, old, [new_ns, new_ns])


# --- score and length -------------------------------------------------------------------------


def award_points(state: MatchState, act: PointsAwarded) -> Step:
    """Points against one player; whether they count in the match the rules say (EBF 2.2(iv))."""
    offender, winner = act.side, act.side.other
    lost = False
    if act.why != BONUS:
        points = state.players[offender].penalty_points + act.points
        state = state.with_player(offender, penalty_points=points)
        lost = forfeits(state, points)
    if act.why == BONUS or state.settings.rules.penalty_points_score:
        between = state.turn is None and state.phase in (Phase.REVIEW, Phase.READY, Phase.BREAK)
        state = with_points(state, winner, act.points)
        if between and state.champion is None:
            state = _crawford_derived(state)
    return state, PenaltyEvent(offender, winner, act.points, act.why, state.score, lost)


def set_score(state: MatchState, act: ScoreSet) -> Step:
    """The score is corrected; the players' cards decide (EBF 4.7, US 5.13)."""
    old = state.score[act.side]
    if not 0 <= act.points <= state.length:
        return _refused(state, "score_outside_match")
    state = state.replace(score=state.score.put(act.side, act.points))
    if act.points == state.length and state.phase is not Phase.FINISHED:
        state = with_points(state, act.side, 0)
    elif state.turn is None:
        state = _crawford_derived(state)
    return state, CorrectedEvent("score", act.side, old, act.points)


def set_length(state: MatchState, act: LengthSet) -> Step:
    """The length is corrected: between games, and not if that ends the match (EBF 4.8)."""
    if state.phase not in (Phase.REVIEW, Phase.READY, Phase.BREAK):
        return _refused(state, "not_between_games")
    if act.length <= max(state.score):
        return _refused(state, "length_ends_match")
    old = state.length
    return _with_length(state, act.length, adjust=act.adjust_banks, old=old, what="length")


def shorten(state: MatchState, act: MatchShortened) -> Step:
    """Two points shorter, for slow play by both; that may decide the match (NBgF 2-3-1)."""
    length = max(1, state.length - SHORTEN_BY)
    leader = max(Side, key=lambda side: state.score[side])
    tied = state.score.left == state.score.right
    if state.score[leader] >= length and tied:
        return _refused(state, "length_ends_match")
    shorter, event = _with_length(
        state, length, adjust=False, old=state.length, what="length_shortened"
    )
    if shorter.score[leader] >= length:
        shorter = with_points(shorter, leader, 0)
    return shorter, event


def _with_length(
    state: MatchState, length: int, *, adjust: bool, old: int, what: str
) -> tuple[MatchState, AnyEvent | None]:
    """The match at another length; the banks differ by the formula's difference (R70)."""
    before = state.bank_ns()
    state = state.replace(length=length)
    difference = state.bank_ns() - before if adjust else 0
    for side in Side:
        left = max(0, state.reserve_ns(side, state.at_ns) + difference)
        state = _given(state, side, left) if difference else state
    if state.turn is None:
        state = _crawford_derived(state)
    return state, CorrectedEvent(what, None, old, length, difference)


def _crawford_derived(state: MatchState) -> MatchState:
    """The Crawford status derived anew after a correction between games."""
    if 1 not in state.away:
        return state.replace(crawford=Crawford.BEFORE)
    if state.crawford is Crawford.BEFORE:
        return state.replace(crawford=Crawford.NOW)
    return state


def set_crawford(state: MatchState, act: CrawfordSet) -> Step:
    """The Crawford status is corrected (EBF 4.4(iv))."""
    event = CorrectedEvent("crawford", None, state.crawford.value, act.crawford.value)
    return state.replace(crawford=act.crawford), event


def swap_sides(state: MatchState, act: SidesSwapped) -> Step:
    """The players change sides with all that is theirs (EBF 3.5(iv))."""
    old, new = list(state.names), list(state.names.swapped())
    turn = state.turn and structs.replace(state.turn, side=state.turn.side.other)
    state = state.replace(
        players=state.players.swapped(),
        names=state.names.swapped(),
        score=state.score.swapped(),
        legs=state.legs.swapped(),
        game_points=state.game_points.swapped(),
        turn=turn,
        recent=(),
        winner=state.winner and state.winner.other,
    )
    return state, CorrectedEvent("sides", None, ", ".join(old), ", ".join(new))


def set_breaks(state: MatchState, act: BreaksSet) -> Step:
    """The breaks a player has had are corrected; the director may so allow one more."""
    old = state.players[act.side].breaks_taken
    state = state.with_player(act.side, breaks_taken=act.taken)
    return state, CorrectedEvent("breaks_taken", act.side, old, act.taken)


# --- absence ----------------------------------------------------------------------------------


def note_absence(state: MatchState, act: AbsenceNoted) -> Step:
    """The match is due and a player is missing: his lateness counts from now (EBF 2.2(iv))."""
    absence = Absence(act.at_ns, before=state.players[act.side].penalty_points)
    state = state.with_player(act.side, absence=absence)
    return state, late_event(state, act.side, 0, DIRECTOR)


def start_absent_clock(state: MatchState, act: AbsentClockStarted) -> Step:
    """An absent player's clock runs, delay first; the centre stops it (NBgF 2-2-4)."""
    state = state.with_player(act.side, absence=None)
    state = start_turn(state, act.side, act.at_ns)
    turn = state.turn and structs.replace(state.turn, absent=True)
    event = LateEvent(act.side, 0, "clock-started", DIRECTOR, forfeits=False)
    return state.replace(turn=turn), event


# --- the match --------------------------------------------------------------------------------


def remove_clock(state: MatchState, act: ClockRemoved) -> Step:
    """The rest of the match is played without a clock (EBF 4.3(iii))."""
    state = settled(state, act.at_ns).replace(phase=Phase.NO_CLOCK, held=False, pause=None)
    return state, CorrectedEvent("clock", None, old=True, new=False)


def resume_turn(state: MatchState, act: TurnResumed) -> Step:
    """The director starts a clock: the stopped turn exactly, or any side with a full delay."""
    if state.turn is not None and state.turn.side is act.side and act.delay is ResumeWith.REST:
        return resume(state, act.at_ns, DIRECTOR)
    delay = ResumeWith.FULL if act.delay is ResumeWith.REST else act.delay
    state = state.with_player(act.side, next_delay=NextDelay.FULL)
    event = ResumedEvent(state.reason, act.side, delay, DIRECTOR)
    return restart(state, act.side, delay, act.at_ns), event


def end_match(state: MatchState, act: MatchEnded) -> Step:
    """The director ends the match: time, lateness, gin, or his decision.

    One of a best of three makes way for the next; without a winner all of it ends.
    """
    winner = act.winner
    if winner is not None and state.legs[winner] + 1 < state.legs_needed:
        over = _over(state, winner, act.why)
        return next_leg(state.replace(legs=state.legs.update(winner, lambda n: n + 1))), over
    return finished(state, winner, act.why)


def _over(state: MatchState, winner: Side | None, why: str) -> MatchOverEvent:
    """Flags that nobody announced do not count, but are noted (EBF 4.3(iii), R44)."""
    unclaimed = [] if why in {"time", "gin"} else state.unclaimed_flags
    return MatchOverEvent(winner, why, state.score, unclaimed)


def lift_hold(state: MatchState, act: HoldLifted) -> Step:
    """The director has ruled: the players choose the reason anew, no clock runs (NBgF 4-3-2)."""
    if not state.held:
        return state, None
    state = state.replace(held=False, reason=Reason.UNSPECIFIED)
    return state, CorrectedEvent("held", None, old=True, new=False)


def finished(state: MatchState, winner: Side | None, why: str) -> Step:
    """The match is over."""
    over = _over(state, winner, why)
    state = state.replace(phase=Phase.FINISHED, winner=winner, ended=why, held=False, pause=None)
    return state, over


def reopen(state: MatchState, act: Reopened) -> Step:
    """A closed game or match goes on, with the times it ended with (EBF 4.4(iv)(c))."""
    event = ReopenedEvent(state.phase.value)
    if state.champion is not None:
        state = state.replace(legs=state.legs.update(state.champion, lambda legs: legs - 1))
    phase = Phase.READY if state.turn is None else Phase.STOPPED
    state = state.replace(
        phase=phase, winner=None, ended="", reason=Reason.UNSPECIFIED, game_points=Pair(0, 0)
    )
    return state, event


def restore(state: MatchState, restored: Restored) -> Step:
    """After a power cut: stopped, with the last times known; instants of that boot are void."""
    at_ns = restored.at_ns
    step_ns = state.settings.rules.late_step_ns
    state = state.replace(
        at_ns=at_ns,
        players=state.players.map(lambda player: _rebased(player, at_ns, step_ns)),
        pause=state.pause and structs.replace(state.pause, since_ns=at_ns, points=0),
        recent=tuple(structs.replace(press, at_ns=None) for press in state.recent),
    )
    if state.turn is not None and restored.used_ns is not None:
        turn = structs.replace(state.turn, used_ns=restored.used_ns, since_ns=None)
        state = state.replace(turn=turn)
    if state.phase in (Phase.RUNNING, Phase.FREE_TURN):
        state = state.replace(phase=Phase.STOPPED, reason=Reason.POWER_LOSS)
    return state, RestoredEvent(restored.why, restored.used_ns, restored.lost_ns)


def _rebased(player: Player, at_ns: int, late_step_ns: int) -> Player:
    """A player without instants of the old boot: no margin of flags, lateness counts from here."""
    flag = player.flag and structs.replace(player.flag, at_ns=None)
    absence = player.absence
    if absence is not None:
        absence = structs.replace(absence, since_ns=at_ns - absence.points * late_step_ns)
    return structs.replace(player, flag=flag, absence=absence)
