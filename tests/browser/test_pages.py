"""Each page in a real browser: what it shows, how it keeps time, and what it does in trouble."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from clock.ui.i18n import LANGUAGES, texts
from clock.units import MINUTE_NS, SECOND_NS
from room.hub.words import hub_message, page_words
from room.web.waiting import _page
from tests.browser.conftest import VIEWS, Judge, Opener, View
from tests.browser.fixture_hub import (
    FixtureHub,
    called,
    conflicts,
    make_board,
    make_result,
    over,
    running,
    with_reserve,
)
from tests.browser.scenes import LONGEST, NARROW, NOW_NS, forks, marked, the_longest_names

HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script>\u202eevil"
COUNTS = page_words("en")["page_counts"]
CUT_OFF = """all => all.filter(each => each.clientWidth > 0)
    .filter(each => each.scrollWidth > each.clientWidth
      || each.scrollHeight > each.clientHeight + 4)
    .map(each => each.textContent)"""
# What an element stands on.
GROUND = """function ground(each) {
  const { backgroundColor } = getComputedStyle(each);
  return backgroundColor.endsWith(", 0)") ? ground(each.parentElement) : backgroundColor;
}"""
# A promise that the page has heard of a board.
HEAR_BOARD = """window.heard = new Promise((done) => {
  const { parse } = JSON;
  JSON.parse = (text) => {
    const data = parse(text);
    if (data.id) done();
    return data;
  };
}); null"""
SECONDS = 1000  # milliseconds of the page's clock
LEAST_TABLE = 1100  # pixels: a narrower page shows lines in place of a table
# On how many lines the first letters of an element are.
LINES = """(node, letters) => {
  const range = document.createRange();
  range.setStart(node.firstChild, 0);
  range.setEnd(node.firstChild, letters);
  return range.getClientRects().length; }"""
SCROLLED = "nodes => nodes.filter(node => node.scrollWidth > node.clientWidth).length"
GRID = 0.05  # seconds: a page is at most this late
CHECK_S = 5  # how often a page looks at its connection
TICK_S = 10  # how often a hub says its time


def finished(hub: FixtureHub, name: str = "m1") -> str:
    """Give the hub a finished match; return its name."""
    result = make_result(name)
    tables = [
        {"title": "", "headings": [], "rows": [["Result", "11-7, Anna wins"]]},
        {"title": "Games", "headings": ["Game", "Won by"], "rows": [["1", "Anna"]]},
    ]
    chart = f"/api/1/matches/{name}/chart.svg"
    report = {"tables": tables, "data": None}
    hub.matches[name] = {
        "result": result,
        "report": report,
        "head": "7KQ2-M9XT-4WDA",
        "chart": chart,
        "first_heard": [],
    }
    hub.results.append(result)
    return name


def foreseen(hub: FixtureHub) -> None:
    """Let boards 7 and 3 be the last of the round, each for its reason; of board 12 say nothing."""
    late, early = (
        {
            f"{name}_ns": at * MINUTE_NS
            for name, at in zip(("early", "middle", "late"), times, strict=True)
        }
        for times in ((21, 32, 41), (7, 9, 31))
    )
    slow = {"side": "left", "turns": 88, "mean_ms": 19_000, "middle_ms": 15_300, "share": 0.64}
    long = {"turns": 171, "in_all": 290, "others": 205}
    hub.forecast = {
        "hub_ns": 0,
        "ends": late,
        "boards": [
            {"board": "7", "ends": late, "long": None, "slow": "left", "sides": [slow]},
            {"board": "3", "ends": early, "long": long, "slow": None, "sides": []},
        ],
        "last": ["7", "3"],
        "without": ["12"],
        "too_far": ["12"],
        "room": {"mean_ms": 12_040, "middle_ms": 9_000},
        "round_by": "",
    }


def run(hub: FixtureHub, page: Page, seconds: float) -> None:
    """Let time pass for the page and the hub, whose ticks come as always."""
    while seconds > 0:
        step = min(seconds, TICK_S)
        page.clock.run_for(round(step * SECONDS))
        hub.tick(step)
        seconds -= step


# --- each page ----------------------------------------------------------------------------------


def test_room_shows_all_boards_in_the_order_of_their_names(hub: FixtureHub, opened: Opener) -> None:
    """2 before 10: as they stand in the room."""
    hub.put(make_board("10"), make_board("2"), running("1"))
    page = opened("/")
    expect(page.locator(".tile .id")).to_have_text(["1", "2", "10"])
    tile = page.locator(".tile").first
    expect(tile.locator(".time")).to_have_text(["11:00", "11:00"])
    expect(tile.locator(".points")).to_have_text(["3", "5"])
    expect(tile.locator(".row").first).to_have_attribute("data-running", "true")
    expect(page.locator("#calm")).to_be_visible()
    expect(page.locator("footer")).to_contain_text(COUNTS)


@pytest.mark.parametrize("size", [(390, 844), (1366, 768)])
def test_32_results_can_be_read_with_the_winner_first(
    size: tuple[int, int], hub: FixtureHub, opened: Opener
) -> None:
    hub.put(*[over(str(number), winner="right") for number in range(1, 33)])
    page = opened("/", size=size)
    expect(page.locator(".how")).to_have_count(32)
    size_of = "(all) => all.map((each) => parseFloat(getComputedStyle(each).fontSize))"
    assert min(page.locator(".how").evaluate_all(size_of)) >= 12
    rows = page.locator(".tile").first.locator(".row")
    tops = rows.evaluate_all("(all) => all.map((each) => each.getBoundingClientRect().y)")
    assert tops[1] < tops[0]


def test_low_time_is_one_line_and_asks_for_nobody(hub: FixtureHub, opened: Opener) -> None:
    low = [make_board(name, attention=["low"], attention_ns=-int(name)) for name in ("10", "29")]
    hub.put(*low, make_board("3", attention=["low", "fault"]))
    page = opened("/")
    expect(page.locator("#low")).to_have_text("Low time: 29, 10")
    expect(page.locator(".card")).to_have_count(1)
    expect(page.locator("[data-filter=asks] .count")).to_have_text("1")
    expect(page.locator("[data-filter=stopped] .count")).to_have_text("3")


@pytest.mark.rule("R148")
def test_a_clock_without_a_board_comes_after_the_boards(hub: FixtureHub, opened: Opener) -> None:
    """Its own number is no number of a board: 0000002a does not stand between 2 and 3."""
    hub.put(make_board("0000002a", board=None, clock="0000002a"))
    hub.put(*(make_board(name) for name in ("10", "3", "2")))
    page = opened("/")
    expect(page.locator(".tile .id")).to_have_text(["2", "3", "10", "0000002a"])
    hub.results = [
        make_result("m1", board="", clock="0000002a"),
        make_result("m2", board="3"),
        make_result("m3", board="2"),
        make_result("m4", board="", clock="00000000"),
    ]
    page = opened("/results?lang=de")
    expect(page.locator("th[scope=row]")).to_have_text(["2", "3", "simuliert", "0000002a"])


def test_board_shows_both_panels(hub: FixtureHub, opened: Opener) -> None:
    """Reserve, delay, flag, score, state; and what belongs to the log and the settings."""
    board = running("7", since_ns=0, crawford="now")
    hub.put(with_reserve(board, "right", flagged=True, flag=1, reserve_ns=0))
    page = opened("/board/7")
    left, right = page.locator(".panel").first, page.locator(".panel").last
    expect(left.locator(".time")).to_have_text("11:00")
    expect(left.locator(".delay")).to_have_text("12")
    expect(right.locator(".time")).to_have_text("0:00")
    expect(right.locator(".flag")).to_have_text("FLAG 1")
    expect(page.locator("#length")).to_have_text("11 points, Crawford game")
    expect(page.locator("#code")).to_have_text("Settings QCWQ · Log code")
    expect(page.locator("#fingerprint")).to_have_text("7KQ2-M9XT-4WDA")
    expect(page.locator("footer")).to_contain_text(COUNTS)


def test_wall_takes_turns_when_there_are_too_many_boards(hub: FixtureHub, opened: Opener) -> None:
    """100 boards: 50 at a time, for 12 seconds."""
    hub.put(*[make_board(str(number)) for number in range(1, 101)])
    page = opened("/wall")
    expect(page.locator(".tile")).to_have_count(50)
    expect(page.locator(".tile .id").first).to_have_text("1")
    run(hub, page, 12 + GRID)
    expect(page.locator(".tile .id").first).to_have_text("51")
    expect(page.locator("footer")).to_contain_text(COUNTS)


def test_64_boards_can_be_read_across_a_hall(hub: FixtureHub, opened: Opener) -> None:
    """All at once on a television, with digits of a fiftieth of its height at least."""
    hub.put(*[running(str(number)) for number in range(1, 64)], called("64"))
    page = opened("/wall", size=VIEWS["tv"].size)
    expect(page.locator(".tile")).to_have_count(64)
    expect(page.locator(".tile").last).to_be_in_viewport(ratio=1)
    sizes = page.locator(".time").evaluate_all(
        "all => all.map((each) => parseFloat(getComputedStyle(each).fontSize))"
    )
    assert min(sizes) >= VIEWS["tv"].size[1] / 50


def test_the_first_boards_fill_an_empty_wall(hub: FixtureHub, opened: Opener) -> None:
    page = opened("/wall")
    expect(page.locator("#none")).to_be_visible()
    hub.put(*[make_board(str(number)) for number in range(1, 14)])
    expect(page.locator(".tile")).to_have_count(13)
    filled = page.locator("#boards").evaluate("each => each.offsetHeight / innerHeight")
    assert filled > 0.8


def test_match_shows_result_fingerprint_chart_and_tables(hub: FixtureHub, opened: Opener) -> None:
    page = opened(f"/match/{finished(hub)}")
    expect(page.locator(".players")).to_have_text("Anna11-7/11Bob")
    expect(page.locator("#outcome")).to_have_text("Anna wins, by score")
    expect(page.locator("#fingerprint")).to_have_text("7KQ2-M9XT-4WDA")
    expect(page.locator("#log")).to_have_attribute("href", "/api/1/matches/m1/log")
    expect(page.locator("#picture")).to_be_visible()
    expect(page.locator("#tables h2")).to_have_text("Games")
    expect(page.locator("#tables td")).to_have_text(["Result", "11-7, Anna wins", "1", "Anna"])
    expect(page.locator("footer")).to_contain_text(COUNTS)


def test_a_match_under_way_has_a_report_and_no_result(hub: FixtureHub, opened: Opener) -> None:
    name = finished(hub)
    hub.matches[name]["result"] = None
    page = opened(f"/match/{name}")
    expect(page.locator("#tables h2").first).to_be_visible()
    expect(page.locator("#log")).to_have_attribute("href", "/api/1/matches/m1/log")
    expect(page.locator("#score")).to_be_empty()
    expect(page.locator("#outcome")).to_have_text("not finished")


@pytest.mark.rule("R83")
def test_what_the_hub_saw_first_is_told(hub: FixtureHub, opened: Opener) -> None:
    """R83: when the last line came; and what came in place of a line that was seen before."""
    name = finished(hub)
    first: dict[str, Any] = {
        "seq": 57,
        "head": "7KQ2-M9XT-4WDA",
        "wall": "2026-05-01T14:02:03+02:00",
    }
    first |= {"source": "hall/red-7", "since": first["wall"], "agrees": True}
    hub.matches[name]["first_heard"] = [{**first, "fork_seq": 0, "fork_wall": ""}]
    heard = opened(f"/match/{name}").locator("#heard")
    expect(heard).to_have_text("First seen by the hub: line 57 at 2026-05-01 14:02:03.")
    expect(heard.locator("li")).to_have_class("")
    fork = {"fork_seq": 41, "fork_wall": "2026-05-01T15:00:00+02:00"}
    hub.matches[name]["first_heard"] = [first | fork]
    heard = opened(f"/match/{name}").locator("#heard")
    expect(heard).to_contain_text("Line 41 came with another content at 2026-05-01 15:00:00.")
    expect(heard).to_contain_text("up to 57, with the log code 7KQ2-M9XT-4WDA")
    expect(heard.locator("li")).to_have_class("warn")


def test_a_conflict_of_two_clocks_is_shown_of_both(hub: FixtureHub, opened: Opener) -> None:
    """Who said what, since when: in the room, at the board, in the results, on the match's page."""
    forks(hub)
    cards = opened("/").locator(".card")
    expect(cards.nth(1)).to_contain_text("Two clocks")
    expect(cards.nth(1)).to_contain_text("hall/red-12 since 10:01")
    both = "hall/red-7 since 10:00, hall/red-12 since 10:01"
    for board, said in (("7", "claim this board"), ("8", "sent this match")):
        told = opened(f"/board/{board}").locator("#conflicts")
        expect(told).to_have_text(f"Clocks that {said}: {both}")
    hub.put(running("9", conflicts=conflicts("clock", "red-7", "red-12"), attention=["claimed"]))
    expect(opened("/board/9").locator("#conflicts")).to_contain_text(
        "run prepare-card on one of them"
    )
    expect(opened("/").locator(".what", has_text="Two clocks with one id")).to_be_visible()
    rows = opened("/results").locator("tbody tr:not(.round)")
    expect(rows.locator("td.remarks.warn")).to_have_count(3)
    expect(rows.nth(1)).to_contain_text("another log of this match: hall/red-7 since 2026-05-01")
    address = "/match/m1?source=hall%2Fred-12"
    expect(rows.nth(1).locator("a")).to_have_attribute("href", address)
    expect(rows.locator("a", has_text="2-1 (5-3/5)")).to_be_visible()
    heard = opened("/match/m1").locator("#heard")
    expect(heard.locator("a")).to_have_attribute("href", address)
    expect(heard.locator("li.warn")).to_contain_text("This log differs.")


