"""The heading of a report, and logs of which there is none."""

import pytest

from clock.eventlog.codec import DamagedError
from clock.match import inputs
from clock.match.types import Pair
from clock.report.build import summary
from lab.support.match_scripts import log_of
from lab.support.reports import lines_of, printed, settings, told, words
from lab.support.world import LEFT, RIGHT, World, match_settings


def test_never_confirmed() -> None:
    of = summary(log_of("0 wait", settings()))
    assert (of.games, of.turns, of.records) == ((), (), 1)
    assert "NEVER CONFIRMED" in printed(of)


def test_damaged() -> None:
    lines = lines_of(World.running(RIGHT))
    lines[3] = lines[3].replace(b"centre", b"CENTRE")
    with pytest.raises(DamagedError, match="line 4"):
        summary(lines)
    with pytest.raises(DamagedError, match="line 1: the log is empty"):
        summary([])


def test_lines_of_one_input_are_all_reported() -> None:
    """Two players' lateness may fall due at one instant: both are told."""
    world = World(match_settings())
    world.input(inputs.AbsenceNoted, side=LEFT).input(inputs.AbsenceNoted, side=RIGHT).wait("5:00")
    of = told(world)
    assert len(of.interventions) == 4
    assert of.records == len(world.records)


@pytest.mark.rule("R223")
def test_names_that_were_corrected_stand_everywhere_as_they_are() -> None:
    """Of rulings before it, and after the sides were swapped; the ruling says what was before."""
    world = World(settings()).input(inputs.PointsAwarded, side=RIGHT, points=0, why="conduct")
    world.input(inputs.SidesSwapped).input(inputs.NamesSet, names=Pair("Bodil", "Anna"))
    of = told(world)
    assert of.names == Pair("Anna", "Bodil")
    assert "Director: Bodil: warning 1, Conduct" in words(of)
    assert "Director: Names, Bo → Bodil" in words(of)


@pytest.mark.rule("R223")
def test_a_match_that_was_left_before_it_began_is_none() -> None:
    """Ended at 0-0 without a winner, for another one; one that somebody won so is one."""
    left = World.ready().input(inputs.SidesSwapped)
    of = told(left.input(inputs.MatchEnded, winner=None, why="director"))
    assert (of.is_begun, of.over and of.over[2]) == (False, None)
    for begun in (
        World.ready().input(inputs.MatchEnded, winner=LEFT, why="late"),
        World.running().centre().input(inputs.MatchEnded, winner=None, why="director"),
        World.ready(score=(1, 0)).input(inputs.MatchEnded, winner=None, why="director"),
    ):
        assert told(begun).is_begun
