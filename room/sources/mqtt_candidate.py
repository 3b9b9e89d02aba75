"""Look at the broker whether another hub has the room, and stand by until it has not.

A hub that stands by has a login like that of a clock: it says in its own topics that it is there,
and asks; the hub that has the room answers (`room.sources.mqtt`).
"""

import asyncio
import random
from collections.abc import Callable, Coroutine, Iterable
from contextlib import suppress

from aiomqtt import MqttError
from msgspec.structs import replace

from clock import __version__
from clock.units import SECOND_NS
from room.broker.connection import is_wrong_login, next_attempt, retries_s
from room.broker.session import Session
from room.broker.succession import ASK_NS, Succession
from room.broker.topics import (
    STAND_BYS,
    HubState,
    LinkHeartbeat,
    LinkState,
    State,
    Topic,
    clock_topic,
    decode,
    encode,
    hub_topic,
    stand_by_login,
)
from room.settings.hub import HubKeyFile

Tell = Callable[[str, HubState], object]  # is called with why the broker cannot be asked, if so


class RoomTakenError(Exception):
    """Another hub has the room."""

    def __init__(self, other: HubState) -> None:
        """Name the other hub."""
        super().__init__(f"another hub has this room: {other.called}")
        self.other = other


class _FreeError(Exception):
    """No other hub has the room: end the connection of one that stands by."""


class Candidate:
    """A hub that does not have the room; see `room.broker.session.Member`."""

    def __init__(self, keys: HubKeyFile, own: HubState, now_ns: Callable[[], int]) -> None:
        """Connect to nothing yet.

        Args:
            keys: the hub's file.
            own: name and address of this hub.
            now_ns: the instant on the raw clock.
        """
        self.succession = Succession()
        self.own, self._keys, self._now_ns = own, keys, now_ns
        self._only_looks = False
        self._told: Tell = lambda why, other: None
        self._use_login(1)

    def _use_login(self, number: int) -> None:
        """Use one of the logins; another hub that stands by may have it, and another one has to."""
        login, room = stand_by_login(number), self._keys.room
        self.state_topic = clock_topic(room, login, Topic.LINK)
        self._beat_topic = clock_topic(room, login, Topic.HEARTBEAT)
        self.topics: tuple[str, ...] = (hub_topic(room), clock_topic(room, login, Topic.ACK))
        broker = replace(self._keys.broker, username=login, password=self._keys.stand_by)
        self._session = Session(broker, self, self._now_ns)

    async def look(self) -> None:
        """Return if no other hub has the room.

        Raises:
            RoomTakenError: one has.
            MqttError: there is no connection to the broker.
            OSError: likewise.
        """
        self._only_looks = True
        with suppress(_FreeError):
            await self._connect()

    async def stand_by(self, told: Tell) -> None:
        """Return as soon as no other hub has the room, or none was found and there is no broker.

        Args:
            told: is told of the hub that has the room, and the error if there is no broker.
        """
        self._told, waits_s = told, retries_s()
        self._only_looks = False
        while True:
            try:
                await self._connect()
            except _FreeError:
                return
            except (MqttError, OSError) as error:
                if (other := self.succession.other) is None:
                    return
                told(str(error), other)
            await next_attempt(waits_s)

    async def _connect(self) -> None:
        """Stay connected under one of the logins; without any, no other hub can be seen."""
        if not self._keys.stand_by:
            raise _FreeError
        self._use_login(random.randint(1, STAND_BYS))  # noqa: S311 (no secret)
        try:
            await self._session.connection()
        except MqttError as error:
            if is_wrong_login(error):  # the broker has files from before there were such logins
                raise _FreeError from error
            raise

    # --- as a member --------------------------------------------------------------------------

    def state(self, state: State) -> bytes:
        """See `Member`."""
        return encode(LinkState(state, self._session.number, __version__, status=self.own.called))

    def connected(self) -> None:
        """See `Member`."""
        self.succession.connected(self._now_ns())
        self._asked_ns, self._heard = 0, asyncio.Event()  # of this event loop

    def disconnected(self, error: Exception) -> None:
        """See `Member`."""

    async def receive(self, topic: str, payload: bytes) -> None:
        """See `Member`: the hub's own topic, or its answer."""
        state = decode(payload, HubState)
        if state is None:
            return
        answers = topic != hub_topic(self._keys.room)
        self.succession.hear(state, self._now_ns(), answers=answers)
        if self.succession.is_taken:
            if self._only_looks:
                raise RoomTakenError(state)
            self._told("", state)
        self._heard.set()

    def tasks(self) -> Iterable[Coroutine[None, None, None]]:
        """See `Member`."""
        return (self._ask(),)

    async def _ask(self) -> None:
        """Say that this hub stands by, and ask the other one, until the room is free."""
        if not self._only_looks:
            await self._session.publish_state(self.state("online"))
        while (now_ns := self._now_ns()) < self.succession.free_ns:
            if now_ns >= self._asked_ns + ASK_NS:
                self._asked_ns = now_ns
                beat = LinkHeartbeat("", now_ns, "", 0)
                await self._session.publish(self._beat_topic, encode(beat))
            await self._wait(min(self.succession.free_ns, self._asked_ns + ASK_NS) - now_ns)
        if not self._only_looks:
            await self._session.publish_state(self.state("off"))
        self.succession.take()
        raise _FreeError

    async def _wait(self, pause_ns: int) -> None:
        self._heard.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(pause_ns / SECOND_NS):
                await self._heard.wait()
