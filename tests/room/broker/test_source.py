"""The hub at its broker: a real one, and one that takes nothing."""

import asyncio
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest
from aiomqtt import MqttError

from lab.support.mosquitto import Mosquitto, Peer, make_room, noted_subscriptions
from room.broker.source import TOO_MUCH, ClockList, Mqtt
from room.broker.topics import HubState, Topic, clock_topic, encode, hub_topic
from room.lines.events import TroubleChanged
from room.lines.quota import Quota
from room.settings.hub import Broker
from tests.room.broker.test_source_clock import LOG, Memory, inventory


@pytest.mark.slow
def test_the_message_again_that_it_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A broker may have forgotten it, and subscriptions; each connection has its own number."""
    monkeypatch.setattr("room.broker.source.REPEAT_S", 0.01)
    subscribed = noted_subscriptions(monkeypatch)
    room, sessions = make_room(tmp_path / "cards", {"red-1": "1"}), count(7)
    with Mosquitto(room), Peer(room.login("red-1")) as clock:
        clock.subscribe(hub_topic("test"))
        clocks = ClockList({}, Quota(60, 64))
        hub = Mqtt("test", room.hub, clocks, lambda: next(sessions), Memory())
        hub.start(lambda message: None)
        said = [clock.next()[1] for _ in range(3)]
        hub.close()
        assert said == [encode(HubState("online", "s", 7))] * 3
        assert len(subscribed) > len(set(subscribed)) == 1


class Stuck:
    """A session at a broker that takes nothing; between its beats something happens."""

    number = dropped = waiting = 0

    def __init__(self, *scenes: Callable[[], object]) -> None:
        self._scenes = list(scenes)

    async def publish_state(self, payload: bytes) -> None:
        """Publish nothing."""

    async def subscribe(self) -> None:
        """Let the next thing happen; after the last one the connection is lost."""
        if not self._scenes:
            raise MqttError("lost")
        self._scenes.pop(0)()


def test_answers_for_which_there_is_no_room_are_told_and_asked_for_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Those that wait stay; the trouble is over when nothing was dropped since the last beat."""
    monkeypatch.setattr("room.broker.source.MOST_ANSWERS", 3)
    monkeypatch.setattr("room.broker.source.REPEAT_S", 0)
    broker = Broker(host="192.168.8.2", port=8883, ca="", password="x" * 20)
    hub = Mqtt("test", broker, ClockList({}, Quota(60, 64)), lambda: 0, Memory())
    told: list[str] = []
    hub._emit = lambda event: told.append(event.what) if isinstance(event, TroubleChanged) else None

    def ask(*clocks: int) -> None:
        for clock in clocks:
            topic = clock_topic("test", f"red-{clock}", Topic.LOGS)
            hub_asked = hub.receive(topic, encode(inventory(LOG)))
            with pytest.raises(StopIteration):  # it waits for nothing
                hub_asked.send(None)

    def taken() -> list[str]:
        """The broker takes what waits; return for which clocks it is."""
        waiting = [hub._sending.get_nowait()[0] for _ in range(hub._sending.qsize())]
        return [topic.split("/")[-2] for topic in waiting]

    def once_more() -> None:
        assert taken() == ["red-1", "red-2", "red-3"]
        ask(4, 5)

    def drop_a_message() -> None:
        assert taken() == ["red-4", "red-5"]
        hub._session.dropped = 7  # type: ignore[misc] # of `Stuck`

    scenes = [lambda: ask(1, 2, 3, 4, 5), once_more, drop_a_message, lambda: None]
    hub._session = Stuck(*scenes)  # type: ignore[assignment]
    hub.connected()
    with pytest.raises(MqttError):
        asyncio.run(hub._repeat_state())
    assert told == ["", TOO_MUCH, "", TOO_MUCH, ""]
