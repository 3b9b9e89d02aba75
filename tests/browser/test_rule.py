"""The director's page of a ruling, on the real hub: asked for, sent, and what became of it.

Clocks are logs written by the machine; what is sent to them is kept.
"""

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from msgspec import structs
from playwright.sync_api import Browser, Dialog, Page, expect

from clock.config.offer import SignedRuling, offer_key, verify_any
from clock.match.inputs import DIRECTOR, CentrePressed, OfferRefused, Pressed, RulingProposed
from clock.match.rules import Proposal
from clock.match.types import Pair, Side
from clock.ui.i18n import LANGUAGES
from clock.ui.ruling import check_ruling
from lab.support.world import match_settings
from room.hub.words import page_words
from tests.browser.conftest import PATIENCE_MS, Judge, View, look
from tests.browser.test_offers import CONFIRM, MASTER, TOKEN, WORDS, RealHub, RoomClock

MORE_S = 72
TIME, TIMES = WORDS["page_rule_item_add_time"], ("page_rule_minutes", "page_rule_seconds")
STOPPED = (*CONFIRM, Pressed(2, Side.RIGHT), CentrePressed(3))
PHONE = {"width": 390, "height": 844}


class RuledClock(RoomClock):
    """A clock at which rulings are shown and answered as at the box."""

    settings = structs.replace(match_settings(), names=Pair("Anna", "Bob"))

    def show(self) -> str:
        """The panels say that there is the ruling that was sent; return its id."""
        [*_, line] = [line for name, line in self._hub.sent if name == self.place.clock]
        sent = verify_any(line, offer_key(MASTER, self.place.clock))
        assert isinstance(sent, SignedRuling)
        proposal = Proposal(sent.offer, sent.by, sent.ruling.item, sent.ruling.answers)
        self.give(RulingProposed(self.state.at_ns, proposal))
        return sent.offer

    def carry_out(self) -> None:
        """Somebody holds the centre, and presses it."""
        standing = self.state.proposal
        assert standing is not None
        entered = check_ruling(self.state, standing.item, standing.answers)
        self.give(structs.replace(entered.ruling(self.state), carries_out=standing.id))

    def refuse(self, id_: str) -> None:
        """Somebody holds the centre, and presses a plunger."""
        self.give(OfferRefused(self.state.at_ns, id_, DIRECTOR))

    @property
    def left_ns(self) -> int:
        return self.state.reserve_ns(Side.LEFT, self.state.at_ns)


@pytest.fixture
def hub() -> Iterator[RealHub]:
    with RealHub() as hub:
        yield hub


@pytest.fixture
def clock(hub: RealHub) -> RuledClock:
    """The clock of board 7, stopped in the left player's turn."""
    clock = RuledClock(hub, "7")
    clock.give(*STOPPED)
    return clock


@pytest.fixture
def locale() -> str:
    """What the director's browser speaks."""
    return "en-GB"


@pytest.fixture
def page(browser: Browser, hub: RealHub, clock: RuledClock, locale: str) -> Iterator[Page]:
    """The page on the director's phone; errors in its console are failures."""
    with browser.new_context(viewport=PHONE, locale=locale) as context:  # type: ignore[arg-type]
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
    choose(page, TIME, "Anna")
    enter(page, seconds)
    choose(page, WORDS["page_rule_next"], "Lost time restored")
    expect(page.locator("#preview")).to_contain_text("→")
    choose(page, WORDS["page_rule_propose"])


def enter(page: Page, seconds: int) -> None:
    for label, value in zip(TIMES, divmod(seconds, 60), strict=True):
        page.get_by_label(WORDS[label]).fill(str(value))


def expect_state(page: Page, state: str) -> None:
    expect(page.locator("#state")).to_contain_text(WORDS[f"page_rule_{state}"])
    expect(page.locator("#withdraw")).to_be_visible(visible=state == "sent")


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
        if answer:
            answer(clock)
            expect_state(page, "done")
            assert clock.left_ns == before + MORE_S * 10**9
        else:
            clock.refuse(id_)
            expect_state(page, "refused")
            assert clock.left_ns == before + MORE_S * 10**9


