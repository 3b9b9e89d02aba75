"""The players' buttons except for stops: confirmations, turns and the points of a game."""

from collections.abc import Callable

import msgspec
import pytest
from msgspec.structs import replace

from clock.match.events import (
    ConfirmedEvent,
    GameOverEvent,
    MatchOverEvent,
    PressedEvent,
    ResumedEvent,
)
from clock.match.inputs import AbsentClockStarted, ClockRemoved, Reopened, TurnResumed
from clock.match.profiles import PROFILES
from clock.match.rules import Reason
from clock.match.turns import turn_on_clock
from clock.match.types import Button, Crawford, Pair, Phase, ResumeWith, Side
from lab.support.world import BANK_NS, DELAY_NS, LEFT, RIGHT, SECOND_NS, World, ended, refused

HOUR_NS = 3600 * SECOND_NS


# --- before a game ----------------------------------------------------------------------------


@pytest.mark.rule("R79")
def test_review_ends_when_both_players_have_confirmed() -> None:
    """EBF 3.5(iii): no match begins before both players have seen the settings."""
    world = World()
    assert world.centre().phase is Phase.REVIEW
    assert world.last() == refused("not_confirmed")
    world.press(LEFT)
    assert world.last() == ConfirmedEvent("left")
    world.press(LEFT)
    assert world.last() == refused("already_confirmed", Button.LEFT)
    assert world.centre().phase is Phase.REVIEW
    assert world.last() == refused("not_confirmed")
    assert world.press(RIGHT).centre().phase is Phase.READY
    assert world.last() == ConfirmedEvent("centre")
    assert world.times() == (BANK_NS, BANK_NS, 0)


@pytest.mark.rule("R15", "T9")
@pytest.mark.parametrize("name", PROFILES)
@pytest.mark.parametrize("low_roller", Side)
def test_the_low_roller_starts_the_other_clock_with_a_full_delay(
    low_roller: Side, name: str
) -> None:
    """READY: press(X) starts Y; the first turn of each player has the whole delay."""
    delay_ns = PROFILES[name].delay_ns
    world = World.ready(name).press(low_roller, "7:00")
    bank_ns = world.state.bank_ns()
    assert world.phase is Phase.RUNNING
    assert world.state.running is low_roller.other
    assert world.last() == ended(Button(low_roller.value))
    assert world.times() == (bank_ns, bank_ns, delay_ns)
    world.press(low_roller.other, delay_ns)
    assert world.state.running is low_roller
    assert world.times() == (bank_ns, bank_ns, delay_ns)


# --- turns ------------------------------------------------------------------------------------


@pytest.mark.rule("R9", "T2")
@pytest.mark.parametrize(
    ("turn_ns", "charge_ns"),
    [
        (0, 0),
        (11_900_000_000, 0),
        (DELAY_NS - 1, 0),
        (DELAY_NS, 0),
        (DELAY_NS + 1, 1),
        (DELAY_NS + 1_000_000, 1_000_000),
        (17 * SECOND_NS, 5 * SECOND_NS),
        (DELAY_NS + BANK_NS - 1_000_000, BANK_NS - 1_000_000),
        (DELAY_NS + BANK_NS - 1, BANK_NS - 1),
    ],
)
def test_a_turn_costs_what_exceeds_the_delay(turn_ns: int, charge_ns: int) -> None:
    """EBF 3.5(v): the delay elapses before the reserve does."""
    world = World.running(LEFT).press(LEFT, turn_ns)
    assert world.times() == (BANK_NS - charge_ns, BANK_NS, DELAY_NS)
    assert world.state.flags_down == 0


@pytest.mark.rule("R13")
def test_without_delay_the_reserve_runs_from_the_first_instant() -> None:
    """NBgF 3-4-5, analog time: 3 s cost 3 s, and a nanosecond one nanosecond."""
    world = World.running(LEFT, "nbgf-analog")
    bank_ns = world.state.bank_ns()
    assert world.wait(1).reserve_ns(LEFT) == bank_ns - 1
    world.wait(3 * SECOND_NS - 1).press(LEFT)
    assert world.times() == (bank_ns - 3 * SECOND_NS, bank_ns, 0)


