"""The state machine: a total table, timed transitions first, the state as a value."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import to_builtins
from msgspec.structs import replace

from clock.match.events import (
    FlagFellEvent,
    MatchOpenedEvent,
    Origin,
    OvertimeEvent,
    Record,
    RestoredEvent,
    Writer,
)
from clock.match.inputs import Input, Restored, TimePassed
from clock.match.machine import (
    advance,
    apply_deadline,
    load_restored_match,
    next_deadline,
    open_match,
    restore_match,
)
from clock.match.rules import FirstFlag
from clock.match.state import MatchState
from clock.match.timecontrol import Turn
from clock.match.types import Phase
from clock.units import MINUTE_NS, SECOND_NS
from lab.support.examples import examples
from lab.support.phases import PHASES, PROPOSAL, example, kinds
from lab.support.rows import row
from lab.support.world import BANK_NS, LEFT, RIGHT, World, inputs, match_settings

steady = settings(derandomize=True, max_examples=examples(150))


# --- time -------------------------------------------------------------------------------------


@pytest.mark.rule("R38", "T10")
@pytest.mark.parametrize("phase", Phase)
def test_nothing_happens_before_the_deadline(phase: Phase) -> None:
    """Up to a nanosecond before the deadline there is no record; at the deadline there is one."""
    state = PHASES[phase].state
    deadline_ns = next_deadline(state)
    if deadline_ns is None:
        later, records = advance(state, TimePassed(10**18))
        assert (later, records) == (state.replace(at_ns=10**18), ())
        return
    quiet, none = advance(state, TimePassed(deadline_ns - 1))
    assert (quiet, none) == (state.replace(at_ns=deadline_ns - 1), ())
    assert len(advance(state, TimePassed(deadline_ns))[1]) == 1


AWAITING = {
    "ebf": World.running().state,
    "overtime": World.running(overtime_ns=MINUTE_NS).state,
    "freeze": World.running(on_first_flag=FirstFlag.FREEZE).state,
    "late": World.ready().input(inputs.AbsenceNoted, side=LEFT).state,
    "both late": World.ready()
    .input(inputs.AbsenceNoted, side=LEFT)
    .wait("1:00")
    .input(inputs.AbsenceNoted, side=RIGHT)
    .state,
    "late from a break": PHASES[Phase.BREAK].state,
    "stopped": PHASES[Phase.STOPPED].state,
    "absent": World.ready("nbgf").input(inputs.AbsentClockStarted, side=LEFT).state,
}


@pytest.mark.parametrize("name", AWAITING)
def test_a_deadline_takes_effect_at_its_own_instant(name: str) -> None:
    """Whenever the clock looks: the next one is counted from there. A proposal is then void."""
    state = AWAITING[name].replace(proposal=PROPOSAL)
    if (due_ns := next_deadline(state)) is not None:
        after, records = apply_deadline(state, due_ns)
        assert (after.at_ns, [record.at_ns for record in records]) == (due_ns, [due_ns])
        assert after.proposal is None


@pytest.mark.slow
@pytest.mark.rule("R38", "T10")
@steady
@given(
    state=st.sampled_from(list(AWAITING.values())),
    cuts_ns=st.lists(st.integers(0, 60 * MINUTE_NS), min_size=2, max_size=5).map(sorted),
)
def test_more_frequent_time_inputs_change_nothing(state: MatchState, cuts_ns: list[int]) -> None:
    """Time in one piece or in several: the same state and the same records."""
    start_ns = state.at_ns
    whole = advance(state, TimePassed(start_ns + cuts_ns[-1]))
    records: tuple[Record, ...] = ()
    for cut_ns in cuts_ns:
        state, some = advance(state, TimePassed(start_ns + cut_ns))
        records += some
    assert (state, records) == whole


@pytest.mark.slow
@steady
@given(
    state=st.sampled_from(list(AWAITING.values())),
    cut_ns=st.integers(0, 60 * MINUTE_NS),
    rest_ns=st.integers(0, MINUTE_NS),
    kind=st.sampled_from(kinds()),
)
def test_a_time_input_before_another_input_changes_nothing(
    state: MatchState, cut_ns: int, rest_ns: int, kind: type[Input]
) -> None:
    """Whether the driver woke before an input or slept up to it: the same state and records."""
    if kind is inputs.Restored:  # another boot: nothing fell due in between that it could know of
        return
    start_ns = state.at_ns
    happened = example(kind, start_ns + cut_ns + rest_ns)
    woken, first = advance(state, TimePassed(start_ns + cut_ns))
    later, then = advance(woken, happened)
    assert advance(state, happened) == (later, first + then)


@pytest.mark.parametrize("phase", Phase)
def test_time_never_goes_backwards(phase: Phase) -> None:
    state, now_ns = PHASES[phase].state, PHASES[phase].now_ns
    for kind in set(kinds()) - {inputs.Restored}:
        with row(kind):
            older = advance(state, example(kind, now_ns - 5 * SECOND_NS))
            assert older == advance(state, example(kind, now_ns))


@pytest.mark.rule("R59", "R62", "R75", "R83")
@pytest.mark.parametrize(
    "meanwhile",
    [
        lambda world: world.take_breaks(1, 0).centre(after="4:30"),
        lambda world: (
            world.input(inputs.AbsenceNoted, side=RIGHT)
            .input(inputs.AbsentClockStarted, side=LEFT)
            .centre(after="12:00")
        ),
        lambda world: (
            world.input(inputs.MatchEnded, winner=RIGHT, why="lateness")
            .wait("9:00")
            .input(inputs.Reopened)
        ),
    ],
    ids=["break", "absent player's clock", "reopened"],
)
def test_lateness_is_not_stamped_in_the_past(meanwhile: Callable[[World], World]) -> None:
    """Of a player awaited before it and still after it: the log's time does not go backwards."""
    world = World.ready().input(inputs.AbsenceNoted, side=LEFT).wait("4:00")
    instants = [record.at_ns for record in meanwhile(world).wait("0:01").records]
    assert (instants, world.state.at_ns) == (sorted(instants), world.now_ns)
    assert len(world.late_events()) > 1