@pytest.mark.rule("R130", "R131", "R132")
def test_a_tile_and_a_board_say_what_kind_of_match_it_is(hub: FixtureHub, opened: Opener) -> None:
    """No limit, practice, resumed twice: always, also while something else is asked for."""
    hub.now_ns = NOW_NS
    marked(hub)
    page = opened("/")
    expect(page.locator(".tile")).to_have_count(8)
    remarks = ["No time limit", "No time limit", "Practice", "Practice"]
    remarks += ["Vera wins, opponent out of time · Practice", "", "Practice · Resumed twice", ""]
    expect(page.locator(".tile .how")).to_have_text(remarks)
    states = page.locator(".tile .state")
    expect(states.nth(0)).to_have_text("1:36 this turn")
    expect(states.nth(5)).to_have_text("Resumed twice")
    page = opened("/board/1")
    expect(page.locator("#length")).to_have_text("11 points · No time limit")
    expect(page.locator("#state")).to_have_text("Used in all")
    expect(page.locator("[data-side=left] .below")).to_have_text("1:36this turn")
    expect(page.locator("[data-side=right] .below")).to_have_text("")
    page = opened("/board/7")
    expect(page.locator("#length")).to_have_text("11 points · Practice")
    twice = "RESUMED TWICE, also as 2026-05-01T20-15-00-9"
    expect(page.locator("#conflicts")).to_have_text(twice)


