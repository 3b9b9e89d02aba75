"""The lessons: each begins with its task undone, and what the rules call for does it."""

from clock.units import SECOND_NS
from lab.support.practice import Practice
from lab.support.rows import row
from room.practice.lessons import LESSONS

# By lesson: presses as on the director's page that do the task, and some that do not.
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


def test_a_lesson_is_learned_by_its_way_alone() -> None:
    """Neither by waiting nor by what others would do there."""
    assert WAYS.keys() == LESSONS.keys()
    for lesson, (right, wrong) in WAYS.items():
        for presses, learned in ((right, True), (wrong, False)):
            with row(lesson, presses):
                practice = Practice(lesson)
                assert not practice.clock.is_learned
                practice.play(presses)
                practice.wait(5 * SECOND_NS)
                assert practice.clock.is_learned == learned, practice.clock.panels()
