"""Answers to requests."""

from collections.abc import Awaitable, Callable, Iterable
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from clock.ui.i18n import LANGUAGES
from room.boards.sanitized import LONGEST_TEXT
from room.hub.hub import Hub
from room.hub.public_view import PublicView
from room.web.access import DIRECTOR

NORWEGIAN = ("no", "nn")  # Bokmål is the nearest that there is
TOKEN = "token"  # noqa: S105 (the name of a parameter)


def unknown_parameters(request: Request, known: Iterable[str]) -> str:
    """Return what is wrong with the parameters of a request; empty: nothing.

    Args:
        request: it may have the director's token, too.
        known: the parameters that its address takes.
    """
    unknown = sorted({*request.query_params} - {*known, TOKEN})
    return f"unknown parameter: {', '.join(unknown)[:LONGEST_TEXT]}" if unknown else ""


def json_answer(data: object, status: int = 200) -> Response:
    """Return an answer with data as JSON."""
    return Response(msgspec.json.encode(data), status, media_type="application/json")


def missing(what: str) -> Response:
    """Return an answer that says that there is no such thing."""
    return json_answer({"error": f"no such {what}"}, 404)


async def unread(_request: Request, _error: Exception) -> Response:
    """Return an answer that says that the database cannot be read now."""
    return json_answer({"error": "the database cannot be read now; try again"}, 503)


def language(request: Request) -> str:
    """Return the language that a reader asks for; English if there are no words in it."""
    wanted = request.query_params.get("lang", "en")
    return wanted if wanted in LANGUAGES else "en"


def page_language(request: Request) -> str:
    """Return the language that an address names, or a browser prefers, as `words.js` does."""
    preferred = request.headers.get("accept-language", "").split(",")
    for tag in (request.query_params.get("lang", ""), *preferred):
        name = tag.partition(";")[0].strip().lower().partition("-")[0]
        name = "nb" if name in NORWEGIAN else name
        if name in LANGUAGES:
            return name
    return "en"


def public_view(hub: Hub, request: Request) -> PublicView | None:
    """Return what everybody but the director sees; None: the director asks, and sees all."""
    return None if request.scope[DIRECTOR] else hub.public


def reading_route(
    path: str, answer: Callable[[Request], Awaitable[ASGIApp]], *parameters: str
) -> Route:
    """Return an address for programs, which refuses parameters that it does not take."""

    async def checked(request: Request) -> Any:
        wrong = unknown_parameters(request, parameters)
        return json_answer({"error": wrong}, 400) if wrong else await answer(request)

    return Route(path, checked)
