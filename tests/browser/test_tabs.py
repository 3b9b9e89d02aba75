"""Many tabs of one browser: they share one stream of events, of the six that it has for a hub."""

from collections.abc import Iterator
from contextlib import suppress
from itertools import count

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.conftest import Opener
from tests.browser.fixture_hub import FixtureHub, make_board

NO_LOCKS = "Object.defineProperty(Navigator.prototype, 'locks', { value: undefined })"
OTHERS = ("/room", "/wall", "/results", "/board/7", "/room?lang=de")
MOST_TRIES = 4  # a tab may have to take the stream twice: the one that sleeps waits for it, too
SOON_MS = 10_000
OVERLAYS = tuple(f"/overlay/{number}" for number in range(1, 10))


@pytest.fixture(params=["https", "http"])
def tabs(request: pytest.FixtureRequest, browser: Browser) -> Iterator[BrowserContext]:
    """Tabs of a browser; http from another computer has no Web Locks."""
    with browser.new_context(locale="en-GB") as context:
        if request.param == "http":
            context.add_init_script(NO_LOCKS)
        yield context


def name_all(hub: FixtureHub, name: str) -> None:
    """Let the same player sit at all boards."""
    players = {"left": {"name": name, "points": 3}, "right": {"name": "Bob", "points": 5}}
    hub.put(*(make_board(str(number), players=players) for number in range(1, 10)))


def all_show(pages: list[Page], name: str) -> None:
    for page in pages:
        if "/results" not in page.url:
            expect(page.get_by_text(name).first).to_be_visible()


def test_fourteen_tabs_are_served_also_when_any_of_them_is_closed(
    hub: FixtureHub, tabs: BrowserContext
) -> None:
    names = (f"Player {number}" for number in count(1))
    name_all(hub, next(names))
    pages: list[Page] = []
    for path in (*OTHERS, *OVERLAYS):
        pages.append(tabs.new_page())
        pages[-1].goto(hub.address + path)
    all_show(pages, "Player 1")
    while pages:
        name = next(names)
        name_all(hub, name)
        all_show(pages, name)
        assert pages[0].evaluate("fetch('/api/clock').then((answer) => answer.status)") == 200
        pages.pop(0).close()
        if pages:  # the first one led; the last one came last
            pages.pop().close()


def test_another_tab_takes_over_from_one_that_sleeps(hub: FixtureHub, opened: Opener) -> None:
    sleeping = opened("/board/1")
    awake = [opened("/board/2"), opened("/room")]
    name_all(hub, "Player 1")
    all_show([sleeping, *awake], "Player 1")
    sleeping.evaluate("BroadcastChannel.prototype.postMessage = () => {}")
    name_all(hub, "Player 2")
    for _ in range(MOST_TRIES):
        awake[0].clock.run_for(31_000)  # in which nothing comes
        with suppress(AssertionError):
            expect(awake[0].get_by_text("Player 2").first).to_be_visible(timeout=SOON_MS)
            break
    all_show([*awake, sleeping], "Player 2")
    sleeping.close()
    name_all(hub, "Player 3")
    all_show(awake, "Player 3")
