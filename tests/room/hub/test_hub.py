"""The hub: what comes from the sources, and how it is."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial

import msgspec
import pytest

from lab.room_seeds.virtual_time import VirtualLoop
from lab.support.boards import FILE, LOG, PORT, RUNNING, finished_log, named
from lab.support.hubs import fill
from lab.support.logs import forged
from lab.support.postgresql import PostgreSqlServer
from room.boards.register import Register
from room.hub.events import Feed
from room.hub.hub import Hub
from room.hub.public_view import PublicView
from room.hub.store.items import Item
from room.hub.store.store import Store
from room.lines.backlog import MOST_LINES, Backlog
from room.lines.events import (
    ClockHeard,
    LinesRead,
    OfferDelivered,
    Place,
    RoomTaken,
    TroubleChanged,
)
from tests.eventlog.test_links import ONE, TWO
from tests.room.boards.test_conflicts import RIVAL

DELAY_S = 3  # of what everybody sees
OTHER = FILE._replace(key="other")
FINISHED = finished_log()
CONTRADICTED = forged(FINISHED, 6, lambda fields: fields.update(wall="2030-01-01T00:00:00+00:00"))


def test_what_comes_at_the_same_time_wakes_the_event_loop_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With 2,000 clocks a call for each line cost a sixth of the hub's processor time."""
    monkeypatch.delattr(Register, "refresh")  # of all boards: the rest is not looked at
    with closing(Store()) as store:
        hub = Hub(Register(0), store, lambda: 0)
        for batch in (LOG[:3], LOG[3:5]):
            assert not hub.put(ClockHeard(PORT, 0))  # the look at all boards is soon enough
            events = [LinesRead(PORT, "", (line,), 0, live=True) for line in batch]
            assert [hub.put(event) for event in events] == [True] + [False] * (len(batch) - 1)
            hub.update()
        (board,) = hub.register.boards.values()
        assert board.seq == 5


def test_what_is_wrong_with_a_way_is_what_was_told_last() -> None:
    """So that the hub is healthy again when a broker is there, and ill when it has gone again."""
    way = Place("room", "broker", is_way=True)
    with closing(Store()) as store:
        hub = Hub(Register(0), store, lambda: 0)
        for what in ("lost", "", "gone", "lost"):
            hub.put(TroubleChanged(way, what))
            hub.update()
            assert hub.all_troubles() == [what] * bool(what)


def test_another_hub_that_has_the_room_or_the_database_ends_this_one() -> None:
    told = list[str]()
    with closing(Store()) as store:
        hub = Hub(Register(0), store, lambda: 0)
        hub.taken = told.append
        hub.put(OfferDelivered(PORT, 0, put=True))  # of an offer of that other hub
        hub.update()
        assert told == []
        hub.put(RoomTaken(PORT, "the hub on a has this room"))
        hub.update()
        store.held_by = "club.sqlite: the hub on b holds it"
        hub.update()
        assert told == ["the hub on a has this room", store.held_by]


def test_a_hub_that_is_full_takes_nothing_of_any_place() -> None:
    with closing(Store()) as store:
        hub = Hub(Register(0), store, lambda: 0)
        for upstream, takes in ((Backlog(MOST_LINES), False), (Backlog(MOST_LINES - 1), True)):
            hub.upstream = partial(Backlog, *upstream)
            hub.update(everything=True)
            assert hub.takes(FILE.key) is takes


class LateStore(Store):
    """A store whose disk writes nothing until somebody waits for it."""

    def __init__(self) -> None:
        self._may_write = threading.Event()
        super().__init__()

    def _write(self, items: Sequence[Item]) -> str:
        self._may_write.wait()
        return super()._write(items)

    def flush(self) -> bool:
        """Write, and wait for that."""
        self._may_write.set()
        is_written = super().flush()
        self._may_write.clear()
        return is_written

    def close(self) -> bool:
        """Write what is left."""
        self._may_write.set()
        return super().close()


class Viewer:
    """Somebody who looks at a feed until it ends, and notes when they are told what."""

    def __init__(self, feed: Feed) -> None:
        self.told = list[tuple[float, str, str, list[str]]]()
        self.task = asyncio.ensure_future(self._look(feed, asyncio.get_running_loop().time))

    async def _look(self, feed: Feed, now: Callable[[], float]) -> None:
        number = 0
        while not feed.ended:
            for event in feed.since(number, None):
                _, name, data = (line.partition(" ")[2] for line in event.decode().splitlines()[:3])
                told = msgspec.json.decode(data)
                who, asks = told.get("id") or told["source"], told.get("attention", [])
                self.told.append((round(now(), 3), name, who, asks))
            number = feed.number
            await feed.wait(number, None, 3600)


def test_whatever_happens_is_told_in_time() -> None:
    """What comes: at once. What time changes: within a second. To everybody: as much later.

    A log that another source contradicts: when it is written, as only the database has both.
    """
    with closing(LateStore()) as store, asyncio.Runner(loop_factory=VirtualLoop) as runner:
        of_director, of_others = runner.run(told_of_a_day(store))
    assert of_director == [
        (1.31, "board", "simulated", []),
        (17, "board", "simulated", ["not_heard"]),
        (21.31, "board", "9", []),
        (21.31, "gone", "simulated", []),
        (37, "board", "9", ["not_heard"]),
        (41.31, "board", "7", []),
        (41.31, "result", "file", []),
        (45.31, "board", "7-2", []),
        (45.31, "result", "file", []),  # another source has it, too
        (45.31, "result", "other", []),
        (51, "board", "7", ["claimed"]),
        (51, "board", "7-2", ["claimed"]),
        (51, "result", "file", []),
        (51, "result", "other", []),
    ]
    assert of_others == [(round(at_s + DELAY_S, 3), *what) for at_s, *what in of_director]


