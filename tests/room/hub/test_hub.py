"""The hub: what comes from the sources, and how it is."""

from contextlib import closing

from room.boards.register import Register
from room.hub.hub import Hub
from room.sources.events import LinesRead
from room.store.store import Store
from tests.support.boards import LOG, PORT


def test_what_comes_at_the_same_time_wakes_the_event_loop_once() -> None:
    """With 2,000 clocks a call for each line cost a sixth of the hub's processor time."""
    with closing(Store()) as store:
        hub = Hub(Register(0), store, lambda: 0)
        for batch in (LOG[:3], LOG[3:5]):
            events = [LinesRead(PORT, "", (line,), 0, live=True) for line in batch]
            assert [hub.put(event) for event in events] == [True] + [False] * (len(batch) - 1)
            hub.update()
        (board,) = hub.register.boards.values()
        assert board.seq == 5
