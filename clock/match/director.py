"""What the TD does beside corrections: absence, offers, starting a clock, ending, reopening.

The restoration of a match after a power cut is here too.
"""

from msgspec import convert, structs

from clock.match import events, inputs
from clock.match.inputs import DIRECTOR
from clock.match.lateness import clock_for_points
from clock.match.rules import Reason, RulingReason
from clock.match.scoring import next_leg
from clock.match.state import AT_REST, MatchState, Player, Step, as_json
from clock.match.timecontrol import Turn
from clock.match.turns import (
    charge_turn,
    fresh,
    refuse,
    restart,
    resume,
    start_turn,
    turn_on_clock,
)
from clock.match.types import Button, NextDelay, Pair, Phase, ResumeWith, Side


def approve(state: MatchState, ruling: inputs.Approved) -> Step:
    """Approve the settings (EBF 3.5(iii)); in REVIEW this confirms them for both players."""
    if state.phase is Phase.REVIEW:
        state = state.with_both_players(confirmed=True)
    return state, events.ConfirmedEvent(DIRECTOR)


def make_offer(state: MatchState, made: inputs.OfferMade) -> Step:
    """FINISHED, PUT_ASIDE: let an offer of the next match stand, until it is taken or refused."""
    offer = made.offer
    return state.replace(next_offer=offer), events.OfferMadeEvent(offer.id, offer.settings)


def propose(state: MatchState, proposed: inputs.RulingProposed) -> Step:
    """Let a proposed ruling stand, in place of one before it, until the match goes on."""
    found = proposed.proposal
    event = events.RulingProposedEvent(found.id, found.by, found.item, found.answers)
    return state.replace(proposal=found), event


def refuse_offer(state: MatchState, refused: inputs.OfferRefused) -> Step:
    """Record that an offer or a proposed ruling was refused; then it stands no more."""
    if state.next_offer is not None and state.next_offer.id == refused.offer:
        state = state.replace(next_offer=None)
    if state.proposal is not None and state.proposal.id == refused.offer:
        state = state.replace(proposal=None)
    said = refused.why, refused.key, refused.values
    return state, events.OfferRefusedEvent(refused.offer, refused.by, *said)


def start_absent_clock(state: MatchState, ruling: inputs.AbsentClockStarted) -> Step:
    """Start an absent player's clock, delay first; the centre button stops it (NBgF 2-2-4).

    This ends a break. Under rules with a choice it takes the place of the points (WBGF 2.2(iv)).
    """
    state = clock_for_points(state, ruling.side)
    state = state.replace(pause=None).with_player(ruling.side, absence=None)
    state = start_turn(state, ruling.side, ruling.at_ns)
    turn = structs.replace(turn_on_clock(state), since_ns=ruling.at_ns, free=False, absent=True)
    event = events.LateEvent(ruling.side, 0, "clock-started", DIRECTOR, forfeits=False)
    return state.replace(phase=Phase.RUNNING, turn=turn), event


def remove_clock(state: MatchState, ruling: inputs.ClockRemoved) -> Step:
    """Let the rest of the match be played without a clock (EBF 4.3(iii))."""
    state = charge_turn(state, ruling.at_ns).replace(phase=Phase.NO_CLOCK, held=False, pause=None)
    state = state.replace(clock_removed=True, game_points=Pair(0, 0))
    return state, events.CorrectedEvent("clock", None, old=True, new=False, reason=ruling.reason)


def resume_turn(state: MatchState, ruling: inputs.TurnResumed) -> Step:
    """Resume the stopped turn exactly, or start either side's clock with a full delay.

    The turn that was interrupted by a reason carried out by mistake is resumed exactly too (R111).
    """
    turn, interrupted = state.turn, state.interrupted
    if turn is not None and turn.side is ruling.side:
        if _is_exact(turn, ruling.delay):
            return resume(state, ruling.at_ns, DIRECTOR)
    elif interrupted is not None and _is_exact(interrupted, ruling.delay):
        return resume(_taken_up(state, interrupted), ruling.at_ns, DIRECTOR)
    delay = fresh(state, ResumeWith.FULL if ruling.delay is ResumeWith.REST else ruling.delay)
    state = state.with_player(ruling.side, next_delay=NextDelay.FULL)
    event = events.ResumedEvent(state.reason, ruling.side, delay, DIRECTOR)
    return restart(state, ruling.side, delay, ruling.at_ns), event


def _is_exact(turn: Turn, delay: ResumeWith) -> bool:
    """Return whether a turn that was off the clock stays so, or any turn goes on as it was."""
    return delay is ResumeWith.REST or (turn.free and delay is ResumeWith.FREE)


def _taken_up(state: MatchState, interrupted: Turn) -> MatchState:
    """Return the match with an interrupted turn stopped again, and the turn after it uncharged."""
    side = interrupted.side
    account = state.players[side].account.charge(-interrupted.reserve_used_ns(state.at_ns))
    state = state.with_player(side, account=account, next_delay=NextDelay.FULL)
    return state.replace(turn=interrupted, interrupted=None)


def lift_hold(state: MatchState, ruling: inputs.HoldLifted) -> Step:
    """Let the players go on by themselves; the clock stays stopped (NBgF 4-3-2)."""
    if not state.held:
        return state, None
    state = state.replace(held=False, reason=Reason.UNSPECIFIED)
    return state, events.CorrectedEvent("held", None, old=True, new=False, reason=ruling.reason)


def end_match(state: MatchState, ruling: inputs.MatchEnded) -> Step:
    """End the match for time, lateness, gin or by decision.

    In a best of three a winner wins one leg; without a winner the whole match ends.
    """
    if ruling.winner is not None:
        state = state.replace(legs=state.legs.update(ruling.winner, lambda legs: legs + 1))
        if state.champion is None:
            return next_leg(state), _match_over(state, ruling.winner, ruling.why, ruling.reason)
    return finish(state, ruling.winner, ruling.why, ruling.reason)


