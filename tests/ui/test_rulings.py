"""Rulings where the clock once misled the director: lateness, breaks, forms, time given back.

Each story is told by the buttons alone, and its log replays. Rulings on holds, the score, flags and
free turns are in `tests/match/test_rulings.py`.
"""

import re
from collections.abc import Callable, Iterator

import msgspec
import pytest

from clock.match.events import (
    AdjustedEvent,
    BreakStartedEvent,
    CorrectedEvent,
    LateEvent,
    OvertimeEvent,
    PenaltyEvent,
    PressedEvent,
)
from clock.match.inputs import PointsAwarded
from clock.match.profiles import PROFILES
from clock.match.rules import Reason, Rules
from clock.match.stops import offered_reasons
from clock.match.types import Pair, Phase, Side
from clock.ui.descriptions import event_lines
from clock.ui.dialogue import TURN_PHASES, BreakPage, FormPage
from clock.ui.forms import Choice
from clock.ui.i18n import sayer
from clock.ui.menu import MENU, Item, items
from clock.ui.menu_fields import LEFT_OR_RIGHT
from clock.units import MINUTE_NS, SECOND_NS
from lab.support.desk import C, Desk, L, R, chosen, desk, ready
from lab.support.rows import rest_slow, row
from lab.support.rulings import (
    done,
    first_item,
    opening,
    playing,
    previewed,
    prove,
    selected,
    stop_for,
    won,
)
from lab.support.world import LEFT, OFFERING, RIGHT, match_settings

LOSES = "That loses the match"

# --- lateness ---------------------------------------------------------------------------------


def late(table: Desk, side: Side, minutes: int = 0) -> Desk:
    """The director notes that a player is absent, and since how many minutes."""
    return table.open_item("absent").enter(side, minutes).tap(C)


def until_late(table: Desk, minutes: int) -> Desk:
    """Time passes until an absent player is so late."""
    [absence] = [player.absence for player in table.state.players if player.absence]
    return table.pass_time(absence.since_ns + minutes * MINUTE_NS - table.now_ns)


def proposed_points(table: Desk) -> int:
    """The penalty points that the menu proposes."""
    ruling = table.open_item("penalty").through().proposed()
    assert isinstance(ruling, PointsAwarded)
    return ruling.points


@pytest.mark.rule("R86")
def test_what_was_given_for_a_lateness_is_subtracted_from_what_is_due() -> None:
    """EBF 2.2(iv): 1 point given at 5:00, so 1 at 10:00; 2 in all do not lose a match to 5."""
    table = until_late(late(desk(length=5), LEFT), 5)
    assert "due: 1 point" in table.faces().left.lines
    table.open_item("penalty").through().tap(C)
    assert "due: 1 point" not in table.faces().left.lines
    assert "due: 1 point" in until_late(table, 10).faces().left.lines
    assert LOSES not in table.faces().left.lines
    assert first_item(table) == "Warning, points"
    table.open_item("penalty").through()
    assert previewed(table)[:2] == ("Left: Late", "Right +1 → 0-2")
    given = PenaltyEvent(LEFT, RIGHT, 1, "late", Pair(0, 2), adjusted_ns=-MINUTE_NS)
    assert done(table) == given
    assert table.state.players.left.penalty_points == 2
    assert first_item(table) != "End the match"
    prove(table)


@pytest.mark.rule("R86")
def test_only_what_was_given_for_this_lateness_is_subtracted() -> None:
    table = until_late(late(desk(), LEFT), 5)
    table.open_item("penalty").enter(LEFT, "conduct", 3).through().tap(C)
    assert proposed_points(table) == 1
    table.tap(C, L, R, C)
    until_late(late(table, LEFT), 5)
    assert proposed_points(table) == 1
    assert "due: 1 point" in table.hold().hold().faces().left.lines
    prove(table)


@pytest.mark.rule("R87")
@pytest.mark.parametrize("profile", ["ebf", "dbgf"])
def test_what_is_due_stays_due_when_the_player_comes(profile: str) -> None:
    """12 minutes late: shown and proposed after the confirmation and the opening roll."""
    panel = "due: 2 points"
    table = until_late(late(desk(profile), LEFT), 12).tap(L)
    for buttons in ((R,), (C,)):
        assert panel in table.faces().left.lines
        assert panel not in table.faces().right.lines
        assert first_item(table) == "Warning, points"
        table.tap(*buttons)
    table.tap(R).pass_time(5 * SECOND_NS).tap(C)
    assert proposed_points(table) == 2
    table.tap(C)
    assert table.state.score == Pair(0, 2)
    assert table.state.players.left.late.open == 0
    prove(table)


