"""The web application: which address answers what."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

import segno
from msgspec import structs
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

from room.boards.board import Board, Result
from room.boards.results import Listed, listed
from room.hub.events import Feed
from room.hub.health import MEDIA_TYPE, metrics
from room.hub.hub import Hub
from room.hub.notifier import Notifier
from room.hub.outlooks import Outlooks
from room.hub.store.opening import StoreError
from room.hub.words import page_words
from room.web.access import DIRECTOR, EVERYBODY, Access, Gate
from room.web.answers import json_answer, language, missing, public_view, reading_route, unread
from room.web.browser_site import browser_routes
from room.web.description import openapi
from room.web.director_site import notify_routes, offer_routes, taken_out_routes
from room.web.event_stream import EventStream, OpenStreams
from room.web.export import XLSX, results_csv, results_rows, results_xlsx
from room.web.match_site import match_routes
from room.web.middleware import OWN_ONLY, Headers
from room.web.page_files import BROWSER_PAGES, page_file
from room.web.requests import RequestError, left, refused
from room.web.ruling_site import ruling_routes

LONGEST_ADDRESS = 300  # characters in a QR code
PAGE_FILES = {
    "/room": "room.html",
    "/board/{id}": "board.html",
    "/overlay/{id}": "overlay.html",
    "/wall": "wall.html",
    "/match/{match}": "match.html",
    "/results": "results.html",
    "/addresses": "addresses.html",
    "/offers": "offers.html",
    "/rule/{id}": "rule.html",
}
STYLED = {"overlay.html": f"{OWN_ONLY}; style-src 'self' 'unsafe-inline'"}  # OBS adds custom CSS


class ForDirector(NamedTuple):
    """What the director has asked for."""

    round_by: str = ""  # the time of day by which the round should end; empty: not given
    notifier: Notifier | None = None  # tells them by way of another program


NOTHING = ForDirector()


def application(
    hub: Hub,
    *,
    hosts: Sequence[str] = ("*",),
    address: str = "",
    access: Access = EVERYBODY,
    browser: Path = BROWSER_PAGES,
    director: ForDirector = NOTHING,
) -> Starlette:
    """Return the web application of a hub.

    Args:
        hub: whose boards are served.
        hosts: the names under which it may be asked. Without a limit, a page from elsewhere could
            give its own name the address of this computer, and read what only it may see.
        address: of the pages for other devices; empty: the one under which the pages were opened.
        access: who may see what.
        browser: where the pages that need no installation are.
        director: what they have asked for.
    """
    serve = _Serve(hub, address, director.round_by, OpenStreams(access.most_streams))
    routes: list[BaseRoute] = [Route(path, serve.page(file)) for path, file in PAGE_FILES.items()]
    routes += [
        Route("/", serve.begin),
        Route("/static/{path:path}", serve.static),
        reading_route("/health", serve.health),
        reading_route("/metrics", serve.metrics),
        reading_route("/api/1/boards", serve.boards),
        reading_route("/api/1/boards/{id}", serve.board),
        reading_route("/api/1/results", serve.results),
        reading_route("/api/1/results.csv", serve.results_csv),
        reading_route("/api/1/results.json", serve.results_json),
        reading_route("/api/1/results.xlsx", serve.results_xlsx, "lang"),
        reading_route("/api/1/openapi.json", serve.openapi),
        reading_route("/api/1/address", serve.address),
        reading_route("/api/1/clock", serve.clock),
        reading_route("/api/1/words", serve.words, "lang"),
        reading_route("/api/1/events", serve.events, "board", "last-event-id"),
        reading_route("/api/1/forecast", serve.forecast),
        Route("/qr/{path:path}", serve.qr),
        *match_routes(hub),
        *offer_routes(hub, access),
        *ruling_routes(hub, access),
        *taken_out_routes(hub, access),
        *notify_routes(director.notifier, access),
        *browser_routes(browser),
    ]
    limit = Middleware(TrustedHostMiddleware, allowed_hosts=list(hosts), www_redirect=False)
    gate = Middleware(Gate, access=access)
    before = [Middleware(Headers), limit, gate]
    if access.other_sites:  # outside the gate: they have no token, and no cookie is sent for them
        before.insert(1, Middleware(CORSMiddleware, allow_origins=["*"], allow_methods=["GET"]))
    handlers = {StoreError: unread, RequestError: refused, ClientDisconnect: left}
    return Starlette(routes=routes, middleware=before, exception_handlers=handlers)


class _Serve:
    """The handlers of all addresses but those of the offers."""

    def __init__(self, hub: Hub, address: str, round_by: str, streams: OpenStreams) -> None:
        self._hub, self._address, self._outlooks = hub, address, Outlooks(hub)
        self._round_by, self._streams = round_by, streams

    async def begin(self, request: Request) -> Response:
        """Serve the room's page to the director, and the wall to everybody else."""
        return self._file("room.html" if request.scope[DIRECTOR] else "wall.html")

    def page(self, file: str) -> Callable[[Request], Response]:
        """Return a handler that serves one page."""

        def answer(request: Request) -> Response:
            found = self._file(file)
            found.headers["content-security-policy"] = STYLED.get(file, OWN_ONLY)
            return found

        return answer

    async def static(self, request: Request) -> Response:
        """Serve a file that a page needs."""
        return self._file(request.path_params["path"])

    def _file(self, path: str) -> Response:
        found = page_file(path)
        return Response(found[0], media_type=found[1]) if found else missing("page")

    # --- what the director sees, or everybody ---------------------------------------------------

    def _feed(self, request: Request) -> Feed:
        public = public_view(self._hub, request)
        return self._hub.feed if public is None else public.feed

    def _boards(self, request: Request) -> dict[str, Board]:
        public = public_view(self._hub, request)
        return self._hub.register.boards if public is None else public.boards

    def _results(self, request: Request) -> list[Result]:
        public = public_view(self._hub, request)
        return self._hub.store.results() if public is None else public.results()

    def _listed(self, request: Request) -> list[Listed]:
        store, event = self._hub.store, self._hub.event
        return listed(self._results(request), store.conflicts, event.has, store.followed_since)

    def _hub_ns(self, request: Request) -> int:
        public = public_view(self._hub, request)
        return self._hub.hub_ns() - (0 if public is None else public.delay_ns)

    async def health(self, request: Request) -> Response:
        """Serve how the hub is; 503 if something is wrong with it."""
        health = self._hub.health()
        if not request.scope[DIRECTOR]:
            health = structs.replace(health, troubles=[])
        return json_answer(health, 200 if health.status == "ok" else 503)

    async def metrics(self, request: Request) -> Response:
        """Serve the state of the hub as numbers."""
        text = metrics(self._hub.health(), self._boards(request).values())
        return Response(text, headers={"content-type": MEDIA_TYPE})

    async def boards(self, request: Request) -> Response:
        """Serve all boards."""
        boards = list(self._boards(request).values())
        feed = self._feed(request)
        return json_answer({"version": self._hub.version, "boards": boards} | feed.troubles)

    async def board(self, request: Request) -> Response:
        """Serve one board."""
        board = self._boards(request).get(request.path_params["id"])
        return missing("board") if board is None else json_answer(board)

    async def results(self, request: Request) -> Response:
        """Serve all results."""
        event, results = self._hub.event._asdict(), self._listed(request)
        found = {"event": event, "director": request.scope[DIRECTOR], "results": results}
        return json_answer(found)

    async def results_csv(self, request: Request) -> Response:
        """Serve all results as a CSV file."""
        named = {"content-disposition": 'attachment; filename="results.csv"'}
        content = results_csv(self._listed(request))
        return Response(content, media_type="text/csv", headers=named)

    async def results_xlsx(self, request: Request) -> Response:
        """Serve all results as a workbook."""
        named = {"content-disposition": 'attachment; filename="results.xlsx"'}
        results = self._listed(request)
        content = await asyncio.to_thread(results_xlsx, results, language(request))
        return Response(content, media_type=XLSX, headers=named)

    async def results_json(self, request: Request) -> Response:
        """Serve the columns of the CSV as JSON."""
        return json_answer(results_rows(self._listed(request)))

    async def address(self, request: Request) -> Response:
        """Serve the address of the pages for other devices, as QR codes have it."""
        return json_answer({"address": self._base(request)})

    def _base(self, request: Request) -> str:
        return self._address or str(request.base_url)

    async def clock(self, request: Request) -> Response:
        """Serve the present instant of the hub."""
        return json_answer({"hub_ns": self._hub_ns(request)})

    async def words(self, request: Request) -> Response:
        """Serve the words of panels, reports and pages in a language."""
        return json_answer(page_words(language(request)))

    async def openapi(self, request: Request) -> Response:
        """Serve the description of this interface (OpenAPI)."""
        return json_answer(openapi())

    async def forecast(self, request: Request) -> Response:
        """Serve when the round is likely to end: to the director alone."""
        if not request.scope[DIRECTOR]:
            return missing("page")
        latest = await self._outlooks.latest()
        return json_answer(structs.replace(latest, round_by=self._round_by))

    async def events(self, request: Request) -> ASGIApp:
        """Serve events, without end."""
        feed, query = self._feed(request), request.query_params
        latest = request.headers.get("last-event-id") or query.get("last-event-id")
        position, board = feed.position(latest), query.get("board")
        now_ns = partial(self._hub_ns, request)
        room, version = self._hub.room, self._hub.version
        stream = EventStream(feed, version, now_ns, position=position, board=board, room=room)
        return self._streams.bounded(stream)

    async def qr(self, request: Request) -> Response:
        """Serve the QR code of a page's address."""
        path = request.path_params["path"]
        address = self._base(request) + path.removesuffix(".svg")
        if not path.endswith(".svg") or len(address) > LONGEST_ADDRESS:
            return missing("code")
        return Response(qr_code(address), media_type="image/svg+xml")


def qr_code(address: str) -> bytes:
    """Return the QR code of an address as SVG."""
    drawn = BytesIO()
    segno.make(address, error="m").save(drawn, kind="svg", scale=4, border=2)
    return drawn.getvalue()
