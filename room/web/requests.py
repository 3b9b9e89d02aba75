"""Requests that change something: refused if they come from elsewhere, or are too long."""

from typing import TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from clock.text import fields, reason
from room.hub.words import hub_message
from room.web.access import Access, bearer
from room.web.answers import json_answer, unknown_parameters

WantedT = TypeVar("WantedT")


class RequestError(Exception):
    """A request is refused; the message says why."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


async def refused(_request: Request, error: Exception) -> Response:
    """Return the answer to a request that is refused."""
    return json_answer(fields("error", reason(error)), getattr(error, "status", 400))


async def left(_request: Request, _error: Exception) -> Response:
    """Return what nobody reads: who asked has gone before the request was whole."""
    return Response(status_code=400)


def check_origin(request: Request) -> None:
    """Refuse what a page of another address asks for.

    Raises:
        RequestError: it does.
    """
    origin = request.headers.get("origin")
    if origin is not None and origin.partition("://")[2] != request.headers.get("host"):
        raise RequestError(403, hub_message("address"))


def check_director(request: Request, access: Access) -> None:
    """Refuse a request that is not the director's, on a page of this address.

    Raises:
        RequestError: it is not.
    """
    if not access.is_token(bearer(request.headers.get("authorization", ""))):
        raise RequestError(403, hub_message("director"))
    check_origin(request)


async def body_of(request: Request, most: int) -> bytes:
    """Return the body of a request.

    Args:
        request: its body has not been read yet.
        most: how many bytes it may have.

    Raises:
        RequestError: it is too long.
    """
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > most:
            raise RequestError(413, hub_message("large", n=most))
    return body


async def wanted(request: Request, type_: type[WantedT], most: int) -> WantedT:
    """Return what a request's JSON wants.

    Args:
        request: its body has not been read yet.
        type_: of what is wanted.
        most: how many bytes the body may have.

    Raises:
        RequestError: it is too long, or no JSON of this type.
    """
    try:
        return msgspec.json.decode(await body_of(request, most), type=type_)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RequestError(400, str(error)) from error


def check_parameters(request: Request, *known: str) -> None:
    """Refuse a request with parameters that its address does not take.

    Raises:
        RequestError: it has some.
    """
    if wrong := unknown_parameters(request, known):
        raise RequestError(400, wrong)
