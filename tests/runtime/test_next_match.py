"""Which match comes next: what the dialogue shows of the file, of the disk and of offers."""

from collections.abc import Container

import pytest

from clock.config.offer import LogHead
from clock.config.settings import Preset
from clock.eventlog.codec import Chain
from clock.eventlog.recovery import Recovery
from clock.eventlog.replay import Match
from clock.eventlog.unfinished import Unfinished
from clock.match.faults import Fault
from clock.match.inputs import PLAYERS, MatchWanted, OfferRefused
from clock.match.rules import MatchSettings, Offer
from clock.runtime.next_match import MatchChoice
from clock.ui.dialogue import BreakPage, Dialogue, PresetPage, TakeUpPage
from lab.support.phases import OFFER
from lab.support.world import World, match_settings

LAID_OPEN = Dialogue(code="", players_start=True)
FIRST, BREAK, TAKE_UP = PresetPage(first=True), BreakPage(), TakeUpPage()


class File:
    """A settings file; the clock has read its presets."""

    board = ""

    def __init__(self, *choices: Preset) -> None:
        self.choices = choices

    def settings(self) -> MatchSettings:
        """The file's own match."""
        return match_settings()


class Offers:
    """No offer; it keeps which ones the clock says that it knows."""

    known: Container[str] = ()

    def look(self, latest: LogHead, known: Container[str]) -> Offer | None:  # noqa: ARG002
        """Nothing new."""
        self.known = known
        return None


class Shelf:
    """A disk without matches; it counts how often it is read."""

    reads = 0

    def unfinished(self) -> tuple[Unfinished, ...]:
        """None."""
        self.reads += 1
        return ()

    def take_up(self, log: str, at_ns: int) -> Recovery | None:  # noqa: ARG002
        """None."""
        return None

    def faults(self) -> list[Fault]:
        """None."""
        return []


def test_a_file_without_presets_closes_their_page_and_no_other() -> None:
    choice, state = MatchChoice(File(), None), World().state
    for page, left in ((FIRST, None), (BREAK, BREAK), (None, None)):
        assert choice.ask(state, LAID_OPEN.replace(page=page)).page == left


def test_a_change_of_the_file_shows_only_where_its_match_does() -> None:
    """On the page of the presets, and at REVIEW without any page, before anybody has confirmed."""
    choice, opened = MatchChoice(File(), None), World().state
    follows = [choice.follows_file(opened, LAID_OPEN.replace(page=page)) for page in (None, FIRST)]
    assert follows == [True, True]
    assert not choice.follows_file(opened, LAID_OPEN.replace(page=BREAK))
    assert not choice.follows_file(World.ready().state, LAID_OPEN)


def test_the_disk_is_read_when_the_page_of_its_matches_opens() -> None:
    shelf = Shelf()
    choice, listing = MatchChoice(File(), None, shelf), LAID_OPEN.replace(page=TAKE_UP)
    for before, now, reads in (
        (LAID_OPEN, LAID_OPEN.replace(page=BREAK), 0),
        (LAID_OPEN, listing, 1),
        (listing, listing, 1),
    ):
        choice.list_unfinished(before, now)
        assert shelf.reads == reads


@pytest.mark.rule("R134")
def test_offers_are_looked_for_where_there_can_be_some() -> None:
    """By a clock that takes them, while one would be shown."""
    state = World().state
    assert not MatchChoice(File(), None).takes_offers(state, LAID_OPEN)
    choice = MatchChoice(File(), Offers())
    assert choice.takes_offers(state, LAID_OPEN)
    assert not choice.takes_offers(state, LAID_OPEN.replace(page=BREAK))


@pytest.mark.rule("R134")
def test_an_offer_that_was_given_up_is_not_shown_again() -> None:
    offers = Offers()
    choice = MatchChoice(File(), offers)
    assert choice.give_up(None, MatchWanted(5, offer=OFFER)) is None
    assert choice.give_up(OFFER, MatchWanted(5, offer=OFFER)) is None
    refused = choice.give_up(OFFER, MatchWanted(5))
    assert refused == OfferRefused(5, OFFER.id, PLAYERS, "another match was begun")
    choice.look(Match(World().state, Chain("match", "boot")))
    assert OFFER.id in offers.known
