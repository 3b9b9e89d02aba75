"""`room/web/event_stream.py`: how many streams one address may have."""

import asyncio

from starlette.testclient import TestClient
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from room.web.answers import json_answer
from room.web.event_stream import OpenStreams


def test_one_address_has_only_so_many_streams_at_a_time() -> None:
    """Others have theirs; what has ended makes room."""
    streams, opened = OpenStreams(2), asyncio.Event()

    async def stream(scope: Scope, receive: Receive, send: Send) -> None:
        await opened.wait()
        await json_answer({})(scope, receive, send)

    async def status(app: ASGIApp, *client: object) -> int:
        sent = list[Message]()
        scope = {"type": "http", "client": client or None}
        await app(scope, TestClient, lambda message: _note(sent, message))  # type: ignore[arg-type]
        return int(sent[0]["status"])

    async def run() -> None:
        for _ in range(3):
            opened.clear()
            asked = [("a", 1), ("a", 2), ("b", 3), (), ("a", 4)]
            tasks = [asyncio.create_task(status(streams.bounded(stream), *each)) for each in asked]
            await asyncio.sleep(0)
            opened.set()
            assert await asyncio.gather(*tasks) == [200, 200, 200, 200, 429]
        assert not streams._open

    asyncio.run(run())


async def _note(sent: list[Message], message: Message) -> None:
    sent.append(message)
