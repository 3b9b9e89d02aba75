"""Games, turns, stops and the course of the reserves."""

import pytest

from clock.eventlog.salvage import salvage
from clock.match import inputs
from clock.match.inputs import TAKEN_UP
from clock.match.rules import DiceTaken, FirstFlag, Reason
from clock.match.types import Pair, Phase, ResumeWith, Side
from clock.report.build import summary
from clock.report.summary import GameChange, GameResult
from clock.units import SECOND_NS
from lab.support.last_run import continued, match_in
from lab.support.reports import told
from lab.support.world import LEFT, RIGHT, World

S = SECOND_NS


@pytest.mark.rule("R101")
def test_a_game_begins_with_its_first_roll_not_with_an_absent_players_clock() -> None:
    """NBgF 2-2-4: the game has the absent player's time, but begins with the roll."""
    world = World.ready("nbgf").input(inputs.AbsentClockStarted, side=LEFT).centre("1:40")
    (game,) = told(world.press(RIGHT, "0:20").press(LEFT, "0:05")).games
    assert game.begun is not None
    assert (game.begun.at_ns, game.used) == (120 * S, Pair(105 * S, 0))


def test_freeze_is_a_stop() -> None:
    world = World.running(length=5, time_per_point_ns=6 * S, on_first_flag=FirstFlag.FREEZE)
    world.wait("1:00")
    of = told(world)
    (stop,) = of.stops
    assert (stop.reason, stop.ended, stop.begun.at_ns) == (Reason.TIME_EXPIRED, None, 42 * S)


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


def test_a_game_under_way_is_a_game() -> None:
    """Also if no time was used in it, or only an absent player's."""
    (game,) = told(World.running()).games
    assert (game.begun is not None, game.used) == (True, Pair(0, 0))
    absent = World.ready("nbgf").input(inputs.AbsentClockStarted, side=LEFT).centre("1:40")
    (game,) = told(absent).games
    assert (game.begun, game.used) == (None, Pair(100 * S, 0))
    (turn,) = told(absent).turns
    assert (turn.player, turn.length_ns) == (LEFT, 100 * S)
    without_clock = (
        World.stopped().input(inputs.ClockRemoved).centre().press(LEFT).centre().centre()
    )
    (_, announced) = told(without_clock).games
    assert (announced.begun, announced.ended) == (None, None)
    (_, ended) = told(without_clock.input(inputs.MatchEnded, winner=None, why="director")).games
    assert (ended.ended is not None, ended.points) == (True, None)


def test_a_game_of_the_match_before_does_not_go_on() -> None:
    """Of three, the first was broken off; the second, reopened, was ended before it began."""
    world = World.stopped(length=5, best_of_three=True)
    world.input(inputs.MatchEnded, winner=LEFT, why="late")
    world.input(inputs.MatchEnded, winner=None, why="director").input(inputs.Reopened)
    games = told(world.press(RIGHT)).games
    assert [(game.leg, game.ended is not None) for game in games] == [(1, True), (2, False)]


@pytest.mark.rule("R116")
def test_what_is_no_correction_of_a_game_leaves_it() -> None:
    """A score that was right, a game without points, what no game ended with, and a penalty."""
    world = World.running(length=11).score_game(RIGHT)
    (same,) = told(world.input(inputs.ScoreSet, side=RIGHT, points=1)).games
    assert (same.winner, same.points, same.corrected) == (RIGHT, 1, None)
    (both,) = told(world.input(inputs.ScoreSet, side=LEFT, points=2)).games
    assert (both.winner, both.points, both.score) == (RIGHT, 1, Pair(2, 1))
    assert both.corrected is not None
    broken = World.stopped().input(inputs.ClockRemoved).input(inputs.ScoreSet, side=LEFT, points=2)
    (game,) = told(broken).games
    assert (game.points, game.corrected) == (None, None)
    left = World.stopped().input(inputs.MatchEnded, winner=None, why="director")
    (game,) = told(left.input(inputs.ScoreSet, side=LEFT, points=2)).games
    assert (game.points, game.corrected, game.score) == (None, None, Pair(0, 0))
    world = World.running(length=11).score_game(LEFT, 2).press(LEFT).score_game(LEFT, 0)
    undrawn = told(world.input(inputs.ScoreSet, side=LEFT, points=1)).games[-1]
    assert (undrawn.winner, undrawn.points) == (None, 0)
    world = World.running(length=11).score_game(LEFT).input(inputs.ScoreSet, side=LEFT, points=0)
    (nothing,) = told(world).games
    assert (nothing.winner, nothing.points) == (None, 0)
    world = World.running(length=11).score_game(LEFT).press(LEFT).score_game(LEFT)
    world.input(inputs.PointsAwarded, side=LEFT, points=1, why="conduct").press(LEFT).centre("0:05")
    *won, _ = told(world.input(inputs.ScoreSet, side=RIGHT, points=0)).games
    assert [(each.winner, each.points, each.corrected) for each in won] == [(LEFT, 1, None)] * 2
    assert [each.score for each in won] == [Pair(1, 0), Pair(2, 0)]


