"""The room page against the panels of 64 clocks: what each shows, and when it changes.

The page's clock is the test's, so that the instants are those for which the page set its timer,
however busy the computer is. `make bench ARGS=room_load` measures the real ones.
"""

from random import Random

import pytest
from playwright.sync_api import expect

from clock.match.rules import Method
from clock.match.state import MatchState
from clock.match.types import Side
from clock.ui.dialogue import Dialogue
from clock.ui.face import View, clock_face, next_face_ns
from clock.ui.i18n import sayer
from clock.units import SECOND_NS
from lab.support.world import World, match_settings
from tests.browser.conftest import Opener
from tests.browser.fixture_hub import FixtureHub
from tests.room.pages.test_time import START_NS, sent, some_state

BOARDS, SECONDS = 64, 10
LATEST_MS = 30  # of the 50 that the page may take in all
MILLISECOND_NS = SECOND_NS // 1000
# Note each text as it is written into a tile, with the instant on the page's clock.
WATCH = """
window.written = [];
const { get, set } = Object.getOwnPropertyDescriptor(Node.prototype, "textContent");
Object.defineProperty(Element.prototype, "textContent", { get, set(text) {
  set.call(this, text);
  if (this.className !== "time") return;
  const tile = this.closest(".tile");
  const side = [...tile.querySelectorAll(".time")].indexOf(this);
  window.written.push([tile.querySelector(".id").textContent, side, text, performance.now()]);
} });
performance.now();
"""
Change = tuple[str, int, str]  # board, side, the new text


def panels(state: MatchState, name: str, end_ns: int) -> list[tuple[Change, int]]:
    """Return the changes of the reserves on both panels until an instant, and when they come."""
    view, now_ns = View(state, Dialogue(), sayer("en")), START_NS
    texts = [clock_face(view, side, now_ns).reserve for side in Side]
    changes = []
    while (next_ns := next_face_ns(view, now_ns)) is not None and next_ns < end_ns:
        now_ns = next_ns
        for number, side in enumerate(Side):
            text = clock_face(view, side, now_ns).reserve
            if text != texts[number]:
                texts[number] = text
                changes.append(((name, number, text), now_ns))
    return changes


def a_match(random: Random) -> MatchState:
    """Return a match in which a clock runs, in any of the ways that there are."""
    settings = [match_settings(delay_ns=12 * SECOND_NS, method=method) for method in Method]
    states = [World(each).state.replace(at_ns=START_NS) for each in settings]
    while (state := some_state(random, states)).running is None:
        pass
    return state


@pytest.mark.parametrize("path", ["/", "/wall"])
def test_64_tiles_change_with_the_panels(path: str, hub: FixtureHub, opened: Opener) -> None:
    """The same texts in the same order, none early, and none later than the page may be."""
    random, end_ns = Random(13), START_NS + SECONDS * SECOND_NS
    matches = {str(number): a_match(random) for number in range(1, BOARDS + 1)}
    hub.now_ns = START_NS
    hub.put(*[sent(state) | {"id": name} for name, state in matches.items()])
    page = opened(path)
    expect(page.locator(".tile")).to_have_count(BOARDS)
    begin_ms = page.evaluate(WATCH)
    page.clock.run_for(SECONDS * 1000 + LATEST_MS)
    due = [each for name, state in matches.items() for each in panels(state, name, end_ns)]
    written: dict[Change, float] = {
        (name, side, text): at_ms for name, side, text, at_ms in page.evaluate("window.written")
    }
    late = [written[change] - begin_ms - since_ms(at_ns) for change, at_ns in due]
    assert len(late) > BOARDS
    assert min(late) >= 0
    assert max(late) <= LATEST_MS


def since_ms(hub_ns: int) -> float:
    """Return how long after the beginning an instant of the hub is."""
    return (hub_ns - START_NS) / MILLISECOND_NS
