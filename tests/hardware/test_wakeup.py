"""Tests of hardware.wakeup."""

import os
import select
from collections.abc import Iterator
from queue import SimpleQueue
from threading import Thread

import pytest

from hardware.wakeup import Wakeup


@pytest.fixture
def wakeup() -> Iterator[Wakeup]:
    wakeup = Wakeup()
    yield wakeup
    wakeup.close()


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    """The reading and the writing end of a pipe."""
    reader, writer = os.pipe()
    yield reader, writer
    os.close(reader)
    os.close(writer)


def test_a_wait_without_anything_to_happen_times_out(wakeup: Wakeup) -> None:
    assert wakeup.wait(0) is None


def test_waking_before_the_wait_ends_it_once(wakeup: Wakeup) -> None:
    wakeup.wake()
    wakeup.wake()
    assert wakeup.wait() == {}
    assert wakeup.wait(0) is None


def test_another_thread_ends_the_wait(wakeup: Wakeup) -> None:
    """A wait without a limit ends when woken."""
    ended: SimpleQueue[dict[int, int] | None] = SimpleQueue()
    thread = Thread(target=lambda: ended.put(wakeup.wait()))
    thread.start()
    wakeup.wake()
    assert ended.get(timeout=60) == {}
    thread.join()


def test_a_descriptor_that_is_ready_ends_the_wait(wakeup: Wakeup, pipe: tuple[int, int]) -> None:
    reader, writer = pipe
    assert wakeup.wait(0, {reader: select.POLLIN}) is None
    os.write(writer, b".")
    assert wakeup.wait(None, {reader: select.POLLIN}) == {reader: select.POLLIN}


def test_a_ready_descriptor_is_returned_with_the_waking(
    wakeup: Wakeup, pipe: tuple[int, int]
) -> None:
    reader, writer = pipe
    os.write(writer, b".")
    wakeup.wake()
    assert wakeup.wait(None, {reader: select.POLLIN}) == {reader: select.POLLIN}
    assert wakeup.wait(0) is None
