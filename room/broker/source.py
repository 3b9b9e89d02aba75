"""Follow the clocks of a room by its broker (`room.broker.topics`), and send them offers.

All of it runs in one thread with an event loop of its own; acknowledgements and offers come from
other threads.
"""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterable, Mapping
from contextlib import suppress
from typing import NamedTuple

from msgspec.structs import replace

from room.broker.connection import is_wrong_login, log_no_losses
from room.broker.lookout import Lookout, RoomTakenError
from room.broker.session import Session
from room.broker.source_clock import ClockAtBroker, LineStore
from room.broker.topics import (
    LOOKOUT,
    Ack,
    HubState,
    LinkHeartbeat,
    State,
    Topic,
    address_of,
    clock_topic,
    decode,
    encode,
    hub_topic,
)
from room.lines.backlog import Backlog, Lateness
from room.lines.events import Emit, Place, RoomTaken, TroubleChanged
from room.lines.inbox import LatestLines, Point
from room.lines.quota import Quota
from room.settings.hub import Broker

FROM_CLOCKS = (Topic.LINK, Topic.HEARTBEAT, Topic.LOG, Topic.LOGS, Topic.OFFERED)
REPEATED = (Topic.HEARTBEAT, Topic.LOG, Topic.LOGS)  # what a clock sends again
MOST_ANSWERS = 20_000  # that wait for the broker
REPEAT_S = 10.0  # until the hub says again that it is there, and repeats its subscriptions
TOO_MUCH = (
    "more comes from the broker or goes there than the hub can handle: some of it is dropped, and"
    " the clocks send it and ask for it again"
)


class ClockList(NamedTuple):
    """What the director's file says of the clocks."""

    boards: Mapping[str, str]  # their names, by clock
    quota: Quota  # of what each clock may send


