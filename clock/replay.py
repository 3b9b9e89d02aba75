"""A log played again: the proof that it says what happened, and the way back after a crash.

Every event tells the input it came from. Brought to the machine again, the inputs of a log must
give its lines again, byte for byte. The one rule: nothing of a log is believed that this does not
give.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from clock import inputs
from clock.codec import Chain, DamagedError, Line, checksum, decode
from clock.director import DIRECTOR
from clock.events import (
    AdjustedEvent,
    BreakEndedEvent,
    BreakStartedEvent,
    ConfirmedEvent,
    CorrectedEvent,
    Event,
    FaultClearedEvent,
    FaultEvent,
    FlagClaimedEvent,
    FlagFellEvent,
    FreeTurnEvent,
    GameOverEvent,
    LateEvent,
    MatchOpenedEvent,
    MatchOverEvent,
    OvertimeEvent,
    PenaltyEvent,
    PressedEvent,
    ReasonChosenEvent,
    Record,
    ReopenedEvent,
    RestoredEvent,
    ResumedEvent,
    StoppedEvent,
)
from clock.inputs import CentrePressed, Input, Noted, Pressed, TimePassed
from clock.machine import Advanced, advance, open_match
from clock.match import MatchState
from clock.phases import Crawford, NextDelay
from clock.sides import Button


class Match(NamedTuple):
    """A match, and where its log goes on."""

    state: MatchState
    chain: Chain


class Replayed(NamedTuple):
    """A match as its log tells it, up to a line."""

    match: Match
    line: Line


def replay(lines: Iterable[bytes]) -> Replayed:
    """The match that a log tells of, after all its lines.

    Args:
        lines: the log's lines, without their line feeds.

    Raises:
        DamagedError: a line is not what the clock wrote, or does not follow from those before it.
    """
    replayed: Replayed | None = None
    for replayed in replayed_lines(lines):
        pass
    if replayed is None:
        raise DamagedError(1, "the log is empty")
    return replayed


def replayed_lines(lines: Iterable[bytes]) -> Iterator[Replayed]:
    """The match after each line of a log; see `replay`."""
    state: MatchState | None = None
    chain: Chain | None = None
    pending: tuple[Record, ...] = ()
    for number, raw in enumerate(lines, 1):
        before = 0 if chain is None else chain.crc
        if checksum(raw, before) is None:
            raise DamagedError(number, "the checksum is wrong: the line was changed, moved or torn")
        line = decode(raw, number)
        if state is None or chain is None:
            state, record = _opened(line, number)
            chain = Chain(line.envelope.match, line.envelope.boot)
        else:
            if not pending:
                state, pending = _advanced(state, line.record, number)
            record, pending = _expected(pending, number)
        chain = _follow(chain, line, record, raw, number)
        if not pending:
            yield Replayed(Match(state, chain), line)


def _opened(line: Line, number: int) -> tuple[MatchState, Record]:
    event = line.record.event
    if not isinstance(event, MatchOpenedEvent):
        raise DamagedError(number, f"a log begins with match_opened, not {_tag(event)}")
    try:
        return open_match(event.settings, line.record.at_ns, event.version)
    except (ArithmeticError, LookupError) as error:
        raise DamagedError(number, f"its settings make no match ({error})") from error


def _advanced(state: MatchState, record: Record, number: int) -> Advanced:
    try:
        return advance(state, input_of(record))
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise DamagedError(number, f"it has values that the clock never writes ({error})") from error


def _expected(pending: tuple[Record, ...], number: int) -> tuple[Record, tuple[Record, ...]]:
    if not pending:
        raise DamagedError(number, "nothing of the kind can happen here")
    return pending[0], pending[1:]


def _follow(chain: Chain, line: Line, record: Record, raw: bytes, number: int) -> Chain:
    """The chain after a line, if replaying gives its very bytes."""
    boot = line.envelope.boot
    if boot != chain.boot and not isinstance(record.event, RestoredEvent):
        raise DamagedError(number, "another boot without a restoration")
    after, written = chain._replace(boot=boot).append(record, line.envelope.wall)
    if written[:-1] != raw:
        raise DamagedError(number, f"replaying gives another line: {written.decode().rstrip()}")
    return after


def _tag(event: Event) -> str:
    return str(event.__struct_config__.tag)


# --- from an event to the input that it came from ---------------------------------------------

NOTED = {
    "menu",
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
        return Noted(at_ns, event.side, event.accepted, event.why or "")
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
    return make(event, at_ns)


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
    RestoredEvent: lambda event, at: inputs.Restored(at, event.lost_ns, event.used_ns, event.why),
    FaultEvent: lambda event, at: inputs.FaultSeen(at, event.part, event.what),
    FaultClearedEvent: lambda event, at: inputs.FaultCleared(at, event.part),
}
