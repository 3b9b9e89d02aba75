"""A bench of serial lines."""

import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from lab.support.serial_wire import Bench, await_end


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    """Yield a bench; its streams are closed in the end, and their threads end."""
    before = set(threading.enumerate())
    with ExitStack() as stack:
        yield Bench(tmp_path, stack)
    await_end(set(threading.enumerate()) - before)
