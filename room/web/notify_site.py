"""The addresses under which the director sees where notices go, and has one sent as a test."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from room.notify.notifier import Notifier
from room.web.access import Access
from room.web.acts import check_director, check_parameters
from room.web.answers import json_answer, missing


def notify_routes(notifier: Notifier | None, access: Access) -> list[Route]:
    """Return the addresses of the notices.

    Args:
        notifier: sends them; None: nobody is told.
        access: knows the director's token.
    """

    async def answer(request: Request) -> Response:
        check_parameters(request)
        check_director(request, access)
        if request.method == "POST":
            return await _test(notifier)
        return json_answer({"to": notifier.host if notifier else ""})

    return [Route("/api/notify", answer, methods=["GET", "POST"])]


async def _test(notifier: Notifier | None) -> Response:
    if notifier is None:
        return missing("address for notices")
    why = await notifier.test()
    return json_answer({"error": why}, 502) if why else json_answer({"to": notifier.host})
