"""The link of a clock at the real broker, with a hub that says what a test wants."""

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from clock.config.offer import MAX_BYTES
from clock.storage.offer_file import OFFER
from lab.bench.closing import Closing
from lab.support.logs import monkey_logs, renamed
from lab.support.mosquitto import Mosquitto, Peer, Room, make_room, noted_subscriptions
from lab.support.room_hall import LoggedClock, heads, link_settings
from room.broker.link import Link, put_offer
from room.broker.run_link import run_links
from room.broker.topics import (
    Ack,
    BoardState,
    HubState,
    Inventory,
    LinkHeartbeat,
    LinkState,
    OfferReceipt,
    Topic,
    encode,
)
from room.lines.inbox import Point
from room.sources.raw_clock import now_ns

LOG = renamed(max(monkey_logs(3, 60), key=len), "m")
BASE = "gammonclock/1/test"


class LinkThread(Closing):
    """A link in a thread of this process."""

    def __init__(self, room: Room, directory: Path, *, board_topic: bool = False) -> None:
        settings = link_settings(room.folder, directory.name)
        self._settings = replace(settings, board_topic=board_topic)
        self._directory = directory
        self._started = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()))
        self._thread.start()
        self._started.wait()

    async def _run(self) -> None:
        link = Link(self._settings, self._directory, now_ns, _service)
        self._loop = asyncio.get_running_loop()
        self._task = self._loop.create_task(run_links({self._directory: link}))
        self._started.set()
        await asyncio.wait([self._task])

    def close(self) -> None:
        """End it in good order."""
        self._loop.call_soon_threadsafe(self._task.cancel)
        self._thread.join()


async def _service() -> tuple[str, str]:
    return "active", "RUNNING"


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Room:
    return make_room(tmp_path_factory.mktemp("room") / "cards", {"red-1": "1"})


@pytest.fixture
def hub(room: Room) -> Iterator[Peer]:
    """The hub of an empty broker, which hears everything of the clock."""
    with Mosquitto(room), Peer(room.hub) as peer:
        peer.subscribe(f"{BASE}/red-1/#")
        yield peer


@pytest.fixture
def clock(tmp_path: Path) -> LoggedClock:
    """A clock that has written three lines."""
    found = LoggedClock(tmp_path / "red-1", [LOG])
    found.write(3)
    return found


def next_of(hub: Peer, *topics: Topic) -> bytes:
    """The next message of some topics; others are passed over."""
    while True:
        name, payload = hub.next()
        if name.removeprefix(f"{BASE}/red-1/") in topics:
            return payload


def come(hub: Peer, store: str = "s", session: int = 0) -> None:
    hub.publish(f"{BASE}/hub", encode(HubState("online", store, session)), retain=True)


@pytest.mark.slow
def test_a_clock_says_that_it_is_there(hub: Peer, room: Room, clock: LoggedClock) -> None:
    """Its state and its time at once, its inventory when a hub is there, its lines when asked."""
    with LinkThread(room, clock.directory):
        state = msgspec.json.decode(next_of(hub, Topic.LINK), type=LinkState)
        assert (state.state, state.clock_unit, state.status) == ("online", "active", "RUNNING")
        beat = msgspec.json.decode(next_of(hub, Topic.HEARTBEAT), type=LinkHeartbeat)
        assert beat.now_ns <= now_ns()
        come(hub)
        inventory = msgspec.json.decode(next_of(hub, Topic.LOGS), type=Inventory)
        assert [(log.match, log.latest) for log in inventory.logs] == list(
            heads(clock.written).items()
        )
        hub.publish(f"{BASE}/red-1/ack", encode(Ack("s", {"m": Point()}, 1)))
        assert next_of(hub, Topic.LOG) == b"\n".join(LOG[:3])
        clock.write(1)
        assert next_of(hub, Topic.LOG) == LOG[3]
    last = msgspec.json.decode(next_of(hub, Topic.LINK), type=LinkState)
    assert (last.state, last.session) == ("off", state.session)


@pytest.mark.slow
@pytest.mark.parametrize("topic", ["hub", "red-1/ack", "red-1/offer"])
@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"null",
        b"[" * 20_000,
        b'{"state":"online"',
        b'{"store":"s","have":{"m":{"seq":-1,"hash":""}},"ask":-1}',
        b'{"store":"s","have":{"m":{"seq":9,"hash":"x"}},"ask":1e99}',
        b'{"state":"lost","store":"\xff"}',
        bytes(100_000),
    ],
    ids=["empty", "null", "nested", "cut", "negative", "float", "no-utf-8", "large"],
)
def test_a_hub_that_talks_nonsense(
    hub: Peer, room: Room, clock: LoggedClock, topic: str, payload: bytes
) -> None:
    with LinkThread(room, clock.directory):
        come(hub)
        next_of(hub, Topic.LOGS)
        hub.publish(f"{BASE}/{topic}", payload)
        hub.publish(f"{BASE}/red-1/ack", encode(Ack("other", {"m": Point()}, 1)))
        hub.publish(f"{BASE}/red-1/ack", encode(Ack("s", {"m": Point()}, 1)))
        assert next_of(hub, Topic.LOG) == b"\n".join(LOG[:3])
    assert not (clock.directory / OFFER).exists() or topic == "red-1/offer"


