"""The known faults of other clocks (T1 to T14) that a state machine could repeat."""

import ast
from pathlib import Path

import pytest

import clock
from clock.match.events import FlagFellEvent, PressedEvent, Record
from clock.match.inputs import Pressed, TimePassed
from clock.match.machine import advance, next_deadline
from clock.match.rules import Reason
from clock.match.state import MatchState
from clock.match.types import Button, Phase, Side
from clock.units import SECOND_NS
from tests.support.world import LEFT, RIGHT, World, inputs

MS_NS = 1_000_000
DELAY_NS = 12 * SECOND_NS
BANK_NS = 22 * 60 * SECOND_NS  # of an 11-point match

PURE = ("match", "eventlog", "ui")
CLOCKS = {"time", "datetime", "calendar", "sched", "asyncio", "threading", "random", "secrets"}


def with_reserve(world: World, side: Side, new_ns: int) -> World:
    """The same world after the director has set a reserve."""
    return world.act(inputs.TimeSet, side=side, new_ns=new_ns, why="test")


def flags(world: World) -> list[tuple[Side, int]]:
    """The flags that have fallen, with their instants."""
    return [
        (record.event.side, record.at_ns)
        for record in world.records
        if isinstance(record.event, FlagFellEvent)
    ]


@pytest.mark.rule("T1")
@pytest.mark.parametrize("step_ns", [10 * MS_NS, 9_999_999, 10 * MS_NS + 1, 1])
def test_t1_many_quick_presses_are_charged_exactly(step_ns: int) -> None:
    """T1: 100 presses 10 ms apart: every charge exact, and their sum exact."""
    world = World.running(LEFT, delay_ns=0)
    for number in range(100):
        mover = LEFT if number % 2 == 0 else RIGHT
        before_ns = world.reserve_ns(mover)
        world.press(mover, after=step_ns)
        assert world.reserve_ns(mover) == before_ns - step_ns
    assert world.reserve_ns(LEFT) == world.reserve_ns(RIGHT) == BANK_NS - 50 * step_ns


@pytest.mark.rule("T1", "R10")
def test_t1_within_the_delay_nothing_is_charged() -> None:
    """T1, R10: 100 moves of 3 s: both reserves unchanged, and the next delay is 12 s, not more."""
    world = World.running(LEFT)
    for number in range(100):
        world.press(LEFT if number % 2 == 0 else RIGHT, after="0:03")
        assert world.delay_ns == DELAY_NS
    assert world.reserve_ns(LEFT) == world.reserve_ns(RIGHT) == BANK_NS


@pytest.mark.rule("T2", "R9", "R38")
@pytest.mark.parametrize(
    ("turn_ns", "left_ns"),
    [
        (DELAY_NS - 1, BANK_NS),
        (DELAY_NS, BANK_NS),
        (DELAY_NS + 1, BANK_NS - 1),
        (DELAY_NS + MS_NS, BANK_NS - MS_NS),
        (DELAY_NS + BANK_NS - MS_NS, MS_NS),
        (DELAY_NS + BANK_NS - 1, 1),
    ],
)
def test_t2_turns_at_the_edges(turn_ns: int, left_ns: int) -> None:
    """T2: turns of D, D+1 ms, R+D-1 ms (and the nanosecond) cost 0, 1 ms, R-1 ms; no flag."""
    world = World.running(LEFT).press(LEFT, after=turn_ns)
    assert world.reserve_ns(LEFT) == left_ns
    assert world.state.running is RIGHT
    assert flags(world) == []


@pytest.mark.rule("T2", "R38", "R40")
def test_t2_the_flag_falls_at_reserve_plus_delay() -> None:
    """T2: a turn of R+D: the flag falls at that instant and not before; the press still works."""
    world = World.running(LEFT).wait(DELAY_NS + BANK_NS - 1)
    assert flags(world) == []
    world.press(LEFT, after=1)
    assert flags(world) == [(LEFT, DELAY_NS + BANK_NS)]
    assert world.reserve_ns(LEFT) == 0
    assert world.state.running is RIGHT


