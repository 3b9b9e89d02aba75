"""The hub at the real broker."""

from itertools import count
from pathlib import Path

import pytest

from room.broker.topics import HubState, encode, hub_topic
from room.lines.quota import Quota
from room.sources.mqtt import ClockList, Mqtt
from tests.room.sources.test_mqtt_clock import Memory
from tests.support.mosquitto import Mosquitto, Peer, make_room, noted_subscriptions


@pytest.mark.slow
def test_the_hub_says_again_that_it_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A broker may have forgotten it, and subscriptions; each connection has its own number."""
    monkeypatch.setattr("room.sources.mqtt.REPEAT_S", 0.01)
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
