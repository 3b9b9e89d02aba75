"""Results and matches in forms that other programs read."""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from msgspec import structs
from msgspec.json import schema_components

from clock import __version__
from clock.eventlog.fingerprint import fingerprint_text
from clock.match.types import Side
from clock.report.build import summary
from clock.report.fields import NAMES, csv_bytes, seconds
from clock.report.results import Reported, as_json
from clock.report.tables import Sheet, sheets
from clock.ui.descriptions import Say
from clock.ui.i18n import sayer
from room.boards.board import Board, Conflict, Result
from room.boards.outlook import Outlook
from room.boards.results import Listed
from room.hub.health import Health
from room.hub.offer_desk import BoardOffer
from room.lines.first_heard import FirstHeard
from room.sources.hall_logs import HallLog
from room.web.director_site import OffersWanted

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
Schema = dict[str, Any]  # of JSON, or a part of the description of an interface


def results_csv(results: Iterable[Listed]) -> bytes:
    """Return a line for each result, as `gammonclock report --csv` does; none for practice."""
    return csv_bytes(NAMES, (_row(result) for result in results if not result.practice))


def results_xlsx(results: Iterable[Listed], language: str) -> bytes:
    """Return the same as a workbook for people, the first round first."""
    from clock.report.workbook import workbook  # noqa: PLC0415 - wanted once a day

    rows = [_known(result) | {"day": result.day} for result in results if not result.practice]
    return workbook(reversed(rows), sayer(language))


def results_rows(results: Iterable[Listed]) -> list[dict[str, object]]:
    """Return the same as values, by the names of the columns; None: not known."""
    return [_known(result) for result in results if not result.practice]


def _known(result: Listed) -> dict[str, object]:
    row = dict.fromkeys(NAMES) | _row(result)
    return {name: None if each == "" else each for name, each in row.items()}


def _row(result: Listed) -> dict[str, object]:
    left_ns, right_ns = result.reserves_ns or (None, None)
    return {name: getattr(result, name) for name in NAMES if hasattr(result, name)} | {
        "left": result.players[Side.LEFT],
        "right": result.players[Side.RIGHT],
        "winner_name": result.players[result.winner] if result.winner else None,
        "loser_name": result.players[result.winner.other] if result.winner else None,
        "matches_left": result.legs.left,
        "matches_right": result.legs.right,
        "round": result.named_round or result.round,
        "head": result.fingerprint,
        "score_left": result.score.left,
        "score_right": result.score.right,
        "carried_left": result.carried.left,
        "carried_right": result.carried.right,
        "began": result.begun,
        "reserve_left_s": seconds(left_ns),
        "reserve_right_s": seconds(right_ns),
        "duration_s": seconds(result.duration_ns) if result.begun else None,
        "flagged_left": Side.LEFT in result.flags,
        "flagged_right": Side.RIGHT in result.flags,
    }


def first_heard(conflict: Conflict, first: FirstHeard) -> dict[str, Any]:
    """Return what was seen first of a match from one source, with a fingerprint for the hash."""
    values = structs.asdict(first)
    fingerprint = fingerprint_text(values.pop("hash"))
    del values["begun"]
    said = {"source": conflict.source, "since": conflict.since, "agrees": conflict.agrees}
    return {**said, "seq": first.seq, "head": fingerprint, **values}


def match_report(match: str, logs: Sequence[Sequence[bytes]], language: str) -> dict[str, Any]:
    """Return the report of a match: its tables in a language, and its values.

    If it was adjourned, it has several logs, each of which continues the one before.

    Raises:
        DamagedError: the log does not replay.
    """
    found, say = summary(*logs), sayer(language)
    values: list[Any] = msgspec.json.decode(as_json([Reported(match, found)], say))
    tables = [_table(sheet, say) for sheet in sheets(found, say)]
    return {"tables": tables, "data": values[0]}


def _table(sheet: Sheet, say: Say) -> Schema:
    keys = [heading.removeprefix(">") for heading in sheet.headings]
    headings = ["#" if key == "line" else say(f"report_{key}") for key in keys]
    return {"title": sheet.title, "headings": headings, "rows": sheet.rows}