@pytest.mark.rule("R223")
def test_wrong_names_are_written_anew(hub: RealHub, clock: RuledClock, page: Page) -> None:
    """The page says what would change; those that are right stand there the next time."""
    for before, left in (("Anna", " Bo "), ("Bo", "Bodil")):
        choose(page, "Names")
        expect(page.get_by_label("Left", exact=True)).to_have_value(before)
        page.get_by_label("Left", exact=True).fill(left)
        page.get_by_label("Right", exact=True).fill("Ada")
        page.route("**/form?*", lambda route: route.abort(), times=1)
        choose(page, WORDS["page_rule_next"])  # of which the hub hears nothing
        expect(page.locator("#problem")).not_to_be_empty()
        choose(page, WORDS["page_rule_next"])
        expect(page.locator("#preview")).to_contain_text(f"→ {left.strip()}")
        choose(page, WORDS["page_rule_propose"])
        expect_state(page, "sent")
        hub.update()
        clock.show()
        clock.carry_out()
        expect_state(page, "done")
        expect(page.locator("#players")).to_contain_text(left.strip())


@pytest.mark.rule("R218")
@pytest.mark.parametrize("locale", LANGUAGES)
def test_while_a_clock_runs_the_page_says_what_to_do_first(
    clock: RuledClock, page: Page, locale: str
) -> None:
    """It gives up a form that is open; the board's own page leads here."""
    page.locator("#items button").first.click()
    clock.give(CentrePressed(4))
    expect(page.locator("#why")).to_have_text(page_words(locale)["message_rule_runs"])
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
    choose(other, TIME)
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
def test_what_the_players_will_have_is_shown_before_it_is_proposed(page: Page) -> None:
    """A time and points while they are typed; what is no answer changes nothing."""
    preview = page.locator("#preview li")
    choose(page, TIME, "Anna")
    expect(preview).to_have_count(0)
    for seconds, then in ((MORE_S, "22:00 → 23:12"), (10, "22:00 → 22:10")):
        enter(page, seconds)
        expect(preview).to_have_text(["Anna", then])
    page.get_by_label(WORDS["page_rule_taken"]).check()
    expect(preview).to_have_text(["Anna", "22:00 → 21:50"])
    enter(page, 0)
    expect(preview).to_have_count(0)
    page.reload()
    choose(page, "Set a time", "Anna")
    for label, left in zip(TIMES, ("22", "0"), strict=True):
        expect(page.get_by_label(WORDS[label])).to_have_value(left)
    for item, answers, then in (
        ("score", ("Bob", 3), "0 → 3"),
        ("penalty", ("Bob", "Slow play", "Warning, 0 so far"), "Slow play"),
        ("penalty", ("Bob", "Conduct", "2"), "Anna +2 → 2-0"),
    ):
        page.reload()
        choose(page, WORDS[f"page_rule_item_{item}"])
        for answer in answers:
            if isinstance(answer, int):
                page.get_by_label(WORDS["page_rule_entry_points"]).fill(str(answer))
            else:
                choose(page, answer)
        expect(preview.filter(has_text=then)).to_have_count(1)


@pytest.mark.rule("R218")
def test_a_ruling_is_proposed_by_keyboard_alone(hub: RealHub, page: Page) -> None:
    """What comes from the board does not take the focus from where it is."""

    def go_to(text: str) -> None:
        for _ in range(60):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.textContent.trim()") == text:
                return
        raise AssertionError(text)

    def press(text: str) -> None:
        go_to(text)
        hub.update()
        page.keyboard.press("Enter")

    press(TIME)
    expect(page.get_by_role("button", name="Anna")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_label(WORDS["page_rule_minutes"])).to_be_focused()
    for key in ("1", "Tab", "1", "2", "Enter"):
        page.keyboard.press(key)
    expect(page.get_by_role("button", name="Lost time restored")).to_be_visible()
    press("Lost time restored")
    expect(page.locator("#item")).to_be_focused()
    press(WORDS["page_rule_propose"])
    expect_state(page, "sent")
    expect(page.get_by_role("button", name=TIME)).to_be_focused()


