"""The lessons: each begins undone, and what the rules call for does it, step by step."""

import json
import runpy
from functools import partial
from importlib import import_module
from pathlib import Path
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


def test_a_match_or_a_lesson_begins_as_if_nothing_had_been_open_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a page has open, and has played of it, shows in nothing that it opens then."""
    monkeypatch.syspath_prepend(str(ROOT / "browser"))
    practice = import_module("practice_clock")
    monkeypatch.setattr(practice, "FOLDER", tmp_path)
    monkeypatch.setattr(practice.pixels, "register", lambda: None)  # Pillow is here
    practice.begin("[match]\nlength = 9\n", "")
    opens = [
        partial(practice.begin, "[match]\nlength = 5\n", ""),
        partial(practice.begin, "", practice.files()),
        *(partial(practice.begin_lesson, name, "en") for name in ("stop", "time")),
    ]
    for now in opens:
        shown = set()
        for before in opens:
            before()
            practice.move("left", True, 1.0)
            shown.add((now(), practice.wait(0), practice.files()))
        assert len(shown) == 1
        assert bool(json.loads(practice.wait(0))["task"]) == (now.func == practice.begin_lesson)
