"""ASGI middleware: the headers of every answer, and `/api/1/...` as `/api/...`.

Pages are fresh, and closed to anything from outside.
"""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

OWN_ONLY = "default-src 'self'; frame-ancestors *; base-uri 'none'"
HEADERS = [
    (b"cache-control", b"no-store"),
    (b"content-security-policy", OWN_ONLY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
]


class Headers:
    """Adds the headers that an answer does not have."""

    def __init__(self, app: ASGIApp) -> None:
        """Stand before an application."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and add to its answer."""

        async def send_with(message: Message) -> None:
            if message["type"] == "http.response.start":
                names = {name for name, _ in message["headers"]}
                added = [header for header in HEADERS if header[0] not in names]
                message["headers"] = [*message["headers"], *added]
            await send(message)

        await self._app(scope, receive, send_with)


VERSIONED = "/api/1/"


class Versions:
    """Answers for the addresses with a version as for those without: there is only one yet."""

    def __init__(self, app: ASGIApp) -> None:
        """Stand before an application, and before all that looks at addresses."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] == "http" and scope["path"].startswith(VERSIONED):
            scope = {**scope, "path": f"/api/{scope['path'].removeprefix(VERSIONED)}"}
        await self._app(scope, receive, send)
