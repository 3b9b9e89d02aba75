"""Map an event of a log back to the input that caused it, so that a log can be replayed.

`_INPUTS` has an entry for every kind of event but `match_opened`, which no input causes.
"""

from collections.abc import Callable
from typing import Any

from msgspec import convert, structs, to_builtins

from clock.match import events, inputs
from clock.match.corrections import delay_named
from clock.match.inputs import DIRECTOR, CentrePressed, Input, Noted, Pressed, TimePassed
from clock.match.rules import Offer, Proposal
from clock.match.transitions import BY_POINTS
from clock.match.types import Button, Crawford

MENU = "menu"
# Why a press that the dialogue used or refused did nothing else.
NOTED = {MENU, "wrong_code", "code_pause", "too_late", "not_chosen", "same_moment"}
REFUSED_RULINGS = {  # presses of the centre for a ruling that the machine refused
    "negative_time",
    "no_break",
    "no_flags",
    "no_limit",
    "already_timed",
    "score_outside_match",
    "not_between_games",
    "length_ends_match",
}


def input_of(record: events.Record) -> Input:
    """Return the input that caused a record.

    Raises:
        ValueError: no clock writes such a record; other errors are possible.
    """
    found = _INPUTS[type(record.event)](record.event, record.at_ns)
    if record.gammon is not None:
        found = inputs.GameScored(record.at_ns, cube=record.cube, gammon=record.gammon)
    if isinstance(found, inputs.Ruling):
        return structs.replace(found, carries_out=record.carries_out, ruled_by=record.ruled_by)
    return found


def _button(button: Button, at_ns: int) -> Input:
    return CentrePressed(at_ns) if button.side is None else Pressed(at_ns, button.side)


def _confirmed(event: events.ConfirmedEvent, at_ns: int) -> Input:
    return inputs.Approved(at_ns) if event.side == DIRECTOR else _button(Button(event.side), at_ns)


def _pressed(event: events.PressedEvent, at_ns: int) -> Input:
    if event.why in NOTED or event.why in REFUSED_RULINGS:
        return Noted(at_ns, event.side, event.why == MENU, event.why or "")
    return _button(event.side, at_ns)


def _resumed(event: events.ResumedEvent, at_ns: int) -> Input:
    if event.by == DIRECTOR:
        return inputs.TurnResumed(at_ns, event.side, event.delay)
    return CentrePressed(at_ns)


def _overtime(event: events.OvertimeEvent, at_ns: int) -> Input:
    if event.by == DIRECTOR:
        granted_ns = event.new_ns - event.old_ns
        return inputs.OvertimeGranted(at_ns, event.side, granted_ns, event.reason)
    return TimePassed(at_ns)


def _late(event: events.LateEvent, at_ns: int) -> Input:
    if event.by != DIRECTOR or event.side is None:
        return TimePassed(at_ns)
    if event.award == "clock-started":
        return inputs.AbsentClockStarted(at_ns, event.side)
    return inputs.AbsenceNoted(at_ns, event.side, event.late_ns)


def _break_started(event: events.BreakStartedEvent, at_ns: int) -> Input:
    if event.by == DIRECTOR and event.side is not None:
        return inputs.BreakGranted(at_ns, event.side)
    return inputs.BreakTaken(at_ns, event.taken)


def _score_set(event: Any, at_ns: int) -> Input:
    crawford = None if event.crawford is None else Crawford(event.crawford)
    adjust = event.adjusted_ns is not None
    return inputs.ScoreSet(at_ns, event.side, event.new, crawford, adjust, event.reason)


def _match_over(event: events.MatchOverEvent, at_ns: int) -> Input:
    if event.why in BY_POINTS:
        return TimePassed(at_ns)
    return inputs.MatchEnded(at_ns, event.winner, event.why, event.reason)


def _delay_ruled(event: Any, at_ns: int, *, this_turn: bool) -> Input:
    delay = delay_named(event.new)
    return inputs.DelayRuled(at_ns, event.side, delay, this_turn, event.reason)


