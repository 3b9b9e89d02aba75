"""The rulings that directors propose: what has become of each, and what to send next.

A ruling counts for the line of the clock's log that its author saw. It is never signed for another
one: if the log goes on first, it is late, and the director has to look again.
"""

from collections.abc import Iterator
from enum import StrEnum
from typing import Any

import msgspec
from msgspec import structs

from clock.config.offer import (
    RULING_VERSION,
    ItemAnswered,
    LatestLine,
    SignedRuling,
    offer_key,
    sign,
)
from clock.eventlog.replay import Match
from clock.units import MINUTE_NS
from room.boards.offers import REPEAT_NS, Refusal, latest_line, why_fields

LIMIT_NS = 10 * MINUTE_NS  # until a ruling that the panels have not shown is sent no more


class RulingState(StrEnum):
    """What has become of a ruling."""

    SENT = "sent"
    SHOWN = "shown"  # the panels say that there is one
    DONE = "done"  # confirmed at the box and carried out
    REFUSED = "refused"
    LATE = "late"  # the log has gone on first, or the clock has started again
    WITHDRAWN = "withdrawn"  # by the director, before it was shown


OPEN = (RulingState.SENT, RulingState.SHOWN)


class ProposedRuling(msgspec.Struct, frozen=True):
    """A ruling that was proposed for a board."""

    id: str
    clock: str  # its name in the room
    after: LatestLine  # the latest line of its log, as the director saw it
    ruling: ItemAnswered
    by: str
    state: RulingState = RulingState.SENT
    why: str = ""  # it was refused; empty: not known
    key: str = ""  # of that text; empty: it is said as it is
    values: dict[str, Any] = {}
    made_ns: int | None = None  # when it was sent first; None: not yet
    sent_ns: int = 0  # when it was sent last

    def signed(self, master: bytes) -> bytes:
        """Return its line."""
        line = SignedRuling(RULING_VERSION, self.id, self.clock, self.after, self.ruling, self.by)
        return sign(line, offer_key(master, self.clock))


class Rulings:
    """The latest ruling of each place."""

    def __init__(self, master: bytes) -> None:
        """Begin without one; `master` is the hub's key, from which those of clocks are derived."""
        self._master = master
        self._rulings: dict[str, ProposedRuling] = {}  # by the key of the place

    def get(self, place: str) -> ProposedRuling | None:
        """Return the latest ruling of a place."""
        return self._rulings.get(place)

    def __iter__(self) -> Iterator[tuple[str, ProposedRuling]]:
        """Return the places and their rulings."""
        return iter(self._rulings.items())

    def pending(self, place: str) -> ProposedRuling | None:
        """Return the ruling of a place that nobody has answered."""
        found = self._rulings.get(place)
        return found if found is not None and found.state in OPEN else None

    def make(self, place: str, ruling: ProposedRuling) -> None:
        """Propose a ruling at a place, instead of what was proposed there before."""
        self._rulings[place] = ruling

    def withdraw(self, place: str) -> bool:
        """Send a ruling no more, if there is one; return False if the panels show it."""
        found = self.pending(place)
        if found is not None and found.state is RulingState.SHOWN:
            return False
        if found is not None:
            self._rulings[place] = structs.replace(found, state=RulingState.WITHDRAWN)
        return True

    def refuse(self, place: str, refused: Refusal) -> None:
        """Note that a ruling was refused, at the box or by the clock."""
        self._end(place, refused.offer, RulingState.REFUSED, refused.why)

    def carry_out(self, place: str, id_: str) -> None:
        """Note that a ruling was confirmed at the box."""
        self._end(place, id_, RulingState.DONE)

    def _end(self, place: str, id_: str, state: RulingState, why: str = "") -> None:
        found = self._rulings.get(place)
        if found is not None and found.id == id_:
            self._rulings[place] = structs.replace(found, state=state, **why_fields(why))

    def open(self) -> list[str]:
        """Return the places whose ruling nobody has answered."""
        return [place for place, ruling in self._rulings.items() if ruling.state in OPEN]

    def update(self, place: str, match: Match | None, now_ns: int) -> bytes | None:
        """Bring an open ruling up to the log of its clock, and return the line to send, if any."""
        found = self._rulings[place]
        is_due = found.made_ns is None or now_ns - found.sent_ns >= REPEAT_NS
        made_ns = now_ns if found.made_ns is None else found.made_ns
        state = _state_after(found, match, now_ns - made_ns)
        found = structs.replace(found, made_ns=made_ns, state=state)
        sends = match is not None and found.state is RulingState.SENT and is_due
        if sends:
            found = structs.replace(found, sent_ns=now_ns)
        self._rulings[place] = found
        return found.signed(self._master) if sends else None


def _state_after(ruling: ProposedRuling, match: Match | None, age_ns: int) -> RulingState:
    """Return the state of an open ruling by the log of its clock; SENT: it is to be sent."""
    if match is None:
        return ruling.state
    standing = match.state.proposal
    if standing is not None and standing.id == ruling.id:
        return RulingState.SHOWN
    is_latest = latest_line(match) == ruling.after
    return RulingState.SENT if is_latest and age_ns < LIMIT_NS else RulingState.LATE
