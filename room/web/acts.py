"""Requests that do something: refused if they come from elsewhere, or are too long."""

from urllib.parse import urlsplit

from starlette.requests import Request

from room.web.access import Access, bearer
from room.web.answers import unknown_parameters


class RequestError(Exception):
    """A request is refused; the message says why."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


def check_origin(request: Request) -> None:
    """Refuse what a page of another address asks for.

    Raises:
        RequestError: it does.
    """
    origin = request.headers.get("origin")
    if origin is not None and urlsplit(origin).netloc != request.headers.get("host"):
        raise RequestError(403, "a page of another address must not do this")


def check_director(request: Request, access: Access) -> None:
    """Refuse a request that is not the director's, on a page of this address.

    Raises:
        RequestError: it is not.
    """
    if not access.is_token(bearer(request.headers.get("authorization", ""))):
        raise RequestError(403, "only the director: open the page under the address with the token")
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
            raise RequestError(413, f"the request is larger than {most} bytes")
    return body


def check_parameters(request: Request, *known: str) -> None:
    """Refuse a request with parameters that its address does not take.

    Raises:
        RequestError: it has some.
    """
    if wrong := unknown_parameters(request, known):
        raise RequestError(400, wrong)