@pytest.mark.rule("R14")
def test_each_activation_has_a_delay_of_its_own() -> None:
    """EBF 4.4(ii)(iii): the offer, the take and the roll after it have 12 s each."""
    world = World.running(LEFT).press(LEFT, "0:12")  # offers
    assert (world.state.running, world.delay_ns) == (RIGHT, DELAY_NS)
    world.press(RIGHT, "0:12")  # takes
    assert (world.state.running, world.delay_ns) == (LEFT, DELAY_NS)
    world.press(LEFT, "0:12")  # has rolled and moved
    assert (world.state.running, world.delay_ns) == (RIGHT, DELAY_NS)
    assert world.times() == (BANK_NS, BANK_NS, DELAY_NS)


@pytest.mark.rule("R16")
@pytest.mark.parametrize("mover", Side)
def test_only_the_movers_plunger_ends_the_turn(mover: Side) -> None:
    """EBF 4.1(vi)(b), US 5.3: the opponent's press has no effect and is logged."""
    world = World.running(mover).press(mover.other, "0:15")
    turn = world.state.turn
    assert world.last() == refused("not_on_move", Button(mover.other.value))
    assert world.state.running is mover
    assert world.reserve_ns(mover) == BANK_NS - 3 * SECOND_NS
    world.press(mover.other, "0:01")
    assert world.state.turn == turn
    world.press(mover, "0:01")
    assert world.last() == ended(Button(mover.value))
    assert world.state.running is mover.other
    assert world.reserve_ns(mover) == BANK_NS - 5 * SECOND_NS


@pytest.mark.rule("R17")
@pytest.mark.parametrize("duration_ns", [1, DELAY_NS, DELAY_NS + BANK_NS, 10 * HOUR_NS])
def test_no_turn_ends_by_itself(duration_ns: int) -> None:
    """EBF 4.1(vi)(b): a player who cannot move must still press; time alone ends no turn."""
    world = World.running(LEFT).wait(duration_ns)
    assert (world.phase, world.state.running) == (Phase.RUNNING, LEFT)
    assert world.events(PressedEvent)[-1] == ended(Button.RIGHT)


def test_a_clock_that_runs_has_no_reason_to_be_stopped() -> None:
    resumed = World.stopped().choose(Reason.DIRECTOR_CALLED).centre()
    begun = World.between_games().press(RIGHT)
    for world in (resumed, begun):
        assert (world.state.running, world.state.reason) == (LEFT, Reason.UNSPECIFIED)


def test_a_turn_off_the_clock_that_another_stop_ends_is_not_called_kept() -> None:
    """Under rules that keep it through one stop alone, it goes on, and the log says no more."""
    world = World.running(free_turn_kept=False).stop_for(Reason.EARLY_PICKUP)
    world.centre().centre()
    assert world.last() == ResumedEvent(Reason.UNSPECIFIED, LEFT, ResumeWith.REST, "centre")
    assert world.phase is Phase.FREE_TURN


def test_a_phase_without_a_turn_has_none_on_the_clock() -> None:
    with pytest.raises(RuntimeError, match="no turn on the clock in phase READY"):
        turn_on_clock(World.ready().state)


# --- the points of a game ---------------------------------------------------------------------


def test_the_points_of_a_game_are_not_those_of_the_next() -> None:
    world = World.between_games().press(RIGHT).stop_for(Reason.GAME_OVER)
    assert (world.phase, world.state.game_points) == (Phase.GAME_OVER, Pair(0, 0))


