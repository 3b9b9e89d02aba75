"""The hub at its broker: one without a network, one that takes nothing, and none."""

from collections.abc import Callable
from queue import Queue
from threading import enumerate as enumerate_threads
from typing import TypeVar

import pytest
from aiomqtt import MqttError

from clock.units import SECOND_NS
from lab.room_seeds.broker import Connection
from lab.room_seeds.hub import VirtualMqtt
from lab.support.virtual_broker import Said, Wire, at_a_wire, login
from room.broker.lookout import Lookout
from room.broker.packets import Message
from room.broker.source import TOO_MUCH, ClockList, Mqtt
from room.broker.topics import (
    Ack,
    HubState,
    LinkHeartbeat,
    OfferReceipt,
    Topic,
    clock_topic,
    encode,
    hub_topic,
)
from room.lines.events import (
    ClockHeard,
    LinesRead,
    OfferDelivered,
    Place,
    SourceEvent,
    TroubleChanged,
)
from room.lines.inbox import LatestLines
from room.lines.quota import Quota
from room.settings.hub import Broker
from room.simulation.broker import free_port
from tests.room.broker.test_source_clock import LOG, Memory, inventory, point

FoundT = TypeVar("FoundT")
wire = pytest.fixture(at_a_wire)


class Disk(Memory):
    """A database that says when lines are on its disk."""

    committed: Callable[[LatestLines], object]

    def listen(self, told: Callable[[LatestLines], object]) -> None:
        """See `Database`."""
        self.committed = told


class Hub:
    """A hub at the wire, with a clock that says what a test wants."""

    def __init__(self, wire: Wire, lookout: Lookout | None = None) -> None:
        self.told, self.disk, self.wire = list[SourceEvent](), Disk(), wire
        clocks, broker = ClockList({"red-1": "7"}, Quota(60, 64)), login("hub")
        now_ns = wire.loop.now_ns
        self.mqtt = VirtualMqtt("test", broker, clocks, now_ns, self.disk, lookout)
        self.mqtt.start(self._tell)

    def _tell(self, event: SourceEvent) -> None:
        if isinstance(event, ClockHeard) and event.boot == "bug":
            raise KeyError("bug")
        self.told.append(event)

    def told_of(self, kind: type[FoundT]) -> list[FoundT]:
        """What the hub was told of a kind, since it was asked last."""
        told: list[object] = [*self.told]
        found = [each for each in told if isinstance(each, kind)]
        self.told[:] = [each for each in self.told if not isinstance(each, kind)]
        return found


@pytest.fixture
def hub(wire: Wire) -> Hub:
    """A hub that has the room."""
    found = Hub(wire)
    wire.run(1)
    return found


@pytest.fixture
def clock(wire: Wire, hub: Hub) -> Connection:
    """A clock that hears the hub."""
    return wire.join("red-1", "hub", "red-1/ack", "red-1/offer")


def topics(said: list[Said]) -> list[tuple[str, bytes]]:
    """What the hub said to clocks."""
    return [(each.topic, each.payload) for each in said if each.topic != "hub"]


def beat(seq: int = 3, boot: str = "b", now_ns: int = 5) -> bytes:
    """A heartbeat of a clock that is so far in a match."""
    return encode(LinkHeartbeat(boot, now_ns, "m", seq))


def test_it_says_again_that_it_is_there(wire: Wire) -> None:
    """A broker may have forgotten it, and subscriptions; each connection has its own number."""
    wire.run(7)
    hub = Hub(wire)
    said = wire.run(21)
    online = encode(HubState("online", "s", 7 * SECOND_NS))
    assert [(each.s, each.topic, each.payload) for each in said] == [
        (at, "hub", online) for at in (7, 17, 27)
    ]
    assert wire.broker.retained[hub_topic("test")] == online
    assert hub.told == [TroubleChanged(hub.mqtt._place, "")]
    wire.broker._there["hub"].topics.clear()
    wire.run(10)
    wire.say(wire.join("red-1"), "red-1/heartbeat", beat())
    wire.run(1)
    assert len(hub.told_of(ClockHeard)) == 1


def test_what_clocks_say_is_told_with_their_boards(wire: Wire, hub: Hub) -> None:
    """A clock that the director's file does not name is a board of its own name."""
    for name in ("red-1", "red-2"):
        wire.say(wire.join(name), f"{name}/heartbeat", beat())
    said = wire.run(1)
    assert [each.place for each in hub.told_of(ClockHeard)] == [
        Place("test/red-1", "red-1", is_file=False, hint="7", clock="red-1"),
        Place("test/red-2", "red-2", is_file=False, hint="red-2", clock="red-2"),
    ]
    assert topics(said)[2:] == []
    assert hub.mqtt._place == Place("test", "broker sim:1", is_file=False, is_way=True)


def test_lines_are_acknowledged_to_their_clock_when_they_are_on_the_disk(
    wire: Wire, hub: Hub, clock: Connection
) -> None:
    """Lines of other rooms, and of clocks that this hub has not heard, are none of its own."""
    wire.say(clock, "red-1/log", LOG[0])
    [said] = wire.run(1)
    assert said.client == "red-1"
    logs = (("other/red-1", "x"), ("test/red-2", "m"), ("test/red-1", "m"))
    hub.disk.committed(dict.fromkeys(logs, point(LOG[:1])))
    assert topics(wire.run(1)) == [("red-1/ack", encode(Ack("s", {"m": point(LOG[:1])})))]
    hub.mqtt.send_offer("red-1", b"offer")
    assert topics(wire.run(1)) == [("red-1/offer", b"offer")]
    hub.mqtt.close()
    assert [each.payload for each in wire.run(1)] == [
        encode(HubState("off", "s", hub.mqtt._session.number))
    ]