def test_a_match_that_does_not_exist(opened: Opener) -> None:
    page = opened("/match/none", failing=True)
    expect(page.locator("#none")).to_have_text("There is no match of this name.")


def test_results_newest_first_and_live(hub: FixtureHub, opened: Opener) -> None:
    """With links to the matches, CSV and JSON; a new result appears by itself."""
    finished(hub, "m1")
    page = opened("/results")
    expect(page.locator("tbody a")).to_have_attribute("href", "/match/m1")
    hub.wait_for_reader()
    later = make_result("m2", begun="2026-05-01T11:00:00.000+02:00", complete=False, winner=None)
    hub.results.append(later)
    hub.send("result", later)
    expect(page.locator("tbody a")).to_have_count(2)
    expect(page.locator("tbody tr").nth(1)).to_contain_text("not finished")
    expect(page.get_by_role("link", name="CSV")).to_have_attribute("href", "/api/1/results.csv")
    expect(page.get_by_role("link", name="JSON")).to_have_attribute("href", "/api/1/results.json")
    expect(page.locator("footer")).to_contain_text(COUNTS)


@pytest.mark.rule("R105")
@pytest.mark.parametrize(
    ("path", "shown"),
    [("/", ".tile"), ("/wall", ".tile"), ("/board/7", "body"), ("/overlay/7", "#bar")],
)
def test_a_match_that_is_over_says_who_won_and_how(
    path: str, shown: str, hub: FixtureHub, opened: Opener
) -> None:
    """Winner, end and length, and but for tiles the code; also when the clock is heard no more."""
    hub.put(over("7", attention=["not_heard"]))
    page = opened(path).locator(shown)
    code = () if shown == ".tile" else ("7KQ2-M9XT-4WDA",)
    for text in ("Anna wins, opponent out of time", "11", *code):
        expect(page).to_contain_text(text)
    hub.put(over("7", winner=None, says=["finished", "end_director"]))
    expect(page).to_contain_text("no winner, director's decision")
    hub.put(over("7", winner=None, says=["finished"]))  # a damaged log may not say who won
    expect(page).to_contain_text("Match over")


@pytest.mark.rule("R105")
def test_results_say_who_won_and_how(hub: FixtureHub, opened: Opener) -> None:
    unfinished = make_result("m3", winner=None, end=None, complete=False)
    hub.results = [
        make_result("m1", end="time", winner="right"),
        make_result("m2", end="director", winner=None),
        unfinished,
    ]
    page = opened("/results")
    said = ["Bob wins, opponent out of time", "no winner, director's decision", "not finished"]
    expect(page.locator("td.outcome")).to_have_text(said)
    expect(page.locator("td.code").first).to_have_text("7KQ2-M9XT-4WDA")
    expect(page.locator(".score").first).to_have_text("11-7/11")


@pytest.mark.parametrize("width", [1280, 1366, 1920])
def test_the_table_of_results_has_room_for_all_columns(
    width: int, hub: FixtureHub, opened: Opener
) -> None:
    """Beside the longest names, which do not break those that fit; in every language."""
    wide = {"left": LONGEST[0], "right": LONGEST[1]}
    contested = conflicts("match", "red-7", "red-8")
    hub.results = [
        make_result("m1", board="0000002a", players=wide, winner="right", flags=["left"]),
        make_result(
            "m2", players={"left": "Maximiliane Muster", "right": "Bo"}, conflicts=contested
        ),
    ]
    page = opened("/results", size=(width, 800))
    for language in LANGUAGES:
        page.goto(f"{hub.address}/results?lang={language}")
        expect(page.locator("tbody bdi", has_text="Maximiliane Muster").first).to_be_visible()
        assert page.locator(".scroll").evaluate_all(SCROLLED) == 0, language
        name = page.get_by_text("Maximiliane Muster", exact=True)
        assert name.evaluate(LINES, len("Maximiliane")) == 1, language


@pytest.mark.parametrize("width", [390, 1280, 1366, 1920])
def test_a_log_can_be_joined_and_a_refusal_is_said(
    width: int, hub: FixtureHub, opened: Opener
) -> None:
    """The button stands free at every width, and can be pressed again after the hub refused."""
    earlier = {"match": "2026-05-01T10-00-00-0000002a", "source": "clock-17", "is_earlier": True}
    wide = {"left": LONGEST[0], "right": LONGEST[1]}
    hub.director = True
    hub.results = [make_result("m1", players=wide, apart=[earlier | {"may_join": True}])]
    page = opened("/results", size=(width, 800), failing=True)
    said = {"body": '{"error": "That log is unknown."}', "status": 404}
    page.route("**/joined", lambda route: route.fulfill(**said))
    button = page.get_by_role("button", name="2026-05-01T10-00-00-0000002a")
    button.click()
    expect(page.locator("td [role=status]")).to_have_text("That log is unknown.")
    expect(button).to_be_enabled()


@pytest.mark.rule("R125")
@pytest.mark.parametrize(
    ("path", "named"),
    [
        ("/", ".tile .name, .tile .how"),
        ("/wall", ".tile .name, .tile .how"),
        ("/board/7", ".name, #state"),
        ("/overlay/7", ".name"),
        ("/results", "td bdi"),
        ("/match/m1", "#left, #right, #outcome"),
    ],
)
def test_the_longest_names_fit_on_the_narrowest_page(
    path: str, named: str, hub: FixtureHub, opened: Opener
) -> None:
    """Whole, on the left and on the right; in no language the page scrolls sideways."""
    the_longest_names(hub)
    page = opened(path, size=NARROW)
    for language in reversed(LANGUAGES):
        page.goto(f"{hub.address}{path}?lang={language}")
        expect(page.locator(named).first).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") == NARROW[0], language
    assert page.locator(named).evaluate_all(CUT_OFF) == []
    shown = " ".join(page.locator(named).all_text_contents())
    assert all(name in shown for name in LONGEST)


