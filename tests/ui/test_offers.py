"""The director's offer on the panels: what it shows, and what the buttons do to it."""

import pytest

from clock.match.inputs import PLAYERS, MatchWanted
from clock.match.rules import Offer
from clock.match.state import AT_REST
from clock.match.transitions import DIRECTOR_PHASES
from clock.match.types import Phase
from lab.support.desk import ANY, OFFER_ID, C, L, R, finished, offered_next
from lab.support.world import inputs, match_settings


@pytest.mark.rule("R134")
def test_a_result_stays_until_the_centre_is_pressed() -> None:
    """Plungers do nothing; the fingerprint that the players write down is there."""
    table = offered_next()
    before = finished().faces()
    assert table.faces().left.lines == before.left.lines
    assert table.faces().left.fingerprint == before.left.fingerprint
    assert table.faces().left.keys == ("", "TD: match", "")
    assert table.tap(L, R).state.phase is Phase.FINISHED
    assert table.state.next_offer is not None
    offer = table.state.next_offer
    table.tap(C)
    assert table.given[-1] == MatchWanted(table.now_ns, offer=offer)
    assert (table.state.phase, table.state.offer) == (Phase.REVIEW, OFFER_ID)
    assert table.state.settings == offer.settings


@pytest.mark.rule("R134")
@pytest.mark.parametrize("phase", ANY)
def test_an_offer_changes_nothing_of_a_match(phase: Phase) -> None:
    """It stands beside a match at rest; a refusal is logged wherever no clock runs."""
    table = ANY[phase]()
    before, written = table.state, len(table.records)
    table.input(inputs.OfferMade, offer=Offer(OFFER_ID, match_settings()))
    assert table.state.replace(next_offer=None) == before
    assert len(table.records) - written == (phase in AT_REST)
    table.input(inputs.OfferRefused, offer=OFFER_ID, by=PLAYERS)
    assert table.state == before
    takes = 2 if phase in AT_REST else phase in DIRECTOR_PHASES
    assert len(table.records) - written == takes


@pytest.mark.rule("R134")
def test_only_the_offer_that_stands_is_refused() -> None:
    table = offered_next()
    table.input(inputs.OfferRefused, offer="offer-000", by=PLAYERS)
    assert table.state.next_offer is not None
    table.input(inputs.OfferRefused, offer=OFFER_ID, by=PLAYERS)
    assert table.state.next_offer is None