def test_a_hub_that_has_too_many_lines_takes_no_more(
    wire: Wire, hub: Hub, clock: Connection
) -> None:
    """What the clock says but once it takes."""
    hub.mqtt.takes = lambda place: place != "test/red-1"
    wire.say(clock, "red-1/log", LOG[0])
    wire.say(clock, "red-1/heartbeat", beat())
    wire.say(clock, "red-1/offered", encode(OfferReceipt(5, put=True)))
    wire.run(1)
    assert hub.told_of(LinesRead) == []
    assert hub.told_of(ClockHeard) == []
    assert [each.size for each in hub.told_of(OfferDelivered)] == [5]
    assert "more messages than the hub can handle" in hub.told_of(TroubleChanged)[-1].what
    hub.mqtt.takes = lambda place: place == "test/red-1"
    wire.say(clock, "red-1/heartbeat", beat())
    wire.run(1)
    assert len(hub.told_of(ClockHeard)) == 1


def test_why_there_is_no_broker_is_told(wire: Wire) -> None:
    """Also an error of this program: its thread goes on."""
    wire.broker.refused.add("hub")
    hub, no = Hub(wire), "no connection to the broker: "
    wire.run(1)
    assert {each.what for each in hub.told_of(TroubleChanged)} == {
        f"{no}[code:135] Not authorized. Does it use the files of this room?"
    }
    wire.broker.refused.clear()
    wire.run(60)
    wire.say(wire.join("red-1"), "red-1/heartbeat", beat(boot="bug"))
    wire.run(1)
    wire.broker.restart(60)
    wire.run(50)
    wire.loop.call_exception_handler({"message": "lost", "exception": MqttError("lost")})
    assert wire.loop.errors == []
    assert [each.what for each in hub.told_of(TroubleChanged)][:4] == [
        *("", f"{no}'bug'. Is it running?", ""),
        f"{no}Disconnected. Is it running?",
    ]


def test_what_waits_and_how_late_it_comes(wire: Wire, hub: Hub, clock: Connection) -> None:
    """A lost connection drops what waits: nothing of it is counted any more."""
    for sent_s in (0, 1, 2):
        wire.say(clock, "red-1/heartbeat", beat(now_ns=sent_s * SECOND_NS))
        wire.run(3)
    assert hub.mqtt.backlog().oldest_ns // SECOND_NS == 3  # 4 by then; each may be fastest
    connection = wire.broker._there["hub"]
    for _ in range(5):
        connection.put(Message("x", b""))
    assert hub.mqtt.backlog().lines == 5
    wire.broker.restart(60)
    wire.run(1)
    connection.inbox.append(Message("x", b""))
    assert hub.mqtt.backlog().lines == 0


def test_a_broker_that_cannot_be_reached_from_a_thread() -> None:
    """The thread tells why at once, and ends when it is told to."""
    told = Queue[SourceEvent]()
    clocks = ClockList({}, Quota(60, 64))
    broker = Broker(host="127.0.0.1", port=free_port(), ca="", password="x" * 20)
    hub = Mqtt("test", broker, clocks, lambda: 0, Memory())
    hub.send_offer("red-1", b"too early")
    hub.start(told.put)
    trouble = told.get(timeout=20)
    assert isinstance(trouble, TroubleChanged)
    assert trouble.what.startswith("no connection to the broker: ")
    names = [each.name for each in enumerate_threads()]
    hub.close()
    assert "mqtt" in names
    assert "mqtt" not in [each.name for each in enumerate_threads()]
    hub.send_offer("red-1", b"too late")
    hub = Mqtt("test", broker, clocks, lambda: 0, Memory())
    hub.start(told.put)
    hub.close()  # at once


def test_answers_for_which_there_is_no_room_are_told_and_asked_for_again(
    wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that wait stay; the trouble is over when nothing was dropped since the last beat."""
    monkeypatch.setattr("room.broker.source.MOST_ANSWERS", 3)
    hub = Hub(wire)
    wire.run(1)

    def ask(*clocks: int) -> list[str]:
        """Several clocks send their inventories at once; return who is answered."""
        for at in clocks:
            topic = clock_topic("test", f"red-{at}", Topic.LOGS)
            wire.broker._there["hub"].put(Message(topic, encode(inventory(LOG))))
        return [topic.split("/")[0] for topic, _ in topics(wire.run(10))]

    assert ask(1, 2, 3, 4) == ["red-1", "red-2", "red-3"]
    assert ask(4) == ["red-4"]
    ask(1, 2, 3, 4)
    wire.broker._there["hub"].dropped = 7
    wire.run(30)
    troubles = [each.what for each in hub.told_of(TroubleChanged)]
    assert troubles == ["", TOO_MUCH, "", TOO_MUCH, ""]
    assert ask(1, 2, 3, 4, 1) == ["red-1", "red-2", "red-3"]
    wire.broker.lose_connection("hub")
    wire.run(60)
    full, _, *troubles = [each.what for each in hub.told_of(TroubleChanged)]
    assert (full, troubles) == (TOO_MUCH, [""])  # nothing was dropped since the new connection
    wire.broker.lose_connection("hub")
    wire.run(0)
    hub.mqtt.send_offer("red-1", b"an offer")
    assert "red-1/offer" not in [each.topic for each in wire.run(60)]  # nor said that waited
