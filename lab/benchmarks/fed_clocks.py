"""Clocks of a room without a link: each has a connection of its own to the broker, over TLS.

They send what links send: the lines of a log as they are written, and a heartbeat every 10 s. They
take no notice of answers, as nothing is lost here. So two thousand of them cost little beside what
is measured.
"""

import asyncio
import ssl
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import cast

from clock.eventlog.codec import decode, stated_hash
from room.broker.packets import PUBLISH, packet, text
from room.broker.topics import (
    Inventory,
    LinkHeartbeat,
    LinkState,
    LoggedLines,
    Topic,
    clock_topic,
    encode,
)
from room.settings.hub import Broker

AT_ONCE = 50  # connections that are being made
CONNECT, RETAINED, SUBSCRIBE = 0x10, 0x31, 0x82  # first bytes of packets (MQTT 5)
CLEAN_LOGIN = 0xC2  # flags: user name, password, clean start
KEEPALIVE_S = 60
ROOM = "test"


class FedClock(asyncio.Protocol):
    """A clock with a log that grows."""

    transport: asyncio.Transport

    def __init__(self, login: Broker, match: str, lines: Sequence[bytes], begun: int) -> None:
        """Send nothing yet; `begun` lines are there when it connects."""
        self.source, self.written = login.username, begun
        self._login, self._match, self._lines = login, match, [line.rstrip() for line in lines]
        self._boot = decode(self._lines[0], 1).envelope.boot
        self._loop: asyncio.AbstractEventLoop | None = None
        self.is_ready = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Log in, and send what is there."""
        self.transport, self._loop = (
            cast("asyncio.Transport", transport),
            asyncio.get_running_loop(),
        )
        name, password = self._login.username, self._login.password
        version = text("MQTT") + bytes((5, CLEAN_LOGIN)) + KEEPALIVE_S.to_bytes(2, "big") + b"\0"
        self.transport.write(packet(CONNECT, version, text(name), text(name), text(password)))
        answers = text(clock_topic(ROOM, name, Topic.ACK)) + b"\0"
        self.transport.write(packet(SUBSCRIBE, b"\0\1\0", answers))
        self._send(Topic.LINK, encode(LinkState("online", 1, "bench")), first=RETAINED)
        logged = LoggedLines(self._match, self.written, self._hash())
        self._send(Topic.LOGS, encode(Inventory((logged,))))
        self._send(Topic.LOG, b"\n".join(self._lines[: self.written]))

    def data_received(self, _data: bytes) -> None:
        """Take no notice of the answers."""
        self.is_ready.set()

    def press(self) -> None:
        """Write the next line; called in another thread."""
        line = self._lines[self.written]
        self.written += 1
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._send, Topic.LOG, line)

    def checkpoint(self, at_ns: int) -> None:
        """Send a heartbeat of this instant of the clock; called in another thread."""
        beat = LinkHeartbeat(self._boot, at_ns, self._match, self.written)
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._send, Topic.HEARTBEAT, encode(beat))

    def _hash(self) -> str:
        return stated_hash(self._lines[self.written - 1]) or ""

    def _send(self, topic: Topic, payload: bytes, first: int = PUBLISH) -> None:
        name = text(clock_topic(ROOM, self.source, topic))
        self.transport.write(packet(first, name, b"\0", payload))


@contextmanager
def connected(broker: Broker, clocks: Sequence[FedClock]) -> Iterator[None]:
    """Let clocks be connected, in a thread with an event loop of its own."""
    loop, ready = asyncio.new_event_loop(), threading.Event()
    task = loop.create_task(_run(broker, clocks, ready))
    thread = threading.Thread(target=_until_cancelled, args=(loop, task), name="clocks")
    thread.start()
    ready.wait()
    try:
        yield
    finally:
        loop.call_soon_threadsafe(task.cancel)
        thread.join()


def _until_cancelled(loop: asyncio.AbstractEventLoop, task: "asyncio.Task[None]") -> None:
    with suppress(asyncio.CancelledError):
        loop.run_until_complete(task)
    loop.close()


async def _run(broker: Broker, clocks: Sequence[FedClock], ready: threading.Event) -> None:
    """Connect, some at once, and stay connected."""
    context, loop = ssl.create_default_context(cadata=broker.ca), asyncio.get_running_loop()
    free = asyncio.Semaphore(AT_ONCE)

    async def connect(clock: FedClock) -> None:
        async with free:
            await loop.create_connection(
                lambda: clock, broker.host, broker.port, ssl=context, ssl_handshake_timeout=300
            )
            await clock.is_ready.wait()

    await asyncio.gather(*map(connect, clocks))
    ready.set()
    await asyncio.Event().wait()
