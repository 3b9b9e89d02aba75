"""How many turns and games a match still takes: a walk over its scores.

A turn is what a player does on the clock: a move, a dance, a double or its answer. The lengths of
games were counted in 650 matches of people and fitted between these and 3,900 matches of a program.
"""

from functools import cache
from typing import NamedTuple

from clock.match.types import Crawford

DRAWS = 256
FURTHEST = 25  # points; beyond that nothing is known, and the walk takes seconds
GOLDEN = 0.6180339887498949  # its multiples spread evenly over 0 to 1

# Turns of a game at 2.5, 7.5 .. 97.5 percent of the games.
_CUBE = (26, 35, 39, 42, 44, 45, 47, 48, 49, 51, 53, 54, 56, 58, 61, 64, 67, 71, 79, 90)
_CASH = (6, 8, 9, 10, 10, 12, 13, 14, 15, 16, 18, 19, 20, 21, 24, 27, 30, 33, 39, 57)
_PLAYED = (32, 37, 40, 42, 43, 45, 46, 47, 49, 51, 53, 56, 58, 60, 63, 65, 69, 75, 83, 99)
_FREE = (3, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 5, 8, 14)

_FITTED = 0.93  # turns are scaled by this, so that predicted ends of matches and rounds fit
_OVERDUE = (2.0, 6.0, 12.0, 24.0)  # turns left in a game that is longer than any in the tables


class Kind(NamedTuple):
    """A way in which a game can go: cashed, doubled and played, without a cube, dropped at once."""

    share: float  # of the games at a score
    points: int
    turns: tuple[int, ...]  # of a game, as one of the tables above has them
    factor: float = 1.0  # by which its games are longer than the table says

    def lengths(self) -> tuple[float, ...]:
        """Return the turns of a game, each number equally likely."""
        return tuple(turns * self.factor * _FITTED for turns in self.turns)


# While both need 2 points or more: by the points that the nearer one needs.
_TWO_AWAY = (Kind(0.36, 1, _CASH, 1.3), Kind(0.45, 2, _CUBE, 1.05), Kind(0.19, 4, _CUBE, 1.08))
_NEAR = (
    Kind(0.33, 1, _CASH),
    Kind(0.43, 2, _CUBE, 0.94),
    Kind(0.21, 4, _CUBE, 1.08),
    Kind(0.03, 8, _CUBE, 1.25),
)
_FAR = (
    Kind(0.31, 1, _CASH),
    Kind(0.44, 2, _CUBE, 0.9),
    Kind(0.21, 4, _CUBE, 1.05),
    Kind(0.04, 8, _CUBE, 1.25),
)
_OPEN = {2: _TWO_AWAY, 3: _NEAR, 4: _NEAR}
_CRAWFORD = (Kind(0.76, 1, _PLAYED), Kind(0.22, 2, _PLAYED), Kind(0.02, 3, _PLAYED))
_LAST = (Kind(1.0, 1, _PLAYED),)  # both need one point, or the leader wins after the Crawford game
_AFTER_CRAWFORD = (Kind(0.58, 1, _FREE), Kind(0.3, 2, _PLAYED, 1.1), Kind(0.12, 4, _PLAYED, 1.05))


class Score(NamedTuple):
    """Where a match stands: the points that the one and the other player still need."""

    near: int  # of the player who needs fewer
    far: int
    crawford: Crawford = Crawford.BEFORE

    def after(self, points: int, *, for_near: bool) -> "Score | None":
        """Return the score after one more game; None: the match is over."""
        near, far = sorted((self.near - points * for_near, self.far - points * (not for_near)))
        if near <= 0:
            return None
        if self.crawford is not Crawford.BEFORE:
            return Score(near, far, Crawford.DONE)
        return Score(near, far, Crawford.NOW if near == 1 else Crawford.BEFORE)


class Ahead(NamedTuple):
    """What may be ahead of a match."""

    turns: float  # on the clock, of both players
    games: int  # that have not begun


class Way(NamedTuple):
    """A way in which a game can go, and the score after it."""

    share: float  # of the games that the same player wins
    lengths: tuple[float, ...]  # in turns, each equally likely
    next: Score | None  # None: the match is over

    def beyond(self, turns: int) -> "Way":
        """Return the same way for a game that has had so many turns already."""
        left = tuple(length - turns for length in self.lengths if length > turns)
        return Way(self.share * len(left) / len(self.lengths), left, self.next)


def ahead(score: Score, turns: int = 0) -> tuple[Ahead, ...]:
    """Return `DRAWS` equally likely ways to the end of a match, by turns, fewest first.

    Args:
        score: at the beginning of the game that is played.
        turns: of that game so far.
    """
    if turns == 0:
        return _from_start(score)
    ways = _ways(score)
    left = [way for way in (each.beyond(turns) for each in ways) if way.lengths]
    return _draws(left or [way._replace(lengths=_OVERDUE) for way in ways])


@cache  # a score that is `FURTHEST` away for both leads to some 400 others, 25 KB each
def _from_start(score: Score) -> tuple[Ahead, ...]:
    return _draws(_ways(score))


def _draws(ways: list[Way]) -> tuple[Ahead, ...]:
    """Return what is ahead if the game that is played goes one of these ways."""
    whole = sum(way.share for way in ways)
    found: list[Ahead] = []
    share = 0.0
    for way in ways:
        share += way.share / whole
        count = round(share * DRAWS) - len(found)
        then = _from_start(way.next) if way.next else (Ahead(0, -1),)
        for number in range(count):
            length = way.lengths[int((number + 0.5) / count * len(way.lengths))]
            later = then[int((number + 0.5) * GOLDEN % 1 * len(then))]
            found.append(Ahead(length + later.turns, later.games + 1))
    return tuple(sorted(found))


def _ways(score: Score) -> list[Way]:
    """Return the ways in which a game at a score can go."""
    return [
        Way(kind.share, kind.lengths(), score.after(kind.points, for_near=for_near))
        for for_near, kinds in ((True, _leader(score)), (False, _trailer(score)))
        for kind in kinds
    ]


def _leader(score: Score) -> tuple[Kind, ...]:
    """Return what the player who is nearer to the end can win."""
    return _LAST if score.near == 1 else _OPEN.get(score.near, _FAR)


def _trailer(score: Score) -> tuple[Kind, ...]:
    """Return what the other player can win."""
    if score.far == 1:
        return _LAST
    if score.near > 1:
        return _OPEN.get(score.near, _FAR)
    return _CRAWFORD if score.crawford is Crawford.NOW else _AFTER_CRAWFORD
