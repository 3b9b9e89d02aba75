"""The web server's messages, and connections that wait to be accepted."""

import asyncio
import logging
import socket
from contextlib import ExitStack

import pytest
from starlette.applications import Starlette

from room.web.connections import AT_ONCE
from room.web.server import KINDS, OncePerSecond, PageServer


def message(text: str, at_s: float) -> logging.LogRecord:
    return logging.makeLogRecord({"msg": text, "created": at_s, "levelno": logging.WARNING})


def test_a_message_of_a_kind_is_said_once_a_second() -> None:
    once, times = OncePerSecond(), (100.0, 100.0, 100.9, 101.0)
    sent = [message(text, at_s) for at_s in times for text in (f"full\n{at_s}", "gone")]
    said = [record.getMessage() for record in sent if once.filter(record)]
    left_out = " (2 more of these were left out)"
    assert said == ["full\n100.0", "gone", f"full\n101.0{left_out}", f"gone{left_out}"]


def test_kinds_of_messages_are_forgotten_before_they_fill_the_memory() -> None:
    once = OncePerSecond()
    assert all(once.filter(message(f"kind {n}", 100)) for n in range(KINDS))
    assert not once.filter(message("kind 0", 100.5))
    assert once.filter(message("one more", 100.5))
    assert once.filter(message("kind 0", 100.5))


def test_a_server_says_each_message_once_a_second(caplog: pytest.LogCaptureFixture) -> None:
    PageServer(Starlette(), ending_s=0, lifespan=False)
    for _ in range(3):
        logging.getLogger("asyncio").handle(message("socket.accept() out of system resource", 9))
    assert len(caplog.records) == 1


def test_many_connections_wait_until_they_are_accepted() -> None:
    """More than are accepted at once, while the hub does something else."""

    async def run(listening: socket.socket) -> None:
        server = PageServer(Starlette(), ending_s=0, lifespan=False)
        server.config.load()
        server.lifespan = server.config.lifespan_class(server.config)
        await server.startup([listening])
        with ExitStack() as clients:
            for _ in range(2 * AT_ONCE):
                clients.enter_context(socket.create_connection(listening.getsockname(), 10))
        await server.shutdown([listening])

    with socket.create_server(("127.0.0.1", 0), backlog=1) as listening:
        asyncio.run(run(listening))
