"""Ask the hub of another hall over HTTP (docs/watch.md), and follow its stream of events."""

import http.client
import socket
from collections.abc import Iterator
from contextlib import closing, suppress
from http import HTTPStatus
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

import msgspec

TIMEOUT_S = 15.0  # for an answer, and between two events: the hub sends one every 10 s
MAX_ANSWER = 64 * 1024 * 1024  # bytes; the longest logs have one
SCHEMES = ("http", "https")


class HallError(Exception):
    """The hub of a hall cannot be asked, or refuses; the message says why."""


class HallRefusedError(HallError):
    """The hub answers, but not with what was asked for."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


class HallEvent(NamedTuple):
    """An event of its stream."""

    id: str
    kind: str
    data: bytes  # JSON


class HallClient:
    """The hub at an address."""

    def __init__(self, address: str) -> None:
        """Ask nothing yet.

        Args:
            address: of its pages; with the director's token, what only the director may read too.
        """
        parts = urlsplit(address)
        self.name = parts.netloc.rpartition("@")[2]
        self._is_secure = parts.scheme == "https"
        token = parse_qs(parts.query).get("token", [""])[0]
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._following: socket.socket | None = None

    def get(self, path: str) -> bytes:
        """Return what stands at a path.

        Raises:
            HallError: there is no answer, or another one.
        """
        try:
            with closing(self._connected()) as connection:
                connection.request("GET", path, headers=self._headers)
                return _content(connection.getresponse(), self.name)
        except (OSError, http.client.HTTPException) as error:
            raise HallError(f"{self.name}: {str(error) or type(error).__name__}") from error

    def events(self, latest: str) -> Iterator[HallEvent]:
        """Yield events after the latest one that is known, until the connection ends.

        Raises:
            HallError: there is no connection any more.
        """
        headers = self._headers | {"Accept": "text/event-stream", "Last-Event-ID": latest}
        try:
            with closing(self._connected()) as connection:
                self._following = connection.sock
                connection.request("GET", "/api/1/events", headers=headers)
                yield from _events(connection.getresponse(), self.name)
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise HallError(f"{self.name}: {str(error) or type(error).__name__}") from error

    def close(self) -> None:
        """End the stream of events, from another thread."""
        following = self._following
        if following is not None:
            with suppress(OSError):
                following.shutdown(socket.SHUT_RDWR)

    def _connected(self) -> http.client.HTTPConnection:
        kind = http.client.HTTPSConnection if self._is_secure else http.client.HTTPConnection
        connection = kind(self.name, timeout=TIMEOUT_S)
        connection.connect()
        return connection


def is_hall(name: str) -> bool:
    """Return whether a source is the address of another hub."""
    parts = urlsplit(name)
    return parts.scheme in SCHEMES and bool(parts.hostname)


def _content(answer: http.client.HTTPResponse, host: str) -> bytes:
    content = answer.read(MAX_ANSWER)
    if answer.length:  # a connection that was cut off ends as quietly as one that is done
        raise http.client.IncompleteRead(content, answer.length)
    if answer.status != HTTPStatus.OK:
        raise HallRefusedError(answer.status, f"{host}: {_refusal(answer.status, content)}")
    return content


def _refusal(status: int, content: bytes) -> str:
    """Return why a hub refuses, in its own words if it has any."""
    with suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError, AttributeError):
        if said := msgspec.json.decode(content).get("error"):
            return str(said)
    return f"{status} {http.client.responses.get(status, '')}".strip()


def _events(answer: http.client.HTTPResponse, host: str) -> Iterator[HallEvent]:
    if answer.status != HTTPStatus.OK:
        _content(answer, host)
    fields: dict[str, bytes] = {}
    while line := answer.readline(MAX_ANSWER):
        name, _, value = line.rstrip(b"\n").partition(b": ")
        if name:
            fields[name.decode("latin-1")] = value
        elif fields:
            id_, kind = (fields.get(each, b"").decode("latin-1") for each in ("id", "event"))
            yield HallEvent(id_, kind, fields.get("data", b""))
            fields = {}
