"""Penalty and bonus points, and the legs of a best of three."""

import msgspec
import pytest

from clock.match import inputs
from clock.match.breaks import breaks_left
from clock.match.events import GameOverEvent, MatchOverEvent, PenaltyEvent
from clock.match.inputs import (
    CrawfordSet,
    LengthSet,
    MatchEnded,
    PointsAwarded,
    ScoreSet,
    SidesSwapped,
    TimeSet,
)
from clock.match.rules import Gammon, Reason, RulingReason
from clock.match.scoring import GAME_POINTS, game_kinds, new_match
from clock.match.state import LateAccount
from clock.match.types import Crawford, Pair, Phase, Side
from clock.units import MINUTE_NS, SECOND_NS
from lab.support.world import LEFT, RIGHT, World, match_settings

BEFORE, NOW, DONE = Crawford.BEFORE, Crawford.NOW, Crawford.DONE


# --- penalty and bonus points -----------------------------------------------------------------


@pytest.mark.rule("R60", "R59")
@pytest.mark.parametrize("offender", Side)
def test_penalty_points_go_to_the_opponent(offender: Side) -> None:
    """A3, A15: offender and beneficiary stand in the log apart, with the score they led to."""
    world = World.ready().input(PointsAwarded, side=offender, points=2, why="late")
    score = Pair(0, 0).put(offender.other, 2)
    assert world.last() == PenaltyEvent(offender, offender.other, 2, "late", score)
    assert world.state.score == score
    assert world.state.players[offender].penalty_points == 2
    assert world.state.players[offender.other].penalty_points == 0


@pytest.mark.rule("R60")
def test_penalty_points_may_not_count_as_points() -> None:
    """A15: `penalty_points_score` off: they are counted, the score is not touched."""
    world = World.ready(penalty_points_score=False)
    world.input(PointsAwarded, side=LEFT, points=2, why="late")
    assert world.last() == PenaltyEvent(LEFT, RIGHT, 2, "late", Pair(0, 0))
    assert world.state.score == Pair(0, 0)
    assert world.state.players[LEFT].penalty_points == 2


@pytest.mark.rule("R64")
def test_a_bonus_point_is_no_penalty() -> None:
    """NBgF 2-3-1: it counts in the match whatever penalty points do, and for no forfeit."""
    world = World.ready("nbgf", penalty_points_score=False)
    world.input(PointsAwarded, side=LEFT, points=1, why="bonus")
    assert world.last() == PenaltyEvent(LEFT, RIGHT, 1, "bonus", Pair(0, 1), early_ns=5 * MINUTE_NS)
    assert world.state.players[LEFT].penalty_points == 0


@pytest.mark.rule("R64", "R72")
@pytest.mark.parametrize("phase", [Phase.STOPPED, Phase.GAME_OVER])
@pytest.mark.parametrize("why", ["bonus", "late"])
def test_a_point_in_mid_game_leaves_its_crawford_status(why: str, phase: Phase) -> None:
    """NBgF 2-3-1: the running game stays what it was; the next one is the Crawford game."""
    world = World.ready("nbgf", length=7, score=(5, 3)).press(RIGHT).centre("0:20")
    if phase is Phase.GAME_OVER:
        world.choose(Reason.GAME_OVER).centre()
    world.input(PointsAwarded, side=RIGHT, points=1, why=why)
    assert (world.phase, world.state.score) == (phase, Pair(6, 3))
    assert world.state.crawford is BEFORE
    if phase is Phase.STOPPED:
        world.centre().score_game(RIGHT)
    else:
        world.press(RIGHT).centre()
    assert (world.state.score, world.state.crawford) == (Pair(6, 4), NOW)


@pytest.mark.rule("R64", "R72")
def test_a_point_in_the_crawford_game_leaves_it_the_crawford_game() -> None:
    """NBgF 2-3-1: it is still the Crawford game, and the next is after it."""
    world = World.ready("nbgf", length=7, score=(6, 3)).input(CrawfordSet, crawford=NOW)
    world.press(RIGHT).centre("0:20").input(PointsAwarded, side=LEFT, points=1, why="bonus")
    assert world.state.crawford is NOW
    world.centre().score_game(RIGHT)
    assert (world.state.score, world.state.crawford) == (Pair(6, 5), DONE)


