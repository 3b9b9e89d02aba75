"""The version of the interface for programs: `/api/1/boards` is `/api/boards` of version 1."""

from starlette.types import ASGIApp, Receive, Scope, Send

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
