"""Results in words are the same on the pages that follow a room and on those that are published."""

import json
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import msgspec
import pytest
from msgspec import structs

from clock.match.types import Pair, Side
from clock.report.times_of_day import instant_ns
from clock.ui.i18n import LANGUAGES
from room.boards.board import SIMULATED, Conflict
from room.boards.joined_matches import Apart
from room.boards.results import Listed
from room.hub.words import page_words
from room.web import result_words as published
from tests.room.pages.engine import Engine

RESULTS = 300
SHOWN = """
const all = (of) => [
  nameOf(of, "left", say), outcome(of, say), resultScore(of), begunText(of), durationText(of),
  roundText(of, say), roundText(of, say, true), placeText(of, say), remarks(of, say), isDoubted(of)
];
"""


def result_words(language: str = "en") -> Engine:
    """The module with the words of a language; names are compared by their letters."""
    engine = Engine()
    compare = "compare(one, other) { return (one > other) - (one < other); }"
    engine.run(f"const Intl = {{ Collator: class {{ {compare} }} }};")
    engine.load("result_words.js")
    engine.load("words.js")
    engine.run(f"const say = sayer({json.dumps(page_words(language))});{SHOWN}")
    return engine


def some_result(random: Random) -> Listed:
    """A result of which anything may be so or not."""

    def conflict() -> Conflict:
        since = random.choice(("", "2026-05-01T20:59:10+02:00"))
        return Conflict("match", random.choice(("r/1", "r/2")), since, 12, random.random() < 0.5)

    def apart() -> Apart:
        return Apart("m0", "r/red-7", random.random() < 0.5, may_join=True)

    sides = list(Side)
    pools: dict[str, Sequence[Any]] = {
        "board": ("7", "", "8"),
        "assigned": ("", "7", "8"),
        **dict.fromkeys(("event", "named_round", "hall", "missing"), ("", "Final {n}")),
        **dict.fromkeys(("restorations", "corrections", "forks"), (0, 1, 2)),
        **dict.fromkeys(("complete", "best_of_three", "is_other", "practice"), (False, True)),
        **dict.fromkeys(("logs", "rivals", "clocks"), ([], ["a"], ["a", "b"])),
        "put_aside": (False, False, True),
        "clock": (SIMULATED, "9c8f01aa"),
        "winner": (None, *sides),
        "begun": ("", "2026-05-01T21:03:44+02:00"),
        "duration_ns": (0, 1, 3_599_999_999_999, 3_600_000_000_000),
        "damage": (None, "torn"),
        "end": (None, "gin", "time"),
        "round": (None, 1, 2),
        "day": ("", "2026-05-01"),
        "apart": ([], [apart()], [apart(), apart()]),
    }
    return Listed(
        **{name: random.choice((*[pool[0]] * 8, *pool)) for name, pool in pools.items()},
        match="m1",
        source="r/red-1",
        players={side: random.choice(("", "Ada & {b}")) for side in sides},
        score=Pair(random.randrange(9), 4),
        legs=Pair(random.randrange(3), 1),
        length=7,
        flags=random.sample(sides, random.randrange(3)),
        fingerprint="7KHF",
        conflicts=[conflict() for _ in range(random.choice((0, 0, 0, 1, 2, 3)))],
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_result_is_said_alike_wherever_it_is_shown(language: str) -> None:
    words, engine, random = (page_words(language), result_words(language), Random(7))

    def say(key: str, **values: object) -> str:
        return words[key].format(**values)

    for _ in range(RESULTS):
        of = some_result(random)
        assert engine.call("all", msgspec.to_builtins(of)) == [
            published.name(of, Side.LEFT, say),
            published.outcome(of, say),
            published.score(of),
            published.minute(of.begun),
            published.duration(of),
            published.round_title(of, say),
            published.round_title(of, say, with_event=True),
            published.place(of, say),
            published.remarks(of, say),
            published.is_doubted(of),
        ], of


@pytest.mark.rule("R215")
def test_a_named_round_of_an_event_is_one_list_whatever_the_clocks_dates_are() -> None:
    engine = result_words()
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


ORDERS: dict[str, Callable[[Listed], Any]] = {
    "board": lambda of: (of.hall, not of.board, of.board or of.clock),
    "latest": lambda of: 0,
    "player": lambda of: of.players[Side.LEFT],
}


@pytest.mark.parametrize("order", ORDERS)
def test_the_results_of_a_round_stand_as_the_reader_wants_them(order: str) -> None:
    """A clock without a board after the boards of its hall; a round that is not known last."""
    random, engine = Random(5), result_words()
    engine.run("const sorted = (of, by) => byRound(of, ORDERS[by]).map((all) => all.map(tag));")
    engine.run("const tag = ({ match }) => match;")

    def some(number: int) -> Listed:
        hour = random.choice((0, 9, 10, 23))
        return structs.replace(
            some_result(random),
            match=f"m{number}",
            round=random.choice((None, 1, 2)),
            begun=random.choice(("", f"2026-05-01T{hour:02}:00:00+02:00")),
            players={side: random.choice(("", "Ada", "Bo")) for side in Side},
        )

    def time(of: Listed) -> tuple[str, int, int]:
        return of.day, of.round or 0, instant_ns(of.begun) or 0

    for _ in range(100):
        given = [some(number) for number in range(random.randrange(8))]
        rounds: dict[object, list[Listed]] = {}
        for of in sorted(given, key=time, reverse=True):
            named = (of.event, of.named_round) if of.named_round else of.round
            rounds.setdefault(("" if of.named_round and of.event else of.day, named), []).append(of)
        expected = [
            [of.match for of in sorted(each, key=ORDERS[order])] for each in rounds.values()
        ]
        assert engine.call("sorted", msgspec.to_builtins(given), order) == expected
