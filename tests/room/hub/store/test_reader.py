"""Reading from a database that may hang."""

import threading
from concurrent.futures import wait
from contextlib import closing
from threading import Event
from types import SimpleNamespace
from typing import Any, NoReturn

import pytest

from clock.units import SECOND_NS
from room.boards.place_logs import UnfinishedError
from room.hub.store import reader as module
from room.hub.store.opening import StoreError
from room.hub.store.reader import KEPT_NS, Reader

WAIT_S = 60


@pytest.fixture
def now_s(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The present instant, which the test chooses."""
    now = [100.0]
    monkeypatch.setattr("room.hub.store.reader.time.monotonic_ns", lambda: int(now[0] * SECOND_NS))
    return now


@pytest.fixture
def waited(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long each call would have waited."""
    waited = list[float]()

    def look(jobs: list[Any], left_s: float) -> SimpleNamespace:
        waited.append(left_s)
        return SimpleNamespace(done=[job for job in jobs if job.done()])

    monkeypatch.setattr(module, "wait", look)
    return waited


def test_who_asks_waits_a_moment_and_asks_again(now_s: list[float], waited: list[float]) -> None:
    """All together wait no longer than that; what was found meanwhile is kept for some seconds."""
    answers, found = Event(), iter("ab")

    def find() -> str:
        assert answers.wait(WAIT_S)
        return next(found)

    with closing(Reader()) as reader:
        for at_s, key in ((0, "m"), (0.25, "n"), (7, "n")):
            now_s[0] = 100 + at_s
            with pytest.raises(StoreError):
                reader.read(key, find, 1)
        assert (waited, reader.waits_ns()) == ([1, 0.75, 0], 7 * SECOND_NS)
        jobs = list(reader._jobs.values())
        answers.set()
        assert [job.found.result(WAIT_S) for job in jobs] == ["a", "b"]
        assert (reader.waits_ns(), reader.read("m", find)) == (0, "a")
        now_s[0] += KEPT_NS / SECOND_NS + 1
        answers.clear()
        with pytest.raises(StoreError):  # "b" is too old, and the next one not there yet
            reader.read("n", find)
        answers.set()


def test_an_answer_that_is_awaited_for_long_is_not_asked_for_again(now_s: list[float]) -> None:
    """The database hangs for as long as it hangs, not since somebody asked last."""
    answers = Event()
    with closing(Reader()) as reader:
        for _ in range(2):
            with pytest.raises(StoreError):
                reader.read("m", lambda: answers.wait(WAIT_S), 0)
            now_s[0] += KEPT_NS / SECOND_NS + 1
        assert reader.waits_ns() == 2 * (KEPT_NS + SECOND_NS)
        answers.set()


def test_an_error_is_raised_where_it_was_asked() -> None:
    with closing(Reader()) as reader:
        with pytest.raises(StoreError, match="gone"):
            reader.read("m", lambda: _raise(StoreError("gone")), WAIT_S)
        assert reader.read("m", lambda: 7, WAIT_S) == 7


def test_who_has_a_turn_waits_no_longer_than_that(now_s: list[float], waited: list[float]) -> None:
    """Others have theirs; whoever asked asks again, until the patience is at its end."""
    answers = Event()
    with closing(Reader()) as reader:
        for at_s, error in ((0, UnfinishedError), (0.5, UnfinishedError), (1, StoreError)):
            now_s[0] = 100 + at_s
            with pytest.raises(error):
                reader.read("m", lambda: answers.wait(WAIT_S), 1, 0.25)
        assert waited == [0.25, 0.25, 0]
        [job] = reader._jobs.values()
        answers.set()
        wait([job.found], WAIT_S)
        assert reader.read("m", lambda: False, 1, 0) is True


@pytest.mark.parametrize("is_error", [False, True])
def test_an_answer_is_kept_from_when_it_came(now_s: list[float], *, is_error: bool) -> None:
    came = Event()

    def find(answer: str) -> str:
        assert came.wait(WAIT_S)
        return _raise(StoreError(answer)) if is_error else answer

    with closing(Reader()) as reader:
        with pytest.raises(StoreError):
            reader.read("m", lambda: find("first"), 0)
        [job] = reader._jobs.values()
        now_s[0] += 2 * KEPT_NS / SECOND_NS
        came.set()
        wait([job.found], WAIT_S)
        now_s[0] += 29
        assert reader.waits_ns() == 0
        if is_error:
            with pytest.raises(StoreError, match="first"):
                reader.read("m", lambda: find("second"), WAIT_S)
        else:
            assert reader.read("m", lambda: find("second"), WAIT_S) == "first"


def test_a_database_that_hangs_does_not_keep_the_program_from_ending() -> None:
    """Python waits at the end of a program for all threads that are no daemons."""
    with closing(Reader()):
        readers = [each for each in threading.enumerate() if each.name == "reader"]
        assert readers
        assert all(each.daemon for each in readers)


def _raise(error: Exception) -> NoReturn:
    raise error
