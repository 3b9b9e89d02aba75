"""What is worked out from the values of a report."""

import pytest
from msgspec.structs import replace

from clock.match import inputs
from clock.match.rules import Reason
from clock.units import SECOND_NS
from lab.support.reports import told
from lab.support.world import LEFT, RIGHT, World, match_settings

S = SECOND_NS


@pytest.mark.rule("R106")
def test_the_code_is_that_of_what_was_confirmed() -> None:
    """A length that was corrected at REVIEW counts; a score of the match does not."""
    corrected = World().input(inputs.LengthSet, length=13, adjust_banks=True)
    code = corrected.state.code
    corrected.press(LEFT).press(RIGHT).centre().press(RIGHT).score_game(LEFT)
    assert told(corrected).code == code != told(World()).code


@pytest.mark.rule("R206")
def test_a_limit_counts_from_the_line_that_begins_it() -> None:
    settings = match_settings()
    world = World(replace(settings, rules=settings.rules.at_pace())).centre()
    of = told(world.input(inputs.TimesBegun).press(LEFT))
    lines = [each.stamp for passage in of.passages for each in passage.lines]
    begun = next(each.stamp for each in of.interventions)
    assert [of.is_limited(line) for line in lines] == [line.line >= begun.line for line in lines]
    assert not of.is_limited(lines[0])


def test_what_a_match_without_turns_says() -> None:
    """It may be over all the same; a claim without a flag is nobody's flag."""
    assert not told(World.ready(score=(1, 0))).is_begun
    assert told(World.ready().input(inputs.MatchEnded, winner=LEFT, why="late")).is_begun
    assert told(World.running().stop_for(Reason.TIME_EXPIRED)).flagged == []
