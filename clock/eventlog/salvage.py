"""What a damaged log still proves of its match, together with the last sign of life.

What counts, newest first: lines that replay byte for byte from the log's beginning, or from the
checkpoint's state. What comes after the damage and cannot be replayed still tells, line by line as
far as the checksums hold, both reserves, the score and whose clock ran; that is taken, and the
director is told that it is not all.

The one rule: nothing is taken from a line whose checksum is wrong.
"""

from collections.abc import Sequence
from typing import NamedTuple

from clock.eventlog.codec import Chain, DamagedError, Line, checksum, decode, stated_checksum
from clock.eventlog.summary_salvage import told
from clock.match.events import Origin
from clock.eventlog.recovery import LOST_NS, Checkpoint, Known, seen_ns
from clock.eventlog.replay import Match, replayed_line
from clock.match.invariants import check

LOG, CHECKPOINT, EFFECTS = "log", "checkpoint", "effects"  # where a state was taken from


class _Proven(NamedTuple):
    """A match, and how many lines of its log led to it."""

    match: Match
    lines: int
    taken_from: str


def known(lines: Sequence[bytes], latest: Checkpoint | None) -> Known:
    """What is known of a match; its log may be damaged anywhere.

    Args:
        lines: the log's lines, without their line feeds; the last may be torn.
        latest: the newest checkpoint; it counts if it is of this match.

    Raises:
        DamagedError: nothing can be made of it.
    """
    proven, damage = _from_log(lines)
    signed = _from_checkpoint(lines, latest)
    if signed and (proven is None or signed.match.chain.seq > proven.match.chain.seq):
        proven = signed
    if proven is None:
        raise damage or DamagedError(1, "the log is empty")
    newest = _newest(lines[proven.lines :], proven.lines)
    why = str(damage) if damage else _missing(proven, len(lines))
    of = _by_effects(proven, newest, len(lines), why) if newest else None
    if of is not None:
        return of
    state, chain = proven.match
    lost_ns = 0 if state.running is None else _lost_ns(proven.match, latest)
    unknown = len(lines) - proven.lines
    crc = f"{chain.crc:08x}" if chain.seq <= len(lines) else ""
    origin = Origin(chain.match, chain.seq, crc, proven.taken_from, unknown, why)
    return Known(state, seen_ns(proven.match, latest), lost_ns, origin)


def safe(latest: Checkpoint | None, lines: Sequence[bytes]) -> Known:
    """What the last sign of life alone says of its match.

    Args:
        latest: the newest checkpoint; it may be of the match before.
        lines: the log's.

    Raises:
        DamagedError: there is none of this match that can be trusted.
    """
    if latest is None or not _is_of(latest, lines, _IN_ANY_PLACE):
        raise DamagedError(1, "there is no sign of life")
    try:
        check(latest.state)
    except ValueError as error:
        raise DamagedError(1, f"the sign of life: {error}") from error
    unknown = max(0, len(lines) - latest.seq)
    origin = Origin(latest.match, latest.seq, "", CHECKPOINT, unknown, None)
    lost_ns = None if unknown else LOST_NS
    return Known(latest.state, max(latest.at_ns, latest.state.at_ns), lost_ns, origin)


def _missing(proven: _Proven, lines: int) -> str | None:
    """A log that is good as far as it goes, and a sign of life that knows more."""
    seq = proven.match.chain.seq
    return f"lines {lines + 1} to {seq} are missing" if seq > lines else None


def _lost_ns(match: Match, latest: Checkpoint | None) -> int | None:
    """While a clock runs there are signs of life; without the latest nothing is known."""
    seq = match.chain.seq
    return LOST_NS if latest and (latest.match, latest.seq) == (match.chain.match, seq) else None


# --- what replays -----------------------------------------------------------------------------


def _from_log(lines: Sequence[bytes]) -> tuple[_Proven | None, DamagedError | None]:
    """The match after the good lines that the log begins with, and what ends them."""
    match, count, damage = _onwards(None, lines, 0)
    return (None if match is None else _Proven(match, count, LOG)), damage


def _from_checkpoint(lines: Sequence[bytes], latest: Checkpoint | None) -> _Proven | None:
    """The match after a checkpoint and the lines that follow it."""
    if latest is None or not _is_of(latest, lines):
        return None
    try:
        check(latest.state)
    except ValueError:
        return None
    count = _place(lines, latest.seq)
    crc = stated_checksum(lines[count - 1]) if 0 < count <= len(lines) else None
    match = Match(latest.state, Chain(latest.match, latest.boot, latest.seq, crc or 0))
    after, count, _ = _onwards(match, lines, count)
    return _Proven(after or match, count, CHECKPOINT)


_OF_ITS_LINES, _IN_ANY_PLACE = b',"match":"%b","boot":', b'"match":"%b",'  # its `Origin`, too


def _is_of(latest: Checkpoint, lines: Sequence[bytes], marked: bytes = _OF_ITS_LINES) -> bool:
    """Whether a checkpoint is of this log; it may be of the match before."""
    mark = marked % latest.match.encode()
    return any(mark in line for line in lines)


def _place(lines: Sequence[bytes], seq: int) -> int:
    """How many lines there are up to the one of this number; damage may have joined or cut some."""
    mark = b'{"v":1,"seq":%d,"match":'
    for at, line in enumerate(lines):
        if line.startswith(mark % seq):
            return at + 1
        if line.startswith(mark % (seq + 1)):
            return at
    return min(seq, len(lines))


def _onwards(
    match: Match | None, lines: Sequence[bytes], count: int
) -> tuple[Match | None, int, DamagedError | None]:
    """The match after as many lines from `count` on as replay, how many, and what ends them."""
    for raw in lines[count:]:
        try:
            match = replayed_line(match, raw, count + 1).match
        except DamagedError as damage:
            return match, count, damage
        count += 1
    return match, count, None


# --- what does not, but tells -----------------------------------------------------------------


def _newest(lines: Sequence[bytes], before: int) -> list[Line]:
    """Those of these lines that are whole: each continues the checksum of the one before it."""
    found: list[Line] = []
    for at in range(1, len(lines)):
        crc = stated_checksum(lines[at - 1])
        if crc is not None and checksum(lines[at], crc) is not None:
            found.append(decode(lines[at], before + at + 1))
    return found


def _by_effects(
    proven: _Proven, newest: list[Line], lines: int, damage: str | None
) -> Known | None:
    """The match with what the newest whole line says of it; None if that can never have been."""
    envelope, record = newest[-1]
    try:
        state = told(proven.match.state, newest)
        check(state)
    except ValueError:
        return None
    origin = Origin(
        envelope.match, envelope.seq, envelope.crc, EFFECTS, lines - proven.lines, damage
    )
    lost_ns = 0 if record.running is None else None
    return Known(state, record.at_ns, lost_ns, origin)
