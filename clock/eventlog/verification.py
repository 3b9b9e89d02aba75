"""Verify a log: what it proves, the fingerprints that its clock showed, and how that is said."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from enum import IntEnum
from typing import NamedTuple

import msgspec

from clock.eventlog.codec import (
    START,
    DamagedError,
    decode,
    leaves_fingerprint,
    right_hash,
    stated_hash,
)
from clock.eventlog.fingerprint import Shown, fingerprint_text, parse_fingerprint, parse_qr
from clock.eventlog.replay import Match, replay_lines
from clock.match.durations import clock_text
from clock.match.events import AnyEvent, GameOverEvent, Origin, Record
from clock.match.state import MatchState
from clock.match.types import Pair
from clock.text import check_nesting, quoted

DENIED, UNPROVEN = 4, 5  # exit codes


class Verdict(IntEnum):
    """What is proven, the worst last: that of several logs is the greatest."""

    PROVEN = 0
    CONSISTENT = 1
    NOT_PROVEN = 2
    CONTRADICTED = 3

    @property
    def exit_code(self) -> int:
        """The exit code of `gammonclock verify`."""
        return {Verdict.NOT_PROVEN: UNPROVEN, Verdict.CONTRADICTED: DENIED}.get(self, 0)

    def __str__(self) -> str:
        return self.name.replace("_", " ")


MEANINGS = {
    Verdict.PROVEN: "what was given from outside matches the log, up to the line that is named",
    Verdict.CONSISTENT: "hashes, order and replay are right. With at least one log nothing from"
    " outside was compared: a program that knows the format could have invented it",
    Verdict.NOT_PROVEN: "nothing is wrong, but something that is claimed stands in no file at hand",
    Verdict.CONTRADICTED: "a log is damaged or changed, or is denied by what was given beside it",
}


QR_BEGINS = "GC2:"
CLOCK_ID = re.compile("[0-9a-f]{8}")
VERSION = re.compile(r"[0-9A-Za-z.+]{1,20}")
WALL = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?([+-]\d\d:\d\d|Z)", re.ASCII)
NEVER_SHOWN = (
    "this log never showed that log code. Either it is another log, or it was changed, or its end"
    " is missing."
)


class VerifiedLine(NamedTuple):
    """A line of a verified log."""

    seq: int
    hash: str
    wall: str
    record: Record

    @property
    def fingerprint(self) -> str:
        """What the panels showed at this line."""
        return fingerprint_text(self.hash)

    def shows(self, fingerprint: "str | Shown") -> bool:
        """Return whether this is the line at which a fingerprint was shown."""
        if isinstance(fingerprint, Shown):
            score = Pair(*self.record.score)
            return (self.hash, self.seq, score) == (
                fingerprint.hash,
                fingerprint.seq,
                fingerprint.score,
            )
        return self.fingerprint == fingerprint


class VerifiedLog(NamedTuple):
    """An undamaged and consistent log."""

    match: Match  # after the last line
    lines: tuple[VerifiedLine, ...]

    @property
    def end(self) -> VerifiedLine:
        """The line whose fingerprint was shown last; only lines beside the result follow it."""
        return self.lines[self.match.chain.fingerprint_seq - 1]

    def after(self, line: VerifiedLine) -> str:
        """Return what to say of the lines after one; "" if there are none."""
        rest = self.lines[-1].seq - line.seq
        if not rest:
            return ""
        is_end = line.seq == self.end.seq
        what = "change nothing of the result" if is_end else "are not covered"
        return f"; the {rest} after it {what}"

    def line_of(self, fingerprint: str | Shown) -> VerifiedLine | None:
        """Return the line at which a fingerprint was shown; None: at none."""
        return next((line for line in self.lines if line.shows(fingerprint)), None)


def verify(lines: Sequence[bytes]) -> VerifiedLog:
    """Verify the hashes, the sequence and the replay of a log, whose lines have no line feeds.

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
    for line in verified:
        if not WALL.fullmatch(line.wall):
            raise DamagedError(line.seq, f"its wall time {quoted(line.wall)} is none (RFC 3339)")
    return VerifiedLog(steps[-1].match, tuple(verified))


def latest_hash(lines: Iterable[bytes]) -> str | None:
    """Return the hash of the last line, whatever the lines say; None if one has a wrong hash."""
    latest = START
    for line in lines:
        right = right_hash(line, latest)
        if right is None:
            return None
        latest = right
    return latest


