"""Measure how well the room's forecast is calibrated, and what it costs.

The matches are those of `made_matches`: real sequences of turns with invented durations. What the
figures say of real tournaments is not known; `gammonclock forecast --check` says it from logs.
"""

import statistics
import time
from collections.abc import Iterable, Iterator
from random import Random
from typing import Any, NamedTuple

from clock.match.types import Side
from lab.benchmarks.made_matches import MadeMatch, any_event, make, sequences
from lab.benchmarks.measure import Figure, at_most
from room.forecast.round import NAMED, Playing, Spread, forecast

SEED = 1
EVENTS = 60  # of `BOARDS` matches: 1,920
EVERY_S = 600.0
ROUNDS, BOARDS = 120, 32
LENGTHS = (5, 7, 9, 11)  # of the matches of a round
ROUND_EVERY_S = 240.0
HALF_HOUR_S, LATEST = 1800.0, 3  # half hours since the round began; the fourth and later are one
NAMED_BEFORE_S = (20 * 60.0, 10 * 60.0)
COSTLY_BOARDS = 500
NOT_SLOW = 1.1  # times the middle player of the event
LEVELS = (0.1, 0.5, 0.9)


Boards = dict[str, MadeMatch]


class Seen(NamedTuple):
    """A forecast, and what came true."""

    at_s: float  # since the round began
    spread: Spread
    end_s: float

    @property
    def error_min(self) -> float:
        """By how much the middle was wrong, in minutes."""
        return abs(self.end_s - self.spread.middle_s) / 60

    @property
    def loss_min(self) -> float:
        """The mean pinball loss of the three levels, in minutes."""
        losses = (
            max(level * (self.end_s - said_s), (level - 1) * (self.end_s - said_s))
            for level, said_s in zip(LEVELS, self.spread, strict=True)
        )
        return sum(losses) / len(LEVELS) / 60


def figures() -> Iterator[Figure]:
    """Measure and yield each figure."""
    random = Random(SEED)
    events: list[Boards] = []
    for hurries in (True, False):
        events = [_event(sequences(), random, hurries=hurries) for _ in range(EVENTS)]
        players = "" if hurries else ", nobody hurries"
        yield from _matches(events, f"matches{players}")
        yield from _rounds(random, f"rounds{players}", hurries=hurries)
    yield _cost([match for event in events for match in event.values()])


def _event(chosen: list[dict[str, Any]], random: Random, *, hurries: bool) -> Boards:
    """Return boards that begin at the same time, in an event of their own."""
    event = any_event(random)._replace(hurries=hurries)
    picked = random.sample(chosen, BOARDS)
    return {str(board): make(each, event, random) for board, each in enumerate(picked)}


# --- matches ------------------------------------------------------------------------------------


def _matches(events: list[Boards], name: str) -> Iterator[Figure]:
    usual = _usual_s([match for boards in events for match in boards.values()])
    seen, errors = [], []
    for boards in events:
        for at_s in _instants(boards, EVERY_S):
            for board, rest in forecast(_playing(boards, at_s)).boards.items():
                match = boards[board]
                seen.append(Seen(at_s, Spread(*(at_s + each for each in rest)), match.end_s))
                errors.append(abs(match.end_s - max(at_s, usual[match.length])) / 60)
    yield from _by_half_hour(f"{name}: ends before late", seen, 2, (0.87, 0.95))
    middle = _share(each.end_s <= each.spread.middle_s for each in seen)
    yield _between(f"{name}: ends before the middle", middle, 0.45, 0.58)
    inside = _share(each.spread.early_s < each.end_s <= each.spread.late_s for each in seen)
    yield _between(f"{name}: ends between early and late", inside, 0.75, 0.85)
    mean = statistics.fmean(each.error_min for each in seen)
    ratio = mean / statistics.fmean(errors)
    yield at_most(f"{name}: error, to that of a constant per length", [ratio], "times", 0.85)
    loss = statistics.fmean(each.loss_min for each in seen)
    yield at_most(f"{name}: pinball loss", [loss], "min", 4.3)


def _usual_s(played: list[MadeMatch]) -> dict[int, float]:
    """Return the middle duration of the matches of each length."""
    lengths = {match.length for match in played}
    return {
        length: statistics.median(match.end_s for match in played if match.length == length)
        for length in lengths
    }


def _instants(boards: Boards, every_s: float) -> Iterator[float]:
    """Yield the instants at which a round is looked at."""
    end_s = max(match.end_s for match in boards.values())
    yield from (number * every_s for number in range(1, int(end_s / every_s)))


