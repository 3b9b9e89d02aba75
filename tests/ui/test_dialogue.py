"""What the three buttons mean: one input for each press, holds, the code, the pages."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clock.config.settings import Preset
from clock.match.events import (
    BreakStartedEvent,
    CorrectedEvent,
    PenaltyEvent,
    PressedEvent,
    StoppedEvent,
)
from clock.match.inputs import BreakTaken, CentrePressed, Noted, OfferRefused
from clock.match.rules import FirstFlag, Proposal, Reason, Recorded
from clock.match.state import MatchState
from clock.match.types import Button, Crawford, Pair, Phase, Side
from clock.ui.dialogue import (
    CODE_PAUSE_NS,
    HOLD_NS,
    OUT_OF_TURN_NS,
    REPEAT_AFTER_NS,
    REPEAT_NS,
    SAME_MOMENT_NS,
    BreakPage,
    CodePage,
    Dialogue,
    FormPage,
    MenuPage,
    OutOfTurn,
)
from clock.ui.i18n import LANGUAGE_NAMES, LANGUAGES, sayer
from clock.ui.menu import items
from clock.units import SECOND_NS
from lab.support.desk import (
    ANY,
    MOVES,
    STILL,
    TABLES,
    C,
    Desk,
    L,
    Move,
    R,
    after_game,
    at_points,
    desk,
    form_items,
    offered,
    ready,
    running,
    stopped,
)
from lab.support.examples import examples
from lab.support.rows import rest_slow
from lab.support.rulings import prove

MOVING = (Phase.RUNNING, Phase.FREE_TURN)
CODE = "LRRL"
L_SIDE = Side.LEFT
HELD_FOR_1_12_NS = REPEAT_AFTER_NS + 11 * REPEAT_NS  # a minute, then twelve seconds


# --- one press, one input, one line -----------------------------------------------------------


@pytest.mark.slow
@pytest.mark.rule("R16", "R22", "R57")
@settings(max_examples=examples(200))
@given(TABLES, MOVES, st.sampled_from(["", CODE, "L"]))
def test_a_press_leaves_exactly_one_line(table: Desk, moves: list[Move], code: str) -> None:
    """Whatever is pressed wherever: one input, one line of the log; nothing is lost or doubled."""
    table.with_code(code)
    for move in moves:
        given_before = len(table.given)
        move.at(table)
        assert len(table.given) == given_before + 1
        assert len(table.own) == 1, table.given[-1]


# --- the centre -------------------------------------------------------------------------------


@pytest.mark.rule("R20")
@pytest.mark.parametrize("phase", MOVING)
def test_the_centre_stops_at_once(phase: Phase) -> None:
    """While a turn is played it means stop as it goes down; held or let go it means no more."""
    table = ANY[phase]()
    table.down(C)
    assert isinstance(table.last(), StoppedEvent)
    assert table.state.phase is Phase.STOPPED
    count = len(table.given)
    table.pass_time(2 * HOLD_NS).up(C)
    assert len(table.given) == count
    assert table.dialogue.page is None


@pytest.mark.parametrize("phase", STILL)
def test_a_short_press_is_known_when_the_centre_comes_up(phase: Phase) -> None:
    """Down it means nothing yet, one nanosecond less than a hold is short."""
    table = after_game() if phase is Phase.READY else STILL[phase]()
    count = len(table.given)
    table.down(C).pass_time(HOLD_NS - 1)
    assert len(table.given) == count
    table.up(C)
    if phase is Phase.READY:
        assert table.dialogue.page == BreakPage()
    else:
        assert table.given[-1] == CentrePressed(table.now_ns)


@pytest.mark.parametrize("phase", rest_slow(STILL))
def test_a_hold_is_back_everywhere(phase: Phase) -> None:
    """From each entry of each item to the item in the menu, from the menu to the clock."""
    for name in form_items(STILL[phase]()):
        for depth in range(9):
            table = STILL[phase]()
            table.open_item(name)
            reached = all(_goes_on(table) for _ in range(depth))
            before = table.state
            table.hold()
            assert table.dialogue.page == MenuPage(name)
            table.hold()
            assert table.dialogue.page is None
            assert same_but_time(table.state, before)
            if not reached:
                break


def _goes_on(table: Desk) -> bool:
    if table.form.entry is None:
        return False
    table.tap(C)
    return True


def same_but_time(one: MatchState, other: MatchState) -> bool:
    """Whether nothing but time has happened."""
    return one.replace(at_ns=0) == other.replace(at_ns=0)


def test_a_hold_refuses_no_offer_that_a_page_hides() -> None:
    """It leaves the page; what is shown then can be refused."""
    table = offered()
    table.dialogue = table.dialogue.replace(page=MenuPage())
    assert isinstance(table.hold().given[-1], Noted)
    assert isinstance(table.hold().given[-1], OfferRefused)


@pytest.mark.rule("R16", "R20")
def test_a_hold_that_a_clock_start_overtakes_means_nothing() -> None:
    """READY: the centre is down when a plunger starts a clock: no menu covers a running clock."""
    table = ready()
    table.down(C).pass_time(SECOND_NS).tap(R, R)
    assert table.last() == PressedEvent(R, accepted=False, why="not_on_move")
    assert table.state.phase is Phase.RUNNING
    assert table.dialogue.hold_at_ns() is None
    table.pass_time(HOLD_NS)
    assert table.dialogue.page is None
    table.up(C)
    assert table.last() == PressedEvent(C, accepted=False, why="too_late")
    table.tap(L)
    assert table.state.running is Side.RIGHT


def test_a_spent_centre_means_nothing_after_a_stop_either() -> None:
    table = ready(on_first_flag=FirstFlag.FREEZE)
    table.down(C).tap(R).pass_time(3600 * SECOND_NS)
    assert table.state.phase is Phase.STOPPED
    table.up(C)
    assert table.last() == PressedEvent(C, accepted=False, why="too_late")
    assert table.state.phase is Phase.STOPPED


def test_a_lost_release_does_not_open_the_menu() -> None:
    """If the box never hears of it, the next press of the centre counts for itself."""
    table = ready().down(C)
    table.dialogue = table.dialogue.replace(centre_since_ns=table.now_ns)
    table.state = running().state.replace(at_ns=table.now_ns)
    table.down(C)
    assert table.dialogue.hold_at_ns() is None
    table = ready().down(C).tap(R).down(C).down(C)
    assert table.dialogue.hold_at_ns() == table.now_ns + HOLD_NS


def test_only_a_start_of_a_clock_spends_the_centre() -> None:
    table = STILL[Phase.STOPPED]()
    table.down(C).tap(R)
    assert table.dialogue.out_of_turn is None
    assert table.pass_time(HOLD_NS).dialogue.page == MenuPage()


# --- the director's code ----------------------------------------------------------------------


def coded(phase: Phase = Phase.STOPPED) -> Desk:
    """A table whose director has a code, and has held the centre."""
    return STILL[phase]().with_code(CODE).hold()


def letters(table: Desk, code: str) -> Desk:
    """Enter a code."""
    return table.tap(*(L if letter == "L" else R for letter in code))


@pytest.mark.rule("R66", "R78")
@pytest.mark.parametrize("phase", STILL)
def test_the_code_opens_the_menu(phase: Phase) -> None:
    """Nothing but the right one, in each phase; its letters change nothing else."""
    table = coded(phase)
    assert table.dialogue.page == CodePage()
    before = table.state
    letters(table, CODE[:-1])
    assert table.dialogue.page == CodePage(CODE[:-1])
    letters(table, CODE[-1])
    assert table.view.dialogue.page == MenuPage()
    assert same_but_time(table.state, before)
    assert all(isinstance(given, Noted) and given.accepted for given in table.given[-5:])


@pytest.mark.rule("R66", "R78")
@given(st.text("LR", min_size=4, max_size=4).filter(lambda code: code != CODE))
def test_a_wrong_code_opens_nothing(code: str) -> None:
    """It is refused at its last letter, and said so; another can be tried."""
    table = letters(coded(), code)
    assert table.dialogue.page == CodePage(wrong=True)
    assert table.last() == PressedEvent(Button.LEFT if code[-1] == "L" else R, False, "wrong_code")
    assert "wrong code" in table.faces().left.lines
    assert letters(table, CODE[0]).dialogue.page == CodePage(CODE[0])
    letters(table, CODE[1:])
    assert isinstance(table.dialogue.page, MenuPage)


@pytest.mark.rule("R66", "R78")
def test_three_wrong_codes_are_followed_by_a_pause() -> None:
    """No letter counts for 30 s, each is noted; closing the page and opening it does not help.

    So it is after three more.
    """
    table = coded()
    for _ in range(3):
        letters(table, "RRRR")
    until_ns = table.now_ns + CODE_PAUSE_NS
    assert table.dialogue.code_paused_until_ns == until_ns
    letters(table, CODE)
    assert isinstance(table.dialogue.page, CodePage)
    assert table.last() == PressedEvent(L, accepted=False, why="code_pause")
    assert table.hold().dialogue.page is None
    assert table.last() == PressedEvent(C, accepted=True, why="menu")
    table.hold()
    assert table.last() == PressedEvent(C, accepted=False, why="code_pause")
    assert table.faces().left.lines[1] == f"Wait 0:{-(-(until_ns - table.now_ns) // SECOND_NS)}"
    table.pass_time(until_ns - table.now_ns - 1).down(L)
    assert table.last() == PressedEvent(L, accepted=False, why="code_pause")
    table.pass_time(1)
    letters(table, "RRRRRRRR")
    assert table.dialogue.code_paused_until_ns == until_ns
    letters(table, "RRRR")
    assert table.dialogue.code_paused_until_ns == table.now_ns + CODE_PAUSE_NS
    table.pass_time(CODE_PAUSE_NS)
    letters(table, CODE)
    assert table.view.dialogue.page == MenuPage()
    assert table.dialogue.wrong_codes == 0


def test_the_code_page_can_be_left() -> None:
    """A short press and a hold close it; what was entered is forgotten."""
    assert letters(coded(), "LR").tap(C).dialogue.page is None
    table = letters(coded(), "LR").hold()
    assert table.dialogue.page is None
    assert table.hold().dialogue.page == CodePage()


# --- breaks -----------------------------------------------------------------------------------


@pytest.mark.rule("R55", "R56", "R57")
def test_the_break_page_counts_breaks() -> None:
    """A plunger takes one more of its player's own, after the last none; the centre begins."""
    table = after_game(length=17).tap(C, L, L, R)
    assert table.dialogue.page == BreakPage(Pair(2, 1))
    table.tap(L)
    assert table.dialogue.page == BreakPage(Pair(0, 1))
    table.tap(R, C)
    assert table.given[-1] == BreakTaken(table.now_ns, Pair(0, 2))
    assert isinstance(table.last(), BreakStartedEvent)
    assert table.state.phase is Phase.BREAK
    assert table.dialogue.page is None