@pytest.mark.rule("R218")
@pytest.mark.parametrize("has_gone_on", [False, True])
def test_what_is_typed_outlives_a_restart_of_the_hub(browser: Browser, has_gone_on: bool) -> None:
    """If the board is as it was; of the ruling that was pending the page says that it is gone."""
    with browser.new_context(viewport=PHONE, locale="en-GB") as context:  # type: ignore[arg-type]
        context.set_default_timeout(PATIENCE_MS)
        page = context.new_page()
        with RealHub() as first:
            RuledClock(first, "7").give(*STOPPED)
            page.goto(f"{first.address}/rule/7?token={TOKEN}")
            propose_time(page)
            expect_state(page, "sent")
            choose(page, TIME, "Anna")
            enter(page, 10)
        with RealHub(urlsplit(first.address).port or 0) as second:
            clock = RuledClock(second, "7")
            clock.give(*STOPPED)
            if has_gone_on:
                clock.give(CentrePressed(4), CentrePressed(5))
            said = WORDS["page_rule_gone" if has_gone_on else "page_rule_kept"]
            expect(page.locator("#problem")).to_have_text(said)
            expect_state(page, "lost")
            if not has_gone_on:
                expect(page.get_by_label(WORDS["page_rule_seconds"])).to_have_value("10")
                choose(page, WORDS["page_rule_next"], "Lost time restored")
                choose(page, WORDS["page_rule_propose"])
                expect_state(page, "sent")


@pytest.mark.rule("R218")
def test_what_became_of_a_ruling_outlives_a_restart_of_the_hub(browser: Browser) -> None:
    with browser.new_context(viewport=PHONE, locale="en-GB") as context:  # type: ignore[arg-type]
        context.set_default_timeout(PATIENCE_MS)
        page = context.new_page()
        with RealHub() as first:
            clock = RuledClock(first, "7")
            clock.give(*STOPPED)
            page.goto(f"{first.address}/rule/7?token={TOKEN}")
            propose_time(page)
            expect_state(page, "sent")
            first.update()
            clock.refuse(clock.show())
            expect_state(page, "refused")
        with RealHub(urlsplit(first.address).port or 0) as second:
            heard = page.expect_response(lambda each: '"ruling":null' in each.text())
            with heard:
                RuledClock(second, "7").give(*STOPPED)
            expect(page.locator("#players li")).to_have_count(2)
            expect_state(page, "refused")
            expect(page.locator("#state")).to_be_visible()


@pytest.mark.rule("R218")
def test_each_of_two_directors_is_told_of_the_other(clock: RuledClock, page: Page) -> None:
    """By name, as long as the other one has the page open."""
    page.evaluate("localStorage.setItem('gammonclock.by', 'Eva')")
    page.reload()
    other = page.context.new_page()
    other.goto(f"{page.url}?token={TOKEN}")
    expect(other.locator("#others")).to_have_text(f"{WORDS['page_rule_other']} (Eva)")
    clock.give(CentrePressed(4), CentrePressed(5))
    expect(page.locator("#others")).to_have_text(f"{WORDS['page_rule_other']} (Eva)")


@pytest.mark.rule("R218")
def test_everybody_can_use_it(page: Page, view: View, problems_of: Judge) -> None:
    """At each step: the items, a choice, a time, and what would change."""
    look(page, view)
    page.reload()
    expect(page.locator("#items button").first).to_be_visible()
    found = problems_of(page)
    choose(page, TIME)
    found += problems_of(page)
    choose(page, "Anna")
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