@pytest.mark.rule("T3")
def test_t3_an_empty_reserve_is_playable_within_the_delay() -> None:
    """T3: reserve 0: turns under 12 s for ever without a flag; it falls at 12.000 s."""
    world = World.ready()
    with_reserve(with_reserve(world, LEFT, 0), RIGHT, 0).press(RIGHT)
    for number in range(1_000):
        world.press(LEFT if number % 2 == 0 else RIGHT, after=DELAY_NS - 1)
    assert flags(world) == []
    started_ns = world.now_ns
    world.wait(DELAY_NS - 1)
    assert flags(world) == []
    world.wait(1)
    assert flags(world) == [(LEFT, started_ns + DELAY_NS)]


@pytest.mark.rule("T4", "R21")
@pytest.mark.parametrize("reason", [Reason.UNSPECIFIED, Reason.DIRECTOR_CALLED])
def test_t4_a_stop_inside_the_delay_keeps_the_rest(reason: Reason) -> None:
    """T4: stopped at 5 s of the delay and gone on: 7 s are left, however often and how long."""
    world = World.running(LEFT).wait("0:05").stop_for(reason)
    assert world.delay_ns == 7 * SECOND_NS
    for _ in range(50):
        world.centre().centre(after="10:00")
    assert world.delay_ns == 7 * SECOND_NS
    world.press(LEFT, after="0:08")
    assert world.reserve_ns(LEFT) == BANK_NS - SECOND_NS


@pytest.mark.rule("T4", "R31")
def test_t4_a_fresh_delay_needs_an_explicit_act() -> None:
    """T4, R31: only an invalid roll restarts the delay; used reserve stays used."""
    world = World.running(LEFT).wait("0:15").centre().centre()
    assert world.delay_ns == 0
    world.stop_for(Reason.INVALID_ROLL)
    assert world.delay_ns == DELAY_NS
    assert world.reserve_ns(LEFT) == BANK_NS - 3 * SECOND_NS


@pytest.mark.rule("T5", "R22")
def test_t5_presses_while_stopped_charge_nothing() -> None:
    """T5: a stopped clock: presses of either plunger change no time, then it goes on exactly."""
    world = World.running(LEFT).wait("0:17").centre()
    turn, players = world.state.turn, world.state.players
    for number in range(2 * len(world.state.settings.rules.reasons)):
        world.press(LEFT if number % 3 else RIGHT, after="0:01")
        assert (world.state.turn, world.state.players) == (turn, players)
        assert world.phase is Phase.STOPPED
    world.choose(Reason.UNSPECIFIED).centre()
    assert world.state.running is LEFT
    assert world.delay_ns == 0
    assert world.reserve_ns(LEFT) == BANK_NS - 5 * SECOND_NS
    assert world.reserve_ns(RIGHT) == BANK_NS


@pytest.mark.rule("T5", "R16", "R22")
def test_t5_the_opponents_plunger_changes_nothing() -> None:
    """T5: hammering the plunger of the side that does not run is logged and costs no time."""
    world = World.running(LEFT)
    for _ in range(100):
        world.press(RIGHT, after="0:01")
        assert world.last() == PressedEvent(Button.RIGHT, accepted=False, why="not_on_move")
    assert world.state.running is LEFT
    assert world.reserve_ns(LEFT) == BANK_NS - 88 * SECOND_NS
    assert world.reserve_ns(RIGHT) == BANK_NS


# T6: `test_oracle` has the random sequences; here is the case that tells the methods apart.


