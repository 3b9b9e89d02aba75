"""The director's page of a ruling, on the real hub: asked for, sent, and what became of it.

Clocks are logs written by the machine; what is sent to them is kept.
"""

from collections.abc import Iterator

import pytest
from msgspec import structs
from playwright.sync_api import Browser, Dialog, Page, expect

from clock.config.offer import SignedRuling, offer_key, verify_any
from clock.match.inputs import DIRECTOR, CentrePressed, OfferRefused, Pressed, RulingProposed
from clock.match.rules import Proposal
from clock.match.types import Side
from clock.ui.i18n import LANGUAGES
from clock.ui.ruling import check_ruling
from tests.browser.conftest import PATIENCE_MS, Judge, View, look
from tests.browser.test_offers import CONFIRM, MASTER, TOKEN, WORDS, RealHub, RoomClock
from tests.room.pages.test_modules import own_words

MORE_S = 72


class RuledClock(RoomClock):
    """A clock at which rulings are shown and answered as at the box."""

    def show(self) -> str:
        """The panels say that there is the ruling that was sent; return its id."""
        [*_, line] = [line for name, line in self._hub.sent if name == self.place.clock]
        sent = verify_any(line, offer_key(MASTER, self.place.clock))
        assert isinstance(sent, SignedRuling)
        proposal = Proposal(sent.offer, sent.by, sent.ruling.item, sent.ruling.answers)
        self.give(RulingProposed(self._state.at_ns, proposal))
        return sent.offer

    def carry_out(self) -> None:
        """Somebody holds the centre, and presses it."""
        standing = self._state.proposal
        assert standing is not None
        entered = check_ruling(self._state, standing.item, standing.answers)
        self.give(structs.replace(entered.act(self._state), carries_out=standing.id))

    def refuse(self, id_: str) -> None:
        """Somebody holds the centre, and presses a plunger."""
        self.give(OfferRefused(self._state.at_ns, id_, DIRECTOR))

    @property
    def left_ns(self) -> int:
        """The left player's reserve."""
        return self._state.reserve_ns(Side.LEFT, self._state.at_ns)


@pytest.fixture
def hub() -> Iterator[RealHub]:
    """A hub without boards."""
    with RealHub() as hub:
        yield hub


@pytest.fixture
def clock(hub: RealHub) -> RuledClock:
    """The clock of board 7, stopped in the left player's turn."""
    clock = RuledClock(hub, "7")
    clock.give(*CONFIRM, Pressed(2, Side.RIGHT), CentrePressed(3))
    return clock


@pytest.fixture
def locale() -> str:
    """What the director's browser speaks."""
    return "en-GB"


@pytest.fixture
def page(browser: Browser, hub: RealHub, clock: RuledClock, locale: str) -> Iterator[Page]:
    """The page on the director's phone; errors in its console are failures."""
    size = {"width": 390, "height": 844}
    with browser.new_context(viewport=size, locale=locale) as context:  # type: ignore[arg-type]
        context.set_default_timeout(PATIENCE_MS)
        page = context.new_page()
        problems: list[str] = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(f"{hub.address}/rule/{clock.place.hint}?token={TOKEN}")
        expect(page.locator("#items button").first).to_be_visible()
        yield page
        assert problems == []


def choose(page: Page, *names: str) -> None:
    """Press one button of the form after the other."""
    for name in names:
        page.get_by_role("button", name=name, exact=True).click()


