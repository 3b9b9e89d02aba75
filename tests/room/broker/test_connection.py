"""The connection to a broker that says what a test wants, and the bounds of what waits."""

import asyncio
import socket
import ssl
from asyncio import StreamReader, StreamWriter
from collections.abc import Awaitable, Callable
from contextlib import closing, suppress
from functools import cache
from itertools import islice, product
from pathlib import Path

import pytest
from aiomqtt import MqttError, Will
from msgspec.structs import replace

from clock.units import SECOND_NS
from lab.room_seeds.virtual_time import VirtualLoop
from lab.support.delivery import LOG, Database, batches, connected
from lab.support.paths import ROOT
from room.broker.connection import (
    BYTES_OF_ONE,
    LOST,
    MOST_BYTES,
    MOST_MESSAGES,
    MOST_OF_ONE,
    MOST_UNSENT,
    BoundedClient,
    _why,
    connect,
    is_wrong_login,
    log_no_losses,
    next_attempt,
    require_running,
    retries_s,
)
from room.broker.packets import PUBLISH, Message, packet, text
from room.broker.topics import MAX_PAYLOAD
from room.cards.certificates import Identity, make_authority, make_server
from room.settings.hub import Broker
from tests.room.broker.test_packets import PING_ANSWERED

CONNECT, CONNECTED, DISCONNECT = 0x10, 0x20, 0xE0
TAKEN_OVER = 0x8E  # another client has logged in under this name
SPOILT = packet(PUBLISH, b"\0\1\xff\0")
HANGS_S = 20  # for what takes an instant
PATIENCE_NS = 5 * SECOND_NS  # of a clock, until it repeats its inventory


LOGIN = Broker(host="127.0.0.1", port=8883, ca="", username="red-1", password="x" * 20)


@cache
def authority() -> Identity:
    """The room's own."""
    return make_authority("test")


def connection() -> BoundedClient:
    """A connection of the hub, in the loop that runs, which is never opened."""
    return connect(replace(LOGIN, ca=authority().certificate), Will("room/hub"))


class Scripted:
    """A broker that answers the first packets as a test wants."""

    def __init__(self, folder: Path, *answers: bytes) -> None:
        self._file, self._answers = folder / "server.pem", answers
        self.authority = authority()
        self.heard = b""

    async def _serve(self, reader: StreamReader, writer: StreamWriter) -> None:
        answers = iter(self._answers)
        while heard := await reader.read(1000):
            self.heard += heard
            writer.write(next(answers, b""))
        writer.close()

    async def meet(self, client: Callable[[BoundedClient], Awaitable[object]]) -> tuple[str, bool]:
        """Let a client connect and do something; return why it was lost, and if by its login."""
        server = make_server(self.authority, LOGIN.host)
        self._file.write_text(server.certificate + server.key)
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(self._file)
        async with await asyncio.start_server(self._serve, LOGIN.host, 0, ssl=context) as own:
            port = own.sockets[0].getsockname()[1]
            login = replace(LOGIN, ca=authority().certificate, port=port)
            try:
                async with (
                    asyncio.timeout(HANGS_S),
                    connect(login, Will("t", b"gone", 0, retain=True)) as connection,
                ):
                    await client(connection)
            except MqttError as error:
                return str(error), is_wrong_login(error)
        return "", False


def answered(code: int = 0) -> bytes:
    """What a broker answers to a login."""
    return packet(CONNECTED, bytes((0, code, 0)))


def left(code: int) -> bytes:
    """What a broker says that ends a connection."""
    return packet(DISCONNECT, bytes((code, 0)))


async def next_message(client: BoundedClient) -> None:
    """Say something, and wait for an answer."""
    await client.publish("t", b"", retain=False)
    await anext(client.messages)


def test_a_client_logs_in_with_its_will_and_says_good_bye(tmp_path: Path) -> None:
    """Its name is its client id; what it publishes last is sent before it leaves."""

    async def client(connection: BoundedClient) -> None:
        assert connection._misc_task is not None  # it pings, and sees that nothing comes back
        for at in range(MOST_UNSENT):
            await connection.publish("t", b"%d" % at, retain=True)
        assert (await anext(connection.messages)).payload == b"answer"

    broker = Scripted(tmp_path, answered(), packet(PUBLISH, text("t"), b"\0", b"answer"))
    assert asyncio.run(broker.meet(client)) == ("", False)
    properties = b"\x27" + (2 * MAX_PAYLOAD).to_bytes(4, "big")
    will = b"\0" + text("t") + text("gone")
    login = packet(
        CONNECT,
        *(text("MQTT"), b"\5", bytes((0b11100110, 0, 15)), b"\5", properties),
        *(text("red-1"), will, text("red-1"), text("x" * 20)),
    )
    said = [packet(PUBLISH | 1, text("t"), b"\0", b"%d" % at) for at in range(MOST_UNSENT)]
    assert broker.heard == b"".join([login, *said, packet(DISCONNECT)])


