"""When the matches of a room and its round are likely to end, as programs and pages see it."""

from collections.abc import Iterable

import msgspec

from clock.match.state import AT_REST
from clock.match.types import Phase, Side
from clock.units import SECOND_NS
from room.boards.board import Board
from room.boards.followed_log import FollowedLog
from room.forecast.games import FURTHEST
from room.forecast.match import Standing, standing_of
from room.forecast.round import Long, Playing, RoundForecast, SideTurns, Spread, forecast

PLAYED = frozenset(Phase) - {Phase.REVIEW, *AT_REST}


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


class RoomPace(msgspec.Struct, frozen=True):
    """How long the turns of the room have been, in milliseconds."""

    mean_ms: int
    middle_ms: int


class SidePlayed(msgspec.Struct, frozen=True):
    """How long the turns of a side have been."""

    side: Side
    turns: int
    mean_ms: int
    middle_ms: int
    share: float  # of the time on this match's clock, 0 to 1


class BoardOutlook(msgspec.Struct, frozen=True):
    """A board that plays."""

    board: str  # its id
    ends: Ends
    long: LongMatch | None
    slow: Side | None  # the side whose turns take longer than those of the room
    sides: list[SidePlayed]  # those of which there are enough turns to tell


class Outlook(msgspec.Struct, frozen=True):
    """All boards that play."""

    hub_ns: int  # when this was forecast
    ends: Ends | None  # of the round; None: no board plays, or nothing can be said of any
    boards: list[BoardOutlook]
    last: list[str]  # the boards that are most likely to be the last, most likely first
    without: list[str]  # boards that play of which nothing can be said
    too_far: list[str]  # those of them whose players need more points than the forecast knows
    room: RoomPace
    round_by: str = ""  # the time of day by which the round should end; empty: not given


def outlook(boards: Iterable[tuple[Board, FollowedLog | None]], hub_ns: int) -> Outlook:
    """Return when the boards that play are likely to end.

    Nothing is said of a board whose times are uncertain, that plays without a clock or that the
    director holds.
    """
    playing: dict[str, Playing] = {}
    without, too_far = [], []
    for board, log in boards:
        if board.taken_out or board.state not in PLAYED:
            continue
        standing = _standing(board, log, hub_ns)
        if standing is None:
            without.append(board.id)
            too_far += [board.id] if _is_far(log) else []
        else:
            playing[board.id] = Playing(board.length, standing)
    said = forecast(playing)
    found = [_board(each, playing[each], said, hub_ns) for each in playing]
    ends = said.end and _ends(said.end, hub_ns)
    room = RoomPace(_ms(said.room.mean_s), _ms(said.room.middle_s))
    return Outlook(hub_ns, ends, found, list(said.last), without, too_far, room)


def _standing(board: Board, log: FollowedLog | None, hub_ns: int) -> Standing | None:
    state = log.shown.state if log else None
    if log is None or state is None or not board.certain:
        return None
    wait_ns = board.until_ns - hub_ns if board.until_ns and state.pause else 0
    return standing_of(state, log.pace, wait_ns)


def _is_far(log: FollowedLog | None) -> bool:
    state = log.shown.state if log else None
    return state is not None and max(state.away) > FURTHEST


def _board(board: str, playing: Playing, said: RoundForecast, hub_ns: int) -> BoardOutlook:
    long = said.long.get(board)
    return BoardOutlook(
        board,
        _ends(said.boards[board], hub_ns),
        long and _long(long),
        said.slow.get(board),
        [_side(each) for each in said.sides[board]],
    )


def _ends(spread: Spread, hub_ns: int) -> Ends:
    return Ends(*(hub_ns + round(each * SECOND_NS) for each in spread))


def _long(long: Long) -> LongMatch:
    return LongMatch(long.turns, long.in_all, long.others)


def _side(turns: SideTurns) -> SidePlayed:
    times = _ms(turns.mean_s), _ms(turns.middle_s)
    return SidePlayed(turns.side, turns.turns, *times, round(turns.share, 2))


def _ms(seconds: float) -> int:
    return round(seconds * 1000)
