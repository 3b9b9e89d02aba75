"""The result of a log, and the report of a match for its page."""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import Any

from msgspec import structs

from clock.eventlog.codec import DamagedError, decode
from clock.eventlog.verification import fingerprint_of, latest_hash
from clock.match.events import MatchOpenedEvent, Origin, RestoredEvent
from clock.match.rules import MatchSettings
from clock.match.types import Pair, Phase, Side
from clock.report.build import summary
from clock.report.summary import Summary
from clock.report.times_of_day import instant_ns, playing_day
from room.boards.board import Conflict, Result
from room.boards.conflicts import ConflictsOf
from room.boards.effects import EndedLog
from room.boards.joined_matches import Apart, joined_matches
from room.boards.sanitized import clean, safe
from room.lines.events import Place
from room.lines.track import Track, follow

BEFORE = (Phase.REVIEW, Phase.READY)  # phases before the first game, and between games


class Listed(Result, frozen=True, kw_only=True):
    """A result in the list of all results."""

    round: int | None  # the match is its board's first, second, ... of the day; None: not known
    day: str  # on which it was played, an evening past midnight included; empty: not known
    conflicts: list[Conflict]  # all who sent this match, if several did; its own source first
    is_other: bool  # it is not a match of the event
    logs: list[str]  # of the match, first to last, if it was adjourned and resumed
    missing: str  # the log that the first of them continues, if no clock has sent it
    rivals: list[str]  # other logs that continue the same one: it was resumed twice
    clocks: list[str]  # the sources of these logs, if there are several
    apart: list[Apart]  # logs that were not joined with these, though one names the other


def listed(
    results: Iterable[Result],
    conflicts_of: ConflictsOf = lambda match, source: (),
    is_of_event: Callable[[Result, str], bool] = lambda result, since: True,
    heard_of: Callable[[Result], str] = lambda result: "",
) -> list[Listed]:
    """Return results with their rounds, in the same order; of logs that agree the longest one.

    A clock knows no pairings: a round is counted by the matches that begin at a board on a day. A
    match that was given up counts too, unless nobody has won it at 0-0; one of another event does
    not. What a clock sends for the board of another one does not count there, if the director gave
    that board to the other. A match for practice is none of the event.

    Args:
        results: of all sources.
        conflicts_of: returns who sent a match, that source first.
        is_of_event: returns whether a match, heard of since an instant, is one of the event.
        heard_of: returns when the hub heard a match begin, by its own date; "" if it did not:
            then the log's date counts.
    """
    given = [(each, conflicts_of(each.match, each.source)) for each in results]
    known = {each.key for each, _ in given}
    kept = [(each, conflicts) for each, conflicts in given if not _is_part(each, conflicts, known)]
    joined = joined_matches([each for each, _ in kept])
    kept = [(joined[each.key].result, conflicts) for each, conflicts in kept if each.key in joined]
    begun = {each.key: heard_of(each) or each.begun for each, _ in kept}
    own = {
        each.key
        for each, conflicts in kept
        if not each.practice
        and is_of_event(
            structs.replace(each, begun=begun[each.key]), conflicts[0].since if conflicts else ""
        )
    }
    played = (each for each, _ in kept if each.key in own and not _is_void(each))
    rounds = _rounds(played, begun)
    return [
        Listed(
            **structs.asdict(each),
            round=rounds.get(each.key),
            day=playing_day(begun[each.key]),
            conflicts=list(conflicts) if len(conflicts) > 1 else [],
            is_other=each.key not in own,
            logs=joined[each.key].logs,
            missing=joined[each.key].missing,
            rivals=joined[each.key].rivals,
            clocks=joined[each.key].clocks,
            apart=joined[each.key].apart,
        )
        for each, conflicts in kept
    ]


def _is_part(
    result: Result, conflicts: Sequence[Conflict], known: Container[tuple[str, str]]
) -> bool:
    """Return whether another result is that of the same log, or of more of it."""
    if not conflicts:
        return False
    own, *others = conflicts
    return any(
        each.agrees
        and (each.source, result.match) in known
        and (-each.lines, each.since, each.source) < (-own.lines, own.since, own.source)
        for each in others
    )


def _is_void(result: Result) -> bool:
    """Return whether a match was ended at 0-0 without a winner: by a director, to begin another."""
    return result.complete and result.winner is None and not any((*result.score, *result.legs))