def openapi() -> Schema:
    """Return the description of the interface, made from the types that it sends."""
    (board, result, forecast, health, wanted, told, offer, log), schemas = schema_components(
        (Board, Listed, Outlook, Health, OffersWanted, Result, BoardOffer, HallLog),
        ref_template="#/components/schemas/{name}",
    )
    text, whole, instant = {"type": "string"}, {"type": "object"}, {"type": "integer"}
    boolean = {"type": "boolean"}
    event = _object(name=text, begins=text)
    troubles = {"troubles": _array(text), "said": _array(whole)}
    boards = _object(version=text, boards=_array(board), **troubles)
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
    one_match = "/api/1/matches/{match}"
    return {
        "openapi": "3.1.0",
        "info": {"title": "gammonclock", "version": __version__},
        "paths": {
            "/health": _health(health),
            "/api/1/boards": _get("All boards", boards),
            "/api/1/boards/{id}": _get("A board", board, "id"),
            "/api/1/results": _get(
                "All results", _object(results=_array(result), event=event, director=boolean)
            ),
            "/api/1/results.json": _get("All results, as in the CSV", _array(whole)),
            "/api/1/results.csv": _get("All results as CSV", None, media="text/csv"),
            "/api/1/results.xlsx": _get(
                "All results as a workbook", None, media=XLSX, query=("lang",)
            ),
            "/api/1/logs": _get("How far each log goes", _object(logs=_array(log))),
            one_match: _get("The report of a match", whole, "match", query=("lang", "source")),
            f"{one_match}/log": _get(
                "Its log", None, "match", "application/jsonl", query=("source",)
            ),
            f"{one_match}/chart.svg": _get(
                "Its chart", None, "match", "image/svg+xml", query=("lang", "source")
            ),
            f"{one_match}/joined": {
                "post": _change(
                    "Join it with what it continues, as the director", whole, of="match"
                )
            },
            "/api/1/offers": _get("The latest offers, for the director", whole)
            | {"post": _change("Offer matches, as the director", whole, wanted)},
            "/api/1/offers/{board}": {
                "delete": _change("Withdraw an offer", whole, of="board", query=("by",))
            },
            "/api/1/rulings/{board}": _get(
                "What can be ruled", whole, "board", query=("lang", "page", "by")
            )
            | {
                "post": _change("Propose a ruling, as the director", whole, whole, of="board"),
                "delete": _change("Withdraw a ruling", whole, of="board"),
            },
            "/api/1/rulings/{board}/form": _get(
                "What an item asks", whole, "board", query=("lang", "item", "answers")
            ),
            "/api/1/taken_out/{board}": {
                "post": _change("Take a board out of the room, as the director", board, of="board"),
                "delete": _change("Put it back", board, of="board"),
            },
            "/api/1/pairings": {
                "post": _change("Read a pairing list", whole, text, "text/csv", query=("lang",))
            },
            "/api/1/notify": _get("Where notices go, for the director", _object(to=text))
            | {"post": _change("Send a test notice", _object(to=text))},
            "/metrics": _get("The state of the hub, for Prometheus", None, media="text/plain"),
            "/api/1/events": _events(events),
            "/api/1/forecast": _get("When the round is likely to end, for the director", forecast),
            "/api/1/address": _get("The address of the pages", _object(address=text)),
            "/api/1/clock": _get("The hub's clock", _object(hub_ns=instant)),
            "/api/1/words": _get("The words of panels, reports and pages", whole, query=("lang",)),
        },
        "components": {
            "schemas": schemas,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _health(schema: Schema) -> Schema:
    """Return the description of an answer that is the same if something is wrong."""
    found = _get("How the hub is: nothing is wrong", schema)
    responses = found["get"]["responses"]
    responses["503"] = responses["200"] | {"description": "Something is wrong, or the hub waits"}
    return found


EVENTS = (
    "Server-sent events; x-events has the schema of the data of each. A board event has the whole"
    " state of a board; Last-Event-ID resumes."
)


def _events(schemas: dict[str, Schema]) -> Schema:
    """Return the description of the stream: OpenAPI 3.1 has no word for events of several kinds."""
    found = _get(EVENTS, None, media="text/event-stream", query=("board", "last-event-id"))
    responses = found["get"]["responses"]
    responses["200"]["content"]["text/event-stream"]["x-events"] = schemas
    responses["429"] = {"description": "The reader's address has too many streams open"}
    return found


def _object(**properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _array(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _change(
    what: str,
    answer: Schema,
    body: Schema | None = None,
    media: str = "application/json",
    *,
    of: str = "",
    query: Sequence[str] = (),
) -> Schema:
    """Return the description of what only the director does, with their token."""
    change: Schema = _get(what, answer, of, query=query)["get"]
    refused = {"400": "It cannot be done", "403": "Only the director", "409": "Another is pending"}
    change["responses"] |= {status: {"description": why} for status, why in refused.items()}
    change["security"] = [{"token": []}]
    if body is not None:
        change["requestBody"] = {"required": True, "content": {media: {"schema": body}}}
    return change


def _get(
    what: str,
    schema: Schema | None,
    parameter: str = "",
    media: str = "application/json",
    *,
    query: Sequence[str] = (),
) -> Schema:
    """Return the description of what can be read, with the part of its path and its parameters."""
    content = {media: {"schema": {"type": "string"} if schema is None else schema}}
    responses: Schema = {"200": {"description": what, "content": content}}
    answer: Schema = {"summary": what, "responses": responses}
    in_path = [parameter] if parameter else []
    named = [{"name": name, "in": "path", "required": True} for name in in_path]
    named += [{"name": name, "in": "query", "required": False} for name in query]
    if named:
        answer["parameters"] = [each | {"schema": {"type": "string"}} for each in named]
    if parameter:
        responses["404"] = {"description": "There is none"}
    return {"get": answer}
