"""Which part of a room `lab.room_kills` kills when; `.ci/run` kills some of a small room."""

from random import Random

import pytest

from lab.room_kills import KINDS_WITH_SERVER, deal


@pytest.mark.parametrize("seed", range(20))
def test_each_part_is_killed(seed: int) -> None:
    """Whatever the chances are; and as often as was asked for."""
    for kills in (len(KINDS_WITH_SERVER), 12):
        dealt = deal(Random(seed), KINDS_WITH_SERVER, kills)
        assert (set(dealt), len(dealt)) == (set(KINDS_WITH_SERVER), kills)