@pytest.mark.slow
def test_a_hub_that_repeats_itself(
    hub: Peer, room: Room, clock: LoggedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only another connection of it is news; the will of an earlier one may come late."""
    monkeypatch.setattr("room.broker.delivery.sender.PATIENCE_NS", 1 << 60)
    monkeypatch.setattr("room.broker.link.HEARTBEAT_S", 1e6)
    with LinkThread(room, clock.directory):
        come(hub, session=2)
        next_of(hub, Topic.LOGS)
        come(hub, session=2)
        hub.publish(f"{BASE}/hub", encode(HubState("lost", "s", 1)))
        hub.publish(f"{BASE}/red-1/ack", encode(Ack("s", {"m": Point()}, 1)))
        assert next_of(hub, Topic.LOGS, Topic.LOG) == b"\n".join(LOG[:3])
        come(hub, session=3)
        next_of(hub, Topic.LOGS)


@pytest.mark.slow
def test_a_broker_that_may_lose_subscriptions(
    hub: Peer, room: Room, clock: LoggedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("room.broker.link.HEARTBEAT_S", 0.01)
    subscribed = noted_subscriptions(monkeypatch)
    with LinkThread(room, clock.directory):
        states = [next_of(hub, Topic.LINK) for _ in range(3)]
    assert len(set(states)) == 1
    assert len(subscribed) > len(set(subscribed)) == 1


@pytest.mark.slow
def test_an_offer_is_put_where_the_clock_finds_it(
    hub: Peer, room: Room, clock: LoggedClock
) -> None:
    """Byte for byte, readable for the clock's user, and answered; a large one is refused."""
    offer = b'{"names":["Ada","Ben"]}'
    with LinkThread(room, clock.directory):
        next_of(hub, Topic.HEARTBEAT)
        hub.publish(f"{BASE}/red-1/offer", offer)
        answer = msgspec.json.decode(next_of(hub, Topic.OFFERED), type=OfferReceipt)
        assert answer == OfferReceipt(len(offer), put=True)
        hub.publish(f"{BASE}/red-1/offer", bytes(MAX_BYTES + 1))
        answer = msgspec.json.decode(next_of(hub, Topic.OFFERED), type=OfferReceipt)
        assert (answer.bytes, answer.put) == (MAX_BYTES + 1, False)
    found = clock.directory / OFFER
    assert (found.read_bytes(), found.stat().st_mode & 0o777) == (offer, 0o644)


@pytest.mark.slow
def test_the_board_for_other_programs(hub: Peer, room: Room, clock: LoggedClock) -> None:
    """Retained, after each line; its numbers are those of the line."""
    with LinkThread(room, clock.directory, board_topic=True):
        found = msgspec.json.decode(next_of(hub, Topic.BOARD), type=BoardState)
        assert (found.board, found.match, found.seq) == ("1", "m", 3)
        clock.write(5)
        while found.seq < 8:
            found = msgspec.json.decode(next_of(hub, Topic.BOARD), type=BoardState)
    line = msgspec.json.decode(LOG[7])
    shown = msgspec.to_builtins(found)
    names = ("left_ns", "right_ns", "delay_ns", "score", "running", "at_ns", "boot")
    assert {name: shown[name] for name in names} == {name: line[name] for name in names}


def test_a_broker_that_is_not_there(
    room: Room, clock: LoggedClock, caplog: pytest.LogCaptureFixture
) -> None:
    link = Link(link_settings(room.folder, "red-1"), clock.directory, now_ns, _service)
    for _ in range(2):
        link.disconnected(OSError("refused"))
        link.disconnected(OSError("refused"))
        link.connected()
    said = ["no connection to the broker: refused; trying again", "connected to the broker"] * 2
    assert caplog.messages == [f"127.0.0.1: {each}" for each in said]
    asyncio.run(link.receive(f"{BASE}/hub", encode(HubState("online", "s", 1))))
    assert link._sender.due_ns() is not None
    link.disconnected(OSError("refused"))
    assert link._sender.due_ns() is None  # whether that hub is still there is not known


def test_an_offer_that_cannot_be_put(tmp_path: Path) -> None:
    assert "No such file" in put_offer(tmp_path / "missing", b"{}")
    assert str(MAX_BYTES) in put_offer(tmp_path, bytes(MAX_BYTES + 1))
    assert list(tmp_path.iterdir()) == []