@pytest.mark.rule("R72", "R64")
@pytest.mark.parametrize("phase", [Phase.REVIEW, Phase.READY, Phase.BREAK])
@pytest.mark.parametrize("why", ["bonus", "late"])
def test_a_point_between_games_can_make_the_next_the_crawford_game(why: str, phase: Phase) -> None:
    """EBF 4.4(iv): the game about to begin is the first in which LEFT is one point away."""
    match phase:
        case Phase.REVIEW:
            world = World(World.ready("nbgf", length=7, score=(5, 3)).state.settings)
        case Phase.READY:
            world = World.ready("nbgf", length=7, score=(5, 3))
        case _:
            world = World.ready("nbgf", length=7, score=(5, 3)).take_breaks(1, 0)
    assert world.phase is phase
    world.input(PointsAwarded, side=RIGHT, points=1, why=why)
    assert world.state.score == Pair(6, 3)
    assert world.state.crawford is NOW


@pytest.mark.rule("R64", "R60")
@pytest.mark.parametrize("phase", [Phase.READY, Phase.STOPPED, Phase.GAME_OVER, Phase.BREAK])
def test_points_given_can_decide_the_match(phase: Phase) -> None:
    """NBgF 2-3-1: bonus points may decide the match, in a game, after it and between games."""
    world = World.ready("nbgf", score=(10, 4))
    if phase is Phase.BREAK:
        world.take_breaks(1, 0)
    elif phase is not Phase.READY:
        world.press(RIGHT).centre("0:20")
        if phase is Phase.GAME_OVER:
            world.choose(Reason.GAME_OVER).centre()
    assert world.phase is phase
    world.input(PointsAwarded, side=RIGHT, points=1, why="bonus").wait(0)
    assert (world.phase, world.state.winner) == (Phase.FINISHED, LEFT)
    assert world.last() == MatchOverEvent(LEFT, "penalty", Pair(11, 4), [])


# --- best of three ----------------------------------------------------------------------------


def series() -> World:
    """A best of three to 3 points, at the first opening roll."""
    return World.ready(length=3, best_of_three=True)


@pytest.mark.rule("R77", "R72")
def test_two_matches_of_three_decide() -> None:
    """Each match has its points and its Crawford game; two won matches win."""
    world = series()
    world.state = world.state.replace(preset="Final")
    world.play_game(LEFT, 2).play_game(RIGHT)
    assert world.state.crawford is DONE
    world.play_game(LEFT)
    assert world.last() == GameOverEvent(LEFT, 1, Pair(0, 0), Pair(1, 0), False, "match_ends")
    assert (world.phase, world.state.crawford) == (Phase.READY, BEFORE)
    assert world.state.preset == "Final"
    world.play_game(RIGHT, 2)
    assert world.state.crawford is NOW
    world.play_game(RIGHT)
    assert (world.phase, world.state.legs) == (Phase.READY, Pair(1, 1))
    world.play_game(RIGHT, 4)
    assert world.state.legs == Pair(1, 2)
    assert world.last() == MatchOverEvent(RIGHT, "score", Pair(0, 4), [])
    assert (world.phase, world.state.winner) == (Phase.FINISHED, RIGHT)


@pytest.mark.rule("R77", "R41")
def test_each_leg_begins_with_full_banks_and_no_flags() -> None:
    """EBF 3.5(vi): full banks at 0-0, and nothing owed from the match before."""
    world = series().input(TimeSet, side=LEFT, new_ns=0, why="best_estimate").press(RIGHT)
    world.press(LEFT, "0:20").press(RIGHT, "0:40").score_game(RIGHT, 3)
    assert world.state.legs == Pair(0, 1)
    assert (world.reserve_ns(LEFT), world.reserve_ns(RIGHT)) == (360 * SECOND_NS, 360 * SECOND_NS)
    assert world.state.flags_down == 0
    assert (world.state.score, world.state.games) == (Pair(0, 0), 0)
    assert breaks_left(world.state) == Pair(1, 1)
    world.press(LEFT)
    assert world.state.running is RIGHT


@pytest.mark.rule("R78", "R77")
@pytest.mark.parametrize("how", ["points", "score"])
def test_a_hold_ends_with_the_match_it_was_in(how: str) -> None:
    """EBF 5.1: a leg decided by the director does not leave the next one on hold."""
    world = series().play_game(LEFT, 2).press(RIGHT).wait("0:20").stop_for(Reason.TIME_EXPIRED)
    if how == "points":
        world.input(PointsAwarded, side=RIGHT, points=1, why="late")
    else:
        world.input(ScoreSet, side=LEFT, points=3)
    assert (world.phase, world.state.legs) == (Phase.READY, Pair(1, 0))
    world.press(RIGHT, "2:00").centre("0:05").centre("0:05")
    assert (world.phase, world.state.running) == (Phase.RUNNING, LEFT)
    assert not world.state.held


