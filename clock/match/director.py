"""The director rules: who is absent, which clock starts, how a match ends and goes on again.

`adjusting` has what he does to times, `correcting` to the score. All are entries of the machine's
table, reached only while no clock runs. The one rule: one act, one line of the log.
"""

from msgspec import structs

from clock.match.adjustments import DIRECTOR
from clock.match.events import ConfirmedEvent, CorrectedEvent, LateEvent, MatchOverEvent, ReopenedEvent, RestoredEvent, ResumedEvent
from clock.match.inputs import AbsenceNoted, AbsentClockStarted, Approved, ClockRemoved, HoldLifted, MatchEnded, Reopened, Restored, TurnResumed
from clock.match.ledger import late_event, next_leg
from clock.match.state import Absence, MatchState, Player, Step, settled
from clock.match.phases import NextDelay, Phase, ResumeWith
from clock.match.turns import restart, resume, start_turn
from clock.match.rules import Reason
from clock.match.sides import Pair, Side


def approve(state: MatchState, act: Approved) -> Step:
    """The director checked the settings, before the match begins or goes on (EBF 3.5(iii)).

    In REVIEW that stands for both players' confirmation.
    """
    if state.phase is Phase.REVIEW:
        for side in Side:
            state = state.with_player(side, confirmed=True)
    return state, ConfirmedEvent(DIRECTOR)


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
    """The clock came back: stopped, with the last times known."""
    if not restored.same_boot:
        state = _on_another_boot(state, restored.at_ns)
    if state.turn is not None and restored.used_ns is not None:
        turn = structs.replace(state.turn, used_ns=restored.used_ns, since_ns=None)
        state = state.replace(turn=turn)
    if state.phase in (Phase.RUNNING, Phase.FREE_TURN):
        state = state.replace(phase=Phase.STOPPED, reason=Reason.POWER_LOSS)
    event = RestoredEvent(
        restored.why, restored.used_ns, restored.lost_ns, same_boot=restored.same_boot
    )
    return state, event


def _on_another_boot(state: MatchState, at_ns: int) -> MatchState:
    """A match whose instants are void: nobody knows for how long the power was off."""
    step_ns = state.settings.rules.late_step_ns
    return state.replace(
        at_ns=at_ns,
        players=state.players.map(lambda player: _rebased(player, at_ns, step_ns)),
        pause=state.pause and structs.replace(state.pause, since_ns=at_ns, points=0),
        recent=tuple(structs.replace(press, at_ns=None) for press in state.recent),
    )


def _rebased(player: Player, at_ns: int, late_step_ns: int) -> Player:
    """A player without instants of the old boot: no margin of flags, lateness counts from here."""
    flag = player.flag and structs.replace(player.flag, at_ns=None)
    absence = player.absence
    if absence is not None:
        absence = structs.replace(absence, since_ns=at_ns - absence.points * late_step_ns)
    return structs.replace(player, flag=flag, absence=absence)
