"""The addresses of one match: its report, its log and its chart."""

import asyncio
from contextlib import suppress
from urllib.parse import quote, urlencode

from msgspec import structs
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from clock.eventlog.codec import DamagedError
from clock.eventlog.links import GivenLog, follows
from room.boards.board import Result
from room.boards.results import head_of
from room.hub.hub import Hub
from room.pictures.chart import draw_chart, has_chart
from room.sources.hall import OF_HALL
from room.sources.hall_logs import HallLog
from room.web.access import REFUSED
from room.web.answers import json_answer, language, missing, public_view, reading_route
from room.web.export import first_heard, match_report

PATIENCE_S = 5.0  # for the database; the hub goes on meanwhile
SVG = "default-src 'none'; style-src 'unsafe-inline'"  # matplotlib's pictures have styles


def match_routes(hub: Hub) -> list[Route]:
    """Return the addresses of the matches of a hub."""
    serve = _Serve(hub)
    return [
        reading_route("/api/logs", serve.logs),
        reading_route("/api/matches/{match}", serve.match, "lang", "source"),
        reading_route("/api/matches/{match}/log", serve.log, "source"),
        reading_route("/api/matches/{match}/chart.svg", serve.chart, "lang", "source"),
    ]


class _Serve:
    """The handlers of these addresses."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    def _results(self, request: Request) -> list[Result]:
        public = public_view(self._hub, request)
        return self._hub.store.results() if public is None else public.results()

    def _source(self, request: Request) -> str | None:
        """Return the source of a match that is asked for, or else that which was heard first."""
        sources = self._hub.store.sources(request.path_params["match"])
        return request.query_params.get("source") or next(iter(sources), None)

    async def _lines(self, request: Request) -> list[bytes]:
        """Return the log of a match; none, if there is none that this reader may read."""
        return await self._read(request, request.path_params["match"], self._source(request))

    async def _logs(self, request: Request) -> list[list[bytes]]:
        """Return the log of a match, after those that it continues and that are known (R131)."""
        logs = [await self._lines(request)]
        with suppress(DamagedError):
            while logs[0] and (origin := GivenLog("", logs[0]).origin) is not None:
                source = next(iter(self._hub.store.sources(origin.match)), None)
                earlier = await self._read(request, origin.match, source)
                if not follows(origin, GivenLog("", earlier)):
                    break
                logs.insert(0, earlier[: origin.seq])
        return logs

    async def _read(self, request: Request, match: str, source: str | None) -> list[bytes]:
        public = public_view(self._hub, request)
        if public is not None and not public.may_read((source or "", match)):
            return []
        return await asyncio.to_thread(self._hub.store.lines, match, source, PATIENCE_S)

    async def match(self, request: Request) -> Response:
        """Serve the report of a match."""
        match, logs = request.path_params["match"], await self._logs(request)
        source, lines = self._source(request) or "", logs[-1]
        if not lines:
            return missing("match")
        try:
            report = await asyncio.to_thread(match_report, match, logs, language(request))
        except DamagedError as damage:
            report = {"tables": [], "data": None, "damage": str(damage)}
        results = (each for each in self._results(request) if each.key == (source, match))
        claims, heard = self._hub.store.claims(match, source), self._hub.store.first_heard(match)
        several_claims = claims if len(claims) > 1 else []
        result = next(
            ({**structs.asdict(each), "claims": several_claims} for each in results), None
        )
        found = {"source": source, "result": result, "report": report, "head": head_of(lines)}
        first = [first_heard(each, heard[each.source]) for each in claims if each.source in heard]
        asked = {"lang": language(request)} | ({"source": source} if several_claims else {})
        path = f"/api/matches/{quote(match, safe='')}/chart.svg?{urlencode(asked)}"
        chart = path if has_chart() else None
        return json_answer({**found, "chart": chart, "first_heard": first})

    async def logs(self, request: Request) -> Response:
        """Serve how far each log of this hub's own clocks goes, for the hubs of other halls."""
        public, store = public_view(self._hub, request), self._hub.store
        if public is not None and not public.has_logs:
            return json_answer({"error": REFUSED}, 403)
        boards = {result.key: result.board for result in self._results(request)}
        logs = [
            HallLog(*key, head.seq, head.hash, boards.get(key, ""), key in boards)
            for key, head in store.heads().items()
            if not key[0].startswith(OF_HALL) and (public is None or public.may_read(key))
        ]
        return json_answer({"logs": logs})

    async def log(self, request: Request) -> Response:
        """Serve the log of a match, byte for byte."""
        lines = await self._lines(request)
        if not lines:
            return missing("match")
        content = b"".join(line + b"\n" for line in lines)
        return Response(content, media_type="application/jsonl")

    async def chart(self, request: Request) -> Response:
        """Serve the chart of a match."""
        logs = await self._logs(request)
        if not logs[-1] or not has_chart():
            return missing("chart")
        try:
            drawn = await asyncio.to_thread(draw_chart, logs, language(request))
        except DamagedError:
            return missing("chart")
        return Response(drawn, media_type="image/svg+xml", headers={"content-security-policy": SVG})
