"""`room/web/event_stream.py`: how many streams one address may have, and their ticks."""

import asyncio
import re
from contextlib import closing
from typing import Any

import pytest

from lab.room_seeds.virtual_time import VirtualLoop
from lab.support.hubs import Room
from room.web.event_stream import OpenStreams
from room.web.site import application


def test_one_address_has_only_so_many_streams_at_a_time() -> None:
    """Others have theirs; what has ended makes room."""
    streams, opened, told = OpenStreams(2), asyncio.Event(), list[Any]()

    async def stream(*_: object) -> None:
        await opened.wait()

    async def send(message: Any) -> None:
        told.append(message.get("status"))

    async def run() -> None:
        for _ in range(3):
            opened.clear()
            clients = (("a", 1), ("a", 2), ("b", 3), None, ("a", 4))
            reader: Any = streams.bounded(stream)
            scopes = [{"type": "http", "client": each} for each in clients]
            tasks = [asyncio.create_task(reader(each, None, send)) for each in scopes]
            await asyncio.sleep(0)
            opened.set()
            await asyncio.gather(*tasks)
        assert (told, streams._open) == ([429, None] * 3, {})

    asyncio.run(run())


@pytest.mark.parametrize(("query", "gone"), [(b"", "gone gone"), (b"board=7", "gone")])
def test_a_stream_ticks_every_ten_seconds_beside_what_happens(query: bytes, gone: str) -> None:
    """Of a board, if one is named, it has only what happens there; it ends without a trace."""
    sent = list[tuple[float, str]]()

    async def send(message: Any) -> None:
        events = message.get("body", b"").decode()
        if names := re.findall(r"^event: (\w+)$", events, re.MULTILINE):
            sent.append((asyncio.get_running_loop().time(), " ".join(names)))

    async def run(room: Room) -> None:
        feed, leaves = room.hub.feed, asyncio.Event()

        async def receive() -> Any:
            await leaves.wait()
            return {"type": "http.disconnect"}

        scope: Any = {"type": "http", "method": "GET", "path": "/api/1/events"}
        scope |= {"headers": [], "client": None, "query_string": query}
        reading = asyncio.ensure_future(application(room.hub)(scope, receive, send))
        await asyncio.sleep(25)
        feed.put_gone("7")
        feed.put_gone("9")
        feed.wake()
        await asyncio.sleep(10)
        if query:
            leaves.set()
        else:
            feed.end()
        await reading
        await asyncio.sleep(0)
        assert asyncio.all_tasks() == {asyncio.current_task()}

    with closing(Room()) as room, asyncio.Runner(loop_factory=VirtualLoop) as runner:
        runner.run(run(room))
    assert sent == [(0, "hello"), (10, "tick"), (20, "tick"), (25, gone), (30, "tick")]
