"""The broker with the files that `room-cards` makes: who may do what, on the real mosquitto."""

import socket
import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import structs
from paho.mqtt.enums import MQTTProtocolVersion

from lab.support.mosquitto import Mosquitto, Peer, Room, make_room
from room.cards.broker_files import MAX_PACKET
from room.cards.certificates import make_authority

pytestmark = pytest.mark.slow

BASE = "gammonclock/1/test"
OWN = ("link", "heartbeat", "log", "logs", "board", "offered")
FORBIDDEN = "Not authorized"
DONE = ("Success", "No matching subscribers")


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Room:
    """A room of two clocks."""
    return make_room(tmp_path_factory.mktemp("room") / "cards", {"red-1": "1", "red-2": "2"})


@pytest.fixture(scope="module")
def broker(room: Room) -> Iterator[Mosquitto]:
    with Mosquitto(room) as running:
        yield running


@pytest.fixture
def hub(room: Room, broker: Mosquitto) -> Iterator[Peer]:
    """Its hub, which hears everything."""
    with Peer(room.hub) as peer:
        assert peer.subscribe(f"{BASE}/#") == "Granted QoS 1"
        yield peer


@pytest.fixture
def clock(room: Room, broker: Mosquitto) -> Iterator[Peer]:
    """A clock that was given its card."""
    with Peer(room.login("red-1"), client_id="red-1") as peer:
        assert peer.connected == "Success"
        yield peer


@pytest.mark.parametrize("topic", OWN)
def test_a_clock_writes_its_own_topics(hub: Peer, clock: Peer, topic: str) -> None:
    assert clock.publish(f"{BASE}/red-1/{topic}", topic.encode()) in DONE
    assert hub.next() == (f"{BASE}/red-1/{topic}", topic.encode())


@pytest.mark.parametrize("topic", ["hub", "red-1/ack", "red-1/offer"])
def test_the_hub_speaks_to_a_clock(hub: Peer, clock: Peer, topic: str) -> None:
    clock.subscribe(f"{BASE}/{topic}")
    assert hub.publish(f"{BASE}/{topic}", b"hello") in DONE
    assert clock.next() == (f"{BASE}/{topic}", b"hello")


@pytest.mark.parametrize(
    "topic",
    [
        f"{BASE}/red-2/log",  # another clock's
        f"{BASE}/red-2/link",
        f"{BASE}/red-2/board",
        f"{BASE}/red-2/heartbeat",
        f"{BASE}/red-1/ack",  # the hub's
        f"{BASE}/red-2/ack",
        f"{BASE}/red-1/offer",
        f"{BASE}/red-2/offer",
        f"{BASE}/hub",
        f"{BASE}/red-1/other",
        f"{BASE}/red-1/log/deeper",
        "gammonclock/1/other/red-1/log",  # another room's
        "anything",
    ],
)
def test_a_clock_writes_nothing_else(hub: Peer, clock: Peer, topic: str) -> None:
    assert clock.publish(topic, b"forged", retain=True) == FORBIDDEN
    assert clock.publish(f"{BASE}/red-1/log", b"after") in DONE
    assert hub.next() == (f"{BASE}/red-1/log", b"after")


def test_a_clock_reads_nothing_of_others(hub: Peer, room: Room, broker: Mosquitto) -> None:
    with Peer(room.login("red-1")) as clock, Peer(room.login("red-2")) as other:
        clock.subscribe("#")
        clock.subscribe(f"{BASE}/+/log")
        assert other.publish(f"{BASE}/red-2/log", b"secret") in DONE
        assert hub.publish(f"{BASE}/red-2/offer", b"secret") in DONE
        assert hub.publish(f"{BASE}/red-1/ack", b"own") in DONE
        assert clock.next() == (f"{BASE}/red-1/ack", b"own")


def test_the_hub_writes_no_log(hub: Peer) -> None:
    assert hub.publish(f"{BASE}/red-1/log", b"forged") == FORBIDDEN


@pytest.mark.parametrize(
    ("name", "password"),
    [
        ("", None),
        ("red-1", "wrong"),
        ("red-3", None),
        ("red-2", None),  # with the password of red-1
        ("hub", None),
    ],
)
def test_a_stranger_is_refused(
    room: Room, broker: Mosquitto, name: str, password: str | None
) -> None:
    with Peer(room.login("red-1"), username=name, password=password) as stranger:
        assert stranger.connected == FORBIDDEN


def test_another_clients_id_ends_no_connection(clock: Peer, room: Room, broker: Mosquitto) -> None:
    with Peer(room.login("red-2"), client_id="red-1") as thief:
        assert thief.connected == "Success"
        assert thief.publish(f"{BASE}/red-1/log") == FORBIDDEN
        assert clock.publish(f"{BASE}/red-1/log") in DONE
    assert clock.lost.empty()


def test_a_large_message_ends_the_connection(hub: Peer, clock: Peer) -> None:
    clock.send(f"{BASE}/red-1/log", bytes(MAX_PACKET + 1))
    assert clock.lost.get(timeout=60)
    assert hub.messages.empty()


def test_a_broker_of_another_authority_is_not_trusted(room: Room, broker: Mosquitto) -> None:
    other = ssl.create_default_context(cadata=make_authority("test").certificate)
    with (
        socket.create_connection((room.hub.host, room.hub.port)) as plain,
        pytest.raises(ssl.SSLCertVerificationError),
    ):
        other.wrap_socket(plain, server_hostname=room.hub.host)


def test_old_clients_are_limited_too(hub: Peer, room: Room, broker: Mosquitto) -> None:
    """By MQTT 3.1.1 nobody is told that a message was refused, but it is."""
    old = MQTTProtocolVersion.MQTTv311
    with Peer(room.login("red-1"), version=old) as clock:
        assert clock.publish(f"{BASE}/red-2/log", b"forged") == "Success"
        clock.publish(f"{BASE}/red-1/log", b"after")
    assert hub.next() == (f"{BASE}/red-1/log", b"after")


def test_a_removed_clock_cannot_log_in(tmp_path: Path) -> None:
    """Its password is gone from the list; the others' stay."""
    before = make_room(tmp_path / "cards", {"red-1": "1", "red-2": "2"})
    logins = [before.login(name) for name in ("red-1", "red-2")]
    after = make_room(tmp_path / "cards", {"red-1": "1"})
    port = after.hub.port
    with Mosquitto(after):
        for login, answer in zip(logins, ("Success", FORBIDDEN), strict=True):
            with Peer(structs.replace(login, port=port)) as peer:
                assert peer.connected == answer
