"""What becomes of the director's offers, and what is sent when."""

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clock.config.offer import TOO_LATE, LatestLine, offer_key, verify
from clock.match.events import Record
from clock.match.inputs import CLOCK, PLAYERS
from clock.match.rules import Offer as OfferOfMatch
from clock.match.types import Phase, Side
from clock.text import fields, message
from clock.units import SECOND_NS
from lab.support.examples import examples
from lab.support.last_run import Written
from lab.support.world import inputs, match_settings
from room.boards.offers import (
    REPEAT_NS,
    UNANSWERED,
    ClockLog,
    Offer,
    Offers,
    OfferState,
    Refusal,
    clock_log,
    refusal,
)
from room.lines.track import Track, follow

MASTER = bytes(32)
LEFT_OUT = message("left_out")
PLACE, CLOCK_NAME = "hall/red-7", "red-7"
KEY = offer_key(MASTER, CLOCK_NAME)
LATEST = LatestLine("m1", 5, "a" * 32)
LATER = LatestLine("m1", 6, "b" * 32)


def log(
    latest: LatestLine = LATEST,
    offer: str = "",
    *,
    takes: bool = True,
    taken: bool = False,
) -> ClockLog:
    return ClockLog(latest, takes, offer, taken)


@pytest.fixture
def offers() -> Offers:
    """An offer for one clock, not sent yet."""
    offers = Offers(MASTER)
    offers.make(PLACE, Offer("offer-001", CLOCK_NAME, {"length": 7}))
    return offers


def state(offers: Offers) -> OfferState:
    offer = offers.get(PLACE)
    assert offer is not None
    return offer.state


def update(offers: Offers, clock: ClockLog | None, now_ns: int = 0) -> LatestLine | None:
    """The line for which an offer is sent; None: nothing is sent."""
    line = offers.update(PLACE, clock, now_ns)
    return None if line is None else verify(line, KEY).after


# --- what is sent -----------------------------------------------------------------------------


def test_it_is_sent_again_for_each_new_line_and_after_a_while(offers: Offers) -> None:
    """Until the panels show it: the message may be lost, or come too late."""
    assert update(offers, log(), 0) == LATEST
    assert update(offers, log(), 1) is None
    assert update(offers, log(LATER), 2) == LATER
    assert update(offers, log(LATER), REPEAT_NS + 1) is None
    assert update(offers, log(LATER), REPEAT_NS + 2) == LATER
    assert update(offers, log(LATER), 2 * REPEAT_NS + 1) is None
    assert state(offers) is OfferState.SENT
    assert update(offers, log(LATER, "offer-001"), 10 * REPEAT_NS) is None
    assert state(offers) is OfferState.SHOWN


def test_it_waits_for_the_end_of_a_match(offers: Offers) -> None:
    assert update(offers, None) is None
    assert update(offers, log(takes=False)) is None
    assert state(offers) is OfferState.WAITING
    assert update(offers, log(LATER)) == LATER
    assert update(offers, log(takes=False)) is None
    assert state(offers) is OfferState.LATE  # the players began before it came


# --- what becomes of it -----------------------------------------------------------------------


def test_a_refusal_is_kept_with_its_reason(offers: Offers) -> None:
    """By the players or by the clock; that of an earlier offer does not count."""
    update(offers, log())
    offers.refuse(PLACE, Refusal("offer-000", PLAYERS, ""))
    assert state(offers) is OfferState.SENT
    offers.refuse(PLACE, Refusal("offer-001", CLOCK, LEFT_OUT))
    assert state(offers) is OfferState.REFUSED
    found = dict(offers)[PLACE]
    assert (found.why, found.key, found.values) == ("left out", "error_left_out", {})


def test_a_link_says_why_an_offer_does_not_reach_the_clock(offers: Offers) -> None:
    offers.deliver(PLACE, "no room")
    assert dict(offers)[PLACE].why == ""
    update(offers, log())
    offers.deliver(PLACE, "no room")
    offers.deliver("elsewhere", "no room")
    assert (state(offers), dict(offers)[PLACE].why) == (OfferState.SENT, "no room")
    update(offers, log(offer="offer-001"))
    assert (state(offers), dict(offers)[PLACE].why) == (OfferState.SHOWN, "")


def test_it_is_withdrawn_before_it_is_shown(offers: Offers) -> None:
    assert offers.withdraw(PLACE)
    assert (state(offers), offers.open()) == (OfferState.WITHDRAWN, [])
    for maker, why in (("Ann", ""), ("Bea", "Ann")):  # who else withdrew it
        offers.make(PLACE, Offer("offer-002", CLOCK_NAME, {}, by=maker))
        assert offers.withdraw(PLACE, "Ann")
        assert dict(offers)[PLACE].why == why
    offers.make(PLACE, Offer("offer-002", CLOCK_NAME, {}))
    update(offers, log(offer="offer-002"))
    assert not offers.withdraw(PLACE)
    assert offers.withdraw("elsewhere")


# --- what a log says --------------------------------------------------------------------------


class Lines(Written):
    """A clock's log, as a hub follows it."""

    def __init__(self, offer: str = "", match: str = "m1") -> None:
        self.track = Track()
        self.open(match, match_settings(length=1), offer)

    def write(self, record: Record) -> None:
        super().write(record)
        self.track = follow(self.track, self.lines[-1])

    @property
    def latest(self) -> LatestLine:
        return LatestLine(self.chain.match, self.chain.seq, self.chain.hash)

    @property
    def said(self) -> tuple[bool, str, bool]:
        """Whether it takes offers, which it shows, and whether that is taken."""
        found = clock_log(self.track)
        assert found is not None
        assert found.latest == self.latest
        return found.takes_offers, found.offer, found.is_taken


