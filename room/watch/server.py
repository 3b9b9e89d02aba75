"""The web server of the pages: it bounds connections, by address and in all.

A connection whose request has not come whole is half-sent. One address may have few of these: the
oldest is closed for the newest, so that its other pages go on.
"""

import asyncio
import logging
import socket
import ssl
import struct
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, cast

import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_S = 10.0  # for the head of a request to come whole
HALF_SENT = 64  # of one address; a browser has at most six connections
MOST = 4000  # connections in all
AT_ONCE = 64  # connections that are accepted before the first of them is counted
RESERVED = (
    384  # descriptors that are no connection: files, database, broker, what was just accepted
)
BACKLOG = 2048  # connections that the system keeps until they are accepted
STALLED_S = 30.0  # a connection that takes nothing for so long is closed, whatever is left to send
SEND_BYTES = 64 * 1024  # that the system keeps for a reader; what it does not take is noticed soon
AT_ONCE_ENDED = struct.pack("ii", 1, 0)  # on, after no second
MESSAGE_S = 1.0  # between two messages of a kind
KINDS = 100  # of messages that are remembered
LOGGERS = ("asyncio", "uvicorn.error")


def most_connections() -> int:
    """Return how many connections the pages may have, by the descriptors of this process."""
    with suppress(ImportError):  # Windows, which has no such limit
        from resource import RLIM_INFINITY, RLIMIT_NOFILE, getrlimit  # noqa: PLC0415

        allowed, _ = getrlimit(RLIMIT_NOFILE)
        if allowed != RLIM_INFINITY:
            return max(AT_ONCE, min(MOST, allowed - RESERVED))
    return MOST


