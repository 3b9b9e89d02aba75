"""Serve a page that says why a hub cannot have its database, until it can.

The clocks keep their lines meanwhile: a hub asks for none before it can store them.
"""

import asyncio
import socket
from collections.abc import Callable
from html import escape

import click
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from clock import __version__
from room.hub.health import Health
from room.hub.store.opening import StoreError, WrongStoreError
from room.hub.store.store import Store
from room.hub.words import page_words
from room.web.access import DIRECTOR, Access, Gate
from room.web.answers import json_answer, page_language
from room.web.middleware import Headers
from room.web.page_files import page_file
from room.web.server import PageServer, Tls

FIRST_S, LONGEST_S = 1.0, 30.0  # between attempts: twice as long after each
RELOAD_S = 5  # a page that says so asks again
ENDING_S = 1  # how long its end waits for readers
WAITS = "hub_waits"  # of what is said, among the words of the pages: a heading, and what it means
HEALTH = "/health"

Tell = Callable[[str], None]  # is given why the database cannot be opened, in English


def said(language: str = "en") -> tuple[str, str]:
    """Return that the hub waits for its database, and what that means."""
    words = page_words(language)
    return words[f"page_{WAITS}"], words[f"page_{WAITS}_why"]


def sentences(why: str) -> str:
    """Return the same in one text, for terminals and programs; "" for why: not to be told."""
    return f"{'. '.join(said())}{why and f' {why}'}"


def open_when_possible(
    open_store: Callable[[], Store],
    listening: socket.socket,
    access: Access,
    tls: Tls | None = None,
) -> Store:
    """Open the database; while that is impossible, say so on the pages and try again.

    Args:
        open_store: opens it.
        listening: where the pages are asked for; it stays open.
        access: who is the director, and is told why.
        tls: the certificate of the pages.

    Raises:
        WrongStoreError: another file or URL has to be named.
        KeyboardInterrupt: the program is to end.
    """
    try:
        return open_store()
    except WrongStoreError:
        raise
    except StoreError as error:
        waiting = _Waiting(open_store, str(error), access, tls)
        return waiting.serve_on(listening)


async def _opened(open_store: Callable[[], Store], tell: Tell) -> Store:
    """Try to open the database until it is open.

    Raises:
        WrongStoreError: another file or URL has to be named.
    """
    pause_s = FIRST_S
    while True:
        await asyncio.sleep(pause_s)
        pause_s = min(2 * pause_s, LONGEST_S)
        try:
            return await asyncio.to_thread(open_store)
        except WrongStoreError:
            raise
        except StoreError as error:
            tell(str(error))


class _Waiting(PageServer):
    """A web server that says why the hub cannot begin, and ends when it can."""

    def __init__(
        self, open_store: Callable[[], Store], why: str, access: Access, tls: Tls | None
    ) -> None:
        """Serve nothing yet.

        Args:
            open_store: opens the database.
            why: what is said at first.
            access: who is the director.
            tls: the certificate.
        """
        self._open_store, self._said = open_store, ""
        self._working: asyncio.Task[Store]
        self._tell(why)
        app = Starlette(
            routes=[
                Route("/static/{path:path}", _static),
                Route("/{path:path}", self._answer, methods=["GET", "POST", "DELETE"]),
            ],
            middleware=[Middleware(Headers), Middleware(Gate, access=access)],
        )
        super().__init__(app, ending_s=ENDING_S, lifespan=False, watches_sockets=True, tls=tls)

    def serve_on(self, listening: socket.socket) -> Store:
        """Serve until the database is open; return it, or raise why it never can be.

        Raises:
            KeyboardInterrupt: the program is to end.
        """
        with listening.dup() as served:
            self.run([served])  # which it closes
        return self._working.result()

    async def main_loop(self) -> None:
        """See `uvicorn.Server`."""
        self._working = asyncio.create_task(_opened(self._open_store, self._tell))
        self._working.add_done_callback(self._end)
        await super().main_loop()

    def _end(self, _: object) -> None:
        self.should_exit = True

    def _tell(self, why: str) -> None:
        """Say on the terminal why the hub cannot begin, unless that was said last."""
        text = sentences(why)
        if text != self._said:
            click.echo(f"{text.rstrip('.')}. The pages say so; it is tried again", err=True)
        self._why, self._said = why, text

    async def _answer(self, request: Request) -> Response:
        """Say why the hub cannot begin; more of it to the director."""
        why = self._why if request.scope[DIRECTOR] else ""
        text = sentences(why)
        if request.url.path == HEALTH:
            answer = json_answer(Health("waiting", [text], 0, 0, __version__), 503)
        elif request.url.path.startswith("/api/1/"):
            answer = json_answer({"error": text}, 503)
        else:
            page = _page(page_language(request), why)
            answer = Response(page, 503, media_type="text/html")
            answer.headers["refresh"] = str(RELOAD_S)
        answer.headers["retry-after"] = str(RELOAD_S)
        return answer


def _page(language: str, why: str) -> str:
    heading, meaning = map(escape, said(language))
    reason = f'<p class="reason" lang="en">{escape(why)}' if why else ""
    again = page_words(language)["page_hub_asks_again"].replace("{seconds}", str(RELOAD_S))
    return (
        f'<!doctype html><html lang="{language}"><meta charset="utf-8">'
        f"<title>{heading} · gammonclock</title>"
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<link rel="icon" href="/static/icon.svg"><link rel="stylesheet" href="/static/style.css">'
        f'<main class="waiting"><h1>{heading}</h1><p>{meaning}</p>{reason}'
        f'<p class="reason">{again}</main>'
    )


async def _static(request: Request) -> Response:
    """Serve a file that the page needs."""
    found = page_file(request.path_params["path"])
    return Response(found[0], media_type=found[1]) if found else Response(status_code=404)
