"""Sends notices while the hub runs."""

import asyncio
from collections.abc import Callable
from typing import Protocol
from urllib.parse import urlsplit
from urllib.request import Request

from clock.text import reason
from room.boards.register import Register
from room.hub.notices import Notice, Noticed
from room.hub.outbox import Batch, Outbox
from room.hub.post import About, PostError, request_of, send
from room.settings.tables import NotifyTable

LOOK_S = 1.0

Send = Callable[[Request], None]


class Told(Protocol):
    """What a notifier needs of the hub."""

    register: Register
    notify_trouble: Callable[[], str]

    def all_troubles(self) -> list[str]:
        """Return what is wrong, in words."""

    def hub_ns(self) -> int:
        """Return the present instant."""


class Notifier:
    """Looks for what is new, and sends it without holding up the hub."""

    def __init__(self, hub: Told, settings: NotifyTable, about: About) -> None:
        """Begin with nothing sent.

        Args:
            hub: of whose boards and troubles to tell; it shows failures among its own troubles.
            settings: where to, and about what.
            about: the room.
        """
        self._hub, self._settings, self._about = hub, settings, about
        self._noticed = Noticed(settings.about, about.words, names=about.names)
        self._outbox = Outbox(settings.per_minute)
        hub.notify_trouble = lambda: self._outbox.trouble

    @property
    def host(self) -> str:
        """The computer to which notices are sent: the whole address may be a secret."""
        return urlsplit(self._settings.url).hostname or ""

    async def run(self, send: Send = send) -> None:
        """Look and send, again and again.

        Args:
            send: sends a request and waits; see `room.hub.post.send`.
        """
        while True:
            await self.look(send)
            await asyncio.sleep(LOOK_S)

    async def test(self, send: Send = send) -> str:
        """Send a test notice at once; return why that failed, or ""."""
        notice = Notice("test", "", self._about.words["notice_test"])
        try:
            await asyncio.to_thread(send, self._request(Batch((notice,), 0)))
        except PostError as error:
            return reason(error)
        return ""

    async def look(self, send: Send = send) -> None:
        """Look for what is new, and send what is due; see `run`."""
        self._gather()
        batch = self._outbox.due(self._hub.hub_ns())
        if batch is None:
            return
        try:
            await asyncio.to_thread(send, self._request(batch))
        except PostError as error:
            self._outbox.failed(reason(error), self._hub.hub_ns())
        else:
            self._outbox.sent(batch, self._hub.hub_ns())

    def _gather(self) -> None:
        own = self._outbox.trouble  # nobody can be told of it this way
        troubles = [each for each in self._hub.all_troubles() if each != own]
        news = self._noticed.news(self._hub.register.boards, troubles)
        if news:
            self._outbox.add(news, self._hub.hub_ns())

    def _request(self, batch: Batch) -> Request:
        return request_of(batch, self._settings, self._about)
