"""The latest outlook of a room, made anew only if somebody asks for it."""

import asyncio

from clock.units import SECOND_NS
from room.boards.outlook import Outlook, outlook
from room.hub.hub import Hub

FRESH_NS = 25 * SECOND_NS  # an outlook is shown for so long: its times are rounded to five minutes


class Outlooks:
    """When the boards and the round are likely to end."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._latest: Outlook | None = None
        self._making = asyncio.Lock()  # a hall has several directors

    async def latest(self) -> Outlook:
        """Return an outlook that is at most `FRESH_NS` old."""
        async with self._making:
            hub_ns = self._hub.hub_ns()
            if self._latest is None or hub_ns - self._latest.hub_ns > FRESH_NS:
                boards = list(self._hub.register.followed())
                self._latest = await asyncio.to_thread(outlook, boards, hub_ns)
            return self._latest
