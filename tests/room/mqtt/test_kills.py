"""Random kills of broker, hub and links, and cut connections; many more: `make room-kills`."""

from pathlib import Path

import pytest

from tests.room.mqtt.kills import run


@pytest.mark.slow
def test_nothing_is_lost_and_nothing_is_twice(tmp_path: Path) -> None:
    """Some kills in a small room."""
    done, lines = run(tmp_path, clocks=6, kills=12, seed=1)
    assert set(done) == {"broker", "hub", "links", "cut"}
    assert lines > 100
