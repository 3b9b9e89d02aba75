"""Lessons: situations at the board, and how the clock tells that somebody has found the way out."""

from collections.abc import Callable
from typing import NamedTuple

from clock.match.state import MatchState
from clock.match.types import Pair, Phase, Side
from clock.units import SECOND_NS
from clock.virtual import VirtualClock


class Lesson(NamedTuple):
    """A situation, and the steps out of it; `browser.toml` says what to do at each."""

    lead_in: Callable[[VirtualClock], object]
    steps: tuple[Callable[[MatchState, MatchState], bool], ...]
    """Whether a step is done: by the match as it was when the step began, and as it is now."""


def settings(name: str, language: str) -> str:
    """Return the settings of a lesson."""
    names = 'names = ["Ada", "Ben"]\n' if name == "sides" else ""
    rules = f'[rules]\nprofile = "ebf"\n[display]\nlanguage = "{language}"\n'
    return f"[match]\nlength = 5\n{names}{rules}"


class Lessons:
    """A lesson that somebody is in."""

    def __init__(self, clock: VirtualClock, name: str) -> None:
        """Lead a clock that was just switched on into the situation."""
        self._clock, self._name, self._done = clock, name, 0
        LESSONS[name].lead_in(clock)
        self._begun = clock.state

    def word(self) -> str:
        """Return the key of what is to be done now, or "lesson_learned"."""
        steps = LESSONS[self._name].steps
        if self._done < len(steps) and steps[self._done](self._begun, self._clock.state):
            self._done, self._begun = self._done + 1, self._clock.state
        if self._done == len(steps):
            return "lesson_learned"
        return f"lesson_{self._name}_{self._done + 1}"


# --- situations: with all three buttons, a second after the act before ----------------------------


def _game(clock: VirtualClock) -> VirtualClock:
    """Have both confirm, and the right plunger start the left clock."""
    return clock.press("left").press("right").press("centre").press("right", after=6)


def _turns(clock: VirtualClock) -> VirtualClock:
    """Play two turns; the left clock runs again."""
    return _game(clock).press("left", after=20).press("right", after=15)


def _flag(clock: VirtualClock) -> VirtualClock:
    """Let the left player's 10:00 and the delay pass."""
    return _game(clock).wait(700)


# --- ways out -------------------------------------------------------------------------------------


def _right_wins(_: MatchState, now: MatchState) -> bool:
    return now.phase is Phase.FINISHED and now.winner is Side.RIGHT


def _given_back(begun: MatchState, now: MatchState) -> bool:
    gains = [
        after.account.left_ns - before.account.left_ns
        for before, after in zip(begun.players, now.players, strict=True)
    ]
    return gains == [72 * SECOND_NS, 0]


LESSONS = {
    "turns": Lesson(
        lambda clock: clock,
        (
            lambda _, now: now.running is not None,
            lambda begun, now: len(now.recent) >= len(begun.recent) + 2,
        ),
    ),
    "stop": Lesson(
        _turns,
        (lambda _, now: now.phase is Phase.STOPPED, lambda _, now: now.running is Side.LEFT),
    ),
    "points": Lesson(
        lambda clock: _turns(clock).wait(30), (lambda _, now: now.score == Pair(2, 0),)
    ),
    "sides": Lesson(
        lambda clock: clock, (lambda begun, now: now.names == begun.names.swapped(),)
    ),
    "time": Lesson(lambda clock: _turns(clock).press("centre", after=40), (_given_back,)),
    "wrong": Lesson(
        lambda clock: _turns(clock).press("centre", after=5),
        (lambda _, now: now.running is Side.RIGHT,),
    ),
    "flag": Lesson(lambda clock: _flag(clock).press("centre"), (_right_wins,)),
    "both": Lesson(
        lambda clock: _flag(clock).press("left").wait(700).press("centre"), (_right_wins,)
    ),
}  # fmt: skip
