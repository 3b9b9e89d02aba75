"""A broker without a network: it does what MQTT promises, and in faults less than that.

Its connections stand for those of aiomqtt behind `room.broker.session.Session`. A message takes a
while to the broker and from there to each subscriber, in the order of sending. A client that cannot
be reached is noticed when its keepalive is over; what was sent meanwhile comes when the way is free
again, as over TCP, or never.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from random import Random
from typing import Self

from aiomqtt import MqttCodeError, MqttError, Will
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from clock.units import SECOND_NS
from lab.room_seeds.options import Options
from lab.room_seeds.virtual_time import VirtualLoop
from room.broker.connection import KEEPALIVE_S
from room.broker.packets import Message
from room.settings.hub import Broker
from room.settings.room import HUB

BROKER_PATIENCE_S = 1.5 * KEEPALIVE_S
CLIENT_PATIENCE_S = 2.0 * KEEPALIVE_S  # at most: a ping, and no answer to it
CONNECT_S = 10.0  # that a client waits for an answer
LATE_S = 5.0  # the longest that a message is late, in faults
TAKEN_OVER = ReasonCode(PacketTypes.DISCONNECT, "Session taken over")
NOT_AUTHORIZED = ReasonCode(PacketTypes.CONNACK, "Not authorized")
GRANTED = ReasonCode(PacketTypes.SUBACK, "Granted QoS 0")


class Messages:
    """What has come for a client."""

    def __init__(self, connection: "Connection") -> None:
        self._connection = connection

    def __len__(self) -> int:
        return len(self._connection.inbox)

    async def __aiter__(self) -> AsyncIterator[Message]:
        """Yield messages until the connection is lost."""
        connection = self._connection
        while True:
            await connection.something()
            yield connection.inbox.popleft()


class Connection:
    """The connection of a client, as it sees it."""

    def __init__(self, broker: "SimulatedBroker", name: str, will: Will) -> None:
        self.name, self.will = name, will
        self.inbox = deque[Message]()
        self.topics: set[str] = set()
        self.is_there = False  # for the broker
        self.messages = Messages(self)
        self.held: list[Callable[[], None]] = []  # what comes when the way is free
        self.sent_ns = self.received_ns = 0  # when the latest message arrives
        self.dropped = 0  # there is always room
        self._broker = broker
        self._lost: MqttError | None = None
        self._woken = asyncio.Event()

    async def __aenter__(self) -> Self:
        """Connect, or raise an error."""
        await self._broker.admit(self)
        return self

    async def __aexit__(self, *_: object) -> None:
        """Disconnect in good order: the will is not said."""
        if self._lost is None:
            self._broker.leave(self)

    async def publish(self, topic: str, payload: bytes, *, retain: bool) -> None:
        """Send a message."""
        if self._lost is not None:
            raise self._lost
        self._broker.publish(self, Message(topic, payload), retain=retain)
        await asyncio.sleep(0)

    async def subscribe(self, topics: list[tuple[str, SubscribeOptions]]) -> list[ReasonCode]:
        """Subscribe; the answer takes its time."""
        answered = asyncio.Event()
        self._broker.subscribe(self, topics, answered.set)
        waits = [asyncio.ensure_future(each) for each in (answered.wait(), self._until_lost())]
        try:
            await asyncio.wait(waits, timeout=CONNECT_S, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in waits:
                each.cancel()
        if self._lost is not None:
            raise self._lost
        if not answered.is_set():
            raise MqttError("Operation timed out")
        return [GRANTED] * len(topics)

    async def something(self) -> None:
        """Wait for a message; raise an error when the connection is lost."""
        while not self.inbox:
            if self._lost is not None:
                raise self._lost
            self._woken.clear()
            await self._woken.wait()

    def wants(self, topic: str) -> bool:
        """Return whether it has subscribed to a topic."""
        if topic in self.topics:
            return True
        return self.name == HUB and any(matches(each, topic) for each in self.topics)

    async def _until_lost(self) -> None:
        while self._lost is None:
            self._woken.clear()
            await self._woken.wait()

    def put(self, message: Message) -> None:
        """Receive a message."""
        if self._lost is None:
            self.inbox.append(message)
            self._woken.set()

    def lose(self, error: MqttError) -> None:
        """Learn that the connection is lost."""
        if self._lost is None:
            self._lost = error
            self._woken.set()

    @property
    def is_lost(self) -> bool:
        """Whether the client knows that the connection is lost."""
        return self._lost is not None


class SimulatedBroker:
    """The broker, and the network around it."""

    def __init__(self, loop: VirtualLoop, options: Options, random: Random) -> None:
        self._loop, self._options, self._random = loop, options, random
        self._there: dict[str, Connection] = {}
        self._all: dict[str, Connection] = {}  # the latest of each client, which may be lost
        self.retained: dict[str, bytes] = {}
        self.refused = set[str]()  # clients whose password it does not know
        self.passwords = dict[str, str]()  # with which clients came last
        self._cut: set[str] = set()  # clients that cannot be reached
        self._is_up = True
        self.is_faulty = True
        self.heard: Callable[[str, Message], None] = lambda client, message: None
        """Is called with each message that a client publishes."""

    # --- what clients do ----------------------------------------------------------------------

    def connect(self, login: Broker, will: Will) -> Connection:
        """Return a connection; stands for `room.broker.connection.connect`."""
        self.passwords[login.username] = login.password
        return Connection(self, login.username, will)

    async def admit(self, connection: Connection) -> None:
        """Let a client log in; another one of its name is thrown off."""
        await asyncio.sleep(3 * self._latency_s())
        if connection.name in self._cut:
            await asyncio.sleep(CONNECT_S)
            raise MqttError("Operation timed out")
        if not self._is_up:
            raise MqttError("[Errno 111] Connection refused")
        if connection.name in self.refused:
            raise MqttCodeError(NOT_AUTHORIZED)
        old = self._there.get(connection.name)
        if old is not None:
            self._drop(old)
            old.lose(MqttCodeError(TAKEN_OVER))
        self._there[connection.name] = self._all[connection.name] = connection
        connection.is_there = True

    def leave(self, connection: Connection) -> None:
        """Let a client go that says so."""
        connection.lose(MqttError("left"))
        self._on_the_way(connection, lambda: self._forget(connection))

    def publish(self, connection: Connection, message: Message, *, retain: bool) -> None:
        """Take a message to the broker, and from there to who wants it."""
        self.heard(connection.name, message)
        for _ in range(self._copies()):
            self._on_the_way(connection, lambda: self._route(message, retain=retain))

    def subscribe(
        self,
        connection: Connection,
        topics: list[tuple[str, SubscribeOptions]],
        answer: Callable[[], None],
    ) -> None:
        """Note what a client wants; send it what is retained there, if so only the first time."""

        def arrived() -> None:
            for topic, options in topics:
                if topic not in connection.topics or not options.retainHandling:
                    connection.topics.add(topic)
                    self._send_retained(connection, topic)
            self._back(connection, answer)

        self._on_the_way(connection, arrived)

    # --- what goes wrong ----------------------------------------------------------------------

    def restart(self, seconds: float) -> None:
        """End all connections; begin anew after a while, and know nothing any more."""
        self._is_up = False
        for each in list(self._there.values()):
            self._forget(each)
            if each.name not in self._cut:
                each.lose(MqttError("Disconnected"))
        self.retained.clear()
        self._loop.call_later(seconds, self._go_up)

    def _go_up(self) -> None:
        self._is_up = True

    def forget_retained(self) -> None:
        """Forget what was retained."""
        self.retained.clear()

    def forget_subscription(self) -> None:
        """Forget what a client has subscribed to."""
        found = [each for each in self._there.values() if each.topics]
        if found:
            topics = self._random.choice(found).topics
            topics.discard(self._random.choice(sorted(topics)))

    def lose_connection(self, name: str | None = None) -> None:
        """End a connection, which both sides notice; None: any."""
        names = list(self._there) if name is None else [name] * (name in self._there)
        if names:
            lost = self._there[self._random.choice(names)]
            self._drop(lost)
            lost.lose(MqttError("Disconnected"))

    def kill(self, name: str, *, power: bool = False) -> None:
        """End a client without a word; with its computer, the broker is not told."""
        connection = self._all.get(name)
        if connection is None:
            return
        connection.lose(MqttError("killed"))
        if connection.is_there and not power:
            self._drop(connection)
        elif connection.is_there:
            self._loop.call_later(BROKER_PATIENCE_S, lambda: self._miss(connection))

    def cut(self, name: str, seconds: float) -> None:
        """Let nothing through from and to a client for a while."""
        if name in self._cut:
            return
        self._cut.add(name)
        self._loop.call_later(seconds, lambda: self.heal(name))
        connection = self._there.get(name)
        if connection is None:
            return
        patience_s = self._random.uniform(KEEPALIVE_S, CLIENT_PATIENCE_S)
        self._loop.call_later(BROKER_PATIENCE_S, lambda: self._miss(connection))
        self._loop.call_later(patience_s, lambda: self._be_missed(connection))

    def heal(self, name: str) -> None:
        """Let everything through again."""
        self._cut.discard(name)
        connection = self._all.get(name)
        if connection is None:
            return
        held, connection.held = connection.held, []
        if not connection.is_there:
            connection.lose(MqttError("Connection reset"))
            return
        if connection.is_lost:
            self._drop(connection)
        for each in held:
            each()

    def heal_all(self) -> None:
        """Let nothing go wrong any more."""
        self.is_faulty = False
        for name in sorted(self._cut):
            self.heal(name)

    # --- inside -------------------------------------------------------------------------------

    def _miss(self, connection: Connection) -> None:
        """Give up a client that is silent."""
        if connection.is_there and (connection.name in self._cut or connection.is_lost):
            self._drop(connection)

    def _be_missed(self, connection: Connection) -> None:
        if connection.name in self._cut:
            connection.lose(MqttError("Keep alive timeout"))

    def _drop(self, connection: Connection) -> None:
        """Forget a client, and say its will."""
        if connection.is_there:
            self._forget(connection)
            will = connection.will
            message = Message(will.topic, will.payload)  # type: ignore[arg-type]
            self._route(message, retain=will.retain)

    def _forget(self, connection: Connection) -> None:
        connection.is_there = False
        connection.topics.clear()
        if self._there.get(connection.name) is connection:
            del self._there[connection.name]

    def _route(self, message: Message, *, retain: bool) -> None:
        if retain:
            self.retained[message.topic] = message.payload
        for connection in list(self._there.values()):
            if connection.wants(message.topic):
                self._send(connection, message)

    def _send_retained(self, connection: Connection, topic: str) -> None:
        for name, payload in self.retained.items():
            if matches(topic, name):
                self._send(connection, Message(name, payload))

    def _send(self, connection: Connection, message: Message) -> None:
        for _ in range(self._copies()):
            self._back(connection, lambda: connection.put(message))

    def _on_the_way(self, connection: Connection, arrive: Callable[[], None]) -> None:
        """Let something arrive at the broker."""
        at_ns = self._arrival_ns(connection.sent_ns)
        connection.sent_ns = max(connection.sent_ns, at_ns - self._lateness_ns)

        def now() -> None:
            if not connection.is_there:
                return
            if connection.name in self._cut:
                connection.held.append(now)
            else:
                arrive()

        self._loop.call_at_ns(at_ns, now)

    def _back(self, connection: Connection, arrive: Callable[[], None]) -> None:
        """Let something arrive at a client."""
        at_ns = self._arrival_ns(connection.received_ns)
        connection.received_ns = max(connection.received_ns, at_ns - self._lateness_ns)

        def now() -> None:
            if connection.name in self._cut:
                connection.held.append(now)
            elif not connection.is_lost:
                arrive()

        self._loop.call_at_ns(at_ns, now)

    def _arrival_ns(self, after_ns: int) -> int:
        """Return when a message arrives: after the one before, unless it is late."""
        on_time_ns = max(self._loop.ns + int(self._latency_s() * SECOND_NS), after_ns + 1)
        is_late = self.is_faulty and self._random.random() < self._options.late
        self._lateness_ns = int(self._random.uniform(0, LATE_S) * SECOND_NS) if is_late else 0
        return on_time_ns + self._lateness_ns

    def _latency_s(self) -> float:
        return self._random.uniform(0.0002, self._options.latency_s)

    def _copies(self) -> int:
        """Return how often a message comes."""
        chance = self._random.random() if self.is_faulty else 1.0
        if chance < self._options.drop:
            return 0
        return 2 if chance < self._options.drop + self._options.repeat else 1


def matches(pattern: str, topic: str) -> bool:
    """Return whether a topic is one that was subscribed to; "+" stands for any part."""
    if "+" not in pattern:
        return pattern == topic
    before, after = pattern.split("+")
    if not (topic.startswith(before) and topic.endswith(after)):
        return False
    return "/" not in topic[len(before) : len(topic) - len(after)]