def propose_time(page: Page, seconds: int = MORE_S) -> None:
    """Propose more time for the left player."""
    choose(page, "Add/take time", "Left")
    page.get_by_label(WORDS["page_rule_minutes"]).fill(str(seconds // 60))
    page.get_by_label(WORDS["page_rule_seconds"]).fill(str(seconds % 60))
    choose(page, WORDS["page_rule_next"], "Lost time restored")
    expect(page.locator("#preview")).to_contain_text("→")
    choose(page, WORDS["page_rule_propose"])


def expect_state(page: Page, state: str) -> None:
    expect(page.locator("#state")).to_contain_text(WORDS[f"page_rule_{state}"])


@pytest.mark.rule("R218")
def test_time_is_proposed_and_the_page_says_what_became_of_it(
    hub: RealHub, clock: RuledClock, page: Page
) -> None:
    before = clock.left_ns
    page.locator("#by").evaluate("(field) => localStorage.setItem('gammonclock.by', 'Eva')")
    page.reload()
    for answer in (RuledClock.carry_out, None):
        propose_time(page)
        expect_state(page, "sent")
        hub.update()
        id_ = clock.show()
        expect_state(page, "shown")
        expect(page.locator("#state")).to_contain_text("(Eva)")
        expect(page.locator("#withdraw")).to_be_hidden()
        if answer:
            answer(clock)
            expect_state(page, "done")
            assert clock.left_ns == before + MORE_S * 10**9
        else:
            clock.refuse(id_)
            expect_state(page, "refused")
            assert clock.left_ns == before + MORE_S * 10**9


@pytest.mark.rule("R218")
@pytest.mark.parametrize("locale", LANGUAGES)
def test_while_a_clock_runs_the_page_says_what_to_do_first(
    clock: RuledClock, page: Page, locale: str
) -> None:
    """It gives up a form that is open; the board's own page leads here."""
    page.locator("#items button").first.click()
    clock.give(CentrePressed(4))
    expect(page.locator("#why")).to_have_text(own_words(locale)["told_rule_runs"])
    expect(page.locator("#items button")).to_have_count(0)
    expect(page.locator("#form")).to_be_hidden()
    clock.give(CentrePressed(5))
    expect(page.locator("#items button").first).to_be_visible()
    page.locator("#board").click()
    page.locator("#rule").click()
    expect(page.locator("#items button").first).to_be_visible()


@pytest.mark.rule("R218")
def test_two_directors_see_each_others_ruling(hub: RealHub, clock: RuledClock, page: Page) -> None:
    """Who proposes is said at once; another one replaces it only after a question."""
    other = page.context.new_page()
    other.goto(f"{page.url}?token={TOKEN}")
    expect(other.locator("#items button").first).to_be_visible()
    other.get_by_role("button", name="Add/take time", exact=True).click()
    propose_time(page)
    hub.update()
    expect_state(other, "sent")
    asked: list[str] = []

    def refuse(dialog: Dialog) -> None:
        asked.append(dialog.message)
        dialog.dismiss()

    other.once("dialog", refuse)
    choose(other, WORDS["page_rule_back"])
    propose_time(other, 10)
    expect(other.locator("#form")).to_be_visible()
    assert asked == [WORDS["page_rule_replace"]]
    choose(page, WORDS["page_offer_withdraw"])
    expect_state(page, "withdrawn")
    hub.update()
    expect_state(other, "withdrawn")
    choose(other, WORDS["page_rule_propose"])
    expect_state(other, "sent")
    clock.give(CentrePressed(4), CentrePressed(5))
    hub.update()
    expect_state(other, "late")


@pytest.mark.rule("R218")
def test_everybody_can_use_it(page: Page, view: View, problems_of: Judge) -> None:
    """At each step: the items, a choice, a time, and what would change."""
    look(page, view)
    page.reload()
    expect(page.locator("#items button").first).to_be_visible()
    found = problems_of(page)
    choose(page, "Add/take time")
    found += problems_of(page)
    choose(page, "Left")
    page.get_by_label(WORDS["page_rule_minutes"]).fill("1")
    found += problems_of(page)
    choose(page, WORDS["page_rule_next"], "Lost time restored", WORDS["page_rule_propose"])
    expect_state(page, "sent")
    assert found + problems_of(page) == []


@pytest.mark.rule("R218")
def test_without_the_token_there_is_nothing(browser: Browser, hub: RealHub) -> None:
    RuledClock(hub, "7")
    with browser.new_context(locale="en-GB") as context:
        page = context.new_page()
        page.goto(f"{hub.address}/rule/7")
        expect(page.locator("#none")).to_have_text(WORDS["page_offer_director"])
        page.goto(f"{hub.address}/board/7")
        expect(page.locator("#overlay")).to_be_visible()
        expect(page.locator("a[data-director]")).to_be_hidden()
