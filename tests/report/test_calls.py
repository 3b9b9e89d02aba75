"""The calls for the director, and what they did."""

import pytest

from clock.match import inputs
from clock.match.rules import Reason
from clock.match.types import Pair
from clock.report.summary import Pause
from lab.support.reports import BANK_NS, S, told
from lab.support.world import LEFT, RIGHT, World


def calls(world: World) -> tuple[Pause, ...]:
    """The calls of a match told in a world."""
    return told(world).calls


@pytest.mark.rule("R115")
def test_a_call_lasts_from_the_stop_to_the_next_turn() -> None:
    """With whose clock ran, both reserves before and after, and all that the director did."""
    world = World.stopped(length=5).choose(Reason.DIRECTOR_CALLED)
    stopped = len(world.records) - len(world.events(type(world.last())))
    world.act(inputs.TimeSet, side=LEFT, new_ns=BANK_NS, why="director").centre("1:00")
    world.press(LEFT, "0:05").centre().centre("0:10")  # a stop without a call
    (call,) = calls(world)
    assert call.begun.line == stopped
    assert (call.player, call.reason, call.called) == (LEFT, Reason.DIRECTOR_CALLED, True)
    assert call.left == Pair(Pair(BANK_NS - 8 * S, BANK_NS), Pair(BANK_NS, BANK_NS))
    assert call.ended is not None
    assert [act.stamp.line for act in call.lines] == [call.ended.stamp.line - 1]


@pytest.mark.rule("R115")
def test_a_claim_and_a_fault_are_calls_and_a_game_that_ends_is_none() -> None:
    """Also without any act of the director, and while they last."""
    world = World.running(length=5).score_game(RIGHT).press(LEFT)
    assert calls(world) == ()
    world.stop_for(Reason.CLOCK_FAULTY)
    (call,) = calls(world)
    assert (call.reason, call.ended, call.is_ruled) == (Reason.CLOCK_FAULTY, None, False)


@pytest.mark.rule("R115")
def test_a_call_has_the_flags_that_it_was_about() -> None:
    world = World.running(LEFT, length=1).press(LEFT, "2:20").wait("0:05")
    world.stop_for(Reason.TIME_EXPIRED)
    (call,) = calls(world)
    kinds = [type(line.event).__name__ for line in call.lines]
    assert kinds == ["FlagFellEvent", "FlagClaimedEvent"]


@pytest.mark.rule("R115")
def test_what_the_director_does_without_a_call_is_told_too() -> None:
    """Between games, say; and a turn off the clock is play, with which a call ends."""
    (ruled,) = calls(World.ready().act(inputs.TimeSet, side=LEFT, new_ns=S, why="director"))
    assert (ruled.called, ruled.is_ruled, ruled.reason) == (False, True, None)
    world = World.running(profile="nbgf").stop_for(Reason.DICE_TAKEN)
    world.stop_for(Reason.DIRECTOR_CALLED).centre("0:05")
    (call,) = calls(world)
    assert (call.called, call.ended is not None) == (True, True)