def test_the_director_sees_when_the_round_ends_and_which_boards_are_last(
    hub: FixtureHub, opened: Opener, problems_of: Judge
) -> None:
    """In steps of five minutes, with the reason; and of which boards nothing can be said."""
    hub.put(*(running(name) for name in ("3", "7", "12")))
    foreseen(hub)
    page = opened("/room")  # at 0:16:40
    expect(page.locator("#round-end")).to_have_text(
        "Round ends about 0:50, probably by 1:00 · Matches that are not over: 3"
        " · Nothing can be said of 1: 12 · More than 25 points to go, too far to foresee: 1 (12)"
    )
    top = "(tile) => tile.getBoundingClientRect().y"
    before = page.locator(".tile").first.evaluate(top)
    page.locator("#round-end").click()
    expect(page.locator("#round-last")).to_be_visible()
    assert page.locator(".tile").first.evaluate(top) == before
    expect(page.locator("#round-last .said")).to_have_text(
        [
            (
                "Board 7 (3-5/11): 0:35 to 1:00. Slow: Anna takes 19 s a turn, half of them over"
                " 15 s (room 12 and 9.0); 88 turns."
            ),
            (
                "Board 3 (3-5/11): 0:20 to 0:50. Long: 171 turns so far, about 290 in all;"
                " others 205."
            ),
        ]
    )
    page.locator("#round-last summary").first.click()
    expect(page.locator("#round-last details bdi")).to_have_text(
        [
            (
                "Anna: 88 turns of 19 s, half of them over 15 s (room 12 and 9.0);"
                " 64 % of the time on the clock."
            ),
            "Too few turns to tell how long they are.",
        ]
    )
    page.get_by_label("Should end by").fill("00:55")
    expect(page.locator("#round-end")).to_contain_text("probably by 1:00 · May end after 00:55")
    expect(page.locator("#round-last .said").first).to_contain_text("1:00. May end after 00:55.")
    expect(page.locator("#round-last .said").last).not_to_contain_text("May end")
    expect(page.locator("#round-last details").first).to_have_attribute("open", "")
    page.clock.resume()
    assert problems_of(page) == []


@pytest.mark.parametrize(
    ("path", "rows"),
    [
        ("/", ".tile .row"),
        ("/wall", ".tile .row"),
        ("/board/7", ".panel"),
        ("/overlay/7", ".player"),
    ],
)
def test_times_are_said_in_words_with_whose_clock_runs(
    path: str, rows: str, hub: FixtureHub, opened: Opener
) -> None:
    """Not as times of the day; and seen in colours of the reader's own."""
    board = with_reserve(running("7", "right"), "left", reserve_ns=3723 * SECOND_NS)
    hub.put(board)
    page = opened(f"{path}?lang=en")
    left, right = page.locator(rows).first, page.locator(rows).last
    expect(left.get_by_role("timer")).to_have_accessible_name("1 hour, 2 minutes, 3 seconds")
    expect(right.get_by_role("timer")).to_have_accessible_name("11 minutes")
    expect(right).to_contain_text("clock runs")
    expect(left).not_to_contain_text("clock runs")
    page.emulate_media(forced_colors="active")
    ground = right.evaluate(GROUND)
    assert left.evaluate(GROUND) != ground
    assert right.get_by_role("timer").evaluate(GROUND) == ground
    hub.put({**board, "certain": False})
    expect(right.get_by_role("timer")).to_have_accessible_name("about 11 minutes")


ALERTS = """window.told = [];
navigator.vibrate = (pattern) => window.told.push("vibrates");
window.locks = 0;
Object.defineProperty(navigator, "wakeLock", {value: {request: async () => {
  if (window.isWeak) throw new Error("battery");
  window.locks += 1;
  return {release() {}};
}}});
Object.defineProperty(document, "hidden", {get: () => window.isHidden ?? false});
window.Notification = class {
  static permission = "granted";
  static async requestPermission() {}
  constructor(text) { window.told.push(text); }
}; null"""
SEEN = "window.isHidden = false; document.dispatchEvent(new Event('visibilitychange'))"


def test_the_page_alerts_a_director_who_does_not_look_at_it(
    hub: FixtureHub, opened: Opener
) -> None:
    """As far as the browser lets it, and the page says how far."""
    page = opened("/room")
    page.evaluate(ALERTS)
    said = page.locator("#alerts-said")
    button = page.get_by_role("button", name="Keep this screen on, and notify me")
    button.click()
    expect(said).to_have_text(
        "The screen stays on. Calls, flags and late players are shown as notifications."
    )
    page.evaluate("window.isHidden = true")
    hub.put(called("7"))
    expect(page.locator("link[rel=icon]")).to_have_attribute("href", "/static/icon_asks.svg")
    assert page.evaluate("window.told") == ["vibrates", "Board 7: CALL TD"]
    hub.put(make_board("7"))  # the director has come, and is called once more
    expect(page.locator("link[rel=icon]")).not_to_have_attribute("href", "/static/icon_asks.svg")
    hub.put(called("7"))
    expect(page.locator("link[rel=icon]")).to_have_attribute("href", "/static/icon_asks.svg")
    assert page.evaluate("window.told") == ["vibrates", "Board 7: CALL TD"] * 2
    hub.remove("7")  # and another clock takes its place
    expect(page.locator("link[rel=icon]")).not_to_have_attribute("href", "/static/icon_asks.svg")
    hub.put(called("7"))
    expect(page.locator("link[rel=icon]")).to_have_attribute("href", "/static/icon_asks.svg")
    assert page.evaluate("window.told") == ["vibrates", "Board 7: CALL TD"] * 3
    assert page.evaluate("window.locks") == 1
    page.evaluate(SEEN)
    assert page.evaluate("window.locks") == 2  # the browser took the first one
    page.evaluate("window.isWeak = true")
    page.evaluate(SEEN)
    expect(said).to_contain_text("This browser lets no page keep the screen on.")
    page.get_by_role("button", name="Let this screen sleep").click()
    expect(said).to_be_empty()
    page.evaluate("Object.defineProperty(window, 'isSecureContext', {value: false}); null")
    button.click()
    expect(said).to_contain_text("under https only")


def test_addresses_can_be_printed(hub: FixtureHub, opened: Opener) -> None:
    """Each board's, with its code; and nothing else comes on the paper."""
    hub.put(make_board("10"), make_board("2"))
    page = opened("/addresses")
    expect(page.locator(".sheet h2")).to_have_text(["Board 2", "Board 10"])
    expect(page.locator(".sheet span")).to_have_text(
        ["http://192.168.1.7:8037/board/2", "http://192.168.1.7:8037/board/10"]
    )
    expect(page.locator(".sheet img").first).to_have_attribute("src", "/qr/board/2.svg")
    expect(page.locator(".sheet img").first).to_have_js_property("complete", True)
    expect(page.locator("#local")).to_be_hidden()
    page.emulate_media(forced_colors="active", color_scheme="dark")
    expect(page.locator(".sheet img").first).to_have_css("background-color", "rgb(255, 255, 255)")
    page.emulate_media(media="print", forced_colors="none")
    expect(page.locator("header")).to_be_hidden()
    expect(page.locator(".sheet")).to_be_visible()


