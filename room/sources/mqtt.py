"""Follow the clocks of a room by its broker (`room.broker.topics`), and send them offers.

What a clock says is believed as far as its account goes: the topic names the clock. A line is
acknowledged when the database has it on its disk.
"""

import asyncio
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple, Protocol

from aiomqtt import Client, Message

from room.broker.connection import (
    QOS,
    MqttError,
    Will,
    connect,
    next_attempt,
    publish,
    retries_s,
    run_together,
    say_losses_once,
    subscribe,
)
from room.broker.delivery import Incoming, Receiver
from room.broker.topics import (
    Ack,
    Heartbeat,
    HubState,
    Inventory,
    LinkState,
    State,
    Topic,
    address_of,
    clock_topic,
    decode,
    encode,
    hub_topic,
)
from room.broker.topics import Offered as OfferedPayload
from room.lines.inbox import Point
from room.settings.hub import Broker
from room.sources import Earlier, Heard, Lines, Offered, Place, Present, Tell, Trouble

FROM_CLOCKS = (Topic.LINK, Topic.HEARTBEAT, Topic.LOG, Topic.LOGS, Topic.OFFERED)
REPEAT_S = 10.0  # until the hub says again that it is there, and repeats its subscriptions
RUNNING = ("", "active", "activating", "reloading")  # states of a service that is all right
Heads = Mapping[tuple[str, str], Point]


class Database(Protocol):
    """What keeps the lines; see `room.store.store.Store`."""

    uuid: str

    def head(self, match: str, source: str) -> Point:
        """Return the latest line of a match that is on the disk."""

    def lines(self, match: str, source: str | None = None) -> list[bytes]:
        """Return the lines of a match."""

    def listen(self, told: Callable[[Any], object]) -> None:
        """Have the latest lines told as soon as they are on the disk."""


class Sent(NamedTuple):
    """A message on its way to the broker."""

    topic: str
    payload: bytes


class ClockOnline:
    """A clock of the room."""

    def __init__(self, place: Place, database: Database) -> None:
        """Begin with what the database has of it."""
        self.place = place
        self.receiver = Receiver(
            database.uuid,
            lambda match: database.head(match, place.key),
            lambda match: database.lines(match, place.key),
        )
        self.state: LinkState | None = None
        self.fork = ""  # the match in which lines contradicted each other
        self._database = database
        self._trouble = ""

    def take(self, topic: Topic, payload: bytes, now_ns: int, tell: Tell) -> list[Ack]:
        """Take a message of the clock; return what to answer."""
        match topic:
            case Topic.LOG:
                return self._take_lines(payload, now_ns, tell)
            case Topic.LOGS:
                return self._take_inventory(decode(payload, Inventory), tell)
            case Topic.HEARTBEAT:
                return self._take_heartbeat(decode(payload, Heartbeat), now_ns, tell)
            case Topic.LINK:
                self._take_state(decode(payload, LinkState), tell)
            case Topic.OFFERED:
                found = decode(payload, OfferedPayload)
                if found is not None:
                    tell(Offered(self.place, found.bytes, found.put, found.why))
            case Topic.BOARD | Topic.ACK | Topic.OFFER:
                pass
        return []

    def _take_lines(self, payload: bytes, now_ns: int, tell: Tell) -> list[Ack]:
        found, acks = self.receiver.lines(payload)
        for incoming in found:
            self._tell_lines(incoming, now_ns, tell)
        return acks

    def _tell_lines(self, incoming: Incoming, now_ns: int, tell: Tell) -> None:
        match, lines = incoming.match, incoming.lines
        if incoming.forks:
            self.fork = match
        elif incoming.is_present and match != self.fork:
            self.fork = ""
        if incoming.is_present:
            tell(Lines(self.place, match, lines, now_ns, live=incoming.is_live))
        else:
            tell(Earlier(self.place, match, lines, incoming.is_whole))
        self._tell_trouble(tell)

    def _take_inventory(self, inventory: Inventory | None, tell: Tell) -> list[Ack]:
        if inventory is None:
            return []
        if inventory.logs:
            self._tell_present(inventory.logs[0].match, tell)
        return self.receiver.inventory(inventory)

    def _tell_present(self, match: str, tell: Tell) -> None:
        """Tell of a match that the hub knows from before; of another its first line tells."""
        if self._database.head(match, self.place.key).seq:
            tell(Present(self.place, match))

    def _take_heartbeat(self, beat: Heartbeat | None, now_ns: int, tell: Tell) -> list[Ack]:
        if beat is None:
            return []
        sent_ns = beat.now_ns if beat.alive else None
        tell(Heard(self.place, now_ns, beat.boot, sent_ns, beat.match, beat.seq))
        return self.receiver.heartbeat(beat)

    def _take_state(self, state: LinkState | None, tell: Tell) -> None:
        """Take whether the clock is there; the will of an earlier connection says nothing."""
        is_late = self.state and state and state.state == "lost"
        if state is None or (is_late and self.state and self.state.session != state.session):
            return
        self.state = state
        self._tell_trouble(tell)

    def _tell_trouble(self, tell: Tell) -> None:
        what = "; ".join(filter(None, self._troubles()))
        if what != self._trouble:
            self._trouble = what
            tell(Trouble(self.place, what))

    def _troubles(self) -> Iterable[str]:
        state, name = self.state, self.place.source
        if self.fork:
            yield (
                f"{self.fork}: lines contradict earlier ones; the card of {name} lost some,"
                " or two clocks have this name"
            )
        if state is not None and state.clock_unit not in RUNNING:
            yield f"the clock's program is {state.clock_unit}"
        if state is not None and state.damage:
            yield f"{state.damage}; the lines from there on stay on the clock"