@pytest.mark.rule("R87")
def test_what_is_due_stays_due_until_it_is_waived() -> None:
    """The director waives it in the menu, and it is proposed no more."""
    table = until_late(late(desk(), RIGHT), 12).tap(L, R, C).open_item("waive_late")
    assert selected(table) == "Right"
    table.through()
    assert previewed(table)[:2] == ("Late points Right", "2 → 0")
    assert done(table) == CorrectedEvent("late_points", RIGHT, 2, 0)
    assert table.faces().right.lines == table.faces().left.lines
    assert first_item(table) == "Score"
    prove(table)


@pytest.mark.rule("R87", "R89")
def test_points_after_a_break_are_due_from_the_player_who_took_it() -> None:
    """The other is not accused, unless the director says that it was they who were late."""
    table = won(opening(), L).tap(C, L, C).pass_time(11 * MINUTE_NS).tap(C)
    left, right = ("due: 1 point" in face.lines for face in table.faces())
    assert (left, right) == (True, False)
    assert selected(table.open_item("penalty")) == "Left"
    table.enter(RIGHT, "late", 1).tap(C)
    assert [player.late.open for player in table.state.players] == [0, 0]
    prove(table)


@pytest.mark.rule("R88")
@pytest.mark.parametrize(("taker", "name"), [(LEFT, "Left"), (RIGHT, "Right")])
def test_late_from_a_break_the_absent_players_clock_is_started(taker: Side, name: str) -> None:
    """NBgF 2-2-4: first item, for the player who took the break, which ends by it."""
    table = won(opening("nbgf"), L).tap(C, L if taker is LEFT else R, C)
    table.pass_time(10 * MINUTE_NS)
    assert "TD: start their clock" in table.faces().left.lines
    assert first_item(table) == "Start absentee clock"
    table.open_item("absent_clock")
    assert selected(table) == name
    assert done(table.through()) == LateEvent(taker, 0, "clock-started", "director", forfeits=False)
    assert (table.state.phase, table.state.running) == (Phase.RUNNING, taker)
    assert table.state.pause is None
    table.pass_time(32 * SECOND_NS).tap(C)  # 12 s of them delay
    assert table.state.phase is Phase.READY
    assert table.reserve_ns(taker) == table.reserve_ns(taker.other) - 20 * SECOND_NS
    prove(table)


@pytest.mark.rule("R98", "R112")
def test_lateness_can_be_backdated() -> None:
    """12 minutes: 2 points at once, the third after another 3 minutes, as the form says."""
    table = desk().open_item("absent").enter(LEFT, 12)
    assert previewed(table)[:3] == ("Left late: 12:00", "due: 2 points", "1 point in 3:00")
    event = done(table)
    assert isinstance(event, LateEvent)
    assert (event.side, event.points, event.late_ns) == (LEFT, 2, 12 * MINUTE_NS)
    assert event.next_ns == 3 * MINUTE_NS
    assert proposed_points(table) == 2
    assert "due: 3 points" in until_late(table.hold().hold(), 15).faces().left.lines
    prove(table)


# --- forms ------------------------------------------------------------------------------------


NOBODY_NAMED: dict[str, Callable[[], Desk]] = {
    "review": desk,
    "opening": opening,
    "between games": lambda: won(opening(), L),
    "break": lambda: won(opening(), L).tap(C, L, R, C),
    "both late": lambda: won(opening(), L).tap(C, L, R, C).pass_time(16 * MINUTE_NS),
    "stopped": lambda: playing().tap(C),
    "points": lambda: stop_for(playing(), Reason.GAME_OVER),
    "over": lambda: won(opening(length=1), L),
}
MOVER_FIRST = {"resume", "set_time", "add_time", "next_delay"}  # with a turn on the clock


def asks_for_side(item: Item) -> bool:
    """Whether the first entry of an item is one of both sides."""
    entry = item.entries[0](desk().state, ()) if item.entries else None
    return isinstance(entry, Choice) and set(LEFT_OR_RIGHT) <= set(entry.options)


ASKING = [
    (where, item.name)
    for where, make in NOBODY_NAMED.items()
    for item in items(make().state)
    if asks_for_side(item) and item.name != "give_back"
]