def test_the_break_page_is_left_without_a_break() -> None:
    for table in (after_game().tap(C).tap(C), after_game().tap(C).tap(L).hold()):
        assert table.dialogue.page is None
        assert table.state.phase is Phase.READY


@pytest.mark.rule("R55")
def test_without_breaks_left_there_is_no_page() -> None:
    """The press goes to the machine, which says that there is none; no key promises one."""
    table = after_game(best_of_three=True)
    assert table.faces().left.keys[1] == "hold: TD"
    table.tap(C)
    assert table.dialogue.page is None
    assert table.last() == PressedEvent(C, accepted=False, why="no_break")


# --- forms ------------------------------------------------------------------------------------


def test_a_menu_goes_round() -> None:
    """Left of the first item is the last, right of the last the first."""
    table = STILL[Phase.STOPPED]().hold()
    offered = items(table.state)
    assert table.tap(L).dialogue.page == MenuPage(offered[-1].name)
    assert table.tap(R).dialogue.page == MenuPage(offered[0].name)


def test_neither_presets_nor_a_ruling_of_another_version_are_in_the_way_of_the_menu() -> None:
    table = stopped()
    table.dialogue = table.dialogue.replace(choices=(Preset("", table.state.settings),))
    table.state = table.state.replace(proposal=Proposal("ruling-01", "Eva", "gone", ()))
    assert table.open_item("set_time").form.item.name == "set_time"


