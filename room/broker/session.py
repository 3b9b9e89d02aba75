"""Stay connected to the broker of a room: for the link of a clock, and for the hub.

A connection that is lost is made again, with back-off. Each connection has a number, its session,
which is the raw clock's instant at its beginning. The last will of a lost connection may come after
the messages of the next one; its readers know by the session that it is old.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from contextlib import suppress
from typing import Protocol

from aiomqtt import MqttError, Will
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from clock.units import SECOND_NS
from room.broker.connection import (
    LAST_RETRY_S,
    BoundedClient,
    connect,
    next_attempt,
    require_running,
    retries_s,
)
from room.broker.topics import State
from room.settings.hub import Broker

STABLE_NS = int(LAST_RETRY_S * SECOND_NS)  # so long a connection lasts that nobody else takes over

Errors = tuple[type[Exception], ...]


class Member(Protocol):
    """A program at the broker: the link of a clock, or the hub."""

    state_topic: str
    """Where it publishes, retained, whether it is there; also the topic of its last will."""
    topics: tuple[str, ...]
    """To which it subscribes."""

    def state(self, state: State) -> bytes:
        """Return what to publish in `state_topic`."""

    def connected(self) -> None:
        """Begin anew: the broker and the other side may have forgotten everything."""

    def disconnected(self, error: Exception) -> None:
        """Report that there is no connection, and why."""

    async def receive(self, topic: str, payload: bytes, /) -> None:
        """Handle a message of one of the topics."""

    def tasks(self) -> Iterable[Coroutine[None, None, None]]:
        """Return the endless tasks that run while the connection lasts."""


class Session:
    """The connection of a member, made again whenever it is lost."""

    def __init__(
        self,
        broker: Broker,
        member: Member,
        now_ns: Callable[[], int],
        errors: Errors = (MqttError, OSError),
        admit: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """Connect to nothing yet.

        Args:
            broker: where it is, and how to log in.
            member: uses the connection.
            now_ns: the instant on the raw clock.
            errors: after which to connect again; any other is a bug, and ends the program.
            admit: waits until the member may connect, or raises an error; None: it always may.
        """
        self._broker, self._member, self._now_ns, self._errors = broker, member, now_ns, errors
        self._admit = admit
        self.number = 0  # of the latest connection
        self._client: BoundedClient | None = None
        self._waits_s = retries_s()

    @property
    def waiting(self) -> int:
        """How many messages have come, and wait for the member."""
        return len(self._client.messages) if self._client is not None else 0

    @property
    def dropped(self) -> int:
        """How many messages of this connection were dropped, because too many waited."""
        return self._client.dropped if self._client is not None else 0

    async def run(self) -> None:
        """Stay connected until cancelled."""
        while True:
            try:
                if self._admit is not None:
                    await self._admit()
                await self.connection()
            except self._errors as error:
                self._member.disconnected(error)
                self._client = None  # what waits there is dropped
            await next_attempt(self._waits_s)

    async def connection(self) -> None:
        """Connect once, and let the member work until the connection is lost.

        Raises:
            MqttError: it is lost, or cannot be made.
            OSError: it cannot be made.
        """
        member, self.number = self._member, self._now_ns()
        will = Will(member.state_topic, member.state("lost"), retain=True)
        async with connect(self._broker, will) as self._client:
            await self.subscribe()
            member.connected()
            connected_ns = self._now_ns()
            try:
                await run_together(self._receive(self._client), *member.tasks())
            except asyncio.CancelledError:  # the broker says the will only of a connection it lost
                with suppress(MqttError):
                    await self.publish_state(member.state("off"))
                raise
            finally:
                # Two clients of one name throw each other off: both wait longer and longer.
                if self._now_ns() - connected_ns >= STABLE_NS:
                    self._waits_s = retries_s()

    async def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> None:
        """Publish a message without a promise that it arrives: see `room.broker.delivery`.

        Raises:
            MqttError: the connection is lost.
            CancelledError: the task ends; `wait_for` of Python 3.11 sometimes hides that.
        """
        if self._client is not None:
            await self._client.publish(topic, payload, retain=retain)
            require_running()

    async def publish_state(self, payload: bytes) -> None:
        """Publish whether the member is there; the broker keeps that for later subscribers.

        Raises:
            MqttError: the connection is lost.
        """
        await self.publish(self._member.state_topic, payload, retain=True)

    async def subscribe(self) -> None:
        """Subscribe to the topics of the member, or repeat that: a cluster may lose subscriptions.

        Raises:
            MqttError: the connection is lost, or the broker refuses a topic.
        """
        if self._client is None:
            return
        # What is retained there comes too, but only the first time.
        options = SubscribeOptions(retainHandling=SubscribeOptions.RETAIN_SEND_IF_NEW_SUB)
        topics = self._member.topics
        codes = await self._client.subscribe([(topic, options) for topic in topics])
        require_running()
        refused = [
            topic
            for topic, code in zip(topics, codes, strict=True)
            if isinstance(code, ReasonCode) and code.is_failure
        ]
        if refused:
            raise MqttError(f"the broker refuses {', '.join(refused)}")

    async def _receive(self, client: BoundedClient) -> None:
        async for topic, payload in client.messages:
            await self._member.receive(topic, payload)


async def run_together(*works: Coroutine[None, None, None]) -> None:
    """Run until the first of some endless works fails; cancel the others, and raise its error.

    A `TaskGroup` of Python 3.11 would leave the present task marked as cancelled.
    """
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in done:
        task.result()
