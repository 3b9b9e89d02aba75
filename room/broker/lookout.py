"""Find out at the broker whether another hub serves this room.

The broker lets one client log in as the hub at a time: a second login ends the connection of the
first. So a hub first asks under a login of its own, which has the rights of a clock; the hub that
has the room answers (`room.broker.source`). One that gives no answer is gone, whatever is retained.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from contextlib import suppress

from aiomqtt import MqttError
from msgspec.structs import replace

from clock import __version__
from clock.units import SECOND_NS
from room.broker.connection import is_wrong_login
from room.broker.session import Session
from room.broker.topics import (
    LOOKOUT,
    HubState,
    LinkHeartbeat,
    LinkState,
    State,
    Topic,
    clock_topic,
    decode,
    encode,
    hub_topic,
)
from room.settings.hub import HubKeyFile

FIRST_NS = SECOND_NS // 2  # for an answer, and for what the broker has retained
SILENCE_NS = 9 * SECOND_NS  # without an answer, until a hub that is said to be there counts as gone
ASK_NS = 2 * SECOND_NS  # between questions


class RoomTakenError(Exception):
    """Another hub has the room."""

    def __init__(self, other: HubState) -> None:
        """Name the other hub."""
        super().__init__(f"the hub on {other.called} has this room; end that one, or use its pages")


class _FreeError(Exception):
    """No other hub has the room: end the connection."""


class Lookout:
    """What looks for another hub; see `room.broker.session.Member`."""

    def __init__(self, keys: HubKeyFile, own: HubState, now_ns: Callable[[], int]) -> None:
        """Connect to nothing yet.

        Args:
            keys: the hub's file.
            own: name and address of this hub.
            now_ns: the instant on the raw clock.
        """
        self.own = own
        self.own_session: int | None = None  # in which this hub had the room last
        self._keys, self._now_ns = keys, now_ns
        room = keys.room
        self.state_topic = clock_topic(room, LOOKOUT, Topic.LINK)
        self._beat_topic = clock_topic(room, LOOKOUT, Topic.HEARTBEAT)
        self._hub_topic = hub_topic(room)
        self.topics: tuple[str, ...] = (self._hub_topic, clock_topic(room, LOOKOUT, Topic.ACK))
        broker = replace(keys.broker, username=LOOKOUT, password=keys.stand_by)
        self._session = Session(broker, self, now_ns)
        self._is_said = False  # that another hub is there; the broker may have retained it

    async def look(self) -> None:
        """Return if no other hub has the room.

        Raises:
            RoomTakenError: one has.
            MqttError: there is no connection to the broker.
            OSError: likewise.
        """
        if not self._keys.stand_by:  # without a login, no other hub can be seen
            return
        with suppress(_FreeError):
            try:
                await self._session.connection()
            except MqttError as error:
                if not is_wrong_login(error):  # the broker has files from before there was one
                    raise

    def state(self, state: State) -> bytes:
        """See `Member`."""
        return encode(LinkState(state, self._session.number, __version__))

    def connected(self) -> None:
        """See `Member`."""
        self._is_said = False

    def disconnected(self, error: Exception) -> None:
        """See `Member`."""

    async def receive(self, topic: str, payload: bytes) -> None:
        """See `Member`: what the broker says of the hub, or the answer of one."""
        state = decode(payload, HubState)
        if state is None:
            return
        if topic != self._hub_topic:
            raise RoomTakenError(state)
        self._is_said = state.state == "online" and state.session != self.own_session

    def tasks(self) -> Iterable[Coroutine[None, None, None]]:
        """See `Member`."""
        return (self._ask(),)

    async def _ask(self) -> None:
        """Ask until there was time enough for an answer."""
        began_ns = self._now_ns()
        pause_ns = FIRST_NS
        while True:
            beat = LinkHeartbeat("", self._now_ns(), "", 0)
            await self._session.publish(self._beat_topic, encode(beat))
            await asyncio.sleep(pause_ns / SECOND_NS)
            if not self._is_said or self._now_ns() >= began_ns + SILENCE_NS:
                raise _FreeError
            pause_ns = ASK_NS
