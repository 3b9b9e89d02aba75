"""Which input does what in which phase: the transitions of the machine, as data.

`TABLE` has an entry for every pair; where an input means nothing, the entry says so. The director's
acts have one for every phase in which they make sense, and in none of them a clock runs.

The one rule: nobody else decides what an input does.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from clock.match import adjustments as adjusting, corrections as correcting, director, inputs, ledger, turns as playing, stops as stopping
from clock.match.events import FaultClearedEvent, FaultEvent
from clock.match.inputs import BreakTaken, CentrePressed, FaultCleared, FaultSeen, Input, Noted, Pressed, Restored, TimePassed
from clock.match.state import MatchState, Step
from clock.match.phases import Phase


class Row(NamedTuple):
    """An entry of the table: what an input does, and the phases it can lead to."""

    # The input's type is the row's key, which a type checker cannot tie to the function's argument.
    do: Callable[[MatchState, Any], Step]
    to: tuple[Phase, ...]


def _ignored(state: MatchState, _: Input) -> Step:
    return state, None


def _fault(state: MatchState, seen: FaultSeen) -> Step:
    return state, FaultEvent(seen.part, seen.what)


def _fault_cleared(state: MatchState, cleared: FaultCleared) -> Step:
    return state, FaultClearedEvent(cleared.part)


_REVIEW, _READY, _RUNNING, _STOPPED = Phase.REVIEW, Phase.READY, Phase.RUNNING, Phase.STOPPED
_FREE, _OVER, _BREAK = Phase.FREE_TURN, Phase.GAME_OVER, Phase.BREAK
_NO_CLOCK, _FINISHED = Phase.NO_CLOCK, Phase.FINISHED

STILL = (_REVIEW, _READY, _STOPPED, _OVER, _BREAK, _NO_CLOCK, _FINISHED)  # no clock runs
_BETWEEN = (_REVIEW, _READY, _STOPPED, _OVER, _BREAK)

BUTTONS: dict[tuple[Phase, type[Input]], Row] = {
    (_REVIEW, Pressed): Row(playing.confirm, (_REVIEW,)),
    (_REVIEW, CentrePressed): Row(playing.close_review, (_REVIEW, _READY)),
    (_READY, Pressed): Row(playing.begin_game, (_RUNNING,)),
    (_READY, CentrePressed): Row(playing.no_break, (_READY,)),
    (_READY, BreakTaken): Row(ledger.start_break, (_READY, _BREAK)),
    (_RUNNING, Pressed): Row(playing.end_turn, (_RUNNING,)),
    (_RUNNING, CentrePressed): Row(stopping.stop, (_STOPPED, _READY)),
    (_STOPPED, Pressed): Row(stopping.choose_reason, (_STOPPED,)),
    (_STOPPED, CentrePressed): Row(stopping.carry_out, (_RUNNING, _STOPPED, _FREE, _OVER)),
    (_FREE, Pressed): Row(playing.end_free_turn, (_FREE, _RUNNING)),
    (_FREE, CentrePressed): Row(stopping.stop, (_STOPPED,)),
    (_OVER, Pressed): Row(playing.add_point, (_OVER,)),
    (_OVER, CentrePressed): Row(playing.close_game, (_OVER, _READY)),
    (_BREAK, Pressed): Row(playing.no_effect, (_BREAK,)),
    (_BREAK, CentrePressed): Row(ledger.end_break, (_READY,)),
    (_NO_CLOCK, Pressed): Row(playing.no_effect, (_NO_CLOCK,)),
    (_NO_CLOCK, CentrePressed): Row(playing.no_effect, (_NO_CLOCK,)),
    (_FINISHED, Pressed): Row(playing.no_effect, (_FINISHED,)),
    (_FINISHED, CentrePressed): Row(playing.no_effect, (_FINISHED,)),
}

# Each act: the phases in which it means something, what it does, where it leads (None: nowhere).
ACTS: dict[type[Input], tuple[tuple[Phase, ...], Callable[[MatchState, Any], Step], Phase | None]]
ACTS = {
    inputs.Approved: ((_REVIEW, _READY, _STOPPED, _BREAK), director.approve, None),
    inputs.TimeSet: (STILL, adjusting.set_time, None),
    inputs.FlagSet: (STILL, adjusting.set_flag, None),
    inputs.OvertimeGranted: (_BETWEEN, adjusting.grant_overtime, None),
    inputs.DelayRuled: (_BETWEEN, adjusting.rule_delay, None),
    inputs.PointsAwarded: ((*_BETWEEN, _NO_CLOCK), correcting.award_points, _READY),
    inputs.ScoreSet: (STILL, correcting.set_score, _READY),
    inputs.LengthSet: (STILL, correcting.set_length, None),
    inputs.MatchShortened: ((*_BETWEEN, _NO_CLOCK), correcting.shorten, _READY),
    inputs.CrawfordSet: (STILL, correcting.set_crawford, None),
    inputs.SidesSwapped: (STILL, correcting.swap_sides, None),
    inputs.BreaksSet: (STILL, correcting.set_breaks, None),
    inputs.AbsenceNoted: ((_REVIEW, _READY), director.note_absence, None),
    inputs.AbsentClockStarted: ((_REVIEW, _READY), director.start_absent_clock, _RUNNING),
    inputs.BanksReset: (STILL, adjusting.reset_banks, None),
    inputs.ClockRemoved: (_BETWEEN, director.remove_clock, _NO_CLOCK),
    inputs.TurnResumed: ((_READY, _STOPPED), director.resume_turn, _RUNNING),
    inputs.HoldLifted: ((_STOPPED,), director.lift_hold, None),
    inputs.MatchEnded: ((*_BETWEEN, _NO_CLOCK), director.end_match, _FINISHED),
    inputs.Reopened: ((_OVER, _NO_CLOCK, _FINISHED), director.reopen, _READY),
    inputs.MatchWanted: ((_REVIEW, _FINISHED), _ignored, None),  # the runtime opens a new match
}


def _table() -> dict[tuple[Phase, type[Input]], Row]:
    every: tuple[type[Input], ...] = (Pressed, CentrePressed, BreakTaken, *ACTS)
    table = {(phase, kind): Row(_ignored, (phase,)) for phase in Phase for kind in every}
    for phase in Phase:
        table[phase, TimePassed] = Row(_ignored, (phase,))
        table[phase, BreakTaken] = Row(ledger.deny_break, (phase,))
        table[phase, Noted] = Row(playing.noted, (phase,))
        table[phase, FaultSeen] = Row(_fault, (phase,))
        table[phase, FaultCleared] = Row(_fault_cleared, (phase,))
        still = _STOPPED if phase in (_RUNNING, _FREE) else phase
        table[phase, Restored] = Row(director.restore, (still,))
    for kind, (phases, do, to) in ACTS.items():
        table |= {
            (phase, kind): Row(do, (phase,) if to is None else (phase, to)) for phase in phases
        }
    table[_OVER, inputs.Reopened] = Row(director.reopen, (_STOPPED,))
    table[_STOPPED, inputs.TurnResumed] = Row(director.resume_turn, (_STOPPED, _RUNNING, _FREE))
    for phase in ACTS[inputs.MatchEnded][0]:
        table[phase, inputs.MatchEnded] = Row(director.end_match, (_READY, _FINISHED))
    table[_FINISHED, inputs.Reopened] = Row(director.reopen, (_STOPPED, _READY))
    return table | BUTTONS


TABLE = _table()
