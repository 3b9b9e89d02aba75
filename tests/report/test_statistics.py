"""Games, turns, stops and the course of the reserves."""

from itertools import pairwise

import pytest

from clock.match import inputs
from clock.match.rules import DiceTaken, FirstFlag, Reason
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


def test_a_stop_has_the_reason_that_it_ended_with() -> None:
    """It may be chosen long after the clock was stopped."""
    world = World.running().centre("0:05").choose(Reason.DIRECTOR_CALLED).centre("1:00")
    (stop,) = told(world).stops
    assert (stop.reason, stop.ended) == (Reason.DIRECTOR_CALLED, told(world).last)


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
        on_clock = sum(turn.length_ns - turn.off_clock_ns for turn in turns)
        assert of.used_ns(player) == on_clock
        assert of.spent_ns(player) == sum(turn.spent_ns for turn in turns)
        changes = [change for change in of.reserve_changes if change.player is player]
        given = sum(change.new_ns - change.old_ns for change in changes)
        assert of.left[player] == BANK_NS + given - of.spent_ns(player)
        assert of.curves[player][-1] == CurvePoint(of.last.at_ns, of.left[player])
        for (earlier, _), (later, _) in pairwise(of.curves[player]):
            assert earlier <= later


@pytest.mark.rule("R108")
@pytest.mark.parametrize("reason", [Reason.DIRECTOR_CALLED, Reason.INVALID_ROLL])
def test_a_free_turn_is_one_turn_whatever_stops_it(reason: Reason) -> None:
    """NBgF 4-1-6: 20 s on the clock, then 30 s and 10 s off it; the stop is not played."""
    world = World.running(dice_taken=DiceTaken.FREE_TURN, free_turn_kept=True)
    world.centre("0:20").choose(Reason.DICE_TAKEN).centre("0:05")
    world.centre("0:30").choose(reason).centre("1:00").press(LEFT, "0:10").press(RIGHT, "0:04")
    free, after = told(world).turns[:2]
    assert (free.length_ns, free.off_clock_ns, free.spent_ns) == (60 * S, 40 * S, 8 * S)
    assert (free.pressed, after.player, after.length_ns) == (False, RIGHT, 4 * S)


@pytest.mark.rule("R122")
def test_a_turn_that_a_stop_ended_for_good_has_an_end() -> None:
    """The director ended the match; reopened, it goes on and is the same turn."""
    world = World.stopped().act(inputs.MatchEnded, winner=LEFT, why="forfeit")
    (turn,) = told(world).turns
    assert turn.ended_by is not None
    assert turn.ended_by.stamp.line == len(world.records)
    world.act(inputs.Reopened).centre().press(LEFT, "0:05")
    assert told(world).turns[0].length_ns == 25 * S


@pytest.mark.rule("R116")
def test_the_table_of_games_follows_corrections() -> None:
    """Left won 4 as entered; the director made it 2, and in the second game 1 for Right."""
    world = World.running(length=11).score_game(LEFT, 4)
    world.act(inputs.ScoreSet, side=LEFT, points=2)
    game = told(world).games[0]
    assert (game.winner, game.points, game.score) == (LEFT, 2, Pair(2, 0))
    assert game.corrected is not None
    world.act(inputs.ScoreSet, side=LEFT, points=0).act(inputs.ScoreSet, side=RIGHT, points=1)
    game = told(world).games[0]
    assert (game.winner, game.points, game.score) == (RIGHT, 1, Pair(0, 1))


@pytest.mark.rule("R116")
def test_a_break_has_both_reserves_at_its_begin() -> None:
    """US 2.2.6: recorded and agreed before leaving."""
    world = World.running(length=5).wait("0:20").score_game(RIGHT).take_breaks(1, 0)
    (pause,) = told(world).breaks
    assert pause.left == Pair(BANK_NS - 8 * S, BANK_NS)
