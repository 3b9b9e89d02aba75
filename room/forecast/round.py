"""When the round will end, which boards are likely to be the last, and why."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from math import prod
from statistics import median
from typing import NamedTuple

from clock.match.types import Side
from clock.units import SECOND_NS
from room.forecast.games import FURTHEST, Ahead, Score, ahead
from room.forecast.match import PRIOR, PRIOR_TURNS, Place, Turns, mean_turn, rest_s
from room.forecast.pace import SidePace, middle_s

NAMED = 3  # boards that may be the last
LONG = 1.25  # times the turns of other matches of its length
SLOW_MEAN, SLOW_MIDDLE = 1.3, 1.25  # times the room's mean and middle turn
SLOW_TURNS = 40  # of a side, before anything is said of it
SLOW_BOARDS = 6  # in the room, before anything is said of a side
_STEPS = 24  # halvings of a time: to a second in half a year
_EVERY = 8  # of the draws of a board, where all boards are compared


class Playing(NamedTuple):
    """A match under way."""

    length: int  # points
    place: Place


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


class Slow(NamedTuple):
    """A side whose turns take longer than those of the room."""

    side: Side
    turns: int
    mean_s: float
    middle_s: float
    room_mean_s: float
    room_middle_s: float
    share: float  # of the time on this match's clock


class RoundForecast(NamedTuple):
    """The forecast of all boards that play."""

    end: Spread | None  # None: no board plays
    boards: Mapping[str, Spread]
    last: tuple[str, ...]  # the boards that are most likely to be the last, most likely first
    long: Mapping[str, Long]
    slow: Mapping[str, Slow]


def forecast(boards: Mapping[str, Playing]) -> RoundForecast:
    """Return when the boards' matches and their round will end."""
    sides = [side for each in boards.values() for side in each.place.pace.sides]
    room = mean_turn(sides, PRIOR, PRIOR_TURNS)
    ways = {
        board: ahead(each.place.score, each.place.pace.game_turns) for board, each in boards.items()
    }
    ends = {board: rest_s(each.place, room, ways[board]) for board, each in boards.items()}
    return RoundForecast(
        end=_round_end(list(ends.values())) if ends else None,
        boards={board: spread(each) for board, each in ends.items()},
        last=_last(ends),
        long=_long(boards, ways),
        slow=_slow(boards, room) if len(boards) >= SLOW_BOARDS else {},
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
    return sum(prod(_ended(ends, at_s) for ends in others) for at_s in mine) / len(mine)


# --- why a board is late ------------------------------------------------------------------------


def _long(boards: Mapping[str, Playing], ways: Mapping[str, Sequence[Ahead]]) -> dict[str, Long]:
    """Return the matches that take many more turns than others of their length."""
    in_all = {board: _turns(each) + _middle(ways[board]) for board, each in boards.items()}
    found = {}
    for board, each in boards.items():
        alike = [in_all[other] for other in boards if boards[other].length == each.length]
        # In a room of few such matches, the walk over the score says what is usual.
        usual = ahead(Score(min(each.length, FURTHEST), min(each.length, FURTHEST)))
        others = median([*alike, *(ahead_.turns for ahead_ in usual[16::32])])
        if in_all[board] >= LONG * others:
            found[board] = Long(_turns(each), round(in_all[board]), round(others))
    return found


def _turns(playing: Playing) -> int:
    return sum(side.turns for side in playing.place.pace.sides)


def _middle(ways: Sequence[Ahead]) -> float:
    """Return the middle of the turns ahead of a match."""
    return ways[len(ways) // 2].turns


def _slow(boards: Mapping[str, Playing], room: Turns) -> dict[str, Slow]:
    """Return the slower side of each board where one is clearly slower than the room."""
    found = {}
    paces = [side for each in boards.values() for side in each.place.pace.sides]
    room_middle_s = middle_s(
        [sum(column) for column in zip(*(pace.seconds for pace in paces), strict=True)]
    )
    for board, each in boards.items():
        pair = each.place.pace.sides
        for side in sorted(Side, key=lambda side: -pair[side].used_ns):
            if _is_slow(pair[side], room, room_middle_s):
                found[board] = Slow(
                    side,
                    pair[side].turns,
                    _mean_s(pair[side]),
                    middle_s(pair[side].seconds),
                    room.whole_s,
                    room_middle_s,
                    pair[side].used_ns / sum(one.used_ns for one in pair),
                )
                break
    return found


def _is_slow(pace: SidePace, room: Turns, room_middle_s: float) -> bool:
    """Return whether a side's turns are evidence that it is slower than the room."""
    return (
        pace.turns >= SLOW_TURNS
        and _mean_s(pace) >= SLOW_MEAN * room.whole_s
        and middle_s(pace.seconds) >= SLOW_MIDDLE * room_middle_s
    )


def _mean_s(pace: SidePace) -> float:
    return pace.used_ns / pace.turns / SECOND_NS
