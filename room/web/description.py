"""The description of the interface for programs (OpenAPI), made from the types that it sends."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from msgspec.json import schema_components

from clock import __version__
from room.boards.board import Board, Result
from room.boards.outlook import Outlook
from room.boards.results import Listed
from room.hub.health import Health
from room.hub.offer_desk import BoardOffer
from room.sources.hall_logs import HallLog
from room.web.access import FOR_ALL
from room.web.director_site import OffersWanted
from room.web.export import XLSX
from room.web.match_site import JoinWanted
from room.web.ruling_site import RulingWanted

Schema = dict[str, Any]  # of JSON, or a part of the description


def openapi() -> Schema:
    """Return the description."""
    (board, result, forecast, health, wanted, told, offer, log, ruling, join), schemas = (
        schema_components(
            (
                Board,
                Listed,
                Outlook,
                Health,
                OffersWanted,
                Result,
                BoardOffer,
                HallLog,
                RulingWanted,
                JoinWanted,
            ),
            ref_template="#/components/schemas/{name}",
        )
    )
    text, whole, instant = {"type": "string"}, {"type": "object"}, {"type": "integer"}
    boolean = {"type": "boolean"}
    event = _object(name=text, begins=text)
    troubles = {"troubles": _array(text), "said": _array(whole)}
    boards = _object(version=text, boards=_array(board), **troubles)
    results = _object(results=_array(result), event=event, director=boolean)
    notices = _object(to=text)
    events = {
        "hello": _object(version=text, room=text, hub_ns=instant, **troubles),
        "board": board,
        "gone": _object(id=text),
        "result": told,
        "offer": offer,
        "ruling": offer,
        "troubles": _object(**troubles),
        "tick": _object(hub_ns=instant),
    }
    one_match, of_one = "/api/1/matches/{match}", ("lang", "source")
    one_board = "/api/1/rulings/{board}"
    paths = {
        "/health": {"get": _health(health)},
        "/api/1/boards": {"get": _operation("All boards", boards)},
        "/api/1/boards/{id}": {"get": _operation("A board", board)},
        "/api/1/results": {"get": _operation("All results", results)},
        "/api/1/results.json": {"get": _operation("All results, as in the CSV", _array(whole))},
        "/api/1/results.csv": {"get": _operation("All results as CSV", text, "text/csv")},
        "/api/1/results.xlsx": {
            "get": _operation("All results as a workbook", text, XLSX, query=("lang",))
        },
        "/api/1/logs": {"get": _operation("How far each log goes", _object(logs=_array(log)))},
        one_match: {
            "get": _operation("The report of a match", whole, query=of_one, refused=(503,))
        },
        f"{one_match}/log": {
            "get": _operation(
                "Its log", text, "application/jsonl", query=("source",), refused=(503,)
            )
        },
        f"{one_match}/chart.svg": {
            "get": _operation("Its chart", text, "image/svg+xml", query=of_one, refused=(503,))
        },
        f"{one_match}/joined": {
            "post": _for_director(
                "Join it with the log that it continues; if earlier is empty, part the two",
                _object(joined=text),
                join,
                refused=(409, 413, 503),
            )
        },
        "/api/1/offers": {
            "get": _for_director("The latest offers", whole, refused=(404,)),
            "post": _for_director("Offer matches", whole, wanted, refused=(404, 409, 413)),
        },
        "/api/1/offers/{board}": {
            "delete": _for_director("Withdraw an offer", whole, query=("by",), refused=(409,))
        },
        one_board: {
            "get": _for_director("What can be ruled", whole, query=("lang", "page", "by")),
            "post": _for_director("Propose a ruling", whole, ruling, refused=(409, 413)),
            "delete": _for_director("Withdraw a ruling", whole, refused=(409,)),
        },
        f"{one_board}/form": {
            "get": _for_director(
                "What an item asks", whole, query=("lang", "item", "answers"), refused=(409,)
            )
        },
        "/api/1/taken_out/{board}": {
            "post": _for_director("Take a board out of the room", board),
            "delete": _for_director("Put it back", board),
        },
        "/api/1/pairings": {
            "post": _for_director(
                "Read a pairing list", whole, text, "text/csv", query=("lang",), refused=(404, 413)
            )
        },
        "/api/1/notify": {
            "get": _for_director("Where notices go", notices),
            "post": _for_director("Send a test notice", notices, refused=(404, 502)),
        },
        "/metrics": {"get": _operation("The state of the hub, for Prometheus", text, "text/plain")},
        "/api/1/events": {"get": _events(events)},
        "/api/1/forecast": {
            "get": _for_director("When the round is likely to end", forecast, refused=(404,))
        },
        "/api/1/address": {"get": _operation("The address of the pages", _object(address=text))},
        "/api/1/clock": {"get": _operation("The hub's clock", _object(hub_ns=instant))},
        "/api/1/words": {
            "get": _operation("The words of panels, reports and pages", whole, query=("lang",))
        },
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": "gammonclock", "version": __version__},
        "paths": {path: _at(path, operations) for path, operations in paths.items()},
        "components": {
            "schemas": schemas,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _health(schema: Schema) -> Schema:
    """Return the description of an answer that is the same if something is wrong."""
    found = _operation("How the hub is: nothing is wrong", schema)
    responses = found["responses"]
    responses["503"] = responses["200"] | {"description": "Something is wrong, or the hub waits"}
    return found


EVENTS = (
    "Server-sent events; x-events has the schema of the data of each. A board event has the whole"
    " state of a board; Last-Event-ID resumes."
)


def _events(schemas: dict[str, Schema]) -> Schema:
    """Return the description of the stream: OpenAPI 3.1 has no word for events of several kinds."""
    query = ("board", "last-event-id")
    found = _operation(EVENTS, {"type": "string"}, "text/event-stream", query=query, refused=(429,))
    found["responses"]["200"]["content"]["text/event-stream"]["x-events"] = schemas
    return found


def _object(**properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _array(items: Schema) -> Schema:
    return {"type": "array", "items": items}


NEEDED = ("item",)  # parameters without which a request is refused
REFUSED = {
    400: "It cannot be done, or a parameter is not known",
    403: "Only the director, or the director has closed the pages",
    404: "There is none",
    409: "It is too late, or another one is pending",
    413: "The request is too large",
    429: "The reader's address has too many streams open",
    502: "The notice could not be sent",
    503: "The database cannot be read now",
}


def _for_director(
    what: str,
    answer: Schema,
    body: Schema | None = None,
    media: str = "application/json",
    *,
    query: Sequence[str] = (),
    refused: Iterable[int] = (),
) -> Schema:
    """Return the description of what only the director does, or reads, with their token."""
    found = _operation(what, answer, query=query, refused=refused) | {"security": [{"token": []}]}
    if body is not None:
        found["requestBody"] = {"required": True, "content": {media: {"schema": body}}}
    return found


def _operation(
    what: str,
    schema: Schema,
    media: str = "application/json",
    *,
    query: Sequence[str] = (),
    refused: Iterable[int] = (),
) -> Schema:
    """Return the description of what can be read, with its parameters; see `_at`."""
    responses: Schema = {"200": {"description": what, "content": {media: {"schema": schema}}}}
    responses |= {str(status): {"description": REFUSED[status]} for status in (400, *refused)}
    named = [{"name": name, "in": "query", "required": name in NEEDED} for name in query]
    return {"summary": what, "responses": responses, "parameters": named}


def _at(path: str, operations: dict[str, Schema]) -> Schema:
    """Return the descriptions of what is done at a path, with what the path says of all of them."""
    named = re.findall(r"{(\w+)}", path)
    in_path: list[Schema] = [{"name": name, "in": "path", "required": True} for name in named]
    refused = [404] * bool(named) + [403] * (not path.startswith(FOR_ALL))
    for each in operations.values():
        parameters = in_path + each["parameters"]
        each["parameters"] = [known | {"schema": {"type": "string"}} for known in parameters]
        each["responses"] |= {str(status): {"description": REFUSED[status]} for status in refused}
    return operations