# --- the beginning of a log -------------------------------------------------------------------


def test_a_new_match_says_how_it_was_opened() -> None:
    state, record = open_match(match_settings(), 5, Writer("1.2"), "blitz", "offer-1")
    assert (state.at_ns, record.at_ns, state.preset, state.offer) == (5, 5, "blitz", "offer-1")
    event = record.event
    assert isinstance(event, MatchOpenedEvent)
    assert (event.preset, event.offer, event.version) == ("blitz", "offer-1", "1.2")
    assert (event.settings, event.code) == (state.settings, state.code)


@pytest.mark.rule("R67", "R83")
def test_a_match_that_begins_a_log_of_its_own_is_read_as_it_was_written() -> None:
    """R83: stopped at that instant, possible, and with the log that it comes from; else refused."""
    running, origin = World.running().wait("0:15").state, Origin("old", 5, "", "log", 0, None)
    restored = Restored(3, SECOND_NS, 14 * SECOND_NS, "damaged")
    state, record = restore_match(running, restored, origin, Writer("1.2"))
    assert (state.at_ns, state.phase, state.running) == (3, Phase.STOPPED, None)
    assert state.reserve_ns(LEFT, 3) == running.reserve_ns(LEFT, running.at_ns) + SECOND_NS
    event = record.event
    assert isinstance(event, RestoredEvent)
    assert (event.why, event.used_ns, event.lost_ns) == ("damaged", 14 * SECOND_NS, SECOND_NS)
    assert (event.in_menu, state.turn) == (False, Turn(LEFT, 12 * SECOND_NS, 14 * SECOND_NS))
    assert (event.origin, event.version) == (origin, "1.2")
    assert load_restored_match(event, 3) == (state, record)
    wrong: list[tuple[dict[str, Any], int]] = [
        ({"origin": None}, 3),
        ({"same_boot": True}, 3),
        ({}, 4),
        ({"state": to_builtins(running)}, running.at_ns),
        ({"state": to_builtins(state.replace(length=0))}, 3),
    ]
    for changes, at_ns in wrong:
        with row(str(changes)), pytest.raises(ValueError, match=r"stopped|impossible"):
            load_restored_match(replace(event, **changes), at_ns)


@pytest.mark.rule("R67")
def test_on_the_same_boot_a_break_has_gone_on_and_a_clock_has_not() -> None:
    """The players see the time of a break elsewhere; nobody plays at a dead clock."""
    world = World.between_games().take_breaks(1, 1)
    world.give(inputs.Restored(world.now_ns + 16 * MINUTE_NS, 0, None, same_boot=True))
    assert [at_ns // MINUTE_NS for at_ns, _ in world.late_events()] == [15]
    assert isinstance(world.last(), RestoredEvent)
    world = World.running().give(inputs.Restored(10**15, 0, 5 * SECOND_NS, same_boot=True))
    assert (world.events(FlagFellEvent), world.state.flags_down) == ([], 0)
    assert world.state.reserve_ns(LEFT, 10**15) == BANK_NS


# --- the state as a value ---------------------------------------------------------------------


@pytest.mark.rule("R49", "R67")
def test_no_time_of_before_an_overtime_is_given_back() -> None:
    """It would take the overtime away, and the flag could not fall."""
    world = World.running(LEFT, overtime_ns=MINUTE_NS, time_per_point_ns=SECOND_NS)
    world.press(LEFT, "0:14").press(RIGHT, "0:14").wait("0:30")
    assert world.events(OvertimeEvent) != []
    assert {begin.reserves.left for begin in world.state.recent} == {None}
    assert None not in {begin.reserves.right for begin in world.state.recent}