def fingerprint_of(lines: Sequence[bytes]) -> str:
    """Return the fingerprint of a log, whatever the lines say; empty if one has a wrong hash."""
    hash_, end = latest_hash(lines) if lines else None, len(lines)
    with suppress(DamagedError):
        while hash_ and end > 1 and leaves_fingerprint(decode(lines[end - 1], end).record):
            end -= 1
            hash_ = stated_hash(lines[end - 1])
    return fingerprint_text(hash_) if hash_ else ""


def parse_shown(text: str) -> str | Shown:
    """Return a fingerprint that a person copied, or what a QR code says.

    Raises:
        FingerprintError: it is neither.
    """
    plain = text.strip().upper()
    return parse_qr(plain) if plain.startswith(QR_BEGINS) else parse_fingerprint(text)


def versions(lines: Iterable[bytes]) -> list[str]:
    """Return the versions of the program that wrote a log, in their order.

    The log need not be one that this version can replay.
    """
    found = []
    for line in lines:
        if b'"version":"' in line:
            try:
                check_nesting(line)
                found.append(msgspec.json.decode(line, type=_Written).version)
            except (msgspec.DecodeError, ValueError):
                continue
    return [version for version in dict.fromkeys(found) if version]


class _Written(msgspec.Struct):
    """What the first line of a log, and that of a restoration, say of their program."""

    version: str = ""


# --- in words ---------------------------------------------------------------------------------


def description(log: VerifiedLog, writers: str) -> list[str]:
    """Return in lines what a verified log says: how it stands, who wrote it, its fingerprints."""
    first, last = log.lines[0].record.event, log.lines[-1]
    software = getattr(first, "stamps", None) == "software"
    late = ". Its presses were stamped by software, some milliseconds late" if software else ""
    return [
        f"undamaged and consistent. {last.seq} records, {_standing(last, log.match.state)}",
        f"written by version {writers}{late}",
        _origin_text(first),
        *_fingerprints(log),
    ]


def writers(lines: Iterable[bytes]) -> str:
    """Return the versions of the program that wrote a log."""
    found = [each if VERSION.fullmatch(each) else quoted(each) for each in versions(lines)]
    return " and ".join(found) or "not known"


def advice(lines: Sequence[bytes], version: str) -> str:
    """Return what is known of a damaged log; `version` is that of this program."""
    if not lines:
        return "A log begins with the settings of its match; this file has nothing."
    if latest_hash(lines) is None:
        return "The lines before it are undamaged and consistent."
    if versions(lines) == [version]:
        return (
            f"Every hash is right, and the log names version {version}, which is this one: some"
            " other program wrote or changed it, or this version has a fault."
        )
    return (
        f"No line is damaged: every hash is right. The log names version {writers(lines)}; this is"
        f" version {version}, and that one may have other rules."
    )


def shown_text(log: VerifiedLog, fingerprint: str | Shown) -> str | None:
    """Return at which line a fingerprint was shown; None: at none."""
    line = log.line_of(fingerprint)
    if line is None:
        return None
    return (
        f"the log code matches: it was shown at line {line.seq}, {line.wall}. The lines up to there"
        f" are those that the clock showed{log.after(line)}"
    )


def _standing(line: VerifiedLine, state: MatchState) -> str:
    left, right = clock_text(line.record.left_ns), clock_text(line.record.right_ns)
    score = f"{state.score.left}-{state.score.right} of {state.length}"
    return f"{line.record.phase.value}, score {score}, left {left}, right {right}"


def _origin_text(first: AnyEvent) -> str:
    clock, board = getattr(first, "clock", ""), getattr(first, "board", "")
    named = [quoted(each) if each else "not named" for each in (clock, board)]
    text = f"clock {clock if CLOCK_ID.fullmatch(clock) else named[0]}, board {named[1]}"
    origin: Origin | None = getattr(first, "origin", None)
    if origin is None:
        return text
    damage = f"; damage there: {quoted(origin.damage, 80)}" if origin.damage else ""
    return (
        f"{text}; continues the log {quoted(origin.match, 60)} after its line {origin.seq}{damage}"
    )


def _fingerprints(log: VerifiedLog) -> Iterator[str]:
    for line in log.lines:
        if isinstance(line.record.event, GameOverEvent):
            left, right = line.record.score
            yield f"log code {line.fingerprint} at line {line.seq}, a game scored: {left}-{right}"
    yield f"log code {log.end.fingerprint} at line {log.end.seq}, the end{log.after(log.end)}"