@pytest.mark.parametrize(
    ("answers", "why"),
    [
        ([answered(0x86)], ("[code:134] Bad user name or password", True)),
        ([answered(0x87)], ("[code:135] Not authorized", True)),
        ([answered(0x88)], ("[code:136] Server unavailable", False)),
        ([answered(), left(TAKEN_OVER) + PING_ANSWERED], ("[code:142] Session taken over", False)),
        ([answered(), left(0)], (LOST, False)),
        ([answered(), SPOILT], ("[code:128] Unspecified error", False)),
    ],
)
def test_a_lost_connection_says_why(
    tmp_path: Path, answers: list[bytes], why: tuple[str, bool]
) -> None:
    """To a client that waits, and to one that publishes; also if it is lost at once."""

    async def publish(client: BoundedClient) -> None:
        with suppress(MqttError):
            await next_message(client)
        await client.publish("t", b"", retain=False)

    for client, said in product((next_message, publish), (answers, [b"".join(answers)])):
        assert asyncio.run(Scripted(tmp_path, *said).meet(client)) == why


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # a socket of paho
def test_a_broker_of_another_authority_is_not_trusted(tmp_path: Path) -> None:
    broker = Scripted(tmp_path, answered())
    broker.authority = make_authority("test")
    why, _ = asyncio.run(broker.meet(next_message))
    assert "certificate verify failed" in why
    assert broker.heard == b""


def test_attempts_are_farther_and_farther_apart() -> None:
    """No two clients wait equally long; one that is to end waits no more."""
    longest_s = [min(0.5 * 2**at, 15) for at in range(9)]
    for waited_s, most_s in zip(retries_s(), longest_s, strict=False):
        assert most_s / 2 <= waited_s <= most_s
    assert len({*islice(retries_s(), 100)}) > 90
    with closing(VirtualLoop()) as loop:
        loop.run_until_complete(next_attempt(iter([7.0])))
        assert loop.time() == 7

        async def end() -> None:
            require_running()
            task = asyncio.current_task()
            assert task is not None
            task.cancel()
            await next_attempt(iter([]))

        with pytest.raises(asyncio.CancelledError):
            loop.run_until_complete(end())


def test_only_lost_connections_are_kept_out_of_the_log() -> None:
    with closing(VirtualLoop()) as loop:
        log_no_losses(loop)
        for error in (MqttError("lost"), OSError("lost"), KeyError("bug")):
            loop.call_exception_handler({"message": "m", "exception": error})
        assert [repr(each["exception"]) for each in loop.errors] == ["KeyError('bug')"]
        (waited := loop.create_future()).cancel()  # as aiomqtt does that has waited too long
        assert str(_why(waited)) == LOST


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


def test_half_of_the_memory_of_a_link_is_for_what_waits() -> None:
    unit = (ROOT / "systemd" / "gammonclock-link.service").read_text("ascii")
    limit = int(unit.partition("MemoryMax=")[2].partition("M")[0]) << 20
    assert limit >= 2 * MOST_BYTES


def test_clocks_have_turns() -> None:
    """A clock that sends much delays itself alone."""

    async def run() -> list[bytes]:
        hub = connection()
        for _ in range(2):  # it waits for the next one
            asyncio.get_running_loop().call_soon(come, hub, b"0")
            assert (await anext(hub.messages)).payload == b"0"
        come(hub, b"1", b"2", b"3")
        asyncio.get_running_loop().call_soon(lambda: come(hub, b"other", clock="other"))
        return await taken(hub)

    assert asyncio.run(run()) == [b"1", b"other", b"2"]


def test_messages_are_read_however_they_are_cut_on_the_way() -> None:
    async def run() -> None:
        hub, (own, broker) = connection(), socket.socketpair()
        own.setblocking(False)
        hub._client._sock = own
        for part in (packet(PUBLISH, text("room/clock/log"), b"\0", b"1"), bytes((PUBLISH,))):
            broker.sendall(part)
            hub._read(own)
        assert await taken(hub) == [b"1"]
        assert hub._client.socket() is own
        own.sendall(b"never read")
        broker.close()  # a reset
        hub._read(own)
        assert hub._client.socket() is None

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
        await hub.publish("room/clock/ack", b"", retain=True)  # it waits until all are sent
        assert broker.recv(1 << 16) == packets[0] * MOST_UNSENT
        assert broker.recv(1 << 16) == bytes((PUBLISH | 1, *packets[0][1:]))
        hub._client._sock_close()
        with pytest.raises(MqttError, match=LOST):
            await hub.publish("room/clock/ack", b"", retain=False)
        broker.close()

    asyncio.run(run())