async def told_of_a_day(store: Store) -> list[list[tuple[float, str, str, list[str]]]]:
    """Tell a hub of lines between its looks at all boards; return what its viewers are told."""
    loop, public = asyncio.get_running_loop(), PublicView(delay_s=DELAY_S)
    assert isinstance(loop, VirtualLoop)
    register = Register(0, recall=store.known, conflicts_of=store.conflicts)
    hub = Hub(register, store, loop.now_ns, public)
    keeping = loop.create_task(hub.keep_current())
    viewers = [Viewer(feed) for feed in (hub.feed, public.feed)]
    await asyncio.sleep(1.3)
    for place, lines, seconds in (
        (PORT, LOG[:RUNNING], 20),
        (PORT, named(LOG, "9")[:RUNNING], 20),
        (FILE, FINISHED, 4),
        (OTHER, CONTRADICTED, 10),
    ):
        match = "m" if place.is_file else ""
        assert hub.put(LinesRead(place, match, tuple(lines), loop.now_ns(), live=True))
        hub.update_soon()
        await asyncio.sleep(seconds / 2)
        assert store.flush()
        await asyncio.sleep(seconds / 2)
    keeping.cancel()
    hub.end()
    await asyncio.wait_for(asyncio.gather(*(each.task for each in viewers)), 1)
    assert loop.errors == []
    return [sorted(each.told) for each in viewers]


def test_a_hub_that_has_settled_has_all_on_the_disk_and_told() -> None:
    with closing(LateStore()) as store:
        hub = Hub(Register(0, conflicts_of=store.conflicts), store, lambda: 0)
        for place, lines in ((FILE, FINISHED), (OTHER, CONTRADICTED)):
            hub.put(LinesRead(place, "m", tuple(lines), 0, live=True))
        asyncio.run(hub.settle())
        assert store.backlog().lines == hub.health().lines_waiting == 0
        assert [each.attention for each in hub.register.boards.values()] == [["claimed"]] * 2


def test_a_hub_that_is_started_again_knows_what_was_over() -> None:
    """Its readers are told of the results, and who takes up a log that was taken up before."""
    with closing(Store()) as store:
        hub = Hub(Register(0), store, lambda: 0)
        for match, log in (("second", TWO), ("next", ONE)):
            fill(hub, LinesRead(FILE, match, tuple(log), 0, live=True))
        again = Hub(Register(0), store, lambda: 0)
        before, after = (
            {event.partition(b"event: result")[2] for event in each.feed.since(0, None)} - {b""}
            for each in (hub, again)
        )
        assert (len(before), after) == (2, before)
        fill(again, LinesRead(PORT, "", tuple(RIVAL), 0, live=True))
        [board] = again.register.boards.values()
        assert board.rivals == ["second"]


class RacedHub(Hub):
    """A hub whose event loop updates just after another thread has asked whether that is due."""

    races = False
    _flag = False

    @property
    def _is_due(self) -> bool:
        found, races, self.races = self._flag, self.races, False
        if races:
            self.update()
        return found

    @_is_due.setter
    def _is_due(self, is_due: bool) -> None:
        self._flag = is_due


def test_an_update_at_the_same_instant_leaves_nothing_behind() -> None:
    """Else what comes next would wait for the look at all boards, up to a second."""
    events = [LinesRead(PORT, "", (line,), 0, live=True) for line in LOG[:3]]
    with closing(Store()) as store:
        hub = RacedHub(Register(0), store, lambda: 0)
        assert hub.put(events[0])
        hub.races = True
        assert not hub.put(events[1])
        assert [board.seq for board in hub.register.boards.values()] == [2]
        assert hub.put(events[2])


@pytest.mark.slow
def test_a_stopped_server_stops_no_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """A board whose log cannot be read waits for the database, all others go on; the page says so.

    A server that is stopped takes connections and answers nothing, as one whose disk hangs.
    """
    with PostgreSqlServer() as server, closing(Store(server.new_url())) as store:
        hub = Hub(Register(0, recall=store.known), store, lambda: 0)
        hub.put(LinesRead(PORT, "", tuple(LOG[:3]), 0, live=True))
        hub.update()
        assert store.flush()
        server.pause()
        try:
            hub.put(LinesRead(FILE, "m", tuple(LOG[:3]), 0, live=True))
            hub.put(LinesRead(PORT, "", tuple(LOG[3:5]), 0, live=True))
            hub.put(LinesRead(FILE, "m", tuple(LOG[3:4]), 0, live=True))
            hub.update()
            assert {board.source: board.seq for board in hub.register.boards.values()} == {
                PORT.source: 5
            }
            monkeypatch.setattr("room.hub.store.store.LATE_NS", 0)
            [trouble] = hub.health().troubles
            assert "the database gives no answer" in trouble
        finally:
            server.resume()
        assert store.flush()
        while len(hub.register.boards) < 2:
            hub.update()
        assert {board.seq for board in hub.register.boards.values()} == {4, 5}
        assert store.flush()
