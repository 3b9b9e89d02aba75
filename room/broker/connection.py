"""Connect to the broker of a room: MQTT 5 over TLS, which trusts the room's own authority alone."""

import asyncio
import logging
import random
import socket
import ssl
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Self

from aiomqtt import Client, MqttCodeError, MqttError, ProtocolVersion, Will
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from room.broker.packets import PUBLISH, Message, first_packet, packet, text
from room.broker.topics import MAX_PAYLOAD
from room.lines.turns import TurnQueue
from room.settings.hub import Broker

KEEPALIVE_S = 15  # the broker takes a client for lost after one and a half times this
MOST_MESSAGES = 10_000  # that wait for the program; more are dropped, and asked for again
MOST_BYTES = 48 << 20  # of them: a link has 96 MiB in all
MOST_READ, READ_BYTES = 50, 1 << 14  # how often and how much is read before the program goes on
MOST_UNSENT = 100  # messages for the next write, or writes that wait; then a publisher waits
MOST_OF_ONE, BYTES_OF_ONE = 1000, 12 << 20  # of one clock: others have room beside it
LOST = "the connection is lost"
WRONG_LOGIN = (0x86, 0x87)  # it does not know the name, or not this password
FIRST_RETRY_S, LAST_RETRY_S = 0.5, 15.0  # between attempts to connect; each doubles

logger = logging.getLogger(__name__)


class Messages:
    """The messages that wait for the program: so many, and so many bytes, that there is room.

    Clocks have turns: one that sends much delays itself alone.
    """

    def __init__(self) -> None:
        """Begin without a message."""
        self.dropped = 0  # messages that came when there was no room
        self._waiting = TurnQueue(_clock)
        self._bytes = Counter[str]()  # by clock
        self._all_bytes = 0
        self._lost: BaseException | None = None  # why; None: it is not
        self._woken = asyncio.Event()

    def __len__(self) -> int:
        """Return how many wait."""
        return len(self._waiting)

    def put(self, message: Message) -> None:
        """Take a message, or drop it."""
        clock, size = _clock(message), len(message.payload)
        is_full = len(self) >= MOST_MESSAGES or self._all_bytes >= MOST_BYTES
        if is_full or self._waiting.of(clock) >= MOST_OF_ONE or self._bytes[clock] >= BYTES_OF_ONE:
            if not self.dropped:
                logger.warning(
                    "too many messages from the broker: some are dropped, and come again"
                )
            self.dropped += 1
            return
        self._waiting.append(message)
        self._bytes[clock] += size
        self._all_bytes += size
        self._woken.set()

    def end(self, why: BaseException) -> None:
        """Wait for no more: the connection is lost."""
        self._lost = why
        self._woken.set()

    def __aiter__(self) -> Self:
        """Return this."""
        return self

    async def __anext__(self) -> Message:
        """Return the next message; what has come meanwhile is read before.

        Raises:
            MqttError: the connection is lost; it says why.
        """
        if self._waiting:
            await asyncio.sleep(0)
        while not self._waiting:
            if self._lost is not None:
                raise self._lost
            self._woken.clear()
            await self._woken.wait()
        message = self._waiting.popleft()
        self._bytes[_clock(message)] -= len(message.payload)
        self._all_bytes -= len(message.payload)
        return message


def _clock(message: Message) -> str:
    """Return whose message it is: the topic without its last part."""
    return message.topic.rpartition("/")[0]


