"""`room/web/event_stream.py`: how many streams one address may have."""

import asyncio
from typing import Any

from room.web.event_stream import OpenStreams


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