class Mqtt:
    """A room at its broker; see `room.broker.session.Member` for what the session calls."""

    def __init__(
        self,
        room: str,
        broker: Broker,
        clocks: ClockList,
        now_ns: Callable[[], int],
        lines: LineStore,
        lookout: Lookout | None = None,
    ) -> None:
        """Connect to nothing yet.

        Args:
            room: its name.
            broker: where it is, and the hub's login there.
            clocks: what the director's file says of them.
            now_ns: the instant on the raw clock.
            lines: the database; a line is acknowledged when it is on its disk.
            lookout: looks before each connection whether another hub has the room; None: none
                can have it.
        """
        self._own = lookout.own if lookout else HubState("lost")
        self._lookout = lookout
        self._room, self._boards, self._now_ns, self._lines = room, clocks.boards, now_ns, lines
        self._quota = clocks.quota
        self.state_topic = hub_topic(room)
        self.topics = tuple(clock_topic(room, "+", topic) for topic in FROM_CLOCKS)
        # Errors of the database come up here too: they must not end this thread.
        admit = lookout.look if lookout else None
        self._session = Session(broker, self, now_ns, errors=(Exception,), admit=admit)
        name = f"broker {broker.host}:{broker.port}"
        self._place = Place(room, name, is_file=False, is_way=True)
        self._clocks: dict[str, ClockAtBroker] = {}
        self._sending = _queue()
        self._unsent = 0  # answers of this connection for which there was no room
        self._lateness = Lateness()
        self.takes: Callable[[str], bool] = lambda place: True  # False: the hub has too many
        self._loop: asyncio.AbstractEventLoop | None = None
        self._main: asyncio.Task[None] | None = None
        self._thread: threading.Thread | None = None
        self._is_ready = threading.Event()
        self._emit: Emit = lambda event: None
        lines.listen(self._committed)

    def start(self, emit: Emit) -> None:
        """See `Source`."""
        self._emit = emit
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
        """Send an offer to a clock; its link may answer, which is emitted as `OfferDelivered`."""
        self._call(self._send, clock_topic(self._room, clock, Topic.OFFER), offer)

    def backlog(self) -> Backlog:
        """Return what has come from the broker, and how late; may be called in any thread."""
        return Backlog(self._session.waiting, self._lateness.late_ns(self._now_ns()))

    # --- from other threads -------------------------------------------------------------------

    def _call(self, function: Callable[..., object], *arguments: object) -> None:
        """Call a function in the thread of this source, unless that ends."""
        with suppress(RuntimeError):
            if self._loop is not None:
                self._loop.call_soon_threadsafe(function, *arguments)

    def _committed(self, latest_lines: LatestLines) -> None:
        self._call(self._acknowledge, latest_lines)

    def _run_loop(self) -> None:
        """Run an event loop that watches sockets; the usual one of Windows does not."""
        with asyncio.Runner(loop_factory=asyncio.SelectorEventLoop) as runner:
            runner.run(self._run())

    # --- in the thread ------------------------------------------------------------------------

    async def _run(self) -> None:
        self._loop, self._main = asyncio.get_running_loop(), asyncio.current_task()
        log_no_losses(self._loop)
        self._is_ready.set()
        with suppress(asyncio.CancelledError):
            await self._session.run()

    def state(self, state: State) -> bytes:
        """See `Member`."""
        session, store = self._session.number, self._lines.uuid
        return encode(replace(self._own, state=state, store=store, session=session))

    def connected(self) -> None:
        """See `Member`; links ask again for what could not be sent."""
        self._sending, self._unsent = _queue(), 0
        if self._lookout is not None:
            self._lookout.own_session = self._session.number
        self._emit(TroubleChanged(self._place, ""))

    def disconnected(self, error: Exception) -> None:
        """See `Member`."""
        if isinstance(error, RoomTakenError):
            self._emit(RoomTaken(self._place, str(error)))
            return
        ask = "Does it use the files of this room?" if is_wrong_login(error) else "Is it running?"
        self._emit(TroubleChanged(self._place, f"no connection to the broker: {error}. {ask}"))

    def tasks(self) -> Iterable[Coroutine[None, None, None]]:
        """See `Member`."""
        return self._deliver(), self._repeat_state()

    async def _repeat_state(self) -> None:
        """Repeat that the hub is there: some clustered brokers retain that on one node only."""
        dropped, trouble = 0, ""
        while True:
            await self._session.publish_state(self.state("online"))
            await asyncio.sleep(REPEAT_S)
            await self._session.subscribe()
            before, dropped = dropped, self._session.dropped + self._unsent
            told, trouble = trouble, TOO_MUCH if dropped > before else ""
            if told != trouble:
                self._emit(TroubleChanged(self._place, trouble))

    async def _deliver(self) -> None:
        while True:
            await self._session.publish(*await self._sending.get())

    async def receive(self, topic: str, payload: bytes) -> None:
        """See `Member`."""
        address = address_of(self._room, topic)
        if address is None:
            return
        if address.clock == LOOKOUT:
            if address.topic is Topic.HEARTBEAT:  # another hub asks
                topic = clock_topic(self._room, LOOKOUT, Topic.ACK)
                self._send(topic, self.state("online"))
            return
        if address.topic is Topic.HEARTBEAT:
            self._hear_time(address.clock, payload)
        clock = self._clock(address.clock)
        if address.topic in REPEATED and not self.takes(clock.place.key):
            clock.refuse(self._now_ns(), self._emit)
            return
        for ack in clock.handle(address.topic, payload, self._now_ns(), self._emit):
            self._send(clock_topic(self._room, address.clock, Topic.ACK), encode(ack))

    def _hear_time(self, clock: str, payload: bytes) -> None:
        """Note how late a heartbeat comes; one of a clock that does not run says as much."""
        beat = decode(payload, LinkHeartbeat)
        if beat is not None:
            self._lateness.hear(clock, beat.boot, beat.now_ns, self._now_ns())

    def _clock(self, name: str) -> ClockAtBroker:
        if name not in self._clocks:
            board = self._boards.get(name, name)
            place = Place(f"{self._room}/{name}", name, is_file=False, hint=board, clock=name)
            self._clocks[name] = ClockAtBroker(place, self._lines, self._quota)
        return self._clocks[name]

    def _acknowledge(self, latest_lines: LatestLines) -> None:
        """Acknowledge to each clock its lines that are on the disk."""
        have: dict[str, dict[str, Point]] = {}
        for (source, match), latest_line in latest_lines.items():
            room, _, name = source.partition("/")
            if room == self._room and name in self._clocks:
                have.setdefault(name, {})[match] = latest_line
        for name, points in have.items():
            ack = Ack(self._lines.uuid, points)
            self._send(clock_topic(self._room, name, Topic.ACK), encode(ack))

    def _send(self, topic: str, payload: bytes) -> None:
        """Send soon; what is too much is dropped, as links ask again."""
        try:
            self._sending.put_nowait((topic, payload))
        except asyncio.QueueFull:
            self._unsent += 1


def _queue() -> "asyncio.Queue[tuple[str, bytes]]":
    """Return a queue of topics and payloads."""
    return asyncio.Queue(MOST_ANSWERS)
