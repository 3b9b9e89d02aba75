"""The connections of the pages: how many there may be, by address and in all, and how slow.

A connection whose request has not come whole is half-sent, and so is one that is not secure yet.
One address may have few of these: the oldest is closed for the newest, so that its other pages go
on.
"""

import asyncio
import socket
import ssl
import struct
from collections import Counter
from contextlib import suppress
from typing import Any, cast

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

REQUEST_S = 10.0  # for a request to come whole, and before that for a secure connection
HALF_SENT = 64  # of one address; a browser has at most six connections
MOST = 4000  # connections in all
AT_ONCE = 64  # connections that are accepted before the first of them is counted
RESERVED = (
    384  # descriptors that are no connection: files, database, broker, what was just accepted
)
STALLED_S = 30.0  # a connection that takes nothing for so long is closed, whatever is left to send
SEND_BYTES = 64 * 1024  # that the system keeps for a reader; what it does not take is noticed soon
AT_ONCE_ENDED = struct.pack("ii", 1, 0)  # on, after no second


def most_connections() -> int:
    """Return how many connections the pages may have; take descriptors for them, if allowed."""
    with suppress(ImportError):  # Windows, which has no such limit
        from resource import RLIM_INFINITY, RLIMIT_NOFILE, getrlimit, setrlimit  # noqa: PLC0415

        soft, hard = getrlimit(RLIMIT_NOFILE)
        allowed = MOST + RESERVED if hard == RLIM_INFINITY else min(MOST + RESERVED, hard)
        if RLIM_INFINITY != soft < allowed:
            setrlimit(RLIMIT_NOFILE, (allowed, hard))
        return max(AT_ONCE, allowed - RESERVED)
    return MOST


class Door:
    """Counts connections, by address and in all, and closes those that are too many."""

    def __init__(self, most: int) -> None:
        """Let so many in; one address may have half of them."""
        self._most, self._most_of_one = most, most // 2
        self._open = Counter[str]()
        self._half: dict[str, dict[asyncio.Transport, None]] = {}  # by address, the oldest first

    def enter(self, address: str) -> bool:
        """Count a new connection; return whether there is room for it."""
        if self._open[address] >= self._most_of_one:
            return False
        if self._open.total() >= self._most:
            if not self._half:
                return False
            self._close_oldest(next(iter(self._half)))
        self._open[address] += 1
        return True

    def leave(self, address: str) -> None:
        """Count a connection no more."""
        self._open[address] -= 1
        if not self._open[address]:
            del self._open[address]

    def begin_request(self, address: str, transport: asyncio.Transport) -> None:
        """Note that a request is half-sent."""
        half = self._half.setdefault(address, {})
        half[transport] = None
        if len(half) > HALF_SENT:
            self._close_oldest(address)

    def end_request(self, address: str, transport: asyncio.Transport) -> None:
        """Note that a request has come whole, or its connection has ended."""
        half = self._half.get(address, {})
        half.pop(transport, None)
        if not half:
            self._half.pop(address, None)

    def _close_oldest(self, address: str) -> None:
        oldest = next(iter(self._half[address]))
        self.end_request(address, oldest)
        oldest.abort()


class Config(uvicorn.Config):
    """The configuration of a server, its door and its certificate."""

    door: Door
    tls: ssl.SSLContext  # for `Handshake`; uvicorn is told of none, as it counts no handshake


class Connection(H11Protocol):
    """A connection that is counted, and closed unless each request comes whole in time."""

    _deadline: asyncio.TimerHandle | None = None
    _stalled: asyncio.TimerHandle | None = None  # its end, unless it takes something before

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """See `asyncio.Protocol`."""
        self._door, self._address = cast("Config", self.config).door, _address(transport)
        self._counted = self._door.enter(self._address)
        if not self._counted:
            transport.abort()
            return
        # Not inherited from the listening socket: it may have accepted before it was configured.
        connection: socket.socket = transport.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BYTES)
        super().connection_made(transport)
        self._await_request()

    def data_received(self, data: bytes) -> None:
        """See `asyncio.Protocol`."""
        super().data_received(data)
        cycle = self.cycle
        # It is None before the first request, whatever its type says.
        if cycle is None or cycle.response_complete or cycle.more_body:  # type: ignore[redundant-expr]
            self._await_request()
        else:
            self._end_request()

    def on_response_complete(self) -> None:
        """See `H11Protocol`. The head of the next request may have come with this one."""
        super().on_response_complete()
        if self.cycle.more_body:
            self._await_request()

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

    def connection_lost(self, exc: Exception | None) -> None:
        """See `asyncio.Protocol`."""
        self._end_stalled()
        if self._counted:
            self._end_request()
            self._door.leave(self._address)
            super().connection_lost(exc)

    def _await_request(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(REQUEST_S, self.transport.abort)
            self._door.begin_request(self._address, self.transport)

    def _end_request(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
            self._door.end_request(self._address, self.transport)


class Handshake(asyncio.Protocol):
    """A connection that is counted until it is secure, and has to be so in time."""

    def __init__(self, config: Config, **given: Any) -> None:
        """Wait for a connection; `given` is what `Connection` takes beside `config`."""
        self._config, self._given = config, given
        self._early = b""  # of the first request

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """See `asyncio.Protocol`."""
        raw = cast("asyncio.Transport", transport)
        if not self._config.door.enter(_address(raw)):
            raw.abort()
            return
        raw.pause_reading()  # what comes is for TLS, which begins in a moment
        self._task = asyncio.get_running_loop().create_task(self._secure(raw))

    def data_received(self, data: bytes) -> None:
        """See `asyncio.Protocol`: the first request may come before this is told of its end."""
        self._early += data

    async def _secure(self, raw: asyncio.Transport) -> None:
        """Give the connection to a `Connection` when it is secure."""
        address, door = _address(raw), self._config.door
        door.begin_request(address, raw)
        secure = None
        with suppress(OSError):  # no TLS, or not in time
            secure = await asyncio.get_running_loop().start_tls(
                raw, self, self._config.tls, server_side=True, ssl_handshake_timeout=REQUEST_S
            )
        door.end_request(address, raw)
        door.leave(address)
        if secure is None:  # it has ended meanwhile
            return
        connection = Connection(config=self._config, **self._given)
        secure.set_protocol(connection)
        connection.connection_made(secure)
        if self._early:
            connection.data_received(self._early)


def _address(transport: asyncio.Transport) -> str:
    peer = transport.get_extra_info("peername")
    return str(peer[0]) if peer else ""
