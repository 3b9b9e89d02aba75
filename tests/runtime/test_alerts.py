"""Alerts: each is due once, at its instant, or never."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clock.config.loader import parse_settings
from clock.runtime.alerts import LOW_TIME_NS, Alert, Alerts, Snapshot, find_alerts, wanted_alerts
from lab.support.world import LEFT, RIGHT, SECOND_NS, World, inputs, match_settings

DELAY_NS = 12 * SECOND_NS
BANK_NS = 90 * SECOND_NS
LOW_AT_NS = DELAY_NS + BANK_NS - LOW_TIME_NS  # after a turn has begun
BOTH = frozenset(Alert)
LOW_ONLY = frozenset({Alert.LOW_TIME})
NONE: frozenset[Alert] = frozenset()
SILENT = Alerts((), None)


def running(bank_ns: int = BANK_NS, overtime_ns: int = 0) -> World:
    """A match with 1:30 for each player, in which the left clock has just started."""
    return World.running(length=5, time_per_point_ns=bank_ns // 5, overtime_ns=overtime_ns)


class Ear:
    """Asks as the loop does: each time from where it asked last."""

    def __init__(self, world: World, wanted: frozenset[Alert] = BOTH) -> None:
        self._world = world
        self._wanted = wanted
        self._before = Snapshot(world.state, world.now_ns)

    def hear(self) -> Alerts:
        now = Snapshot(self._world.state, self._world.now_ns)
        heard = find_alerts(self._before, now, self._wanted)
        self._before = now
        return heard


def test_what_the_file_turns_on_alone_sounds() -> None:
    for alert in Alert:
        text = f"[sound]\n{alert.value} = true\n"
        assert wanted_alerts(parse_settings(text, "f").sound) == {alert}


def test_low_time_is_due_once_at_its_instant() -> None:
    """The next instant is known from the start of the turn, the delay included."""
    world = running()
    ear, low_at_ns = Ear(world), world.now_ns + LOW_AT_NS
    assert ear.hear() == Alerts((), low_at_ns)
    world.wait("0:05")
    assert ear.hear() == Alerts((), low_at_ns)
    world.wait("0:20")
    assert ear.hear() == Alerts((), low_at_ns)
    world.wait(low_at_ns - world.now_ns - 1)
    assert ear.hear() == Alerts((), low_at_ns)
    world.wait(1)
    assert ear.hear() == Alerts((Alert.LOW_TIME,), None)
    world.wait(1)
    assert ear.hear() == SILENT
    world.press(LEFT)
    assert ear.hear() == Alerts((), world.now_ns + LOW_AT_NS)
    world.press(RIGHT, "0:10").wait("0:20")
    assert ear.hear() == SILENT


def test_low_time_is_due_even_if_the_loop_was_late() -> None:
    """The press that ended the turn came after it, in the same turn of the loop."""
    world = running()
    ear = Ear(world)
    world.press(LEFT, "1:00")
    assert ear.hear().due == (Alert.LOW_TIME,)


def test_while_no_clock_runs_nothing_is_due() -> None:
    """Stopped just before it, and again after: the instant moves with the stop."""
    world = running()
    ear = Ear(world)
    world.centre("0:41")
    assert ear.hear() == SILENT
    world.wait("10:00").centre()
    assert ear.hear() == Alerts((), world.now_ns + SECOND_NS)


@pytest.mark.rule("R82")
def test_alerts_that_are_turned_off_are_never_due() -> None:
    """The default: neither low time nor a flag, and the loop is not woken for it."""
    world = running()
    ear = Ear(world, NONE)
    assert ear.hear() == SILENT
    world.wait("1:00")
    assert ear.hear() == SILENT
    world.wait("1:00")
    assert world.state.players[LEFT].flag is not None
    assert ear.hear() == SILENT


@pytest.mark.rule("R82")
def test_a_flag_is_due_only_if_it_is_turned_on() -> None:
    """A27: a sound would announce it. Low time does not bring the flag along."""
    world = running()
    quiet, loud = Ear(world, LOW_ONLY), Ear(world, frozenset({Alert.FLAG}))
    world.wait("2:00")
    assert quiet.hear().due == (Alert.LOW_TIME,)
    assert loud.hear() == Alerts((Alert.FLAG,), None)
    world.wait("2:00")
    assert quiet.hear() == loud.hear() == SILENT


def test_the_first_check_finds_nothing() -> None:
    """A clock that starts again in the middle of a match does not repeat what was heard."""
    world = running().wait("2:00")
    assert find_alerts(None, Snapshot(world.state, world.now_ns), BOTH) == SILENT


def test_changes_by_the_director_cause_no_alert() -> None:
    world = running().press(LEFT).centre("0:50")
    ear = Ear(world)
    world.input(inputs.SidesSwapped)
    assert ear.hear() == SILENT
    world.input(inputs.TimeSet, side=LEFT, new_ns=30 * SECOND_NS, why="penalty")
    world.input(inputs.FlagSet, side=RIGHT, order=1)
    assert world.state.players[RIGHT].flag is not None
    assert ear.hear() == SILENT
    world.centre()
    assert ear.hear() == SILENT
    fallen = running().wait("2:00").centre()
    ear = Ear(fallen)
    fallen.input(inputs.SidesSwapped)
    assert ear.hear() == SILENT
    fallen.input(inputs.FlagSet, side=RIGHT, order=None)
    assert ear.hear() == SILENT
    fallen.input(inputs.Undone)
    assert ear.hear() == SILENT
    assert fallen.state.first_flagged is RIGHT


@pytest.mark.parametrize(("overtime", "low"), [(60, ()), (61, (Alert.LOW_TIME,))])
def test_overtime_runs_low_if_it_is_longer_than_a_minute(
    overtime: int, low: tuple[Alert, ...]
) -> None:
    world = running(overtime_ns=overtime * SECOND_NS)
    ear = Ear(world)
    world.wait(DELAY_NS + BANK_NS)
    assert world.reserve_ns(LEFT) == overtime * SECOND_NS
    ear.hear()
    world.wait("0:02")
    assert ear.hear().due == low


def test_a_new_match_causes_no_alert() -> None:
    old = running().wait("2:00").press(LEFT)
    new = World(match_settings(length=1, time_per_point_ns=30 * SECOND_NS))
    before, now = Snapshot(old.state, old.now_ns), Snapshot(new.state, new.now_ns)
    assert find_alerts(before, now, BOTH) == SILENT


@given(
    st.lists(st.integers(0, 40 * SECOND_NS), max_size=20),
    st.integers(SECOND_NS // 3, 7 * SECOND_NS),
)
def test_each_side_runs_low_once_however_often_it_is_checked(turns: list[int], step: int) -> None:
    """The loop wakes at the instants it was given, for presses, and at other times."""
    world = running()
    ear, mover = Ear(world, LOW_ONLY), LEFT
    heard: list[int] = []
    next_ns = ear.hear().next_ns
    for turn in turns:
        end_ns = world.now_ns + turn
        while world.now_ns < end_ns:
            wakes = [end_ns, world.now_ns + step, end_ns if next_ns is None else next_ns]
            world.wait(min(wakes) - world.now_ns)
            due, next_ns = ear.hear()
            heard += [world.reserve_ns(mover)] * len(due)
        world.press(mover)
        mover = mover.other
        due, next_ns = ear.hear()
        assert due == ()
    low = [side for side in (LEFT, RIGHT) if world.reserve_ns(side) <= LOW_TIME_NS]
    assert heard == [LOW_TIME_NS] * len(low)
