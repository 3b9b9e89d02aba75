"""The lessons: each begins undone, and what the rules call for does it, step by step."""

import runpy
from types import SimpleNamespace

import pytest

from clock.virtual import VirtualClock
from lab.support.paths import ROOT

lessons = SimpleNamespace(**runpy.run_path(str(ROOT / "browser" / "lessons.py")))

# By lesson: presses that do its task (H: hold the centre), and some that do not.
WAYS = {
    "turns": ("L R C R L R", "L R C R L"),
    "stop": ("C C", "C"),
    "points": ("C R C L L C", "C R C L C"),
    "sides": ("H R R C C", "L R C R"),
    "time": ("H R R C C R C R C R R C C C", "H R R C C C"),
    "wrong": ("H C R C C C", "C"),
    "flag": ("H C C C C", "C"),
    "both": ("H C C C C", "H R C C C"),
}
BUTTONS = {"L": "left", "R": "right", "C": "centre"}


@pytest.mark.parametrize("name", lessons.LESSONS)
def test_a_lesson_is_learned_by_its_way_alone(name: str) -> None:
    """Neither by waiting nor by what others would do there; each step has its words."""
    for presses, learned in zip(WAYS[name], (True, False), strict=True):
        with VirtualClock(lessons.settings(name, "en")) as clock:
            lesson = lessons.Lessons(clock, name)
            said = [lesson.word()]
            for press in presses.split():
                if press == "H":
                    clock.hold()
                else:
                    clock.press(BUTTONS[press])
                said.append(lesson.word())
            clock.wait(5)
            said.append(lesson.word())
        steps = [f"lesson_{name}_{n + 1}" for n in range(len(lessons.LESSONS[name].steps))]
        expected = [*steps, "lesson_learned"]
        assert [*dict.fromkeys(said)] == (expected if learned else expected[: len({*said})])
        assert (said[-1] == "lesson_learned") == learned
