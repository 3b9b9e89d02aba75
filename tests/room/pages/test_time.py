"""The times on the pages are those on the panels, to the character and to the nanosecond."""

import itertools
from collections.abc import Iterator
from random import Random
from typing import Any

import msgspec
import pytest

from clock.match.rules import Method
from clock.match.state import Flag, MatchState
from clock.match.timecontrol import Account, Turn
from clock.match.types import NextDelay, Phase, Side
from clock.ui.dialogue import Dialogue
from clock.ui.face import View, at_pace, clock_face, next_face_ns, turn_shown
from clock.units import SECOND_NS
from lab.support.examples import examples
from lab.support.world import LEFT, RIGHT, World, match_settings
from room.boards.fields import make_board
from room.boards.signs import Signs
from room.lines.track import Track
from tests.room.pages.engine import Engine

STATES, INSTANTS = 4_000, 5  # 20,000 pictures
BATCH = 2_000  # states that the engine draws at once
START_NS, DAY_S = 1000 * SECOND_NS, 24 * 3600
EDGES_NS = (0, 1, SECOND_NS // 5, 12 * SECOND_NS, 20 * SECOND_NS, 60 * SECOND_NS, 3600 * SECOND_NS)
DRAWN = """
const drawnSide = (board, side, nowNs) => [
  shownReserve(board, side, nowNs),
  shownDelay(board, side, nowNs),
  delayPermille(board, side, nowNs),
  shownTurn(board, side, nowNs),
  noteText(board, side, nowNs, (key) => key) || (shownTurn(board, side, nowNs) ? "this_turn" : ""),
];
const drawn = (board, nowNs) => [
  ["left", "right"].map((side) => drawnSide(board, side, nowNs)),
  nextChange(board, nowNs),
];
const drawAll = (cases) =>
  cases.map(([board, instants]) => instants.map((nowNs) => drawn(board, nowNs)));
"""
Case = tuple[MatchState, list[int]]  # a match, and the instants to draw it at


def some_ns(random: Random) -> int:
    """Return a duration: at or beside an edge of the texts, or anything up to 2 hours."""
    if random.random() < 0.4:
        return max(0, random.choice(EDGES_NS) + random.randrange(-2, 3))
    return random.randrange(random.choice((25, 700, 7200)) * SECOND_NS)


def some_state(random: Random, states: list[MatchState]) -> MatchState:
    """Return a match in which a clock runs, or stands, with random times."""
    state = random.choice(states)
    for side in Side:
        left_ns = some_ns(random) - (SECOND_NS if random.random() < 0.1 else 0)
        flag = Flag(1, None) if random.random() < 0.2 and not state.flagless else None
        left_ns = -left_ns if state.flagless and random.random() < 0.5 else left_ns
        left_ns = -abs(left_ns) if at_pace(state) else left_ns
        delay = NextDelay.SKIP if random.random() < 0.2 else NextDelay.FULL
        account = Account(left_ns)
        state = state.with_player(side, account=account, flag=flag, next_delay=delay)
    runs = random.random() < 0.8
    side = random.choice(list(Side))
    delay_ns = random.choice((0, state.settings.rules.delay_ns, some_ns(random)))
    since_ns = state.at_ns if runs else None
    used_ns, waits = random.choice((0, some_ns(random))), random.random() < 0.2
    turn = Turn(side, delay_ns, used_ns=used_ns, since_ns=since_ns, must_wait=waits)
    return state.replace(turn=turn, phase=Phase.RUNNING if runs else Phase.STOPPED)


def some_cases(count: int) -> Iterator[Case]:
    """Return random matches, each with instants to draw it at."""
    random = Random(13)
    delays_ns = (0, 12 * SECOND_NS)
    methods = [match_settings(delay_ns=ns, method=each) for each in Method for ns in delays_ns]
    practised = [msgspec.structs.replace(settings, practice=True) for settings in methods]
    pace = msgspec.structs.replace(methods[0], rules=methods[0].rules.at_pace())
    kinds = (*methods, *practised, pace)
    states = [World(each).state.replace(at_ns=START_NS) for each in kinds]
    for _ in range(count):
        yield some_state(random, states), [START_NS + some_ns(random) for _ in range(INSTANTS)]


def batches(cases: Iterator[Case]) -> Iterator[list[Case]]:
    """Return cases in lists, each of which the engine draws at once."""
    while batch := list(itertools.islice(cases, BATCH)):
        yield batch


def panels(state: MatchState, now_ns: int) -> list[Any]:
    """Return what both panels show, and when that next changes."""
    view = View(state, Dialogue(), lambda key, **_: key)
    faces = [clock_face(view, side, now_ns) for side in Side]
    shown = [
        [face.reserve, face.delay, face.delay_permille, face.turn, face.delay_note]
        for face in faces
    ]
    return [shown, next_face_ns(view, now_ns)]


def sent(state: MatchState) -> Any:
    """Return the board that the hub sends of a match."""
    signs = Signs(state.at_ns, offset_ns=0, heard_ns=state.at_ns, complete=True)
    return msgspec.to_builtins(make_board("7", "test", None, Track(state=state), signs))


def test_times_on_the_page_are_those_on_the_panels() -> None:
    """20,000 random matches and instants: equal texts, notes, bars, instants of the next change."""
    engine = Engine("board_words.js")
    engine.run(DRAWN)
    for cases in batches(some_cases(examples(STATES))):
        pages = engine.call("drawAll", [[sent(state), instants] for state, instants in cases])
        assert pages == [[panels(state, at_ns) for at_ns in instants] for state, instants in cases]


@pytest.mark.parametrize(
    ("until_ns", "asked_ns", "after_ns"),
    [
        (SECOND_NS, None, SECOND_NS),
        (1, None, 1),
        (0, None, SECOND_NS),
        (-1, None, SECOND_NS - 1),
        (7, 5, 5),
        (5, 7, 5),
        (None, 7, 7),
    ],
)
def test_a_countdown_changes_each_second(
    until_ns: int | None, asked_ns: int | None, after_ns: int
) -> None:
    """Of two, the one that changes first counts."""
    now_ns, counts = SECOND_NS // 4, {"until_ns": until_ns, "attention_ns": asked_ns}
    at_ns = {name: None if after is None else now_ns + after for name, after in counts.items()}
    change_ns = Engine("time.js").call("nextChange", sent(World().state) | at_ns, now_ns)
    assert change_ns == now_ns + after_ns


@pytest.mark.rule("R130")
def test_without_a_limit_the_page_shows_what_was_used() -> None:
    """As the panels do, at a second of the turn and one of all that was used."""
    settings = match_settings()
    world = World(msgspec.structs.replace(settings, rules=settings.rules.at_pace()))
    state = world.press(LEFT).press(RIGHT).centre().press(RIGHT).press(LEFT, 734_300_000_000).state
    engine = Engine("time.js")
    again = world.centre(735_000_000_000).centre(737_000_000_000).state
    left = world.press(RIGHT, 740_900_000_000).state  # who has used some tenths before this turn
    assert left.turn is not None
    assert left.turn.side is LEFT
    for each in (state, again, left):
        for after_ns in (0, 300_000_000, SECOND_NS - 1, SECOND_NS, 90 * SECOND_NS):
            now_ns = each.at_ns + after_ns
            shown = [engine.call("shownReserve", sent(each), side, now_ns) for side in Side]
            assert shown == [face[0] for face in panels(each, now_ns)[0]]
            spoken = [engine.call("shownSeconds", sent(each), side, now_ns) for side in Side]
            assert spoken == [60 * int(text[:-3]) + int(text[-2:]) for text in shown]
            turns = [engine.call("shownTurn", sent(each), side, now_ns) for side in Side]
            assert turns == [turn_shown(each, side, now_ns) for side in Side]
            assert engine.call("nextChange", sent(each), now_ns) == panels(each, now_ns)[1]
    assert engine.call("shownTurn", sent(World.running().state), "left", 0) == ""


def test_a_turn_that_has_not_begun_is_drawn_as_it_begins() -> None:
    state = World.running().state
    early_ns = state.at_ns - 3_000_000
    engine = Engine("time.js")
    assert engine.call("shownReserve", sent(state), "left", early_ns) == "22:00"
    assert engine.call("shownDelay", sent(state), "left", early_ns) == "12"
    assert engine.call("nextChange", sent(state), early_ns) == state.at_ns


def test_a_time_of_day_is_the_nearest_one() -> None:
    """After midnight the round is later than a limit of the evening before."""
    engine = Engine("time.js")
    engine.run("const today = (s) => new Date(2026, 0, 15, 0, 0, s).getTime();")
    engine.run("const ahead = (s, text) => (instantOf(text, today(s)) - today(s)) / 1000;")
    for hour, wanted, beside_s in itertools.product(range(24), range(24), (-1, 0, 1)):
        now_s = (3600 * hour + beside_s) % DAY_S
        ahead_s = engine.call("ahead", now_s, f"{wanted:02}:00")
        assert (now_s - 3600 * wanted + ahead_s) % DAY_S == 0
        assert abs(ahead_s) <= DAY_S / 2
    assert engine.call("instantOf", "", 0) is None
