"""Extract the turns from a log, in the form that the oracles take, and sum up its times."""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from lab.bench.logbook import Record
from lab.support.oracle import add_back, simple_delay

SIDES = ("left", "right")


class Turn(NamedTuple):
    """A turn, from the press that began it."""

    side: str
    parts: list[int]  # ns played, stopped, played, ...
    last: Record  # the record that ended it

    @property
    def played_ns(self) -> int:
        """How long the turn's clock ran."""
        return sum(self.parts[::2])


def turns(records: list[Record]) -> list[Turn]:
    """Return the turns of a match that has only presses, stops and breaks."""
    return [_turn(each) for each in _groups(records) if _mover(each[0])]


def _groups(records: list[Record]) -> Iterator[list[Record]]:
    """Yield the records of each turn, with the record that ends it, and those between games."""
    group = [records[0]]
    for record in records[1:]:
        group.append(record)
        begins = record["event"] == "pressed" and record["running"] != group[-2]["running"]
        ends = record["phase"] in {"GAME_OVER", "FINISHED"} and group[-2]["phase"] == "STOPPED"
        if (begins and record["running"]) or ends:
            yield group
            group = [record]
    yield group


def _mover(record: Record) -> str | None:
    mover: str | None = record["running"]
    return mover


def _turn(group: list[Record]) -> Turn:
    """Make a turn of its records; successive times of the same kind are added up."""
    parts: list[int] = [0]
    for before, after in pairwise(group):
        if (before["running"] is None) == len(parts) % 2:
            parts.append(0)
        parts[-1] += after["at_ns"] - before["at_ns"]
    return Turn(str(_mover(group[0])), parts, group[-1])


def alternating(played: list[Turn]) -> tuple[list[list[int]], list[int]]:
    """Arrange turns as the oracles take them: alternating, the left side first.

    Where a side has two turns in a row, an empty turn of the other side comes in between.

    Returns:
        The turns, and the index of each real turn among them.
    """
    result: list[list[int]] = []
    places = []
    for turn in played:
        if SIDES[len(result) % 2] != turn.side:
            result.append([0])
        places.append(len(result))
        result.append(turn.parts)
    return result, places


def reserves(played: list[Turn], delay_ns: int, bank_ns: int) -> list[tuple[int, int]]:
    """Return both reserves after each turn, as two oracles calculate them.

    Raises:
        ValueError: the oracles do not agree.
    """
    given, places = alternating(played)
    simple, bronstein = (model(delay_ns, bank_ns, given) for model in (simple_delay, add_back))
    if simple != bronstein:
        raise ValueError("the oracles do not agree")
    return [simple.reserves[place] for place in places]


def delays_ns(played: list[Turn], delay_ns: int) -> int:
    """Return how much delay was used in all turns."""
    return sum(min(turn.played_ns, delay_ns) for turn in played)


def paused_ns(records: list[Record]) -> int:
    """Return how long no clock ran."""
    return sum(
        after["at_ns"] - before["at_ns"]
        for before, after in pairwise(records)
        if before["running"] is None
    )
