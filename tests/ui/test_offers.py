"""The director's offer on the panels: what it shows, and what the buttons do to it."""

import pytest

from clock.match.inputs import PLAYERS, MatchWanted, OfferRefused
from clock.match.rules import Offer
from clock.match.types import Phase
from clock.ui.dialogue import MenuPage
from tests.support.desk import ANY, OFFER_ID, PEOPLE, C, L, R, desk, finished, offered, offered_next
from tests.support.world import inputs, match_settings


@pytest.mark.rule("R134")
def test_an_offered_match_is_confirmed_like_any_other() -> None:
    """Only the word and the centre's legend differ."""
    table, usual = offered(), desk()
    for face, other in zip(table.faces(), usual.faces(), strict=True):
        assert (face.status, other.status) == ("From the TD", "Confirm")
        assert (face.lines, face.name) == (other.lines, other.name)
        assert (face.keys[1], other.keys[1]) == ("hold: no", "")
    assert table.faces().map(lambda face: face.name) == PEOPLE
    assert table.tap(L).faces().left.status == "Confirmed"
    assert table.faces().left.keys[1] == ""
    assert table.tap(R).faces().left.keys[1] == "go on"
    assert table.tap(C).state.phase is Phase.READY


@pytest.mark.rule("R134")
def test_holding_the_centre_refuses_it_until_a_player_has_confirmed() -> None:
    """Then it calls the director, as ever; a short press does nothing."""
    table = offered()
    assert table.tap(C).last().why == "not_confirmed"  # type: ignore[union-attr]
    table.hold()
    assert table.given[-1] == OfferRefused(table.now_ns, OFFER_ID, PLAYERS)
    assert table.dialogue.page is None
    confirmed = offered().tap(R).hold()
    assert isinstance(confirmed.dialogue.page, MenuPage)


@pytest.mark.rule("R134")
def test_a_result_stays_until_the_centre_is_pressed() -> None:
    """Plungers do nothing; the head that the players write down is there."""
    table = offered_next()
    before = finished().faces()
    assert table.faces().left.lines == before.left.lines
    assert table.faces().left.head == before.left.head
    assert table.faces().left.keys == ("", "TD: match", "")
    assert table.tap(L, R).state.phase is Phase.FINISHED
    assert table.state.next_offer is not None
    offer = table.state.next_offer
    table.tap(C)
    assert table.given[-1] == MatchWanted(table.now_ns, offer=offer)
    assert (table.state.phase, table.state.offer) == (Phase.REVIEW, OFFER_ID)
    assert table.state.settings == offer.settings


@pytest.mark.rule("R134")
def test_holding_the_centre_beside_a_result_calls_the_director() -> None:
    """They may have to reopen the match; that ends the offer."""
    table = offered_next().open_item("reopen").tap(C)
    assert table.state.phase is not Phase.FINISHED
    assert table.state.next_offer is None


@pytest.mark.rule("R134")
@pytest.mark.parametrize("phase", ANY)
def test_an_offer_changes_nothing_of_a_match(phase: Phase) -> None:
    """Under way it leaves no record; otherwise it stands beside the match or is only logged."""
    table = ANY[phase]()
    before, written = table.state, len(table.records)
    table.act(inputs.OfferMade, offer=Offer(OFFER_ID, match_settings()))
    assert table.state.replace(next_offer=None) == before
    assert len(table.records) - written == (phase is Phase.FINISHED)
    table.act(inputs.OfferRefused, offer=OFFER_ID, by=PLAYERS)
    assert table.state == before
    takes = 2 if phase is Phase.FINISHED else phase is Phase.REVIEW
    assert len(table.records) - written == takes


@pytest.mark.rule("R134")
def test_only_the_offer_that_stands_is_refused() -> None:
    """The refusal of an earlier one is only logged."""
    table = offered_next()
    table.act(inputs.OfferRefused, offer="offer-000", by=PLAYERS)
    assert table.state.next_offer is not None
    table.act(inputs.OfferRefused, offer=OFFER_ID, by=PLAYERS)
    assert table.state.next_offer is None
