"""The addresses of the practice clocks: no part of the interface for programs, nor of the room."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Send

from clock.config.reader import ConfigError
from clock.match.profiles import PROFILES
from clock.match.types import Button
from room.practice.clock import Panel
from room.practice.desk import BusyError, Desk, Visit
from room.practice.lessons import LESSONS
from room.practice.wishes import Wishes, wanted_clock
from room.web.acts import RequestError, body_of, check_origin
from room.web.answers import json_answer, missing
from room.web.event_stream import TICK_S, Stream

MAX_BODY = 200  # bytes of a request


class Pressed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A button that went down or came up."""

    number: Annotated[int, msgspec.Meta(ge=1, le=10**9)]
    """Counts from 1: a press that is sent twice is carried out once."""
    button: Button
    down: bool


def practice_routes(desk: Desk) -> list[Route]:
    """Return the addresses of the practice clocks that a desk hands out."""
    serve = _Serve(desk)
    return [
        Route("/practice/clocks", _guarded(serve.open), methods=["POST"]),
        Route("/practice/clocks/{id}/press", _guarded(serve.press), methods=["POST"]),
        Route("/practice/clocks/{id}/events", serve.events),
    ]


def _guarded(answer: Callable[[Request], Any]) -> Callable[[Request], Any]:
    """Return a handler that a page from elsewhere cannot use, and that says what is wrong."""

    async def guarded(request: Request) -> Response:
        try:
            check_origin(request)
            return json_answer(await answer(request))
        except RequestError as error:
            return json_answer({"error": str(error)}, error.status)
        except BusyError as error:
            return json_answer({"error": str(error)}, 429 if error.is_personal else 503)
        except (msgspec.DecodeError, ConfigError) as error:
            return json_answer({"error": str(error)}, 400)

    return guarded


class _Serve:
    """The handlers of these addresses."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def open(self, request: Request) -> object:
        """Switch a clock on, and return its id, what can be chosen and what it shows."""
        body = await body_of(request, MAX_BODY)
        wishes = msgspec.json.decode(body or b"{}", type=Wishes)
        address = request.client.host if request.client else ""
        visit = self._desk.open(address, partial(wanted_clock, wishes, *self._desk.times))
        return {"id": visit.id, "lessons": list(LESSONS), "profiles": list(PROFILES)}

    def _visit(self, request: Request) -> Visit:
        visit = self._desk.visit(request.path_params["id"])
        if visit is None:
            raise RequestError(404, "this practice clock has ended")
        return visit

    async def press(self, request: Request) -> object:
        """Press or release a button."""
        visit = self._visit(request)
        pressed = msgspec.json.decode(await body_of(request, MAX_BODY), type=Pressed)
        self._desk.press(visit, pressed.number, pressed.button, down=pressed.down)
        return {}

    async def events(self, request: Request) -> Stream | Response:
        """Serve what a clock shows, until it ends."""
        visit = self._desk.visit(request.path_params["id"])
        return missing("practice clock") if visit is None else _Pictures(visit)


class _Pictures(Stream):
    """What the panels of a clock show, each time that it changes."""

    def __init__(self, visit: Visit) -> None:
        self._visit = visit

    async def _send_all(self, send: Send) -> None:
        panels: list[Panel | None] = [None, None]  # as the page has them
        line = 0  # the number of the latest line of the log that the page has
        before = None
        while not self._visit.ended:
            changed, clock = self._visit.changed, self._visit.clock
            now = [*clock.panels()]
            new = [panel if panel != old else None for panel, old in zip(now, panels, strict=True)]
            log = [text for number, text in clock.log if number > line]
            shown = {"panels": new, "log": log, "beeps": clock.beeps.count}
            shown["learned"] = clock.is_learned
            if (rest := (clock.beeps.count, clock.is_learned)) != before or log or any(new):
                data = msgspec.json.encode(shown)
                await self._send(send, b"event: shown\ndata: " + data + b"\n\n")
            panels, before = now, rest
            line = max((number for number, _ in clock.log), default=line)
            await self._wait(send, changed)

    async def _wait(self, send: Send, changed: asyncio.Event) -> None:
        """Wait for a change, and keep the connection alive meanwhile."""
        try:
            async with asyncio.timeout(TICK_S):
                await changed.wait()
        except TimeoutError:
            await self._send(send, b": alive\n\n")
