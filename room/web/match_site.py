"""The addresses of one match: its report, its log and its chart."""

import asyncio
import threading
from collections.abc import Sequence
from contextlib import suppress
from importlib.util import find_spec
from urllib.parse import quote, urlencode

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from clock.eventlog.codec import DamagedError, stated_hash
from clock.eventlog.links import GivenLog, LogPoint
from clock.eventlog.verification import fingerprint_of
from clock.report.build import summary
from clock.text import fields
from clock.ui.i18n import sayer
from room.boards.board import Result
from room.boards.joined_matches import earlier_log
from room.boards.sanitized import clean
from room.hub.hub import Hub
from room.hub.words import hub_message
from room.lines.inbox import LogKey
from room.sources.hall import OF_HALL
from room.sources.hall_logs import HallLog
from room.web.access import DIRECTOR
from room.web.answers import json_answer, language, missing, public_view, reading_route
from room.web.export import first_heard, match_report
from room.web.requests import RequestError, check_origin, check_parameters, wanted

_drawing = threading.Lock()  # matplotlib draws one picture at a time


def has_chart() -> bool:
    """Return whether charts can be drawn: the extra `chart` is installed."""
    return find_spec("matplotlib") is not None


def draw_chart(logs: Sequence[Sequence[bytes]], language: str) -> bytes:
    """Return the chart of a match as SVG; raise DamagedError if one of its logs does not replay."""
    from clock.report.chart import chart  # noqa: PLC0415 (an extra, and slow to load)
    from clock.report.chart_file import render  # noqa: PLC0415 (an extra, and slow to load)

    found = summary(*logs)
    with _drawing:
        return render(chart(found, sayer(language)), ".svg")


PATIENCE_S = 5.0  # for the database; the hub goes on meanwhile
MAX_JOIN = 2048  # bytes of a request
SVG = "default-src 'none'; style-src 'unsafe-inline'"  # matplotlib's pictures have styles


class JoinWanted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A log that is to be joined with the one that it says it continues."""

    source: str  # of the log
    earlier: str  # the source of the one before; empty: part them


def match_routes(hub: Hub) -> list[Route]:
    """Return the addresses of the matches of a hub."""
    serve = _Serve(hub)
    return [
        reading_route("/api/1/logs", serve.logs),
        reading_route("/api/1/matches/{match}", serve.match, "lang", "source"),
        Route("/api/1/matches/{match}/joined", serve.join, methods=["POST"]),
        reading_route("/api/1/matches/{match}/log", serve.log, "source"),
        reading_route("/api/1/matches/{match}/chart.svg", serve.chart, "lang", "source"),
    ]


def _check(request: Request) -> None:
    """Refuse a request that is not the director's.

    Raises:
        RequestError: it is not.
    """
    check_parameters(request)
    check_origin(request)
    if not request.scope[DIRECTOR]:
        raise RequestError(403, hub_message("gate"))


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
        logs, results = [await self._lines(request)], self._results(request)
        by_key = {each.key: each for each in results}
        key, passed = (self._source(request) or "", request.path_params["match"]), set[LogKey]()
        with suppress(DamagedError):
            while logs[0] and (origin := GivenLog("", logs[0]).origin):
                passed.add(key)
                named = LogPoint(clean(origin.match), origin.seq, origin.hash)
                joined = by_key[key].joined if key in by_key else ""
                earlier = earlier_log(named, joined, results)
                if earlier is None or earlier.key in passed:
                    break
                key = earlier.key
                lines = await self._read(request, earlier.match, earlier.source)
                if not lines:
                    break
                logs.insert(0, lines[: origin.seq])
        return logs

    async def _read(self, request: Request, match: str, source: str | None) -> list[bytes]:
        public = public_view(self._hub, request)
        most = public.readable((source or "", match)) if public else None
        lines = await asyncio.to_thread(self._hub.store.lines, match, source, PATIENCE_S)
        return lines[:most]

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
        conflicts = self._hub.store.conflicts(match, source)
        heard = self._hub.store.first_heard(match)
        several_conflicts = conflicts if len(conflicts) > 1 else []
        result = next(
            ({**msgspec.to_builtins(each), "conflicts": several_conflicts} for each in results),
            None,
        )
        found = {
            "source": source,
            "result": result,
            "report": report,
            "head": fingerprint_of(lines),
        }
        first = [
            first_heard(each, heard[each.source]) for each in conflicts if each.source in heard
        ]
        asked = {"lang": language(request)} | ({"source": source} if several_conflicts else {})
        path = f"/api/1/matches/{quote(match, safe='')}/chart.svg?{urlencode(asked)}"
        chart = path if has_chart() else None
        return json_answer({**found, "chart": chart, "first_heard": first})

    async def join(self, request: Request) -> Response:
        """Join a log with that which it says it continues, or part them, as the director says."""
        _check(request)
        join = await wanted(request, JoinWanted, MAX_JOIN)
        await self._join((join.source, request.path_params["match"]), join.earlier)
        return json_answer({"joined": join.earlier})

    async def _join(self, key: LogKey, source: str) -> None:
        """Join a log with the log of a source that it continues; "": part the two.

        Raises:
            RequestError: it continues no such log, or that log is over or has another line.
        """
        store = self._hub.store
        later = store.result(key)
        if later is None:
            raise RequestError(404, "no such match")
        if source:
            earlier = store.result((source, later.continues))
            if earlier is None or earlier.key == key:
                raise RequestError(404, "it continues no such match")
            if earlier.complete:
                raise RequestError(409, "the match that it continues is over")
            if not await self._may_follow(later, earlier):
                raise RequestError(409, "the log that it continues has another line there")
        if not self._hub.join(later, source):
            raise RequestError(409, "the log has changed meanwhile")

    async def _may_follow(self, later: Result, earlier: Result) -> bool:
        """Return whether an earlier log has the line that a later one names, if it is known."""
        seq, known = later.continues_seq, later.continues_hash
        lines = await asyncio.to_thread(
            self._hub.store.lines, earlier.match, earlier.source, PATIENCE_S
        )
        return not known or not 0 < seq <= len(lines) or stated_hash(lines[seq - 1]) == known

    async def logs(self, request: Request) -> Response:
        """Serve how far each log of this hub's own clocks goes, for the hubs of other halls."""
        public, store = public_view(self._hub, request), self._hub.store
        if public is not None and not public.has_logs:
            return json_answer(fields("error", hub_message("gate")), 403)
        results, logs = {each.key: each for each in self._results(request)}, list[HallLog]()
        for key, latest in store.latest_lines().items():
            most, ended = public.readable(key) if public else None, results.get(key)
            if most == 0 or key[0].startswith(OF_HALL):
                continue
            # Of a match that was reopened no more is named than may be read.
            seq, hash_ = (most, ended.hash) if most and ended else (latest.seq, latest.hash)
            logs.append(HallLog(*key, seq, hash_, ended.board if ended else "", ended is not None))
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
