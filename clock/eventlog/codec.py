"""Records as lines of JSON, and back (docs/event-log.md; a contract).

Each line carries the hash of all lines up to it: 128 bits of SHA-256 over the hash of the line
before and the line itself. So a line that was lost, moved or changed is found, and the hash of one
line fixes all lines before it. A hash counts only where it was computed over the line.
The heartbeat is a line for readers of the serial line that is in no file.
"""

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import msgspec

from clock.eventlog.event_inputs import MENU
from clock.match import events
from clock.match.events import (
    SAID,
    AnyEvent,
    GameOverEvent,
    MatchOverEvent,
    PenaltyEvent,
    Record,
)
from clock.match.rules import Gammon, Ruler
from clock.match.state import AT_REST
from clock.match.types import Pair, Phase, Side
from clock.text import check_nesting, printable

VERSION = 2  # of the format; version 1 was never released
HASH_DIGITS = 32  # 128 bits
LINE_BEGINS = b'{"v":'  # each line of a log, of every version
START = "0" * HASH_DIGITS  # stands for the hash before the first line
_PLACE = ("phase", "running", "left_ns", "right_ns", "delay_ns", "score")  # after the event
_HASH_MARK = b',"hash":"'
_HASH_TAIL = len(_HASH_MARK) + HASH_DIGITS + len('"}')


class DamagedError(Exception):
    """A log is not what the clock wrote.

    Attributes:
        line: the number of the first bad line, from 1.
        why: what is wrong with it.
    """

    def __init__(self, line: int, why: str) -> None:
        self.line = line
        self.why = printable(why)  # parts of it may come from the log
        super().__init__(f"line {line}: {self.why}")


def missing_lines(first: int, last: int) -> str:
    """Return what to say of lines that are missing, from one number to another."""
    return f"line {first} is missing" if first == last else f"lines {first} to {last} are missing"


class Envelope(msgspec.Struct, frozen=True):
    """The fields that every line has beside those of its event, in the order of the line.

    The last one, the hash, is missing on purpose: see `right_hash`.
    """

    v: int
    seq: int
    match: str
    boot: str
    at_ns: int
    wall: str
    phase: Phase
    running: Side | None
    left_ns: int
    right_ns: int
    delay_ns: int
    score: Pair[int]
    carries_out: str = ""  # only in the line of a ruling that was proposed
    ruled_by: Ruler | None = None  # only if it was asked for, as what follows
    cube: int = 0
    gammon: Gammon | None = None  # these two: only at the end of a game


class LogLine(NamedTuple):
    """A line read back."""

    envelope: Envelope
    record: Record


class Chain(NamedTuple):
    """Where the next line of a log goes: its match, its number and the hash before it."""

    match: str
    boot: str
    seq: int = 0  # of the latest line
    hash: str = START  # of the latest line
    fingerprint_seq: int = 0  # of the line that the panels show: see `leaves_fingerprint`
    fingerprint_hash: str = START

    def after(self, record: Record, hash_: str) -> "Chain":
        """Return the chain after one more record, whose line has this hash."""
        after = self._replace(seq=self.seq + 1, hash=hash_)
        if self.fingerprint_seq and leaves_fingerprint(record):
            return after
        return after._replace(fingerprint_seq=after.seq, fingerprint_hash=hash_)

    def append(self, record: Record, wall: str) -> tuple["Chain", bytes]:
        """Return the chain after one more record, and the record's line with its line feed."""
        seq = self.seq + 1
        envelope = {"v": VERSION, "seq": seq, "match": self.match, "boot": self.boot}
        envelope |= {"at_ns": record.at_ns, "wall": wall}
        place = {name: getattr(record, name) for name in _PLACE}
        place |= {name: said for name in SAID if (said := getattr(record, name))}
        body = b"{" + b",".join(_encode(part)[1:-1] for part in (envelope, _event(record), place))
        hash_ = _digest(body, self.hash)
        return self.after(record, hash_), b'%b,"hash":"%b"}\n' % (body, hash_.encode())


_BESIDE_RESULT = (
    events.FaultEvent,
    events.FaultClearedEvent,
    events.OfferMadeEvent,
    events.OfferRefusedEvent,
    events.PressedEvent,
    events.RestoredEvent,
    events.RulingProposedEvent,
)


def leaves_fingerprint(record: Record) -> bool:
    """Return whether the fingerprint of a log stays that of an earlier line.

    Players have written down the fingerprint of a match that is over or adjourned. An offer of the
    next match, or a press, says nothing of the result; a correction by the director does. A press
    that a page used changes nothing in any phase: whoever looks in the menu sees the fingerprint
    there was.
    """
    event = record.event
    turns_page = isinstance(event, events.PressedEvent) and event.why == MENU
    return turns_page or (record.phase in AT_REST and isinstance(event, _BESIDE_RESULT))


