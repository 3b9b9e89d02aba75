"""A board of another hall: what its hub shows, with instants of this hub."""

import msgspec
from msgspec import structs

from clock.match.types import Side
from room.boards.board import Board
from room.boards.liveness import HubClock
from room.lines.events import HallBoard

NOT_HEARD, LAST = "not_heard", "settings"  # kinds of attention; only the last one matters less


def board_of_hall(event: HallBoard, hub: HubClock) -> Board | None:
    """Return the board, of which nothing is certain while its hub is not heard; None: it is gone.

    Its id is that of the other hub.

    Args:
        event: what the other hub shows.
        hub: the time of this hub.
    """
    try:
        board = msgspec.json.decode(event.shown, type=Board)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):  # empty, or not understood
        return None
    result = board.result
    if not {*Side} == board.players.keys() == board.reserves.keys():
        return None
    if result is not None and result.players.keys() != {*Side}:
        return None

    def at(instant_ns: int | None) -> int | None:
        return None if instant_ns is None else hub.at(instant_ns + event.offset_ns)

    place, turn = event.place, board.turn
    board = structs.replace(
        board,
        source=place.source,
        account=place.key,
        hall=place.hall,
        board=board.board or board.id,
        turn=turn and structs.replace(turn, since_ns=at(turn.since_ns)),
        until_ns=at(board.until_ns),
        attention_ns=at(board.attention_ns),
        heard_ns=at(board.heard_ns),
        result=result and structs.replace(result, source=place.key, hall=place.hall),
    )
    return board if event.silent_ns is None else _silent(board, hub.at(event.silent_ns))


def _silent(board: Board, heard_ns: int) -> Board:
    """Return a board of a hall that is not heard any more."""
    others = [each for each in board.attention if each not in (NOT_HEARD, LAST)]
    last = [each for each in board.attention if each == LAST]
    attention = [] if board.taken_out else [*others, NOT_HEARD, *last]
    return structs.replace(
        board,
        certain=False,
        heard_ns=heard_ns if board.heard_ns is None else min(heard_ns, board.heard_ns),
        attention=attention,
        attention_ns=board.attention_ns if others or not attention else heard_ns,
    )