@pytest.mark.rule("R218")
def test_a_ruling_that_is_carried_out_is_named() -> None:
    table = stopped()
    table.state = table.state.replace(proposal=Proposal("ruling-01", "Eva", "swap", ()))
    assert table.hold().tap(C).records[-1].carries_out == "ruling-01"


def test_a_menu_keeps_its_item() -> None:
    """The selection is an item, not a place; one that is gone is the first again."""
    offered = items(STILL[Phase.STOPPED]().state)
    assert MenuPage(offered[3].name).index(offered) == 3
    assert MenuPage("unknown").index(offered) == 0


def test_plungers_do_nothing_where_the_centre_decides() -> None:
    table = STILL[Phase.STOPPED]().open_item("resume").through()
    page = table.dialogue.page
    assert isinstance(page, FormPage)
    table.tap(L, R)
    assert table.dialogue.page == page
    assert all(isinstance(given, Noted) for given in table.given[-2:])


# --- a press out of turn ----------------------------------------------------------------------


@pytest.mark.rule("R16")
@pytest.mark.parametrize("phase", MOVING)
def test_a_press_out_of_turn_is_shown_for_a_while(phase: Phase) -> None:
    """It is ignored, logged, and said to the one who pressed; the next press ends that."""
    table = ANY[phase]()
    table.tap(R)
    assert table.last() == PressedEvent(R, accepted=False, why="not_on_move")
    pressed_ns = table.given[-1].at_ns
    assert table.dialogue.out_of_turn == OutOfTurn(Side.RIGHT, pressed_ns + OUT_OF_TURN_NS)
    assert table.faces().map(lambda face: face.status).right == "Not on move"
    table.pass_time(pressed_ns + OUT_OF_TURN_NS - 1 - table.now_ns)
    assert table.faces().right.status == "Not on move"
    table.pass_time(1)
    assert table.faces().right.status == ""
    assert table.tap(R).tap(L).dialogue.out_of_turn is None
    assert table.tap(L).down(C).dialogue.out_of_turn is None


