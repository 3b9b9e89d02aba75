"""Verify a log: what it proves, and the heads that its clock showed."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from clock.eventlog.codec import START, DamagedError, right_hash
from clock.eventlog.head import Shown, head_text, parse_head, parse_qr
from clock.eventlog.replay import Match, replay_lines
from clock.match.events import GameOverEvent, Record
from clock.match.types import Pair

QR_BEGINS = "GC2:"


class VerifiedLine(NamedTuple):
    """A line of a verified log."""

    seq: int
    hash: str
    wall: str
    record: Record

    @property
    def head(self) -> str:
        """What the panels showed at this line."""
        return head_text(self.hash)

    def shows(self, head: "str | Shown") -> bool:
        """Return whether this is the line at which a head was shown."""
        if isinstance(head, Shown):
            score = Pair(*self.record.score)
            return (self.hash, self.seq, score) == (head.hash, head.seq, head.score)
        return self.head == head


class VerifiedLog(NamedTuple):
    """An undamaged and consistent log."""

    match: Match  # after the last line
    lines: tuple[VerifiedLine, ...]

    @property
    def games(self) -> list[VerifiedLine]:
        """Return the line of each game that was scored."""
        return [line for line in self.lines if isinstance(line.record.event, GameOverEvent)]

    def line_of(self, head: str | Shown) -> VerifiedLine | None:
        """Return the line at which a head was shown; None: at none."""
        return next((line for line in self.lines if line.shows(head)), None)


def verify(lines: Sequence[bytes]) -> VerifiedLog:
    """Verify the hashes, the sequence and the replay of a log.

    Args:
        lines: the log's lines, without their line feeds.

    Raises:
        DamagedError: a line is damaged, or does not follow from those before it.
    """
    steps = list(replay_lines(lines))
    if not steps:
        raise DamagedError(1, "the log is empty")
    verified = [
        VerifiedLine(match.chain.seq, match.chain.hash, line.envelope.wall, line.record)
        for match, line in steps
    ]
    return VerifiedLog(steps[-1].match, tuple(verified))


def is_chain_intact(lines: Iterable[bytes]) -> bool:
    """Return whether every line has the right hash, whatever it says."""
    return latest_hash(lines) is not None


def latest_hash(lines: Iterable[bytes]) -> str | None:
    """Return the hash of the last line; None if the hash of a line is wrong."""
    latest = START
    for line in lines:
        right = right_hash(line, latest)
        if right is None:
            return None
        latest = right
    return latest


def parse_shown(text: str) -> str | Shown:
    """Return a head that a person copied, or what a QR code says.

    Raises:
        HeadError: it is neither.
    """
    plain = text.strip().upper()
    return parse_qr(plain) if plain.startswith(QR_BEGINS) else parse_head(text)


def versions(lines: Iterable[bytes]) -> list[str]:
    """Return the versions of the program that wrote a log, in their order.

    The log need not be one that this version can replay.
    """
    found = []
    for line in lines:
        if b'"version":"' in line:
            try:
                found.append(msgspec.json.decode(line, type=_Written).version)
            except (msgspec.DecodeError, UnicodeDecodeError):
                continue
    return [version for version in dict.fromkeys(found) if version]


class _Written(msgspec.Struct):
    """What the first line of a log, and that of a restoration, say of their program."""

    version: str = ""
