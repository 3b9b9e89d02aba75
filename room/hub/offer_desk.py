"""Where the director's offers go out, and what became of them comes in."""

import secrets
from collections.abc import Callable, Container, Iterable, Iterator
from typing import Any, TypeVar

import msgspec
from msgspec import structs

from clock.config.offer import LONGEST_BY, ItemAnswered, LatestLine
from clock.eventlog.replay import Match
from room.boards.offers import UNANSWERED, Offer, Offers, Refusal
from room.boards.register import Register
from room.boards.rulings import ProposedRuling, Rulings
from room.boards.sanitized import clean
from room.hub.events import Feed
from room.hub.store.store import Store

ID_BYTES = 9  # 12 letters: enough that no two offers ever have the same

Sent = TypeVar("Sent", Offer, ProposedRuling)
SendOffer = Callable[[str, bytes], None]  # to a clock of this name; returns at once


class BoardOffer(msgspec.Struct, frozen=True):
    """The latest offer or ruling for a board, as pages and other programs see it."""

    board: str
    offer: str  # its id
    state: str  # see `room.boards.offers.OfferState`, for a ruling `RulingState`
    why: str
    by: str  # who made it, as they call themselves; empty: not said
    key: str = ""  # of `why` in the words of panels and pages; empty: it is said as it is
    values: dict[str, Any] = {}  # what its placeholders stand for


