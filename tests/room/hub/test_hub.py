"""The hub: what comes from the sources, and how it is."""

from contextlib import closing

import pytest

from lab.support.boards import FILE, LOG, PORT
from lab.support.postgresql import PostgreSqlServer
from room.boards.register import Register
from room.hub.hub import Hub
from room.hub.store.store import Store
from room.lines.events import ClockHeard, LinesRead, Place, TroubleChanged


def test_what_comes_at_the_same_time_wakes_the_event_loop_once() -> None:
    """With 2,000 clocks a call for each line cost a sixth of the hub's processor time."""
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