def test_addresses_that_only_this_computer_can_open(hub: FixtureHub, opened: Opener) -> None:
    hub.public = hub.address + "/"
    hub.put(make_board("1"))
    page = opened("/addresses")
    expect(page.locator("#local")).to_contain_text("--host 0.0.0.0")


def test_the_option_to_type_is_not_broken(hub: FixtureHub, opened: Opener) -> None:
    """After "--" a browser would go on in the next line: it stands in one, at any width."""
    hub.public = "http://127.0.0.1:8037/"
    for language in LANGUAGES:
        page = opened(f"/addresses?lang={language}", size=(320, 640))
        option = page.locator("#local .option")
        expect(option).to_have_text("--host 0.0.0.0")
        for width in range(320, 820, 50):
            page.set_viewport_size({"width": width, "height": 640})
            assert option.evaluate(LINES, len("--host 0.0.0.0")) == 1
        expect(page.locator("#local")).to_have_text(page_words(language)["page_local"])


def test_results_stand_by_round(hub: FixtureHub, opened: Opener) -> None:
    """The latest round of the latest day first; then what has no round."""
    hub.results = [
        make_result("m1", board="1"),
        make_result("m2", board="2", round=2),
        make_result("m3", board="3", begun="2026-05-02T10:00:00.000+02:00"),
        make_result("m4", board="4"),
        make_result("m5", board="5", begun="", round=None),
        make_result("m6", board="6", round=10),
    ]
    page = opened("/results")
    day = "2026-05-01 · Round"
    rounds = ["2026-05-02 · Round 1", f"{day} 10", f"{day} 2", f"{day} 1"]
    expect(page.locator("tbody .round")).to_have_text([*rounds, "Round not known"])
    expect(page.locator("tbody").nth(3).locator("th[scope=row]")).to_have_text(["1", "4"])
    expect(page.locator("#by-round option")).to_have_text(
        ["Round: All", "Round not known", *rounds]
    )


@pytest.mark.rule("R148")
def test_a_round_is_chosen_sorted_and_printed(hub: FixtureHub, opened: Opener) -> None:
    """Boards in order under the event and the round; what is for practice stands apart."""
    named = {"event": "Open 2026", "named_round": "Semifinal"}
    hub.results = [
        make_result("m1", board="10", players={"left": "Ada", "right": "Bob"}, **named),
        make_result("m2", board="9", players={"left": "Zoe", "right": "Cleo"}, **named),
        make_result("m3", board="1"),
        make_result("m4", board="2", practice=True, is_other=True),
    ]
    page = opened("/results")
    page.locator("#by-event").wait_for(state="hidden")
    page.locator("#by-round").select_option("Semifinal")
    expect(page.locator("th[scope=row]")).to_have_text(["9", "10"])
    expect(page.locator("#title")).to_have_text("Results · Semifinal")
    page.locator("#order").select_option("player")
    expect(page.locator("th[scope=row]")).to_have_text(["10", "9"])
    page.locator("#by-round").select_option("")
    expect(page.locator(".apart")).to_contain_text("Practice")
    page.emulate_media(media="print")
    expect(page.locator(".apart")).to_be_hidden()
    expect(page.locator("#order")).to_be_hidden()
    expect(page.locator("#title")).to_be_visible()


@pytest.mark.rule("R148")
def test_results_are_found_by_event_by_hall_by_search_and_by_time(
    hub: FixtureHub, opened: Opener
) -> None:
    """Each of them leaves out what is not wanted; the search takes boards from one to another."""
    hub.results = [
        make_result("m1", board="1", event="Open", hall="A"),
        make_result("m2", board="2", event="Open", hall="B", begun="2026-05-01T09:59:00.000+02:00"),
        make_result("m3", board="12", event="Blitz", hall="A"),
    ]
    page = opened("/results")
    rows, search = page.locator("th[scope=row]"), page.locator("#search")
    one, two, twelve = "A · 1", "B · 2", "A · 12"
    for asked, found in (("1-8", [one, two]), ("2", [twelve, two]), ("anna", [one, twelve, two])):
        search.fill(asked)
        expect(rows).to_have_text(found)
    page.locator("#order").select_option("latest")
    expect(rows).to_have_text([one, twelve, two])
    page.locator("#by-event").select_option("Open")
    expect(rows).to_have_text([one, two])
    page.locator("#by-hall").select_option("B")
    expect(rows).to_have_text([two])
    hub.wait_for_reader()
    hub.results.append(make_result("m4", board="3", hall="C"))
    hub.send("result", hub.results[-1])
    expect(page.locator("#by-hall option")).to_have_count(4)
    expect(page.locator("#by-hall")).to_have_value("B")


@pytest.mark.parametrize("language", LANGUAGES)
def test_pages_speak_the_language_of_their_address(
    language: str, hub: FixtureHub, opened: Opener
) -> None:
    """The panels' words and the pages' own; links keep the language."""
    hub.put(called("7"))
    page = opened(f"/?lang={language}")
    expect(page.locator("html")).to_have_attribute("lang", language)
    expect(page.locator(".card .what")).to_have_text(texts(language)["call_director"])
    expect(page.locator("footer p").first).to_have_text(page_words(language)["page_counts"])
    expect(page.locator(".card a")).to_have_attribute("href", f"/board/7?lang={language}")


def test_a_screen_reader_is_told_what_has_changed_of_a_board(
    hub: FixtureHub, opened: Opener
) -> None:
    """Score, whose clock runs, calls; politely, and nothing each second."""
    hub.put(running("7"))
    page = opened("/board/7")
    told = page.get_by_role("status").and_(page.locator("#told"))
    expect(told).to_have_text("Anna 3, Bob 5. Anna: clock runs")
    page.evaluate(
        "window.told = 0; new MutationObserver(() => (window.told += 1)).observe("
        "document.querySelector('#told'), { childList: true, subtree: true }); null"
    )
    run(hub, page, 30)
    assert page.evaluate("window.told") == 0
    hub.put(running("7", "right", since_ns=hub.now_ns))
    expect(told).to_have_text("Bob: clock runs")
    hub.put(called("7"))
    expect(told).to_have_text("CALL TD, Illegal move")
    scores = {"left": {"name": "Anna", "points": 3}, "right": {"name": "Bob", "points": 6}}
    hub.put(running("7", players=scores))
    expect(told).to_have_text("Anna 3, Bob 6. Anna: clock runs")


# --- what asks for the director -----------------------------------------------------------------


def test_boards_that_ask_come_first_in_order_of_importance(hub: FixtureHub, opened: Opener) -> None:
    """Calls before flags before settings; of two calls the older one."""
    hub.now_ns = 60 * SECOND_NS
    hub.put(
        make_board("1", attention=["settings"], attention_ns=0, settings_code="XXXX"),
        called("2", at_ns=20 * SECOND_NS),
        with_reserve(make_board("3", attention=["flag"]), "left", flagged=True, flag=1),
        called("4", at_ns=10 * SECOND_NS),
        make_board("5"),
    )
    page = opened("/")
    expect(page.locator(".card .id")).to_have_text(["4", "2", "3", "1"])
    expect(page.locator(".card .what")).to_have_text(
        ["CALL TD", "CALL TD", "FLAG 1", "Wrong settings"]
    )
    expect(page.locator(".card .since").first).to_have_text("0:50")
    expect(page.locator(".card .detail").last).to_have_text("XXXX ≠ QCWQ")
    expect(page).to_have_title("(3) Room")


