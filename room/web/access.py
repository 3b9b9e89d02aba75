"""Who may see what: the director shows the token of their address, everybody else sees less.

The token may stand in an address (`?token=`), as in the QR code on paper; a browser that has shown
it keeps it as a cookie until it is closed. Programs send it as `Authorization: Bearer`.
"""

import secrets
from typing import NamedTuple
from urllib.parse import parse_qs

import msgspec
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from clock.text import fields
from room.hub.words import hub_message

COOKIE = "gammonclock"
DIRECTOR = "gammonclock.director"  # the key of a request's scope: whether the director asks
FOR_DIRECTOR = (
    "/room",
    "/offers",
    "/rule",
    "/api/1/offers",
    "/api/1/rulings",
    "/api/1/pairings",
    "/api/1/taken_out",
    "/api/1/notify",
)
# What a page needs to say that it shows nothing.
FOR_ALL = ("/static/", "/qr/", "/api/1/words", "/health")
NOT_PUBLIC = "The director has closed these pages."


class Access(NamedTuple):
    """What is shown to whom, and how often at once."""

    token: str = ""  # of the director; empty: nobody can offer matches
    public: bool = True  # whether others see boards, overlays, wall and results
    other_sites: bool = False  # whether pages of other sites may read what everybody sees
    guarded: bool = False  # the director has to show the token; False: every reader is the director
    most_streams: int = 500  # of events, to one address: a hall full of phones behind one router

    def is_token(self, given: str) -> bool:
        """Return whether a text is the director's token; nothing is, if there is none."""
        return bool(self.token) and secrets.compare_digest(given.encode(), self.token.encode())


EVERYBODY = Access()  # is the director


class Gate:
    """Refuses what a reader may not see, and marks the requests of the director."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        """Stand before an application."""
        self._app, self._access = app, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = _in_address(scope)
        in_header = bearer(_header(scope, b"authorization"))
        shown = map(self._access.is_token, (given, in_header, _in_cookie(scope)))
        is_director = not self._access.guarded or any(shown)
        scope[DIRECTOR] = is_director
        refusal = "" if is_director else self._refusal(scope["path"])
        if refusal:
            await _refuse(scope, send, refusal)
            return
        keeps = self._access.is_token(given)
        await self._app(scope, receive, _keeping(send, given, scope["scheme"]) if keeps else send)

    def _refusal(self, path: str) -> str:
        """Return why a reader who is not the director may not open an address; empty: they may."""
        if path.startswith(FOR_ALL):
            return ""
        if path.startswith(FOR_DIRECTOR):
            return hub_message("gate")
        return "" if self._access.public else NOT_PUBLIC


def _in_address(scope: Scope) -> str:
    query: bytes = scope["query_string"]
    return parse_qs(query.decode("latin-1")).get("token", [""])[0]


def _header(scope: Scope, wanted: bytes) -> str:
    found: list[bytes] = [value for name, value in scope["headers"] if name == wanted]
    return found[0].decode("latin-1") if found else ""


def bearer(header: str) -> str:
    """Return the token of an `Authorization` header; empty: it has none."""
    scheme, _, token = header.partition(" ")
    return token if scheme == "Bearer" else ""


def _in_cookie(scope: Scope) -> str:
    """Return the token of our cookie; what other programs' cookies look like does not matter."""
    parts = (part.strip().partition("=") for part in _header(scope, b"cookie").split(";"))
    return next((value.strip('"') for name, _, value in parts if name == COOKIE), "")


def _keeping(send: Send, token: str, scheme: str) -> Send:
    """Return `send`, with the token as a cookie for the browser."""
    secure = "; Secure" if scheme == "https" else ""
    cookie = f"{COOKIE}={token}; HttpOnly; SameSite=Strict; Path=/{secure}".encode()

    async def send_with(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message["headers"], (b"set-cookie", cookie)]
        await send(message)

    return send_with


async def _refuse(scope: Scope, send: Send, why: str) -> None:
    is_page = not scope["path"].startswith("/api/1/")
    kind, body = b"text/plain; charset=utf-8", why.encode()
    if not is_page:
        kind, body = b"application/json", msgspec.json.encode(fields("error", why))
    headers = [(b"content-type", kind)]
    await send({"type": "http.response.start", "status": 403, "headers": headers})
    await send({"type": "http.response.body", "body": body})
