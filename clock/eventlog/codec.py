"""A record and its one line of JSON, with the checksum that chains it to the line before.

Contract (the log): one UTF-8 JSON object a line; the fields of every record in one order; `crc` is
the CRC-32 of the line up to and without `,"crc"`, seeded with the previous line's value. So a line
that was lost, moved or changed is found, not only a torn last one.

The one rule: what is decoded and encoded again gives the same bytes.
"""

import zlib
from typing import NamedTuple

import msgspec

from clock.match.events import AnyEvent, Record
from clock.match.phases import Phase
from clock.match.sides import Side

VERSION = 1  # of the format
_CRC_MARK = b',"crc":"'
_TAIL_LENGTH = len(_CRC_MARK) + len('00000000"}')


class DamagedError(Exception):
    """A log is not what the clock wrote.

    Attributes:
        line: the number of the first bad line, from 1.
        why: what is wrong with it.
    """

    def __init__(self, line: int, why: str) -> None:
        super().__init__(f"line {line}: {why}")
        self.line = line
        self.why = why


class Envelope(msgspec.Struct, frozen=True):
    """What every line has beside the fields of its event, in the order of the line."""

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
    crc: str


class Line(NamedTuple):
    """A line read back."""

    envelope: Envelope
    record: Record


class Chain(NamedTuple):
    """Where the next line of a log goes: its match, its number and the checksum before it."""

    match: str
    boot: str
    seq: int = 0  # of the latest line
    crc: int = 0

    def append(self, record: Record, wall: str) -> tuple["Chain", bytes]:
        """The chain after one more record, and the record's line with its line feed."""
        chain = self._replace(seq=self.seq + 1)
        body = b"".join((_head(chain, record, wall), _event(record.event), _place(record)))
        crc = zlib.crc32(body, self.crc)
        return chain._replace(crc=crc), b'%b,"crc":"%08x"}\n' % (body, crc)


class _Head(msgspec.Struct, frozen=True):
    v: int
    seq: int
    match: str
    boot: str
    at_ns: int
    wall: str


class _Place(msgspec.Struct, frozen=True):
    phase: Phase
    running: Side | None
    left_ns: int
    right_ns: int
    delay_ns: int


_encode = msgspec.json.Encoder().encode
_decode_envelope = msgspec.json.Decoder(Envelope).decode
_decode_event: msgspec.json.Decoder[AnyEvent] = msgspec.json.Decoder(AnyEvent)


def _head(chain: Chain, record: Record, wall: str) -> bytes:
    head = _Head(VERSION, chain.seq, chain.match, chain.boot, record.at_ns, wall)
    return _encode(head)[:-1]


def _event(event: AnyEvent) -> bytes:
    return b"," + _encode(event)[1:-1]


def _place(record: Record) -> bytes:
    place = _Place(record.phase, record.running, record.left_ns, record.right_ns, record.delay_ns)
    return b"," + _encode(place)[1:-1]


def checksum(line: bytes, before: int) -> int | None:
    """The checksum of a line (without its line feed) if it is right, else None.

    Args:
        line: as it stands in the file.
        before: the checksum of the line before; 0 for the first.
    """
    body, tail = line[:-_TAIL_LENGTH], line[-_TAIL_LENGTH:]
    crc = zlib.crc32(body, before)
    return crc if tail == b',"crc":"%08x"}' % crc else None


def stated_checksum(line: bytes) -> int | None:
    """The checksum that a line (without its line feed) says it has; None if that is no number."""
    try:
        return int(line[-10:-2], 16)
    except ValueError:
        return None


def is_first(line: bytes) -> bool:
    """Whether a line is the first of a match's log."""
    return line.startswith(b'{"v":%d,"seq":1,' % VERSION)


def decode(line: bytes, number: int) -> Line:
    """A line read back.

    Args:
        line: without its line feed.
        number: of the line, for the error.

    Raises:
        DamagedError: it is no record of this format.
    """
    try:
        envelope = _decode_envelope(line)
        event = _decode_event.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise DamagedError(number, f"no record: {error}") from error
    if envelope.v != VERSION:
        raise DamagedError(number, f"format {envelope.v} is not known, only {VERSION}")
    return Line(
        envelope,
        Record(
            envelope.at_ns,
            event,
            envelope.phase,
            envelope.running,
            envelope.left_ns,
            envelope.right_ns,
            envelope.delay_ns,
        ),
    )
