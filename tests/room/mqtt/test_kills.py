"""Random kills of broker, hub and links, and cut connections; many more: `make room-kills`."""

from pathlib import Path

import pytest

from tests.room.mqtt.kills import LAST_LINES, run


@pytest.mark.slow
def test_nothing_is_lost_and_nothing_is_twice(tmp_path: Path) -> None:
    """Some kills in a small room, during most of which clocks write."""
    clocks = 6
    done, lines = run(tmp_path, clocks=clocks, kills=12, seed=1)
    assert set(done) == {"broker", "hub", "links", "cut"}
    assert lines > clocks * LAST_LINES