@pytest.mark.rule("R43", "R77")
def test_a_match_of_three_lost_on_time_is_one_match() -> None:
    """EBF 4.3(iii): a player who runs out of time loses one match, not the best of three."""
    world = series().input(TimeSet, side=LEFT, new_ns=0, why="best_estimate").press(RIGHT)
    world.wait("0:20").stop_for(Reason.TIME_EXPIRED).input(MatchEnded, winner=RIGHT, why="time")
    world.wait(0)
    assert world.state.legs == Pair(0, 1)
    assert world.phase is Phase.READY
    assert (world.reserve_ns(LEFT), world.reserve_ns(RIGHT)) == (360 * SECOND_NS, 360 * SECOND_NS)


@pytest.mark.rule("R87", "R77")
def test_points_that_are_open_stay_due_in_the_next_leg() -> None:
    """EBF 2.2(iv): what the director has neither given nor waived, and no more."""
    world = World.ready(length=3, best_of_three=True).input(inputs.AbsenceNoted, side=RIGHT)
    world.wait("10:00").input(inputs.PointsAwarded, side=RIGHT, points=1, why="late")
    world.play_game(LEFT, 2)
    assert world.state.legs == Pair(1, 0)
    assert list(world.state.players.map(lambda player: player.late)) == [
        LateAccount(),
        LateAccount(due=1),
    ]


@pytest.mark.rule("R107")
def test_a_match_begins_with_the_crawford_status_of_its_settings() -> None:
    settings = match_settings(length=5, score=(4, 0))
    assert new_match(settings, 0).crawford is Crawford.UNKNOWN
    assert new_match(msgspec.structs.replace(settings, crawford=DONE), 0).crawford is DONE


@pytest.mark.rule("R120")
@pytest.mark.parametrize("winner", Side)
@pytest.mark.parametrize(("crawford", "cubes"), [(BEFORE, (1, 2, 4, 8, 16, 32, 64)), (NOW, (1,))])
def test_a_game_counts_a_power_of_two_up_to_three_times(
    winner: Side, crawford: Crawford, cubes: tuple[int, ...]
) -> None:
    """One that ends the match may have been worth more than the points that were needed."""
    worth = {(cube, kind): cube * n for cube in cubes for n, kind in enumerate(Gammon, 1)}
    assert crawford is NOW or {*worth.values()} == GAME_POINTS
    state = World.ready(length=7, score=(4, 1)).state.replace(crawford=crawford)
    for points in range(1, 9):
        kinds = game_kinds(state.replace(game_points=Pair(0, 0).put(winner, points)))
        most = max(worth.values()) if points >= state.away[winner] else points
        assert sorted(kinds) == sorted(each for each in worth if points <= worth[each] <= most)


@pytest.mark.rule("R77", "R80", "R113")
def test_a_leg_begins_as_the_one_before_was_played() -> None:
    """What was changed since the match was opened stays: sides, length and warnings."""
    settings = match_settings(length=5, score=(4, 2), best_of_three=True)
    settings = msgspec.structs.replace(settings, crawford=DONE, reserves=Pair(0, 1))
    world = World(settings).press(LEFT).press(RIGHT).centre()
    world.input(SidesSwapped).input(LengthSet, length=7, adjust_banks=False)
    world.input(PointsAwarded, side=LEFT, points=0, why="conduct")
    world.state = world.state.replace(offer="offer-001")
    world.input(ScoreSet, side=LEFT, points=7)
    state = world.state
    assert (state.names, state.length) == (Pair("Right", "Left"), 7)
    assert (state.score, state.crawford) == (Pair(0, 0), BEFORE)
    assert world.reserves() == (state.bank_ns(), state.bank_ns())
    assert state.players.map(lambda player: player.confirmed) == Pair(True, True)
    warned = state.players.left
    assert (warned.warnings, warned.warned_for) == (1, (RulingReason.CONDUCT,))
    assert (state.settings, state.offer) == (settings, "offer-001")
    assert not state.takes_offers
