"""Connect to the broker of a room: MQTT 5 over TLS, which trusts the room's own authority alone."""

import asyncio
import logging
import random
import socket
import ssl
from collections import Counter
from collections.abc import Coroutine, Iterator
from typing import Any

from aiomqtt import Client, Message, MqttCodeError, MqttError, ProtocolVersion, Will
from paho.mqtt import _packet
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from room.broker.topics import MAX_PAYLOAD
from room.lines.turns import TurnQueue
from room.settings.hub import Broker

KEEPALIVE_S = 15  # the broker takes a client for lost after one and a half times this
MOST_MESSAGES = 10_000  # that wait for the program; more are dropped, and asked for again
MOST_BYTES = 48 << 20  # of them: a link has 96 MiB in all
MOST_OF_ONE, BYTES_OF_ONE = 1000, 12 << 20  # of one clock: others have room beside it
TAKEN_OVER = 0x8E  # the broker's reason: another client has logged in under this name
WRONG_LOGIN = (0x86, 0x87)  # it does not know the name, or not this password
FIRST_RETRY_S, LAST_RETRY_S = 0.5, 15.0  # between attempts to connect; each doubles

logger = logging.getLogger(__name__)


class SharedProperties(Properties):
    """Properties of a message, whose tables are made once.

    paho makes them anew for each message that it receives: with 2,000 clocks that was a fifth of
    the hub's processor time.
    """

    _tables = vars(Properties(PacketTypes.PUBLISH))  # type: ignore[no-untyped-call]

    def __init__(self, packet_type: int) -> None:
        """Begin without a property."""
        vars(self).update(self._tables, packetType=packet_type)


_packet.Properties = SharedProperties  # type: ignore[attr-defined] # not exported


class MessageQueue(asyncio.Queue[Message]):
    """The messages that wait for the program: so many, and so many bytes, that there is room.

    Clocks have turns: one that sends much delays itself alone.
    """

    _queue: TurnQueue[Message]

    def __init__(self, maxsize: int = 0) -> None:
        """Begin without a message; see `asyncio.Queue`."""
        super().__init__(maxsize)
        self.dropped = 0  # messages that came when there was no room
        self._bytes = Counter[str]()  # by clock

    def full(self) -> bool:
        """Return whether there is no room."""
        return super().full() or self._bytes.total() >= MOST_BYTES

    def put_nowait(self, item: Message) -> None:
        """Take a message, or drop it; aiomqtt would log each one that it cannot put here."""
        clock = _clock(item)
        is_much = self._queue.of(clock) >= MOST_OF_ONE or self._bytes[clock] >= BYTES_OF_ONE
        if not (is_much or self.full()):
            super().put_nowait(item)
            return
        if not self.dropped:
            logger.warning("too many messages from the broker: some are dropped, and come again")
        self.dropped += 1

    def _init(self, maxsize: int) -> None:  # noqa: ARG002 (see `asyncio.Queue`)
        self._queue = TurnQueue(_clock)

    def _put(self, item: Message) -> None:
        super()._put(item)
        self._bytes[_clock(item)] += len(item.payload)

    def _get(self) -> Message:
        item = super()._get()
        self._bytes[_clock(item)] -= len(item.payload)
        return item


def _clock(message: Message) -> str:
    """Return whose message it is: the topic without its last part."""
    return message.topic.value.rpartition("/")[0]


class BoundedClient(Client):
    """A connection to the broker, which knows how many messages it has dropped."""

    _queue: MessageQueue

    @property
    def dropped(self) -> int:
        """How many messages came when too many waited for the program."""
        return self._queue.dropped


def connect(broker: Broker, will: Will) -> BoundedClient:
    """Return a connection to be opened with `async with`; it raises `MqttError` when it fails."""
    properties = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
    properties.MaximumPacketSize = 2 * MAX_PAYLOAD
    return BoundedClient(
        broker.host,
        broker.port,
        username=broker.username,
        password=broker.password,
        identifier=broker.username,
        protocol=ProtocolVersion.V5,
        will=will,
        keepalive=KEEPALIVE_S,
        clean_start=True,
        properties=properties,
        queue_type=MessageQueue,
        max_queued_incoming_messages=MOST_MESSAGES,
        tls_context=ssl.create_default_context(cadata=broker.ca),
        socket_options=[(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)],
    )


def is_taken_over(error: Exception) -> bool:
    """Return whether a connection ended because another client logged in under the same name."""
    return isinstance(error, MqttCodeError) and _code(error) == TAKEN_OVER


def is_wrong_login(error: Exception) -> bool:
    """Return whether the broker refuses a name or its password."""
    return isinstance(error, MqttCodeError) and _code(error) in WRONG_LOGIN


def _code(error: MqttCodeError) -> int | None:
    return error.rc.value if isinstance(error.rc, ReasonCode) else error.rc


def require_running() -> None:
    """Raise `CancelledError` if the present task is to end."""
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError


def retries_s() -> Iterator[float]:
    """Yield how long to wait before each next attempt to connect, no two clients alike."""
    longest_s = FIRST_RETRY_S
    while True:
        yield random.uniform(longest_s / 2, longest_s)  # noqa: S311 (no secret)
        longest_s = min(2 * longest_s, LAST_RETRY_S)


async def next_attempt(waits_s: Iterator[float]) -> None:
    """Wait before the next attempt to connect, unless the task is to end."""
    require_running()
    await asyncio.sleep(next(waits_s))


def log_no_losses(loop: asyncio.AbstractEventLoop) -> None:
    """Keep lost connections out of the log of the event loop; their errors are raised anyway."""

    def handle(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        if not isinstance(context.get("exception"), MqttError | OSError):
            loop.default_exception_handler(context)

    loop.set_exception_handler(handle)


async def run_together(*works: Coroutine[None, None, None]) -> None:
    """Run until the first of some endless works fails; cancel the others, and raise its error.

    A `TaskGroup` of Python 3.11 would leave the present task marked as cancelled.
    """
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in done:
        task.result()
