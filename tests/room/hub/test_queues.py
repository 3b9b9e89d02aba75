"""Places have turns, and so have the pages, whatever is sent."""

import asyncio
import threading
from contextlib import closing
from itertools import count
from queue import SimpleQueue

import pytest

from clock.units import MILLISECOND_NS
from lab.support.boards import FILE, LOG, PORT, finished_log
from room.boards.board import Result
from room.boards.effects import EndedLog
from room.boards.followed_log import StoredLog
from room.boards.register import Register
from room.boards.results import result_of
from room.hub.hub import Hub
from room.hub.queues import MOST_OF_ONE, UPDATE_NS, EventQueue
from room.hub.store.opening import StoreError
from room.hub.store.store import Store
from room.lines.backlog import Backlog
from room.lines.events import LinesRead, MatchBegan, SourceEvent


class SlowHub(Hub):
    """A hub that needs a millisecond for each look at its clock, and notes its updates."""

    def __init__(self, register: Register, store: Store) -> None:
        super().__init__(register, store, count(0, MILLISECOND_NS).__next__)
        self.seqs = list[dict[str, int]]()  # of the boards, after each update

    def update(self, *, everything: bool = False) -> None:
        super().update(everything=everything)
        self.seqs.append({board.source: board.seq for board in self.register.boards.values()})


async def settled(hub: Hub, events: list[SourceEvent]) -> None:
    """Let a hub handle events that come at the same time."""
    for event in events:
        hub.put(event)
    await hub.settle()


def test_places_have_turns() -> None:
    """What one clock sends at once, however much it is, delays no other one."""
    flood = [LinesRead(FILE, "m", (line,), 0, live=True) for line in LOG[:50]]
    act = LinesRead(PORT, "", tuple(LOG[:3]), 0, live=True)
    with closing(Store()) as store:
        hub = SlowHub(Register(0), store)
        asyncio.run(settled(hub, [*flood, act]))
        assert len(hub.seqs) > 5
        assert hub.seqs[0][PORT.source] == 3
        assert hub.seqs[0][FILE.source] < 10
        assert hub.seqs[-1][FILE.source] == 50


def test_a_flood_is_handled_without_a_second_call_and_the_pages_have_their_turns() -> None:
    """Also if the hub updates for other reasons meanwhile, as it does for each result."""

    async def handle(hub: SlowHub) -> None:
        for line in LOG[:50]:
            hub.put(LinesRead(FILE, "m", (line,), 0, live=True))
        for _ in range(5):
            hub.update()
        for _ in range(50):
            updates = len(hub.seqs)
            await asyncio.sleep(0)
            assert len(hub.seqs) <= updates + 1
        assert hub.seqs[-1][FILE.source] == 50

    with closing(Store()) as store:
        asyncio.run(handle(SlowHub(Register(0), store)))


def test_a_long_log_is_read_again_in_parts() -> None:
    """And a long message: others and the pages have their turns between, and no line is lost."""
    log = [line for line in finished_log() if b"FINISHED" not in line]
    known, sent = log[: len(log) // 2], log[len(log) // 2 :]
    stored = {FILE.key: StoredLog(known, 2)}
    register = Register(0, recall=lambda match, source: stored.get(source, StoredLog()))
    act = LinesRead(PORT, "", tuple(LOG[:3]), 0, live=True)
    with closing(Store()) as store:
        hub = SlowHub(register, store)
        asyncio.run(settled(hub, [LinesRead(FILE, "m", tuple(sent), 0, live=True), act]))
        assert hub.seqs[0] == {PORT.source: 3}
        assert len(hub.seqs) > len(log) / 20
        [(_, followed)] = [each for each in register.followed() if each[0].source == FILE.source]
        assert followed is not None
        assert (followed.lines, followed.forks) == (log, 2)
        assert store.lines("m", FILE.key) == sent  # what it had before is not stored again


def test_what_cannot_be_read_now_waits_on_in_its_order() -> None:
    """How long is known each time; a place that has had its turn waits from then on."""
    at, handled, broken = [0], list[SourceEvent](), [True]
    queue = EventQueue(lambda: at[0])
    files = [LinesRead(FILE, "m", (line,), 0, live=True) for line in LOG[:3]]
    act = LinesRead(PORT, "", tuple(LOG[:3]), 0, live=True)

    def handle(event: SourceEvent) -> None:
        if broken[0] and event.place == FILE:
            raise StoreError
        handled.append(event)

    for begun_ns in (5, 100):
        at[0], broken[0] = begun_ns, True
        for event in (*files[:2], act, files[2]):
            queue.put(event)
            at[0] += 1
        queue.handle_all(handle)
        assert (handled, queue.backlog()) == ([act], Backlog(3, at[0] - begun_ns))
        broken[0] = False
        queue.handle_all(handle)
        assert (handled, queue.backlog()) == ([act, *files], Backlog())
        handled.clear()
    for event in files[:2]:
        queue.put(event)
    queue.handle_all(lambda _: at.insert(0, at[0] + UPDATE_NS + 1))
    assert queue.backlog() == Backlog(1, 0)


def test_that_which_waits_longest_counts_and_a_place_may_have_so_many() -> None:
    at = [0]
    queue = EventQueue(lambda: at[0])

    def handle(_: SourceEvent) -> None:
        raise StoreError

    for at[0], place in ((5, FILE), (7, PORT)):
        queue.put(MatchBegan(place, "m"))
        queue.handle_all(handle)
    at[0] = 10
    assert queue.backlog() == Backlog(2, 5)
    for waiting in range(2, MOST_OF_ONE + 1):
        assert queue.takes(FILE.key)
        queue.put(MatchBegan(FILE, "m"))
        queue.handle_all(handle)
        assert queue.backlog().lines == waiting + 1
    assert (queue.takes(FILE.key), queue.takes(PORT.key)) == (False, True)


def test_no_more_is_taken_of_a_place_of_which_much_waits() -> None:
    """Its clock has the lines and sends them again; those of other clocks are taken."""
    with closing(Store()) as store:
        hub = SlowHub(Register(0), store)
        for _ in range(MOST_OF_ONE + 30):
            hub.put(MatchBegan(FILE, "m"))
        assert asyncio.run(_takes_after_update(hub)) == (False, True)
        asyncio.run(hub.settle())
        assert (hub.takes(FILE.key), hub.health().lines_waiting) == (True, 0)


async def _takes_after_update(hub: Hub) -> tuple[bool, bool]:
    hub.update(everything=True)
    assert hub.health().lines_waiting > MOST_OF_ONE
    return hub.takes(FILE.key), hub.takes(PORT.key)


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

    monkeypatch.setattr("room.hub.queues.result_of", computed)
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

    monkeypatch.setattr("room.hub.queues.result_of", computed)
    with closing(Store()) as store:
        asyncio.run(end_all(Hub(Register(0), store, lambda: 0)))
    assert places == [FILE.key, PORT.key, *[FILE.key] * 4]
