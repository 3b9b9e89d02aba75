"""A log played again: the proof that it says what happened, and the way back after a crash.

Every event tells the input it came from. Brought to the machine again, the inputs of a log must
give its lines again, byte for byte. The one rule: nothing of a log is believed that this does not
give.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from msgspec import to_builtins

from clock.eventlog.codec import Chain, DamagedError, Line, checksum, decode, is_first
from clock.match.events import Event, MatchOpenedEvent, Origin, Record, RestoredEvent
from clock.match.inputs import Restored
from clock.match.machine import Advanced, advance, fall_due, next_deadline, open_match, restored_match, stops_time
from clock.match.state import MatchState
from clock.eventlog.event_inputs import input_of
from clock.match.invariants import check_settings


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
    latest = deque(replayed_lines(lines), maxlen=1)
    if not latest:
        raise DamagedError(1, "the log is empty")
    return latest[0]


def replayed_lines(lines: Iterable[bytes]) -> Iterator[Replayed]:
    """The match after each line of a log; see `replay`."""
    match: Match | None = None
    for number, raw in enumerate(lines, 1):
        replayed = replayed_line(match, raw, number)
        match = replayed.match
        yield replayed


def replayed_line(match: Match | None, raw: bytes, number: int) -> Replayed:
    """The match after one more line of its log.

    Args:
        match: before it; None: it is the first.
        raw: the line, without its line feed.
        number: of the line, for the error.

    Raises:
        DamagedError: it is not what the clock wrote, or does not follow.
    """
    line = _intact(raw, None if match is None else match.chain, number)
    try:
        after = _opened(line, number, raw) if match is None else _next(match, line, number, raw)
    except _IMPOSSIBLE as error:
        never = f"it has values that the clock never writes ({error})"
        raise DamagedError(number, never) from error
    return Replayed(after, line)


# What the machine, fed with values that no clock ever writes, may raise.
_IMPOSSIBLE = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


def _intact(raw: bytes, chain: Chain | None, number: int) -> Line:
    """A line whose checksum is right."""
    if checksum(raw, 0 if chain is None else chain.crc) is not None:
        return decode(raw, number)
    if is_first(raw) and checksum(raw, 0) is not None:
        raise DamagedError(number, "another log begins here: each match has a file of its own")
    raise DamagedError(number, "the checksum is wrong: the line was changed, moved or torn")


def _opened(line: Line, number: int, raw: bytes) -> Match:
    state, record = _first(line, number)
    chain = Chain(line.envelope.match, line.envelope.boot)
    return Match(state, _follow(chain, line, record, number, raw))


def _first(line: Line, number: int) -> tuple[MatchState, Record]:
    """The match that a log begins with, and the record that tells it."""
    match line.record.event:
        case MatchOpenedEvent() as event:
            check_settings(event.settings)
            return open_match(event.settings, line.record.at_ns, event.version, event.stamps)
        case RestoredEvent(origin=Origin()) as event:
            return restored_match(event, line.record.at_ns)
        case event:
            raise DamagedError(number, f"a log begins with match_opened, not {_tag(event)}")


def _next(match: Match, line: Line, number: int, raw: bytes) -> Match:
    """The match after one more line: what fell due by itself, or what the line's input did."""
    state, records = _happened(match.state, line.record)
    if not records:
        raise DamagedError(number, "nothing of the kind can happen here")
    return Match(state, _follow(match.chain, line, records[0], number, raw))


def _happened(state: MatchState, record: Record) -> Advanced:
    happened = input_of(record)
    if isinstance(happened, Restored) and stops_time(state, _believable(state, happened)):
        return advance(state, happened)
    due_ns = next_deadline(state)
    if due_ns is not None and due_ns <= record.at_ns:
        return fall_due(state, due_ns)
    return advance(state, happened)


def _believable(state: MatchState, restored: Restored) -> Restored:
    """A restoration that takes back nothing of what was played before it."""
    turn, used_ns = state.turn, restored.used_ns
    if (turn is None) != (used_ns is None):
        raise ValueError("it restores a turn that was not on the clock")
    if turn is not None and used_ns is not None and used_ns < turn.elapsed_ns(state.at_ns):
        raise ValueError("it gives back time that was played")
    if restored.same_boot and restored.at_ns < state.at_ns:
        raise ValueError("the raw clock of a boot never goes back")
    return restored


def _follow(chain: Chain, line: Line, record: Record, number: int, raw: bytes) -> Chain:
    """The chain after a line, if replaying gives its very bytes."""
    boot = line.envelope.boot
    event = record.event
    if boot != chain.boot and (not isinstance(event, RestoredEvent) or event.same_boot):
        raise DamagedError(number, "another boot without a restoration")
    after, written = chain._replace(boot=boot).append(record, line.envelope.wall)
    if written[:-1] != raw:
        raise DamagedError(number, _difference(line, decode(written[:-1], number)))
    return after


def _difference(line: Line, right: Line) -> str:
    """What a person should look at in a line that replaying gives in other bytes."""
    found, given = _values(line), _values(right)
    for name in given | found:
        if found.get(name) != given.get(name):
            return f"{name} is {found.get(name)!r}, but replaying gives {given.get(name)!r}"
    return "replaying gives the same values, written in another way"


def _values(line: Line) -> dict[str, object]:
    """The fields of a line but its checksum, the most telling first."""
    values: dict[str, object] = to_builtins(line.record.event) | to_builtins(line.envelope)
    del values["crc"]
    return values


def _tag(event: Event) -> str:
    return str(event.__struct_config__.tag)
