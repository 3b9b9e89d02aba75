"""The program `gammonclock watch`: sources, hub and web server, until it is interrupted."""

import asyncio
import contextlib
import secrets
import socket
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from starlette.applications import Starlette

from clock.units import SECOND_NS
from hardware.system.clocks import boot_id
from room.boards.register import Register
from room.hub.hub import Hub
from room.hub.notifier import Notifier
from room.hub.offer_desk import SendOffer
from room.hub.post import About
from room.hub.public_view import PublicView
from room.hub.queues import TURN_NS
from room.hub.room_event import RoomEvent
from room.hub.store.opening import WrongStoreError
from room.hub.store.store import Store
from room.hub.words import page_words
from room.lines.events import Source, SourceEvent
from room.settings.room import TOKEN_BYTES, Names, PublishTable, QuotaTable
from room.settings.tables import NotifyTable
from room.sources.raw_clock import now_ns, today, wall
from room.web.access import EVERYBODY, Access
from room.web.connections import most_connections
from room.web.page_files import BROWSER_PAGES
from room.web.publish import Publisher
from room.web.server import PageServer, Tls
from room.web.site import ForDirector, application
from room.web.waiting import open_when_possible

LOCAL = ("127.0.0.1", "localhost")  # this computer alone
FORGET_S = 3600  # between looks for old matches
SWITCH_S = 0.0005  # for which a thread that computes keeps those that only pass messages on waiting
ENDING_S = 2  # how long the end of the program waits for readers


class Options(NamedTuple):
    """How to watch."""

    host: str = "127.0.0.1"
    port: int = 8037
    database: Path | str | None = None  # a file, or the URL of a server; None: in memory
    code: str | None = None  # the settings code that every board should have
    token: str = ""  # of the director, if others can open the pages; empty: a random one
    address: str = ""  # under which others open the pages; empty: that of this computer
    other_sites: bool = False  # whether pages of other sites may read what others see
    public: bool = True  # whether others than the director see boards and results
    names: Names = "full"  # of players, for others than the director
    delay_s: int = 0  # by which others see everything later
    days: int = 0  # matches without a line for so long are deleted; 0: none
    quota: QuotaTable = QuotaTable()  # of what the hub takes from each clock
    event: RoomEvent = RoomEvent()  # whose matches are the results
    round_by: str = ""  # the time of day by which the round should end, "17:00"; empty: any
    browser: Path = BROWSER_PAGES  # where the pages that need no installation are
    notify: NotifyTable = NotifyTable()  # where the director is told what asks for them
    publish: PublishTable = PublishTable()  # where pages for a web space are written
    room: str = ""  # its name
    tls: Tls | None = None  # the certificate of the pages; None: they are http


class WatchError(Exception):
    """Watching cannot begin; the message says what to do."""


