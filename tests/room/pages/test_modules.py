"""The pages' small modules: the hub's clock, the timer, the layout, the overlay's past, words."""

import math
from functools import partial
from random import Random
from typing import Any

import pytest

from clock.units import SECOND_NS
from lab.support.rows import row
from tests.room.pages.engine import Engine

MINUTE_MS = 60_000


HEARD = """
const clock = new HubClock();
function hear(messages, hubMs) {
  const before = clock.known;
  for (const [sentMs, arrivedMs] of messages) clock.hear(sentMs * 1e6, arrivedMs);
  const pageMs = clock.pageMs(hubMs * 1e6);
  const found = [before, clock.known, pageMs, clock.hubNs(pageMs)];
  clock.forget();
  return found;
}
"""


def test_the_quickest_message_of_five_minutes_says_the_hubs_time() -> None:
    """No message is early; what came before is forgotten, as both clocks drift apart."""
    random, engine = Random(3), Engine("hub_clock.js")
    engine.run(HEARD)
    for _ in range(200):
        at_ms, messages = 0, []
        for _ in range(random.randrange(1, 8)):
            at_ms += random.choice((10, 1000, 4 * MINUTE_MS, 5 * MINUTE_MS, 5 * MINUTE_MS + 1))
            messages.append((at_ms - random.randrange(90), at_ms))
        kept = [each for each in messages if each[1] >= at_ms - 5 * MINUTE_MS]
        least_ms = min(arrived - sent for sent, arrived in kept)
        hub_ms = random.randrange(10**7)
        expected = [False, True, hub_ms + least_ms, hub_ms * 10**6]
        assert engine.call("hear", messages, hub_ms) == expected, messages


@pytest.mark.parametrize(
    ("now_ms", "due_ms", "wait_ms"),
    [(0, 0, 1), (0, 1, 25), (0, 25, 25), (10.5, 26, 40), (0, 9e9, 60_000), (100, 50, 1)],
)
def test_wakes_fall_on_a_grid(now_ms: float, due_ms: float, wait_ms: int) -> None:
    """All boards share the timer: at most 40 wakes a second, and none before its time."""
    assert Engine("ticker.js").call("waitMs", now_ms, due_ms) == wait_ms


DRAWN = """
let nowMs = 3;
const timers = new Map(), posted = [], performance = { now: () => nowMs };
const setTimeout = (act, ms) => timers.set(timers.size + 1, [nowMs + ms, act]).size;
const clearTimeout = (number) => { if (timers.has(number)) timers.get(number)[0] = "cleared"; };
class MessageChannel {
  port1 = {};
  port2 = { postMessage: () => posted.push(this.port1) };
}
function story() {
  const draws = [], due = [60, 40, null], dueAt = () => [...timers.values()].map(([atMs]) => atMs);
  const ticker = new Ticker((atMs) => { draws.push(atMs); return due.shift(); });
  const said = () => [draws.join(), posted.length, dueAt().join()];
  const found = [said()];
  for (const atMs of [3, 30]) {
    nowMs = atMs;
    ticker.ask();
    ticker.ask();
    found.push(said());
    posted.pop().onmessage();
    found.push(said());
  }
  nowMs = 50;
  timers.get(2)[1]();
  found.push(said());
  return found;
}
"""


def test_a_page_is_drawn_once_for_many_reasons_and_then_when_a_text_changes() -> None:
    engine = Engine()
    engine.run(DRAWN)
    engine.load("ticker.js")
    assert engine.call("story") == [
        ["", 0, ""],
        ["", 1, ""],
        ["3", 0, "75"],
        ["3", 1, "75"],
        ["3,30", 0, "cleared,50"],
        ["3,30,50", 0, "cleared,cleared"],
    ]


@pytest.mark.parametrize("lang", ["en", "da"])
def test_a_screen_reader_says_hours_minutes_and_seconds(lang: str) -> None:
    engine = Engine()
    engine.run(
        "const document = { documentElement: {} };"
        "const Intl = { NumberFormat: class { constructor(lang, { unit }) { this.of = unit + lang }"
        " format(number) { return `${number} ${this.of}` } } };"
    )
    engine.load("spoken_time.js")
    engine.run("const said = (lang, s) => (document.documentElement.lang = lang, inWords(s));")
    hour, minute, second = (f"{unit}{lang}" for unit in ("hour", "minute", "second"))
    for seconds, words in (
        (0, f"0 {second}"),
        (59, f"59 {second}"),
        (60, f"1 {minute}"),
        (3599, f"59 {minute}, 59 {second}"),
        (3600, f"1 {hour}"),
        (7325, f"2 {hour}, 2 {minute}, 5 {second}"),
    ):
        engine.call("said", "xx", seconds)
        assert engine.call("said", lang, seconds) == words


