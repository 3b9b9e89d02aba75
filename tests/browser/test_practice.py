"""The practice page on the real hub: by keys, by touch, by a screen reader's clicks."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from clock.ui.i18n import LANGUAGES
from lab.support.watch_program import WatchProgram
from room.practice.lessons import LESSONS
from tests.browser.conftest import PATIENCE_MS, Judge, View, look
from tests.browser.test_pages import CUT_OFF
from tests.room.pages.test_modules import own_words

PHONE: ViewportSize = {"width": 320, "height": 640}
WORDS = own_words("en")
# The options that a list has no room for: with one of them alone it would be wider.
CUT_OPTIONS = """list => [...list.options].filter(({ text }) => {
  const copy = list.cloneNode(false);
  copy.append(new Option(text));
  copy.style.position = "absolute";
  document.body.append(copy);
  const wide = copy.offsetWidth;
  copy.remove();
  return wide > list.offsetWidth; }).map(({ text }) => text)"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a running `gammonclock watch`, which has no log to show."""
    with WatchProgram(tmp_path_factory.mktemp("logs")) as watch:
        yield watch.address


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A phone; errors in its console are failures."""
    with browser.new_context(
        viewport=PHONE, locale="en-GB", has_touch=True, device_scale_factor=2
    ) as context:
        context.set_default_timeout(PATIENCE_MS)
        page, problems = context.new_page(), []
        page.on("console", lambda message: problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        yield page
        assert problems == []


def log_of(page: Page) -> list[str]:
    """What the latest lines of the log say, the newest first."""
    return [text.split("  ")[-1] for text in page.locator("#log li").all_inner_texts()]


def newest(page: Page, text: str) -> None:
    """Wait until this is the newest line of the log."""
    expect(page.locator("#log li").first).to_contain_text(text)


def test_the_first_turns_by_touch_and_keys(page: Page, address: str) -> None:
    """The lesson says when it is done; each press is one line of the log."""
    page.goto(f"{address}practice?at=turns")
    expect(page.locator("#task")).to_have_text(WORDS["lesson_turns_task"])
    page.locator("[data-button=left]").tap()
    newest(page, "Left confirmed")
    page.locator("[data-button=right]").tap()
    newest(page, "Right confirmed")
    page.keyboard.press(" ")
    newest(page, "Centre confirmed")
    page.keyboard.press("l")
    newest(page, "Right pressed")
    expect(page.locator("#text-left")).to_contain_text("Delay")
    page.wait_for_timeout(100)  # two plungers within 40 ms are one event (R85)
    page.keyboard.press("a")
    newest(page, "Left pressed")
    expect(page.locator("#task")).not_to_contain_text(WORDS["practice_learned"])
    page.wait_for_timeout(100)
    page.locator("[data-button=right]").dispatch_event("click")  # as a screen reader does
    expect(page.locator("#task")).to_contain_text(WORDS["practice_learned"])
    assert len(log_of(page)) == 7


def test_the_rules_that_are_chosen_are_those_of_the_clock(page: Page, address: str) -> None:
    page.goto(f"{address}practice")
    for profile in ("wbgf", "us"):
        expect(page.locator("[name=profile]")).to_have_value(profile)
        expect(page.locator("#text-left")).to_contain_text(f"{profile} 5 points")
        page.locator("[name=profile]").select_option("us")


@pytest.mark.parametrize("wrong", ["26", ""])
def test_a_length_that_no_clock_takes_changes_nothing(page: Page, address: str, wrong: str) -> None:
    page.goto(f"{address}practice")
    newest(page, "Match to 5")
    page.locator("[name=length]").fill(wrong)
    page.locator("[name=profile]").select_option("us")
    page.locator("#hold").click()
    newest(page, "Centre")
    expect(page.locator("#task")).to_be_hidden()


def test_holding_the_centre_calls_the_director(page: Page, address: str) -> None:
    page.goto(f"{address}practice")
    page.locator("#hold").click()
    newest(page, "Centre")
    expect(page.locator("#text-left")).to_contain_text("Approve settings")


def test_every_lesson_fits_a_phone_and_has_its_words(page: Page, tmp_path: Path) -> None:
    """Nothing is wider than the screen; a lesson can be chosen without an address.

    The hub is one of its own, as one visitor gets few clocks in a minute.
    """
    with WatchProgram(tmp_path) as watch:
        page.goto(f"{watch.address}practice")
        for lesson in LESSONS:
            page.locator("[name=lesson]").select_option(lesson)
            expect(page.locator("#task")).to_have_text(WORDS[f"lesson_{lesson}_task"])
            expect(page.locator("#text-left")).not_to_be_empty()
            assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        page.goto("about:blank")  # the stream of pictures ends before the hub


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_clock_is_the_same_in_every_language(
    browser: Browser, address: str, language: str
) -> None:
    """In a narrow window too, where the keys are shown: equal plungers, and panels as large."""
    with browser.new_context(viewport=PHONE) as context:
        page = context.new_page()
        page.goto(f"{address}practice?lang={language}")
        expect(page.locator("#text-left")).not_to_be_empty(timeout=PATIENCE_MS)
        widths = "all => all.map((each) => each.offsetWidth)"
        left, right = page.locator(".plunger").evaluate_all(widths)
        assert left == right
        assert page.locator("canvas").evaluate_all(widths) == [256, 256]
        assert page.locator("#box button").evaluate_all(CUT_OFF) == []
        assert page.locator("[name=lesson]").evaluate(CUT_OPTIONS) == []


def test_everybody_can_read_it(page: Page, address: str, view: View, problems_of: Judge) -> None:
    look(page, view)
    page.goto(f"{address}practice?at=flag")
    expect(page.locator("#text-left")).not_to_be_empty()
    assert problems_of(page) == []


def test_a_hub_with_open_clocks_ends_at_once(page: Page, tmp_path: Path) -> None:
    with WatchProgram(tmp_path) as watch:
        page.goto(f"{watch.address}practice")
        expect(page.locator("#text-left")).not_to_be_empty()
    expect(page.locator("#connection")).to_have_text(WORDS["practice_no_connection"])
