"""When the matches of a room and its round are likely to end, as programs and pages see it."""

from collections.abc import Iterable

import msgspec

from clock.match.types import Phase, Side
from clock.units import SECOND_NS
from room.boards.board import Board
from room.boards.followed_log import FollowedLog
from room.forecast.match import Place, place_of
from room.forecast.round import Long, Playing, RoundForecast, Slow, Spread, forecast

PLAYED = frozenset(Phase) - {Phase.REVIEW, Phase.FINISHED}


class Ends(msgspec.Struct, frozen=True):
    """When something is likely to end."""

    early_ns: int  # one in ten ends before
    middle_ns: int
    late_ns: int  # one in ten ends after


class LongMatch(msgspec.Struct, frozen=True):
    """A match that takes more turns than others of its length, so that it ends late."""

    turns: int  # so far
    in_all: int  # as forecast
    others: int  # the middle of the room's matches of this length


class SlowSide(msgspec.Struct, frozen=True):
    """A side whose turns take longer than those of the room, in milliseconds."""

    side: Side
    turns: int
    mean_ms: int
    middle_ms: int
    room_mean_ms: int
    room_middle_ms: int


class BoardOutlook(msgspec.Struct, frozen=True):
    """A board that plays."""

    board: str  # its id
    ends: Ends
    long: LongMatch | None
    slow: SlowSide | None


class Outlook(msgspec.Struct, frozen=True):
    """All boards that play."""

    hub_ns: int  # when this was forecast
    ends: Ends | None  # of the round; None: no board plays, or nothing can be said of any
    boards: list[BoardOutlook]
    last: list[str]  # the boards that are most likely to be the last, most likely first
    without: list[str]  # boards that play of which nothing can be said


def outlook(boards: Iterable[tuple[Board, FollowedLog | None]], hub_ns: int) -> Outlook:
    """Return when the boards that play are likely to end.

    Nothing is said of a board whose times are uncertain, that plays without a clock or that the
    director holds.
    """
    playing: dict[str, Playing] = {}
    without = []
    for board, log in boards:
        if board.state not in PLAYED:
            continue
        place = _place(board, log, hub_ns)
        if place is None:
            without.append(board.id)
        else:
            playing[board.id] = Playing(board.length, place)
    said = forecast(playing)
    found = [_board(each, playing[each], said, hub_ns) for each in playing]
    ends = said.end and _ends(said.end, hub_ns)
    return Outlook(hub_ns, ends, found, list(said.last), without)


def _place(board: Board, log: FollowedLog | None, hub_ns: int) -> Place | None:
    state = log.shown.state if log else None
    if log is None or state is None or not board.certain:
        return None
    wait_ns = board.until_ns - hub_ns if board.until_ns and state.pause else 0
    return place_of(state, log.pace, wait_ns)


def _board(board: str, playing: Playing, said: RoundForecast, hub_ns: int) -> BoardOutlook:
    long, slow = said.long.get(board), said.slow.get(board)
    return BoardOutlook(
        board,
        _ends(said.boards[board], hub_ns),
        long and _long(long),
        slow and _slow(slow),
    )


def _ends(spread: Spread, hub_ns: int) -> Ends:
    return Ends(*(hub_ns + round(each * SECOND_NS) for each in spread))


def _long(long: Long) -> LongMatch:
    return LongMatch(long.turns, long.in_all, long.others)


def _slow(slow: Slow) -> SlowSide:
    times_s = (slow.mean_s, slow.middle_s, slow.room_mean_s, slow.room_middle_s)
    return SlowSide(slow.side, slow.turns, *(round(each * 1000) for each in times_s))
