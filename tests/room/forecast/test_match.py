"""`room/forecast/match.py`."""

import math
from statistics import fmean

import pytest
from msgspec.structs import replace

from clock.match.types import Crawford, Pair, Phase
from clock.units import SECOND_NS
from lab.support.last_run import PHASES, match_in
from lab.support.rows import row
from lab.support.world import LEFT, World, match_settings
from room.forecast.games import DRAWS, Score
from room.forecast.match import PRIOR, PRIOR_TURNS, Standing, mean_turn, rest_s, standing_of
from room.forecast.pace import MatchPace, SidePace

RESERVES = Pair(14 * 60.0, 14 * 60.0)


def paced(turns: int, used_s: int, beyond_s: int) -> SidePace:
    """Return a side whose turns were all alike."""
    return SidePace(turns, turns * used_s * SECOND_NS, turns * beyond_s * SECOND_NS)


def middle(standing: Standing) -> float:
    """Return the middle of the times that are foreseen."""
    times = rest_s(standing, PRIOR)
    return times[len(times) // 2]


def test_a_seven_point_match_takes_three_quarters_of_an_hour() -> None:
    """As 179 of them did in an experiment: half of them 45 to 51 minutes, none two hours."""
    times = rest_s(Standing(Score(7, 7), MatchPace(), RESERVES), PRIOR)
    assert 40 * 60 < middle(Standing(Score(7, 7), MatchPace(), RESERVES)) < 51 * 60
    assert list(times) == sorted(times)
    assert times[-1] < 120 * 60


def test_a_slow_side_and_a_break_make_it_later_and_the_reserve_bounds_it() -> None:
    slow = MatchPace(Pair(paced(60, 25, 13), SidePace()))
    at_start = Standing(Score(7, 7), MatchPace(), RESERVES)
    assert middle(at_start._replace(pace=slow)) > middle(at_start) * 1.15
    assert middle(at_start._replace(wait_s=300.0)) == middle(at_start) + 300
    for wait_ns, wait_s in ((300 * SECOND_NS, 300), (-SECOND_NS, 0)):  # the break may be over
        standing = standing_of(World.running(LEFT).state, MatchPace(), wait_ns)
        assert standing is not None
        assert standing.wait_s == wait_s
    hurried = at_start._replace(pace=slow, reserves_s=Pair(0.0, 14 * 60.0))
    assert middle(hurried) < middle(at_start._replace(pace=slow))


@pytest.mark.rule("R130", "R132")
def test_without_flags_no_reserve_bounds_it() -> None:
    """Slow turns take what they take, also when the bank of a practice match is used up."""
    pace = MatchPace(Pair(paced(60, 25, 13), paced(60, 25, 13)))
    world = World.running(LEFT).press(LEFT, after="1:00:00")
    timed = standing_of(world.state, pace)
    world.state = world.state.replace(settings=replace(world.state.settings, practice=True))
    free = standing_of(world.state, pace)
    assert timed == Standing(Score(11, 11), pace, Pair(0.0, 22 * 60.0))
    assert free is not None
    assert middle(free) > middle(timed) > 0


def test_the_time_ahead_is_what_was_judged() -> None:
    """The mean time to the end, in seconds.

    `make bench ARGS=forecast` judges the model. A change that it approves of writes these anew.
    """
    slow = MatchPace(Pair(paced(60, 25, 13), paced(60, 25, 13)))
    quick = MatchPace(Pair(paced(60, 25, 13), paced(60, 8, 0)), game_turns=10)
    free = Pair(math.inf, math.inf)
    for name, standing, mean_s in (
        ("at the beginning", Standing(Score(7, 7), MatchPace(), RESERVES), 2489.8),
        ("long and free", Standing(Score(25, 25), slow, free), 16821.0),
        ("little time", Standing(Score(7, 7), slow, Pair(120.0, 120.0)), 1877.2),
        ("one is low", Standing(Score(7, 7), quick, Pair(60.0, 600.0)), 1462.6),
        ("one flag is down", Standing(Score(7, 7), quick, Pair(0.0, 600.0)), 2156.9),
        ("nearly, in a break", Standing(Score(7, 7), quick, Pair(600.0, 0.5), 30.0), 1617.0),
    ):
        with row(name):
            assert fmean(rest_s(standing, PRIOR)) == pytest.approx(mean_s, abs=0.05)


def test_a_flag_ends_a_match_and_one_that_has_fallen_does_not() -> None:
    """Of players with turns of 25 s and 2 minutes for them some hurry; play may go on after it."""
    slow = MatchPace(Pair(*(paced(60, 25, 13) for _ in "lr")))
    standing = Standing(Score(7, 7), slow, Pair(120.0, 120.0))
    assert rest_s(standing, PRIOR)[DRAWS // 4] < 15 * 60 < 20 * 60 < middle(standing)
    assert middle(standing._replace(reserves_s=Pair(0.0, 0.0))) > 35 * 60


def test_few_turns_hardly_change_what_is_expected_and_many_do() -> None:
    few, as_many, many = (
        mean_turn([paced(turns, 40, 28)], PRIOR, PRIOR_TURNS) for turns in (2, 200, 2000)
    )
    assert PRIOR.whole_s < few.whole_s < PRIOR.whole_s + 1
    assert as_many == ((PRIOR.within_s + 12) / 2, (PRIOR.beyond_s + 28) / 2)
    assert 35 < many.whole_s < 40


def test_the_same_place_gives_the_same_forecast_and_a_corrected_score_another() -> None:
    standing = Standing(Score(3, 7, Crawford.BEFORE), MatchPace(game_turns=12), RESERVES)
    assert rest_s(standing, PRIOR) == rest_s(standing, PRIOR)
    corrected = standing._replace(score=Score(1, 7, Crawford.DONE))
    assert fmean(rest_s(corrected, PRIOR)) < fmean(rest_s(standing, PRIOR))


@pytest.mark.parametrize(("length", "is_said"), [(25, True), (26, False)])
def test_nothing_is_said_of_a_match_without_a_near_end(length: int, *, is_said: bool) -> None:
    state = World(match_settings(length=length)).state.replace(phase=Phase.RUNNING)
    assert (standing_of(state, MatchPace()) is not None) is is_said


def test_nothing_is_said_of_a_match_that_no_clock_times_or_somebody_has_to_decide_on() -> None:
    states = {phase: match_in(phase).state for phase in PHASES}
    states["held"] = states["STOPPED"].replace(held=True)
    states["unknown"] = states["RUNNING"].replace(crawford=Crawford.UNKNOWN)
    silent = {name for name, state in states.items() if standing_of(state, MatchPace()) is None}
    assert silent == {"REVIEW", "NO_CLOCK", "PUT_ASIDE", "FINISHED", "held", "unknown"}
