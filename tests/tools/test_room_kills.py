"""Random kills of broker, hub, links and database, and cut connections; many: `make room-kills`."""

from pathlib import Path
from random import Random

import pytest

from tests.support.postgresql import PostgreSqlServer
from tools.room_kills import KINDS_WITH_SERVER, LAST_LINES, deal, run


@pytest.mark.slow
def test_nothing_is_lost_and_nothing_is_twice(tmp_path: Path) -> None:
    """Some kills in a small room, during most of which clocks write."""
    clocks = 6
    with PostgreSqlServer() as server:
        done, lines = run(tmp_path, clocks=clocks, kills=12, seed=1, server=server)
    assert set(done) == set(KINDS_WITH_SERVER)
    assert lines > clocks * LAST_LINES


@pytest.mark.parametrize("seed", range(20))
def test_each_part_is_killed(seed: int) -> None:
    """Whatever the chances are; and as often as was asked for."""
    for kills in (len(KINDS_WITH_SERVER), 12):
        dealt = deal(Random(seed), KINDS_WITH_SERVER, kills)
        assert (set(dealt), len(dealt)) == (set(KINDS_WITH_SERVER), kills)
