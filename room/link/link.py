"""The link of a clock: it sends the logs to the room's hub, and takes offers for the clock.

A process of its own, which only reads the log directory: the clock depends on nothing here. A line
is sent when it is on the card, and again until the hub has it on its disk (`room.broker.delivery`).
"""

import asyncio
import logging
import shutil
import signal
import subprocess
import threading
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from pathlib import Path

from aiomqtt import Client, Message

from clock import __version__
from clock.config.offer import MAX_BYTES
from clock.storage.offer_file import OFFER
from clock.units import SECOND_NS
from hardware.system.clocks import boot_id
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
from room.broker.delivery import Sender
from room.broker.topics import (
    FROM_HUB,
    MAX_LOGS,
    Ack,
    BoardState,
    Heartbeat,
    HubState,
    LinkState,
    Offered,
    State,
    Topic,
    clock_topic,
    decode,
    encode,
    hub_topic,
)
from room.lines.track import Track, follow
from room.settings.link import LinkSettings
from room.sources import Archived, Heard, Lines, Trouble
from room.sources import Message as Told
from room.sources.directory import Directories
from room.sources.raw_clock import now_ns

HEARTBEAT_S = 10.0
REPEAT_BEATS = 6  # after so many heartbeats the state is said again, and subscriptions are repeated
UNIT = "gammonclock.service"
ASK_S = 5.0  # how long to wait for the service manager

logger = logging.getLogger(__name__)

Service = Callable[[], Awaitable[tuple[str, str]]]  # the state of the clock's service, its status


class Link:
    """The link of one clock; all of it runs in one event loop."""

    def __init__(
        self, settings: LinkSettings, offers: Path, now_ns: Callable[[], int], service: Service
    ) -> None:
        """Connect to nothing yet.

        Args:
            settings: where the broker is.
            offers: the directory from which the clock takes offers.
            now_ns: the instant on the raw clock.
            service: returns the state and the status of the clock's service.
        """
        self._settings, self._offers, self._now_ns = settings, offers, now_ns
        self._service = service
        self._sender = Sender()
        self._track: tuple[str, Track] = ("", Track())  # the present match, for `board`
        self._woken, self._beaten = asyncio.Event(), asyncio.Event()
        self._is_alive = False  # the clock has shown a sign of life since the last heartbeat
        self._session = 0
        self._hub = HubState("lost")  # what was said of it last
        self._trouble = ""
        self._waits_s = retries_s()

    def told(self, message: Told) -> None:
        """Take what was found in the log directory."""
        match message:
            case Lines(lines=lines):
                self._sender.add(lines, self._now_ns(), is_present=True)
                if self._settings.board_topic:
                    self._track = _followed(self._track, message)
            case Archived(lines=lines):
                self._sender.add(lines, self._now_ns(), is_present=False)
            case Heard(sent_ns=int()):
                self._is_alive = True
            case Trouble(what=what) if what:
                logger.warning("%s", what)
            case _:
                pass
        self._woken.set()

    async def run(self) -> None:
        """Stay connected until cancelled."""
        while True:
            try:
                await self._connection()
            except (MqttError, OSError) as error:
                self._say(f"no connection to the broker: {error}; trying again")
            await next_attempt(self._waits_s)

    async def _connection(self) -> None:
        """Serve the hub until the connection is lost."""
        self._session = self._now_ns()
        will = Will(self._topic(Topic.LINK), self._state("lost"), QOS, retain=True)
        async with connect(self._settings.login, will) as client:
            await self._subscribe(client)
            self._say("connected to the broker")
            self._waits_s = retries_s()
            try:
                await run_together(self._receive(client), self._deliver(client), self._beat(client))
            except asyncio.CancelledError:
                with suppress(MqttError):
                    off = self._state("off")
                    await publish(client, self._topic(Topic.LINK), off, retain=True)
                raise
            finally:
                self._take_hub(HubState("lost", session=self._hub.session))

    # --- what comes from the hub --------------------------------------------------------------

    async def _subscribe(self, client: Client) -> None:
        own = [self._topic(topic) for topic in FROM_HUB]
        await subscribe(client, hub_topic(self._settings.room), *own)

    async def _receive(self, client: Client) -> None:
        async for message in client.messages:
            if message.topic.value == self._topic(Topic.OFFER):
                await self._take_offer(client, message.payload)
            else:
                self._take(message)

    def _take(self, message: Message) -> None:
        payload = message.payload
        if message.topic.value == hub_topic(self._settings.room):
            if (hub := decode(payload, HubState)) is not None:
                self._take_hub(hub)
        elif (ack := decode(payload, Ack)) is not None:
            self._sender.acknowledge(ack, self._now_ns())
        self._woken.set()

    def _take_hub(self, hub: HubState) -> None:
        """Take whether a hub is there; it repeats that, and the will of a session may come late."""
        is_online = hub.state == "online"
        if hub == self._hub or not (is_online or hub.session == self._hub.session):
            return
        self._hub = hub
        self._sender.connect(hub.store if is_online else None, self._now_ns())
        self._beaten.set()

    async def _take_offer(self, client: Client, offer: bytes) -> None:
        why = put_offer(self._offers, offer)
        answer = Offered(len(offer), put=not why, why=why)
        await publish(client, self._topic(Topic.OFFERED), encode(answer))

    # --- what goes to the hub -----------------------------------------------------------------

    async def _deliver(self, client: Client) -> None:
        """Send logs as they grow, and again as the hub asks for them."""
        said = None
        while True:
            self._woken.clear()
            inventory = self._sender.inventory(self._now_ns())
            if inventory is not None:
                await publish(client, self._topic(Topic.LOGS), encode(inventory))
            while (lines := self._sender.batch()) is not None:
                await publish(client, self._topic(Topic.LOG), lines)
            if said != self._track:
                said = self._track
                await self._say_board(client)
            await self._wait(self._woken, self._seconds())

    def _seconds(self) -> float | None:
        """Return how long there is nothing to send, unless something happens."""
        due_ns = self._sender.due_ns()
        return None if due_ns is None else max(0, due_ns - self._now_ns()) / SECOND_NS

    async def _beat(self, client: Client) -> None:
        """Say again and again that the clock is there; also when a hub has come."""
        said, beats = b"", 0
        while True:
            self._beaten.clear()
            if beats == REPEAT_BEATS:
                said, beats = b"", 0
                await self._subscribe(client)
            state = self._state("online", *await self._service())
            if state != said:
                await publish(client, self._topic(Topic.LINK), state, retain=True)
            said, beats = state, beats + 1
            await publish(client, self._topic(Topic.HEARTBEAT), self._heartbeat())
            await self._wait(self._beaten, HEARTBEAT_S)

    @staticmethod
    async def _wait(event: asyncio.Event, seconds: float | None) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await event.wait()

    def _heartbeat(self) -> bytes:
        is_alive, self._is_alive = self._is_alive, False
        match, seq = self._sender.match, self._sender.latest().seq
        return encode(Heartbeat(boot_id(), self._now_ns(), match, seq, is_alive))

    def _state(self, state: State, unit: str = "", status: str = "") -> bytes:
        damage = self._sender.damage
        return encode(LinkState(state, self._session, __version__, unit, status[:1000], damage))

    async def _say_board(self, client: Client) -> None:
        board = board_state(self._settings.board, self._track[1])
        if board is not None:
            await publish(client, self._topic(Topic.BOARD), encode(board), retain=True)

    def _topic(self, topic: Topic) -> str:
        return clock_topic(self._settings.room, self._settings.clock, topic)

    def _say(self, what: str) -> None:
        """Say on the journal what has changed."""
        if what != self._trouble:
            self._trouble = what
            logger.warning("%s: %s", self._settings.login.host, what)