@pytest.mark.rule("T6", "R11", "R12")
@pytest.mark.parametrize("method", ["simple-delay", "bronstein"])
def test_t6_no_flag_inside_the_delay(method: str) -> None:
    """T6, R11: 10 s left and a move of 11 s: no flag and still 10 s, under either name."""
    world = with_reserve(World.ready(method=method), LEFT, 10 * SECOND_NS)
    world.press(RIGHT).press(LEFT, after="0:11")
    assert flags(world) == []
    assert world.reserve_ns(LEFT) == 10 * SECOND_NS
    world.press(RIGHT).press(LEFT, after=21_900 * MS_NS)
    assert flags(world) == []
    assert world.reserve_ns(LEFT) == 100 * MS_NS


def imported(path: Path) -> set[str]:
    """The names of the top-level packages that a module imports anywhere."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add((node.module or "").partition(".")[0])
    return names


@pytest.mark.rule("T7")
def test_t7_no_pure_module_knows_a_clock() -> None:
    """T7: pure packages import no clock, thread or source of randomness."""
    (folder,) = clock.__path__
    for package in PURE:
        for module in (Path(folder) / package).rglob("*.py"):
            assert imported(module).isdisjoint(CLOCKS), module


@pytest.mark.rule("T7")
def test_t7_the_machine_makes_no_call_outside_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """T7: a match is the same while every clock of the system is broken."""
    expected = short_match()

    def broken(*_: object) -> int:
        raise AssertionError("somebody asked for the time")

    with monkeypatch.context() as patched:
        for name in ("time", "time_ns", "monotonic", "monotonic_ns", "clock_gettime_ns"):
            patched.setattr(f"time.{name}", broken)
        told = short_match()
    assert told == expected


@pytest.mark.rule("T7")
def test_t7_only_differences_of_instants_count() -> None:
    """T7: the same match at another origin of the raw clock has the same times, shifted."""
    shift_ns = 3600 * SECOND_NS + 1
    here, there = short_match(), short_match(shift_ns)
    assert [record.at_ns + shift_ns for record in here] == [record.at_ns for record in there]
    for one, other in zip(here, there, strict=True):
        assert (one.event, one.phase, one.running) == (other.event, other.phase, other.running)
        assert (one.left_ns, one.right_ns) == (other.left_ns, other.right_ns)
        assert one.delay_ns == other.delay_ns


def short_match(origin_ns: int = 0) -> list[Record]:
    """The records of some turns, a stop and two flags, from an origin of time on."""
    world = World.ready()
    world.now_ns = origin_ns
    with_reserve(with_reserve(world, LEFT, SECOND_NS), RIGHT, 2 * SECOND_NS)
    first = len(world.records)
    world.press(RIGHT, after="0:09").press(LEFT, after="0:12").press(RIGHT, after="0:13")
    world.centre(after="0:05").centre(after="5:00").press(LEFT, after="0:10")
    world.wait("1:00").stop_for(Reason.TIME_EXPIRED)
    return world.records[first:]


@pytest.mark.rule("T9", "R15")
@pytest.mark.parametrize("low_roller", [LEFT, RIGHT])
def test_t9_each_first_turn_has_the_full_delay(low_roller: Side) -> None:
    """T9: after minutes of dice and settings, both players' first turns begin with 12 s."""
    world = World.ready().wait("7:00").press(low_roller)
    assert world.state.running is low_roller.other
    assert world.delay_ns == DELAY_NS
    world.press(low_roller.other, after="0:12")
    assert world.state.running is low_roller
    assert world.delay_ns == DELAY_NS
    world.press(low_roller, after="0:12")
    assert world.reserve_ns(LEFT) == world.reserve_ns(RIGHT) == BANK_NS


@pytest.mark.rule("T10", "R38", "R17")
@pytest.mark.parametrize("woken_ns", [0, 1, 7 * SECOND_NS, 3600 * SECOND_NS])
def test_t10_a_flag_without_a_press_is_raised_at_its_instant(woken_ns: int) -> None:
    """T10: whenever somebody looks, the flag is stamped when it fell, and the turn goes on."""
    world = World.running(LEFT)
    assert next_deadline(world.state) == DELAY_NS + BANK_NS
    world.wait(DELAY_NS + BANK_NS + woken_ns)
    assert flags(world) == [(LEFT, DELAY_NS + BANK_NS)]
    record = world.records[-1]
    assert (record.left_ns, record.delay_ns, record.running) == (0, 0, LEFT)
    assert world.state.running is LEFT
    assert next_deadline(world.state) is None


