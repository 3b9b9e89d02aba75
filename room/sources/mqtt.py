"""Follow the clocks of a room by its broker (`room.broker.topics`), and send them offers.

All of it runs in one thread with an event loop of its own; acknowledgements and offers come from
other threads.
"""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterable, Mapping
from contextlib import suppress

from room.broker.connection import log_no_losses
from room.broker.session import Session
from room.broker.topics import (
    Ack,
    HubState,
    State,
    Topic,
    address_of,
    clock_topic,
    encode,
    hub_topic,
)
from room.lines.inbox import LogHeads, Point
from room.settings.hub import Broker
from room.sources.events import Emit, Place, TroubleChanged
from room.sources.mqtt_clock import ClockAtBroker, LineStore

FROM_CLOCKS = (Topic.LINK, Topic.HEARTBEAT, Topic.LOG, Topic.LOGS, Topic.OFFERED)
REPEAT_S = 10.0  # until the hub says again that it is there, and repeats its subscriptions


class Mqtt:
    """A room at its broker; see `room.broker.session.Member` for what the session calls."""

    def __init__(
        self,
        room: str,
        broker: Broker,
        boards: Mapping[str, str],
        now_ns: Callable[[], int],
        lines: LineStore,
    ) -> None:
        """Connect to nothing yet.

        Args:
            room: its name.
            broker: where it is, and the hub's login there.
            boards: the names of the boards, by clock.
            now_ns: the instant on the raw clock.
            lines: the database; a line is acknowledged when it is on its disk.
        """
        self._room, self._boards, self._now_ns, self._lines = room, boards, now_ns, lines
        self.state_topic = hub_topic(room)
        self.topics = tuple(clock_topic(room, "+", topic) for topic in FROM_CLOCKS)
        # Errors of the database come up here too: they must not end this thread.
        self._session = Session(broker, self, now_ns, errors=(Exception,))
        self._place = Place(room, f"broker {broker.host}:{broker.port}", is_file=False)
        self._clocks: dict[str, ClockAtBroker] = {}
        self._sending: asyncio.Queue[tuple[str, bytes]] = asyncio.Queue()  # topics, payloads
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

    # --- from other threads -------------------------------------------------------------------

    def _call(self, function: Callable[..., object], *arguments: object) -> None:
        """Call a function in the thread of this source, unless that ends."""
        with suppress(RuntimeError):
            if self._loop is not None:
                self._loop.call_soon_threadsafe(function, *arguments)

    def _committed(self, heads: LogHeads) -> None:
        self._call(self._acknowledge, heads)

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
        return encode(HubState(state, self._lines.uuid, self._session.number))

    def connected(self) -> None:
        """See `Member`; links ask again for what could not be sent."""
        self._sending = asyncio.Queue()
        self._emit(TroubleChanged(self._place, ""))

    def disconnected(self, error: Exception) -> None:
        """See `Member`."""
        what = f"no connection to the broker: {error}. Is it running?"
        self._emit(TroubleChanged(self._place, what))

    def tasks(self) -> Iterable[Coroutine[None, None, None]]:
        """See `Member`."""
        return self._deliver(), self._repeat_state()

    async def _repeat_state(self) -> None:
        """Repeat that the hub is there: some clustered brokers retain that on one node only."""
        while True:
            await self._session.publish_state(self.state("online"))
            await asyncio.sleep(REPEAT_S)
            await self._session.subscribe()

    async def _deliver(self) -> None:
        while True:
            await self._session.publish(*await self._sending.get())

    async def receive(self, topic: str, payload: bytes) -> None:
        """See `Member`."""
        address = address_of(self._room, topic)
        if address is None:
            return
        clock = self._clock(address.clock)
        for ack in clock.handle(address.topic, payload, self._now_ns(), self._emit):
            self._send(clock_topic(self._room, address.clock, Topic.ACK), encode(ack))

    def _clock(self, name: str) -> ClockAtBroker:
        if name not in self._clocks:
            board = self._boards.get(name, name)
            place = Place(f"{self._room}/{name}", name, is_file=False, hint=board, clock=name)
            self._clocks[name] = ClockAtBroker(place, self._lines)
        return self._clocks[name]

    def _acknowledge(self, heads: LogHeads) -> None:
        """Acknowledge to each clock its lines that are on the disk."""
        have: dict[str, dict[str, Point]] = {}
        for (source, match), head in heads.items():
            room, _, name = source.partition("/")
            if room == self._room and name in self._clocks:
                have.setdefault(name, {})[match] = head
        for name, points in have.items():
            ack = Ack(self._lines.uuid, points)
            self._send(clock_topic(self._room, name, Topic.ACK), encode(ack))

    def _send(self, topic: str, payload: bytes) -> None:
        self._sending.put_nowait((topic, payload))
