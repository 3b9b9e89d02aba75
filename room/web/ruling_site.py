"""The addresses under which the director proposes rulings, with the token of the room's page only.

What can be ruled, and what is asked for, are the items and entries of the box's own menu at the
latest line of its log. Nothing is changed here: a hand at the box carries a ruling out or refuses.
"""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from clock.config.offer import LONGEST_BY, ItemAnswered, LogHead
from clock.eventlog.replay import Match
from clock.match.rules import Answer
from clock.match.types import Side
from clock.text import printable
from clock.ui.descriptions import Say
from clock.ui.dialogue import TURN_PHASES, Dialogue
from clock.ui.face import View, player_name
from clock.ui.forms import UNSET, Change, Choice, Entry, Number, Time
from clock.ui.i18n import sayer
from clock.ui.preview import preview
from clock.ui.ruling import RulingError, answer_of, answered, check_ruling, proposable
from room.hub.hub import Hub
from room.hub.offer_desk import OfferDesk
from room.offers.offers import latest_line
from room.web.access import Access
from room.web.acts import RequestError, check_director, check_parameters, wanted
from room.web.answers import json_answer, language

MAX_REQUEST = 4096  # bytes
RUNS = "a clock runs: stop it first"
UNKNOWN = "nothing is known of this board yet"
SHOWN = "too late: the panels show the ruling; it can be refused there"
GONE_ON = "the board has gone on since this was asked: look again"


class RulingWanted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A ruling that is to be proposed for a board."""

    after: LogHead  # the latest line of the log, as it was when the director looked
    item: str
    answers: tuple[Answer, ...] = ()
    by: Annotated[str, msgspec.Meta(max_length=LONGEST_BY)] = ""
    replaces: str = ""  # the id of the pending one that this replaces


Answerer = Callable[[Request, OfferDesk, str], Awaitable[object]]
_answers = msgspec.json.Decoder(tuple[Answer, ...])


def ruling_routes(hub: Hub, access: Access) -> list[Route]:
    """Return the addresses of the rulings; `access` knows the director's token."""

    def route(path: str, method: str, answer: Answerer, *parameters: str) -> Route:
        async def guarded(request: Request) -> Response:
            check_parameters(request, *parameters)
            desk, board = _desk(hub, request, access), request.path_params["board"]
            return json_answer(await answer(request, desk, board))

        return Route(path, guarded, methods=[method])

    return [
        route("/api/rulings/{board}", "GET", _look, "lang"),
        route("/api/rulings/{board}/form", "GET", _form, "lang", "item", "answers"),
        route("/api/rulings/{board}", "POST", _propose),
        route("/api/rulings/{board}", "DELETE", _withdraw),
    ]


def _desk(hub: Hub, request: Request, access: Access) -> OfferDesk:
    """Return where rulings are proposed, if the director asks for a board that takes them.

    Raises:
        RequestError: somebody else does, or it takes none.
    """
    check_director(request, access)
    if hub.offers is None or request.path_params["board"] not in hub.offers.boards():
        raise RequestError(404, "no such board")
    return hub.offers


def _match(desk: OfferDesk, board: str) -> Match:
    """Return the match at a board.

    Raises:
        RequestError: nothing of it is known, or a clock runs.
    """
    match = desk.match(board)
    if match is None:
        raise RequestError(409, UNKNOWN)
    if match.state.phase in TURN_PHASES:
        raise RequestError(409, RUNS)
    return match


async def _look(request: Request, desk: OfferDesk, board: str) -> object:
    """Return what can be ruled at a board now, and what has become of the latest ruling."""
    match, say, why = desk.match(board), sayer(language(request)), ""
    found: dict[str, Any] = {"board": board, "items": [], "players": {}, "after": None}
    try:
        match = _match(desk, board)
        found["items"] = [
            {"item": each.name, "title": say(f"item_{each.name}")}
            for each in proposable(match.state)
        ]
    except RequestError as error:
        why = str(error)
    if match is not None:
        state = match.state
        found["after"] = latest_line(match)
        found["players"] = {
            side: {
                "name": player_name(state, side),
                "points": state.score[side],
                "reserve_ns": state.reserve_ns(side, state.at_ns),
            }
            for side in Side
        }
    standing = match.state.proposal if match else None
    return {**found, "why": why, "ruling": desk.ruling(board), "standing": standing}


async def _form(request: Request, desk: OfferDesk, board: str) -> object:
    """Return what an item asks for after some answers; after the last what it would do."""
    match, say = _match(desk, board), sayer(language(request))
    query = request.query_params
    try:
        given = _answers.decode(query.get("answers", "[]"))
        entered = answered(match.state, query.get("item", ""), given)
        if entered.entry is not None:
            return {"entry": _entry(entered.entry, say), "preview": None}
        entered = check_ruling(match.state, query.get("item", ""), given)
    except (RulingError, msgspec.DecodeError) as error:
        raise RequestError(400, str(error)) from error
    view = View(match.state, Dialogue(), say)
    return {"entry": None, "preview": preview(view, entered.act(match.state)).lines}


def _entry(entry: Entry, say: Say) -> dict[str, Any]:
    """Return what is asked for, with the answers that are possible."""
    found: dict[str, Any] = {"name": entry.name, "title": say(f"entry_{entry.name}")}
    match entry:
        case Choice(options=options):
            shown = [each for each in options if each is not UNSET]
            labels = [
                {"answer": answer_of(each.value), "label": say(each.label, n=each.number)}
                for each in shown
            ]
            return found | {"kind": "choice", "options": labels}
        case Number() | Time() | Change():
            kind = "number" if isinstance(entry, Number) else "time"
            limits = {"least": entry.lowest, "most": entry.highest}
            return found | {"kind": kind, "value": entry.value, **limits}


async def _propose(request: Request, desk: OfferDesk, board: str) -> object:
    """Propose a ruling for what the director saw; a pending one has to be named."""
    given = await wanted(request, RulingWanted, MAX_REQUEST)
    match = _match(desk, board)
    if given.after != latest_line(match):
        raise RequestError(409, GONE_ON)
    try:
        check_ruling(match.state, given.item, given.answers)
    except RulingError as error:
        raise RequestError(400, str(error)) from error
    pending = desk.pending_ruling(board) or match.state.proposal  # of before the hub's start
    if pending is not None and pending.id != given.replaces:
        by = f" by {pending.by}" if pending.by else ""
        raise RequestError(409, f"board {board} has a pending ruling{by}")
    ruling = ItemAnswered(given.item, given.answers)
    desk.propose(board, given.after, ruling, printable(given.by))
    return await _look_again(desk, board)


async def _withdraw(_: Request, desk: OfferDesk, board: str) -> object:
    """Withdraw the ruling of a board, as long as the panels do not show it."""
    if not desk.withdraw_ruling(board):
        raise RequestError(409, SHOWN)
    return await _look_again(desk, board)


async def _look_again(desk: OfferDesk, board: str) -> object:
    return {"board": board, "ruling": desk.ruling(board)}