class Mqtt:
    """A room at its broker, in a thread with an event loop of its own."""

    def __init__(
        self, room: str, broker: Broker, boards: Mapping[str, str], now_ns: Callable[[], int]
    ) -> None:
        """Connect to nothing yet.

        Args:
            room: its name.
            broker: where it is, and the hub's login there.
            boards: the names of the boards, by clock.
            now_ns: the instant on the raw clock.
        """
        self._room, self._broker, self._boards, self._now_ns = room, broker, boards, now_ns
        self._database: Database | None = None
        self._clocks: dict[str, ClockOnline] = {}
        self._sending: asyncio.Queue[Sent] = asyncio.Queue()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._main: asyncio.Task[None] | None = None
        self._thread: threading.Thread | None = None
        self._is_ready = threading.Event()
        self._waits_s = retries_s()
        self._session = 0  # of the connection
        self._tell: Tell = lambda message: None

    def keep_in(self, database: Database) -> None:
        """Acknowledge lines when this database has them; to be called before `start`."""
        self._database = database
        database.listen(self._committed)

    def start(self, tell: Tell) -> None:
        """See `Source`."""
        self._tell = tell
        self._thread = threading.Thread(target=self._run_loop, name="mqtt")
        self._thread.start()
        self._is_ready.wait()

    def close(self) -> None:
        """See `Source`."""
        if self._main is not None:
            self._call(self._main.cancel)
        if self._thread is not None:
            self._thread.join()

    def send_offer(self, clock: str, offer: bytes) -> None:
        """Send an offer to a clock; what becomes of it is told as `Offered`, or nothing is."""
        self._call(self._send, clock_topic(self._room, clock, Topic.OFFER), offer)

    # --- from other threads -------------------------------------------------------------------

    def _call(self, function: Callable[..., object], *arguments: object) -> None:
        """Call a function in the thread of this source, unless that ends."""
        with suppress(RuntimeError):
            if self._loop is not None:
                self._loop.call_soon_threadsafe(function, *arguments)

    def _committed(self, heads: Heads) -> None:
        self._call(self._acknowledge, heads)

    def _run_loop(self) -> None:
        """Run an event loop that watches sockets; the usual one of Windows does not."""
        with asyncio.Runner(loop_factory=asyncio.SelectorEventLoop) as runner:
            runner.run(self._run())

    # --- in the thread ------------------------------------------------------------------------

    async def _run(self) -> None:
        self._loop, self._main = asyncio.get_running_loop(), asyncio.current_task()
        say_losses_once(self._loop)
        self._is_ready.set()
        with suppress(asyncio.CancelledError):
            while True:
                try:
                    await self._connection()
                except Exception as error:  # noqa: BLE001 (of the database too)
                    what = f"no connection to the broker: {error}. Is it running?"
                    self._tell(Trouble(self._place_of_broker(), what))
                await next_attempt(self._waits_s)

    async def _connection(self) -> None:
        """Serve the clocks until the connection is lost."""
        self._session = self._now_ns()
        will = Will(hub_topic(self._room), self._state("lost"), QOS, retain=True)
        async with connect(self._broker, will) as client:
            self._sending = asyncio.Queue()
            await self._subscribe(client)
            self._tell(Trouble(self._place_of_broker(), ""))
            self._waits_s = retries_s()
            try:
                await run_together(self._receive(client), self._deliver(client), self._say(client))
            except asyncio.CancelledError:
                with suppress(MqttError):
                    off = self._state("off")
                    await publish(client, hub_topic(self._room), off, retain=True)
                raise

    def _state(self, state: State) -> bytes:
        store = self._database.uuid if self._database else ""
        return encode(HubState(state, store, self._session))

    async def _subscribe(self, client: Client) -> None:
        await subscribe(client, *(clock_topic(self._room, "+", topic) for topic in FROM_CLOCKS))

    async def _say(self, client: Client) -> None:
        """Say again and again that the hub is there: some brokers retain that on one node only."""
        while True:
            await publish(client, hub_topic(self._room), self._state("online"), retain=True)
            await asyncio.sleep(REPEAT_S)
            await self._subscribe(client)

    async def _receive(self, client: Client) -> None:
        async for message in client.messages:
            self._take(message)

    async def _deliver(self, client: Client) -> None:
        while True:
            sent = await self._sending.get()
            await publish(client, sent.topic, sent.payload)

    def _take(self, message: Message) -> None:
        address = address_of(self._room, message.topic.value)
        if address is None or self._database is None:
            return
        clock = self._clock(address.clock, self._database)
        for ack in clock.take(address.topic, message.payload, self._now_ns(), self._tell):
            self._send(clock_topic(self._room, address.clock, Topic.ACK), encode(ack))

    def _clock(self, name: str, database: Database) -> ClockOnline:
        if name not in self._clocks:
            board = self._boards.get(name, name)
            key = f"{self._room}/{name}"
            place = Place(key, name, is_file=False, hint=board, clock=name)
            self._clocks[name] = ClockOnline(place, database)
        return self._clocks[name]

    def _acknowledge(self, heads: Heads) -> None:
        """Tell each clock what is on the disk."""
        have: dict[str, dict[str, Point]] = {}
        for (source, match), head in heads.items():
            room, _, name = source.partition("/")
            if room == self._room and name in self._clocks:
                have.setdefault(name, {})[match] = head
        for name, points in have.items():
            store = self._database.uuid if self._database else ""
            self._send(clock_topic(self._room, name, Topic.ACK), encode(Ack(store, points)))

    def _send(self, topic: str, payload: bytes) -> None:
        self._sending.put_nowait(Sent(topic, payload))

    def _place_of_broker(self) -> Place:
        return Place(self._room, f"broker {self._broker.host}:{self._broker.port}", is_file=False)
