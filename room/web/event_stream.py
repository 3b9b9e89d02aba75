"""Server-sent events for one client."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

import msgspec
from starlette.types import ASGIApp, Receive, Scope, Send

from room.hub.events import Feed
from room.web.answers import json_answer

TICK_S = 10.0  # between ticks, which keep the connection and the reader's offset alive
PART_BYTES = 32 * 1024  # sent at once, or one event if that is longer
SEND_S = 30.0  # a reader that takes nothing for so long is dropped; it may resume


class OpenStreams:
    """The streams that are open: one address may have only so many, or it could have them all."""

    def __init__(self, most_of_one: int) -> None:
        """Let so many of one address be open."""
        self._most_of_one = most_of_one
        self._open = Counter[str]()

    def bounded(self, stream: ASGIApp) -> ASGIApp:
        """Return a stream that is refused if too many of the reader's address are open."""

        async def serve(scope: Scope, receive: Receive, send: Send) -> None:
            address, *_ = scope["client"] or ("",)
            if self._open[address] >= self._most_of_one:
                why = f"{address} has {self._most_of_one} event streams, and may have no more"
                await json_answer({"error": why}, 429)(scope, receive, send)
                return
            self._open[address] += 1
            try:
                await stream(scope, receive, send)
            finally:
                self._open[address] -= 1
                if not self._open[address]:
                    del self._open[address]

        return serve


class EventStream:
    """The events of a feed from a position on, until the reader goes or takes nothing any more."""

    def __init__(
        self,
        feed: Feed,
        version: str,
        hub_ns: Callable[[], int],
        *,
        position: int,
        board: str | None,
        room: str,
    ) -> None:
        """Send nothing yet.

        Args:
            feed: whose changes are sent.
            version: of the hub; a page that has another one loads itself again.
            hub_ns: the present instant of the hub.
            position: the number of the latest event that the reader has.
            board: the id of the only board to send; None: all.
            room: its name.
        """
        self._feed, self._hub_ns = feed, hub_ns
        self._about = {"version": version, "room": room}
        self._position, self._board = position, board

    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        """Send them."""
        headers = [
            (b"content-type", b"text/event-stream; charset=utf-8"),
            (b"cache-control", b"no-store"),
            (b"x-accel-buffering", b"no"),
        ]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        sending = asyncio.ensure_future(self._send_whole(send))
        leaving = asyncio.ensure_future(_left(receive))
        try:
            await asyncio.wait((sending, leaving), return_when=asyncio.FIRST_COMPLETED)
        finally:
            sending.cancel()
            leaving.cancel()

    async def _send_whole(self, send: Send) -> None:
        await self._send_all(send)
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _send(self, send: Send, body: bytes) -> None:
        """Send, or end the stream of a reader that takes nothing: no queue grows for it."""
        async with asyncio.timeout(SEND_S):
            await send({"type": "http.response.body", "body": body, "more_body": True})

    async def _send_all(self, send: Send) -> None:
        hello = self._about | {"hub_ns": self._hub_ns()} | self._feed.troubles
        await self._send(send, self._event("hello", hello))
        now = asyncio.get_running_loop().time
        tick_at = now() + TICK_S
        while not self._feed.ended:
            before, self._position = self._position, self._feed.number
            for part in _parts(self._feed.since(before, self._board)):
                await self._send(send, part)
            if now() >= tick_at:  # also while much happens: the reader sets its clock by it
                await self._send(send, self._event("tick", {"hub_ns": self._hub_ns()}))
                tick_at = now() + TICK_S
            await self._feed.wait(self._position, self._board, tick_at - now())

    def _event(self, name: str, data: object) -> bytes:
        return self._feed.event(name, msgspec.json.encode(data), self._position)


def _parts(events: Iterable[bytes]) -> Iterator[bytes]:
    """Yield events, some together: what waits for a reader that takes nothing is about a part."""
    part = b""
    for event in events:
        part += event
        if len(part) >= PART_BYTES:
            yield part
            part = b""
    if part:
        yield part


async def _left(receive: Receive) -> None:
    """Return when the reader has gone."""
    while (await receive())["type"] != "http.disconnect":
        pass
