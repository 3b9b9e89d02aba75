"""Matches told as they are played; those of each federation are in `tests/data`."""

import pytest

from clock.match.events import (
    BreakEndedEvent,
    BreakStartedEvent,
    ConfirmedEvent,
    FlagClaimedEvent,
    FlagFellEvent,
    FreeTurnEvent,
    GameOverEvent,
    MatchOpenedEvent,
    MatchOverEvent,
    PressedEvent,
    ResumedEvent,
    StoppedEvent,
)
from clock.match.inputs import (
    BreakTaken,
    MatchEnded,
)
from clock.match.rules import Reason
from clock.match.types import Button, Crawford, Pair, Phase, ResumeWith
from clock.units import MINUTE_NS
from lab.support.world import LEFT, RIGHT, SECOND_NS, World

DELAY_NS = 12 * SECOND_NS


def seconds(world: World) -> tuple[int, int]:
    """Both reserves in seconds; these stories use whole ones."""
    left_ns, right_ns = world.reserve_ns(LEFT), world.reserve_ns(RIGHT)
    assert left_ns % SECOND_NS == right_ns % SECOND_NS == 0
    return left_ns // SECOND_NS, right_ns // SECOND_NS


def told(world: World) -> list[str]:
    """The story as the log has it: the names of its events."""
    return [type(record.event).__name__.removesuffix("Event") for record in world.records]


@pytest.mark.rule("R15", "R19", "R23", "R27", "R31", "R38", "R40", "R43", "R56", "R72", "R77")
def test_seven_points_in_solothurn_with_a_crawford_game_and_a_claimed_flag() -> None:
    """EBF: 7 points; an early pick-up, an illegal move, a break, Crawford, and time runs out."""
    # Both look at the settings, confirm them, and roll for the first move.
    world = World(World.ready(length=7).state.settings).press(LEFT).press(RIGHT, "0:02")
    world.centre("0:03")
    assert seconds(world) == (840, 840)

    # RIGHT rolled the lower number. RIGHT presses, and LEFT moves.
    world.press(RIGHT, "0:09")
    world.press(LEFT, "0:07").press(RIGHT, "0:31").press(LEFT, "0:12")
    assert seconds(world) == (840, 821)

    # RIGHT doubles, LEFT thinks for a minute and takes, RIGHT rolls.
    world.press(RIGHT, "0:04").press(LEFT, "1:00")
    assert (world.state.running, world.delay_ns, *seconds(world)) == (RIGHT, DELAY_NS, 792, 821)

    # LEFT picks the dice up too early. RIGHT stops, they agree; RIGHT moves off the clock.
    world.centre("0:15").choose(Reason.EARLY_PICKUP).centre("0:20")
    assert world.last() == FreeTurnEvent(Reason.EARLY_PICKUP, RIGHT)
    world.press(RIGHT, "0:40")
    assert (world.state.running, world.delay_ns, *seconds(world)) == (LEFT, 0, 792, 818)
    world.press(LEFT, "0:05")
    assert seconds(world) == (787, 818)

    # RIGHT says that this move was illegal. It was: LEFT waits, moves and presses.
    world.centre("0:06").choose(Reason.ILLEGAL_MOVE).centre("0:30")
    assert world.last() == ResumedEvent(Reason.ILLEGAL_MOVE, LEFT, ResumeWith.WAIT, "centre")
    world.press(LEFT, "0:10")
    assert world.last() == PressedEvent(Button.LEFT, accepted=False, why="must_wait")
    world.press(LEFT, "0:06")
    assert (world.state.running, world.delay_ns, *seconds(world)) == (RIGHT, DELAY_NS, 783, 818)

    # A die leans on a checker, 2 s after RIGHT's delay. The delay restarts; the 2 s stay used.
    world.centre("0:14").choose(Reason.INVALID_ROLL).centre()
    assert (world.delay_ns, *seconds(world)) == (DELAY_NS, 783, 816)

    # RIGHT redoubles; LEFT drops and stops the clock: 2 points for RIGHT.
    world.press(RIGHT, "0:03").score_game(RIGHT, 2)
    assert world.last() == GameOverEvent(RIGHT, 2, Pair(0, 2), Pair(0, 0), False, None)

    # They take both their breaks together, and are back in time.
    world.give(BreakTaken(world.now_ns, Pair(1, 1))).centre("9:59")
    assert world.events(BreakStartedEvent) == [BreakStartedEvent(Pair(1, 1), 10 * MINUTE_NS)]
    assert world.last() == BreakEndedEvent(599 * SECOND_NS)

    # A gammon with the cube on 2 brings RIGHT to 6: the next game is the Crawford game.
    world.press(LEFT).score_game(RIGHT, 4)
    assert world.last() == GameOverEvent(RIGHT, 4, Pair(0, 6), Pair(0, 0), True, None)

    # LEFT wins it, and the cube is back.
    world.press(RIGHT).press(LEFT, "3:15").score_game(LEFT, 1)
    assert (world.state.crawford, *seconds(world)) == (Crawford.DONE, 600, 816)

    # LEFT thinks for ten minutes. The flag falls unnoticed; 25 s later RIGHT announces it.
    world.press(RIGHT).wait("10:12")
    assert world.last() == FlagFellEvent(LEFT, 1, None)
    world.press(LEFT, "0:10").press(RIGHT, "0:03").wait("0:27").centre()
    assert world.last() == StoppedEvent(Reason.UNSPECIFIED, LEFT)
    world.press(LEFT).centre()
    assert world.last() == FlagClaimedEvent(LEFT, 25 * SECOND_NS)

    # Only the director can do anything now: LEFT has lost the match.
    world.centre()
    assert world.last() == PressedEvent(Button.CENTRE, accepted=False, why="director_needed")
    world.input(MatchEnded, winner=RIGHT, why="time")
    assert world.last() == MatchOverEvent(RIGHT, "time", Pair(1, 6), [])
    assert (world.phase, *seconds(world)) == (Phase.FINISHED, 0, 816)


@pytest.mark.rule("R20")
def test_a_short_story_is_told_in_full() -> None:
    """The log has one line for each thing that happened, in its order, and no other."""
    world = World(World.ready(length=1).state.settings).press(LEFT).press(RIGHT).centre()
    world.press(RIGHT).press(RIGHT).press(LEFT, "0:20").centre().centre().score_game(RIGHT)
    assert told(world) == [
        *("MatchOpened", "Confirmed", "Confirmed", "Confirmed"),
        *("Pressed", "Pressed", "Pressed", "Stopped", "Resumed"),
        *("Stopped", "ReasonShown", "ReasonChosen", "Pressed", "GameOver", "MatchOver"),
    ]
    assert isinstance(world.records[0].event, MatchOpenedEvent)
    assert world.events(ConfirmedEvent)[-1] == ConfirmedEvent("centre")
