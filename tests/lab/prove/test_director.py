"""The search of the director's rulings: its faults, its bounds and its scripts."""

import pytest

from clock.apps.script import parse
from clock.match.transitions import DIRECTOR_RULINGS
from lab.prove.director import EBF, GROUPS, KINDS, subject
from lab.prove.search import search


def test_every_ruling_of_the_director_is_in_a_group() -> None:
    searched = {kind.__name__ for kind in KINDS.values()}
    unplayed = {"MatchWanted", "LanguageWanted", "NamesSet"}  # on which nothing played depends
    assert {kind.__name__ for kind in DIRECTOR_RULINGS} - searched == unplayed


@pytest.mark.parametrize("group", GROUPS)
def test_a_bounded_search_finds_nothing_and_does_not_call_itself_closed(group: str) -> None:
    """Two acts: each ruling is tried once in the first states."""
    found = search(subject(group, "ebf", EBF, 1, 2))
    assert (found.violation, found.closed) == (None, False)


def test_rulings_are_comments_of_a_script() -> None:
    """`gammonclock play` reads it."""
    points = subject("points", "ebf", EBF, 1)
    first = points.beginnings[0]
    acts = points.acts(first)
    text = points.script(first, acts)
    assert "# director: ClockRemoved" in text
    assert parse(text, "script")