def _by_half_hour(
    name: str, seen: list[Seen], level: int, bounds: tuple[float, float]
) -> Iterator[Figure]:
    """Yield the shares of ends before a time of their forecasts, by half hours of the round."""
    for half_hour in range(LATEST + 1):
        here = [each for each in seen if min(each.at_s // HALF_HOUR_S, LATEST) == half_hour]
        share = _share(each.end_s <= each.spread[level] for each in here)
        yield _between(f"{name}, half hour {half_hour + 1}", share, *bounds)


def _share(true: Iterable[bool]) -> float:
    return float(statistics.fmean(true))


def _between(name: str, share: float, lowest: float, highest: float) -> Figure:
    """Return a share that should lie in a range."""
    goal = f"{lowest:g}..{highest:g}"
    return Figure(name, share, share, share, "share", goal, lowest <= share <= highest)


# --- rounds -------------------------------------------------------------------------------------


class _Round(NamedTuple):
    """What the forecasts of one round were worth."""

    seen: list[Seen]
    quarter: Seen
    three_quarters: Seen
    named: tuple[bool, ...]  # whether the last board was, at each of `NAMED_BEFORE_S`
    far: tuple[bool, ...]  # whether it was among the three with the most points to play
    slow: list[float]  # the factors of the sides of which "slow" was said, to the middle player


def _rounds(random: Random, name: str, *, hurries: bool) -> Iterator[Figure]:
    rounds = [_round(number, random, hurries=hurries) for number in range(ROUNDS)]
    seen_all = [seen for each in rounds for seen in each.seen]
    yield from _by_half_hour(f"{name}: ends before late", seen_all, 2, (0.88, 0.97))
    yield from _by_half_hour(f"{name}: ends before the middle", seen_all, 1, (0.45, 0.62))
    for when, seen, goal in (
        ("a quarter", [each.quarter for each in rounds], 8),
        ("three quarters", [each.three_quarters for each in rounds], 6),
    ):
        error = statistics.median(each.error_min for each in seen)
        yield at_most(f"{name}: error after {when}, median", [error], "min", goal)
    for place, least in enumerate((0.78, 0.85)):
        share = _share(each.named[place] for each in rounds)
        named = f"{name}: last board named {NAMED_BEFORE_S[place] / 60:.0f} min before"
        usual = _share(each.far[place] for each in rounds)
        yield _between(named, share, least, 1)._replace(usual=usual)
    slow = [factor for each in rounds for factor in each.slow]
    wrong = _share(factor < NOT_SLOW for factor in slow)
    yield at_most(
        f"{name}: sides said to be slow that are not ({len(slow)})", [wrong], "share", 0.1
    )


def _round(number: int, random: Random, *, hurries: bool) -> _Round:
    """Return what the forecasts of a round with one length of match were worth."""
    length = LENGTHS[number % len(LENGTHS)]
    boards = _event([each for each in sequences() if each["n"] == length], random, hurries=hurries)
    end_s = max(match.end_s for match in boards.values())
    last = max(boards, key=lambda board: boards[board].end_s)
    seen: list[Seen] = []
    slow: set[tuple[str, Side]] = set()
    middle = statistics.median(factor for match in boards.values() for factor in match.factors)
    for at_s in _instants(boards, ROUND_EVERY_S):
        said = forecast(_playing(boards, at_s))
        end = said.end or Spread(0, 0, 0)
        seen.append(Seen(at_s, Spread(*(at_s + each for each in end)), end_s))
        slow |= set(said.slow.items())
    before = [_playing(boards, end_s - before_s) for before_s in NAMED_BEFORE_S]
    return _Round(
        seen,
        seen[len(seen) // 4],
        seen[len(seen) * 3 // 4],
        tuple(last in forecast(playing).last for playing in before),
        tuple(last in _farthest(playing) for playing in before),
        [boards[board].factors[list(Side).index(side)] / middle for board, side in slow],
    )


def _farthest(playing: dict[str, Playing]) -> list[str]:
    """Return the three boards with the most points to play, as a director guesses the last one."""
    points = {
        board: each.standing.score.near + each.standing.score.far for board, each in playing.items()
    }
    return sorted(points, key=points.__getitem__, reverse=True)[:NAMED]


def _playing(boards: Boards, at_s: float) -> dict[str, Playing]:
    return {board: match.playing(at_s) for board, match in boards.items() if match.end_s > at_s}


# --- cost ---------------------------------------------------------------------------------------


def _cost(played: list[MadeMatch]) -> Figure:
    boards = {
        str(number): match.playing(1200) for number, match in enumerate(played[:COSTLY_BOARDS])
    }
    forecast(boards)
    times = []
    for _ in range(5):
        begin_s = time.process_time()
        forecast(boards)
        times.append((time.process_time() - begin_s) * 1000)
    return at_most(f"forecast of {COSTLY_BOARDS} boards", times, "ms", 500)
