"""The link of one clock: it sends the logs to the room's hub, and receives offers for the clock.

A line is sent when it is on the clock's card, and again until the hub has it on its disk
(`room.broker.delivery`).
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from contextlib import suppress
from pathlib import Path

from clock import __version__
from clock.config.offer import MAX_BYTES
from clock.files import replace_file
from clock.storage.offer_file import OFFER
from clock.units import SECOND_NS
from hardware.system.clocks import boot_id
from room.broker.delivery.sender import Sender
from room.broker.session import Session
from room.broker.topics import (
    FROM_HUB,
    Ack,
    BoardState,
    HubState,
    LinkHeartbeat,
    LinkState,
    OfferReceipt,
    State,
    Topic,
    clock_topic,
    decode,
    encode,
    hub_topic,
)
from room.lines.events import ClockHeard, EarlierLinesRead, LinesRead, SourceEvent, TroubleChanged
from room.lines.track import Track, follow
from room.settings.link import LinkSettings


def put_offer(directory: Path, offer: bytes) -> str:
    """Write an offer where the clock finds it, whole or not at all; return why not, or ""."""
    if len(offer) > MAX_BYTES:
        return f"the offer has {len(offer)} bytes; at most {MAX_BYTES} are allowed"
    try:
        replace_file(directory / OFFER, offer, 0o644)
    except OSError as error:
        return f"{directory}: {error.strerror or error}"
    return ""


HEARTBEAT_S = 10.0
ALIVE_NS = 11 * SECOND_NS  # a clock that wrote something so lately lives: it does every few seconds
REPEAT_BEATS = 6  # after so many heartbeats the state is said again, and subscriptions are repeated
LONGEST_STATUS = 1000  # characters

logger = logging.getLogger(__name__)

Service = Callable[[], Awaitable[tuple[str, str]]]  # the state of the clock's service, its status


class Link:
    """The link of one clock; see `room.broker.session.Member` for what the session calls."""

    def __init__(
        self, settings: LinkSettings, offers: Path, now_ns: Callable[[], int], service: Service
    ) -> None:
        """Connect to nothing yet.

        Args:
            settings: where the broker is.
            offers: the directory in which the clock looks for offers.
            now_ns: the instant on the raw clock.
            service: returns the state and the status of the clock's service.
        """
        self._settings, self._offers, self._now_ns = settings, offers, now_ns
        self._service = service
        self._hub_topic = hub_topic(settings.room)
        self.state_topic = self._topic(Topic.LINK)
        self.topics = (self._hub_topic, *(self._topic(topic) for topic in FROM_HUB))
        self._session = Session(settings.login, self, now_ns)
        self._sender = Sender()
        self._track: tuple[str, Track] = ("", Track())  # the present match, for `board`
        self._woken, self._beaten = asyncio.Event(), asyncio.Event()
        self._alive_ns: int | None = None  # when the clock wrote something
        self._hub = HubState("lost")  # its latest state
        self._logged = ""  # the latest message about the connection

    def handle(self, event: SourceEvent) -> None:
        """Handle what was found in the log directory."""
        match event:
            case LinesRead(lines=lines):
                self._sender.add(lines, self._now_ns(), is_present=True)
                if self._settings.board_topic:
                    self._track = followed(self._track, event)
            case EarlierLinesRead(lines=lines):
                self._sender.add(lines, self._now_ns(), is_present=False)
            case ClockHeard(sent_ns=int()):
                self._alive_ns = self._now_ns()
            case TroubleChanged(what=what) if what:
                logger.warning("%s", what)
            case _:
                pass
        self._woken.set()

    async def run(self) -> None:
        """Stay connected until cancelled."""
        await self._session.run()

    def state(self, state: State, unit: str = "", status: str = "") -> bytes:
        """See `Member`; `unit` and `status` are the clock's service's."""
        session, damage = self._session.number, self._sender.damage
        status = status[:LONGEST_STATUS]
        return encode(LinkState(state, session, __version__, unit, status, damage))

    def connected(self) -> None:
        """See `Member`."""
        self._log_once("connected to the broker")

    def disconnected(self, error: Exception) -> None:
        """See `Member`."""
        self._handle_hub(HubState("lost", session=self._hub.session))
        self._log_once(f"no connection to the broker: {error}; trying again")

    def tasks(self) -> Iterable[Coroutine[None, None, None]]:
        """See `Member`."""
        return self._deliver(), self._beat()

    # --- what comes from the hub --------------------------------------------------------------

    async def receive(self, topic: str, payload: bytes) -> None:
        """See `Member`."""
        if topic == self._topic(Topic.OFFER):
            await self._handle_offer(payload)
        elif topic == self._hub_topic:
            if (hub := decode(payload, HubState)) is not None:
                self._handle_hub(hub)
        elif (ack := decode(payload, Ack)) is not None:
            self._sender.acknowledge(ack, self._now_ns())
        self._woken.set()

    def _handle_hub(self, hub: HubState) -> None:
        """Note whether a hub is there: it repeats that, and the will of a session may come late."""
        is_online = hub.state == "online"
        if hub == self._hub or not (is_online or hub.session == self._hub.session):
            return
        self._hub = hub
        self._sender.connect(hub.store if is_online else None, self._now_ns())
        self._beaten.set()

    async def _handle_offer(self, offer: bytes) -> None:
        why = put_offer(self._offers, offer)
        receipt = OfferReceipt(len(offer), put=not why, why=why)
        await self._session.publish(self._topic(Topic.OFFERED), encode(receipt))

    # --- what goes to the hub -----------------------------------------------------------------

    async def _deliver(self) -> None:
        """Send logs as they grow, and again as the hub asks for them."""
        published = None
        while True:
            self._woken.clear()
            inventory = self._sender.inventory(self._now_ns())
            if inventory is not None:
                await self._session.publish(self._topic(Topic.LOGS), encode(inventory))
            while (lines := self._sender.batch()) is not None:
                await self._session.publish(self._topic(Topic.LOG), lines)
            if published != self._track:
                published = self._track
                await self._publish_board()
            await self._wait(self._woken, self._seconds())

    def _seconds(self) -> float | None:
        """Return how long nothing is to be sent, unless something happens."""
        due_ns = self._sender.due_ns()
        return None if due_ns is None else (due_ns - self._now_ns()) / SECOND_NS

    async def _beat(self) -> None:
        """Publish heartbeats, at once when a hub has come; and the state when it has changed."""
        published, beats = b"", 0
        while True:
            self._beaten.clear()
            if beats == REPEAT_BEATS:
                published, beats = b"", 0
                await self._session.subscribe()
            state = self.state("online", *await self._service())
            if state != published:
                await self._session.publish_state(state)
            published, beats = state, beats + 1
            await self._session.publish(self._topic(Topic.HEARTBEAT), self._heartbeat())
            await self._wait(self._beaten, HEARTBEAT_S)

    @staticmethod
    async def _wait(event: asyncio.Event, seconds: float | None) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await event.wait()

    def _heartbeat(self) -> bytes:
        now_ns, match, seq = self._now_ns(), self._sender.match, self._sender.latest().seq
        is_alive = self._alive_ns is not None and now_ns - self._alive_ns < ALIVE_NS
        return encode(LinkHeartbeat(boot_id(), now_ns, match, seq, is_alive))

    async def _publish_board(self) -> None:
        board = board_state(self._settings.board, self._track[1])
        if board is not None:
            await self._session.publish(self._topic(Topic.BOARD), encode(board), retain=True)

    def _topic(self, topic: Topic) -> str:
        return clock_topic(self._settings.room, self._settings.clock, topic)

    def _log_once(self, what: str) -> None:
        """Log the state of the connection when it has changed."""
        if what != self._logged:
            self._logged = what
            logger.warning("%s: %s", self._settings.login.host, what)


def followed(track: tuple[str, Track], read: LinesRead) -> tuple[str, Track]:
    """Return the present match and what its lines say, after some more lines.

    A log that is read again from its first line is followed anew.
    """
    goes_on = track[0] == read.match and read.first != 0
    match, state = track if goes_on else (read.match, Track())
    for line in read.lines:
        state = follow(state, line)
    return match, state


def board_state(board: str, track: Track) -> BoardState | None:
    """Return the state of a board for other programs; None without a line that can be read."""
    record, state = track.record, track.state
    if record is None or state is None:
        return None
    return BoardState(
        board=board,
        match=track.match.chain.match if track.match else "",
        seq=track.seq,
        state=record.phase.value,
        names=state.names,
        score=record.score,
        length=state.length,
        running=record.running,
        left_ns=record.left_ns,
        right_ns=record.right_ns,
        delay_ns=record.delay_ns,
        boot=track.boot,
        at_ns=record.at_ns,
    )
