"""From an event of a log back to the input that it came from.

Every event has all that is needed for that; so a log can be played again. The one rule: the table
`_INPUTS` knows every kind of event but the first of a log, which no input brought about.
"""

from collections.abc import Callable
from typing import Any

from msgspec import convert, to_builtins

from clock.match import inputs
from clock.match.adjustments import DIRECTOR
from clock.match.events import AdjustedEvent, BreakEndedEvent, BreakStartedEvent, ConfirmedEvent, CorrectedEvent, Event, FaultClearedEvent, FaultEvent, FlagClaimedEvent, FlagFellEvent, FreeTurnEvent, GameOverEvent, LateEvent, MatchOverEvent, OvertimeEvent, PenaltyEvent, PressedEvent, ReasonChosenEvent, Record, ReopenedEvent, RestoredEvent, ResumedEvent, StoppedEvent
from clock.match.inputs import CentrePressed, Input, Noted, Pressed, TimePassed
from clock.match.phases import Crawford, NextDelay
from clock.match.sides import Button

MENU = "menu"
NOTED = {
    MENU,
    "wrong_code",
    "code_pause",
    "too_late",
}  # presses that the dialogue used or refused
REFUSED_ACTS = {  # refused by the machine when the centre would have carried out an act
    "negative_time",
    "no_break",
    "score_outside_match",
    "not_between_games",
    "length_ends_match",
}


def input_of(record: Record) -> Input:
    """The input that a record came from."""
    return _INPUTS[type(record.event)](record.event, record.at_ns)


def _button(button: Button, at_ns: int) -> Input:
    return CentrePressed(at_ns) if button.side is None else Pressed(at_ns, button.side)


def _confirmed(event: ConfirmedEvent, at_ns: int) -> Input:
    return inputs.Approved(at_ns) if event.side == DIRECTOR else _button(Button(event.side), at_ns)


def _pressed(event: PressedEvent, at_ns: int) -> Input:
    if event.why in NOTED or event.why in REFUSED_ACTS:
        return Noted(at_ns, event.side, event.why == MENU, event.why or "")
    return _button(event.side, at_ns)


def _resumed(event: ResumedEvent, at_ns: int) -> Input:
    if event.by == DIRECTOR:
        return inputs.TurnResumed(at_ns, event.side, event.delay)
    return CentrePressed(at_ns)


def _overtime(event: OvertimeEvent, at_ns: int) -> Input:
    if event.by == DIRECTOR:
        return inputs.OvertimeGranted(at_ns, event.side, event.new_ns - event.old_ns)
    return TimePassed(at_ns)


def _late(event: LateEvent, at_ns: int) -> Input:
    if event.by != DIRECTOR or event.side is None:
        return TimePassed(at_ns)
    kind = inputs.AbsentClockStarted if event.award == "clock-started" else inputs.AbsenceNoted
    return kind(at_ns, event.side)


def _match_over(event: MatchOverEvent, at_ns: int) -> Input:
    if event.why == "score":
        return TimePassed(at_ns)
    return inputs.MatchEnded(at_ns, event.winner, event.why)


def _corrected(event: CorrectedEvent, at_ns: int) -> Input:
    make = _CORRECTIONS.get(event.what)
    if make is None:
        raise ValueError(f"nothing of the name {event.what!r} can be corrected")
    act = make(event, at_ns)
    return convert(to_builtins(act), type(act))  # `old` and `new` of an event may be of any type


_CORRECTIONS: dict[str, Callable[[Any, int], Input]] = {
    "flag": lambda event, at: inputs.FlagSet(at, event.side, event.new),
    "next_delay": lambda event, at: inputs.DelayRuled(at, event.side, NextDelay(event.new)),
    "banks": lambda event, at: inputs.BanksReset(at),
    "score": lambda event, at: inputs.ScoreSet(at, event.side, event.new),
    "length": lambda event, at: inputs.LengthSet(at, event.new, event.adjusted_ns != 0),
    "length_shortened": lambda event, at: inputs.MatchShortened(at),
    "crawford": lambda event, at: inputs.CrawfordSet(at, Crawford(event.new)),
    "sides": lambda event, at: inputs.SidesSwapped(at),
    "breaks_taken": lambda event, at: inputs.BreaksSet(at, event.side, event.new),
    "clock": lambda event, at: inputs.ClockRemoved(at),
    "held": lambda event, at: inputs.HoldLifted(at),
}


def _centre(_: Event, at_ns: int) -> Input:
    return CentrePressed(at_ns)


def _passed(_: Event, at_ns: int) -> Input:
    return TimePassed(at_ns)


_INPUTS: dict[type[Event], Callable[[Any, int], Input]] = {
    ConfirmedEvent: _confirmed,
    PressedEvent: _pressed,
    StoppedEvent: _centre,
    ReasonChosenEvent: lambda event, at: _button(event.by, at),
    ResumedEvent: _resumed,
    FreeTurnEvent: _centre,
    FlagFellEvent: _passed,
    FlagClaimedEvent: _centre,
    OvertimeEvent: _overtime,
    GameOverEvent: _centre,
    BreakStartedEvent: lambda event, at: inputs.BreakTaken(at, event.taken),
    BreakEndedEvent: _centre,
    LateEvent: _late,
    PenaltyEvent: lambda event, at: inputs.PointsAwarded(at, event.side, event.points, event.why),
    AdjustedEvent: lambda event, at: inputs.TimeSet(at, event.side, event.new_ns, event.why),
    CorrectedEvent: _corrected,
    MatchOverEvent: _match_over,
    ReopenedEvent: lambda event, at: inputs.Reopened(at),
    RestoredEvent: lambda event, at: inputs.Restored(
        at, event.lost_ns, event.used_ns, event.why, event.same_boot
    ),
    FaultEvent: lambda event, at: inputs.FaultSeen(at, event.part, event.what),
    FaultClearedEvent: lambda event, at: inputs.FaultCleared(at, event.part),
}
