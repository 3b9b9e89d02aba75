"""When a match will end: the time that its turns take, capped by the reserves."""

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

from clock.match.state import AT_REST, MatchState
from clock.match.types import Crawford, Pair, Phase
from clock.units import SECOND_NS
from room.forecast.games import DRAWS, FURTHEST, GOLDEN, Ahead, Score, ahead
from room.forecast.pace import MatchPace, SidePace

PRIOR_TURN_S = 11.5  # a turn in an experiment with 179 matches, most of it within the delay of 12 s
PRIOR_BEYOND_S = 3.0
PRIOR_TURNS = 200  # as many turns of a room weigh as much as this
OWN_TURNS = 25  # as many turns of a player weigh as much as the room
BETWEEN_GAMES_S = 45.0
STOP_S, STOP_EVERY_S = 200.0, 150 * 60.0  # a stop by the director, and how rare it is
PLASTIC = 0.7548776662466927  # its multiples spread evenly beside those of `GOLDEN`
SPREAD = 0.22  # of a match's pace around what was seen of it, as a share of it
HURRY = 0.6  # the share of draws in which players hurry when they are low on time: no flag falls

_LOGARITHMS = NormalDist(-SPREAD * SPREAD / 2, SPREAD)
_FACTORS = tuple(
    math.exp(_LOGARITHMS.inv_cdf((number + 0.5) * GOLDEN % 1)) for number in range(DRAWS)
)
_LUCK = tuple((number + 0.5) * PLASTIC % 1 for number in range(DRAWS))  # with stops, 0 to 1
_HASTE = tuple((number + 0.5) * PLASTIC * PLASTIC % 1 for number in range(DRAWS))


class Turns(NamedTuple):
    """The mean turn of a player or a room, in seconds."""

    within_s: float  # the part of it that the delay pays
    beyond_s: float  # the part that the reserve pays

    @property
    def whole_s(self) -> float:
        """The whole turn."""
        return self.within_s + self.beyond_s


PRIOR = Turns(PRIOR_TURN_S - PRIOR_BEYOND_S, PRIOR_BEYOND_S)


def mean_turn(sides: list[SidePace], prior: Turns, weight: int) -> Turns:
    """Return the mean turn of some sides, drawn towards what was expected of them.

    Args:
        sides: the turns seen.
        prior: what was expected.
        weight: the number of turns that counts as much as the expectation.
    """
    turns = sum(side.turns for side in sides) + weight
    beyond_s = sum(side.beyond_ns for side in sides) / SECOND_NS
    within_s = sum(side.used_ns for side in sides) / SECOND_NS - beyond_s
    return Turns(
        (within_s + weight * prior.within_s) / turns, (beyond_s + weight * prior.beyond_s) / turns
    )


class Standing(NamedTuple):
    """How far a match has come."""

    score: Score
    pace: MatchPace
    reserves_s: Pair[float]
    wait_s: float = 0.0  # until play can go on: the rest of a break


def standing_of(state: MatchState, pace: MatchPace, wait_ns: int = 0) -> Standing | None:
    """Return how far a match has come; None: nothing can be said of when it ends.

    `wait_ns` is the rest of a break. Nothing is said before the settings are confirmed, while the
    director holds the match, without a clock, where nobody has said whether the Crawford game was
    played, and while a player needs more than `FURTHEST` points.
    """
    silent = (Phase.REVIEW, Phase.NO_CLOCK, *AT_REST)
    if state.phase in silent or state.held or state.crawford is Crawford.UNKNOWN:
        return None
    near, far = sorted(state.away)
    if far > FURTHEST:
        return None
    reserves_s = state.players.map(lambda player: max(0, player.account.left_ns) / SECOND_NS)
    if state.flagless:
        reserves_s = Pair(math.inf, math.inf)
    return Standing(Score(near, far, state.crawford), pace, reserves_s, max(0, wait_ns) / SECOND_NS)


def rest_s(
    standing: Standing, room: Turns, ways: Sequence[Ahead] | None = None
) -> tuple[float, ...]:
    """Return equally likely times to the end of a match, in seconds, shortest first.

    Args:
        standing: how far it has come.
        room: the mean turn of the room.
        ways: what is ahead of the match, if that is known already.
    """
    ways = ways or ahead(standing.score, standing.pace.game_turns)
    means = [mean_turn([side], room, OWN_TURNS) for side in standing.pace.sides]
    within_s = sum(mean.within_s for mean in means)
    sides = list(zip((mean.beyond_s for mean in means), standing.reserves_s, strict=True))
    flags = (reserve / beyond for beyond, reserve in sides if reserve)
    most = min(flags, default=math.inf)  # turns of each player; without a reserve it has fallen
    found = []
    for factor, luck, haste, left in zip(_FACTORS, _LUCK, _HASTE, ways, strict=True):
        turns = left.turns / 2 * factor  # of each player
        if haste < HURRY:
            beyond_s = sum(_hurried(turns * beyond, reserve) for beyond, reserve in sides)
        else:
            turns = min(turns, most)  # the flag ends the match
            beyond_s = sum(turns * beyond for beyond, reserve in sides if reserve)
        played_s = turns * within_s + beyond_s
        stopped_s = int(played_s / STOP_EVERY_S + luck) * STOP_S + left.games * BETWEEN_GAMES_S
        found.append(standing.wait_s + played_s + stopped_s)
    return tuple(sorted(found))


def _hurried(beyond_s: float, reserve_s: float) -> float:
    """Return what the turns of a player who hurries take beyond their delays, in seconds."""
    if math.isinf(reserve_s):
        return beyond_s
    return reserve_s * -math.expm1(-beyond_s / reserve_s) if reserve_s > 0 else 0.0
