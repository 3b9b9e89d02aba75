"""A room at a broker without a network, in virtual time: who says what there, and when."""

import asyncio
import random as chance
from collections.abc import Iterator
from random import Random
from typing import NamedTuple
from unittest.mock import patch

from aiomqtt import Will
from msgspec.structs import replace
from paho.mqtt.subscribeoptions import SubscribeOptions

from lab.bench.closing import Closing
from lab.room_seeds.broker import Connection, SimulatedBroker
from lab.room_seeds.options import quiet
from lab.room_seeds.virtual_time import VirtualLoop
from room.broker.packets import Message
from room.broker.topics import ROOT
from room.settings.hub import Broker

BASE = f"{ROOT}/test/"


class Said(NamedTuple):
    """What a client has said."""

    s: float  # when, to a hundredth
    client: str
    topic: str  # without that of the room
    payload: bytes


class Wire(Closing):
    """The broker, and all that is said there; nothing is lost, and all comes within a moment."""

    def __init__(self) -> None:
        chance.seed(1)  # of how long clients wait
        self.loop = VirtualLoop()
        options = replace(quiet(1, 1, 1), latency_s=0.0002)
        self.broker = SimulatedBroker(self.loop, options, Random(1))
        self.broker.heard = self._hear
        self._said: list[Said] = []
        self._patch = patch("room.broker.session.connect", self.broker.connect)
        self._patch.start()
        asyncio.set_event_loop(self.loop)

    def _hear(self, client: str, message: Message) -> None:
        topic = message.topic.removeprefix(BASE)
        self._said.append(Said(round(self.loop.time(), 2), client, topic, message.payload))

    def run(self, seconds: float) -> list[Said]:
        """Let time pass; return what was said since the last time."""
        self.loop.call_later(seconds, self.loop.stop)
        self.loop.run_forever()
        said, self._said = self._said, []
        return said

    def join(self, name: str, *topics: str) -> Connection:
        """Return the connection of a client that hears some topics and does nothing else."""
        client = self.broker.connect(login(name), Will(f"{BASE}{name}/link", b""))
        self.loop.run_until_complete(self.broker.admit(client))
        wanted = [(BASE + topic, SubscribeOptions()) for topic in topics]
        self.loop.run_until_complete(client.subscribe(wanted))
        return client

    def say(self, client: Connection, topic: str, payload: bytes, *, retain: bool = False) -> None:
        """Let a client say something."""
        self.loop.run_until_complete(client.publish(BASE + topic, payload, retain=retain))

    def close(self) -> None:
        """End all programs."""
        for task in (tasks := asyncio.all_tasks(self.loop)):
            task.cancel()
        self.loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        self._patch.stop()
        asyncio.set_event_loop(None)
        self.loop.close()


def login(name: str) -> Broker:
    """How a client logs in."""
    return Broker(host="sim", port=1, ca="", username=name, password="")


def at_a_wire() -> Iterator[Wire]:
    """Yield a wire: what fixtures are made of."""
    with Wire() as wire:
        yield wire