@pytest.mark.rule("R44")
@pytest.mark.parametrize(
    ("best_of_three", "points", "unclaimed"),
    [(False, 1, []), (False, 3, []), (True, 1, []), (True, 3, [LEFT])],
)
def test_the_end_of_a_game_notes_a_flag_only_if_a_leg_ends_with_it(
    best_of_three: bool, points: int, unclaimed: list[Side]
) -> None:
    """EBF 4.3(iii): at the end of the match another record has it."""
    world = World.running(length=3, best_of_three=best_of_three, time_per_point_ns=SECOND_NS)
    world.wait("0:20").score_game(RIGHT, points)
    [over] = world.events(GameOverEvent)
    assert msgspec.to_builtins(over).get("unclaimed_flags", []) == unclaimed


@pytest.mark.rule("R77")
def test_points_for_the_other_side_replace_those_entered() -> None:
    """GAME_OVER: a press on the other side corrects whose points they are."""
    world = World.running(LEFT).stop_for(Reason.GAME_OVER).press(LEFT).press(LEFT).press(RIGHT)
    assert world.state.game_points == Pair(0, 1)
    assert world.last() == ended(Button.RIGHT)
    world.centre()
    assert world.state.score == Pair(0, 1)


@pytest.mark.rule("R76", "R77")
@pytest.mark.parametrize(
    ("points", "warning"),
    [
        (0, "no_points"),
        (1, None),
        (3, None),
        (4, None),
        (5, "impossible_points"),
        (6, None),
        (7, "impossible_points"),
        (8, "match_ends"),
        (9, "impossible_points"),
        (12, "match_ends"),
        (12, "match_ends_drop"),
    ],
)
def test_doubtful_points_raise_a_warning(points: int, warning: str | None) -> None:
    """US 5.14, EBF 4.4(vii): points that no cube gives, or that end the match, are pointed out."""
    profile = "us" if warning == "match_ends_drop" else "ebf"
    world = World.ready(profile, score=(3, 10)).press(RIGHT).score_game(LEFT, points)
    event = world.events(GameOverEvent)[-1]
    assert isinstance(event, GameOverEvent)
    assert event.warning == warning
    assert event.points == points


@pytest.mark.rule("R77")
def test_a_game_without_points_changes_no_score() -> None:
    """A game closed without points was none: score, Crawford and winner are as before."""
    world = World.ready(length=7, score=(5, 3)).play_game(LEFT).press(RIGHT).score_game(LEFT, 0)
    assert world.last() == GameOverEvent(None, 0, Pair(6, 3), Pair(0, 0), True, "no_points")
    assert (world.phase, world.state.crawford) == (Phase.READY, Crawford.NOW)


@pytest.mark.rule("R77", "R44")
@pytest.mark.parametrize(("points", "final"), [(1, 11), (4, 14)])
def test_points_end_the_match(points: int, final: int) -> None:
    """US 5.14: the match ends as soon as a score meets or exceeds its length."""
    world = World.ready(score=(2, 10)).play_game(RIGHT, points)
    assert (world.phase, world.state.winner) == (Phase.FINISHED, RIGHT)
    assert world.last() == MatchOverEvent(RIGHT, "score", Pair(2, final), [])
    for button in (Button.LEFT, Button.RIGHT):
        world.press(Side(button.value))
        assert world.last() == refused("finished", button)
    world.centre()
    assert world.last() == refused("finished")


# --- Crawford ---------------------------------------------------------------------------------

BEFORE, NOW, DONE = Crawford.BEFORE, Crawford.NOW, Crawford.DONE


@pytest.mark.rule("R72")
@pytest.mark.parametrize(
    ("length", "games"),
    [
        (7, [(LEFT, 6, NOW), (RIGHT, 1, DONE), (RIGHT, 1, DONE)]),
        (7, [(RIGHT, 4, BEFORE), (LEFT, 4, BEFORE), (RIGHT, 2, NOW), (LEFT, 2, DONE)]),
        (5, [(LEFT, 4, NOW), (RIGHT, 4, DONE)]),  # 4-4: once is once
        (3, [(LEFT, 1, BEFORE), (RIGHT, 1, BEFORE), (LEFT, 1, NOW), (RIGHT, 1, DONE)]),
        (2, [(LEFT, 1, NOW), (RIGHT, 1, DONE)]),
    ],
)
def test_the_crawford_game(length: int, games: list[tuple[Side, int, Crawford]]) -> None:
    """EBF 4.4(iv): the first game in which a player is exactly one point away, and that once."""
    world = World.ready(length=length)
    for winner, points, following in games:
        world.play_game(winner, points)
        assert world.state.crawford is following
        event = world.last()
        assert isinstance(event, GameOverEvent)
        assert event.crawford is (following is NOW)


