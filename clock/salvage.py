"""What a damaged log still proves of its match, together with the last sign of life.

What counts, newest first: lines that replay byte for byte from the log's beginning, or from the
checkpoint's state. What comes after the damage and cannot be replayed still tells, line by line as
far as the checksums hold, both reserves, the score and whose clock ran; that is taken, and the
director is told that it is not all.

The one rule: nothing is taken from a line whose checksum is wrong.
"""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec import structs

from clock.codec import Chain, DamagedError, Line, checksum, decode
from clock.correcting import crawford_derived
from clock.events import (
    CorrectedEvent,
    FlagFellEvent,
    GameOverEvent,
    MatchOverEvent,
    Origin,
    PenaltyEvent,
)
from clock.match import Flag, MatchState
from clock.phases import Crawford, Phase
from clock.recovery import CHECKPOINT_NS, Checkpoint, Known, seen_ns
from clock.replay import Match, replayed_line
from clock.rules import Reason
from clock.sides import Pair, Side
from clock.soundness import check
from clock.timecontrol import Turn

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
    told = str(damage) if damage else None
    newest = _newest(lines[proven.lines :], proven.lines)
    if newest:
        return _by_effects(proven, newest, len(lines), told)
    state, chain = proven.match
    lost_ns = 0 if state.running is None else _lost_ns(proven.match, latest)
    unknown = len(lines) - proven.lines
    crc = f"{chain.crc:08x}"
    origin = Origin(chain.match, chain.seq, crc, proven.taken_from, unknown, told)
    return Known(state, seen_ns(proven.match, latest), lost_ns, origin)


def safe(latest: Checkpoint | None, lines: int) -> Known:
    """What the last sign of life alone says of its match.

    Args:
        latest: the newest checkpoint.
        lines: how many the log has.

    Raises:
        DamagedError: there is none that can be trusted.
    """
    if latest is None:
        raise DamagedError(1, "there is no sign of life")
    try:
        check(latest.state)
    except ValueError as error:
        raise DamagedError(1, f"the sign of life: {error}") from error
    unknown = max(0, lines - latest.seq)
    origin = Origin(latest.match, latest.seq, "", CHECKPOINT, unknown, None)
    lost_ns = None if unknown else CHECKPOINT_NS
    return Known(latest.state, max(latest.at_ns, latest.state.at_ns), lost_ns, origin)


def _lost_ns(match: Match, latest: Checkpoint | None) -> int | None:
    """While a clock runs there is a sign of life each second; without one nothing is known."""
    seq = match.chain.seq
    return (
        CHECKPOINT_NS if latest and (latest.match, latest.seq) == (match.chain.match, seq) else None
    )


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
        safe(latest, 0)
    except DamagedError:
        return None
    count = _place(lines, latest.seq)
    crc = _printed_crc(lines[count - 1]) if 0 < count <= len(lines) else None
    match = Match(latest.state, Chain(latest.match, latest.boot, latest.seq, crc or 0))
    after, count, _ = _onwards(match, lines, count)
    return _Proven(after or match, count, CHECKPOINT)


def _is_of(latest: Checkpoint, lines: Sequence[bytes]) -> bool:
    """Whether a checkpoint is of this log; it may be of the match before (see `Origin`)."""
    mark = b',"match":"%b","boot":' % latest.match.encode()
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


def _printed_crc(line: bytes) -> int | None:
    """The checksum that a line says it has."""
    try:
        return int(line[-10:-2], 16)
    except ValueError:
        return None


def _newest(lines: Sequence[bytes], before: int) -> list[Line]:
    """Those of these lines that are whole: each continues the checksum of the one before it."""
    found: list[Line] = []
    for at in range(1, len(lines)):
        crc = _printed_crc(lines[at - 1])
        if crc is not None and checksum(lines[at], crc) is not None:
            found.append(decode(lines[at], before + at + 1))
    return found


def _by_effects(proven: _Proven, newest: list[Line], lines: int, damage: str | None) -> Known:
    """The match with what the newest whole line says of it."""
    state, (envelope, record) = proven.match.state, newest[-1]
    for line in newest:
        state = _scored(_flagged(state, line), line)
    for side, left_ns in zip(Side, (record.left_ns, record.right_ns), strict=True):
        account = state.players[side].account
        granted = structs.replace(account, granted_ns=account.spent_ns + left_ns)
        state = state.with_player(side, account=granted, absence=None)
    state = _standing(state, newest).replace(at_ns=record.at_ns)
    origin = Origin(
        envelope.match, envelope.seq, envelope.crc, EFFECTS, lines - proven.lines, damage
    )
    lost_ns = 0 if record.running is None else None
    return Known(state, record.at_ns, lost_ns, origin)


def _flagged(state: MatchState, line: Line) -> MatchState:
    event = line.record.event
    if isinstance(event, FlagFellEvent):
        return state.with_player(event.side, flag=Flag(event.order, None))
    return state


def _scored(state: MatchState, line: Line) -> MatchState:
    """The score, the length and the Crawford status that a line tells in full."""
    event, between = line.record.event, line.record.phase not in _PLAYING
    match event:
        case GameOverEvent():
            done = Crawford.BEFORE if state.crawford is Crawford.BEFORE else Crawford.DONE
            crawford = Crawford.NOW if event.crawford else done
            return state.replace(score=event.score, legs=event.legs, crawford=crawford)
        case CorrectedEvent(what="crawford", new=str() as crawford):
            return state.replace(crawford=Crawford(crawford))
        case CorrectedEvent(what="score", side=Side() as side, new=int() as points):
            state = state.replace(score=state.score.put(side, points))
        case CorrectedEvent(what="length" | "length_shortened", new=int() as length):
            state = state.replace(length=length)
        case PenaltyEvent() | MatchOverEvent():
            state = state.replace(score=event.score)
        case _:
            return state
    return crawford_derived(state) if between else state


_PLAYING = (Phase.RUNNING, Phase.STOPPED, Phase.FREE_TURN, Phase.GAME_OVER)


def _standing(state: MatchState, newest: list[Line]) -> MatchState:
    """Where the match stands, with both clocks still; of a turn only its delay is known."""
    record = newest[-1].record
    state = state.replace(held=False, pause=None, recent=(), game_points=Pair(0, 0))
    movers = [line.record.running for line in newest if line.record.running]
    before = None if state.turn is None else state.turn.side
    mover = movers[-1] if movers else before
    if record.phase in _PLAYING and mover is not None:
        turn = Turn(mover, record.delay_ns)
        return state.replace(phase=Phase.STOPPED, turn=turn, reason=Reason.POWER_LOSS)
    still = record.phase in (Phase.NO_CLOCK, Phase.FINISHED)
    return state.replace(phase=record.phase if still else Phase.READY, turn=None)
