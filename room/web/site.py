"""The web application: which address answers what."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from clock.eventlog.codec import DamagedError
from clock.ui.i18n import LANGUAGES, texts
from room.boards.board import Board, Result
from room.boards.results import head_of, listed
from room.hub.events import Feed
from room.hub.hub import Hub
from room.hub.public_view import PublicView
from room.pictures.chart import draw_chart, has_chart
from room.pictures.qr_codes import qr_code
from room.web.access import DIRECTOR, EVERYBODY, Access, Gate
from room.web.answers import json_answer
from room.web.event_stream import EventStream
from room.web.export import first_heard, match_report, openapi, results_csv
from room.web.headers import OWN_ONLY, Headers
from room.web.offer_site import offer_routes
from room.web.page_files import page_file

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
}
SVG = "default-src 'none'; style-src 'unsafe-inline'"  # matplotlib's pictures have styles
STYLED = {"overlay.html": f"{OWN_ONLY}; style-src 'self' 'unsafe-inline'"}  # OBS adds custom CSS


def application(
    hub: Hub, *, hosts: Sequence[str] = ("*",), address: str = "", access: Access = EVERYBODY
) -> Starlette:
    """Return the web application of a hub.

    Args:
        hub: whose boards are served.
        hosts: the names under which it may be asked. Without a limit, a page from elsewhere could
            give its own name the address of this computer, and read what only it may see.
        address: of the pages for other devices; empty: the one under which the pages were opened.
        access: who may see what.
    """
    serve = _Serve(hub, address)
    routes = [Route(path, serve.page(file)) for path, file in PAGE_FILES.items()]
    routes += [
        Route("/", serve.begin),
        Route("/static/{path:path}", serve.static),
        Route("/api/boards", serve.boards),
        Route("/api/boards/{id}", serve.board),
        Route("/api/results", serve.results),
        Route("/api/results.csv", serve.results_csv),
        Route("/api/matches/{match}", serve.match),
        Route("/api/matches/{match}/log", serve.log),
        Route("/api/matches/{match}/chart.svg", serve.chart),
        Route("/api/openapi.json", serve.openapi),
        Route("/api/address", serve.address),
        Route("/api/clock", serve.clock),
        Route("/api/words", serve.words),
        Route("/api/events", serve.events),
        Route("/qr/{path:path}", serve.qr),
        *offer_routes(hub, access),
    ]
    limit = Middleware(TrustedHostMiddleware, allowed_hosts=list(hosts), www_redirect=False)
    gate = Middleware(Gate, access=access)
    return Starlette(routes=routes, middleware=[Middleware(Headers), limit, gate])


def _missing(what: str) -> Response:
    return json_answer({"error": f"no such {what}"}, 404)


def _language(request: Request) -> str:
    wanted = request.query_params.get("lang", "en")
    return wanted if wanted in LANGUAGES else "en"


class _Serve:
    """The handlers of all addresses but those of the offers."""

    def __init__(self, hub: Hub, address: str) -> None:
        self._hub, self._address = hub, address

    def _public(self, request: Request) -> PublicView | None:
        """Return the view of everybody but the director; None: the director asks, and sees all."""
        return None if request.scope[DIRECTOR] else self._hub.public

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
        return Response(found[0], media_type=found[1]) if found else _missing("page")

    # --- what the director sees, or everybody ---------------------------------------------------

    def _feed(self, request: Request) -> Feed:
        public = self._public(request)
        return self._hub.feed if public is None else public.feed

    def _boards(self, request: Request) -> dict[str, Board]:
        public = self._public(request)
        return self._hub.register.boards if public is None else public.boards

    def _results(self, request: Request) -> list[Result]:
        public = self._public(request)
        return self._hub.store.results() if public is None else public.results()

    def _hub_ns(self, request: Request) -> int:
        public = self._public(request)
        return self._hub.hub_ns() - (0 if public is None else public.delay_ns)

    async def boards(self, request: Request) -> Response:
        """Serve all boards."""
        boards = list(self._boards(request).values())
        feed = self._feed(request)
        return json_answer({"version": self._hub.version, "boards": boards} | feed.troubles)

    async def board(self, request: Request) -> Response:
        """Serve one board."""
        board = self._boards(request).get(request.path_params["id"])
        return _missing("board") if board is None else json_answer(board)

    async def results(self, request: Request) -> Response:
        """Serve all results."""
        return json_answer({"results": listed(self._results(request))})

    async def results_csv(self, request: Request) -> Response:
        """Serve all results as a CSV file."""
        named = {"content-disposition": 'attachment; filename="results.csv"'}
        content = results_csv(listed(self._results(request)))
        return Response(content, media_type="text/csv", headers=named)

    async def address(self, request: Request) -> Response:
        """Serve the address of the pages for other devices, as QR codes have it."""
        return json_answer({"address": self._base(request)})

    def _base(self, request: Request) -> str:
        return self._address or str(request.base_url)

    async def clock(self, request: Request) -> Response:
        """Serve the present instant of the hub."""
        return json_answer({"hub_ns": self._hub_ns(request)})

    async def words(self, request: Request) -> Response:
        """Serve the words of the panels and the report in a language."""
        return json_answer(texts(_language(request)))

    async def openapi(self, request: Request) -> Response:
        """Serve the description of this interface (OpenAPI)."""
        return json_answer(openapi())

    async def events(self, request: Request) -> EventStream:
        """Serve events, without end."""
        feed, query = self._feed(request), request.query_params
        latest = request.headers.get("last-event-id") or query.get("last-event-id")
        position, board = feed.position(latest), query.get("board")
        now_ns = partial(self._hub_ns, request)
        return EventStream(feed, self._hub.version, now_ns, position=position, board=board)

    # --- one match ----------------------------------------------------------------------------

    async def _lines(self, request: Request) -> list[bytes]:
        """Return the log of a match; none, if there is none that this reader may read."""
        match, public = request.path_params["match"], self._public(request)
        if public is not None and not public.may_read(match):
            return []
        return await asyncio.to_thread(self._hub.store.lines, match)

    async def match(self, request: Request) -> Response:
        """Serve the report of a match."""
        match, lines = request.path_params["match"], await self._lines(request)
        if not lines:
            return _missing("match")
        try:
            report = await asyncio.to_thread(match_report, match, lines, _language(request))
        except DamagedError as damage:
            report = {"tables": [], "data": None, "damage": str(damage)}
        result = next((each for each in self._results(request) if each.match == match), None)
        chart = f"/api/matches/{match}/chart.svg" if has_chart() else None
        first = [first_heard(each) for each in self._hub.store.first_heard(match).values()]
        found = {"result": result, "report": report, "head": head_of(lines), "chart": chart}
        return json_answer({**found, "first_heard": first})

    async def log(self, request: Request) -> Response:
        """Serve the log of a match, byte for byte."""
        lines = await self._lines(request)
        if not lines:
            return _missing("match")
        content = b"".join(line + b"\n" for line in lines)
        return Response(content, media_type="application/jsonl")

    async def chart(self, request: Request) -> Response:
        """Serve the chart of a match."""
        lines = await self._lines(request)
        if not lines or not has_chart():
            return _missing("chart")
        try:
            drawn = await asyncio.to_thread(draw_chart, lines, _language(request))
        except DamagedError:
            return _missing("chart")
        return Response(drawn, media_type="image/svg+xml", headers={"content-security-policy": SVG})

    async def qr(self, request: Request) -> Response:
        """Serve the QR code of a page's address."""
        path = request.path_params["path"]
        address = self._base(request) + path.removesuffix(".svg")
        if not path.endswith(".svg") or len(address) > LONGEST_ADDRESS:
            return _missing("code")
        return Response(qr_code(address), media_type="image/svg+xml")
