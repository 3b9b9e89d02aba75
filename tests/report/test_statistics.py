"""Games, turns, stops and the course of the reserves."""

from itertools import pairwise

import pytest

from clock.match import inputs
from clock.match.rules import FirstFlag, Reason
from clock.match.types import Pair, Side
from clock.report.build import summary
from clock.report.summary import CurvePoint
from clock.units import SECOND_NS
from tests.support.match_scripts import log_of, random_match
from tests.support.reports import BANK_NS, settings, told, words
from tests.support.world import LEFT, RIGHT, World

S = SECOND_NS


def test_corners() -> None:
    """A reserve's line is flat during the delay and falls after it, exactly."""
    world = World.ready(length=5).wait("0:10").press(LEFT).press(RIGHT, "0:20").press(LEFT, "0:10")
    of = told(world.wait("0:15").centre().centre("1:00").wait("0:05").centre())
    assert of.curves.right == (
        CurvePoint(0, BANK_NS),
        CurvePoint(22 * S, BANK_NS),
        CurvePoint(30 * S, BANK_NS - 8 * S),
        CurvePoint(52 * S, BANK_NS - 8 * S),
        CurvePoint(55 * S, BANK_NS - 11 * S),
        CurvePoint(115 * S, BANK_NS - 11 * S),
        CurvePoint(120 * S, BANK_NS - 16 * S),
    )
    assert of.curves.left == (CurvePoint(0, BANK_NS), CurvePoint(120 * S, BANK_NS))


@pytest.mark.rule("R101")
def test_a_game_begins_with_its_first_roll_not_with_an_absent_players_clock() -> None:
    """NBgF 2-2-4: the game has the absent player's time, but begins with the roll."""
    world = World.ready("nbgf").act(inputs.AbsentClockStarted, side=LEFT).centre("1:40")
    (game,) = told(world.press(RIGHT, "0:20").press(LEFT, "0:05")).games
    assert game.begun is not None
    assert (game.begun.at_ns, game.used) == (120 * S, Pair(105 * S, 0))


def test_a_turn_belongs_to_the_game_in_which_it_was_played() -> None:
    """The turn that a game ends with is still that game's."""
    world = World.running(LEFT).press(LEFT, "0:05").score_game(LEFT).press(LEFT)
    assert [(turn.player, turn.game) for turn in told(world).turns] == [
        *((LEFT, 1), (RIGHT, 1), (RIGHT, 2)),
    ]


def test_a_game_that_is_broken_off_is_a_game() -> None:
    """Without points; with the clock taken away, and with the match."""
    world = World.running(LEFT).press(LEFT, "0:05").centre().act(inputs.ClockRemoved)
    (game,) = told(world).games
    assert (game.points, game.ended and game.ended.line) == (None, len(world.records))


def test_freeze_is_a_stop() -> None:
    """A flag that freezes both clocks begins a stop of its own."""
    world = World.running(length=5, time_per_point_ns=6 * S, on_first_flag=FirstFlag.FREEZE)
    world.wait("1:00")
    of = told(world)
    (stop,) = of.stops
    assert (stop.reason, stop.ended, stop.begun.at_ns) == (Reason.TIME_EXPIRED, None, 42 * S)


@pytest.mark.rule("R102")
def test_a_stop_of_a_free_turn_stops_no_players_clock() -> None:
    """The turn is played off the clock."""
    world = World.running(profile="ebf")
    world.centre("0:05").choose(Reason.EARLY_PICKUP).centre().centre("0:05")
    stop = told(world).stops[-1]
    assert stop.player is None
    assert "Off the clock: No reason given" in words(told(world))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("profile", ["ebf", "nbgf", "us"])
def test_sums(profile: str, seed: int) -> None:
    """Time used per game adds up to the turns', and reserves to what was given and taken."""
    of = summary(
        log_of(random_match(settings(profile=profile), seed).script, settings(profile=profile))
    )
    for player in Side:
        turns = [turn for turn in of.turns if turn.player is player]
        assert of.used_ns(player) == sum(turn.length_ns for turn in turns)
        assert of.spent_ns(player) == sum(turn.spent_ns for turn in turns)
        changes = [change for change in of.reserve_changes if change.player is player]
        given = sum(change.new_ns - change.old_ns for change in changes)
        assert of.left[player] == BANK_NS + given - of.spent_ns(player)
        assert of.curves[player][-1] == CurvePoint(of.last.at_ns, of.left[player])
        for (earlier, _), (later, _) in pairwise(of.curves[player]):
            assert earlier <= later
