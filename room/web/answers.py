"""Answers to requests."""

import msgspec
from starlette.responses import Response


def json_answer(data: object, status: int = 200) -> Response:
    """Return an answer with data as JSON."""
    return Response(msgspec.json.encode(data), status, media_type="application/json")
