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

from clock.config.offer import LONGEST_BY, ItemAnswered, LatestLine
from clock.eventlog.replay import Match
from clock.match.rules import Answer
from clock.match.state import MatchState
from clock.match.types import Side
from clock.text import fields, printable, reason
from clock.ui.descriptions import Say
from clock.ui.dialogue import TURN_PHASES, Dialogue
from clock.ui.face import View, player_name
from clock.ui.forms import UNSET, Change, Choice, Entry, Number, Time
from clock.ui.i18n import sayer
from clock.ui.preview import ARROW, preview
from clock.ui.ruling import Entered, RulingError, answer_of, answered, check_ruling, proposable
from clock.units import SECOND_NS
from room.boards.offers import latest_line
from room.hub.hub import Hub
from room.hub.offer_desk import OfferDesk
from room.hub.words import hub_message, hub_message_by
from room.web.access import Access
from room.web.answers import json_answer, language
from room.web.requests import RequestError, check_director, check_parameters, wanted

MAX_REQUEST = 4096  # bytes
AWAY_NS = 30 * SECOND_NS  # after which a page that asks no more counts as closed
MOST_PAGES = 16  # of one board that are remembered
REASONS = ("why", "ruler")  # entries that do not change what a time or a number will be


class RulingWanted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A ruling that is to be proposed for a board."""

    after: LatestLine  # the latest line of the log, as it was when the director looked
    item: str
    answers: tuple[Answer, ...] = ()
    by: Annotated[str, msgspec.Meta(max_length=LONGEST_BY)] = ""
    replaces: str = ""  # the id of the pending one that this replaces


class OpenPages:
    """The pages on which directors look at boards, each under a name that it has given itself."""

    def __init__(self) -> None:
        """Begin with none."""
        self._pages: dict[str, dict[str, tuple[str, int]]] = {}  # by board: who, asked last at

    def others(self, board: str, page: str, by: str, now_ns: int) -> list[str]:
        """Note that a page of somebody is open, and return who has another one for this board."""
        pages = self._pages.setdefault(board, {})
        if page:
            pages.pop(page, None)
            pages[page] = by, now_ns
        for old in [key for key, (_, at_ns) in pages.items() if now_ns - at_ns > AWAY_NS]:
            del pages[old]
        while len(pages) > MOST_PAGES:
            del pages[next(iter(pages))]
        return [by for key, (by, _) in pages.items() if key != page]


Answerer = Callable[[Request, OfferDesk, str], Awaitable[object]]
_answers = msgspec.json.Decoder(tuple[Answer, ...])


def ruling_routes(hub: Hub, access: Access) -> list[Route]:
    """Return the addresses of the rulings; `access` knows the director's token."""
    pages = OpenPages()

    async def look(request: Request, desk: OfferDesk, board: str) -> object:
        page, by = (request.query_params.get(name, "") for name in ("page", "by"))
        named = printable(by)[:LONGEST_BY]
        others = pages.others(board, page[:LONGEST_BY], named, hub.hub_ns())
        return {**_look(request, desk, board), "others": others}

    def route(path: str, method: str, answer: Answerer, *parameters: str) -> Route:
        async def guarded(request: Request) -> Response:
            check_parameters(request, *parameters)
            desk, board = _desk(hub, request, access), request.path_params["board"]
            return json_answer(await answer(request, desk, board))

        return Route(path, guarded, methods=[method])

    return [
        route("/api/1/rulings/{board}", "GET", look, "lang", "page", "by"),
        route("/api/1/rulings/{board}/form", "GET", _form, "lang", "item", "answers"),
        route("/api/1/rulings/{board}", "POST", _propose),
        route("/api/1/rulings/{board}", "DELETE", _withdraw),
    ]


def _desk(hub: Hub, request: Request, access: Access) -> OfferDesk:
    """Return where rulings are proposed, if the director asks for a board that takes them.

    Raises:
        RequestError: somebody else does, or it takes none.
    """
    check_director(request, access)
    board = request.path_params["board"]
    place = dict(hub.register.places()).get(board)
    if place is not None and not place.clock:
        raise RequestError(404, hub_message("rule_room"))
    if hub.offers is None or board not in hub.offers.boards():
        raise RequestError(404, hub_message("no_board"))
    return hub.offers


