"""Replay a log: prove that it is what the clock wrote, and get the match back after a crash.

Every event leads back to the input that caused it. Given to the machine again, the inputs of a log
must give the values of its lines again; what they do not give is not believed. Fields that only
the line or only the replay has are not compared: another version of the program wrote the line.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import msgspec
from msgspec import structs

from clock.eventlog.codec import (
    START,
    Chain,
    DamagedError,
    LogLine,
    decode,
    fields,
    right_hash,
)
from clock.eventlog.event_inputs import input_of
from clock.match import machine
from clock.match.corrections import ON_CLOCK
from clock.match.events import MatchOpenedEvent, Origin, Record, RestoredEvent, Writer
from clock.match.inputs import Restored
from clock.match.invariants import check_settings
from clock.match.machine import Advanced
from clock.match.rules import settings_code
from clock.match.state import MatchState
from clock.match.types import ResumeWith


class Match(NamedTuple):
    """A match, and the end of its log."""

    state: MatchState
    chain: Chain


class ReplayStep(NamedTuple):
    """A line of a log, and the match after it."""

    match: Match
    line: LogLine  # with the record that replaying gives, whatever version wrote the line


class DiffersError(DamagedError):
    """An undamaged line says something that replaying does not give."""


def replay(lines: Iterable[bytes]) -> ReplayStep:
    """Return the last line of a log, whose lines have no line feeds, and the match after it.

    Raises:
        DamagedError: a line is not what the clock wrote, or does not follow from those before it.
    """
    latest = deque(replay_lines(lines), maxlen=1)
    if not latest:
        raise DamagedError(1, "the log is empty")
    return latest[0]


def replay_lines(lines: Iterable[bytes]) -> Iterator[ReplayStep]:
    """Yield each line of a log with the match after it; see `replay`."""
    match: Match | None = None
    for number, raw in enumerate(lines, 1):
        step = replay_line(match, raw, number)
        match = step.match
        yield step


def replay_line(
    match: Match | None, raw: bytes, number: int, line: LogLine | None = None
) -> ReplayStep:
    """Return one more line of a log, without line feed, and the match after it.

    The match before the first line is None; `number` is for the error. A `line` that was decoded
    before is not decoded again.

    Raises:
        DamagedError: the line is not what the clock wrote, or does not follow.
    """
    hash_ = _intact_hash(raw, None if match is None else match.chain, number)
    line = line or decode(raw, number)
    try:
        if match is None:
            state, record = _open(line, raw, number)
            chain = Chain(line.envelope.match, line.envelope.boot)
        else:
            state, record = _advance(match.state, line, number)
            chain = match.chain
        _check_line(chain, record, line, raw, number)
        chain = chain._replace(boot=line.envelope.boot).after(record, hash_)
        match = Match(state, chain)
    except IMPOSSIBLE as error:
        raise DiffersError(number, f"no clock writes such values ({error})") from error
    return ReplayStep(match, line._replace(record=record))


# What the machine may raise when it is given values that no clock writes.
IMPOSSIBLE = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


def _intact_hash(raw: bytes, chain: Chain | None, number: int) -> str:
    hash_ = right_hash(raw, START if chain is None else chain.hash)
    if hash_ is not None:
        return hash_
    if right_hash(raw, START) is not None:
        raise DamagedError(number, "another log begins here: each match has a file of its own")
    raise DamagedError(number, "the hash is wrong: the line was changed, moved or torn")


def _open(line: LogLine, raw: bytes, number: int) -> tuple[MatchState, Record]:
    match line.record.event:
        case MatchOpenedEvent() as event:
            check_settings(event.settings)
            writer = Writer(event.version)
            opened = (event.settings, line.record.at_ns, writer, event.preset, event.offer)
            state, record = machine.open_match(*opened)
            code = settings_code(fields(raw)["settings"])
            return state, structs.replace(record, event=structs.replace(event, code=code))
        case RestoredEvent(origin=Origin()) as event:
            return machine.load_restored_match(event, line.record.at_ns)
        case event:
            tag = event.__struct_config__.tag
            raise DamagedError(number, f"a log begins with match_opened, not {tag}")


def _advance(state: MatchState, line: LogLine, number: int) -> tuple[MatchState, Record]:
    state, records = apply_record(state, line.record)
    if not records:
        raise DiffersError(number, "this event cannot happen here")
    return state, records[0]


def apply_record(state: MatchState, record: Record) -> Advanced:
    """Apply the input of a record, or the deadline that comes before it.

    Raises:
        ValueError: no clock writes such a record; other errors are possible.
    """
    happened = input_of(record)
    if isinstance(happened, Restored):
        _check_restoration(state, happened)
        if machine.voids_deadlines(state, happened):
            return machine.advance(state, happened)
    due_ns = machine.next_deadline(state)
    if due_ns is not None and due_ns <= record.at_ns:
        return machine.apply_deadline(state, due_ns)
    return machine.advance(state, happened)


def _check_restoration(state: MatchState, restored: Restored) -> None:
    """Check that a restoration takes back nothing that was played before it.

    Raises:
        ValueError: it does.
    """
    turn, used_ns = state.turn, restored.used_ns
    if (turn is None) != (used_ns is None):
        raise ValueError("it restores a turn that was not on the clock")
    if turn is not None and used_ns is not None and used_ns < turn.elapsed_ns(state.at_ns):
        raise ValueError("it gives back time that was played")
    if restored.same_boot and restored.at_ns < state.at_ns:
        raise ValueError("the raw clock of a boot never goes back")


def _check_line(chain: Chain, record: Record, line: LogLine, raw: bytes, number: int) -> None:
    """Check that a line follows the chain before it, and says what replaying gives."""
    envelope, event = line.envelope, record.event
    if envelope.boot != chain.boot and (not isinstance(event, RestoredEvent) or event.same_boot):
        raise DamagedError(number, "the boot changes without a restoration")
    if envelope.seq != chain.seq + 1:
        raise DamagedError(number, f"seq is {envelope.seq}, expected {chain.seq + 1}")
    if envelope.match != chain.match:
        raise DamagedError(number, f"match is {envelope.match!r}, expected {chain.match!r}")
    if record != line.record:  # a missing field may have a default that differs
        difference = _difference(fields(raw), _values(record))
        if difference is not None:
            raise DiffersError(number, difference)


# Fields in which version 1.0.0 named a delay where the rules have none, and what they say now.
_DELAYS = ("full", "skip", "wait")
_NO_DELAY: dict[str, tuple[str | None, ...]] = {
    "delay": (ResumeWith.NEW.value, None),
    "old": (ON_CLOCK,),
    "new": (ON_CLOCK,),
}


def _difference(found: Any, given: Any, name: str = "") -> str | None:
    """Name the first value of a line that differs from the one that replaying gives."""
    if isinstance(found, dict) and isinstance(given, dict):
        for key in given:
            if key in found:
                difference = _difference(found[key], given[key], f"{name}.{key}" if name else key)
                if difference is not None:
                    return difference
        return None
    if isinstance(found, list) and isinstance(given, list) and len(found) == len(given):
        pairs = enumerate(zip(found, given, strict=True))
        differences = (_difference(one, two, f"{name}.{at}") for at, (one, two) in pairs)
        return next((difference for difference in differences if difference), None)
    if found == given or (name in _NO_DELAY and found in _DELAYS and given in _NO_DELAY[name]):
        return None
    return f"{name} is {found!r}, but replaying gives {given!r}"


def _values(record: Record) -> dict[str, Any]:
    """Return the values of a record as a line has them, those at their defaults included."""
    event = {"event": record.event.__struct_config__.tag, **structs.asdict(record.event)}
    values = event | structs.asdict(record) | event  # the event's come first, and win
    return dict(msgspec.json.decode(msgspec.json.encode(values)))
