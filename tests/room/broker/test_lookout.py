"""Two hubs with one key file: the second is refused until the first has gone."""

import subprocess
import sys
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from aiomqtt import MqttError

from gammonclock.console import WRONG_USAGE
from lab.support.mosquitto import WAIT_S, Mosquitto, Peer, make_room
from lab.support.paths import ROOT
from lab.support.postgresql import PostgreSqlServer
from lab.support.room_hall import HubProgram, room_file
from lab.support.virtual_broker import Said, Wire, at_a_wire, login
from room.broker.lookout import Lookout
from room.broker.topics import HubState, encode, hub_topic
from room.lines.events import Place, RoomTaken, TroubleChanged
from room.settings.hub import HubKeyFile
from tests.room.broker.test_source import Hub

PLACE = Place("test", "broker sim:1", is_file=False, is_way=True)
FREE = TroubleChanged(PLACE, "")

wire = pytest.fixture(at_a_wire)


def hub_of(wire: Wire, name: str, stand_by: str = "x" * 20, address: str = "") -> Hub:
    """A hub that looks before each connection whether another one has the room."""
    keys = HubKeyFile(room="test", token="", master_key="", stand_by=stand_by, broker=login("hub"))
    return Hub(wire, Lookout(keys, HubState("lost", "", 0, name, address), wire.loop.now_ns))


def heard(said: list[Said]) -> list[tuple[float, str]]:
    """What was said in which topic, and when."""
    return [(each.s, each.topic) for each in said]


def test_a_hub_that_is_alone_has_the_room_soon(wire: Wire) -> None:
    """It asks under a login of its own, as a clock that says nothing, and leaves again."""
    hub = hub_of(wire, "a")
    asked, online = wire.run(1)
    assert heard([asked, online]) == [(0, "hub_1/heartbeat"), (0.5, "hub")]
    assert (asked.client, online.client) == ("hub_1", "hub")
    assert wire.broker.passwords == {"hub_1": "x" * 20, "hub": ""}
    assert b'"match":"","seq":0' in asked.payload
    assert [*wire.broker._there] == ["hub"]
    assert hub.told == [FREE]
    assert [*wire.broker.retained] == [hub_topic("test")]


def test_a_second_hub_is_refused_as_long_as_the_first_answers(wire: Wire) -> None:
    """Which goes on undisturbed; its name and its address are told."""
    first = hub_of(wire, "a", address="http://a/")
    wire.run(1)
    kept = dict(wire.broker.retained)
    second = hub_of(wire, "b")
    asked, answer = wire.run(0.2)
    assert heard([asked, answer]) == [(1, "hub_1/heartbeat"), (1, "hub_1/ack")]
    assert answer.payload == kept[hub_topic("test")]
    wire.run(60)
    why = "the hub on a (http://a/) has this room; end that one, or use its pages"
    assert {*second.told} == {RoomTaken(PLACE, why)}
    assert wire.broker.retained == kept
    assert first.told == [FREE]
    first.mqtt.close()
    wire.broker.forget_retained()
    said = heard(wire.run(16))
    at = next(at for at, (_, topic) in enumerate(said) if topic == "hub" and at)
    assert said[at][0] - said[at - 1][0] == pytest.approx(0.5, abs=0.02)
    assert second.told[-1] == FREE


def test_of_two_hubs_that_begin_at_once_one_has_the_room(wire: Wire) -> None:
    """They throw each other off, but only while they look."""
    hubs = [hub_of(wire, name) for name in "ab"]
    said = [each.payload for each in wire.run(60) if each.client == "hub"]
    assert len({*said}) == 1
    assert sorted(hub.told[-1] == FREE for hub in hubs) == [False, True]


