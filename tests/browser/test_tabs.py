"""Many tabs of one browser: they share one stream of events, of the six that it has for a hub."""

from collections.abc import Iterator
from itertools import count

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.conftest import BEGIN_S
from tests.browser.fixture_hub import FixtureHub, make_board

NEVER_MISSED = "window.setInterval = () => 0"  # a tab that leaves has to say so by itself
NO_LOCKS = "Object.defineProperty(Navigator.prototype, 'locks', { value: undefined })"
# A tab that sleeps says and hears nothing; when it wakes up, what its stream has brought comes
# first, then what the other tabs have said, if it was kept, and last the news of the lock.
SLEEPER = """
const missed = [];
const { request } = LockManager.prototype;
let channel, stream, tellOfTheLock;
let isAsleep = false;
let newsOfTheLock = null;
LockManager.prototype.request = function (...given) {
  return request.apply(this, given).finally(() => newsOfTheLock);
};
window.BroadcastChannel = class extends BroadcastChannel {
  constructor(name) {
    super(name);
    channel = this;
    this.addEventListener("message", (event) => {
      if (isAsleep) missed.push(event.data);
      if (isAsleep) event.stopImmediatePropagation();
    });
  }
  postMessage(message) {
    if (!isAsleep) super.postMessage(message);
  }
};
window.EventSource = class extends EventSource {
  constructor(address) {
    super(address);
    stream = this;
    document.documentElement.dataset.stream = "open";
  }
  close() {
    super.close();
    if (stream === this) document.documentElement.dataset.stream = "closed";
  }
};
window.sleep = () => {
  isAsleep = true;
  newsOfTheLock = new Promise((tell) => (tellOfTheLock = tell));
};
window.wake = ([board, hearsTheOthers]) => {
  isAsleep = false;
  const event = { data: JSON.stringify(board), lastEventId: "store1-0" };
  stream.dispatchEvent(new MessageEvent("board", event));
  for (const data of hearsTheOthers ? missed : []) {
    channel.dispatchEvent(new MessageEvent("message", { data }));
  }
};
window.hearOfTheLock = () => tellOfTheLock();
"""
NOTE_OLD = """
window.hasShownOld = false;
const note = () => (window.hasShownOld ||= document.body.textContent.includes("Old"));
const all = { subtree: true, childList: true, characterData: true };
new MutationObserver(note).observe(document.body, all);
"""
OTHERS = ("/room", "/wall", "/results", "/board/7", "/room?lang=de")
OVERLAYS = tuple(f"/overlay/{number}" for number in range(1, 10))


@pytest.fixture(params=["https", "http"])
def tabs(request: pytest.FixtureRequest, browser: Browser) -> Iterator[BrowserContext]:
    """Tabs of a browser; http from another computer has no Web Locks."""
    with browser.new_context(locale="en-GB") as context:
        context.add_init_script(NEVER_MISSED)
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
        assert pages[0].evaluate("fetch('/api/1/clock').then((answer) => answer.status)") == 200
        pages.pop(0).close()
        if pages:  # the first one led; the last one came last
            pages.pop().close()


@pytest.mark.parametrize("hears_the_others", [True, False])
def test_another_tab_takes_over_from_one_that_sleeps(
    hub: FixtureHub, browser: Browser, hears_the_others: bool
) -> None:
    """It learns that it leads no more when it wakes up; what it passes on until then is too old."""
    with browser.new_context(locale="en-GB") as context:
        context.clock.install(time=0)
        context.clock.pause_at(BEGIN_S)
        context.add_init_script(SLEEPER)
        sleeper = context.new_page()
        sleeper.goto(f"{hub.address}/board/1")
        expect(sleeper.locator("html")).to_have_attribute("data-stream", "open")
        awake = [context.new_page(), context.new_page()]
        for page, path in zip(awake, ("/board/2", "/room"), strict=True):
            page.goto(hub.address + path)
        name_all(hub, "Player 1")
        all_show([sleeper, *awake], "Player 1")
        sleeper.evaluate("sleep()")
        name_all(hub, "Player 2")
        context.clock.run_for(31_000)  # in which nothing comes
        all_show(awake, "Player 2")
        old = make_board("2", players={"left": {"name": "Old"}, "right": {"name": "Old"}})
        for page in awake:
            page.evaluate(NOTE_OLD)
        sleeper.evaluate("(told) => wake(told)", [old, hears_the_others])
        expect(sleeper.locator("html")).to_have_attribute("data-stream", "closed")
        assert not any(page.evaluate("window.hasShownOld") for page in awake)
        sleeper.evaluate("hearOfTheLock()")
        name_all(hub, "Player 3")
        all_show([*awake, sleeper], "Player 3")
        expect(sleeper.locator("html")).to_have_attribute("data-stream", "closed")
        sleeper.close()
        name_all(hub, "Player 4")
        all_show(awake, "Player 4")