def _rounds(
    results: Iterable[Result], begun: Mapping[tuple[str, str], str]
) -> dict[tuple[str, str], int]:
    """Return the round of each result by its key; two logs of a match are of one round.

    Args:
        results: of the event.
        begun: when each of them began, by its key.
    """
    found: dict[tuple[str, str], int] = {}
    matches: dict[tuple[str, str], list[str]] = {}  # by place and day
    walls = [(begun[each.key], each) for each in results]
    known = [(at_ns, wall, each) for wall, each in walls if (at_ns := instant_ns(wall)) is not None]
    given = sorted(known, key=lambda each: (each[0], each[2].match))
    manned = {_place(each, wall) for _, wall, each in given if each.assigned in ("", each.board)}
    for _, wall, result in given:
        place, day = _place(result, wall)
        is_strange = (place, day) in manned and result.assigned not in ("", place)
        if place and not is_strange:
            played = matches.setdefault((place, day), [])
            if result.match not in played:
                played.append(result.match)
            found[result.key] = played.index(result.match) + 1
    return found


def _place(result: Result, wall: str) -> tuple[str, str]:
    """Return where a match that began at `wall` was played, and on which day."""
    place = result.board or result.clock
    return place and result.hall + place, playing_day(wall)


def result_of(ended: EndedLog) -> Result | None:
    """Return the result of a log; None if its match never began, or if no line can be read."""
    try:
        found = summary(ended.lines)
    except DamagedError as damage:
        return _of_effects(ended, str(damage))
    begun = found.is_begun or found.origin is not None
    return _of_summary(found, ended) if begun else None


def _of_summary(found: Summary, ended: EndedLog) -> Result:
    return Result(
        match=ended.match,
        board=_board(found.board, ended),
        clock=clean(_clock(ended.lines[0])),
        players=_by_side(found.names),
        score=found.score.map(safe),
        length=safe(found.length),
        winner=found.over[2] if found.over else None,
        begun=clean((found.confirmed or found.first).when),
        duration_ns=safe(found.duration_ns),
        flags=list(dict.fromkeys(flag.player for flag in found.flags if flag.player)),
        restorations=len(found.restorations),
        corrections=found.corrections,
        complete=found.over is not None,
        forks=ended.forks,
        damage=ended.damage and clean(ended.damage),
        end=clean(found.over[1].why) if found.over else None,
        legs=found.legs.map(safe),
        put_aside=found.phase is Phase.PUT_ASIDE,
        phase=found.phase,
        code=clean(found.code),
        ended=clean(found.ended.when),
        reserves_ns=found.left.map(safe),
        limit_from=found.limit_from,
        **_of_settings(found.settings),
        **_of_place(ended.place),
        **_of_log(ended, found.origin),
    )


def _of_log(ended: EndedLog, origin: Origin | None) -> dict[str, Any]:
    """Return where a log ends, and what it says that it continues."""
    hash_ = _hash(ended.lines)
    end = {"lines": len(ended.lines), "hash": hash_, "fingerprint": fingerprint_of(ended.lines)}
    if origin is None:
        return end
    return end | {
        "continues": clean(origin.match),
        "continues_seq": safe(origin.seq),
        "continues_hash": clean(origin.hash),
    }


def _of_settings(settings: MatchSettings) -> dict[str, Any]:
    return {
        "best_of_three": settings.best_of_three,
        "carried": settings.carried.map(safe),
        "event": clean(settings.event),
        "named_round": clean(settings.round),
        "practice": settings.practice,
        "profile": clean(settings.rules.profile),
        "scheduled": clean(settings.scheduled),
    }


def _of_place(place: Place) -> dict[str, Any]:
    """Return whose result it is, and which board the director gave to its clock."""
    assigned = place.hint if place.clock else ""
    return {"source": place.key, "assigned": assigned, "hall": place.hall}


def _board(named: str, ended: EndedLog) -> str:
    """Return the board that a log names, or else that of its clock in the director's list."""
    place = ended.place
    return clean(named) or (place.hint if place.clock or place.hall else "")


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
    if state is None:
        return None
    begun = state.games or any(state.legs) or state.phase not in BEFORE
    if not begun and not track.continues:
        return None
    over = state.phase is Phase.FINISHED
    aside = state.phase is Phase.PUT_ASIDE
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
        complete=over,
        forks=ended.forks,
        damage=clean(ended.damage or damage),
        end=(clean(state.ended) or None) if over else None,
        legs=state.legs.map(safe),
        put_aside=aside,
        phase=state.phase,
        **_of_settings(state.settings),
        **_of_place(ended.place),
        **_of_log(ended, track.origin),
    )


def _by_side(names: Pair[str]) -> dict[Side, str]:
    return {side: clean(names[side]) for side in Side}


def _hash(lines: Sequence[bytes]) -> str:
    return latest_hash(lines) or ""
