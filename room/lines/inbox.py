"""Decide what to do with a line of a log, whatever it is and however often it comes.

A log is known by the hashes of its lines. A line continues it, repeats it, comes too early because
lines before it are missing, contradicts it (a fork), or is no undamaged line of it.
"""

from collections.abc import Iterable
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

import msgspec

from clock.eventlog.codec import (
    START,
    DamagedError,
    Envelope,
    LogLine,
    decode,
    right_hash,
    stated_hash,
)


class Verdict(StrEnum):
    """What a line is to the log as known so far."""

    STORED = "stored"  # it is the next line
    KNOWN = "known"  # it was stored before
    MISSING = "missing"  # lines before it have not come
    FORK = "fork"  # it continues the lines before it, as another line did: now it counts
    DAMAGED = "damaged"  # it is no line of this log, or was changed on the way


class Point(msgspec.Struct, frozen=True):
    """A line of a log, which stands for all lines up to it."""

    seq: int = 0  # 0: before the first line
    hash: str = START


class UnreadableError(Exception):
    """The lines that were stored before cannot be read now."""


LogKey = tuple[str, str]  # of a log in the database: the key of its place, and its match
LatestLines = dict[LogKey, Point]  # the latest line of each of some logs


class LogHashes(NamedTuple):
    """The lines of a log that are known: their hashes, the first one first."""

    match: str = ""  # as the lines name it; empty: not known before the first one
    by_line: tuple[str, ...] = ()

    @property
    def seq(self) -> int:
        """The number of the latest line; 0 if there is none."""
        return len(self.by_line)

    @property
    def latest(self) -> Point:
        """The latest line."""
        return self.point(self.seq)

    def point(self, seq: int) -> Point:
        """Return a line by its number, from 0 to `seq`."""
        return Point(seq, self.by_line[seq - 1]) if seq else Point()


def receive(hashes: LogHashes, line: bytes) -> tuple[LogHashes, Verdict]:
    """Return what is known of a log after a line, which may be anything, and what the line is."""
    envelope = envelope_of(line)
    if envelope is None or envelope.seq < 1 or hashes.match not in ("", envelope.match):
        return hashes, Verdict.DAMAGED
    if envelope.seq > hashes.seq + 1:
        return hashes, Verdict.MISSING
    before = hashes.by_line[envelope.seq - 2] if envelope.seq > 1 else START
    found = right_hash(line, before)
    if found is None:
        return hashes, Verdict.DAMAGED
    if envelope.seq <= hashes.seq and hashes.by_line[envelope.seq - 1] == found:
        return hashes, Verdict.KNOWN
    verdict = Verdict.STORED if envelope.seq > hashes.seq else Verdict.FORK
    before_it = hashes.by_line[: envelope.seq - 1]
    return LogHashes(envelope.match, before_it + (found,)), verdict  # noqa: RUF005 (twice as fast)


def hashes_of(match: str, lines: Iterable[bytes]) -> LogHashes:
    """Return what is known of a log by its lines, whose hashes were right when they came."""
    by_line = tuple(found for line in lines if (found := stated_hash(line)))
    return LogHashes(match if by_line else "", by_line)


@lru_cache(maxsize=128)  # a new line is looked at again and again, in two threads
def line_of(raw: bytes) -> LogLine | None:
    """Return what a line says; None if it cannot be read."""
    try:
        return decode(raw, 0)
    except DamagedError:
        return None


def envelope_of(raw: bytes) -> Envelope | None:
    """Return the fields that every line of a log has; None if this is no such line."""
    line = line_of(raw) if stated_hash(raw) is not None else None
    return line and line.envelope