def _corrected(event: events.CorrectedEvent, at_ns: int) -> Input:
    make = _CORRECTIONS.get(event.what)
    if make is None:
        raise ValueError(f"unknown correction {event.what!r}")
    ruling = make(event, at_ns)
    # The types are checked: `new` may be anything in the log.
    return convert(to_builtins(ruling), type(ruling))


_CORRECTIONS: dict[str, Callable[[Any, int], Input]] = {
    "flag": lambda event, at: inputs.FlagSet(at, event.side, event.new, event.reason),
    "next_delay": lambda event, at: _delay_ruled(event, at, this_turn=False),
    "delay": lambda event, at: _delay_ruled(event, at, this_turn=True),
    "banks": lambda event, at: inputs.BanksReset(at, event.reason),
    "score": _score_set,
    "late_points": lambda event, at: inputs.LatenessWaived(at, event.side, event.reason),
    "length": lambda event, at: inputs.LengthSet(
        at, event.new, event.adjusted_ns != 0, event.reason
    ),
    "length_shortened": lambda event, at: inputs.MatchShortened(at),
    "crawford": lambda event, at: inputs.CrawfordSet(
        at, Crawford(event.new), event.by, event.reason
    ),
    "sides": lambda event, at: inputs.SidesSwapped(at),
    "names": lambda event, at: inputs.NamesSet(at, event.new),
    "breaks_taken": lambda event, at: inputs.BreaksSet(at, event.side, event.new, event.reason),
    "pace": lambda event, at: inputs.TimesBegun(at, event.reason),
    "clock": lambda event, at: inputs.ClockRemoved(at, event.reason),
    "held": lambda event, at: inputs.HoldLifted(at, event.reason),
}


_INPUTS: dict[type[events.Event], Callable[[Any, int], Input]] = {
    events.OfferMadeEvent: lambda event, at: inputs.OfferMade(
        at, Offer(event.offer, event.settings)
    ),
    events.RulingProposedEvent: lambda event, at: inputs.RulingProposed(
        at, Proposal(event.proposal, event.by, event.item, event.answers)
    ),
    events.OfferRefusedEvent: lambda event, at: inputs.OfferRefused(
        at, event.offer, event.by, event.why, event.key, event.values
    ),
    events.ConfirmedEvent: _confirmed,
    events.PressedEvent: _pressed,
    events.StoppedEvent: lambda _, at: CentrePressed(at),
    events.ReasonShownEvent: lambda event, at: _button(event.by, at),
    events.ReasonChosenEvent: lambda _, at: CentrePressed(at),
    events.ResumedEvent: _resumed,
    events.FreeTurnEvent: lambda _, at: CentrePressed(at),
    events.FlagFellEvent: lambda _, at: TimePassed(at),
    events.FlagClaimedEvent: lambda _, at: CentrePressed(at),
    events.OvertimeEvent: _overtime,
    events.GameOverEvent: lambda _, at: CentrePressed(at),
    events.BreakStartedEvent: _break_started,
    events.BreakEndedEvent: lambda _, at: CentrePressed(at),
    events.LateEvent: _late,
    events.PenaltyEvent: lambda event, at: inputs.PointsAwarded(
        at, event.side, event.points, event.why, event.adjusted_ns is not None
    ),
    events.WarnedEvent: lambda event, at: inputs.PointsAwarded(
        at, event.side, 0, event.reason.value
    ),
    events.AdjustedEvent: lambda event, at: inputs.TimeSet(
        at, event.side, event.new_ns, event.why, event.reason
    ),
    events.CorrectedEvent: _corrected,
    events.MatchOverEvent: _match_over,
    events.AdjournedEvent: lambda _, at: inputs.Adjourned(at),
    events.ReopenedEvent: lambda event, at: inputs.Reopened(at, event.kept),
    events.UndoneEvent: lambda _, at: inputs.Undone(at),
    events.RestoredEvent: lambda event, at: inputs.Restored(
        at, event.lost_ns, event.used_ns, event.why, event.same_boot, event.in_menu
    ),
    events.FaultEvent: lambda event, at: inputs.FaultSeen(at, event.part, event.what),
    events.FaultClearedEvent: lambda event, at: inputs.FaultCleared(at, event.part),
}