class Door:
    """Counts connections, by address and in all, and closes those that are too many."""

    def __init__(self, most: int) -> None:
        """Let so many in; one address may have half of them."""
        self._most, self._most_of_one = most, max(1, most // 2)
        self._open = Counter[str]()
        self._half: dict[str, dict[asyncio.Transport, None]] = {}  # by address, the oldest first

    def enter(self, address: str) -> bool:
        """Count a new connection; return whether there is room for it."""
        if self._open.total() >= self._most and self._half:
            self._close_oldest(next(iter(self._half)))
        elif self._open.total() >= self._most or self._open[address] >= self._most_of_one:
            return False
        self._open[address] += 1
        return True

    def leave(self, address: str) -> None:
        """Count a connection no more."""
        self._open[address] -= 1
        if not self._open[address]:
            del self._open[address]

    def begin_head(self, address: str, transport: asyncio.Transport) -> None:
        """Note that a request is half-sent."""
        half = self._half.setdefault(address, {})
        half[transport] = None
        if len(half) > HALF_SENT:
            self._close_oldest(address)

    def end_head(self, address: str, transport: asyncio.Transport) -> None:
        """Note that a request has come whole, or its connection has ended."""
        half = self._half.get(address, {})
        half.pop(transport, None)
        if not half:
            self._half.pop(address, None)

    def _close_oldest(self, address: str) -> None:
        oldest = next(iter(self._half[address]))
        self.end_head(address, oldest)
        oldest.abort()


class _Config(uvicorn.Config):
    """The configuration of a server, and its door."""

    door: Door


class _Connection(H11Protocol):
    """A connection that is counted, and closed unless each request's head comes in time."""

    _counted = False
    _deadline: asyncio.TimerHandle | None = None
    _stalled: asyncio.TimerHandle | None = None  # its end, unless it takes something before

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """See `asyncio.Protocol`."""
        self._door, self._address = cast("_Config", self.config).door, _address(transport)
        self._counted = self._door.enter(self._address)
        if not self._counted:
            transport.abort()
            return
        # Not inherited from the listening socket: it may have accepted before it was configured.
        connection: socket.socket = transport.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BYTES)
        super().connection_made(transport)
        self._await_head()

    def data_received(self, data: bytes) -> None:
        """See `asyncio.Protocol`."""
        super().data_received(data)
        # It is None before the first request, whatever its type says.
        if self.cycle is None or self.cycle.response_complete:  # type: ignore[redundant-expr]
            self._await_head()
        else:
            self._end_head()

    def pause_writing(self) -> None:
        """See `asyncio.Protocol`. Closing it later would wait for a reader that never reads."""
        self._stalled = self.loop.call_later(STALLED_S, self._drop)
        super().pause_writing()

    def _drop(self) -> None:
        """Close it with all that waits, also in the system."""
        connection: socket.socket = self.transport.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, AT_ONCE_ENDED)
        self.transport.abort()

    def resume_writing(self) -> None:
        """See `asyncio.Protocol`."""
        self._end_stalled()
        super().resume_writing()

    def _end_stalled(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None

    def connection_lost(self, exc: Exception | None) -> None:
        """See `asyncio.Protocol`."""
        self._end_stalled()
        if self._counted:
            self._end_head()
            self._door.leave(self._address)
            super().connection_lost(exc)

    def _await_head(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(HEAD_S, self.transport.abort)
            self._door.begin_head(self._address, self.transport)

    def _end_head(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
            self._door.end_head(self._address, self.transport)


def _address(transport: asyncio.Transport) -> str:
    peer = transport.get_extra_info("peername")
    return str(peer[0]) if peer else ""


class OncePerSecond(logging.Filter):
    """Lets a message of each kind through once a second; the next says how many were left out."""

    def __init__(self) -> None:
        """Know no message yet."""
        super().__init__()
        self._kinds: dict[str, tuple[float, int]] = {}  # when the last was let through; left out

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether a message is let through."""
        kind = str(record.msg).partition("\n")[0]
        at_s, left_out = self._kinds.get(kind, (float("-inf"), 0))
        if 0 <= record.created - at_s < MESSAGE_S:
            self._kinds[kind] = at_s, left_out + 1
            return False
        if left_out:
            record.msg = f"{record.msg} ({left_out} more of these were left out)"
        if len(self._kinds) >= KINDS:
            self._kinds.clear()
        self._kinds[kind] = record.created, 0
        return True


class Tls(NamedTuple):
    """The files of a certificate and of its private key, both PEM."""

    certificate: Path
    key: Path

    def problem(self) -> str:
        """Return why the pages cannot be served with it; empty: they can."""
        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(*self)
        except ssl.SSLError as error:
            return (
                f"{self.certificate} and {self.key} are no certificate and its key: {error.reason}"
            )
        except OSError as error:
            return f"{self.certificate}, {self.key}: {error.strerror}"
        return ""


class PageServer(uvicorn.Server):
    """A web server with bounds."""

    def __init__(
        self,
        app: Starlette,
        *,
        ending_s: int,
        lifespan: bool,
        watches_sockets: bool = False,
        tls: Tls | None = None,
    ) -> None:
        """Serve nothing yet.

        Args:
            app: the application.
            ending_s: how long its end waits for readers.
            lifespan: whether the application is to be told of start and end.
            watches_sockets: whether its event loop has to watch sockets of others, too; the usual
                one of Windows does not.
            tls: the certificate; None: http.
        """
        config = _Config(
            app,
            http=_Connection,
            loop="asyncio:SelectorEventLoop" if watches_sockets else "auto",
            backlog=AT_ONCE,
            log_level="warning",
            access_log=False,
            lifespan="on" if lifespan else "off",
            timeout_graceful_shutdown=ending_s,
            server_header=False,
            ssl_certfile=tls and tls.certificate,
            ssl_keyfile=tls and tls.key,
        )
        config.door = Door(most_connections())
        for name in LOGGERS:
            logging.getLogger(name).addFilter(OncePerSecond())
        super().__init__(config)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """See `uvicorn.Server`. Few connections are accepted at once, but many may wait."""
        await super().startup(sockets)
        for each in sockets or []:
            each.listen(BACKLOG)
