"""The results of matches that were adjourned: each has several logs, and one line in the list.

The last log has the score and the end, the first one where and when the match was played. A log
that two others continue was resumed twice: then both are listed, and each names the other.

What a log says of another one is a claim: they are joined where the other one was adjourned, and
the claim names its last line (R220), or where the director joins them. Else they are two matches.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec
from msgspec import structs

from clock.eventlog.links import LogPoint, continues
from clock.match.types import Phase, Side
from room.boards.board import Result

Key = tuple[str, str]


class Apart(msgspec.Struct, frozen=True):
    """A log that is not joined with another one, though one of the two names the other."""

    match: str
    source: str
    is_earlier: bool  # it is named; False: it names
    may_join: bool  # the director may join them


class JoinedMatch(NamedTuple):
    """A match, and its logs."""

    result: Result
    logs: list[str]  # first to last; none if it has a single one
    missing: str  # the log that the first one continues, if no clock has sent it
    rivals: list[str]
    clocks: list[str]  # the sources of the logs, if there are several
    apart: list[Apart]


def earlier_log(origin: LogPoint, joined: str, results: Iterable[Result]) -> Result | None:
    """Return the result of the log that another one continues; None: there is none for certain.

    Args:
        origin: the line after which the later log says that it goes on.
        joined: the source of the log with which the director has joined it; empty: with none.
        results: among which to look.
    """
    named = [each for each in results if each.match == origin.match]
    exact = (each for each in named if _continues(origin, each))
    proposed = (each for each in named if each.source == joined and not each.complete)
    return next(exact, None) or next(proposed, None)


def _continues(origin: LogPoint, earlier: Result) -> bool:
    phase = Phase.PUT_ASIDE if earlier.put_aside else ""
    return continues(origin, LogPoint(earlier.match, earlier.lines, earlier.hash), phase)


def _earlier(later: Result, by_name: Mapping[str, Sequence[Result]]) -> Result | None:
    origin = LogPoint(later.continues, later.continues_seq, later.continues_hash)
    return earlier_log(origin, later.joined, by_name.get(later.continues, ()))


def joined_matches(results: Sequence[Result]) -> dict[Key, JoinedMatch]:
    """Return the matches of these results by the keys of their last logs."""
    by_name: dict[str, list[Result]] = {}
    naming: dict[str, list[Result]] = {}
    for each in results:
        by_name.setdefault(each.match, []).append(each)
        if each.continues not in ("", each.match):
            naming.setdefault(each.continues, []).append(each)
    earlier = {each.key: _earlier(each, by_name) for others in naming.values() for each in others}
    continued = {each.key for each in earlier.values() if each}
    chains: list[list[Result]] = []
    told = set[Key]()
    for last in sorted(results, key=lambda each: each.key in continued):
        if last.key in told:
            continue
        chain = [last]  # a circle, which somebody made up, is left where it closes
        while (before := earlier.get(chain[0].key)) is not None and before not in chain:
            chain.insert(0, before)
        told |= {each.key for each in chain}
        chains.append(chain)
    return {chain[-1].key: _joined_match(chain, earlier, by_name, naming) for chain in chains}


def _joined_match(
    chain: Sequence[Result],
    earlier: Mapping[Key, Result | None],
    by_name: Mapping[str, Sequence[Result]],
    naming: Mapping[str, Sequence[Result]],
) -> JoinedMatch:
    first, last = chain[0], chain[-1]
    own = {each.key for each in chain}
    is_alone = first.key in earlier and earlier[first.key] is None
    named = by_name.get(first.continues, []) if is_alone else []
    heirs = [
        other
        for each in chain
        for other in naming.get(each.match, ())
        if other.key not in own and earlier[other.key] is None
    ]
    rivals = {
        other.match
        for each in chain
        if each.key in earlier
        for other in naming.get(each.continues, ())
        if other.match != each.match and earlier[other.key] == earlier[each.key]
    }
    clocks = list(dict.fromkeys(each.source for each in chain))
    return JoinedMatch(
        _joined(chain),
        [each.match for each in chain] if last.continues else [],
        first.continues if is_alone and not named else "",
        sorted(rivals),
        clocks if len(clocks) > 1 else [],
        [
            Apart(each.match, each.source, is_earlier=True, may_join=not each.complete)
            for each in named
        ]
        + [Apart(each.match, each.source, is_earlier=False, may_join=False) for each in heirs],
    )


def _joined(chain: Sequence[Result]) -> Result:
    """Return the last result with what the earlier logs add to it."""
    first, last = chain[0], chain[-1]
    if first is last:
        return last
    flags = [side for each in chain for side in _flags(each, last)]
    return structs.replace(
        last,
        board=first.board,
        assigned=first.assigned,
        begun=first.begun,
        duration_ns=sum(each.duration_ns for each in chain),
        flags=list(dict.fromkeys(flags)),
        restorations=sum(each.restorations for each in chain) - len(chain) + 1,
        corrections=sum(each.corrections for each in chain),
        forks=sum(each.forks for each in chain),
        damage=next((each.damage for each in chain if each.damage), None),
    )


def _flags(of: Result, last: Result) -> list[Side]:
    """Return whose flags fell, by the sides of the last log: the players may have changed them."""
    before, after = of.players, last.players  # one of the names may have been corrected
    same = any(before[side] == after[side] for side in Side)
    swapped = not same and any(before[side] == after[side.other] for side in Side)
    return [side.other for side in of.flags] if swapped else of.flags
