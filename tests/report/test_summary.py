"""What is worked out from the values of a report."""

import pytest

from clock.match import inputs
from clock.match.rules import Reason
from clock.units import SECOND_NS
from lab.support.reports import told
from lab.support.world import LEFT, RIGHT, World

S = SECOND_NS


@pytest.mark.rule("R106")
def test_the_code_is_that_of_what_was_confirmed() -> None:
    """A length that was corrected at REVIEW counts; a score of the match does not."""
    corrected = World().input(inputs.LengthSet, length=13, adjust_banks=True)
    code = corrected.state.code
    corrected.press(LEFT).press(RIGHT).centre().press(RIGHT).score_game(LEFT)
    assert told(corrected).code == code != told(World()).code


def test_what_a_match_without_turns_says() -> None:
    """It may be over all the same; a claim without a flag is nobody's flag."""
    assert not told(World.ready()).is_begun
    assert told(World.ready().input(inputs.MatchEnded, winner=LEFT, why="late")).is_begun
    assert told(World.running().stop_for(Reason.TIME_EXPIRED)).flagged == []