def test_a_new_call_is_announced_and_an_answered_one_goes(hub: FixtureHub, opened: Opener) -> None:
    hub.put(make_board("7"))
    page = opened("/")
    expect(page.locator(".tile")).to_have_count(1)
    hub.put(called("7"))
    expect(page.locator("#announced")).to_have_text("Board 7: CALL TD")
    expect(page.locator("#announced")).to_have_role("alert")
    hub.put(make_board("7"))
    expect(page.locator(".card")).to_have_count(0)
    expect(page.locator("#calm")).to_be_visible()


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"attention": ["fault"], "faults": ["display: left"]}, "Faultdisplay: left"),
        ({"attention": ["damaged"], "damage": "line 12: hash"}, "Log damagedline 12: hash"),
        ({"attention": ["late"], "until_ns": 0, "late": "left"}, "Late: 1:00Anna"),
        (
            {"attention": ["late"], "state": "BREAK", "until_ns": 0, "late": None},
            "OVER by 1:00",
        ),
        ({"attention": ["not_heard"], "certain": False}, "Not heard for 1:00"),
    ],
    ids=["fault", "damaged", "late", "late-from-break", "not-heard"],
)
def test_each_kind_of_attention_says_why(
    changes: dict[str, object], text: str, hub: FixtureHub, opened: Opener
) -> None:
    hub.now_ns = MINUTE_NS
    hub.put(make_board("7", **changes))
    card = opened("/").locator(".card")
    expect(card).to_be_visible()
    what, detail = card.locator(".what"), card.locator(".detail")
    assert f"{what.text_content()}{detail.text_content()}" == text


def test_sound_waits_for_a_click_is_switched_off_and_remembered(
    hub: FixtureHub, opened: Opener
) -> None:
    """Browsers allow no sound before a click; the page says so."""
    page = opened("/")
    expect(page.locator("#sound")).to_have_text("Sound: click once")
    page.locator("#sound").click()
    expect(page.locator("#sound")).to_have_text("Sound on")
    page.locator("#sound").click()
    expect(page.locator("#sound")).to_have_text("Sound off")
    page.locator("h1").click()
    expect(page.locator("#sound")).to_have_text("Sound off")
    page.reload()
    expect(page.locator("#sound")).to_have_text("Sound off")
    expect(page.locator("#sound")).to_have_attribute("aria-pressed", "false")


def test_a_call_is_heard(hub: FixtureHub, opened: Opener) -> None:
    hub.put(make_board("7"))
    page = opened("/")
    page.evaluate(
        "const { start } = AudioScheduledSourceNode.prototype; window.tones = 0;"
        "AudioScheduledSourceNode.prototype.start = function (at) {"
        " window.tones += 1; start.call(this, at) }; null"
    )
    expect(page.locator("#sound")).to_have_text("Sound: click once")
    page.locator("h1").click()
    expect(page.locator("#sound")).to_have_text("Sound on")
    hub.put(called("7"))
    expect(page.locator(".card")).to_have_count(1)
    assert page.evaluate("window.tones") == 3
    hub.put(called("7", seq=211, says=["call_director", "reason_double"]))
    expect(page.locator(".card .detail")).to_have_text("Double")
    assert page.evaluate("window.tones") == 3


@pytest.mark.parametrize("height", [650, 768])
def test_64_boards_stand_on_a_laptop_without_scrolling(
    height: int, hub: FixtureHub, opened: Opener
) -> None:
    hub.put(*[running(str(number)) for number in range(1, 64)], called("64"))
    page = opened("/")
    page.set_viewport_size({"width": 1366, "height": height})
    expect(page.locator(".tile")).to_have_count(64)
    expect(page.locator(".tile").last).to_be_in_viewport(ratio=1)
    root = "document.documentElement"
    assert page.evaluate(f"{root}.scrollHeight <= innerHeight && {root}.scrollWidth <= innerWidth")


def test_clocks_without_a_board_show_their_whole_id(hub: FixtureHub, opened: Opener) -> None:
    """64 of them, on tiles, in a list, and where they ask for something."""
    asking = [called(f"0000d{number:03d}") for number in range(1, 3)]
    low = [make_board(f"0000b{number:03d}", attention=["fault"]) for number in range(1, 4)]
    hub.put(*asking, *low, *[running(f"0000a{number:03d}") for number in range(1, 60)])
    page = opened("/")
    expect(page.locator(".tile")).to_have_count(64)
    expect(page.locator(".card")).to_have_count(5)
    assert page.locator(".id").evaluate_all(CUT_OFF) == []
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    page.get_by_role("button", name="List").click()
    assert page.locator(".id").evaluate_all(CUT_OFF) == []


def test_500_boards_are_a_list(hub: FixtureHub, opened: Opener) -> None:
    hub.put(*[make_board(str(number)) for number in range(1, 501)])
    page = opened("/")
    expect(page.locator(".tile")).to_have_count(500)
    expect(page.locator("#boards")).to_have_attribute("data-view", "list")
    page.get_by_role("button", name="Tiles").click()
    expect(page.locator("#boards")).to_have_attribute("data-view", "tiles")


def test_filter_and_search(hub: FixtureHub, opened: Opener) -> None:
    bob = {"left": {"name": "Zoe", "points": 0}, "right": {"name": None, "points": 0}}
    hub.put(running("1"), called("2"), make_board("3", state="FINISHED", players=bob))
    page = opened("/")
    expect(page.locator(".tile")).to_have_count(3)
    page.get_by_role("button", name="Playing 1").click()
    expect(page.locator(".tile .id")).to_have_text(["1"])
    expect(page.locator(".card .id")).to_have_text(["2"])
    page.get_by_role("button", name="All 3").click()
    page.locator("#search").fill("zo")
    expect(page.locator(".tile .id")).to_have_text(["3"])
    page.locator("#search").fill("nobody")
    expect(page.locator("#none")).to_have_text("No board matches.")


# --- time ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/", "/board/7", "/wall", "/overlay/7"])
def test_time_runs_on_every_page_without_moving_anything(
    path: str, hub: FixtureHub, opened: Opener
) -> None:
    """Delay, then reserve; the boxes of the digits stay where they are."""
    hub.put(with_reserve(running("7"), "left", reserve_ns=30 * SECOND_NS))
    page = opened(path)
    time = page.locator(".time").first
    expect(time).to_have_text("0:30")
    box = time.bounding_box()
    run(hub, page, 12 + GRID)
    expect(time).to_have_text("0:30")
    page.clock.run_for(1 * SECONDS)  # by the page's own timer: the hub says nothing
    expect(time).to_have_text("0:29")
    hub.tick(1)
    run(hub, page, 9.5)
    expect(time).to_have_text("19.6")
    run(hub, page, 19.4)
    expect(time).to_have_text("0.2")
    if path != "/overlay/7":  # there the digits' box is as wide as they are, in one of fixed size
        assert time.bounding_box() == box


