"""The pages' small modules: the hub's clock, the timer, the layout, the overlay's past, words."""

import json
import re
from typing import Any

import pytest

from clock.ui.i18n import LANGUAGES, texts
from clock.units import SECOND_NS
from lab.support.rows import row
from room.boards.offers import OfferState
from room.boards.rulings import RulingState
from room.hub.notices import KINDS
from room.web.waiting import WAITS
from tests.room.pages.engine import PAGES, Engine

MINUTE_MS = 60_000


def heard(*messages: tuple[int, int], at_ms: int) -> int:
    """Return the hub's time at an instant of the page's clock, after messages (sent, arrived)."""
    engine = Engine("hub_clock.js")
    engine.run(
        "function told(messages, atMs) {"
        " const clock = new HubClock();"
        " for (const [sentMs, arrivedMs] of messages) clock.hear(sentMs * 1e6, arrivedMs);"
        " return clock.hubNs(atMs) / 1e6; }"
    )
    told: int = engine.call("told", messages, at_ms)
    return told


def test_the_quickest_message_says_the_hubs_time() -> None:
    """Messages took 30, 4 and 50 ms: the one of 4 ms is nearest to the truth."""
    assert heard((0, 30), (1000, 1004), (2000, 2050), at_ms=3004) == 3000


def test_messages_of_five_minutes_ago_are_forgotten() -> None:
    """The clocks of hub and page drift apart: here by 20 ms in 6 minutes."""
    late_ms = 6 * MINUTE_MS
    assert heard((0, 4), (late_ms, late_ms + 24), at_ms=late_ms + 24) == late_ms
    soon_ms = 4 * MINUTE_MS
    assert heard((0, 4), (soon_ms, soon_ms + 24), at_ms=soon_ms + 24) == soon_ms + 20


@pytest.mark.rule("R215")
def test_a_named_round_of_an_event_is_one_list_whatever_the_clocks_dates_are() -> None:
    engine = Engine()
    engine.run("const Intl = { Collator: class { compare(one, other) { return one - other; } } };")
    engine._load("result_words.js")
    engine.run("const rounds = (of) => byRound(of).map((each) => each.map((one) => one.board));")

    def rounds(*given: tuple[str, str, str, int]) -> list[list[str]]:
        found: list[list[str]] = engine.call("rounds", [
            {"board": f"{number}", "clock": "", "begun": f"{day}T23:40:00+02:00", "day": day,
             "event": event, "named_round": named, "round": counted, "players": {}}
            for number, (day, event, named, counted) in enumerate(given, 1)
        ])  # fmt: skip
        return found

    friday, saturday, odd = "2026-05-01", "2026-05-02", "2025-11-13"
    final = [
        (friday, "Open", "Final", 1),
        (odd, "Open", "Final", 1),
        (saturday, "Open", "Final", 2),
    ]
    assert rounds(*final) == [["1", "2", "3"]]
    assert rounds((friday, "Open", "Final", 1), (friday, "Club", "Final", 1)) == [["1"], ["2"]]
    assert rounds((friday, "", "Round 1", 1), (saturday, "", "Round 1", 1)) == [["2"], ["1"]]
    assert rounds((friday, "", "", 1), (friday, "", "", 2), (friday, "", "", 1)) == [
        ["2"],
        ["1", "3"],
    ]


@pytest.mark.parametrize(
    ("now_ms", "due_ms", "wait_ms"),
    [(0, 0, 1), (0, 1, 25), (0, 25, 25), (10.5, 26, 40), (0, 9e9, 60_000), (100, 50, 1)],
)
def test_wakes_fall_on_a_grid(now_ms: float, due_ms: float, wait_ms: int) -> None:
    """All boards share the timer: at most 40 wakes a second, and none before its time."""
    assert Engine("ticker.js").call("waitMs", now_ms, due_ms) == wait_ms


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