@pytest.mark.rule("T11", "R39")
@pytest.mark.parametrize("handled_ns", [1, 5 * MS_NS, SECOND_NS])
def test_t11_a_press_stamped_before_the_flag_wins(handled_ns: int) -> None:
    """T11: a press stamped 1 ns before the flag, but handled after it was due: there is no flag."""
    flag_at_ns = DELAY_NS + BANK_NS
    state = World.running(LEFT).state
    state, pressed = advance(state, Pressed(flag_at_ns - 1, LEFT))
    state, later = advance(state, TimePassed(flag_at_ns + handled_ns))
    assert [type(record.event) for record in (*pressed, *later)] == [PressedEvent]
    assert state.flags_down == 0
    assert state.running is RIGHT
    assert state.reserve_ns(LEFT, flag_at_ns) == 1


@pytest.mark.rule("T11", "R38", "R39")
@pytest.mark.parametrize("after_ns", [0, 1, 5 * MS_NS])
def test_t11_a_press_stamped_after_the_flag_loses(after_ns: int) -> None:
    """T11: a press stamped at the flag's instant or later does not undo it."""
    flag_at_ns = DELAY_NS + BANK_NS
    state, records = advance(World.running(LEFT).state, Pressed(flag_at_ns + after_ns, LEFT))
    assert [(type(record.event), record.at_ns) for record in records] == [
        (FlagFellEvent, flag_at_ns),
        (PressedEvent, flag_at_ns + after_ns),
    ]
    assert fallen_at(state, LEFT) == flag_at_ns


def fallen_at(state: MatchState, side: Side) -> int | None:
    """The instant of a side's flag."""
    flag = state.players[side].flag
    return flag.at_ns if flag else None


@pytest.mark.rule("T14", "R26")
@pytest.mark.parametrize("winner", [LEFT, RIGHT])
def test_t14_no_delay_crosses_games(winner: Side) -> None:
    """T14: in a game that ends in the opponent's turn, only the time used stays used."""
    world = World.running(LEFT).press(LEFT, after="0:04").wait("0:20")  # RIGHT drops
    left_ns, right_ns = world.reserve_ns(LEFT), world.reserve_ns(RIGHT)
    assert (left_ns, right_ns) == (BANK_NS, BANK_NS - 8 * SECOND_NS)
    world.score_game(winner).wait("2:00")
    assert (world.reserve_ns(LEFT), world.reserve_ns(RIGHT)) == (left_ns, right_ns)
    assert (world.state.turn, world.delay_ns) == (None, 0)
    for side in (RIGHT, LEFT):
        world.press(side)
        assert world.delay_ns == DELAY_NS
    assert (world.reserve_ns(LEFT), world.reserve_ns(RIGHT)) == (left_ns, right_ns)


@pytest.mark.rule("T14", "R26")
def test_t14_a_delay_that_was_not_used_up_is_lost_with_the_game() -> None:
    """T14: a game ends inside a delay: the next game's delay is 12 s, the reserve unchanged."""
    world = World.running(LEFT).wait("0:02").score_game(RIGHT).press(RIGHT)
    assert world.state.running is LEFT
    assert world.delay_ns == DELAY_NS
    assert world.reserve_ns(LEFT) == BANK_NS


@pytest.mark.rule("T14", "R26", "R23")
def test_t14_no_forfeit_crosses_games() -> None:
    """R26: a delay forfeited in a game that then ends is not missing in the next one."""
    world = World.running(LEFT).stop_for(Reason.EARLY_PICKUP).score_game(LEFT).press(LEFT)
    assert world.state.running is RIGHT
    assert world.delay_ns == DELAY_NS
