"""The doctor's button test: what it shows of each press, how it judges a button, how it ends."""

import os
from functools import partial
from pathlib import Path
from typing import cast

import pytest

from hardware.buttons.plungers import Plungers
from hardware.diagnostics.button_test import ButtonTest
from hardware.diagnostics.edge_queue import EdgeQueue
from hardware.diagnostics.finding import Verdict
from lab.support.doctor_box import MS, Act, Patient, Person, pressed


@pytest.fixture
def patient(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Patient:
    return Patient(tmp_path, monkeypatch)


def shown(patient: Patient, *acts: Act) -> list[str]:
    """Return the lines that the button test prints while a person does this."""
    patient.acts = list(acts)
    patient.examine()
    begin = next(at for at, text in enumerate(patient.said) if "To finish, press Enter" in text)
    return [text.strip() for text in patient.said[begin + 1 :]]


def test_each_press_is_shown_with_its_bounce(patient: Patient) -> None:
    """The number of edges, the time from the first to the last, and the age of the stamp."""
    lines = shown(patient, *pressed("left", 0.9, 0.4))
    assert lines[1] == "left    press 1    5 edges   settled in  1.50 ms  stamp 0.00 ms old"


def test_the_buttons_are_asked_for_in_turn(patient: Patient) -> None:
    """The first button that is missing is asked for, in whatever order they are pressed."""
    acts = (*pressed("right"), *pressed("left"), *pressed("left"), *pressed("centre"))
    asked = [text for text in shown(patient, *acts) if text.startswith(("Now", "All"))]
    assert asked == [
        "Now press LEFT.",
        "Now press LEFT.",
        "Now press CENTRE.",
        "All three buttons work. Press them again, or finish.",
    ]


def test_a_touch_is_not_a_press(patient: Patient) -> None:
    def touch(person: Person) -> None:
        person.move("left", down=True)
        person.now_ns += 10 * MS
        person.move("left", down=False)

    lines = shown(patient, touch)
    assert lines[1] == "left    touched    2 edges   settled in 10.00 ms  stamp 0.00 ms old"
    assert patient.examine()["left"].found == "BCM 17, no press seen"


def test_holding_both_plungers_for_a_second_ends_the_test(patient: Patient) -> None:
    """Not if they are released before, and pressed again when the second is over."""

    def press_twice(person: Person) -> None:
        for at_ms, down in ((100, True), (400, False), (1200, True), (1500, False)):
            for name in ("left", "right"):
                move = partial(Person.move, name=name, down=down)
                person.later.append((person.now_ns + at_ms * MS, move))

    both: list[Act] = [
        lambda person: person.move("left", down=True),
        lambda person: person.move("right", down=True),
    ]

    def fail(_: Person) -> None:
        raise AssertionError("the test should have ended")

    patient.acts = [press_twice, *pressed("centre"), *both, fail]
    assert patient.examine()["left"].verdict is Verdict.OK
    assert patient.acts == [fail]


def test_ctrl_c_ends_the_test(patient: Patient) -> None:
    def interrupt(_: Person) -> None:
        raise KeyboardInterrupt

    patient.acts = [*pressed("left"), interrupt]
    findings = patient.examine()
    assert findings["left"].verdict is Verdict.OK
    assert findings["right"].verdict is Verdict.FAULT


def test_a_contact_that_bounces_longer_than_the_settle_time_is_noted(patient: Patient) -> None:
    patient.acts = [*pressed("left", 17.5), *pressed("right", 14.9), *pressed("centre")]
    findings = patient.examine()
    assert findings["left"].verdict is Verdict.NOTE
    assert "settle_ms = 20" in findings["left"].advice
    assert (
        "the edges of one bounce are 17.50 ms apart, but settle_ms is 15" in findings["left"].found
    )
    assert findings["right"].verdict is Verdict.OK


@pytest.mark.parametrize(
    ("bounce_ms", "rest_ms", "verdict"),
    [
        *((14, 2, Verdict.OK), (40, 4, Verdict.OK), (54, 6, Verdict.OK), (157, 4, Verdict.FAULT)),
        *((157, 12, Verdict.FAULT), (80, 40, Verdict.FAULT), (660, 6, Verdict.FAULT)),
    ],
)
def test_a_switch_that_bounces_too_long_is_refused(
    patient: Patient, bounce_ms: int, rest_ms: int, verdict: Verdict
) -> None:
    """The clock can wait for 40 ms and the settle time, 15: after that it counts another press."""
    patient.acts = pressed("left", *[rest_ms] * (bounce_ms // rest_ms // 2 * 2))
    found = patient.examine()["left"]
    assert found.verdict is verdict
    assert ("another switch" in found.advice) is (verdict is Verdict.FAULT and bounce_ms < 500)


def test_a_loose_wire_is_shown_while_it_chatters(patient: Patient) -> None:
    """A line that picks up mains hum never settles: it is shown twice a second."""

    def hum(person: Person, times: int = 30) -> None:
        for _ in range(times):
            person.move("left", down=True)
            person.now_ns += 10 * MS
            person.move("left", down=False)
            person.now_ns += 10 * MS

    lines = shown(patient, hum)
    assert lines[1] == "left    chatters   60 edges  settled in 590.00 ms  stamp 0.00 ms old"
    brief = [lambda person: hum(person, 27), *pressed("left")]
    patient.acts = [*brief, hum, *pressed("left"), *pressed("right"), *pressed("centre")]
    finding = patient.examine()["left"]
    assert (finding.verdict, finding.found) == (
        Verdict.FAULT,
        "BCM 17, chatters: 60 edges in 590.00 ms",
    )
    assert "loose" in finding.advice


class StuckPlungers:
    """Buttons whose wires touch ground."""

    levels = {"left": True, "right": True}  # noqa: RUF012
    chattering = frozenset[str]()

    def __init__(self, edges: EdgeQueue) -> None:
        self.edges = edges

    def wait(self, _: int | None) -> None:
        self.edges.get()

    def drain(self, now_ns: int) -> tuple[list[object], int]:
        return [], now_ns


def test_a_button_that_is_always_down_is_a_fault() -> None:
    """Its wire touches ground, or it is connected to the wrong contact of its switch."""
    keyboard, hand = os.pipe()
    os.close(hand)  # the end of the input, as with < /dev/null
    edges = EdgeQueue(keyboard)
    plungers = cast("Plungers", StuckPlungers(edges))
    finding, *_ = ButtonTest(dict.fromkeys(plungers.levels, 17), plungers, edges, print, 5).run()
    edges.close()
    os.close(keyboard)
    assert (finding.verdict, finding.found) == (Verdict.FAULT, "BCM 17, always down")
    assert "ground" in finding.advice
