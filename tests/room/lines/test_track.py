"""What the lines of one log say, with one more line."""

from functools import reduce

import pytest

from clock.match.inputs import LengthSet
from room.lines.track import Track, follow
from tests.support.reports import lines_of
from tests.support.world import World, match_settings


@pytest.mark.rule("R106")
def test_the_code_follows_a_change_at_review() -> None:
    """A board whose length was corrected has the rules of one whose file has that length."""
    world = World(match_settings(length=7)).act(LengthSet, length=9, adjust_banks=True)
    assert reduce(follow, lines_of(world), Track()).code == match_settings(length=9).code