def test_a_hub_whose_power_is_gone_counts_as_there_for_nine_seconds(wire: Wire) -> None:
    """The broker says so; without an answer the next one takes the room before that knows."""
    first = hub_of(wire, "a")
    wire.run(1)
    wire.broker.kill("hub", power=True)
    first.mqtt.close()
    hub_of(wire, "b")
    *asked, online = heard(wire.run(12))
    assert asked == [(at, "hub_1/heartbeat") for at in (1, 1.5, 3.5, 5.5, 7.5, 9.5)]
    assert online == (11.5, "hub")
    for _ in range(2):
        wire.broker._there["hub"].lose(MqttError("reset"))  # which the broker does not know
        (asked_s, _), (online_s, topic) = heard(wire.run(9))
        assert topic == "hub"
        assert online_s - asked_s == pytest.approx(0.5, abs=0.02)  # what it finds there is its own


@pytest.mark.parametrize("is_said", [True, False], ids=["said", "forgotten"])
def test_a_hub_that_was_there_is_not_waited_for_when_it_has_gone(
    wire: Wire, *, is_said: bool
) -> None:
    """It says so while it is looked for; or nobody knows of it at the next look."""
    somebody = wire.join("somebody")
    wire.say(somebody, "hub", encode(HubState("online", "s", 1, "x")), retain=True)
    hub_of(wire, "a")
    wire.run(1)
    if is_said:
        wire.say(somebody, "hub", encode(HubState("off", "s", 1, "x")), retain=True)
    else:
        wire.broker.forget_retained()
        wire.broker.lose_connection("hub_1")
    assert "hub" in [each.topic for each in wire.run(4) if each.client == "hub"]


@pytest.mark.parametrize("knows", [False, True], ids=["no login", "a wrong login"])
def test_a_broker_with_files_from_before_there_was_a_lookout(wire: Wire, *, knows: bool) -> None:
    """No other hub can be seen; any other error is one."""
    wire.broker.refused.add("hub_1")
    hub = hub_of(wire, "a", stand_by="x" * 20 if knows else "")
    assert heard(wire.run(1)) == [(0, "hub")]
    hub.mqtt.close()
    wire.broker.restart(60)
    other = hub_of(wire, "b", address="http://b/")
    wire.run(2)
    assert {*other.told} == {
        TroubleChanged(
            PLACE, "no connection to the broker: [Errno 111] Connection refused. Is it running?"
        )
    }


@pytest.mark.parametrize(
    "payload",
    [b"", b"{}", encode(HubState("off", name="x")), encode(HubState("lost", name="x"))],
    ids=["nothing", "no state", "off", "lost"],
)
def test_no_hub_is_there(wire: Wire, payload: bytes) -> None:
    """Though the broker has kept something of one."""
    wire.say(wire.join("somebody"), "hub", payload, retain=True)
    wire.run(1)
    hub_of(wire, "a")
    assert heard(wire.run(1)) == [(1, "hub_1/heartbeat"), (1.5, "hub")]


@pytest.mark.slow
@pytest.mark.parametrize("shares", [False, True], ids=["own databases", "one PostgreSQL"])
def test_a_second_hub_is_refused_until_the_first_is_killed(tmp_path: Path, *, shares: bool) -> None:
    with ExitStack() as opened:
        room = make_room(tmp_path / "cards", {"red-1": "1"})
        opened.enter_context(closing(Mosquitto(room)))
        url = opened.enter_context(PostgreSqlServer()).new_url() if shares else ""
        databases = [url or tmp_path / f"{name}.sqlite" for name in "ab"]
        first = opened.enter_context(closing(HubProgram(room, databases[0])))
        assert first.address()
        with Peer(room.login("red-1")) as peer:
            peer.subscribe(hub_topic("test"))
            while b'"online"' not in peer.next()[1]:
                pass  # it has the room soon
        options = ("--config", room_file(room), "--database", databases[1], "--port", "0")
        command = [sys.executable, "-m", "gammonclock", "hub", *map(str, options)]
        second = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, timeout=WAIT_S, check=False
        )
        assert second.returncode == WRONG_USAGE
        assert "; end that one, or" in second.stderr  # by the broker, or by the database
        first.kill()
        assert opened.enter_context(closing(HubProgram(room, databases[1]))).address()
