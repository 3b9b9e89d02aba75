"""What follows from an event of a source, beside changed boards: the hub carries it out."""

from dataclasses import dataclass, field
from typing import NamedTuple

from room.boards.offers import Refusal
from room.lines.events import Place
from room.lines.inbox import Verdict


class NewLine(NamedTuple):
    """A line to be stored."""

    source: str  # the place's key
    match: str
    seq: int | None  # None: a line that states none
    verdict: Verdict
    line: bytes


class EndedLog(NamedTuple):
    """A log whose result is to be computed: its match is over, or another one has begun."""

    place: Place
    match: str
    lines: tuple[bytes, ...]
    forks: int
    damage: str | None = None


@dataclass
class Effects:
    """What follows from one event."""

    lines: list[NewLine] = field(default_factory=list)
    ended: list[EndedLog] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)  # of offers, at the event's place
    carried_out: list[str] = field(default_factory=list)  # the ids of rulings, at that place
    put_back: list[str] = field(default_factory=list)  # keys of places that were taken out
