"""The program `gammonclock watch`: sources, hub and web server, until it is interrupted."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import uvicorn
from starlette.applications import Starlette

from hardware.system.clocks import boot_id
from room.hub import Hub
from room.offer_desk import SendOffer
from room.raw_clock import now_ns
from room.register import Register
from room.site import application
from room.sources import Message, Source
from room.store import Store

LOCAL = ("127.0.0.1", "localhost")  # this computer alone
ENDING_S = 2  # how long the end of the program waits for readers


class Options(NamedTuple):
    """How to watch."""

    host: str = "127.0.0.1"
    port: int = 8037
    database: Path | str | None = None  # a file, or the URL of a server; None: in memory
    code: str | None = None  # the settings code that every board should have


class AddressError(Exception):
    """The pages cannot be served at this address; the message says why."""


class Watch:
    """A hub with its web server."""

    def __init__(self, sources: Sequence[Source], options: Options) -> None:
        """Open the database and the address; serve nothing yet.

        Raises:
            StoreError: the database cannot be opened.
            AddressError: the address cannot be used.
        """
        self._host = options.host
        self.socket = _listen(options.host, options.port)
        try:
            self.store = Store(options.database)
        except BaseException:
            self.socket.close()
            raise
        recall = self.store.known
        register = Register(now_ns(), boot_id(), options.code, recall)
        self.hub = Hub(register, self.store, now_ns)
        self._sources = sources
        self._token = ""

    @property
    def address(self) -> str:
        """The address of the pages, as this computer's browser finds them."""
        host, port = self.socket.getsockname()[:2]
        if host in ("0.0.0.0", "::"):  # noqa: S104 (compared, not bound to)
            host = own_address()
        return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"

    def take_offers(self, master: bytes, send: SendOffer, token: str) -> None:
        """Let the director offer matches.

        Args:
            master: the key from which those of the clocks are derived.
            send: sends an offer to a clock.
            token: in the address of the director's pages.
        """
        self._token = token
        self.hub.take_offers(master, send)

    def run(self, started: Callable[[], object]) -> None:
        """Serve until interrupted; `started` is called when pages can be opened."""
        local = self._host in LOCAL
        app = application(
            self.hub,
            hosts=LOCAL if local else ("*",),
            address="" if local else self.address,
            token=self._token,
        )
        app.router.lifespan_context = self._lifespan(started)
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            lifespan="on",
            timeout_graceful_shutdown=ENDING_S,
            server_header=False,
        )
        with contextlib.suppress(KeyboardInterrupt):
            _Server(config, self.hub).run([self.socket])

    def _lifespan(
        self, started: Callable[[], object]
    ) -> Callable[[Starlette], contextlib.AbstractAsyncContextManager[None]]:
        @contextlib.asynccontextmanager
        async def lifespan(_: Starlette) -> AsyncIterator[None]:
            loop = asyncio.get_running_loop()

            def tell(message: Message) -> None:
                with contextlib.suppress(RuntimeError):  # the program ends
                    loop.call_soon_threadsafe(self.hub.told, message)

            current = loop.create_task(self.hub.keep_current())
            for source in self._sources:
                source.start(tell)
            started()
            try:
                yield
            finally:
                current.cancel()
                for source in self._sources:
                    source.close()
                self.hub.update()
                self.store.close()

        return lifespan


class _Server(uvicorn.Server):
    """A web server that lets the readers of events go when it ends."""

    def __init__(self, config: uvicorn.Config, hub: Hub) -> None:
        super().__init__(config)
        self._hub = hub

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """See `uvicorn.Server`."""
        self._hub.feed.end()
        await super().shutdown(sockets)


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        raise AddressError(f"{host} port {port}: {error.strerror or error}") from error


def own_address() -> str:
    """Return the address under which others in the local network find this computer."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing; the kernel chooses the way out
        except OSError:
            return "127.0.0.1"
        return str(probe.getsockname()[0])
