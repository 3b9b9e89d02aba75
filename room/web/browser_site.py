"""The pages that need no installation, as `make browser` has made them.

They are static files: a reader who has them asks the hub nothing more.
"""

from functools import partial
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from room.web.page_files import BROWSER_HEADERS, are_made, media_type, page_file

NAMES = ("practice", "proof")


class _Files(StaticFiles):
    """The files of a folder, nothing beside it, with types and headers of ours."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        answer = await super().get_response(path, scope)
        answer.headers.update(BROWSER_HEADERS)
        return answer

    def file_response(self, full_path: Any, *args: Any, **named: Any) -> Response:
        answer = super().file_response(full_path, *args, **named)
        answer.headers["content-type"] = media_type(full_path)
        return answer


def browser_routes(folder: Path) -> list[BaseRoute]:
    """Return the addresses of these pages; without them a page says how to get them."""
    if not are_made(folder):
        return [Route(f"/{name}", _how_to_get) for name in NAMES]
    forward = [Route(f"/{name}", partial(_forward, f"/browser/{name}.html")) for name in NAMES]
    return [*forward, Mount("/browser", _Files(directory=folder, html=True))]


async def _forward(to: str, _: Request) -> Response:
    return RedirectResponse(to)


async def _how_to_get(_: Request) -> Response:
    content, kind = page_file("no_browser.html") or (b"", None)
    return Response(content, media_type=kind)
