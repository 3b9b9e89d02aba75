"""The doctor's button test: what it shows of each press, how it judges a button, how it ends."""

import os
from functools import partial
from pathlib import Path
from typing import cast

import pytest

from clock.config.schema import ButtonsTable
from hardware.buttons.plungers import Plungers
from hardware.diagnostics.button_test import ButtonTest
from hardware.diagnostics.edge_queue import EdgeQueue
from hardware.diagnostics.finding import Verdict
from lab.support.doctor_box import MS, Act, Patient, Person, pressed
from lab.support.rows import row


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
    """Nor is it one when another button is pressed meanwhile."""

    def touch(person: Person) -> None:
        person.plan("left", [0, 10])
        person.plan("centre", [5, 300])

    lines = shown(patient, touch)
    assert lines[1] == "centre  press 1    1 edge    settled in  0.00 ms  stamp 0.00 ms old"
    assert lines[3] == "left    touched    2 edges   settled in 10.00 ms  stamp 0.00 ms old"


def test_holding_both_plungers_for_a_second_ends_the_test(patient: Patient) -> None:
    """Without a break, and not a millisecond longer."""
    begun: list[int] = []

    def hold(person: Person) -> None:
        begun.append(person.now_ns)
        person.plan("left", [0, 600, 1000])
        person.plan("right", [200])

    def fail(_: Person) -> None:
        raise AssertionError("the test should have ended")

    patient.buttons = ButtonsTable(settle_ms=5)
    patient.acts = [*pressed("centre"), hold, fail]
    assert patient.examine()["left"].verdict is Verdict.OK
    assert patient.acts == [fail]
    assert patient.person is not None
    assert patient.person.now_ns - begun[0] == 2000 * MS


def test_ctrl_c_ends_the_test(patient: Patient) -> None:
    """The findings stand below a blank line, and below what the terminal shows of the key."""

    def interrupt(_: Person) -> None:
        raise KeyboardInterrupt

    for acts, blank in (([], [False, True]), ([interrupt], [True, True])):
        patient.acts = [*pressed("left"), *acts]
        findings = patient.examine()
        assert findings["left"].verdict is Verdict.OK
        assert findings["right"].verdict is Verdict.FAULT
        assert [not text for text in patient.said[-5:-3]] == blank


def every(ms: float, until: float, begin: float = 0) -> list[float]:
    """Return instants of edges of a contact that bounces or chatters."""
    return [begin + ms * number for number in range(round((until - begin) / ms) + 1)]


ONCE, TWICE, THRICE = (f"pressed {times}, at most" for times in ("1 time", "2 times", "3 times"))
WAITS, APART = "but the clock can wait for 55.00 ms", "ms apart, but settle_ms is 15"
FAST = "two presses are 79.90 ms apart, which no hand makes"
BOUNCE = "the edges of one bounce are"
LOOSE, SWITCH = "A wire or solder joint is loose", "Use another switch"
# When the contact moves, in ms; what is found, and advised. The clock can wait for 40 ms and the
# settle time, 15: after that it counts another press.
CONTACTS: list[tuple[list[float], str, str]] = [
    ([0, 300], f"{ONCE} 1 edge in 0.00 ms", ""),
    ([0, 0.9, 1, 300, 1000, 1300], f"{TWICE} 3 edges in 1.00 ms", ""),
    ([*every(5.5, 55), 300], f"{ONCE} 11 edges in 55.00 ms", ""),
    ([0, 13, 26, 39, 55.01], f"{ONCE} 5 edges in 55.01 ms; bounces for 55.01 ms, {WAITS}", SWITCH),
    ([*every(4, 156), 300], f"{ONCE} 1 edge in 0.00 ms; bounces for 156.00 ms, {WAITS}", SWITCH),
    ([*every(12, 144)], f"{ONCE} 13 edges in 144.00 ms; bounces for 144.00 ms, {WAITS}", SWITCH),
    ([0, 37, 80, 400, 1000], f"{THRICE} 1 edge in 0.00 ms", ""),
    ([0, 37, 79.9, 400, 1000], f"{THRICE} 1 edge in 0.00 ms; {FAST}", SWITCH),
    ([0, 0.1, 15.09], f"{ONCE} 3 edges in 15.09 ms", ""),
    ([0, 0.1, 15.1], f"{ONCE} 3 edges in 15.10 ms; {BOUNCE} 15.00 {APART}", "Set settle_ms = 17"),
    (
        [0, 300, 317.5, 318],
        f"{ONCE} 1 edge in 0.00 ms; {BOUNCE} 17.50 {APART}",
        "Set settle_ms = 20",
    ),
    ([0, 20], f"{ONCE} 2 edges in 20.00 ms", ""),  # a tap
    ([0, 20, 1000, 1300], f"{TWICE} 2 edges in 20.00 ms", ""),
    ([0, 10], "no press seen", "Check its two wires"),
    ([0, *every(10, 1590, 1000), 2000], "chatters: 60 edges in 590.00 ms", LOOSE),
    (every(1, 219), "chatters: 201 edges in 200.00 ms", LOOSE),  # it is not listened to any more
    (every(6, 654), "chatters: 84 edges in 498.00 ms", LOOSE),
]


def test_each_contact_is_judged_as_the_clock_meets_it(patient: Patient) -> None:
    """A switch that bounces too long is refused, one that a longer settle time mends is noted."""
    verdicts = {"": Verdict.OK, "Set": Verdict.NOTE}
    for at_ms, found, advice in CONTACTS:
        with row(at_ms):
            patient.acts = [partial(Person.plan, name="left", at_ms=at_ms)]
            finding = patient.examine()["left"]
            assert finding.found == f"BCM 17, {found}"
            assert finding.verdict is verdicts.get(advice[:3], Verdict.FAULT)
            assert finding.advice.startswith(advice)
    patient.buttons = ButtonsTable(settle_ms=1)  # over before the bounce is
    patient.acts = [partial(Person.plan, name="left", at_ms=[0, 300])]
    assert patient.examine()["left"].found == f"BCM 17, {ONCE} 1 edge in 0.00 ms"


def test_a_loose_wire_is_shown_while_it_chatters(patient: Patient) -> None:
    """A line that picks up mains hum never settles: it is shown twice a second, and is no press."""
    seen: list[str] = []

    def hum(person: Person) -> None:
        person.planned.append((person.now_ns + 550 * MS, lambda _: seen.append(patient.said[-1])))
        person.plan("left", [*every(10, 710), *every(20, 2500, 2000), 4000, 4300])

    lines = [text for text in shown(patient, hum) if text.startswith("left")]
    assert lines == [
        "left    chatters   51 edges  settled in 500.00 ms  stamp 0.00 ms old",
        "left    chatters   26 edges  settled in 500.00 ms  stamp 0.00 ms old",
        "left    press 1    1 edge    settled in  0.00 ms  stamp 0.00 ms old",
    ]
    assert [text.strip() for text in seen] == lines[:1]
    patient.acts = [hum]
    finding = patient.examine()["left"]
    assert finding.verdict is Verdict.FAULT
    assert finding.found == "BCM 17, chatters: 51 edges in 500.00 ms"


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