LEFT, RIGHT = (inputs.Pressed(1, side) for side in Side)
CENTRE = inputs.CentrePressed(1)
OVER = inputs.MatchEnded(2, None, "director")
NEXT = OfferOfMatch("offer-002", match_settings(length=3))


def refusal_of(offer: str, by: str, why: str) -> Refusal | None:
    """The refusal that a log tells of."""
    lines = Lines().give(inputs.OfferRefused(1, offer, by, **fields("why", why)))
    return refusal(lines.track)


def test_the_log_says_what_the_panels_show() -> None:
    assert clock_log(Track()) is None
    assert Lines().said == (True, "", False)
    assert Lines("offer-001").said == (True, "offer-001", False)
    assert Lines("offer-001").give(LEFT).said == (False, "offer-001", False)
    assert Lines("offer-001").give(LEFT, RIGHT).said == (False, "offer-001", True)
    assert Lines("offer-001").give(LEFT, RIGHT, CENTRE).said == (False, "offer-001", True)
    assert Lines("offer-001").give(OVER).said == (True, "offer-001", True)  # no more to answer
    over = Lines("offer-001").give(LEFT, RIGHT, CENTRE, OVER)
    assert over.said == (True, "offer-001", True)
    assert over.give(inputs.OfferMade(3, NEXT)).said == (True, "offer-002", False)
    assert over.state.phase is Phase.FINISHED


def test_the_log_says_what_was_refused() -> None:
    """Not what comes again, and not what nobody can know to be an offer."""
    assert refusal(Lines().track) is None
    assert refusal_of("offer-001", PLAYERS, "") == ("offer-001", PLAYERS, "")
    assert refusal_of("offer-001", CLOCK, "impossible") == ("offer-001", CLOCK, "impossible")
    assert refusal_of("offer-001", CLOCK, TOO_LATE) is None
    known = refusal_of("offer-001", CLOCK, LEFT_OUT)
    assert known is not None
    assert fields("why", known.why) == fields("why", LEFT_OUT)
    assert refusal_of("", CLOCK, "the MAC is wrong") is None


# --- whatever happens -------------------------------------------------------------------------

STEPS = st.sampled_from(["line", "deliver", "lose", "time", "confirm", "refuse", "restart", "next"])


class Room:
    """A hub and a clock, with messages that get lost or come late."""

    def __init__(self) -> None:
        self.offers = Offers(MASTER)
        self.on_way: list[bytes] = []
        self.now_ns, self.number, self.matches = 0, 1, 1
        self.lines = Lines()
        self.confirmed: set[str] = set()  # offers that both players have confirmed
        self.make()

    def make(self) -> None:
        """The director offers the next match."""
        self.offers.make(PLACE, Offer(f"offer-{self.number:03}", CLOCK_NAME, {"length": 1}))
        self.number += 1

    def hear(self) -> None:
        """The hub hears the clock's latest line, and sends what is due."""
        refused = refusal(self.lines.track)
        if refused is not None:
            self.offers.refuse(PLACE, refused)
        if PLACE in self.offers.open():
            line = self.offers.update(PLACE, clock_log(self.lines.track), self.now_ns)
            self.on_way += [] if line is None else [line]

    def deliver(self) -> None:
        """The clock sees the latest message, and takes it as a clock does."""
        if not self.on_way:
            return
        offer = verify(self.on_way.pop(), KEY)
        state = self.lines.state
        known = {state.offer, *([state.next_offer.id] if state.next_offer else [])}
        if not state.takes_offers or offer.offer in known:
            return
        if offer.after != self.lines.latest:
            self.lines.give(inputs.OfferRefused(1, offer.offer, CLOCK, TOO_LATE))
        elif state.phase is Phase.FINISHED:
            shown = OfferOfMatch(offer.offer, match_settings(length=1))
            self.lines.give(inputs.OfferMade(1, shown))
        else:
            self.open(offer.offer)

    def open(self, offer: str = "") -> None:
        """Another match begins on the clock."""
        self.matches += 1
        self.lines = Lines(offer, f"m{self.matches}")

    def do(self, step: str) -> None:
        """Something happens; the hub hears of it, if it left a line."""
        match step:
            case "line":
                self.lines.give(inputs.FaultSeen(1, "power", "low"))
            case "deliver":
                self.deliver()
            case "lose":
                self.on_way.clear()
            case "time":
                self.now_ns += 11 * SECOND_NS
            case "confirm":
                self.lines.give(LEFT, RIGHT, CENTRE)
                self.confirmed.add(self.lines.state.offer)
            case "refuse" if self.lines.state.unconfirmed and self.lines.state.offer:
                self.lines.give(inputs.OfferRefused(1, self.lines.state.offer, PLAYERS))
                self.hear()
                self.open()
            case "restart" if self.lines.state.takes_offers:
                self.open()
            case "next":
                self.make()
            case _:
                self.lines.give(OVER)
        self.hear()


@settings(max_examples=examples(100), deadline=None)
@given(st.lists(STEPS, max_size=40))
def test_hub_and_clock_agree_in_the_end(steps: list[str]) -> None:
    """Whatever gets lost: an offer that is open and can be shown is shown after a few messages."""
    room = Room()
    room.hear()
    for step in steps:
        room.do(step)
        offer = room.offers.get(PLACE)
        assert offer is not None
        assert (offer.state is OfferState.TAKEN) == (offer.id in room.confirmed)
    for _ in range(4):
        room.do("time")
        room.do("deliver")
    offer = room.offers.get(PLACE)
    assert offer is not None
    said = clock_log(room.lines.track)
    assert said is not None
    if offer.state in UNANSWERED and said.takes_offers:
        assert (offer.state, said.offer) == (OfferState.SHOWN, offer.id)
    assert msgspec.json.encode(offer)
