"""The two panels as a clock: who runs, what is left of delay and reserve, and when that changes."""

import ast
import re
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clock
from clock.config.schema import SoundTable
from clock.match.machine import next_deadline
from clock.match.rules import EarlyPickup, Method, Reason
from clock.match.types import NextDelay, Pair, Phase, Side
from clock.runtime.ports import Ports
from clock.ui.face import next_face_ns
from clock.ui.names import short_names
from clock.ui.pages import faces
from clock.units import MINUTE_NS, SECOND_NS
from hardware.face import Face
from lab.support.desk import (
    ANY,
    MOVES,
    TABLES,
    C,
    Desk,
    L,
    Move,
    R,
    absent,
    carried_out,
    desk,
    flagged,
    in_break,
    ready,
    stopped,
)
from lab.support.examples import examples
from lab.support.world import LEFT, inputs

DELAY_NS = 12 * SECOND_NS


# --- who runs, and what is left ---------------------------------------------------------------


@pytest.mark.rule("R18", "R51")
@pytest.mark.parametrize("phase", ANY)
def test_at_most_one_panel_is_inverted(phase: Phase) -> None:
    """The whole panel of the side whose clock runs, no other; nobody's while none runs."""
    table = ANY[phase]()
    inverted = [side for side in Side if table.faces()[side].running]
    assert inverted == [side for side in Side if table.state.running is side]
    assert len(inverted) == (phase is Phase.RUNNING)


@pytest.mark.rule("R51")
@given(st.integers(0, DELAY_NS))
def test_the_bar_agrees_with_the_number(used_ns: int) -> None:
    """Both go down by the second; the delay is 0 exactly when the reserve runs."""
    left = ready().tap(R).pass_time(used_ns).faces().left
    assert left.delay_permille == int(left.delay) * 1000 // 12
    assert (left.delay == "0") == (left.status == "Time") == (used_ns == DELAY_NS)


@pytest.mark.rule("R13", "R51")
def test_without_a_delay_none_is_shown() -> None:
    """NBgF Analog: the reserve alone."""
    left, right = ready("nbgf-analog").tap(R).pass_time(3 * SECOND_NS).faces()
    assert (left.delay, left.status, right.delay) == ("", "Time", "")


@pytest.mark.rule("T6")
def test_bronstein_shows_one_number() -> None:
    """Reserve and delay together; in the turn it begins with, at most what the arithmetic has."""
    table = ready(method=Method.BRONSTEIN).tap(R)
    whiles = (0, 6 * SECOND_NS, 6 * SECOND_NS, 6 * SECOND_NS)
    reserves = [table.pass_time(while_ns).faces().left.reserve for while_ns in whiles]
    assert reserves == ["22:12", "22:06", "22:00", "21:54"]
    assert table.faces().left.delay == table.faces().right.delay == ""


@pytest.mark.rule("R23", "R51")
def test_a_forfeited_delay_is_seen() -> None:
    """Before the turn, beside a delay of 0; it can be waived by the director."""
    table = carried_out(Reason.EARLY_PICKUP)
    right = table.faces().right
    assert (right.delay, right.delay_note, right.delay_permille) == ("0", "NO DELAY", 0)
    table.tap(L)
    right = table.faces().right
    assert (right.running, right.delay, right.status) == (True, "0", "Time")


@pytest.mark.rule("R25", "R51")
def test_wait_is_shown() -> None:
    """AWAIT DELAY before the turn; in the turn WAIT FOR 0 until the delay has run out."""
    table = carried_out(Reason.EARLY_PICKUP, early_pickup=EarlyPickup.WAIT)
    assert table.faces().right.delay_note == "AWAIT DELAY"
    table.tap(L).pass_time(DELAY_NS - 1)
    assert (table.faces().right.delay_note, table.faces().right.delay) == ("WAIT FOR 0", "1")
    table.pass_time(1)
    assert (table.faces().right.delay_note, table.faces().right.status) == ("", "Time")


@pytest.mark.rule("R25", "R27")
def test_wait_is_shown_after_an_illegal_move() -> None:
    """EBF 4.2(iii)(c): the mover waits out the delay; NBgF 4-2-3: no wait."""
    assert carried_out(Reason.ILLEGAL_MOVE).faces().right.delay_note == "WAIT FOR 0"
    assert carried_out(Reason.ILLEGAL_MOVE, "nbgf").faces().right.delay_note == ""