class Watch:
    """A hub with its web server."""

    def __init__(self, options: Options, listening: socket.socket) -> None:
        """Open the database; until that can be opened, the pages say why it cannot.

        Args:
            options: how to watch.
            listening: where the pages are asked for; it stays open.

        Raises:
            WatchError: the database cannot be used.
            KeyboardInterrupt: interrupted before the database could be opened.
        """
        self._options, self._local = options, options.host in LOCAL
        self._access = access_of(options)
        self._server: _Server | None = None
        self._taken = ""  # why this hub must end; empty: it need not
        self.socket = listening
        try:
            opened = partial(Store, options.database, today, wall, holds=own_name(listening))
            self.store = open_when_possible(opened, listening, self._access, options.tls)
        except WrongStoreError as error:
            raise WatchError(f"--database: {error}") from error
        store = self.store
        known = partial(store.known, turn_s=TURN_NS / SECOND_NS)
        register = Register(now_ns(), boot_id(), options.code, known, store.conflicts)
        has_public = not self._local or options.publish.folder
        public = PublicView(options.names, options.delay_s) if has_public else None
        self.hub = Hub(register, self.store, now_ns, public)
        self.hub.taken = self.end_taken
        self.hub.event, self.hub.room = options.event, options.room
        self._notifier = self._make_notifier() if options.notify.url else None
        self._publisher = Publisher(self.hub, options.publish) if options.publish.folder else None

    def _make_notifier(self) -> Notifier:
        options = self._options
        words, page = page_words(options.notify.language), f"{self.address}room"
        about = About(words, options.room, page, names=options.names == "full")
        return Notifier(self.hub, options.notify, about)

    @property
    def address(self) -> str:
        """The address of the pages, as others find them, or this computer's browser."""
        return page_address(self._options, self.socket)

    def enable_offers(self, master: bytes, send: SendOffer) -> None:
        """Let the director offer matches, on the pages under `director_address`.

        Args:
            master: the key from which those of the clocks are derived.
            send: sends an offer to a clock.
        """
        self.hub.enable_offers(master, send)

    @property
    def director_address(self) -> str:
        """The address under which the director opens the pages."""
        needs_token = not self._local or self.hub.offers is not None
        return f"{self.address}?token={self._access.token}" if needs_token else self.address

    def run(self, sources: Sequence[Source], started: Callable[[], object]) -> None:
        """Follow sources and serve their boards until interrupted.

        Args:
            sources: of lines; those that acknowledge them were given `store`.
            started: called when pages can be opened.

        Raises:
            WatchError: another hub has the room or the database.
        """
        local = self._local
        app = application(
            self.hub,
            hosts=LOCAL if local else ("*",),
            address="" if local else self.address,
            access=self._access,
            browser=self._options.browser,
            director=ForDirector(self._options.round_by, self._notifier),
        )
        app.router.lifespan_context = self._lifespan(sources, started)
        self._server = _Server(app, self.hub.end, self._options.tls)
        sys.setswitchinterval(SWITCH_S)
        with contextlib.suppress(KeyboardInterrupt), self.socket.dup() as listening:
            self._server.run([listening])  # which it closes
        if self._taken:
            raise WatchError(self._taken)

    def end_taken(self, why: str) -> None:
        """End, as another hub has the room or the database."""
        self._taken = why
        if self._server is not None:
            self._server.should_exit = True

    async def _forget_old(self) -> None:
        """Delete old matches, now and then again."""
        while True:
            self.store.forget(self._options.days)
            await asyncio.sleep(FORGET_S)

    def _lifespan(
        self, sources: Sequence[Source], started: Callable[[], object]
    ) -> Callable[[Starlette], contextlib.AbstractAsyncContextManager[None]]:
        @contextlib.asynccontextmanager
        async def lifespan(_: Starlette) -> AsyncIterator[None]:
            loop = asyncio.get_running_loop()

            def emit(event: SourceEvent) -> None:
                if self.hub.put(event):
                    with contextlib.suppress(RuntimeError):  # the program ends
                        loop.call_soon_threadsafe(self.hub.update_soon)

            tasks = [loop.create_task(self.hub.keep_current())]
            if self._notifier is not None:
                tasks.append(loop.create_task(self._notifier.run()))
            if self._publisher is not None:
                tasks.append(loop.create_task(self._publisher.run()))
            if self._options.days:
                tasks.append(loop.create_task(self._forget_old()))
            for source in sources:
                source.start(emit)
            started()
            try:
                yield
            finally:
                for task in tasks:
                    task.cancel()
                for source in sources:
                    source.close()
                self.hub.update()
                self.store.close()

        return lifespan


class _Server(PageServer):
    """A web server that ends the endless streams of events when it stops."""

    def __init__(self, app: Starlette, end_streams: Callable[[], None], tls: Tls | None) -> None:
        super().__init__(app, ending_s=ENDING_S, lifespan=True, tls=tls)
        self._end_streams = end_streams

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """See `uvicorn.Server`."""
        self._end_streams()
        await super().shutdown(sockets)


def access_of(options: Options) -> Access:
    """Return who may see what."""
    return Access(
        options.token or secrets.token_urlsafe(TOKEN_BYTES),
        public=options.public,
        other_sites=options.other_sites,
        guarded=options.host not in LOCAL,
        most_streams=min(EVERYBODY.most_streams, most_connections() // 4),
    )


def own_name(listening: socket.socket) -> str:
    """Return how this hub is called, for other hubs."""
    return f"{socket.gethostname()}, port {listening.getsockname()[1]}"


def page_address(options: Options, listening: socket.socket) -> str:
    """Return the address of the pages, as others find them, or this computer's browser."""
    if options.address and options.host not in LOCAL:
        return options.address
    host, port = options.host, listening.getsockname()[1]
    if host in ("", "0.0.0.0", "::"):  # noqa: S104 (compared, not bound to)
        host = own_address()
    scheme = "https" if options.tls else "http"
    return f"{scheme}://[{host}]:{port}/" if ":" in host else f"{scheme}://{host}:{port}/"


def listen(host: str, port: int) -> socket.socket:
    """Return a socket on which the pages can be asked for.

    Raises:
        WatchError: the address cannot be used.
    """
    try:
        family = socket.getaddrinfo(host, port)[0][0]
        return socket.create_server((host, port), family=family)
    except OSError as error:
        why = f"{host} port {port}: {error.strerror or error}"
        raise WatchError(f"{why}; choose another with --port or --host") from error


def own_address() -> str:
    """Return the address under which others in the local network find this computer."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing; the kernel chooses the way out
        except OSError:
            return "127.0.0.1"
        return str(probe.getsockname()[0])
