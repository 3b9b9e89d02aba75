"""Results are computed one after another, each of all lines."""

import asyncio
import threading
from contextlib import closing
from queue import SimpleQueue

import pytest

from lab.support.boards import FILE, PORT, finished_log
from room.boards.board import Result
from room.boards.effects import EndedLog
from room.boards.register import Register
from room.boards.results import result_of
from room.hub.hub import Hub
from room.store.store import Store


def test_the_result_of_a_log_is_that_of_all_its_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines come while it is computed: it is computed once more, however many there are."""
    log, may_end, lines = finished_log(), threading.Event(), SimpleQueue[int]()
    unfinished = [line for line in log if b"FINISHED" not in line]

    def computed(ended: EndedLog) -> Result | None:
        lines.put(len(ended.lines))
        may_end.wait()
        return result_of(ended)

    async def end_all(hub: Hub) -> None:
        hub._results.put(EndedLog(FILE, "m", tuple(unfinished), 0))
        assert await asyncio.to_thread(lines.get) == len(unfinished)
        for known in range(10, len(log) + 1):
            hub._results.put(EndedLog(FILE, "m", tuple(log[:known]), 0))
        may_end.set()
        await hub.settle()

    monkeypatch.setattr("room.hub.result_queue.result_of", computed)
    with closing(Store()) as store:
        asyncio.run(end_all(Hub(Register(0), store, lambda: 0)))
        assert (lines.get(), lines.empty()) == (len(log), True)
        assert [result.complete for result in store.results()] == [True]


def test_results_of_places_are_computed_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """One at a time: a clock that ends many matches delays its own results alone."""
    places, begun = list[str](), list[str]()

    def computed(ended: EndedLog) -> None:
        begun.append(ended.place.key)
        asyncio.run_coroutine_threadsafe(asyncio.sleep(0), loops[0]).result()  # others may begin
        places.append(ended.place.key)
        assert begun == places

    loops = list[asyncio.AbstractEventLoop]()

    async def end_all(hub: Hub) -> None:
        loops.append(asyncio.get_running_loop())
        for match in "abcde":
            hub._results.put(EndedLog(FILE, match, (), 0))
        hub._results.put(EndedLog(PORT, "other", (), 0))
        await hub.settle()

    monkeypatch.setattr("room.hub.result_queue.result_of", computed)
    with closing(Store()) as store:
        asyncio.run(end_all(Hub(Register(0), store, lambda: 0)))
    assert places == [FILE.key, PORT.key, *[FILE.key] * 4]