@pytest.mark.rule("R134")
def test_a_search_finds_boards_by_name_by_player_and_from_one_to_another() -> None:
    """A comma separates what is looked for only beside a range: it may be part of a name."""
    boards = {"1": ["Anna"], "7-2": [], "8": [], "9": ["Bo, Jr."], "12": [], "18": []}
    for asked, found in (
        ("", list(boards)),
        ("8", ["8", "18"]),
        ("1-8", ["1", "8"]),
        (" 1-8, 12", ["1", "8", "12"]),
        ("9-9,7-2", ["7-2", "9"]),
        ("7-2", ["7-2"]),
        ("bo, jr", ["9"]),
        ("anna", ["1"]),
    ):
        with row(asked):
            call = Engine("search.js").call
            assert [each for each in boards if call("finds", asked, each, boards[each])] == found


FILTERED = """
const button = () => ({
  setAttribute(name, value) { this[name] = value; },
  append(text) { this.text = text; },
  addEventListener(kind, act) { this[kind] = act; },
});
const nodes = {
  search: { ...button(), value: "" },
  states: {
    dataset: {},
    draws: 0,
    replaceChildren(...made) { Object.assign(this, { made, draws: this.draws + 1 }); },
    querySelector() {},
  },
};
const document = { getElementById: (id) => nodes[id], createElement: button };
let changes = 0;
const filter = new OfferFilter((key) => key, () => (changes += 1));
function shown(states) {
  const row = { id: "1", names: [] };
  filter.draw(states.map((state) => ({ state })));
  return states.filter((state) => filter.shows(row, null, { state }));
}
function found(asked) {
  nodes.search.value = asked;
  nodes.search.input();
  const players = { left: { name: "Ann" }, right: { name: null } };
  return filter.shows({ id: "1", names: ["Eve", ""] }, { players }, null);
}
function click(text) {
  nodes.states.made.find((each) => each.text === text).click();
}
function drawn() {
  const pressed = nodes.states.made.filter((each) => each["aria-pressed"] === "true");
  return [changes, nodes.states.draws, pressed.map((each) => each["data-state"]).join()];
}
"""


def test_a_state_that_no_offer_has_any_more_hides_no_board() -> None:
    """Its button is gone, with which all boards were shown again."""
    engine = Engine("offer_filter.js")
    engine.run(FILTERED)
    for _ in range(2):  # drawn once, or a button would lose the keyboard
        assert engine.call("shown", ["sent", "refused", "sent"]) == ["sent", "refused", "sent"]
    assert engine.call("drawn") == [0, 1, ""]
    engine.run("click('page_offer_refused: 1')")
    assert engine.call("shown", ["sent", "refused", "sent"]) == ["refused"]
    assert engine.call("drawn") == [1, 2, "refused"]
    for shown in (["sent", "refused", "sent"], ["refused"]):  # the same button shows all again
        engine.run("click('page_offer_refused: 1')")
        assert engine.call("shown", ["sent", "refused", "sent"]) == shown
    assert engine.call("shown", ["sent", "sent", "sent"]) == ["sent", "sent", "sent"]
    assert engine.call("drawn") == [3, 5, ""]
    assert [each for each in ("ann", "eve", "bo") if engine.call("found", each)] == ["ann", "eve"]
    assert engine.call("drawn") == [6, 5, ""]


SIZES = ((1342, 560), (366, 700), (366, 100), (60, 900), (1896, 1000))


