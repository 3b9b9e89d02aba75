"""Where the director assigns matches, takes boards out and tries notices: with the token alone.

A page from elsewhere knows no token; that it is from elsewhere is checked all the same.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Annotated, Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from clock.config.offer import REPLACES, offered_match
from clock.config.reader import ConfigError, check_value
from clock.config.schema import ConfigFile, PresetName
from clock.match.profiles import PROFILES
from clock.text import fields, message
from room.boards.pairings import read_pairings
from room.hub.hub import Hub
from room.hub.notifier import Notifier
from room.hub.offer_desk import OfferDesk
from room.hub.words import hub_message, hub_message_by, page_words
from room.web.access import Access
from room.web.answers import json_answer, language, missing
from room.web.requests import RequestError, body_of, check_director, check_parameters, wanted

MAX_REQUEST = 256 * 1024  # of a request; a thousand boards with their names have 70 KB
PRESET = "preset"  # only a clock knows those of its file


class BoardWanted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A board that is to be offered a match."""

    board: str  # its id
    names: tuple[str, str] | None = None  # of the players; None: those of the clock's file


class OffersWanted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Matches that are to be offered: the same for each board, but for the names."""

    boards: Annotated[tuple[BoardWanted, ...], msgspec.Meta(min_length=1, max_length=1000)]
    match: dict[str, Any] = {}  # keys of [match] and [rules], and perhaps `preset`
    by: str = ""  # who offers, for other directors
    replaces: tuple[str, ...] = ()  # the ids of pending offers that these replace


Answer = Callable[[Request, OfferDesk], Awaitable[object]]


def offer_routes(hub: Hub, access: Access) -> list[Route]:
    """Return the addresses of the offers.

    Args:
        hub: whose boards are offered matches.
        access: knows the director's token.
    """

    def route(path: str, method: str, answer: Answer, *parameters: str) -> Route:
        async def guarded(request: Request) -> Response:
            check_parameters(request, *parameters)
            return json_answer(await answer(request, _desk(hub, request, access)))

        return Route(path, guarded, methods=[method])

    return [
        route("/api/1/offers", "GET", _offers),
        route("/api/1/offers", "POST", _make),
        route("/api/1/offers/{board}", "DELETE", _withdraw, "by"),
        route("/api/1/pairings", "POST", _pairings, "lang"),
    ]


def _desk(hub: Hub, request: Request, access: Access) -> OfferDesk:
    """Return where offers are made, if the director asks.

    Raises:
        RequestError: somebody else does, or no clock can be sent an offer.
    """
    check_director(request, access)
    if hub.offers is None:
        raise RequestError(404, hub_message("no_offers"))
    return hub.offers


async def _offers(_: Request, desk: OfferDesk) -> object:
    """Return the boards that can be offered a match, their latest offers, and the ids of all."""
    offers = [msgspec.to_builtins(shown) | {"match": settings} for shown, settings in desk.offers()]
    return {
        "boards": list(desk.boards()),
        "profiles": list(PROFILES),
        "offers": offers,
        "known": desk.ids(),
    }


async def _make(request: Request, desk: OfferDesk) -> object:
    """Offer matches: to all of the boards, or to none if one of them cannot be."""
    offers = await wanted(request, OffersWanted, MAX_REQUEST)
    _check_boards(offers, desk)
    for each in offers.boards:
        desk.make(each.board, _settings(offers, each), offers.by)
    return await _offers(request, desk)


def _check_boards(offers: OffersWanted, desk: OfferDesk) -> None:
    """Refuse a request that one of its boards forbids.

    Raises:
        RequestError: a board is given twice, takes no offer or not this one, or has a pending one
            that the request does not replace: another director may have made it. Or where a match
            stands is given for several.
    """
    if len(offers.boards) > 1 and not offers.match.keys().isdisjoint(REPLACES):
        raise RequestError(400, hub_message("one_board"))
    boards, given = desk.boards(), Counter(each.board for each in offers.boards)
    for each in offers.boards:
        if given[each.board] > 1:
            again = hub_message("again", board=each.board[:40], n=given[each.board])
            raise RequestError(400, again)
        if each.board not in boards:
            raise RequestError(400, hub_message("takes_none", board=each.board[:40]))
        _check(_settings(offers, each), each.board)
    for pending in desk.pending(given):
        if pending.offer not in offers.replaces:
            raise RequestError(409, hub_message_by("pending", pending.board, pending.by))


def _settings(offers: OffersWanted, each: BoardWanted) -> dict[str, Any]:
    return offers.match if each.names is None else offers.match | {"names": list(each.names)}


def _check(settings: dict[str, Any], board: str) -> None:
    """Refuse what every clock would refuse.

    Raises:
        RequestError: it would.
    """
    known = {key: value for key, value in settings.items() if key != PRESET}
    try:
        if PRESET in settings:
            check_value(settings[PRESET], PresetName, "", PRESET, "")
        offered_match(ConfigFile(), known)
    except ConfigError as error:
        if PRESET in settings and error.found == message("not_given"):
            return  # the preset may have it
        raise RequestError(400, hub_message("of_board", board=board, what=error.setting)) from error


async def _withdraw(request: Request, desk: OfferDesk) -> object:
    """Withdraw the offer of a board, as long as it was not shown; without one, do nothing."""
    board = request.path_params["board"]
    if board not in desk.boards():
        raise RequestError(404, hub_message("no_board"))
    if not desk.withdraw(board, request.query_params.get("by", "")):
        raise RequestError(409, hub_message("late"))
    return await _offers(request, desk)


async def _pairings(request: Request, desk: OfferDesk) -> object:
    """Return the pairings of a list; this offers nothing yet."""
    words = page_words(language(request))
    content = await body_of(request, MAX_REQUEST)
    found = await asyncio.to_thread(read_pairings, content, desk.boards(), words)
    return {**found._asdict(), "pairings": [each._asdict() for each in found.pairings]}


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

    return [Route("/api/1/notify", answer, methods=["GET", "POST"])]


async def _test(notifier: Notifier | None) -> Response:
    if notifier is None:
        return missing("address for notices")
    why = await notifier.test()
    return json_answer(fields("error", why), 502) if why else json_answer({"to": notifier.host})


def taken_out_routes(hub: Hub, access: Access) -> list[Route]:
    """Return the address; `access` knows the director's token."""

    async def change(request: Request) -> Response:
        check_parameters(request)
        check_director(request, access)
        places, wanted = hub.register.places(), request.path_params["board"]
        key = next((place.key for id_, place in places if id_ == wanted and not place.hall), None)
        if key is None:  # those of another hall its own hub takes out
            raise RequestError(404, hub_message("no_board"))
        is_out, out = request.method == "POST", hub.register.taken_out
        (out.add if is_out else out.discard)(key)
        hub.store.keep_taken_out([key], are_out=is_out)
        hub.register.touch([key])
        hub.update()
        return json_answer(hub.register.boards[wanted])

    return [Route("/api/1/taken_out/{board}", change, methods=["POST", "DELETE"])]