class BoundedClient(Client):
    """A connection to the broker that bounds what waits, and costs little for each message.

    paho and aiomqtt make it. That they read each message in parts, and wait until each is sent, was
    a fifth of the processor time of a hub with 2,000 clocks.
    """

    def __init__(self, *given: Any, **named: Any) -> None:
        """See `Client`."""
        super().__init__(*given, **named)
        self._arrived, self._come = Messages(), bytearray()
        self._unsent: list[bytes] = []  # packets that are sent together
        self._client._sock_recv = self._take  # type: ignore[method-assign] # noqa: SLF001

    async def __aenter__(self) -> Self:
        """See `Client`."""
        lost = self._disconnected
        await super().__aenter__()
        if lost.done():  # at once, which aiomqtt forgets
            raise _why(lost)
        self._disconnected.add_done_callback(lambda lost: self._arrived.end(_why(lost)))
        return self

    async def __aexit__(self, *given: object) -> None:
        """See `Client`; what was published is sent before."""
        self._send_all()
        await super().__aexit__(*given)  # type: ignore[arg-type]

    @property
    def messages(self) -> Messages:  # type: ignore[override]
        """The messages that wait."""
        return self._arrived

    @property
    def dropped(self) -> int:
        """How many messages came when too many waited for the program."""
        return self._arrived.dropped

    async def publish(  # type: ignore[override]
        self, topic: str, payload: bytes, *, retain: bool
    ) -> None:
        """Publish soon, in one write with others; wait only while many wait to be sent."""
        if self._client.socket() is None:
            raise _why(self._disconnected)
        if max(len(self._unsent), len(self._client._out_packet)) >= MOST_UNSENT:  # noqa: SLF001
            self._send_all()
            await super().publish(topic, payload, retain=retain)
            return
        if not self._unsent:
            self._loop.call_soon(self._send_all)
        self._unsent.append(packet(PUBLISH | retain, text(topic), b"\0", payload))

    def _send_all(self) -> None:
        """Have paho write what waits, as if it was one packet."""
        packets, self._unsent = b"".join(self._unsent), []
        if packets:
            self._client._packet_queue(0, packets, 0, 0)  # noqa: SLF001

    def _on_socket_open(self, _client: object, _data: object, sock: socket.socket) -> None:
        def begin() -> None:
            self._loop.add_reader(sock.fileno(), self._read, sock)
            self._misc_task = self._loop.create_task(self._misc_loop())

        self._loop.call_soon_threadsafe(begin)

    def _read(self, sock: socket.socket) -> None:
        """Read what has come, some of it if that is much."""
        for _ in range(MOST_READ):
            data = _received(sock)
            if data is None:
                break
            self._come += data
            if not (data and self._handle_packets()):
                self._come.clear()
                self._client.loop_read()  # which finds the connection ended
                break

    def _handle_packets(self) -> bool:
        """Take the messages that have come whole; paho handles other packets.

        Returns whether they are right.
        """
        with suppress(ValueError):
            while self._client.socket() and (found := first_packet(self._come)):
                if found.message is None:
                    self._client.loop_read()  # which may close the socket
                else:
                    del self._come[: found.size]
                    self._arrived.put(found.message)
            return True
        return False

    def _take(self, bufsize: int) -> bytes:
        """Return some bytes of what has come, for paho."""
        taken = bytes(self._come[:bufsize])
        del self._come[:bufsize]
        return taken


def _why(lost: asyncio.Future[None]) -> BaseException:
    """Return why a connection was lost: only the broker knows that another took it over."""
    is_known = lost.done() and not lost.cancelled()
    return (lost.exception() if is_known else None) or MqttError(LOST)


def _received(sock: socket.socket) -> bytes | None:
    """Return what can be read now; None: nothing has come; empty: the connection has ended."""
    try:
        return sock.recv(READ_BYTES)
    except (ssl.SSLWantReadError, ssl.SSLWantWriteError, BlockingIOError):
        return None
    except OSError:
        return b""


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
        properties=properties,
        tls_context=ssl.create_default_context(cadata=broker.ca),
        socket_options=[(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)],
    )


def is_wrong_login(error: Exception) -> bool:
    """Return whether the broker refuses a name or its password."""
    code = error.rc if isinstance(error, MqttCodeError) else None
    return isinstance(code, ReasonCode) and code.value in WRONG_LOGIN


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