@pytest.mark.rule("R72", "R64", "R91")
@pytest.mark.parametrize(
    ("score", "crawford"),
    [
        ((0, 0), BEFORE),
        ((5, 5), BEFORE),
        ((6, 3), Crawford.UNKNOWN),
        ((2, 6), Crawford.UNKNOWN),
        ((6, 6), DONE),
    ],
)
def test_crawford_at_the_score_that_a_match_begins_with(
    score: tuple[int, int], crawford: Crawford
) -> None:
    """EBF 4.4(iv): with one player at 6 of 7 the score does not say whether it has been played."""
    assert World.ready(length=7, score=score).state.crawford is crawford


# --- what is nobody's turn --------------------------------------------------------------------


@pytest.mark.rule("R45")
def test_without_a_clock_plungers_have_no_effect() -> None:
    """EBF 4.3(iii): the rest of the match is played without the clock; presses are only logged."""
    world = World.running(LEFT).centre("0:20").input(ClockRemoved)
    stood = world.state
    for button in (Button.LEFT, Button.RIGHT):
        world.press(Side(button.value), "1:00")
        assert world.last() == refused("no_clock", button)
    assert replace(world.state, at_ns=stood.at_ns) == stood


@pytest.mark.rule("R118")
def test_games_go_on_without_a_clock() -> None:
    """EBF 4.3(iii): the players enter each game; score, Crawford and the end of the match go on."""
    world = World.ready(length=3).input(ClockRemoved).centre()
    assert world.phase is Phase.GAME_OVER
    world.press(RIGHT).press(RIGHT).centre()
    assert (world.phase, world.state.score) == (Phase.NO_CLOCK, Pair(0, 2))
    assert world.state.crawford is Crawford.NOW
    world.centre("10:00").press(LEFT).centre()
    assert (world.phase, world.state.crawford) == (Phase.NO_CLOCK, Crawford.DONE)
    world.centre().input(Reopened)  # not over after all
    assert (world.phase, world.state.score) == (Phase.NO_CLOCK, Pair(1, 2))
    world.centre().press(RIGHT).centre().wait(0)
    assert (world.phase, world.state.winner) == (Phase.FINISHED, RIGHT)


@pytest.mark.rule("R66", "R201")
def test_both_reserves_are_noted_as_each_turn_begins() -> None:
    """By the opening roll, a press, a reason that restarts a clock, and the director."""
    begins: list[Callable[[World], World]] = [
        lambda world: world.press(LEFT),  # the opening roll
        lambda world: world.press(RIGHT, "0:20"),
        lambda world: world.press(LEFT, "0:15"),
        lambda world: world.wait("0:13").stop_for(Reason.ILLEGAL_MOVE),
        lambda world: world.centre("0:30").input(TurnResumed, side=RIGHT, delay=ResumeWith.FULL),
        lambda world: world.wait("0:14").stop_for(Reason.INVALID_ROLL),
        lambda world: world.score_game(LEFT).input(AbsentClockStarted, side=LEFT),
        lambda world: world.centre("0:40").press(LEFT),
        lambda world: world.press(RIGHT, "0:20"),
    ]
    world, noted = World.ready(), []
    for begin in begins:
        begin(world)
        noted.append(world.reserves())
    assert [tuple(begin.reserves) for begin in world.state.recent] == noted[-8:]
    assert len(set(noted)) > 4
