"""The known faults of other clocks (T1 to T14) that a state machine could repeat."""

import ast
from pathlib import Path

import pytest

import clock
from clock.match.events import Record
from clock.match.rules import Reason
from clock.match.types import Side
from clock.units import SECOND_NS
from lab.support.world import LEFT, RIGHT, World, inputs

MS_NS = 1_000_000
BANK_NS = 22 * 60 * SECOND_NS  # of an 11-point match

PURE = ("match", "eventlog", "ui")
CLOCKS = {"time", "datetime", "calendar", "sched", "asyncio", "threading", "random", "secrets"}


def with_reserve(world: World, side: Side, new_ns: int) -> World:
    """The same world after the director has set a reserve."""
    return world.input(inputs.TimeSet, side=side, new_ns=new_ns, why="test")


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
