"""The results of matches that were put aside: each has several logs, and one line in the list.

The last log has the score and the end, the first one where and when the match was played. A log
that two others continue was taken up twice: then both are listed, and each names the other.
"""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec import structs

from clock.match.types import Side
from room.boards.board import Result


class Whole(NamedTuple):
    """A match, and its logs."""

    result: Result
    logs: list[str]  # first to last; none if it has a single one
    missing: str  # the log that the first one continues, and that nobody sent
    rivals: list[str]


def whole_matches(results: Sequence[Result]) -> dict[tuple[str, str], Whole]:
    """Return the matches of these results by the keys of their last logs."""
    by_match = {each.match: each for each in results}
    continued = {each.continues for each in results if each.continues != each.match}
    return {
        each.key: _whole(each, by_match, results) for each in results if each.match not in continued
    }


def _whole(last: Result, by_match: dict[str, Result], results: Sequence[Result]) -> Whole:
    chain = [last]
    while (earlier := by_match.get(chain[0].continues)) is not None and earlier not in chain:
        chain.insert(0, earlier)
    logs = [each.match for each in chain] if last.continues else []
    missing = chain[0].continues
    rivals = {
        other.match
        for each in chain
        if each.continues
        for other in results
        if other.continues == each.continues and other.match != each.match
    }
    return Whole(_joined(chain), logs, missing, sorted(rivals))


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
    swapped = of.players[Side.LEFT] == last.players[Side.RIGHT] != of.players[Side.RIGHT]
    return [side.other for side in of.flags] if swapped else of.flags