@pytest.mark.rule("R89")
def test_a_form_begins_with_no_side_that_the_rules_do_not_name() -> None:
    """The centre does not confirm nobody: it has no legend, and its press is logged as refused."""
    for where, name in ASKING:
        with row(where, name):
            begins_with_no_side(where, name)


def begins_with_no_side(where: str, name: str) -> None:
    """Try one form."""
    table = NOBODY_NAMED[where]().open_item(name)
    page = table.dialogue.page
    if table.state.turn and name in MOVER_FIRST:
        assert selected(table) == "Left"
        return
    assert selected(table) == "..."
    assert [face.keys[1] for face in table.faces()] == ["", ""]
    table.tap(C)
    assert table.own[0].event == PressedEvent(C, accepted=False, why="not_chosen")
    assert table.dialogue.page == page
    prove(table)


@pytest.mark.rule("R89")
def test_every_item_that_asks_for_a_side_was_seen() -> None:
    """Otherwise the test above would not prove it of every item."""
    assert {name for _, name in ASKING} == {item.name for item in MENU if asks_for_side(item)} - {
        "give_back",  # sides that have a turn to go back to: see R95
        "off_clock",  # where there is no delay: see R207
    }


# --- time to give back ------------------------------------------------------------------------


@pytest.mark.rule("R95")
def test_no_time_of_before_a_correction_is_given_back() -> None:
    """EBF 3.5(vi): 21:44 at the press, set to 24:01; from then on 24:01 and what comes later."""
    table = playing().pass_time(8 * SECOND_NS).tap(L).pass_time(5 * SECOND_NS).tap(C)
    table.open_item("give_back").enter(LEFT)
    assert selected(table) == "-1: 21:44"
    table.hold().open_item("set_time").enter(LEFT, 1441 * SECOND_NS, "restored").through().tap(C)
    assert "Left" not in table.open_item("give_back").faces().left.lines
    table.hold().hold().tap(C, R).pass_time(22 * SECOND_NS).tap(L).tap(C)
    table.open_item("give_back").enter(LEFT)
    assert table.faces().left.lines[:3] == ("-1: 23:51", "-2: 24:01", "")
    table.tap(R, C)
    event = done(table)
    assert isinstance(event, AdjustedEvent)
    assert (event.old_ns, event.new_ns) == (1431 * SECOND_NS, 1441 * SECOND_NS)
    prove(table)


@pytest.mark.rule("R201")
def test_time_is_given_back_in_the_first_turn_of_a_match_and_of_a_game() -> None:
    """The wrong clock was started: the presses of the director's page give all of it back."""
    table = ready()
    for game in range(2):
        before_ns = table.state.reserve_ns(LEFT, table.now_ns)
        table.tap(R).pass_time(42 * SECOND_NS).tap(C).hold().tap(R, R, R, *[C] * 5)
        event = table.last()
        assert isinstance(event, AdjustedEvent)
        assert (event.side, event.old_ns, event.new_ns) == (
            LEFT,
            before_ns - 30 * SECOND_NS,
            before_ns,
        )
        assert before_ns < table.state.bank_ns() or not game
        table.tap(C).pass_time(72 * SECOND_NS)  # this game ends in the same turn
        stop_for(table, Reason.GAME_OVER).tap(L, C)


@pytest.mark.rule("R95")
@pytest.mark.parametrize("name", ["length", "shorten", "reset_banks"])
def test_a_ruling_for_both_sides_leaves_nothing_to_give_back(name: str) -> None:
    """A new length, even with the times left as they are, and banks set by the formula."""
    table = playing().tap(L).pass_time(20 * SECOND_NS)
    stop_for(table, Reason.GAME_OVER).tap(L, C).pass_time(0)
    assert "give_back" in [item.name for item in items(table.state)]
    table.open_item(name)
    if name == "length":
        table.enter(13, False)
    table.through().tap(C)
    assert "give_back" not in [item.name for item in items(table.state)]
    prove(table)


# --- breaks before the first game -------------------------------------------------------------


