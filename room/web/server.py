"""The web server of the pages: it bounds its messages, and its connections (`connections`)."""

import logging
import socket
import ssl
from pathlib import Path
from typing import NamedTuple

import uvicorn
from starlette.applications import Starlette

from room.web.connections import AT_ONCE, Config, Connection, Door, Handshake, most_connections

BACKLOG = 2048  # connections that the system keeps until they are accepted
MESSAGE_S = 1.0  # between two messages of a kind
KINDS = 100  # of messages that are remembered
LOGGERS = ("asyncio", "uvicorn.error")


class OncePerSecond:
    """Lets a message of each kind through once a second; the next says how many were left out."""

    def __init__(self) -> None:
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
            self.context()
        except ssl.SSLError as error:
            return (
                f"{self.certificate} and {self.key} are no certificate and its key: {error.reason}"
            )
        except OSError as error:
            return f"{self.certificate}, {self.key}: {error.strerror}"
        return ""

    def context(self) -> ssl.SSLContext:
        """Return what makes connections secure; raise OSError if there is a `problem`."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*self)
        return context


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
        config = Config(
            app,
            http=Handshake if tls else Connection,
            loop="asyncio:SelectorEventLoop" if watches_sockets else "auto",
            backlog=AT_ONCE,
            log_level="warning",
            access_log=False,
            lifespan="on" if lifespan else "off",
            timeout_graceful_shutdown=ending_s,
            server_header=False,
        )
        config.door = Door(most_connections())
        if tls:
            config.tls = tls.context()
        for name in LOGGERS:
            logging.getLogger(name).addFilter(OncePerSecond())
        super().__init__(config)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """See `uvicorn.Server`. Few connections are accepted at once, but many may wait."""
        await super().startup(sockets)
        for each in sockets or []:
            each.listen(BACKLOG)
