"""ASGI middleware: the headers of every answer. Pages are fresh, and closed to what is outside."""

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
