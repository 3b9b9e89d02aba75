"""What is served while the database cannot be opened: why, until it can.

The clocks keep their lines meanwhile: the hub does not ask for any before it can store them.
"""

import asyncio
import contextlib
import socket
from collections.abc import Callable
from html import escape

import click
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from room.store.store import Store, StoreError, WrongStoreError
from room.watch.server import PageServer
from room.web.access import DIRECTOR, Access, Gate
from room.web.answers import json_answer
from room.web.headers import Headers

FIRST_S, LONGEST_S = 1.0, 30.0  # between attempts: twice as long after each
RELOAD_S = 5  # a page that says so asks again
ENDING_S = 1  # how long its end waits for readers
WAITS = "The hub waits for its database. The clocks go on, and keep what they log."


def open_when_possible(
    open_store: Callable[[], Store], listening: socket.socket, access: Access
) -> Store:
    """Open the database; while that is impossible, say so on the pages and try again.

    Args:
        open_store: opens it.
        listening: where the pages are asked for; it stays open.
        access: who is the director, and is told why.

    Raises:
        WrongStoreError: another file or URL has to be named.
        KeyboardInterrupt: the program is to end.
    """
    try:
        return open_store()
    except WrongStoreError:
        raise
    except StoreError as error:
        return _Waiting(open_store, str(error), access).serve_on(listening)


class _Waiting(PageServer):
    """A web server that ends when the database is open."""

    def __init__(self, open_store: Callable[[], Store], why: str, access: Access) -> None:
        self._open_store, self._why = open_store, ""
        self._opened: Store | None = None
        self._wrong: WrongStoreError | None = None
        self._tell(why)
        app = Starlette(
            routes=[Route("/{path:path}", self._answer, methods=["GET", "POST", "DELETE"])],
            middleware=[Middleware(Headers), Middleware(Gate, access=access)],
        )
        super().__init__(app, ending_s=ENDING_S, lifespan=False)

    def serve_on(self, listening: socket.socket) -> Store:
        """Serve until the database is open; return it."""
        self.run([listening.dup()])  # which it closes
        if self._wrong is not None:
            raise self._wrong
        if self._opened is None:
            raise KeyboardInterrupt
        return self._opened

    async def main_loop(self) -> None:
        """See `uvicorn.Server`."""
        trying = asyncio.create_task(self._try())
        await super().main_loop()
        trying.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await trying

    async def _try(self) -> None:
        """Try to open the database until it is open or cannot be the right one."""
        pause_s = FIRST_S
        while not self.should_exit:
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, LONGEST_S)
            try:
                self._opened = await asyncio.to_thread(self._open_store)
            except WrongStoreError as error:
                self._wrong = error
            except StoreError as error:
                self._tell(str(error))
                continue
            self.should_exit = True

    def _tell(self, why: str) -> None:
        """Say on the terminal why it cannot be opened, unless that was said last."""
        if why != self._why:
            click.echo(f"{why}. The pages say so; it is tried again", err=True)
        self._why = why

    async def _answer(self, request: Request) -> Response:
        """Say that the hub waits; to the director also why."""
        said = f"{WAITS} {self._why}" if request.scope[DIRECTOR] else WAITS
        if request.url.path.startswith("/api/"):
            answer = json_answer({"error": said}, 503)
        else:
            page = f'<!doctype html><html lang="en"><title>gammonclock</title><p>{escape(said)}'
            answer = Response(page, 503, media_type="text/html")
            answer.headers["refresh"] = str(RELOAD_S)
        answer.headers["retry-after"] = str(RELOAD_S)
        return answer