@pytest.mark.rule("R85", "R217")
@pytest.mark.parametrize("phase", [Phase.READY, *MOVING])
@pytest.mark.parametrize("gap_ns", [0, 3_000_000, SAME_MOMENT_NS - 1, SAME_MOMENT_NS])
@pytest.mark.parametrize("first", [L, R])
def test_two_plungers_in_one_moment_end_one_turn(phase: Phase, gap_ns: int, first: Button) -> None:
    """Whichever is first, and a turn that is not timed too; the other one is told and logged."""
    table = ANY[phase]()
    mover = first if table.state.turn is None else Button(table.state.turn.side.value)
    second = R if first is L else L
    table.tap(first).pass_time(gap_ns).tap(second)
    one = first is not mover or gap_ns < SAME_MOMENT_NS
    last = mover if one else second
    assert table.state.turn is not None
    assert table.state.turn.side.value != last.value
    if one and first is mover:
        assert table.last() == PressedEvent(second, accepted=False, why="same_moment")
        assert table.faces()[Side(second.value)].status == "Both at once"
        table.pass_time(OUT_OF_TURN_NS)
        assert table.faces()[Side(second.value)].status != "Both at once"
        table.tap(second)
        assert table.last() == PressedEvent(second, accepted=True, why=None)
    prove(table)


def test_a_press_counts_as_a_turn_is_stopped_or_after_a_restart() -> None:
    """Neither is the second of two players who press at once."""
    assert ready().tap(R).down(C).tap(L).state.reason is not Reason.UNSPECIFIED
    table = running()
    table.dialogue = Dialogue()
    assert table.tap(L).state.running is Side.RIGHT


def test_cube_and_gammon_are_asked_for_where_they_are_recorded_and_not_known() -> None:
    cube = (Recorded.CUBE,)
    assert isinstance(at_points(record=cube).tap(L, L, C).dialogue.page, FormPage)
    known = [at_points(record=cube).tap(*taps) for taps in ([C], [L, C])]
    known += [at_points(record=cube).tap(L, L).open_item("end_match").through().tap(C, C)]
    for table in (*known, at_points().tap(L, L, C), stopped(record=cube).tap(C)):
        assert table.dialogue.page is None


def test_a_release_means_nothing_while_the_centre_was_not_down() -> None:
    assert desk().up(C).given == []


@pytest.mark.rule("R107")
def test_the_players_have_two_answers_to_the_crawford_question() -> None:
    """EBF 4.4(iv): one point away this game is it, or it has been played; the record says who."""
    assert desk(length=7, score=(6, 3)).tap(L, C).dialogue.page is None
    over = desk(length=7, score=(6, 3)).tap(L, R).open_item("end_match").through().tap(C, C)
    assert over.dialogue.page is None
    table = desk(length=7, score=(6, 3)).tap(L, R, C)
    assert table.faces().left.lines == ("already played", "...", "this game")
    event = table.enter(Crawford.NOW).tap(C).last()
    assert isinstance(event, CorrectedEvent)
    assert (event.what, event.new, event.by) == ("crawford", "now", "players")


def test_a_hold_on_the_question_to_the_players_leaves_it() -> None:
    """The menu would open without the code."""
    table = desk(length=7, score=(6, 3)).with_code(CODE).tap(L, R, C)
    assert isinstance(table.dialogue.page, FormPage)
    assert table.hold().dialogue.page is None
    assert table.hold().dialogue.page == CodePage()


