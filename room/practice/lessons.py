"""Lessons: a situation at the board, and how to tell that a visitor has found the way out."""

from collections.abc import Callable
from typing import NamedTuple

from clock.apps.script import parse
from clock.match.state import MatchState
from clock.match.types import Pair, Phase, Side
from clock.ui.dialogue import ButtonMoved
from clock.units import SECOND_NS


class Progress(NamedTuple):
    """What has happened in a lesson."""

    begun: MatchState
    now: MatchState
    phases: tuple[Phase, ...]  # through which the match went, the present one last

    def given_ns(self) -> Pair[int]:
        """Return how much more time is left to each player than when the lesson began."""
        before, after = self.begun.players, self.now.players
        return Pair(*(after[side].account.left_ns - before[side].account.left_ns for side in Side))


class Lesson(NamedTuple):
    """A situation and its way out."""

    moves: tuple[ButtonMoved, ...]
    """The presses that lead into the situation."""
    end_ns: int
    """When it begins, from switching the clock on."""
    is_learned: Callable[[Progress], bool]
    match: tuple[str, int] = ("ebf", 5)
    """Profile and length."""


def _lesson(script: str, is_learned: Callable[[Progress], bool]) -> Lesson:
    [segment] = parse(script, "lesson")
    return Lesson(segment.moves, segment.end_ns, is_learned)


# Both players confirm, the dice are rolled, and the right player's plunger starts the left clock.
GAME = "1 press left\n1 press right\n1 press centre\n6 press right\n"
TURNS = f"{GAME}20 press left\n15 press right\n"  # now the left clock runs
FLAGGED = f"{GAME}700 wait\n"  # 10:00 and the delay are over
BOTH = f"{FLAGGED}1 press left\n700 wait\n"


def _played(progress: Progress) -> bool:
    return len(progress.now.recent) > len(progress.begun.recent) + 2  # the begin of each turn


def _stopped_and_on(progress: Progress) -> bool:
    stopped = Phase.STOPPED in progress.phases
    return stopped and progress.now.running is progress.begun.running


def _two_points(progress: Progress) -> bool:
    return progress.now.score == Pair(2, 0)


def _right_wins(progress: Progress) -> bool:
    return progress.now.phase is Phase.FINISHED and progress.now.winner is Side.RIGHT


def _given_back(progress: Progress) -> bool:
    return progress.given_ns() == Pair(72 * SECOND_NS, 0)


def _right_runs(progress: Progress) -> bool:
    return progress.now.running is Side.RIGHT and Phase.STOPPED in progress.phases


def _swapped(progress: Progress) -> bool:
    return progress.now.names == progress.begun.names.swapped()


# By name: a page is opened at a lesson as `/practice?at=flag`. The words are in pages/words.
LESSONS = {
    "turns": _lesson("0 wait", _played),
    "stop": _lesson(TURNS, _stopped_and_on),
    "points": _lesson(f"{TURNS}30 wait", _two_points),
    "sides": _lesson("0 wait", _swapped),
    "time": _lesson(f"{TURNS}40 press centre\n", _given_back),
    "wrong": _lesson(f"{TURNS}5 press centre\n", _right_runs),
    "flag": _lesson(f"{FLAGGED}1 press centre\n", _right_wins),
    "both": _lesson(f"{BOTH}1 press centre\n", _right_wins),
}
