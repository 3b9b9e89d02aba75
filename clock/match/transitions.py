"""The transition table: what each input does in each phase, and the phases that it can lead to.

`TABLE` is total: it has an entry for every pair of a phase and an input. Where an input means
nothing, its entry says so. The director can act only in `DIRECTOR_PHASES`.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from clock.match import breaks, corrections, director, inputs, lateness, stops, turns
from clock.match.events import FaultClearedEvent, FaultEvent
from clock.match.inputs import (
    Adjourned,
    BreakTaken,
    CentrePressed,
    GameScored,
    Input,
    MatchEnded,
    Pressed,
    Reopened,
)
from clock.match.state import MatchState, Step
from clock.match.types import Phase

# A handler takes the type of input of its key in the table; a type checker cannot know that.
Handler = Callable[[MatchState, Any], Step]


class Transition(NamedTuple):
    """An entry of the table."""

    handler: Handler
    reachable: tuple[Phase, ...]


class DirectorRuling(NamedTuple):
    """A ruling of the director: where it is possible, and what it does."""

    phases: tuple[Phase, ...]
    handler: Handler
    leads_to: Phase | None = None  # beside the phase that it was done in


def _ignore(state: MatchState, _: Input) -> Step:
    return state, None


def _record_fault(state: MatchState, seen: inputs.FaultSeen) -> Step:
    return state, FaultEvent(seen.part, seen.what)


def _record_fault_cleared(state: MatchState, cleared: inputs.FaultCleared) -> Step:
    return state, FaultClearedEvent(cleared.part)


_REVIEW, _READY, _RUNNING, _STOPPED, _FREE_TURN, _GAME_OVER, _BREAK, _NO_CLOCK, *_AT_REST = Phase
_FINISHED, _PUT_ASIDE = _AT_REST

_UNDER_WAY = (_REVIEW, _READY, _STOPPED, _GAME_OVER, _BREAK)
DIRECTOR_PHASES = (*_UNDER_WAY, _NO_CLOCK, _FINISHED)  # no clock runs, and no free turn is played

BUTTONS: dict[tuple[Phase, type[Input]], Transition] = {  # any other press is refused
    (_REVIEW, Pressed): Transition(turns.confirm, (_REVIEW,)),
    (_REVIEW, CentrePressed): Transition(turns.close_review, (_REVIEW, _READY)),
    (_READY, Pressed): Transition(turns.begin_game, (_RUNNING, _FREE_TURN)),
    (_READY, CentrePressed): Transition(breaks.refuse_break, (_READY,)),
    (_READY, BreakTaken): Transition(breaks.start_break, (_READY, _BREAK)),
    (_RUNNING, Pressed): Transition(turns.end_turn, (_RUNNING, _FREE_TURN)),
    (_RUNNING, CentrePressed): Transition(stops.stop, (_STOPPED, _READY)),
    (_STOPPED, Pressed): Transition(stops.choose_reason, (_STOPPED,)),
    (_STOPPED, CentrePressed): Transition(
        stops.carry_out, (_RUNNING, _STOPPED, _FREE_TURN, _GAME_OVER)
    ),
    (_FREE_TURN, Pressed): Transition(turns.end_free_turn, (_FREE_TURN, _RUNNING)),
    (_FREE_TURN, CentrePressed): Transition(stops.stop, (_STOPPED,)),
    (_GAME_OVER, Pressed): Transition(turns.enter_point, (_GAME_OVER,)),
    (_GAME_OVER, CentrePressed): Transition(turns.close_game, (_GAME_OVER, _READY, _NO_CLOCK)),
    (_GAME_OVER, GameScored): Transition(turns.close_game, (_GAME_OVER, _READY, _NO_CLOCK)),
    (_BREAK, CentrePressed): Transition(breaks.end_break, (_READY,)),
    (_NO_CLOCK, CentrePressed): Transition(stops.end_game_without_clock, (_GAME_OVER,)),
}

# An offer that comes while a match waits at REVIEW opens another one, as a preset does.
OFFERS: dict[tuple[Phase, type[Input]], Transition] = {
    **{(each, inputs.OfferMade): Transition(director.make_offer, (each,)) for each in _AT_REST},
    **{
        (each, inputs.OfferRefused): Transition(director.refuse_offer, (each,))
        for each in (*DIRECTOR_PHASES, _PUT_ASIDE)
    },
    **{
        (each, inputs.RulingProposed): Transition(director.propose, (each,))
        for each in DIRECTOR_PHASES
    },
}

DIRECTOR_RULINGS: dict[type[Input], DirectorRuling] = {
    inputs.Approved: DirectorRuling((_REVIEW, _READY, _STOPPED, _BREAK), director.approve),
    inputs.TimeSet: DirectorRuling(DIRECTOR_PHASES, corrections.set_time),
    inputs.FlagSet: DirectorRuling(DIRECTOR_PHASES, corrections.set_flag),
    inputs.OvertimeGranted: DirectorRuling(_UNDER_WAY, corrections.grant_overtime),
    inputs.DelayRuled: DirectorRuling(_UNDER_WAY, corrections.rule_delay),
    inputs.PointsAwarded: DirectorRuling(
        (*_UNDER_WAY, _NO_CLOCK), corrections.award_points, _READY
    ),
    inputs.ScoreSet: DirectorRuling(DIRECTOR_PHASES, corrections.set_score, _READY),
    inputs.LengthSet: DirectorRuling(DIRECTOR_PHASES, corrections.set_length),
    inputs.MatchShortened: DirectorRuling((*_UNDER_WAY, _NO_CLOCK), corrections.shorten, _READY),
    inputs.CrawfordSet: DirectorRuling(DIRECTOR_PHASES, corrections.set_crawford),
    inputs.SidesSwapped: DirectorRuling(DIRECTOR_PHASES, corrections.swap_sides),
    inputs.NamesSet: DirectorRuling(DIRECTOR_PHASES, corrections.set_names),
    inputs.BreaksSet: DirectorRuling(DIRECTOR_PHASES, corrections.set_breaks),
    inputs.AbsenceNoted: DirectorRuling((_REVIEW, _READY), lateness.note_absence),
    inputs.LatenessWaived: DirectorRuling((*_UNDER_WAY, _NO_CLOCK), lateness.waive),
    inputs.BreakGranted: DirectorRuling((_READY,), breaks.grant_break, _BREAK),
    inputs.AbsentClockStarted: DirectorRuling(
        (_REVIEW, _READY, _BREAK), director.start_absent_clock, _RUNNING
    ),
    inputs.BanksReset: DirectorRuling(DIRECTOR_PHASES, corrections.reset_banks),
    inputs.TimesBegun: DirectorRuling((_REVIEW, _READY, _BREAK), corrections.begin_times),
    inputs.ClockRemoved: DirectorRuling(_UNDER_WAY, director.remove_clock, _NO_CLOCK),
    inputs.TurnResumed: DirectorRuling((_READY, _STOPPED), director.resume_turn, _RUNNING),
    inputs.HoldLifted: DirectorRuling((_STOPPED,), director.lift_hold),
    inputs.MatchEnded: DirectorRuling((*_UNDER_WAY, _NO_CLOCK), director.end_match, _FINISHED),
    inputs.Reopened: DirectorRuling((_GAME_OVER, _NO_CLOCK, _FINISHED), director.reopen, _READY),
    inputs.Undone: DirectorRuling(DIRECTOR_PHASES, director.undo),
    inputs.Adjourned: DirectorRuling(
        (_READY, _STOPPED, _GAME_OVER, _BREAK, _NO_CLOCK), director.adjourn
    ),
    # What follows is the runtime's: it opens a match, or changes the language.
    inputs.MatchWanted: DirectorRuling((_REVIEW, _READY, *_AT_REST), _ignore),
    inputs.ResumeMatchWanted: DirectorRuling((_REVIEW, *_AT_REST), _ignore),
    inputs.LanguageWanted: DirectorRuling((*DIRECTOR_PHASES, _PUT_ASIDE), _ignore),
}

# Why a match is over that one of these rulings has decided (R110); else by the score of a game.
DECIDED_BY: dict[type[Input], str] = {
    inputs.PointsAwarded: "penalty",
    inputs.ScoreSet: "corrected",
    inputs.MatchShortened: "shortened",
}
BY_POINTS = ("score", *DECIDED_BY.values())  # the clock itself ends a match so

# The rulings that lead elsewhere than to `leads_to` and the phase that they were done in.
_OTHER_REACHABLE: dict[tuple[Phase, type[Input]], tuple[Phase, ...]] = {
    (_READY, inputs.TurnResumed): (_READY, _RUNNING, _FREE_TURN),
    (_STOPPED, inputs.TurnResumed): (_STOPPED, _RUNNING, _FREE_TURN),
    (_GAME_OVER, Reopened): (_STOPPED, _READY, _NO_CLOCK),
    (_FINISHED, Reopened): (_STOPPED, _READY, _NO_CLOCK, _GAME_OVER),
    **{(phase, inputs.Undone): DIRECTOR_PHASES for phase in DIRECTOR_PHASES},
    **{(phase, Adjourned): (_PUT_ASIDE,) for phase in DIRECTOR_RULINGS[Adjourned].phases},
    **{(phase, MatchEnded): (_READY, _FINISHED) for phase in DIRECTOR_RULINGS[MatchEnded].phases},
}


_WITHOUT_EFFECT: tuple[type[Input], ...] = (
    GameScored,
    inputs.TimePassed,
    inputs.OfferMade,
    inputs.RulingProposed,
    inputs.OfferRefused,
    *DIRECTOR_RULINGS,
)


def _in_any_phase(phase: Phase) -> dict[type[Input], Transition]:
    """Return what the inputs do in a phase for which the tables above say nothing else."""
    restored: tuple[Phase, ...] = (_STOPPED if phase in (_RUNNING, _FREE_TURN) else phase,)
    if phase is _PUT_ASIDE:
        restored = (*DIRECTOR_RULINGS[Adjourned].phases, phase)
    return {
        **dict.fromkeys(_WITHOUT_EFFECT, Transition(_ignore, (phase,))),
        **dict.fromkeys((Pressed, CentrePressed), Transition(turns.refuse_in_phase, (phase,))),
        BreakTaken: Transition(breaks.refuse_break, (phase,)),
        inputs.Noted: Transition(turns.record_press, (phase,)),
        inputs.FaultSeen: Transition(_record_fault, (phase,)),
        inputs.FaultCleared: Transition(_record_fault_cleared, (phase,)),
        inputs.Restored: Transition(director.restore, restored),
    }


def _table() -> dict[tuple[Phase, type[Input]], Transition]:
    table = {(phase, kind): row for phase in Phase for kind, row in _in_any_phase(phase).items()}
    for kind, ruling in DIRECTOR_RULINGS.items():
        for phase in ruling.phases:
            usual = (phase,) if ruling.leads_to is None else (phase, ruling.leads_to)
            reachable = _OTHER_REACHABLE.get((phase, kind), usual)
            table[phase, kind] = Transition(ruling.handler, reachable)
    return table | BUTTONS | OFFERS


TABLE = _table()