def finish(
    state: MatchState, winner: Side | None, why: str, reason: RulingReason | None = None
) -> Step:
    """Finish the match, all legs of it."""
    event = _match_over(state, winner, why, reason)
    state = state.replace(phase=Phase.FINISHED, winner=winner, ended=why, held=False, pause=None)
    return state, event


def _match_over(
    state: MatchState, winner: Side | None, why: str, reason: RulingReason | None
) -> events.MatchOverEvent:
    """Return the event, which notes the flags that were never announced (EBF 4.3(iii), R44)."""
    unclaimed = [] if why in {"time", "gin"} else state.unclaimed_flags
    return events.MatchOverEvent(winner, why, state.score, unclaimed, reason)


def adjourn(state: MatchState, ruling: inputs.Adjourned) -> Step:
    """Adjourn the match (R131); a break is then over, and nobody is late any more.

    So no instant of this clock counts, and the times stay as they are for years.
    """
    turn, phase = state.turn, state.phase
    event = events.AdjournedEvent(phase.value, turn.side if turn else None)
    goes_on = Phase.READY if phase is Phase.BREAK else phase
    state = state.with_both_players(absence=None)
    return state.replace(phase=Phase.PUT_ASIDE, put_aside_in=goes_on, pause=None), event


def reopen(state: MatchState, ruling: inputs.Reopened) -> Step:
    """Reopen a closed game or match with the times that it ended with (EBF 4.4(iv)(c)).

    What decided it by points is taken back: the points of its last game are entered anew. A match
    that goes on without a clock gets it back. With a score that has decided the match, entered
    after the director had ended it, nothing can be played: the score has to be corrected first.
    """
    before = state
    removed = state.clock_removed and state.phase is not Phase.NO_CLOCK
    state = state.replace(
        phase=Phase.READY if state.turn is None else Phase.STOPPED,
        clock_removed=removed,
        winner=None,
        ended="",
        reason=Reason.UNSPECIFIED,
        game_points=Pair(0, 0),
        next_offer=None,
    )
    if removed:
        state = state.replace(phase=Phase.NO_CLOCK)
    forgotten, state = _undecided(state, keeps=False), _undecided(state, keeps=ruling.keeps)
    if max(state.score) >= state.length:
        return refuse(before, Button.CENTRE, "length_ends_match")
    return state, events.ReopenedEvent(before.phase.value, kept=state.score != forgotten.score)


def undo(state: MatchState, ruling: inputs.Undone) -> Step:
    """Take back what was confirmed last, whole: the match is as it was before (R212).

    An offer of the next match, made since, falls if this one is not over any more.
    """
    if state.done is None:
        return state, None
    fields = {**as_json(state), **state.done.before, "done": None}
    before = convert(fields, MatchState)
    if before.phase not in AT_REST:
        before = before.replace(next_offer=None)
    return before, events.UndoneEvent(as_json(state.done.event))


def _undecided(state: MatchState, *, keeps: bool) -> MatchState:
    """Return the match before what decided it by points, unless the score was corrected since.

    The opponent's points decided nothing: a correction of them stays, if it is to be kept.
    """
    champion, decision = state.champion, state.decision
    if champion is None:
        return state
    state = state.replace(legs=state.legs.update(champion, lambda legs: legs - 1), decision=None)
    if decision is None or max(state.score) < state.length:
        return state
    loser = champion.other
    score = decision.score.put(loser, state.score[loser]) if keeps else decision.score
    state = state.replace(score=score, length=decision.length, crawford=decision.crawford)
    if not any(decision.game_points):
        return state
    points, scored = decision.game_points, decision.why == "score"
    games = state.games - 1 if scored else state.games
    return state.replace(phase=Phase.GAME_OVER, game_points=points, games=games)


def restore(state: MatchState, restored: inputs.Restored) -> Step:
    """Restore the match after a power cut: stopped, with the last times known.

    One that was adjourned is resumed where it was (R131).
    """
    if state.put_aside_in is not None and restored.why in inputs.TAKES_UP:
        state = state.replace(phase=state.put_aside_in, put_aside_in=None)
    state = state.replace(done=None)
    if not restored.same_boot:
        state = _void_instants(state, restored.at_ns)
    if state.turn is not None and restored.used_ns is not None:
        turn = structs.replace(state.turn, used_ns=restored.used_ns)
        state = state.replace(turn=turn)
    if state.phase in (Phase.RUNNING, Phase.FREE_TURN):
        state = state.replace(phase=Phase.STOPPED, reason=Reason.POWER_LOSS)
    event = events.RestoredEvent(
        restored.why,
        restored.used_ns,
        restored.lost_ns,
        same_boot=restored.same_boot,
        in_menu=restored.in_menu,
    )
    return state, event


def _void_instants(state: MatchState, at_ns: int) -> MatchState:
    """Drop the instants of another boot; breaks and absences count from `at_ns` again."""
    step_ns = state.settings.rules.late_step_ns
    return state.replace(
        players=state.players.map(lambda player: _void_player_instants(player, at_ns, step_ns)),
        slow_play_ns=None,
        pause=state.pause and structs.replace(state.pause, since_ns=at_ns, points=0),
    )


def _void_player_instants(player: Player, at_ns: int, late_step_ns: int) -> Player:
    """Drop the instant of the flag, and keep the points proposed for an absence that goes on."""
    flag = player.flag and structs.replace(player.flag, at_ns=None)
    absence = player.absence
    if absence is not None:
        absence = structs.replace(absence, since_ns=at_ns - absence.points * late_step_ns)
    return structs.replace(player, flag=flag, absence=absence)