def test_a_board_that_is_not_heard_says_since_when(hub: FixtureHub, opened: Opener) -> None:
    hub.now_ns = 23 * SECOND_NS
    hub.put(running("7", attention=["not_heard"], certain=False, heard_ns=0))
    page = opened("/")
    tile = page.locator(".tile")
    expect(tile.locator(".state")).to_have_text("Not heard for 23 s")
    expect(tile.locator(".time")).to_have_text(["~10:49", "~11:00"])
    run(hub, page, 2 + GRID)
    expect(tile.locator(".state")).to_have_text("Not heard for 25 s")
    expect(tile.locator(".time").first).to_have_text("~10:47")


def test_a_page_whose_clock_stood_still_is_right_after_waking(
    hub: FixtureHub, opened: Opener
) -> None:
    hub.put(running("7"))
    page = opened("/board/7")
    time = page.locator(".time").first
    expect(time).to_have_text("11:00")
    hub.now_ns += 5 * MINUTE_NS
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(time).to_have_text("6:12")


def test_a_page_whose_clock_ran_alone_is_right_after_waking(
    hub: FixtureHub, opened: Opener
) -> None:
    """The computer slept with the hub on it, whose clock stood still; the page's did not."""
    hub.put(running("7"))
    page = opened("/board/7")
    time = page.locator(".time").first
    expect(time).to_have_text("11:00")
    page.clock.fast_forward(10 * 60 * SECONDS)
    expect(time).to_have_text("11:00")


def test_a_page_that_woke_without_a_network_is_right_when_it_comes_back(
    hub: FixtureHub, opened: Opener
) -> None:
    """What it heard before its sleep says nothing any more about the hub's clock."""
    hub.put(running("7"))
    page = opened("/board/7", failing=True)
    time = page.locator(".time").first
    expect(time).to_have_text("11:00")
    hub.reachable = False
    hub.hang_up()
    expect(page.locator("#connection")).to_be_visible()
    with page.expect_response("**/api/1/clock"):
        page.clock.fast_forward(4 * 60 * SECONDS)
    expect(time).to_have_text("~7:12")
    hub.reachable = True
    page.clock.run_for(CHECK_S * SECONDS)
    expect(time).to_have_text("11:00")


@pytest.mark.parametrize("path", ["/", "/board/7", "/wall", "/overlay/7"])
def test_a_page_without_its_hub_says_so_and_comes_back(
    path: str, hub: FixtureHub, opened: Opener
) -> None:
    """Its times are marked as uncertain meanwhile."""
    hub.put(running("7"))
    page = opened(path, failing=True)
    time = page.locator(".time").first
    expect(time).to_have_text("11:00")
    hub.reachable = False
    hub.hang_up()
    expect(page.locator("#connection")).to_be_visible()
    expect(time).to_have_text("~11:00")
    run(hub, page, 20 + GRID)
    expect(time).to_have_text("~10:52")
    hub.reachable = True
    run(hub, page, CHECK_S)
    expect(page.locator("#connection")).to_be_hidden()
    expect(time).to_have_text("10:47")


def test_a_connection_over_which_nothing_comes_is_opened_anew(
    hub: FixtureHub, opened: Opener
) -> None:
    """A network may lose a connection without a word."""
    hub.put(running("7"))
    page = opened("/board/7")
    expect(page.locator(".time").first).to_have_text("11:00")
    hub.boards["7"] = make_board("7", says=["ready"])  # the page is not told
    page.clock.run_for(6 * CHECK_S * SECONDS)
    expect(page.locator("#state")).to_have_text("Ready")


def test_pages_load_themselves_again_for_a_new_version(hub: FixtureHub, opened: Opener) -> None:
    hub.put(make_board("7"))
    page = opened("/")
    expect(page.locator(".tile")).to_have_count(1)
    page.evaluate("window.old = true")
    with page.expect_navigation():
        hub.replace("2")
    expect(page.locator(".tile")).to_have_count(1)
    assert page.evaluate("window.old") is None


def test_another_hub_of_the_same_version_is_believed_from_its_beginning(
    hub: FixtureHub, opened: Opener
) -> None:
    """Its clock begins anew, and it may not know the boards of the one before."""
    hub.now_ns = 1000 * SECOND_NS
    hub.put(make_board("6"), running("7", since_ns=980 * SECOND_NS))
    page = opened("/")
    expect(page.locator(".tile")).to_have_count(2)
    hub.boards = {"7": running("7", since_ns=-30 * SECOND_NS)}
    hub.replace(hub.version)
    expect(page.locator(".tile .id")).to_have_text(["7"])
    expect(page.locator(".tile .time").first).to_have_text("10:42")


def test_boards_that_are_gone_go(hub: FixtureHub, opened: Opener) -> None:
    hub.put(make_board("7"))
    page = opened("/")
    expect(page.locator(".tile")).to_have_count(1)
    hub.remove("7")
    expect(page.locator(".tile")).to_have_count(0)
    expect(page.locator("#none")).to_have_text("No board has been heard yet.")
    for _ in range(2):  # another clock of this name is announced as the first one was
        page.evaluate("document.getElementById('announced').textContent = ''")
        hub.put(called("7"))
        expect(page.locator("#announced")).to_have_text("Board 7: CALL TD")
        hub.remove("7")


def test_troubles_of_the_hub_are_said(hub: FixtureHub, opened: Opener) -> None:
    """For instance that its database is full; what the director needs is not covered."""
    page = opened("/", size=(320, 600))
    hub.wait_for_reader()
    hub.send("troubles", {"said": [{"text": "database full"}], "troubles": ["database full"]})
    troubles = page.locator("#troubles")
    expect(troubles).to_have_text("database full")
    over, bar = troubles.bounding_box(), page.locator(".bar").bounding_box()
    assert over is not None
    assert bar is not None
    assert over["y"] + over["height"] <= bar["y"]
    hub.send("troubles", {"said": [], "troubles": []})
    expect(page.locator("#troubles")).to_be_hidden()


def test_troubles_are_said_in_the_readers_language(hub: FixtureHub, opened: Opener) -> None:
    """The sentence; what the system says in it stays, and what has no translation."""
    why = "[Errno 111] Connection refused"
    hub.troubles = [hub_message("notices", why=why, n=7), "database full"]
    for language in ("de", "da", "nb"):
        page = opened(f"/results?lang={language}")
        said = page_words(language)["message_notices"].format(why=why, n=7)
        expect(page.locator("#troubles")).to_have_text(f"{said} · database full")


# --- overlay ------------------------------------------------------------------------------------


