"""From the events of a log back to the inputs that caused them."""

from itertools import product

import pytest
from msgspec.structs import replace

from clock.eventlog.event_inputs import _INPUTS, MENU, input_of
from clock.eventlog.replay import apply_record
from clock.match import inputs
from clock.match.events import MatchOpenedEvent, PressedEvent
from clock.match.machine import advance
from clock.match.rules import Ruler, RulingReason
from clock.match.types import NextDelay, ResumeWith, Side
from lab.support.logs import OWN
from lab.support.phases import EVERY_PAIR, PHASES, example
from lab.support.rows import row
from lab.support.world import LEFT, RIGHT, World


def test_every_event_has_its_input() -> None:
    """For each event but the first there is a function that makes its input."""
    assert {*_INPUTS, MatchOpenedEvent} == set(OWN)


@pytest.mark.rule("R83")
def test_the_input_that_an_event_was_caused_by_causes_it_again() -> None:
    for (phase, kind), side in product(EVERY_PAIR, Side):
        world = PHASES[phase]
        happened = example(kind, world.now_ns + 1, side)
        if isinstance(happened, inputs.Noted):
            happened = replace(happened, why=MENU)
        if isinstance(happened, inputs.Ruling):
            happened = replace(happened, carries_out="7", ruled_by=Ruler.DIRECTOR)
        after, records = advance(world.state, happened)
        for record in records:
            with row(phase, kind, side):
                assert advance(world.state, input_of(record)) == (after, records)


def of_a_director(world: World) -> World:
    """What the table of examples does not have: warnings, overtime and delays in both ways."""
    reason = RulingReason.SLOW_PLAY
    world.input(inputs.PointsAwarded, side=LEFT, points=0, why="conduct")
    world.input(inputs.OvertimeGranted, side=LEFT, granted_ns=5, reason=reason)
    world.input(inputs.DelayRuled, side=RIGHT, delay=NextDelay.SKIP, this_turn=False)
    world.input(inputs.DelayRuled, side=LEFT, delay=NextDelay.SKIP, this_turn=True)
    return world.input(inputs.TurnResumed, side=RIGHT, delay=ResumeWith.FULL)


@pytest.mark.rule("R83")
@pytest.mark.parametrize(
    "world",
    [
        of_a_director(World.stopped()),
        World.running(overtime_ns=5).wait("1:00:00"),
        World.ready().input(inputs.AbsenceNoted, side=LEFT).wait("12:00"),
        World.between_games().input(inputs.BreakGranted, side=LEFT).wait("20:00"),
        World.between_games().take_breaks(1, 1).wait("20:00"),
        World.stopped().input(inputs.TimeSet, side=LEFT, new_ns=-1, why="restored"),
        World.stopped().input(inputs.LengthSet, length=5, adjust_banks=False),
    ],
    ids=["director", "overtime", "late", "break granted", "break", "negative", "in a game"],
)
def test_a_match_is_played_again_from_its_events(world: World) -> None:
    state = World(world.state.settings).state
    for record in world.records[1:]:
        state, (again,) = apply_record(state, record)
        assert again == record
    assert state == world.state.replace(at_ns=state.at_ns)


@pytest.mark.rule("R83")
def test_a_ruling_that_was_refused_is_no_press_of_the_centre() -> None:
    """At READY that button would ask for a break."""
    world = World.ready().input(inputs.ScoreSet, side=LEFT, points=99)
    event = world.last()
    assert isinstance(event, PressedEvent)
    assert isinstance(input_of(world.records[-1]), inputs.Noted)
