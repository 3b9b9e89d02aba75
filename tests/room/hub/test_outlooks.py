"""`room/hub/outlooks.py`."""

import asyncio
from contextlib import closing

from lab.support.hubs import Room
from room.hub.outlooks import FRESH_NS, Outlooks


def test_an_outlook_is_made_anew_when_it_is_too_old() -> None:
    """However many directors ask meanwhile, they are shown the same."""
    instants = (5, FRESH_NS, FRESH_NS + 5, FRESH_NS + 6, FRESH_NS + 7, 2 * FRESH_NS + 7)
    with closing(Room()) as room:

        async def made() -> list[int]:
            outlooks, found = Outlooks(room.hub), list[int]()
            for room.now_ns in instants:
                found.append((await outlooks.latest()).hub_ns)
            return found

        assert asyncio.run(made()) == [5, 5, 5, FRESH_NS + 6, FRESH_NS + 6, 2 * FRESH_NS + 7]