def test_overlay_says_who_is_late(hub: FixtureHub, opened: Opener) -> None:
    """As the longest of names, too; after a break it may be both."""
    late = {"attention": ["late"], "until_ns": 0}
    players = {"left": {"name": "Anna", "points": 0}, "right": {"name": LONGEST[1], "points": 0}}
    hub.put(make_board("7", **late, late="right", players=players))
    page = opened("/overlay/7", size=NARROW)
    hub.tick(95)
    expect(page.locator("#state")).to_have_text(f"Late: 1:35 · {LONGEST[1]}")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.locator("#state").evaluate_all(CUT_OFF) == []
    hub.put(make_board("7", **late, state="BREAK", players=players))
    expect(page.locator("#state")).not_to_contain_text(LONGEST[1])


def test_overlay_shows_state_and_clock_of_its_delay_ago(hub: FixtureHub, opened: Opener) -> None:
    """A press at 40 s is seen 30 s later; before 30 s nothing is known that may be shown."""
    hub.put(running("7"))
    page = opened("/overlay/7?delay=30")
    expect(page.locator("#begins")).to_have_text("Delayed picture: begins in 0:30")
    expect(page.locator("#bar")).to_be_hidden()
    run(hub, page, 30 + GRID)
    times = page.locator(".time")
    expect(times).to_have_text(["11:00", "11:00"])
    run(hub, page, 10)
    page.evaluate(HEAR_BOARD)
    hub.put(running("7", "right", since_ns=hub.now_ns))
    page.evaluate("window.heard")  # before its clock goes on
    run(hub, page, 29)
    expect(times).to_have_text(["10:33", "11:00"])
    expect(page.locator(".player").first).to_have_attribute("data-running", "true")
    run(hub, page, 1 + GRID)
    expect(page.locator(".player").last).to_have_attribute("data-running", "true")
    run(hub, page, 13)
    expect(times).to_have_text(["11:00", "10:59"])
    hub.put({**hub.boards["7"], "certain": False})
    run(hub, page, 1)
    expect(times).to_have_text(["~11:00", "~10:58"])  # at once: no time is sure any more


@pytest.mark.rule("R130")
def test_on_an_overlay_only_a_fallen_flag_looks_like_one(hub: FixtureHub, opened: Opener) -> None:
    """The time of a turn stands in its own field: beside the clock it was read as one time."""
    hub.now_ns = NOW_NS
    marked(hub)
    hub.put(with_reserve(running("9"), "left", flagged=True, flag=1))
    page = opened("/overlay/1")
    said = page.locator("[data-side=left] .flag")
    expect(said).to_have_text("1:36 this turn")
    expect(page.locator("[data-side=left] .delay")).to_be_empty()
    expect(page.locator("#length")).to_have_text("11 points · No time limit")
    plain = said.evaluate(GROUND)
    page = opened("/overlay/9")
    expect(page.locator("[data-side=left] .flag")).to_have_text("FLAG 1")
    assert page.locator("[data-side=left] .flag").evaluate(GROUND) != plain


# --- people and attackers -----------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/", "/board/7", "/wall", "/overlay/7"])
def test_hostile_names_are_text(path: str, hub: FixtureHub, opened: Opener) -> None:
    """Isolated from the text around them, and without width enough to push anything aside."""
    players = {"left": {"name": HOSTILE, "points": 3}, "right": {"name": "x" * 10_000, "points": 5}}
    hub.put(called("7", players=players))
    page = opened(path)
    name = page.locator(".name").first
    expect(name).to_have_text(HOSTILE)
    assert name.evaluate("each => each.tagName") == "BDI"
    expect(page.locator("img")).to_have_count(0)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("path", ["/results", "/match/m1"])
def test_hostile_texts_of_a_finished_match_are_text(
    path: str, hub: FixtureHub, opened: Opener
) -> None:
    finished(hub)
    players = {"left": HOSTILE, "right": HOSTILE}
    hub.results[0] |= {"players": players, "board": HOSTILE, "begun": HOSTILE}
    hub.matches["m1"]["report"]["tables"] = [
        {"title": HOSTILE, "headings": [HOSTILE], "rows": [[HOSTILE]]}
    ]
    page = opened(path)
    expect(page.locator("tbody bdi").first).to_have_text(HOSTILE)
    expect(page.locator("img:not(#picture), script:not([src])")).to_have_count(0)


def test_room_by_keyboard(hub: FixtureHub, opened: Opener) -> None:
    """Slash searches, Escape ends it; from the controls the boards that ask come first."""
    hub.put(make_board("1"), called("2"))
    page = opened("/")
    expect(page.locator(".tile")).to_have_count(2)
    page.keyboard.press("/")
    expect(page.locator("#search")).to_be_focused()
    page.keyboard.type("2")
    expect(page.locator(".tile .id")).to_have_text(["2"])
    page.keyboard.press("Escape")
    expect(page.locator(".tile .id")).to_have_text(["1", "2"])
    page.locator("nav a:visible").last.focus()
    page.keyboard.press("Tab")
    expect(page.locator(".card a")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/board/2$"))


def test_focus_stays_on_a_board_that_moves(hub: FixtureHub, opened: Opener) -> None:
    """A board with wrong settings calls: it comes first, and the focus with it."""
    hub.put(called("1", at_ns=5), make_board("2", attention=["settings"]))
    page = opened("/")
    expect(page.locator(".card .id")).to_have_text(["1", "2"])
    page.locator(".card a").last.focus()
    hub.put(called("2", at_ns=3))
    expect(page.locator(".card .id")).to_have_text(["2", "1"])
    expect(page.locator(".card a").first).to_be_focused()


@pytest.mark.parametrize(
    "path",
    [
        *("/", "/board/7", "/board/8", "/wall", "/overlay/7", "/results", "/match/m1"),
        *("/addresses", "/waiting"),
    ],
)
def test_everybody_can_read_each_page(
    path: str, view: View, hub: FixtureHub, opened: Opener, problems_of: Judge
) -> None:
    """By axe, with everything on it that a board can ask; nothing is out of sight at the side."""
    finished(hub)
    hub.event = {"name": "Nordisk Åpent Mesterskap 2026", "begins": ""}
    hub.results.append(make_result("m2", named_round="Viertelfinale der Hoffnungsrunde"))
    kinds = ["flag", "late", "fault", "damaged", "not_heard", "settings"]
    hub.put(running("1"), called("7"), running("8", certain=False, attention=["not_heard"]))
    hub.put(*[make_board(kind, attention=[kind], attention_ns=0) for kind in kinds])
    hub.put(with_reserve(running("9"), "left", flagged=True, flag=2), over("10"))
    hub.put(running("3"), running("12"))
    foreseen(hub)
    waiting = _page("de", "no answer from db.example.org")
    hub.files["/waiting"] = ("text/html", waiting.encode())
    page = opened(path, **view._asdict())
    expect(page.locator("footer, #bar, table, .waiting").first).to_be_visible()
    page.wait_for_selector(".tile, .panel, .player, .sheet li, tbody tr, .waiting")
    if path == "/":
        page.locator("#round-end").click()
        page.locator("#round-last summary").first.click()
    page.clock.resume()
    if path == "/results" and view.size[0] < LEAST_TABLE:
        assert page.locator(".scroll").evaluate_all(SCROLLED) == 0
    assert problems_of(page) == []
