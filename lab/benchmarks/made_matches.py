"""Make matches with times: real sequences of turns, invented durations.

`data/turn_sequences.jsonl.gz` has 1,932 matches of 3 to 15 points that a program played against
itself, one a line: the length `n`, and of each game the score, who begins, and the turns on the
clock (m: move, x: dance, d: double, t: take, p: drop). No log of a tournament is public, so the
durations are drawn: players differ, hurry, hesitate, take breaks and lose on time. They share
nothing with the forecast.
"""

import gzip
import json
import math
from bisect import bisect_right
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from clock.match.types import Crawford, Pair, Side
from room.forecast.games import Score
from room.forecast.match import Standing
from room.forecast.pace import MatchPace, SidePace
from room.forecast.round import Playing

SEQUENCES = Path(__file__).parent / "data" / "turn_sequences.jsonl.gz"
SHARE_OF_A_MOVE = {"m": 1.0, "x": 0.25, "d": 0.9, "t": 0.9, "p": 0.6}
MEAN_MOVE_S = 12.5
OPENING, RACE = 3, 30  # the first moves are quicker, and those after the thirtieth turn


class Event(NamedTuple):
    """The times of an event, and how quick everybody is there."""

    delay_s: float
    point_s: float  # time of each player for each point
    factor: float  # of all durations
    hurries: bool = True  # whether players are quicker when they are low on time


class Moment(NamedTuple):
    """A match after a turn, or at the beginning of a game."""

    at_s: float
    standing: Standing


class MadeMatch(NamedTuple):
    """A match that was made."""

    length: int
    end_s: float
    flagged: bool
    factors: tuple[float, float]  # of both players, left and right
    moments: list[Moment]

    def playing(self, at_s: float) -> Playing:
        """Return how far the match had come at an instant."""
        latest = bisect_right(self.moments, at_s, key=lambda moment: moment.at_s)
        return Playing(self.length, self.moments[latest - 1].standing)


def sequences() -> list[dict[str, Any]]:
    """Return the sequences of turns, one match each."""
    with gzip.open(SEQUENCES, "rt") as lines:
        return [json.loads(line) for line in lines]


def any_event(random: Random) -> Event:
    """Return an event with times that are in use."""
    return Event(random.choice((12, 12, 10)), random.choice((120, 120, 90)), _near(random, 0.15))


def make(sequence: dict[str, Any], event: Event, random: Random) -> MadeMatch:
    """Return a match with this sequence of turns."""
    return _Maker(sequence, event, random).play()


def _near(random: Random, deviation: float) -> float:
    """Return a factor around 1."""
    return math.exp(random.gauss(0, deviation) - deviation * deviation / 2)


def _player(random: Random) -> float:
    """Return how long a player's turns are, as a factor."""
    kind = random.random()
    return _near(random, 0.28) * (1.5 if kind < 0.06 else 0.7 if kind < 0.16 else 1.0)


class _Maker:
    """A match while it is made."""

    def __init__(self, sequence: dict[str, Any], event: Event, random: Random) -> None:
        self.random, self.event, self.sequence = random, event, sequence
        self.length: int = sequence["n"]
        self.factors = (_player(random), _player(random))
        self.tails = [random.uniform(0.02, 0.06) for _ in Side]
        self.drifts = [random.uniform(-0.15, 0.15) for _ in Side]
        self.reserves = [self.length * event.point_s] * 2
        self.paces = [SidePace(), SidePace()]
        self.complexity = 0.0
        self.at_s = 0.0
        self.moments: list[Moment] = []

    def play(self) -> MadeMatch:
        """Play all games, or up to a flag."""
        total = sum(len(game["seq"]) for game in self.sequence["games"])
        break_after = total / 2 if self.length >= 9 and self.random.random() < 0.5 else math.inf
        turns, crawford, end_s = 0, Crawford.BEFORE, 0.0
        for game in self.sequence["games"]:
            if crawford is Crawford.NOW:
                crawford = Crawford.DONE
            elif crawford is Crawford.BEFORE and self.length - 1 in game["score"]:
                crawford = Crawford.NOW
            near, far = sorted(self.length - points for points in game["score"])
            score = Score(near, far, crawford)
            self._note(score, 0)
            for number, (side, turn) in enumerate(self._turns(game), 1):
                turns += 1
                if not self._turn(side, turn, number, turns / total):
                    return self._ended(flagged=True)
                self._note(score, number)
            end_s = self.at_s
            self.at_s += self.random.uniform(25, 90)
            if turns > break_after:
                self.at_s += self.random.uniform(180, 330)
                break_after = math.inf
        self.at_s = end_s
        return self._ended(flagged=False)

    def _turns(self, game: dict[str, Any]) -> Iterator[tuple[int, str]]:
        side = game["first"]
        for turn in game["seq"]:
            yield side, turn
            side = 1 - side

    def _turn(self, side: int, turn: str, number: int, share: float) -> bool:
        """Play a turn; return whether the player's time was enough."""
        used_s = self._duration_s(side, turn, number, share)
        beyond_s = max(0.0, used_s - self.event.delay_s)
        if beyond_s >= self.reserves[side]:
            self.at_s += self.event.delay_s + self.reserves[side]
            return False
        self.reserves[side] -= beyond_s
        self.at_s += used_s
        if self.random.random() < used_s / (150 * 60):  # the director is called
            self.at_s += self.random.uniform(60, 340)
        self.paces[side] = self.paces[side].after(int(used_s * 1e9), int(beyond_s * 1e9))
        return True

    def _duration_s(self, side: int, turn: str, number: int, share: float) -> float:
        self.complexity = 0.7 * self.complexity + self.random.gauss(0, 0.25)
        used_s = MEAN_MOVE_S * SHARE_OF_A_MOVE[turn] * self.factors[side] * self.event.factor
        used_s *= math.exp(self.complexity - 0.06) * (1 + self.drifts[side] * (share - 0.5))
        if turn == "m":
            used_s *= 0.6 if number <= OPENING else 1.1 if number <= RACE else 0.85
            if self.random.random() < self.tails[side]:
                used_s *= min(12, self.random.paretovariate(1.6) + 1)
        return max(1.5, self._hurried(used_s, self.reserves[side]))

    def _hurried(self, used_s: float, reserve_s: float) -> float:
        """Return the duration of a turn as a player plays it who looks at the clock."""
        if not self.event.hurries:
            return used_s
        quick_s = 0.8 * self.event.delay_s
        if reserve_s < 60 and used_s > quick_s:
            return quick_s + 0.3 * (used_s - quick_s)
        return used_s * (0.93 if reserve_s < self.length * self.event.point_s / 2 else 1.0)

    def _note(self, score: Score, game_turns: int) -> None:
        pace = MatchPace(Pair(*self.paces), game_turns)
        self.moments.append(Moment(self.at_s, Standing(score, pace, Pair(*self.reserves))))

    def _ended(self, *, flagged: bool) -> MadeMatch:
        return MadeMatch(self.length, self.at_s, flagged, self.factors, self.moments)