@pytest.mark.rule("R116", "R204")
def test_a_correction_says_what_it_changed_of_its_game() -> None:
    """Nothing of a game that was right, of another leg's, or entered anew and taken back."""
    for points in (1, 2):
        world = World.running(length=5).score_game(RIGHT)
        (case,) = told(world.input(inputs.ScoreSet, side=RIGHT, points=points)).cases
        change = GameChange(1, GameResult(RIGHT, 1), GameResult(RIGHT, points))
        assert case.game == (change if points == 2 else None)
    legs = World.running(length=3, best_of_three=True).score_game(LEFT, 3)
    of = told(legs.input(inputs.ScoreSet, side=LEFT, points=2))
    assert [(game.points, game.corrected) for game in of.games] == [(3, None)]
    world = (
        World.running(length=5).score_game(RIGHT, 5).input(inputs.Reopened).press(RIGHT).centre()
    )
    (case,) = told(world).cases
    assert case.game == GameChange(1, GameResult(RIGHT, 5), GameResult(RIGHT, 6))
    assert told(world.input(inputs.Undone)).cases[0].game is None


def test_a_turn_with_an_incident_is_notable_and_not_the_one_that_it_began() -> None:
    """A stop that is the last, a turn that the director gave, a restart; not just turns."""

    def notable(world: World) -> list[bool]:
        return [passage.notable for passage in told(world).passages]

    assert notable(World.running().press(LEFT, "0:05")) == [False, False, False]
    assert notable(World.stopped()) == [False, True]
    given = World.stopped().input(inputs.TurnResumed, side=RIGHT, delay=ResumeWith.FULL)
    assert notable(given.press(RIGHT, "0:05")) == [False, True, False, False]
    restored = World.ready().input(inputs.Restored, lost_ns=None, used_ns=None)
    assert notable(restored.press(RIGHT)) == [True, False]


def test_a_reserve_is_level_during_a_delay_and_falls_after_it() -> None:
    world = World.running(length=1, time_per_point_ns=60 * S).press(LEFT, "0:32")
    of = told(world.press(RIGHT, "0:05").press(LEFT, "0:40"))
    corners = [[(point.at_ns // S, point.left_ns // S) for point in one] for one in of.curves]
    assert corners == [
        [(0, 60), (12, 60), (32, 40), (49, 40), (77, 12)],
        [(0, 60), (77, 60)],
    ]


def free_turn() -> World:
    """The left player plays off the clock, after 20 s on it."""
    world = World.running(dice_taken=DiceTaken.FREE_TURN, free_turn_kept=True)
    return world.centre("0:20").choose(Reason.DICE_TAKEN).centre()


@pytest.mark.rule("R108")
@pytest.mark.parametrize(
    ("world", "side", "delay"),
    [
        (free_turn().centre("0:05"), LEFT, ResumeWith.FULL),
        (free_turn().centre("0:05"), RIGHT, ResumeWith.FREE),
        (World.stopped(), LEFT, ResumeWith.FREE),
    ],
    ids=["on the clock", "the other player", "off the clock"],
)
def test_a_turn_that_the_director_starts_anew_is_another_turn(
    world: World, side: Side, delay: ResumeWith
) -> None:
    """Only a turn off the clock that goes on as one is the same."""
    turns = told(world.input(inputs.TurnResumed, side=side, delay=delay).wait("0:03")).turns
    assert [turn.player for turn in turns] == [LEFT, side]
    assert turns[0].length_ns // S == (25 if turns[0].off_clock_ns else 20)


@pytest.mark.rule("R111")
def test_a_turn_that_was_interrupted_by_mistake_is_taken_up() -> None:
    """The opponent has had 15 s, whose reserve is given back; what was used before counts once."""
    world = World.stopped(length=5).choose(Reason.ILLEGAL_MOVE).centre().centre("0:15")
    world.input(inputs.TurnResumed, side=LEFT, delay=ResumeWith.REST).press(LEFT, "0:02")
    of = told(world)
    assert [(turn.player, turn.length_ns // S, turn.spent_ns // S) for turn in of.turns] == [
        *((LEFT, 20, 8), (RIGHT, 15, 3), (LEFT, 2, 2), (RIGHT, 0, 0)),
    ]
    assert [of.used_ns(player) // S for player in Side] == [22, 15]
    (change,) = of.reserve_changes
    assert (change.player, change.new_ns - change.old_ns) == (RIGHT, 3 * S)


@pytest.mark.rule("R108")
def test_a_turn_begins_and_ends_with_its_game() -> None:
    """By the director's word at the opening roll; off the clock too."""
    world = World.ready().input(inputs.TurnResumed, side=RIGHT, delay=ResumeWith.FULL)
    (turn,) = told(world.wait("0:09").score_game(LEFT)).turns
    assert (turn.player, turn.length_ns) == (RIGHT, 9 * S)
    (turn,) = told(free_turn().wait("0:05").score_game(LEFT)).turns
    assert (turn.player, turn.length_ns, turn.off_clock_ns) == (LEFT, 25 * S, 5 * S)


@pytest.mark.rule("R131")
def test_a_log_may_begin_in_the_middle_of_a_turn_or_a_break() -> None:
    """Given alone it has the rest of them; with the log before, the turn is one."""
    lines = match_in("STOPPED").give(inputs.Adjourned(20 * S)).lines
    later = continued(salvage(lines, None), TAKEN_UP, "second", inputs.CentrePressed(6))
    (turn,) = summary(later).turns
    assert (turn.player, turn.begun.line, turn.length_ns) == (LEFT, 1, 20 * S)
    (turn,) = summary(lines, later).turns
    assert (turn.player, turn.begun.line) == (LEFT, 5)
    assert summary(continued(salvage(match_in("READY").lines, None), TAKEN_UP, "b")).turns == ()
    torn = salvage([*match_in("BREAK").lines, b"torn"], None)
    ended = summary(continued(torn, "damaged", "b", inputs.CentrePressed(9 * S)))
    assert (ended.breaks, ended.phase) == ((), Phase.READY)
