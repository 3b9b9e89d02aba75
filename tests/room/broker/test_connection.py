"""The bounds of what has come from the broker and waits for the program."""

import asyncio
import socket
import ssl

import pytest
from aiomqtt import MqttError, Will

from clock.units import SECOND_NS
from lab.support.delivery import LOG, Database, batches, connected
from room.broker.connection import (
    BYTES_OF_ONE,
    LOST,
    MOST_BYTES,
    MOST_MESSAGES,
    MOST_OF_ONE,
    MOST_UNSENT,
    TAKEN_OVER,
    BoundedClient,
    connect,
)
from room.broker.packets import PUBLISH, Message, packet, text
from room.broker.topics import MAX_PAYLOAD
from room.settings.hub import Broker
from tests.room.broker.test_packets import PING_ANSWERED

DISCONNECT = 0xE0
PATIENCE_NS = 5 * SECOND_NS  # of a clock, until it repeats its inventory


@pytest.fixture(autouse=True)
def no_authority(monkeypatch: pytest.MonkeyPatch) -> None:
    """The connection is never opened."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    monkeypatch.setattr(ssl, "create_default_context", lambda cadata: context)


def connection() -> BoundedClient:
    """A connection of the hub, in the loop that runs."""
    broker = Broker(host="192.168.8.2", port=8883, ca="", password="x" * 20)
    return connect(broker, Will("room/hub"))


def come(to: BoundedClient, *payloads: bytes, clock: str = "clock") -> None:
    """Messages of a clock come, and the program does nothing meanwhile."""
    for payload in payloads:
        to.messages.put(Message(f"room/{clock}/log", payload))


async def taken(of: BoundedClient) -> list[bytes]:
    """Let the program take all that waits."""
    return [(await anext(of.messages)).payload for _ in range(len(of.messages))]


def test_lines_that_are_dropped_come_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """What came first is kept; the clock repeats its inventory, and the hub asks for the rest."""
    monkeypatch.setattr("room.broker.connection.MOST_MESSAGES", 2)

    async def run() -> None:
        hub, disk, now_ns = connection(), Database(), 0
        sender, receiver = connected(LOG, disk)
        come(hub, *batches(sender))
        assert (len(hub.messages), hub.dropped > 0) == (2, True)
        while not sender.is_complete:
            for payload in await taken(hub):
                incoming, _ = receiver.lines(payload)
                disk.waiting += [(each.match, each.lines) for each in incoming]
            disk.commit()
            now_ns += PATIENCE_NS
            inventory = sender.inventory(now_ns)
            assert inventory is not None
            for ack in receiver.inventory(inventory):
                sender.acknowledge(ack, now_ns)
            come(hub, *batches(sender))
        assert [*disk.logs.values()] == [LOG]

    asyncio.run(run())


@pytest.mark.parametrize(
    ("payload", "of_one", "most"),
    [
        (b"", MOST_OF_ONE, MOST_MESSAGES),
        (bytes(MAX_PAYLOAD), BYTES_OF_ONE // MAX_PAYLOAD, MOST_BYTES // MAX_PAYLOAD),
    ],
    ids=["many", "large"],
)
def test_what_waits_is_bounded_and_one_line_of_the_log_says_so(
    payload: bytes, of_one: int, most: int, caplog: pytest.LogCaptureFixture
) -> None:
    """In messages and in bytes, of a clock and in all; what the program takes makes room again."""

    async def run() -> None:
        hub = connection()
        come(hub, *[payload] * (of_one + 3))
        assert (len(hub.messages), hub.dropped) == (of_one, 3)
        for at in range(most // of_one):
            come(hub, *[payload] * of_one, clock=str(at))
        assert (len(hub.messages), hub.dropped) == (most, 3 + of_one)
        await taken(hub)
        come(hub, *[payload] * (of_one + 1))
        assert (len(hub.messages), hub.dropped) == (of_one, 4 + of_one)

    asyncio.run(run())
    assert len(caplog.messages) == 1
    assert "some are dropped" in caplog.text


def test_clocks_have_turns() -> None:
    """A clock that sends much delays itself alone."""

    async def run() -> list[bytes]:
        hub = connection()
        come(hub, b"1", b"2", b"3")
        asyncio.get_running_loop().call_soon(lambda: come(hub, b"other", clock="other"))
        return await taken(hub)

    assert asyncio.run(run()) == [b"1", b"other", b"2"]


def test_messages_are_read_until_something_else_comes() -> None:
    """However they are cut on the way; a broker that sends no MQTT is one that is lost."""

    async def run() -> None:
        hub, (own, broker) = connection(), socket.socketpair()
        own.setblocking(False)
        hub._client._sock = own
        for part in (packet(PUBLISH, text("room/clock/log"), b"\0", b"1"), bytes((PUBLISH,))):
            broker.sendall(part)
            hub._read(own)
        assert await taken(hub) == [b"1"]
        assert hub._client.socket() is own
        broker.sendall(b"\4\0\1\xff\0")
        hub._read(own)
        assert hub._client.socket() is None
        broker.close()

    asyncio.run(run())


def test_what_comes_behind_the_end_of_a_connection_is_left() -> None:
    """A broker says why it ends one."""

    async def run() -> None:
        hub, (own, broker) = connection(), socket.socketpair()
        own.setblocking(False)
        hub._client._sock = own
        broker.sendall(packet(DISCONNECT, bytes((TAKEN_OVER, 0))) + PING_ANSWERED)
        hub._read(own)
        assert hub._client.socket() is None
        broker.close()

    asyncio.run(run())


def test_what_is_published_together_is_written_at_once() -> None:
    """A hub answers hundreds of clocks when their lines are on the disk."""
    payloads = [b"", bytes(127), bytes(128), bytes(20_000)]
    packets = [packet(PUBLISH, text("room/clock/ack"), b"\0", each) for each in payloads]

    async def run() -> None:
        hub, (own, broker) = connection(), socket.socketpair(type=socket.SOCK_SEQPACKET)
        own.setblocking(False)
        broker.setblocking(False)
        hub._client._sock = own
        for payload in payloads:
            await hub.publish("room/clock/ack", payload, retain=False)
        loop = asyncio.get_running_loop()
        assert await loop.sock_recv(broker, 1 << 16) == b"".join(packets)
        for _ in range(MOST_UNSENT):
            await hub.publish("room/clock/ack", b"", retain=False)
        with pytest.raises(BlockingIOError):
            broker.recv(1 << 16)
        await hub.publish("room/clock/ack", b"", retain=False)  # it waits until all are sent
        assert broker.recv(1 << 16) == packets[0] * MOST_UNSENT
        assert broker.recv(1 << 16) == packets[0]
        hub._client._sock_close()
        with pytest.raises(MqttError, match=LOST):
            await hub.publish("room/clock/ack", b"", retain=False)
        broker.close()

    asyncio.run(run())