def _followed(track: tuple[str, Track], told: Lines) -> tuple[str, Track]:
    """Return what the lines of the present match say, one more message included."""
    match, state = track if track[0] == told.match else (told.match, Track())
    for line in told.lines:
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


def put_offer(directory: Path, offer: bytes) -> str:
    """Put an offer where the clock finds it, whole or not at all; return why not, or ""."""
    if len(offer) > MAX_BYTES:
        return f"the offer has {len(offer)} bytes; at most {MAX_BYTES} are allowed"
    new = directory / f".{OFFER}.new"
    try:
        new.write_bytes(offer)
        new.chmod(0o644)
        new.replace(directory / OFFER)
    except OSError as error:
        return f"{directory}: {error.strerror or error}"
    return ""


async def clock_service() -> tuple[str, str]:
    """Return the state of the clock's service and what it says of itself; empty: not known."""
    systemctl = shutil.which("systemctl")
    if systemctl is None:
        return "", ""
    command = (systemctl, "show", "--property=ActiveState,StatusText", UNIT)
    try:
        asked = await asyncio.to_thread(
            subprocess.run, command, capture_output=True, timeout=ASK_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return "", ""
    lines = asked.stdout.decode(errors="replace").splitlines()
    found = dict(line.partition("=")[::2] for line in lines)
    return found.get("ActiveState", ""), found.get("StatusText", "")


def run_link(settings: LinkSettings, logs: Path, offers: Path) -> None:
    """Serve a log directory until the program is ended by a signal."""
    logging.basicConfig(format="%(message)s")
    link = Link(settings, offers, now_ns, clock_service)
    with suppress(asyncio.CancelledError):
        asyncio.run(run_links({logs: link}))


async def run_links(links: Mapping[Path, Link]) -> None:
    """Serve log directories, each by its own link, until cancelled or ended by a signal."""
    loop, main = asyncio.get_running_loop(), asyncio.current_task()
    say_losses_once(loop)
    by_source = {str(directory): link for directory, link in links.items()}
    if main is not None and threading.current_thread() is threading.main_thread():
        loop.add_signal_handler(signal.SIGTERM, main.cancel)

    def tell(message: Told) -> None:
        loop.call_soon_threadsafe(by_source[message.place.source].told, message)

    source = Directories(list(links), now_ns, most_archived=MAX_LOGS)
    source.start(tell)
    try:
        async with asyncio.TaskGroup() as tasks:
            for link in links.values():
                tasks.create_task(link.run())
    finally:
        source.close()
