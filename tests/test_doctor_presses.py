"""Pressing buttons before the doctor's eyes: edges, settling, who is asked for, how it ends."""

import os
from pathlib import Path
from typing import NamedTuple

import pytest
from doctor_box import MS, Act, Patient, Person, pressed

from hardware.diagnostics.edge_wait import Attention
from hardware.diagnostics.finding import Verdict
from hardware.diagnostics.bounce import LONGEST_NS, QUIET_NS, Edge, Movement, Movements
from hardware.diagnostics.press_findings import presses
from hardware.diagnostics.button_test import PressTest


@pytest.fixture
def patient(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Patient:
    """A box in which all is well."""
    return Patient(tmp_path, monkeypatch)


def told(patient: Patient, *acts: Act) -> list[str]:
    """What is said while somebody does this."""
    patient.acts = list(acts)
    patient.examined()
    begin = next(at for at, text in enumerate(patient.said) if "To end: Enter" in text)
    return [text.strip() for text in patient.said[begin + 1 :]]


def test_each_press_is_shown_with_its_bounce(patient: Patient) -> None:
    """How many edges, from the first to the last, and the age of the stamp."""
    said = told(patient, *pressed("left", 0.9, 0.4))
    assert said[1] == "left    press 1    5 edges   settled in  1.50 ms  stamp 0.00 ms old"


def test_the_buttons_are_asked_for_in_turn(patient: Patient) -> None:
    """The next that is missing, whatever was pressed; each is asked for when it is next."""
    said = told(patient, *pressed("right"), *pressed("left"), *pressed("left"), *pressed("centre"))
    asked = [text for text in said if text.startswith(("Now", "All"))]
    assert asked == [
        "Now press LEFT.",
        "Now press LEFT.",
        "Now press CENTRE.",
        "All three are there. Press on, or end it.",
    ]


def test_a_touch_is_no_press(patient: Patient) -> None:
    """It is shown, and the button is still to be pressed."""

    def touch(person: Person) -> None:
        person.move("left", down=True)
        person.now_ns += 10 * MS
        person.move("left", down=False)

    said = told(patient, touch)
    assert said[1] == "left    touched    2 edges   settled in 10.00 ms  stamp 0.00 ms old"
    assert patient.examined()["left"].found == "BCM 17, never seen pressed"


def test_both_plungers_held_for_a_second_end_it(patient: Patient) -> None:
    """Not before, and not one of them alone."""
    both: list[Act] = [
        lambda person: person.move("left", down=True),
        lambda person: person.move("right", down=True),
    ]

    def never(_: Person) -> None:
        raise AssertionError("it had ended")

    patient.acts = [*pressed("centre"), *both, never]
    assert patient.examined()["left"].verdict is Verdict.WELL
    assert patient.acts == [never]


def test_ctrl_c_ends_it_too(patient: Patient) -> None:
    """With what was seen until then."""

    def interrupt(_: Person) -> None:
        raise KeyboardInterrupt

    patient.acts = [*pressed("left"), interrupt]
    found = patient.examined()
    assert found["left"].verdict is Verdict.WELL
    assert found["right"].verdict is Verdict.FAULT


def test_a_contact_that_settles_too_late(patient: Patient) -> None:
    """Two edges of one press further apart than the settling time: what to set."""
    patient.acts = [*pressed("left", 7.5), *pressed("right", 4.9), *pressed("centre")]
    found = patient.examined()
    assert found["left"].verdict is Verdict.NOTE
    assert "settle_ms = 10" in found["left"].advice
    assert "edges of one movement 7.50 ms apart, and settle_ms is 5" in found["left"].found
    assert found["right"].verdict is Verdict.WELL


def test_a_loose_wire_is_seen_at_once(patient: Patient) -> None:
    """A line that hums with the mains never comes to rest: it is told of twice a second."""

    def hum(person: Person) -> None:
        for _ in range(30):
            person.move("left", down=True)
            person.now_ns += 10 * MS
            person.move("left", down=False)
            person.now_ns += 10 * MS

    said = told(patient, hum)
    assert said[1] == "left    chatters   60 edges  settled in 590.00 ms  stamp 0.00 ms old"
    patient.acts = [hum, *pressed("left"), *pressed("right"), *pressed("centre")]
    found = patient.examined()["left"]
    assert (found.verdict, found.found) == (
        Verdict.FAULT,
        "BCM 17, chatters: 60 edges in 590.00 ms",
    )
    assert "loose" in found.advice


class Stuck(NamedTuple):
    """A button whose wire touches ground."""

    name: str
    pin: int = 17
    down: bool = True

    def now_ns(self) -> int:
        """No time passes."""
        return 0


def test_a_button_that_is_down_all_the_time() -> None:
    """A wire that touches ground, or the wrong contact of a switch."""
    keyboard, hand = os.pipe()
    os.close(hand)  # the end of the input, as with < /dev/null
    attention = Attention(keyboard)
    finding, *_ = PressTest([Stuck("left"), Stuck("right")], attention, lambda _: None, 5).run()
    attention.close()
    os.close(keyboard)
    assert (finding.verdict, finding.found) == (Verdict.FAULT, "BCM 17, down all the time")
    assert "ground" in finding.advice


# --- movements --------------------------------------------------------------------------------


def edges(*at_ms: int) -> list[Edge]:
    """Edges of the left button, each reported 0.1 ms late."""
    return [Edge("left", at * MS, MS // 10) for at in at_ms]


def test_a_movement_is_over_when_it_has_been_quiet() -> None:
    """Not a nanosecond before; its level is the one that is read then."""
    movements = Movements({"left": False})
    movements.add(edges(0, 1, 4))
    end_ns = 4 * MS + QUIET_NS
    assert movements.over(end_ns - 1, {"left": True}) == []
    assert movements.under_way
    [movement] = movements.over(end_ns, {"left": True})
    assert movement == Movement("left", False, True, 3, 4 * MS, 3 * MS, MS // 10)
    assert not movements.under_way
    assert not movement.restless
    movements.add(edges(100))
    [release] = movements.over(200 * MS, {"left": False})
    assert (release.was_down, release.is_down, release.gap_ns) == (True, False, 0)


def test_a_movement_without_an_end_is_told_of_in_parts() -> None:
    """Edges 10 ms apart for ever: not a nanosecond before its time."""
    movements = Movements({"left": False})
    movements.add(edges(*range(0, 500, 10)))
    assert movements.over(LONGEST_NS - 1, {"left": True}) == []
    [part] = movements.over(LONGEST_NS, {"left": True})
    assert (part.edges, part.restless, movements.under_way) == (50, True, False)
    assert presses([part]) == []


# --- waiting ----------------------------------------------------------------------------------


def test_attention_is_for_edges_and_for_the_keyboard() -> None:
    """A call wakes it once; a line, or the end of the input, is the person's."""
    keyboard, hand = os.pipe()
    attention = Attention(keyboard)
    try:
        assert attention.wait(0) is False
        attention.report(edges(1)[0])
        attention.report(edges(2)[0])
        assert attention.wait(None) is False
        assert [edge.at_ns for edge in attention.taken()] == [MS, 2 * MS]
        assert attention.taken() == []
        os.write(hand, b"\n")
        assert attention.wait(None) is True
    finally:
        attention.close()
        os.close(hand)
        assert os.read(keyboard, 2) == b"\n"
        os.close(keyboard)
