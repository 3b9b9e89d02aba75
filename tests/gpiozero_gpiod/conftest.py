"""A Pi for each test of the pin factory."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.support.gpio_pi import Pi


@pytest.fixture
def pi(tmp_path: Path) -> Iterator[Pi]:
    """Yield a Pi 4; its factory is closed after the test, and leaves nothing behind."""
    pi = Pi(tmp_path)
    yield pi
    pi.close()