@pytest.mark.rule("R42")
def test_the_order_of_flags_is_seen() -> None:
    """Each flag says whether it was the first, on its own side, while clocks run and after."""
    table = flagged(both=True)
    assert table.faces().map(lambda face: face.flag) == Pair("FLAG 1", "FLAG 2")
    table.tap(C)
    assert table.faces().map(lambda face: face.flag) == Pair("FLAG 1", "FLAG 2")
    assert table.faces().map(lambda face: face.reserve) == Pair("0:00", "0:00")


@pytest.mark.rule("R40", "R50")
@pytest.mark.parametrize("practice", [False, True])
def test_nothing_left_is_shown_with_the_flag_only(practice: bool) -> None:
    """In practice, where none falls, "0:00" is the first second without a reserve."""
    match = msgspec.structs.replace(ready().state.settings, practice=practice)
    table = Desk(match).tap(L, R, C, R).pass_time(DELAY_NS + 22 * MINUTE_NS - 1)
    left = table.faces().left
    assert (left.reserve, left.flag, left.status) == ("0.2", "", "Time")
    left = table.pass_time(1).faces().left
    said = ("", "Practice") if practice else ("FLAG 1", "Time")
    assert (left.reserve, left.flag, left.status) == ("0:00", *said)
    table = stopped()
    table.input(inputs.TimeSet, side=LEFT, new_ns=0, why="director")
    assert (table.faces().left.reserve, table.faces().left.flag) == ("0.0", "")


def test_what_the_side_on_the_clock_does() -> None:
    """An untimed turn; absent, with its clock started by the director."""
    assert carried_out(Reason.EARLY_PICKUP).faces().left.status == "Untimed turn"
    table = absent("nbgf")
    table.input(inputs.AbsentClockStarted, side=LEFT)
    assert (table.faces().left.status, table.faces().right.status) == ("Absent", "")


def test_warnings_are_on_both_panels() -> None:
    for make in ANY.values():
        view = make().view._replace(warnings=("LOG NOT SAVED",))
        assert all(face.warnings == ("LOG NOT SAVED",) for face in faces(view, 10**15))


# --- nothing can be heard ---------------------------------------------------------------------

SOUND = re.compile(r"buzz|sound|beep|tone|\\a|\\x07", re.IGNORECASE)
# `config` reads what the director's file says; `apps` adds a buzzer if the file names one.
MAY_NAME_IT = {"apps", "config"}


@pytest.mark.rule("R82")
def test_nothing_of_the_game_can_make_a_sound() -> None:
    """A sound would announce a flag: no face, port or module of the game has one."""
    fields = {*Face.__struct_fields__, *Ports.__annotations__}
    assert not any(SOUND.search(field) for field in fields)
    heard = [
        (path.name, node.id if isinstance(node, ast.Name) else node.attr)
        for path in Path(clock.__file__).parent.rglob("*.py")
        if path.parent.name not in MAY_NAME_IT
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Name | ast.Attribute)
        and SOUND.search(node.id if isinstance(node, ast.Name) else node.attr)
    ]
    assert heard == []


@pytest.mark.rule("R82")
def test_the_clock_is_silent_as_delivered() -> None:
    assert (SoundTable().buzzer_pin, SoundTable().low_time) == (0, False)


# --- when a face changes by itself ------------------------------------------------------------


def shown(table: Desk, at_ns: int) -> Pair[Face]:
    """The panels at an instant, if nothing happens until then."""
    return faces(table.view, at_ns)


def holds_until_its_change(table: Desk, part: int) -> None:
    """Up to `next_face_ns` the panels stay as they are, and at it they change."""
    now_ns = table.now_ns
    change_ns, due_ns = next_face_ns(table.view, now_ns), next_deadline(table.state)
    far_ns = now_ns + 100 * MINUTE_NS
    quiet_ns = min(limit for limit in (change_ns, due_ns, far_ns) if limit is not None)
    before = shown(table, now_ns)
    if quiet_ns > now_ns:
        for at_ns in {now_ns + part % (quiet_ns - now_ns), quiet_ns - 1}:
            assert shown(table, at_ns) == before
    if change_ns is not None:
        assert change_ns > now_ns
        if due_ns is None or change_ns <= due_ns:
            assert shown(table, change_ns) != before