@pytest.mark.parametrize("count", [1, 2, 12, 64])
@pytest.mark.parametrize("size", [(1342, 560), (1342, 450), (1896, 1000)])
def test_boards_fit_a_laptop_without_scrolling(count: int, size: tuple[int, int]) -> None:
    """In type of at least 13 pixels, in no more columns and rows than there is room for."""
    limits = {"least": 12, "most": 30}
    found = Engine("fit.js").call("fit", count, *size, limits)
    assert not found["overflows"]
    rows = -(-count // found["columns"])
    assert found["columns"] * found["size"] * 11.4 <= size[0] + 1e-6
    assert rows * found["size"] * 4.5 <= size[1] + 1e-6


def test_too_many_boards_scroll_in_type_that_can_be_read() -> None:
    """On a phone already 12 of them, in as many columns as there is room for."""
    found = Engine("fit.js").call("fit", 500, 366, 500, {"least": 13, "most": 30})
    assert found == {"columns": 2, "size": 13, "overflows": True}


def shown(delay_s: int, *, at_s: int) -> list[Any]:
    """Return the state shown with a delay, of states that came at 10, 20 and 50 s, and the next."""
    engine = Engine("delayed.js")
    engine.run(
        "function shown(thenNs) {"
        " const past = new Delayed();"
        " for (const at of [10, 20, 50]) past.add(at, at * 1e9);"
        " return [past.at(thenNs), past.nextNs(thenNs)]; }"
    )
    found: list[Any] = engine.call("shown", (at_s - delay_s) * SECOND_NS)
    return found


def test_an_overlay_shows_the_state_of_its_delay_ago() -> None:
    assert shown(30, at_s=39) == [None, 10 * SECOND_NS]
    assert shown(30, at_s=40) == [10, 20 * SECOND_NS]
    assert shown(30, at_s=79) == [20, 50 * SECOND_NS]
    assert shown(30, at_s=80) == [50, None]


# --- words --------------------------------------------------------------------------------------


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
    engine.run(
        "class URLSearchParams {"
        " constructor(search) { this.pairs = search.slice(1).split('=') }"
        " get(name) { return this.pairs[0] === name ? this.pairs[1] : null } }"
    )
    assert engine.call("chooseLanguage", search, preferred) == language


def test_words_are_filled_in_and_unknown_ones_shown() -> None:
    """A key of a newer clock is better than nothing; a name in braces is a name."""
    engine = Engine("words.js")
    engine.run("const say = (key, values) => sayer({of: '{a} of {b}'})(key, values);")
    assert engine.call("say", "of", {"a": "{b}", "b": 2}) == "{b} of 2"
    assert engine.call("say", "constructor") == "constructor"


def own_words(language: str) -> dict[str, str]:
    """Return the pages' own words in a language."""
    file = PAGES / "words" / f"{language}.json"
    words: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
    return words


@pytest.mark.parametrize("language", LANGUAGES)
def test_languages_have_the_same_words(language: str) -> None:
    words, english = own_words(language), own_words("en")
    assert list(words) == sorted(english)
    for key, text in words.items():
        assert text
        assert sorted(re.findall(r"{\w+}", text)) == sorted(re.findall(r"{\w+}", english[key]))


def test_pages_say_only_words_that_exist() -> None:
    """Of their own or of the panels; and all of their own are said somewhere."""
    sources = [file.read_text(encoding="utf-8") for file in PAGES.glob("*.[hj]*")]
    said = {key for text in sources for key in re.findall(r'"(page_\w+)"', text)}
    said |= {f"page_{kind}" for kind in ("low", "fault", "claimed", "damaged", "settings", "twice")}
    said |= {f"page_claimed_{what}" for what in ("board", "match", "clock")}
    said |= {f"page_sound_{state}" for state in ("on", "off", "waits")}
    said |= {f"page_offer_{state.value}" for state in OfferState}
    said |= {f"page_rule_{state}" for state in (*RulingState, "lost")}
    of_box = (key for key in texts("en") if key.startswith(("item_", "entry_")))
    said |= {f"page_rule_{key}" for key in of_box} & set(own_words("en"))
    said |= {key for key in own_words("en") if key.startswith("pairings_")}  # see test_pairings.py
    said |= {f"notice_{kind}" for kind in (*KINDS[:-1], "test", "more")}
    said |= {f"page_{WAITS}{part}" for part in ("", "_why")}
    own = {key for key in own_words("en") if not key.startswith("told_")}  # see test_words.py
    said |= {"page_as_of", "page_hub_asks_again", "page_offer_names"}
    assert said == own
    panels = {key for text in sources for key in re.findall(r'\bsay\("(?!page_)(\w+)"', text)}
    assert panels <= set(texts("en"))
