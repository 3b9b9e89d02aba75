"""When the round will end, which boards are likely to be the last, and why."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from math import prod
from statistics import fmean, median
from typing import NamedTuple

from clock.match.types import Pair, Side
from clock.units import SECOND_NS
from room.forecast.games import FURTHEST, Ahead, Score, ahead
from room.forecast.match import PRIOR, PRIOR_TURNS, Standing, mean_turn, rest_s
from room.forecast.pace import SidePace, middle_s

NAMED = 3  # boards that may be the last
LONG = 1.25  # times the turns of other matches of its length
SLOW_MEAN, SLOW_MIDDLE = 1.3, 1.25  # times the room's mean and middle turn
TOLD_TURNS = 40  # of a side, before anything is said of it
SLOW_BOARDS = 6  # in the room, before a side is called slow
_STEPS = 24  # halvings of a time: to a second in half a year
_EVERY = 8  # of the draws of a board, where all boards are compared


class Playing(NamedTuple):
    """A match under way."""

    length: int  # points
    standing: Standing


class Spread(NamedTuple):
    """When something is likely to end, in seconds from now."""

    early_s: float  # one in ten ends before
    middle_s: float
    late_s: float  # one in ten ends after


class Long(NamedTuple):
    """A match that takes more turns than others of its length."""

    turns: int  # so far
    in_all: int  # as forecast
    others: int  # the middle of the room's matches of this length, as forecast


class SideTurns(NamedTuple):
    """How long the turns of a side have been."""

    side: Side
    turns: int
    mean_s: float
    middle_s: float
    share: float  # of the time on this match's clock


class RoomTurns(NamedTuple):
    """How long the turns of all sides of the room have been."""

    mean_s: float  # drawn towards what is usual
    middle_s: float


class RoundForecast(NamedTuple):
    """The forecast of all boards that play."""

    end: Spread | None  # None: no board plays
    boards: Mapping[str, Spread]
    last: tuple[str, ...]  # the boards that are most likely to be the last, most likely first
    long: Mapping[str, Long]
    room: RoomTurns
    sides: Mapping[str, tuple[SideTurns, ...]]  # those with `TOLD_TURNS` or more
    slow: Mapping[str, Side]  # the slower side, if one is clearly slower than the room


def forecast(boards: Mapping[str, Playing]) -> RoundForecast:
    """Return when the boards' matches and their round will end."""
    paces = [side for each in boards.values() for side in each.standing.pace.sides]
    mean = mean_turn(paces, PRIOR, PRIOR_TURNS)
    room = RoomTurns(mean.whole_s, _room_middle_s(paces))
    sides = {board: _sides(each.standing.pace.sides) for board, each in boards.items()}
    ways = {
        board: ahead(each.standing.score, each.standing.pace.game_turns)
        for board, each in boards.items()
    }
    ends = {board: rest_s(each.standing, mean, ways[board]) for board, each in boards.items()}
    return RoundForecast(
        end=_round_end(list(ends.values())) if ends else None,
        boards={board: spread(each) for board, each in ends.items()},
        last=_last(ends),
        long=_long(boards, ways),
        room=room,
        sides=sides,
        slow=_slow(sides, room) if len(boards) >= SLOW_BOARDS else {},
    )


def spread(ends_s: Sequence[float]) -> Spread:
    """Return the tenth, the middle and the nine tenths of equally likely times, shortest first."""
    return Spread(*(ends_s[int(len(ends_s) * share)] for share in (0.1, 0.5, 0.9)))


# --- the round ----------------------------------------------------------------------------------


def _round_end(boards: Sequence[Sequence[float]]) -> Spread:
    """Return when all of the boards have ended."""
    return Spread(*(_all_ended(boards, chance) for chance in (0.1, 0.5, 0.9)))


def _all_ended(boards: Sequence[Sequence[float]], chance: float) -> float:
    """Return the time at which all boards have ended with a chance."""
    early_s, late_s = 0.0, max(ends[-1] for ends in boards)
    for _ in range(_STEPS):
        between_s = (early_s + late_s) / 2
        if prod(_ended(ends, between_s) for ends in boards) < chance:
            early_s = between_s
        else:
            late_s = between_s
    return late_s


def _ended(ends_s: Sequence[float], at_s: float) -> float:
    """Return the chance that a board has ended at a time."""
    return bisect_right(ends_s, at_s) / len(ends_s)


def _last(boards: Mapping[str, Sequence[float]]) -> tuple[str, ...]:
    """Return the boards that are most likely to be the last."""
    late = sorted(boards, key=lambda board: spread(boards[board]).late_s, reverse=True)
    chances = {board: _chance_of_last(board, boards) for board in late[: 2 * NAMED]}
    return tuple(sorted(chances, key=lambda board: -chances[board])[:NAMED])


def _chance_of_last(board: str, boards: Mapping[str, Sequence[float]]) -> float:
    """Return the chance that all other boards end before this one."""
    others = [ends for each, ends in boards.items() if each != board]
    mine = boards[board][_EVERY // 2 :: _EVERY]
    return fmean(prod(_ended(ends, at_s) for ends in others) for at_s in mine)


# --- why a board is late ------------------------------------------------------------------------


def _long(boards: Mapping[str, Playing], ways: Mapping[str, Sequence[Ahead]]) -> dict[str, Long]:
    """Return the matches that take many more turns than others of their length."""
    in_all = {board: _turns(each) + _middle(ways[board]) for board, each in boards.items()}
    found = {}
    for board, each in boards.items():
        alike = [in_all[other] for other in boards if boards[other].length == each.length]
        # In a room of few such matches, the walk over the score says what is usual.
        length = min(each.length, FURTHEST)
        usual = ahead(Score(length, length))
        others = median([*alike, *(ahead_.turns for ahead_ in usual[16::32])])
        if in_all[board] >= LONG * others:
            found[board] = Long(_turns(each), round(in_all[board]), round(others))
    return found


def _turns(playing: Playing) -> int:
    return sum(side.turns for side in playing.standing.pace.sides)


def _middle(ways: Sequence[Ahead]) -> float:
    """Return the middle of the turns ahead of a match."""
    return ways[len(ways) // 2].turns


def _room_middle_s(paces: Sequence[SidePace]) -> float:
    return middle_s([sum(column) for column in zip(*(pace.seconds for pace in paces), strict=True)])


def _sides(paces: Pair[SidePace]) -> tuple[SideTurns, ...]:
    """Return what can be said of the sides of a board."""
    used_ns = sum(pace.used_ns for pace in paces)
    return tuple(
        SideTurns(
            side,
            pace.turns,
            pace.used_ns / pace.turns / SECOND_NS,
            middle_s(pace.seconds),
            pace.used_ns / used_ns,
        )
        for side, pace in zip(Side, paces, strict=True)
        if pace.turns >= TOLD_TURNS
    )


def _slow(sides: Mapping[str, tuple[SideTurns, ...]], room: RoomTurns) -> dict[str, Side]:
    """Return the slower side of each board where one is clearly slower than the room."""
    found = {}
    for board, pair in sides.items():
        slow = [side for side in pair if _is_slow(side, room)]
        if slow:
            found[board] = max(slow, key=lambda side: side.share).side
    return found


def _is_slow(side: SideTurns, room: RoomTurns) -> bool:
    """Return whether a side's turns are evidence that it is slower than the room."""
    is_long = side.mean_s >= SLOW_MEAN * room.mean_s
    return is_long and side.middle_s >= SLOW_MIDDLE * room.middle_s