@pytest.mark.parametrize("count", [0, 1, 2, 12, 64])
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_boards_are_as_large_as_they_fit(count: int, width: int, height: int) -> None:
    """In few columns; where the least type is too large, in as many as there is room for."""

    def largest(columns: int) -> float:
        return min(width / columns / 11.4, height / (-(-count // columns) or 1e-9) / 4.5)

    engine, best = Engine("fit.js"), max(map(largest, range(1, max(1, count) + 1)))
    columns = next(each for each in range(1, 99) if largest(each) == best)
    for least in (best / 2, best, math.nextafter(best, 99)):
        for most in (least, 1000):
            found = engine.call("fit", count, width, height, {"least": least, "most": most})
            fitting = {"columns": columns, "size": min(best, most), "overflows": False}
            room = max(1, int(width / (least * 11.4)))
            too_large = {"columns": room, "size": least, "overflows": True}
            assert found == (fitting if least <= best else too_large)


def shown(delay_s: int, *, at_s: int) -> list[Any]:
    """Return the state shown with a delay, of states that came at 10, 20 and 50 s, and the next."""
    engine = Engine("delayed.js")
    engine.run(
        "function shown(thenNs) {"
        " const past = new Delayed(), empty = [past.empty];"
        " for (const at of [10, 20, 50]) past.add(at, at * 1e9);"
        " const found = [past.at(thenNs), past.nextNs(thenNs)];"
        " empty.push(past.empty);"
        " past.forget();"
        " return empty.join() === 'true,false' && past.empty ? found : empty; }"
    )
    found: list[Any] = engine.call("shown", (at_s - delay_s) * SECOND_NS)
    return found


def test_an_overlay_shows_the_state_of_its_delay_ago() -> None:
    assert shown(30, at_s=39) == [None, 10 * SECOND_NS]
    assert shown(30, at_s=40) == [10, 20 * SECOND_NS]
    assert shown(30, at_s=79) == [20, 50 * SECOND_NS]
    assert shown(30, at_s=80) == [50, None]


LINE = """
const document = {
  createElement: () => ({
    value: "",
    append() {},
    addEventListener() {},
    getAttribute() {},
    setAttribute() {},
  }),
};
const line = new Row("7", (key) => key, () => undefined);
const state = () => [line.names, line.chosen.checked, line.isSent];
function step(name, ...given) {
  line[name](...given);
  return state();
}
function lose(state) {
  return line.lose({ state });
}
function draw(names, offer) {
  const [left, right] = names.map((name) => ({ name, points: 0 }));
  const board = { state: "RUNNING", players: { left, right }, legs: [0, 0], length: 7 };
  line.draw(board, offer, 0, (key) => key, String);
  return [line.state.textContent, ...state()];
}
"""


def test_a_line_of_the_offers_is_as_new_when_the_clock_has_taken_its_offer() -> None:
    """What was typed since stays; so it is each time, and with a hub that has started anew."""
    engine = Engine("offer_row.js")
    engine.run(LINE)
    step, new = partial(engine.call, "step"), [["", ""], False, False]
    lose, draw = partial(engine.call, "lose"), partial(engine.call, "draw")
    for offer in ("o-1", "o-2"):
        assert step("fill", ["A", "B"]) == [["A", "B"], True, False]
        step("send", "o-0")  # and another one in its place
        assert step("send", offer) == [["A", "B"], True, True]
        assert step("take", "o-0") == [["A", "B"], True, True]
        assert step("take", offer)[::2] == [["", ""], False]
        step("fill", ["A", "B"])
        step("send", offer)
        step("fill", ["C", "D"])
        assert step("take", offer) == [["C", "D"], True, False]
        assert step("clear") == new
        assert not lose("sent")
        for names in (["A", "B"], ["C", "D"]):
            step("fill", names)
            step("send", offer)
            assert [lose(state) for state in ("taken", "sent")] == [False, True]
        assert draw(["A", "B"], None) == ["page_offer_again", ["C", "D"], True, True]
        assert draw(["A", "B"], {"state": "sent"})[0] == "page_offer_sent"
        assert draw(["A", "B"], None)[0] == ""  # the hub knows it after all
        assert lose("sent")
        assert draw(["C", "D"], None) == ["", *new]


# --- the hub's events -----------------------------------------------------------------------------

FED = """
let nowMs = 0, hear, lose, check;
const said = [], performance = { now: () => nowMs };
const document = { addEventListener() {} }, setInterval = (act) => (check = act);
const fetch = () => Promise.reject();
class SharedEvents {
  constructor(board, ...calls) { [hear, lose] = calls; }
  renew() { said.push("renew"); }
}
"""
FEED = """
const tell = (_, name) => (value) => said.push(value === undefined ? name : `${name} ${value}`);
const feed = new Feed(null, new Proxy({}, { get: tell }));
function told(atMs, act) {
  nowMs = atMs;
  said.length = 0;
  act();
  return [...said, feed.clock.known ? feed.clock.hubNs(nowMs) / 1e6 : null];
}
const heard = (atMs, kind, id, hubMs, version) =>
  told(atMs, () => hear(kind, { hub_ns: hubMs * 1e6, version }, id));
const lost = (atMs) => told(atMs, lose);
const checked = (atMs) => told(atMs, check);
"""


def test_of_another_hub_and_after_a_loss_the_time_is_known_anew() -> None:
    """A message that was quicker before says nothing now; so it is the second time."""
    engine = Engine()
    engine.run(FED)
    engine._loaded.add("shared_events.js")
    engine.load("feed.js")
    engine.run(FEED)
    call, back = engine.call, ["connection true", "timeChanged"]
    assert call("heard", 1000, "hello", "a-1", 9000, "1") == [*back, 9000]
    for at_ms, hub in ((2000, "b"), (3000, "a")):
        assert call("heard", at_ms, "hello", f"{hub}-1", 5, "1") == ["forget", "timeChanged", 5]
        assert call("heard", at_ms + 1, "tick", f"{hub}-1", 1) == ["timeChanged", 6]
        for _ in range(2):
            assert call("lost", at_ms + 1) == ["connection false", 6]
            assert call("lost", at_ms + 1) == [6]
            assert call("heard", at_ms + 1, "hello", f"{hub}-1", 2, "1") == [*back, 2]
            assert call("heard", at_ms + 1, "tick", f"{hub}-1", 6) == ["timeChanged", 6]
    for version in ("2", "1"):
        assert call("heard", 9000, "hello", "a-1", 9, version)[-2:] == ["newVersion", 6005]
        assert call("heard", 9000, "hello", "a-1", 9, version) == ["timeChanged", 6005]
    for at_ms in range(10_000, 65_000, 5000):
        renewed = {35_000: ["connection false", "renew"], 60_000: ["renew"]}
        assert call("checked", at_ms)[:-1] == renewed.get(at_ms, [])


# --- words --------------------------------------------------------------------------------------

ADDRESS = """
class URLSearchParams {
  constructor(search) { this.pairs = search.slice(1).split("="); }
  get(name) { return this.pairs[0] === name ? this.pairs[1] : null; }
}
"""
WORDED = r"""
const location = { search: "?lang=de" }, navigator = { languages: [] };
const made = {
  dataset: { say: "a", label: "b", hint: "c" },
  getAttribute: () => "/room?hall=x",
  setAttribute(kind, to) { this[kind] = to; },
};
const found = { say: { ...made }, label: { ...made }, hint: { ...made }, link: { ...made } };
const document = {
  documentElement: {},
  querySelectorAll: (wanted) => [found[wanted.match(/data-(\w+)/)[1]]],
};
const fetch = async (path) => ({ ok: isThere, json: async () => ({ a: path, b: "B", c: "C" }) });
const words = () => [
  document.documentElement.lang,
  found.say.textContent,
  found.label["aria-label"],
  found.hint.placeholder,
  found.link.href,
];
"""


@pytest.mark.parametrize("is_there", [True, False])
def test_a_page_gets_the_words_and_its_links_the_language(is_there: bool) -> None:
    """A hub that has no words leaves the keys."""
    engine = Engine("words.js")
    engine.run(f"const isThere = {str(is_there).lower()};{ADDRESS}{WORDED}loadWords();")
    texts = ["/api/1/words?lang=de", "B", "C"] if is_there else ["a", "b", "c"]
    assert engine.call("words") == ["de", *texts, "/room?hall=x&lang=de"]


@pytest.mark.parametrize(
    ("search", "preferred", "language"),
    [
        ("", ["de-AT", "en"], "de"),
        ("?lang=da", ["de"], "da"),
        ("?lang=xx", ["fr", "nn-NO", "en"], "nb"),
        ("", ["no"], "nb"),
        ("", ["fr"], "en"),
    ],
)
def test_language_of_the_address_then_of_the_browser(
    search: str, preferred: list[str], language: str
) -> None:
    """Norwegian of any kind is Bokmål; English is for everybody else."""
    engine = Engine("words.js")
    engine.run(ADDRESS)
    assert engine.call("chooseLanguage", search, preferred) == language


def test_words_are_filled_in_and_unknown_ones_shown() -> None:
    """A key of a newer clock is better than nothing; a name in braces is a name."""
    engine = Engine("words.js")
    engine.run("const say = (key, values) => sayer({of: '{a} of {b}'})(key, values);")
    assert engine.call("say", "of", {"a": "{b}", "b": 2}) == "{b} of 2"
    assert engine.call("say", "constructor") == "constructor"
