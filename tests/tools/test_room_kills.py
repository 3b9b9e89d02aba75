"""Random kills of broker, hub and links, and cut connections; many more: `make room-kills`."""

from pathlib import Path
from random import Random

import pytest

from tools.room_kills import KINDS, LAST_LINES, deal, run


@pytest.mark.slow
def test_nothing_is_lost_and_nothing_is_twice(tmp_path: Path) -> None:
    """Some kills in a small room, during most of which clocks write."""
    clocks = 6
    done, lines = run(tmp_path, clocks=clocks, kills=12, seed=1)
    assert set(done) == set(KINDS)
    assert lines > clocks * LAST_LINES


@pytest.mark.parametrize("seed", range(20))
def test_each_part_is_killed(seed: int) -> None:
    """Whatever the chances are; and as often as was asked for."""
    for kills in (len(KINDS), 12):
        dealt = deal(Random(seed), KINDS, kills)
        assert (set(dealt), len(dealt)) == (set(KINDS), kills)
