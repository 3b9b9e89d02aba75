"""What a log says of its turns, in the form that the oracles take; and how it divides the time.

The one rule: of a log only instants are used here, and who was to move; no time that it counted.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from bench.logbook import Record
from oracle import add_back, simple_delay

SIDES = ("left", "right")


class Turn(NamedTuple):
    """One turn, from the press that began it."""

    side: str
    parts: list[int]  # ns played, stopped, played, ...
    last: Record  # its end

    @property
    def played_ns(self) -> int:
        """How long its clock ran."""
        return sum(self.parts[::2])

    @property
    def stopped_ns(self) -> int:
        """How long it stood still."""
        return sum(self.parts[1::2])


def turns(records: list[Record]) -> list[Turn]:
    """The turns of a match in which nothing but presses, stops and breaks happened."""
    return [_turn(each) for each in _groups(records) if _mover(each[0])]


def _groups(records: list[Record]) -> Iterator[list[Record]]:
    """The records of each turn with that which ends it, and those between the games."""
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
    """Stretches of the same kind, one after another, are one."""
    parts: list[int] = [0]
    for before, after in pairwise(group):
        if (before["running"] is None) == len(parts) % 2:
            parts.append(0)
        parts[-1] += after["at_ns"] - before["at_ns"]
    return Turn(str(_mover(group[0])), parts, group[-1])


def alternating(played: list[Turn]) -> tuple[list[list[int]], list[int]]:
    """As the oracles take them: left first, a turn of no time where a side begins anew.

    Returns:
        The turns, and at which place each of those that were played is.
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
    """Both reserves after each turn, as two oracles find them.

    Raises:
        ValueError: they do not agree.
    """
    given, places = alternating(played)
    simple, bronstein = (model(delay_ns, bank_ns, given) for model in (simple_delay, add_back))
    if simple != bronstein:
        raise ValueError("the oracles do not agree")
    return [simple.reserves[place] for place in places]


def delays_ns(played: list[Turn], delay_ns: int) -> int:
    """How much of all their delays was used up."""
    return sum(min(turn.played_ns, delay_ns) for turn in played)


def paused_ns(records: list[Record]) -> int:
    """How long no clock ran."""
    return sum(
        after["at_ns"] - before["at_ns"]
        for before, after in pairwise(records)
        if before["running"] is None
    )