class OfferDesk:
    """The offers of a room with their clocks."""

    def __init__(
        self,
        register: Register,
        feed: Feed,
        store: Store,
        master: bytes,
        send: SendOffer,
        event: str = "",
    ) -> None:
        """Begin with the offers of an earlier run of the hub.

        Args:
            register: of the boards.
            feed: tells the readers what has become of an offer.
            store: keeps the offers for the next run.
            master: the hub's key, from which those of the clocks are derived.
            send: sends an offer to a clock.
            event: to which each match belongs that is offered; empty: not known.
        """
        self._event = {"event": event} if event else {}
        self._register, self._feed, self._send = register, feed, send
        self._offers, self.rulings = Offers(master), Rulings(master)
        self._store, self._kept = store, dict[str, Offer]()  # by place, as they were stored
        self._shown: dict[str, BoardOffer] = {}  # as the readers know them, by board
        self._shown_rulings: dict[str, BoardOffer] = {}
        for place, text in store.offers.items():
            self._kept[place] = offer = msgspec.json.decode(text, type=Offer)
            self._offers.make(place, offer)

    def boards(self) -> dict[str, str]:
        """Return the boards that can be sent an offer, with the keys of their places."""
        places, shown = self._register.places(), self._register.boards
        return {id_: place.key for id_, place in places if place.clock and not shown[id_].taken_out}

    def make(self, board: str, settings: dict[str, Any], by: str = "") -> None:
        """Offer a match to a board.

        Args:
            board: its id.
            settings: see `clock.config.offer.SignedOffer`.
            by: who makes the offer.

        Raises:
            KeyError: no offer can be sent to this board.
        """
        key = self.boards()[board]
        clock, settings = self._register.place(key).clock, self._event | settings
        offer = Offer(secrets.token_urlsafe(ID_BYTES), clock, settings, by=_name(by))
        self._offers.make(key, offer)
        self._keep()

    def withdraw(self, board: str, by: str = "") -> bool:
        """Send the offer of a board no more; return False if the players have seen it.

        Args:
            board: its id.
            by: who withdraws it.

        Raises:
            KeyError: no offer can be sent to this board.
        """
        is_withdrawn = self._offers.withdraw(self.boards()[board], _name(by))
        self._keep()
        return is_withdrawn

    def pending(self, boards: Container[str]) -> Iterator[BoardOffer]:
        """Yield the offers for these boards that the players have not answered."""
        open_states = {state.value for state in UNANSWERED}
        for shown, _ in self.offers():
            if shown.board in boards and shown.state in open_states:
                yield shown

    def refuse(self, place: str, refusal: Refusal) -> None:
        """Note that an offer or a ruling was refused at a place."""
        self._offers.refuse(place, refusal)
        self.rulings.refuse(place, refusal)

    def carry_out(self, place: str, rulings: Iterable[str]) -> None:
        """Note that rulings were confirmed at a place."""
        for id_ in rulings:
            self.rulings.carry_out(place, id_)

    def deliver(self, place: str, why: str) -> None:
        """Note what a link says of an offer: why the clock cannot find it, or "" if it can."""
        self._offers.deliver(place, clean(why))

    def offers(self) -> Iterator[tuple[BoardOffer, dict[str, Any]]]:
        """Yield the latest offer of each board, and its settings."""
        for board, offer in self._by_board(self._offers):
            yield _shown(board, offer), offer.settings

    def _by_board(self, latest: Iterable[tuple[str, Sent]]) -> Iterator[tuple[str, Sent]]:
        """Yield what was last sent to the places that are heard, by the boards."""
        sent = list(latest)
        # Asked a hundred times a second: many boards without an offer shall cost nothing.
        names = {key: board for board, key in self.boards().items()} if sent else {}
        for key, each in sent:
            if key in names:
                yield names[key], each

    def ids(self) -> list[str]:
        """Return the ids of the latest offers of all places, also of those not heard yet."""
        return [offer.id for _, offer in self._offers]

    def _keep(self) -> None:
        """Store what has changed; when an offer was sent is of this run alone."""
        for place, offer in self._offers:
            known = structs.replace(offer, sent_after=None, sent_ns=0)
            if self._kept.get(place) != known:
                self._kept[place] = known
                self._store.keep_offer(place, msgspec.json.encode(known))

    # --- rulings, each for a board that can be sent an offer --------------------------------------

    def match(self, board: str) -> Match | None:
        """Return the match at a board, as its log proves it; None: nothing of it is known."""
        return self._register.match(self.boards()[board])

    def ruling(self, board: str) -> ProposedRuling | None:
        """Return the latest ruling that was proposed for a board."""
        return self.rulings.get(self.boards()[board])

    def pending_ruling(self, board: str) -> ProposedRuling | None:
        """Return the ruling of a board that nobody has answered."""
        return self.rulings.pending(self.boards()[board])

    def propose(self, board: str, after: LatestLine, ruling: ItemAnswered, by: str) -> None:
        """Propose a ruling for the match at a board as it is after a line of its log."""
        key = self.boards()[board]
        id_, clock = secrets.token_urlsafe(ID_BYTES), self._register.place(key).clock
        self.rulings.make(key, ProposedRuling(id_, clock, after, ruling, by))

    def withdraw_ruling(self, board: str) -> bool:
        """Send the ruling of a board no more; return False if the panels show it."""
        return self.rulings.withdraw(self.boards()[board])

    def update(self, now_ns: int) -> None:
        """Bring all offers up to what the clocks have logged, and send what is due.

        Args:
            now_ns: the present instant of the hub.
        """
        for key in self._offers.open():
            line = self._offers.update(key, self._register.clock_log(key), now_ns)
            if line is not None:
                self._send(self._register.place(key).clock, line)
        self._keep()
        for key in self.rulings.open():
            line = self.rulings.update(key, self._register.match(key), now_ns)
            if line is not None:
                self._send(self._register.place(key).clock, line)
        for shown, _ in self.offers():
            if self._shown.get(shown.board) != shown:
                self._shown[shown.board] = shown
                self._feed.put_offer(shown.board, shown)
        for board, ruling in self._by_board(self.rulings):
            shown = _shown(board, ruling)
            if self._shown_rulings.get(board) != shown:
                self._shown_rulings[board] = shown
                self._feed.put_ruling(board, shown)


def _name(by: str) -> str:
    return clean(by)[:LONGEST_BY]


def _shown(board: str, offer: Offer | ProposedRuling) -> BoardOffer:
    said = offer.why, offer.by, offer.key, offer.values
    return BoardOffer(board, offer.id, offer.state.value, *said)