# --- a held plunger, and few presses (R133) -----------------------------------------------------


def numbered(table: Desk) -> Desk:
    """The entry of seconds of a time that is added."""
    return table.open_item("add_time").enter(L_SIDE).tap(C, C)


@pytest.mark.rule("R133")
def test_a_held_plunger_repeats_and_grows_faster() -> None:
    """Once, after 0.5 s again, 8 times a second, after 2 s 20 times; when it comes up no more."""
    table = numbered(ready().pass_time(60 * SECOND_NS))
    seen = []
    table.down(R)
    for _ in range(31):
        seen.append(int(table.faces().left.lines[0][-3:-1]))
        table.pass_time(SECOND_NS // 8)
    assert seen[:5] == [1, 1, 1, 1, 2]
    assert seen[5:17] == list(range(3, 15))
    assert seen[30] - seen[22] == 20
    table.up(R)
    before = table.faces()
    assert table.pass_time(5 * SECOND_NS).faces() == before
    assert len(table.records) == len([r for r in table.records if "accepted=False" not in str(r)])


@pytest.mark.rule("R133")
@pytest.mark.parametrize("phase", Phase)
def test_a_held_plunger_never_repeats_in_play(phase: Phase) -> None:
    """Without a page, and on those of the code and of breaks, it means one press; nor for ever."""
    table = ANY[phase]().down(R)
    count = len(table.given)
    assert table.dialogue.repeat_at_ns() is None
    assert len(table.pass_time(3 * SECOND_NS).given) == count
    stuck = numbered(ready()).down(R).pass_time(60 * SECOND_NS)
    before = stuck.faces()
    assert stuck.pass_time(SECOND_NS // 3).faces() == before
    assert numbered(ready()).down(R).hold().dialogue.repeat_at_ns() is None
    assert after_game().tap(C).down(R).dialogue.repeat_at_ns() is None


def presses(table: Desk, act: Callable[[Desk], Desk]) -> int:
    """How many times a button goes down, and the event that comes of it."""
    before = len(table.given)
    act(table)
    assert table.dialogue.page is None
    return len(table.given) - before


@pytest.mark.rule("R133")
def test_ten_presses_are_enough_between_games() -> None:
    """1:12 more for a player, and a point for conduct; a held plunger is one press.

    Without a held plunger 1:12 takes no more than fifteen.
    """

    def more(table: Desk) -> Desk:
        table.open_item("add_time").tap(L, C)
        table.hold_down(R, HELD_FOR_1_12_NS)
        assert table.faces().left.lines[0].strip() == "+1 :[12]"
        return table.tap(C, C, C)

    tapped = (L, C, R, C, R, C, R, R)
    table = after_game()
    left_ns = table.reserve_ns(L_SIDE)
    assert presses(table, more) <= 10
    assert table.reserve_ns(L_SIDE) == left_ns + 72 * SECOND_NS
    table = after_game()
    assert presses(table, lambda t: t.open_item("add_time").tap(*tapped, C, C, C)) <= 15
    assert table.reserve_ns(L_SIDE) == left_ns + 72 * SECOND_NS
    table = after_game()
    assert presses(table, lambda t: t.open_item("penalty").tap(L, C, R, C, R, C, C)) <= 10
    event = table.last()
    assert isinstance(event, PenaltyEvent)
    assert (event.side, event.why, event.points) == (L_SIDE, "conduct", 1)


@pytest.mark.rule("R210")
def test_a_plunger_chooses_its_side_and_the_centre_takes_it() -> None:
    """Nothing is taken before the centre, and no second press or hold leads to the other side."""
    table = ready().open_item("breaks").tap(C)
    assert not table.form.values
    table.tap(R, R).hold_down(L, 3 * SECOND_NS).tap(L)
    assert tuple(table.faces().map(lambda face: face.keys)) == (("", "OK", ""), ("", "OK", "Right"))
    assert table.tap(C).form.values == (L_SIDE,)


@pytest.mark.rule("R133")
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_language_is_changed_in_the_menu(language: str) -> None:
    """Each is called as it calls itself; the panels speak it at once, and the log notes a press."""
    table = ready().open_item("language").enter(language)
    assert LANGUAGE_NAMES[language] in table.faces().right.lines
    assert table.tap(C).language == language
    assert table.faces().left.status == sayer(language)("ready")
    assert table.last() == PressedEvent(Button.CENTRE, accepted=True, why="menu")
