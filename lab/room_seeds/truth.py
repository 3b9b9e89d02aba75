"""What the clocks have written, as they wrote it: what everything else is compared with."""

from typing import NamedTuple

import msgspec

from clock.eventlog.codec import START, right_hash
from clock.eventlog.fingerprint import fingerprint_text

ROOM = "sim"


class Line(msgspec.Struct, frozen=True):
    """What a line of a log says of itself and of the match."""

    seq: int
    match: str
    boot: str
    at_ns: int
    phase: str
    running: str | None
    left_ns: int
    right_ns: int
    score: tuple[int, int]
    hash: str


class Written(NamedTuple):
    """A line that a clock has written."""

    line: bytes
    says: Line
    before: str  # the hash of the line before


class Truth:
    """All lines that were ever written, and the time of each boot."""

    def __init__(self) -> None:
        self.lines: dict[tuple[str, str], dict[str, Written]] = {}  # by clock and match, by hash
        # By clock, match and fingerprint.
        self._fingerprints: dict[tuple[str, str, str], Written] = {}
        self.began_ns: dict[str, int] = {}  # the instant 0 of each boot
        self.count = 0
        self._decode = msgspec.json.Decoder(Line).decode

    def write(self, clock: str, line: bytes) -> Written:
        """Note a line, without its line feed, as a clock writes it."""
        says = self._decode(line)
        log = self.lines.setdefault((clock, says.match), {})
        log[says.hash] = written = Written(line, says, self._before(log, line, says))
        self._fingerprints[clock, says.match, fingerprint_text(says.hash)] = written
        self.count += 1
        return written

    @staticmethod
    def _before(log: dict[str, Written], line: bytes, says: Line) -> str:
        if says.seq == 1:
            return START
        for hash_, written in reversed(log.items()):
            if written.says.seq == says.seq - 1 and right_hash(line, hash_) == says.hash:
                return hash_
        return "no line that was written"

    def find(self, clock: str, match: str, hash_: str) -> Written | None:
        """Return a line of a clock by its hash; None: it wrote no such line."""
        return self.lines.get((clock, match), {}).get(hash_)

    def find_fingerprint(self, clock: str, match: str, fingerprint: str) -> Written | None:
        """Return a line of a clock by its fingerprint, as boards show it."""
        return self._fingerprints.get((clock, match, fingerprint))


def clock_of(source: str) -> str:
    """Return the clock of a source in the hub's database; empty: it is none."""
    room, _, clock = source.partition("/")
    return clock if room == ROOM else ""