def _match(desk: OfferDesk, board: str) -> Match:
    """Return the match at a board.

    Raises:
        RequestError: nothing of it is known, or a clock runs.
    """
    match = desk.match(board)
    if match is None:
        raise RequestError(409, hub_message("rule_unknown"))
    if match.state.phase in TURN_PHASES:
        raise RequestError(409, hub_message("rule_runs"))
    return match


def _look(request: Request, desk: OfferDesk, board: str) -> dict[str, Any]:
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
        why = reason(error)
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
    return {**found, **fields("why", why), "ruling": desk.ruling(board), "standing": standing}


async def _form(request: Request, desk: OfferDesk, board: str) -> object:
    """Return what an item asks for after some answers, and what it would do with these.

    What it would do is known after the last answer, and while a time or a number is typed after
    which only reasons are asked for.
    """
    state = _match(desk, board).state
    say, query = _named(sayer(language(request)), state), request.query_params
    item = query.get("item", "")
    try:
        given = _answers.decode(query.get("answers", "[]"))
        entered = answered(state, item, given)
        if entered.entry is None:
            return {"entry": None, "preview": _effect(state, check_ruling(state, item, given), say)}
        latest = answered(state, item, given[:-1]).entry
        typed = isinstance(latest, Number | Time | Change)
        effect = _foreseen(state, item, given, say) if typed else []
    except (RulingError, msgspec.DecodeError) as error:
        raise RequestError(400, reason(error)) from error
    return {"entry": _entry(entered.entry, say), "preview": effect}


def _named(say: Say, state: MatchState) -> Say:
    """Return what says texts with the names of the players, where they are known."""
    names = {side.value: player_name(state, side) for side in Side}
    if len({*names.values()}) < len(Side):  # the names would not say which player is meant
        return say
    return lambda key, **values: names.get(key) or say(key, **values)


def _foreseen(state: MatchState, item: str, given: tuple[Answer, ...], say: Say) -> list[str]:
    """Return what an item would do whatever the reason is; nothing if more than that is asked."""
    reasons = []
    while (entry := answered(state, item, given).entry) is not None:
        if entry.name not in REASONS or not isinstance(entry, Choice):
            return []
        reason = entry.options[0]
        reasons.append(say(reason.label))
        given = (*given, answer_of(reason.value))  # type: ignore[arg-type]
    try:
        effect = _effect(state, check_ruling(state, item, given), say)
    except RulingError:
        return []
    return [line for line in effect if line not in reasons]


def _effect(state: MatchState, entered: Entered, say: Say) -> list[str]:
    """Return what a ruling would do, with each change in one line."""
    lines = preview(View(state, Dialogue(), say), entered.ruling(state)).lines
    arrow = ARROW.strip()
    return "\n".join(lines).replace(f"\n{arrow}", f" {arrow}").splitlines()


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
            return found | {"kind": "names" if entry.of_names else "choice", "options": labels}
        case Number() | Time() | Change():
            kind = "number" if isinstance(entry, Number) else "time"
            limits = {"least": entry.lowest, "most": entry.highest}
            return found | {"kind": kind, "value": entry.value, **limits}


async def _propose(request: Request, desk: OfferDesk, board: str) -> object:
    """Propose a ruling for what the director saw; a pending one has to be named."""
    given = await wanted(request, RulingWanted, MAX_REQUEST)
    match = _match(desk, board)
    if given.after != latest_line(match):
        raise RequestError(409, hub_message("rule_gone"))
    try:
        check_ruling(match.state, given.item, given.answers)
    except RulingError as error:
        raise RequestError(400, reason(error)) from error
    pending = desk.pending_ruling(board) or match.state.proposal  # of before the hub's start
    if pending is not None and pending.id != given.replaces:
        raise RequestError(409, hub_message_by("rule_pending", board, pending.by))
    ruling = ItemAnswered(given.item, given.answers)
    desk.propose(board, given.after, ruling, printable(given.by))
    return await _look_again(desk, board)


async def _withdraw(_: Request, desk: OfferDesk, board: str) -> object:
    """Withdraw the ruling of a board, as long as the panels do not show it."""
    if not desk.withdraw_ruling(board):
        raise RequestError(409, hub_message("rule_late"))
    return await _look_again(desk, board)


async def _look_again(desk: OfferDesk, board: str) -> object:
    return {"board": board, "ruling": desk.ruling(board)}