@pytest.mark.rule("R99")
@pytest.mark.parametrize("profile", ["ebf", "us"])
def test_before_the_first_game_only_the_director_allows_a_break(profile: str) -> None:
    """EBF 2.2(ii), (iii), NBgF 1-8: the players' centre offers none; after a game it does."""
    table = opening(profile)
    assert [face.keys[1] for face in table.faces()] == ["hold: TD", "hold: TD"]
    table.tap(C)
    assert (table.state.phase, table.dialogue.page) == (Phase.READY, None)
    assert table.own[0].event == PressedEvent(C, accepted=False, why="no_break")
    table.open_item("break").enter(RIGHT)
    length_ns = PROFILES[profile].break_ns
    assert done(table) == BreakStartedEvent(Pair(0, 1), length_ns, RIGHT, "director")
    assert table.state.phase is Phase.BREAK
    won(table.tap(C), L).tap(C)
    assert isinstance(table.dialogue.page, BreakPage)
    assert done(table.tap(L)) == BreakStartedEvent(Pair(1, 0), length_ns, LEFT, "centre")
    prove(table)


# --- without a delay --------------------------------------------------------------------------

OF_DELAYS = {  # words that are said of a delay alone
    "en": r"(?i)\bdelay\b|\bWAIT\b",
    "de": r"(?i)verz|\b(AB)?WARTEN",
    "da": r"(?i)\bdelay|\bVENT",
    "nb": r"(?i)trekktid|\bVENT",
}


def texts(table: Desk, language: str) -> list[str]:
    """Return what panels and log say, and the values of the latest line of the log."""
    table = table.twin()
    table.language = language
    said = [text for face in table.faces() for text in (face.status, *face.lines, *face.keys)]
    said += [face.delay_note for face in table.faces()]
    event = table.last()
    values = [str(value) for value in msgspec.structs.astuple(event)]
    return [*said, *event_lines(event, sayer(language)), *values]


def pages_without_delay(rules: Rules) -> Iterator[Desk]:
    """Yield every reason before and after it is carried out, and every page of the menu."""
    settings = msgspec.structs.replace(match_settings(), rules=rules)
    begun = Desk(settings).tap(L, R, C, R).pass_time(20 * SECOND_NS).tap(L).tap(C)
    for reason in offered_reasons(begun.state):
        table = chosen(begun.twin(), reason)
        yield table.twin()
        yield table.tap(C).twin()
        if table.phase in TURN_PHASES:
            yield table.pass_time(SECOND_NS).tap(R if table.state.running is RIGHT else L).twin()
    for item in items(begun.state):
        table = begun.twin().hold().open_item(item.name)
        yield begun.twin().hold()
        if isinstance(table.dialogue.page, FormPage):
            yield from (each.twin() for each in table.each_entry())
            yield table.tap(C)


@pytest.mark.rule("R207")
@pytest.mark.parametrize("profile", rest_slow(OFFERING))
def test_without_a_delay_nothing_speaks_of_one(profile: str) -> None:
    """In pace mode, and in a timed match whose delay is 0: panels, menu and log."""
    rules = PROFILES[profile]
    for each in (rules.at_pace(), msgspec.structs.replace(rules, delay_ns=0)):
        for table in pages_without_delay(each):
            for language, words in OF_DELAYS.items():
                said = [text for text in texts(table, language) if re.search(words, text)]
                assert said == [], (language, table.dialogue.page, table.last())


# --- overtime that the director gives -----------------------------------------------------------


@pytest.mark.rule("R219")
def test_overtime_is_given_once_by_the_director_with_a_warning() -> None:
    """USBGF, quoted: the first expiry does not lose and adds nothing by itself; the second does."""
    table = ready("usbgf", overtime_ns=2 * MINUTE_NS).tap(R)
    for expiry in range(2):
        table.pass_time(30 * MINUTE_NS).tap(C)
        assert table.state.first_flagged is LEFT
        first = items(table.state)[0].name
        assert first == ("overtime" if not expiry else "end_match")
        if expiry:
            continue
        table.hold().tap(C).through().tap(C)
        event = table.last()
        assert isinstance(event, OvertimeEvent)
        assert (event.new_ns, event.by, event.warning) == (2 * MINUTE_NS, "director", 1)
        assert event.flag_cleared
        assert (table.state.flags_down, table.state.players[LEFT].warnings) == (0, 1)
        table.tap(C)
    without = ready("usbgf").tap(R).pass_time(30 * MINUTE_NS).tap(C)
    assert items(without.state)[0].name == "end_match"


@pytest.mark.rule("R219")
def test_overtime_beside_usbgf_is_announced_and_counts_in_the_code() -> None:
    announced = desk("usbgf", overtime_ns=MINUTE_NS)
    assert announced.faces().left.lines[1] == "Time 22:00 + 1:00"
    assert announced.state.code != desk("usbgf").state.code
