"""The bounds of what has come from the broker and waits for the program."""

import asyncio
import ssl

import pytest
from aiomqtt import Will
from paho.mqtt.client import MQTTMessage

from clock.units import SECOND_NS
from lab.support.delivery import LOG, Disk, batches, connected
from room.broker.connection import MOST_BYTES, MOST_MESSAGES, BoundedClient, connect
from room.broker.topics import MAX_PAYLOAD
from room.settings.hub import Broker

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


def come(to: BoundedClient, *payloads: bytes) -> None:
    """Messages come, and the program does nothing meanwhile."""
    for payload in payloads:
        message = MQTTMessage(topic=b"room/clock/log")
        message.payload = payload
        to._on_message(to._client, None, message)


async def taken(of: BoundedClient) -> list[bytes]:
    """Let the program take all that waits."""
    return [(await anext(of.messages)).payload for _ in range(len(of.messages))]


def test_lines_that_are_dropped_come_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """What came first is kept; the clock repeats its inventory, and the hub asks for the rest."""
    monkeypatch.setattr("room.broker.connection.MOST_MESSAGES", 2)

    async def run() -> None:
        hub, disk, now_ns = connection(), Disk(), 0
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
    ("payload", "most"),
    [(b"", MOST_MESSAGES), (bytes(MAX_PAYLOAD), -(-MOST_BYTES // MAX_PAYLOAD))],
    ids=["many", "large"],
)
def test_what_waits_is_bounded_and_one_line_of_the_log_says_so(
    payload: bytes, most: int, caplog: pytest.LogCaptureFixture
) -> None:
    """In messages and in bytes; when the program takes something there is room again."""

    async def run() -> None:
        hub = connection()
        come(hub, *[payload] * (most + 3))
        assert (len(hub.messages), hub.dropped) == (most, 3)
        await taken(hub)
        come(hub, *[payload] * (most + 1))
        assert (len(hub.messages), hub.dropped) == (most, 4)

    asyncio.run(run())
    assert len(caplog.messages) == 1
    assert "some are dropped" in caplog.text