def _refuse_float(text: str) -> float:
    raise ValueError(f"{text} is not an integer")


_encode = msgspec.json.Encoder().encode
_decode_all = msgspec.json.Decoder(float_hook=_refuse_float).decode
_decode_envelope = msgspec.json.Decoder(Envelope).decode
_decode_event: msgspec.json.Decoder[AnyEvent] = msgspec.json.Decoder(AnyEvent)


def _event(record: Record) -> object:
    """Return what a line says of its event; `score` is a field of every line, after these."""
    if not isinstance(record.event, GameOverEvent | PenaltyEvent | MatchOverEvent):
        return record.event
    event: dict[str, object] = msgspec.to_builtins(record.event)
    del event["score"]
    return event


def _digest(body: bytes, before: str) -> str:
    return hashlib.sha256(before.encode() + body).hexdigest()[:HASH_DIGITS]


def right_hash(line: bytes, before: str) -> str | None:
    """Return the hash of a line, without line feed, if the line states it rightly, else None.

    `before` is the hash of the line before; `START` for the first.
    """
    digest = _digest(line[:-_HASH_TAIL], before)
    return digest if stated_hash(line) == digest else None


def stated_hash(line: bytes) -> str | None:
    """Return the hash that a line, without line feed, states; None if it states none.

    It proves nothing of this line, only which line can follow it: see `right_hash`.
    """
    tail = line[-_HASH_TAIL:]
    digits = tail[len(_HASH_MARK) : -2]
    is_hash = len(digits) == HASH_DIGITS and not digits.strip(b"0123456789abcdef")
    return digits.decode() if is_hash and tail == b'%b%b"}' % (_HASH_MARK, digits) else None


def is_first(line: bytes) -> bool:
    """Return whether a line is the first of a match's log."""
    return line.startswith(b'{"v":%d,"seq":1,' % VERSION)


def stated_match(line: bytes) -> str | None:
    """Return the match that a line, perhaps a damaged one, names as its own."""
    name, is_named, _ = line.partition(b',"match":"')[2].partition(b'","boot":')
    return name.decode(errors="surrogateescape") if is_named else None


def decode(line: bytes, number: int) -> LogLine:
    """Decode a line without its line feed; `number` is for the message of the error.

    Its hash is not checked. Unknown fields are ignored, missing ones have their defaults: another
    version may have written the line. Bytes that this encoder would not write for the same values
    are refused (a key twice, a space, a float), so that no other reader can read the line
    differently.

    Raises:
        DamagedError: it is not a record of a format that can be read.
    """
    try:
        check_nesting(line)
        as_written = _encode(_decode_all(line))
        envelope = _decode_envelope(line)
        event = _decode_event.decode(line)
    except (msgspec.MsgspecError, ValueError) as error:
        raise DamagedError(number, f"not a record: {error}") from error
    if line != as_written:
        raise DamagedError(number, "no clock writes JSON like that: a key twice, spaces or escapes")
    if envelope.v != VERSION:
        raise DamagedError(number, f"unknown format {envelope.v}, expected {VERSION}")
    place = {name: getattr(envelope, name) for name in (*_PLACE, *SAID)}
    return LogLine(envelope, Record(envelope.at_ns, event, **place))


def last_line(lines: Sequence[bytes]) -> LogLine:
    """Return the last line that can be read.

    Raises:
        DamagedError: there is none.
    """
    for line in filter(None, reversed(lines)):  # thousands of empty lines cost nothing
        with suppress(DamagedError):
            return decode(line, 1)
    raise DamagedError(1, "it has no line")


def fields(line: bytes) -> dict[str, Any]:
    """Return all fields of a line that `decode` accepts."""
    found: dict[str, Any] = msgspec.json.decode(line)
    return found


LOG = "log"  # the part whose fault means that lines are not on the disk


def heartbeat_line(
    number: int, boot: str, now_ns: int, chain: Chain, warnings: Sequence[str]
) -> bytes:
    """Return heartbeat `number`, from 1, with its line feed; `warnings` are parts with a fault."""
    heartbeat = {
        "v": VERSION,
        "heartbeat": number,
        "boot": boot,
        "now_ns": now_ns,
        "match": chain.match,
        "seq": chain.seq,
        "log_saved": LOG not in warnings,
        "warnings": warnings,
    }
    return msgspec.json.encode(heartbeat) + b"\n"
