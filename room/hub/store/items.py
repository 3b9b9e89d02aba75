"""What is to be written into the database, and how: items of one kind together."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from clock.eventlog.codec import stated_hash
from room.boards.effects import NewLine
from room.hub.store.database import Database
from room.hub.store.offers import KeptOffer, write_offer
from room.hub.store.tables import Finish, forget, write_finish, write_lines
from room.hub.store.taken_out import KeptOut, write_taken_out
from room.lines.first_heard import Arrival, FirstHeard, heard
from room.lines.inbox import LatestLines, LogKey, Point, Verdict


class Forget(NamedTuple):
    """Matches of which no line came for some days are to be deleted."""

    days: int


Item = NewLine | Finish | Forget | KeptOffer | KeptOut  # to be written


def groups(items: Iterable[Item]) -> list[list[Item]]:
    """Return items in their order, those of one kind together."""
    return [list(group) for _, group in groupby(items, type)]


def write_group(database: Database, items: Sequence[Item], today: int) -> list[LogKey]:
    """Write items of one kind; return the matches that were forgotten."""
    write_lines(database, [item for item in items if isinstance(item, NewLine)])
    forgotten = list[LogKey]()
    for item in items:
        match item:
            case Finish():
                write_finish(database, item)
            case Forget(days):
                forgotten += forget(database, days, today)
            case KeptOffer():
                write_offer(database, item, today)
            case KeptOut():
                write_taken_out(database, item)
            case NewLine():
                pass
    return forgotten


def heard_after(
    first: Mapping[LogKey, FirstHeard], lines: Iterable[NewLine], wall: str
) -> dict[LogKey, FirstHeard]:
    """Return what is known first of the logs of some lines, after they came at `wall`."""
    known: dict[LogKey, FirstHeard] = {}
    for line in lines:
        if line.seq and line.verdict in (Verdict.STORED, Verdict.FORK):
            key = (line.source, line.match)
            arrival = Arrival(line.seq, stated_hash(line.line) or "", line.verdict)
            known[key] = heard(known.get(key) or first.get(key), arrival, wall)
    return known


def agree(log: Sequence[bytes], other: Sequence[bytes]) -> bool:
    """Return whether one of two logs is the beginning of the other, or both are the same."""
    return all(one == another for one, another in zip(log, other, strict=False))


def latest_lines_of(items: Iterable[Item]) -> LatestLines:
    """Return the latest line of each log that lines continue."""
    return {
        (item.source, item.match): Point(item.seq, stated_hash(item.line) or "")
        for item in items
        if isinstance(item, NewLine) and item.seq and item.verdict in (Verdict.STORED, Verdict.FORK)
    }
