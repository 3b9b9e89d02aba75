"""What is worked out from the values of a report."""

import pytest

from clock.match import inputs
from clock.match.rules import Reason
from clock.units import SECOND_NS
from lab.support.reports import told
from lab.support.world import LEFT, RIGHT, World

S = SECOND_NS


def test_averages_and_extremes() -> None:
    """Of the turns that a plunger ended; the slowest of all turns."""
    world = World.running(LEFT)
    for seconds in (20, 10, 15):
        world.press(world.state.running or LEFT, seconds * S)
    of = told(world.centre("0:30"))
    assert (of.median_ns(LEFT), of.median_ns(RIGHT)) == (20 * S, 10 * S)
    assert (of.average_ns(LEFT), of.average_ns(RIGHT)) == (35 * S // 2, 10 * S)
    assert [turn.length_ns // S for turn in of.slowest(1)] == [30, 20]
    assert [turn.length_ns // S for turn in of.quickest(2)] == [10, 15]
    assert (of.used_ns(LEFT), of.spent_ns(LEFT)) == (35 * S, 11 * S)
    assert (of.duration_ns, of.period) == (75 * S, "2026-05-01 10:00:00 - 10:01:15")
    assert of.turn_at(of.turns[1].begun) == 2


def test_a_game_lasts_from_its_first_clock_to_its_score() -> None:
    """How long is not known of one that is under way, or in which no clock was started."""
    [game] = told(World.ready(length=1).press(LEFT).wait("0:09").score_game(LEFT)).games
    assert game.duration_ns == 9 * S
    assert game._replace(begun=None).duration_ns is None
    assert game._replace(ended=None).duration_ns is None


@pytest.mark.rule("R106")
def test_the_code_is_that_of_what_was_confirmed() -> None:
    """A length that was corrected at REVIEW counts; a score of the match does not."""
    corrected = World().act(inputs.LengthSet, length=13, adjust_banks=True)
    code = corrected.state.code
    corrected.press(LEFT).press(RIGHT).centre().press(RIGHT).score_game(LEFT)
    assert told(corrected).code == code != told(World()).code


def test_what_a_match_without_turns_says() -> None:
    """It may be over all the same; a claim without a flag is nobody's flag."""
    assert not told(World.ready()).is_begun
    assert told(World.ready().act(inputs.MatchEnded, winner=LEFT, why="late")).is_begun
    assert told(World.running().stop_for(Reason.TIME_EXPIRED)).flagged == []