@pytest.mark.slow
@settings(max_examples=examples(100))
@given(TABLES, MOVES, st.booleans(), st.integers(0, 10**12))
def test_a_face_stays_until_it_is_said_to_change(
    table: Desk, moves: list[Move], coded: bool, part: int
) -> None:
    """The loop need not look before, and must then: no tick, and nothing stale (R51)."""
    table.with_code("LRL" if coded else "")
    holds_until_its_change(table, part)
    for move in moves:
        move.at(table)
        holds_until_its_change(table, part)


@pytest.mark.parametrize("profile", ["ebf", "nbgf-analog"])
@pytest.mark.parametrize("method", Method)
@pytest.mark.parametrize("flag", [False, True])
@pytest.mark.parametrize("delay", NextDelay)
@given(left_ns=st.integers(1, 25 * SECOND_NS), after_ns=st.integers(0, 40 * SECOND_NS))
@settings(max_examples=examples(10))
def test_low_time_is_shown_to_the_tenth(
    profile: str, method: Method, flag: bool, delay: NextDelay, left_ns: int, after_ns: int
) -> None:
    """Near the flag, with every delay and display, each tenth is shown on time."""
    table = ready(profile, method=method)
    table.input(inputs.TimeSet, side=LEFT, new_ns=left_ns, why="director")
    table.input(inputs.DelayRuled, side=LEFT, delay=delay)
    if flag:
        table.input(inputs.FlagSet, side=LEFT, order=1)
    table.tap(R).pass_time(after_ns)
    holds_until_its_change(table, after_ns)


def changes(table: Desk, count: int) -> list[int]:
    """The next instants at which a face changes by itself, as far from now."""
    instants, view = [], table.view
    now_ns = table.now_ns
    for _ in range(count):
        change_ns = next_face_ns(view, now_ns)
        if change_ns is None:
            break
        instants.append(change_ns - table.now_ns)
        now_ns = change_ns
    return instants


@pytest.mark.parametrize("phase", [*(phase for phase in ANY if phase is not Phase.RUNNING)])
def test_nothing_moves_while_nothing_runs(phase: Phase) -> None:
    """The loop sleeps; only a break counts down, and nothing in it while the menu covers it."""
    table = ANY[phase]()
    assert (changes(table, 1) == []) == (phase is not Phase.BREAK)
    table.tap(C)
    if table.state.phase is not Phase.RUNNING:
        assert changes(table.hold() if phase is Phase.BREAK else table, 1) == []


def test_what_counts_up_changes_by_the_second() -> None:
    """Lateness while it is shown, of both players; a break before and after its end."""
    assert changes(absent(), 3) == [SECOND_NS, 2 * SECOND_NS, 3 * SECOND_NS]
    table = absent().pass_time(SECOND_NS // 4)
    table.input(inputs.AbsenceNoted, side=Side.RIGHT)
    assert changes(table, 2) == [SECOND_NS * 3 // 4, SECOND_NS]
    table = in_break().pass_time(5 * MINUTE_NS - SECOND_NS // 2)
    assert changes(table, 2) == [SECOND_NS // 2, 3 * SECOND_NS // 2]
    pressed = ready().tap(R).pass_time(SECOND_NS // 4).tap(R)  # out of turn, which is said for 3 s
    assert changes(pressed, 4) == [each * SECOND_NS // 4 for each in (3, 7, 11, 12)]
    assert changes(absent().hold(), 1) == []
    table = absent()
    table.input(inputs.ClockRemoved)
    assert changes(table, 1) == []


def test_the_pause_after_wrong_codes_counts_down() -> None:
    table = stopped().with_code("L").hold().tap(R, R, R)
    assert table.faces().left.lines[1] == "Wait 0:30"
    table.pass_time(28 * SECOND_NS)
    assert changes(table, 9) == [SECOND_NS, 2 * SECOND_NS]
    table.pass_time(2 * SECOND_NS)
    assert table.faces().left.lines[1] == ""


@pytest.mark.rule("R80")
def test_the_sides_have_their_own_panels() -> None:
    table, names = desk(), Pair("Jan de Vries", "Pieter de Vries")
    table.state = table.state.replace(names=names)
    for side, face in zip(Side, table.faces(), strict=True):
        assert face.short_names == short_names(names[side], names[side.other])
    table = stopped()
    before = table.faces().map(lambda face: face.reserve)
    table.open_item("swap").tap(C)
    assert table.faces().map(lambda face: face.reserve) == before.swapped()


def test_a_face_is_plain() -> None:
    """Built-in types only, so that it can cross to a panel's thread."""
    for make in ANY.values():
        for face in make().faces():
            assert msgspec.convert(msgspec.to_builtins(face), Face) == face
