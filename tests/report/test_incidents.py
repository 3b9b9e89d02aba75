"""Flags and faults: how long each lasted; whose act an event is."""

import pytest

from clock.match import events, inputs
from clock.match.rules import Reason
from clock.match.types import Pair
from clock.report.cases import is_act, is_by_director
from clock.report.summary import FallenFlag
from clock.units import SECOND_NS
from lab.support.reports import printed, told
from lab.support.world import LEFT, RIGHT, World

S = SECOND_NS


def test_a_flag_lasts_until_it_is_cleared() -> None:
    """A power cut takes no flag away, the director does; nobody had claimed it."""
    world = World.running(length=5, time_per_point_ns=6 * S).wait("0:45").centre()
    world.give(inputs.Restored(world.now_ns, S, 45 * S))
    assert told(world).flags[0].cleared is None
    world.act(inputs.TimeSet, side=LEFT, new_ns=S, why="director")
    of = told(world)
    assert (of.flags[0].cleared, of.flags[0].claimed) == (of.last, None)
    assert "not claimed" in printed(of)


def test_an_entered_flag_lasts_until_it_is_entered_anew_or_cleared() -> None:
    world = World.stopped()
    world.act(inputs.FlagSet, side=LEFT, order=1).act(inputs.FlagSet, side=LEFT, order=2)
    anew = told(world).last
    world.act(inputs.ScoreSet, side=LEFT, points=1).act(inputs.FlagSet, side=RIGHT, order=1)
    world.act(inputs.FlagSet, side=RIGHT, order=0)
    of = told(world)
    assert [(flag.player, flag.order, flag.entered, flag.cleared) for flag in of.flags] == [
        (LEFT, 1, True, anew),
        (LEFT, 1, True, None),
        (RIGHT, 1, True, of.last),
    ]


def test_a_claim_without_a_flag_is_told() -> None:
    world = World.stopped().choose(Reason.TIME_EXPIRED).centre()
    claimed = told(world).last
    [claim] = told(world.act(inputs.ScoreSet, side=LEFT, points=1)).flags
    assert claim == FallenFlag(claimed, None, 0, None, claimed=claimed)


@pytest.mark.parametrize(
    ("event", "is_an_act", "is_directors"),
    [
        (events.ConfirmedEvent("director"), True, True),
        (events.ConfirmedEvent("centre"), False, False),
        (events.OvertimeEvent(LEFT, 0, S, "clock"), True, False),
        (events.OvertimeEvent(LEFT, 0, S, "director"), True, True),
        (events.MatchOverEvent(LEFT, "score", Pair(5, 0), []), False, False),
        (events.MatchOverEvent(LEFT, "time", Pair(5, 0), []), True, True),
    ],
)
def test_who_did_it(event: events.AnyEvent, is_an_act: bool, is_directors: bool) -> None:
    assert (is_act(event), is_by_director(event)) == (is_an_act, is_directors)


def test_a_fault_lasts_until_its_part_works_again() -> None:
    """Another part that works again ends none, and a later fault of the part is another one."""
    world = World.running()
    world.give(inputs.FaultSeen(0, "log", "full")).give(inputs.FaultSeen(0, "serial", "cut"))
    world.give(inputs.FaultCleared(0, "serial")).give(inputs.FaultCleared(0, "log"))
    world.give(inputs.FaultSeen(0, "log", "again")).give(inputs.FaultCleared(0, "log"))
    found = [
        (fault.event.part, fault.event.what, fault.cleared and fault.cleared.line)
        for fault in told(world).faults
    ]
    assert found == [("log", "full", 9), ("serial", "cut", 8), ("log", "again", 11)]
