"""The director's offers of the next match: what has become of each, and what to send next.

The log of a clock says what its panels show, so an offer that got lost is simply sent again, and
signed anew whenever the log has grown: a clock takes none that was made before its latest line.
"""

from collections.abc import Iterator
from enum import StrEnum
from typing import Any, NamedTuple

import msgspec
from msgspec import structs

from clock.config.offer import TOO_LATE, VERSION, LatestLine, SignedOffer, offer_key, sign
from clock.eventlog.replay import Match
from clock.match.events import OfferRefusedEvent
from clock.match.types import Phase
from clock.text import Message, fields
from clock.units import SECOND_NS
from room.lines.track import Track

REPEAT_NS = 10 * SECOND_NS  # until an offer that the clock does not show is sent again


class OfferState(StrEnum):
    """What has become of an offer."""

    WAITING = "waiting"  # for the end of the match at the board, or for the clock to be heard
    SENT = "sent"
    SHOWN = "shown"  # by the panels
    TAKEN = "taken"  # both players have confirmed it
    REFUSED = "refused"
    LATE = "late"  # the players began another match first
    WITHDRAWN = "withdrawn"  # by the director, before it was shown


UNANSWERED = (OfferState.WAITING, OfferState.SENT, OfferState.SHOWN)


class ClockLog(NamedTuple):
    """What the log of a clock says about offers."""

    latest: LatestLine
    takes_offers: bool  # the panels would show one now
    offer: str  # the id of the offer that the panels show, or that the match was
    is_taken: bool  # both players have confirmed it


class Refusal(NamedTuple):
    """An offer was refused at a board."""

    offer: str
    by: str  # see `clock.match.events.OfferRefusedEvent`
    why: str


def why_fields(why: str) -> dict[str, Any]:
    """Return the fields of an offer or a ruling that say why it is in its state."""
    return {"key": "", "values": {}} | fields("why", why)


class Offer(msgspec.Struct, frozen=True):
    """An offer for a board."""

    id: str
    clock: str  # its name in the room
    settings: dict[str, Any]  # see `clock.config.offer.SignedOffer`
    state: OfferState = OfferState.WAITING
    why: str = ""  # it was refused, or does not reach the clock, or who else withdrew it
    key: str = ""  # of that text; empty: it is said as it is
    values: dict[str, Any] = {}
    sent_after: LatestLine | None = None  # the line after which it was sent last; None: never
    sent_ns: int = 0  # when
    by: str = ""  # who made it


def latest_line(match: Match) -> LatestLine:
    """Return the latest line of the log of a match."""
    return LatestLine(match.chain.match, match.chain.seq, match.chain.hash)


def clock_log(track: Track) -> ClockLog | None:
    """Return what a log says about offers; None: it has no undamaged line."""
    if track.match is None:
        return None
    state, latest = track.match.state, latest_line(track.match)
    standing = state.standing_offer
    if standing is not None and standing.id != state.offer:  # beside the result of this match
        return ClockLog(latest, state.takes_offers, standing.id, is_taken=False)
    confirmed = state.phase is not Phase.REVIEW or all(p.confirmed for p in state.players)
    return ClockLog(latest, state.takes_offers, state.offer, is_taken=confirmed)


def refusal(track: Track) -> Refusal | None:
    """Return the refusal in the latest line of a log; None: it has none.

    An offer that comes too late is sent again, so that is none.
    """
    event = track.record.event if track.record else None
    if not isinstance(event, OfferRefusedEvent) or not event.offer:
        return None
    if event.why == TOO_LATE:
        return None
    why = Message(event.key, event.why, event.values) if event.key else event.why
    return Refusal(event.offer, event.by, why)


class Offers:
    """The latest offer of each place."""

    def __init__(self, master: bytes) -> None:
        """Begin without an offer.

        Args:
            master: the hub's key, from which those of the clocks are derived.
        """
        self._master = master
        self._offers: dict[str, Offer] = {}  # by the key of the place

    def make(self, place: str, offer: Offer) -> None:
        """Offer a match at a place, instead of what was offered there before."""
        self._offers[place] = offer

    def withdraw(self, place: str, by: str = "") -> bool:
        """Send an offer no more, if there is one; return False if the players have seen it.

        Args:
            place: of the offer.
            by: who withdraws it; it is noted if another one has made it.
        """
        offer = self._offers.get(place)
        if offer is None or offer.state is OfferState.WITHDRAWN:
            return True
        if offer.state not in (OfferState.WAITING, OfferState.SENT):
            return False
        self._offers[place] = structs.replace(
            offer, state=OfferState.WITHDRAWN, **why_fields("" if by == offer.by else by)
        )
        return True

    def refuse(self, place: str, refused: Refusal) -> None:
        """Note that an offer was refused; an earlier one of that place does not matter."""
        offer = self._offers.get(place)
        if offer is not None and offer.id == refused.offer:
            state = OfferState.REFUSED
            self._offers[place] = structs.replace(offer, state=state, **why_fields(refused.why))

    def deliver(self, place: str, why: str) -> None:
        """Note whether the clock can find the offer that was sent last.

        Args:
            place: where it was sent.
            why: it cannot; empty: it can.
        """
        offer = self._offers.get(place)
        if offer is not None and offer.state is OfferState.SENT:
            self._offers[place] = structs.replace(offer, **why_fields(why))

    def get(self, place: str) -> Offer | None:
        """Return the latest offer of a place."""
        return self._offers.get(place)

    def open(self) -> list[str]:
        """Return the places whose offer the players have not answered."""
        return [place for place, offer in self._offers.items() if offer.state in UNANSWERED]

    def __iter__(self) -> Iterator[tuple[str, Offer]]:
        """Yield all places with their latest offers."""
        return iter(self._offers.items())

    def update(self, place: str, log: ClockLog | None, now_ns: int) -> bytes | None:
        """Bring an open offer up to the log of its clock, and return the line to send, if any.

        Args:
            place: whose offer is open.
            log: of the clock there; None: nothing of it is known.
            now_ns: the present instant of the hub.
        """
        offer = self._offers[place]
        state = _state_after(offer, log)
        if log is None or state is not OfferState.SENT:
            said = {} if state is offer.state else why_fields("")
            self._offers[place] = structs.replace(offer, state=state, **said)
            return None
        is_new = log.latest != offer.sent_after or now_ns - offer.sent_ns >= REPEAT_NS
        if not is_new:
            return None
        sent = structs.replace(offer, state=state, sent_after=log.latest, sent_ns=now_ns)
        self._offers[place] = sent
        return self._signed(sent, log.latest)

    def _signed(self, offer: Offer, latest: LatestLine) -> bytes:
        signed = SignedOffer(VERSION, offer.id, offer.clock, latest, offer.settings)
        return sign(signed, offer_key(self._master, offer.clock))


def _state_after(offer: Offer, log: ClockLog | None) -> OfferState:
    """Return the state of an open offer by the log of its clock; SENT: it is to be sent."""
    if log is None:
        return offer.state
    if log.offer == offer.id:
        return OfferState.TAKEN if log.is_taken else OfferState.SHOWN
    if log.takes_offers:
        return OfferState.SENT
    return offer.state if offer.state is OfferState.WAITING else OfferState.LATE
