"""Pages in a fixed state, as the golden pictures have them."""

from collections.abc import Callable
from io import BytesIO
from typing import Any, Literal, NamedTuple

from PIL import Image
from playwright.sync_api import Page

from clock.units import MINUTE_NS, SECOND_NS
from tests.browser.conftest import LAPTOP
from tests.browser.fixture_hub import (
    Board,
    FixtureHub,
    called,
    conflicts,
    make_board,
    make_result,
    over,
    running,
    with_reserve,
)

NOW_NS = 100 * MINUTE_NS  # of the hub in all scenes
LONG = "Maximiliane Mustermann-Sørensen"
LONGEST = ("Wolfeschlegelsteinhausenbergerdorffsmith", "Maximiliane Anna Mustermann von Sørensen")
SCREEN = (LAPTOP["width"], LAPTOP["height"])
PHONE = (390, 844)
NARROW = (320, 640)
CHART = b"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1000 300">
<path d="M20 20 H980 V280 H20 Z" fill="none" stroke="#888"/>
<path d="M20 40 400 90 700 180 980 200" fill="none" stroke="#1d4ed8" stroke-width="4"/>
<path d="M20 40 300 120 650 160 980 260" fill="none" stroke="#c2410c" stroke-width="4"/></svg>"""
STAGE = b"""<!doctype html><html lang="en"><title>Stage</title>
<link rel="icon" href="/static/icon.svg"><link rel="stylesheet" href="/stage.css">
<iframe title="Overlay" src="/overlay/7"></iframe></html>"""
STAGE_STYLE = b"""html { background: url("/stage.png") }
iframe { position: fixed; inset: 0; inline-size: 100%; block-size: 100%; border: 0 }"""
Scheme = Literal["light", "dark"]
BOTH: tuple[Scheme, ...] = ("light", "dark")

WITHOUT_BOARD: dict[str, Any] = {"board": None, "clock": "0000002a"}  # called by its own number


def names(left: str | None, right: str | None, points: tuple[int, int] = (3, 5)) -> dict[str, Any]:
    """Return the players of a board."""
    each = zip(("left", "right"), (left, right), points, strict=True)
    return {"players": {side: {"name": name, "points": score} for side, name, score in each}}


def ago(seconds: int) -> int:
    """Return the instant so many seconds before the picture."""
    return NOW_NS - seconds * SECOND_NS


def a_room(hub: FixtureHub) -> None:
    """Give the hub boards in every state that one can be in."""
    flagged = running("4", since_ns=ago(30), attention=["flag"], attention_ns=ago(25))
    low = running("6", "right", since_ns=ago(20), attention=["low"], attention_ns=ago(8))
    late = {"state": "READY", "attention": ["late"], "until_ns": ago(95), "late": "left"}
    silent: Board = {"attention": ["not_heard"], "certain": False, "heard_ns": ago(23)}
    damaged = {"attention": ["damaged"], "damage": "line 12: the hash is wrong"}
    three = {"best_of_three": True, "legs": [1, 0], "length": 5}
    hub.put(
        running("1", since_ns=ago(4), **names("Ada Lovelace", "Benoît Mandelbrot")),
        running("2", "right", since_ns=ago(100), **names("Cleo", "Dan", (10, 9)), crawford="now"),
        called("3", ago(50), **names("Eva", "Finn")),
        with_reserve(flagged | names("Grete", "Hugo"), "left", flagged=True, flag=1, reserve_ns=0),
        make_board("5", **late, **names("Ida", "Jens", (0, 0))),
        with_reserve(low | names("Kari", "Lars"), "right", reserve_ns=22_700_000_000),
        make_board("8", attention=["fault"], faults=["display: left"], **names("Mona", "Nils")),
        make_board("9", **damaged, **names("Ole", "Pia")),
        running("10", since_ns=ago(40), **silent, **names("Rosa", "Sven")),
        make_board("11", attention=["settings"], settings_code="XK2P", **names("Tina", "Uwe")),
        over("12", **names("Vera", "Willy", (11, 7))),
        make_board("13", state="BREAK", until_ns=ago(-200), says=["break"], **three),
        running("0000002a", since_ns=ago(7), **WITHOUT_BOARD, **names(None, None, (0, 0))),
    )


def a_hall(hub: FixtureHub) -> None:
    """Give the hub 64 boards, some of which ask for something."""
    hub.put(*[running(str(number), since_ns=ago(number)) for number in range(1, 62)])
    hub.put(called("62", ago(70)), called("63", ago(20)))
    hub.put(make_board("0000002a", attention=["low"], **WITHOUT_BOARD))


def a_hall_of_500(hub: FixtureHub) -> None:
    """Give the hub so many boards that they are a list; the first ones in every state."""
    a_room(hub)
    hub.put(*[running(str(number), since_ns=ago(number)) for number in range(14, 501)])


def one_board(hub: FixtureHub) -> None:
    """Give the hub board 7: a delay that runs, a long name, a flag of the other side."""
    board = running("7", since_ns=ago(4), length=13, crawford="now", **names(LONG, "Bo", (12, 7)))
    hub.put(with_reserve(board, "right", flagged=True, flag=1, reserve_ns=0))


def on_stage(hub: FixtureHub, picture: Image.Image) -> None:
    """Let the hub have a page with the overlay of board 7 over a picture."""
    drawn = BytesIO()
    picture.save(drawn, "png")
    hub.files["/stage"] = ("text/html", STAGE)
    hub.files["/stage.css"] = ("text/css", STAGE_STYLE)
    hub.files["/stage.png"] = ("image/png", drawn.getvalue())
    one_board(hub)


def landscape() -> Image.Image:
    """Return a picture with all colours between dark and light."""
    dark = Image.linear_gradient("L").resize(SCREEN)
    return Image.merge("RGB", (dark, dark.rotate(180), dark))


def finished_matches(hub: FixtureHub) -> None:
    """Give the hub results, one of them with a report and a chart."""
    remarks = {"flags": ["right"], "restorations": 1, "corrections": 2}
    cut = {"complete": False, "winner": None, "end": None, "score": [4, 3], "forks": 1}
    later, earlier = "2026-05-01T11:30:00.000+02:00", "2026-05-01T09:00:00.000+02:00"
    hub.results = [
        make_result("m1", **remarks),
        make_result("m2", board="12", begun=later, round=2, players={"left": LONG, "right": "Bo"}),
        make_result("m3", board="3", begun=earlier, **cut),
        make_result("m4", board="", clock="0000002a", winner="right", score=[9, 11]),
    ]
    games = [["1", "Anna", "4", "12:30"], ["2", "Bob", "7", "25:10"], ["3", "Anna", "7", "31:05"]]
    headings = ["Game", "Won by", "Points", "Duration"]
    tables = [
        {"title": "", "headings": [], "rows": [["Result", "11-7, Anna wins"], ["Length", "11"]]},
        {"title": "Games", "headings": headings, "rows": games},
    ]
    chart = "/api/1/matches/m1/chart.svg"
    hub.matches["m1"] = {
        "result": hub.results[0],
        "report": {"tables": tables},
        "head": "7KQ2-M9XT-4WDA",
        "chart": chart,
        "first_heard": [],
    }
    hub.files[chart] = ("image/svg+xml", CHART)


def picture_of(page: Page) -> Image.Image:
    """Return what a page shows, when its fonts and pictures, and those of its frames, have come."""
    for frame in page.frames:
        frame.evaluate("document.fonts.ready.then(() => null)")
        frame.evaluate("Promise.all([...document.images].map((each) => each.decode()))")
    return Image.open(BytesIO(page.screenshot())).convert("RGB")


def the_longest_names(hub: FixtureHub) -> None:
    """Give the hub names of 40 characters: letters without a space, and words."""
    letters, words = LONGEST
    hub.put(
        running("1", since_ns=ago(4), **names(letters, words)),
        called("2", ago(50), **names(words, letters)),
        over("7", **names(letters, words, (11, 7))),
        over("8", winner="right", **names(letters, words, (9, 11))),
    )
    players, chart = {"left": letters, "right": words}, "/api/1/matches/m1/chart.svg"
    hub.files[chart] = ("image/svg+xml", CHART)
    hub.results = [
        make_result("m1", players=players, end="time"),
        make_result("m2", players=players, winner="right", board="12", score=[9, 11]),
    ]
    hub.matches["m1"] = {
        "result": hub.results[0],
        "report": {"tables": []},
        "first_heard": [],
        "head": "7KQ2-M9XT-4WDA",
        "chart": chart,
    }


def forks(hub: FixtureHub) -> None:
    """Give the hub a board and a match in conflict, and a clock at a strange board."""
    both, turned = ("red-7", "red-12"), ("red-12", "red-7")
    asks: Board = {"attention": ["claimed"], "attention_ns": ago(80)}
    hub.put(
        running("7", since_ns=ago(4), conflicts=conflicts("board", *both), **asks),
        running("7-2", since_ns=ago(9), conflicts=conflicts("board", *turned), **asks),
        called("8", ago(20), conflicts=conflicts("match", *both)),
        running("9", since_ns=ago(3)),
    )
    log = {"head": "2B7C-M9XT-4WDA", "source": "hall/red-12", "score": [2, 11], "winner": "right"}
    hub.event = {"name": "Nordic Open", "begins": "2026-05-01"}
    hub.results = [
        make_result("m1", conflicts=conflicts("match", *both)),
        make_result("m1", conflicts=conflicts("match", *turned), **log),
        make_result("m2", board="8", conflicts=conflicts("match", "red-8", "blue-1", agrees=True)),
        make_result("m3", round=None, source="hall/red-12", assigned="12"),
        make_result("m5", board="4", is_other=True, round=None, complete=False, winner=None),
        make_result("m4", board="9", best_of_three=True, legs=[2, 1], score=[5, 3], length=5),
    ]
    heard = {"seq": 210, "head": "7KQ2-M9XT-4WDA", "wall": "2026-05-01T11:23:00", "fork_seq": 0}
    hub.matches["m1"] = {
        "result": hub.results[0],
        "report": {"tables": []},
        "head": "7KQ2-M9XT-4WDA",
        "chart": None,
        "first_heard": [heard | each | {"fork_wall": ""} for each in hub.results[0]["conflicts"]],
    }


def marked(hub: FixtureHub) -> None:
    """Give the hub matches without a limit, for practice, and resumed twice: what a board says."""
    pace: Board = {"limit": "pace", "delay_full_ns": 0, "turn_ns": 92 * SECOND_NS}
    practice: Board = {"limit": "practice"}
    twice: Board = {"rivals": ["2026-05-01T20-15-00-9"]}
    asks: Board = {"attention": ["twice"], "attention_ns": ago(80)}
    stopped: Board = {"state": "STOPPED", "mover": "left", "says": ["stopped", "reason_game_over"]}

    def used(board: Board) -> Board:
        left = with_reserve(board, "left", reserve_ns=-734_300_000_000, delay_ns=0)
        return with_reserve(left, "right", reserve_ns=-605 * SECOND_NS, delay_ns=0)

    hub.put(
        used(running("1", since_ns=ago(4), **pace, **names("Ada Lovelace", "Benoît Mandelbrot"))),
        used(make_board("2", **pace, **stopped, **names("Cleo", "Dan"))),
        with_reserve(running("3", since_ns=ago(99), **practice), "left", reserve_ns=-5 * SECOND_NS),
        called("4", ago(50), **practice, **names("Eva", "Finn")),
        over("5", **practice, **names("Vera", "Willy", (11, 7))),
        running("6", since_ns=ago(3), **twice, **asks, **names("Grete", "Hugo")),
        called("7", ago(20), **practice, **twice, **names(LONG, "Bo")),
        running("8", since_ns=ago(3)),
    )


class Scene(NamedTuple):
    """A page in a fixed state."""

    path: str
    prepare: Callable[[FixtureHub], None]
    shown: str  # the selector of what is there when the page is drawn
    number: int  # of what it selects: boards come one by one, and a page draws those it has
    size: tuple[int, int] = SCREEN
    schemes: tuple[Scheme, ...] = BOTH
    frame: bool = False  # the page itself is in a frame


SCENES = {
    "room": Scene("/", a_room, ".tile", 13),
    "room-64": Scene("/", a_hall, ".tile", 64, schemes=("light",)),
    "room-list": Scene("/", a_hall_of_500, ".tile", 500, schemes=("light",)),
    "room-phone": Scene("/", a_room, ".tile", 13, PHONE, schemes=("light",)),
    "board": Scene("/board/7", one_board, ".panel", 2),
    "board-phone": Scene("/board/7", one_board, ".panel", 2, PHONE),
    "overlay": Scene(
        "/stage", lambda hub: on_stage(hub, landscape()), "#bar", 1, schemes=("light",), frame=True
    ),
    "wall": Scene("/wall", a_room, ".tile", 13),
    "match": Scene("/match/m1", finished_matches, "#tables h2", 1, (1366, 1100)),
    "addresses": Scene("/addresses", a_room, ".sheet li", 13),
    "room-marked": Scene("/", marked, ".tile", 8),
    "room-marked-phone": Scene("/", marked, ".tile", 8, PHONE, schemes=("light",)),
    "board-pace": Scene("/board/1", marked, ".panel", 2, schemes=("light",)),
    "board-twice-phone": Scene("/board/7", marked, ".panel", 2, PHONE, schemes=("light",)),
    "room-narrow": Scene("/", the_longest_names, ".tile", 4, NARROW, schemes=("light",)),
    "board-narrow": Scene("/board/7", the_longest_names, ".panel", 2, NARROW, schemes=("light",)),
    "match-narrow": Scene("/match/m1", the_longest_names, "#match", 1, NARROW, schemes=("light",)),
    "results": Scene("/results", finished_matches, "tbody tr", 6),
    "results-phone": Scene("/results", forks, "tbody tr", 9, PHONE, schemes=("dark",)),
}
