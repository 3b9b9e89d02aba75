"""The result of a log, and the report of a match for its page."""

from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec import structs

from clock.eventlog.codec import DamagedError, decode
from clock.eventlog.head import head_text
from clock.eventlog.verification import latest_hash
from clock.match.events import MatchOpenedEvent, RestoredEvent
from clock.match.types import Pair, Phase, Side
from clock.report.build import summary
from clock.report.summary import Summary
from room.boards.board import Result
from room.boards.effects import EndedLog
from room.boards.sanitized import clean, safe
from room.lines.track import Track, follow

DAY = len("2026-05-01")
BEFORE = (Phase.REVIEW, Phase.READY)  # phases before the first game, and between games


class Listed(Result, frozen=True, kw_only=True):
    """A result in the list of all results."""

    round: int | None  # the match is its board's first, second, ... of the day; None: not known


def listed(results: Iterable[Result]) -> list[Listed]:
    """Return results with their rounds, in the same order.

    A clock knows no pairings: a round is counted by the matches that begin at a board on a day. A
    match that was given up counts too.
    """
    given, counts, rounds = list(results), Counter[tuple[str, str]](), dict[str, int]()
    for result in sorted(given, key=lambda result: (result.begun, result.match)):
        place, day = result.board or result.clock, result.begun[:DAY]
        if place and day:
            counts[place, day] += 1
            rounds[result.match] = counts[place, day]
    return [Listed(**structs.asdict(each), round=rounds.get(each.match)) for each in given]


def result_of(ended: EndedLog) -> Result | None:
    """Return the result of a log; None if its match never began, or if no line can be read."""
    try:
        found = summary(ended.lines)
    except DamagedError as damage:
        return _of_effects(ended, str(damage))
    return _of_summary(found, ended) if found.is_begun else None


def _of_summary(found: Summary, ended: EndedLog) -> Result:
    return Result(
        match=ended.match,
        board=_board(found.board, ended),
        clock=clean(_clock(ended.lines[0])),
        players=_by_side(found.names),
        score=found.score.map(safe),
        length=safe(found.length),
        winner=found.over[2] if found.over else None,
        begun=clean((found.confirmed or found.first).wall),
        duration_ns=safe(found.duration_ns),
        flags=list(dict.fromkeys(flag.player for flag in found.flags if flag.player)),
        restorations=len(found.restorations),
        corrections=found.corrections,
        head=head_of(ended.lines),
        complete=found.over is not None,
        forks=ended.forks,
        damage=ended.damage and clean(ended.damage),
        end=clean(found.over[1].why) if found.over else None,
    )


def _board(named: str, ended: EndedLog) -> str:
    """Return the board that a log names, or else that of its clock in the director's list."""
    place = ended.place
    return clean(named) or (place.hint if place.clock else "")


def _clock(first: bytes) -> str:
    """Return the clock that the first line of a log names."""
    event = decode(first, 1).record.event
    return event.clock if isinstance(event, MatchOpenedEvent | RestoredEvent) else ""


def _of_effects(ended: EndedLog, damage: str) -> Result | None:
    """Return the result that the lines of a damaged log state."""
    track = Track()
    for line in ended.lines:
        track = follow(track, line)
    state = track.state
    if state is None or (state.phase in BEFORE and not state.games):
        return None
    over = state.phase is Phase.FINISHED
    return Result(
        match=ended.match,
        board=_board(track.board, ended),
        clock=clean(track.clock),
        players=_by_side(state.names),
        score=state.score.map(safe),
        length=safe(state.length),
        winner=state.winner if over else None,
        begun="",
        duration_ns=0,
        flags=[side for side in Side if state.players[side].flag is not None],
        restorations=0,
        corrections=0,
        head=head_of(ended.lines),
        complete=over,
        forks=ended.forks,
        damage=clean(ended.damage or damage),
        end=(clean(state.ended) or None) if over else None,
    )


def _by_side(names: Pair[str]) -> dict[Side, str]:
    return {side: clean(names[side]) for side in Side}


def head_of(lines: Sequence[bytes]) -> str:
    """Return the head of a log; empty if the hash of a line is wrong."""
    hash_ = latest_hash(lines) if lines else None
    return head_text(hash_) if hash_ else ""
