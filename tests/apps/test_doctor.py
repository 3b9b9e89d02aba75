"""The examination of a box: what it finds, says and leaves behind, good and bad."""

from errno import EREMOTEIO
from pathlib import Path
from typing import NoReturn

import pytest
from doctor_box import ADDRESSES, Patient, pressed
from gpiozero import GPIOPinInUse
from panel_models import MODELS, Trouble
from PIL import Image

from clock.config.schema import Buttons, Display
from hardware.diagnostics.check_bus import picture
from hardware.gpio.factories import HardwareError
from hardware.diagnostics.finding import Verdict

FAULT, NOTE, LEFT_OUT = Verdict.FAULT, Verdict.NOTE, Verdict.LEFT_OUT


@pytest.fixture
def patient(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Patient:
    """A box in which all is well."""
    return Patient(tmp_path, monkeypatch)


def test_a_box_that_is_well_is_found_well(patient: Patient) -> None:
    """Everything is looked at; each line fits a terminal of 80 columns."""
    found = patient.examined()
    assert {finding.verdict for finding in found.values()} == {Verdict.WELL}
    assert list(found) == [
        "computer", "kernel", "supply", "sleep", "groups", "packages", "gpiochip", "stamps", "i2c",
        "log", "log space", "log sync", "service", "serial", "left panel", "right panel",
        "bus speed", "left", "right", "centre",
    ]  # fmt: skip
    lines = [line for text in patient.said for line in text.split("\n")]
    assert [line for line in lines if len(line) > 80 and str(patient.log.parent) not in line] == []


def test_nothing_is_left_behind(patient: Patient) -> None:
    """Panels dark and empty, bus closed, pins free, directory as it was."""
    patient.examined()
    assert [(panel.shines, panel.blank) for panel in patient.panels.values()] == [(False, True)] * 2
    assert (patient.bus.opened, list(patient.log.iterdir())) == (0, [])
    assert patient.wrong() == {"left": FAULT, "right": FAULT, "centre": FAULT}  # nobody is there


# --- the panels -------------------------------------------------------------------------------


def test_both_panels_show_their_pictures_while_buttons_are_pressed(patient: Patient) -> None:
    """The right name on each, upright though one is mounted upside down."""
    seen: list[Image.Image] = []

    def look(_: object) -> None:
        seen.extend(panel.picture() for panel in patient.panels.values())

    patient.acts.insert(0, look)
    patient.display = Display(rotate=(0, 2))
    patient.examined()
    left, right = seen
    assert left.tobytes() == picture("LEFT", ADDRESSES["left"]).tobytes()
    assert right.rotate(180).tobytes() == picture("RIGHT", ADDRESSES["right"]).tobytes()


@pytest.mark.parametrize(("contrast", "seen"), [(None, 0xCF), (0, 0), (90, 90)])
def test_the_pictures_are_as_bright_as_the_clock(
    patient: Patient, contrast: int | None, seen: int
) -> None:
    """Who sets it sees at once what comes of it."""
    patient.display = Display(contrast=contrast)
    patient.examined()
    assert [panel.contrast for panel in patient.panels.values()] == [seen, seen]


@pytest.mark.parametrize("driver", ["ssd1306", "sh1106"])
@pytest.mark.parametrize(
    ("khz", "verdict"), [(400, Verdict.WELL), (300, Verdict.WELL), (100, NOTE)]
)
def test_the_bus_is_timed_by_whole_pictures(
    patient: Patient, driver: str, khz: int, verdict: Verdict
) -> None:
    """The bits of everything that was sent, for as long as that took."""
    patient.panels.update({address: MODELS[driver]() for address in ADDRESSES.values()})
    patient.display = Display(driver=driver)  # type: ignore[arg-type]
    patient.bus._khz = khz
    found = patient.examined()["bus speed"]
    assert (found.found, found.verdict) == (f"{khz} kHz measured", verdict)
    if verdict is NOTE:
        assert "dtparam=i2c_arm=on,i2c_arm_baudrate=400000" in found.advice


def test_a_bus_that_is_slower_than_it_is_set_to(patient: Patient) -> None:
    """Then the same line again would not help."""
    patient.bus._khz = 250
    path = patient.root / "sys/bus/i2c/devices/i2c-1/of_node/clock-frequency"
    path.parent.mkdir(parents=True)
    path.write_bytes((400_000).to_bytes(4, "big"))
    found = patient.examined()["bus speed"]
    assert (found.found, found.verdict) == ("250 kHz measured, set to 400 kHz", NOTE)
    assert "enable_uart=1" in found.advice


def test_a_panel_that_does_not_answer(patient: Patient) -> None:
    """The other one is examined all the same."""
    patient.panels[ADDRESSES["right"]].plugged = False
    found = patient.examined()
    assert found["left panel"].verdict is Verdict.WELL
    assert found["right panel"].verdict is FAULT
    assert "0x3D" in found["right panel"].found
    assert "wires" in found["right panel"].advice
    assert found["bus speed"].found == "400 kHz measured"


def test_a_panel_that_fails_in_the_middle(patient: Patient) -> None:
    """A picture that did not arrive is not timed."""
    patient.panels[ADDRESSES["right"]].plugged = False
    patient.bus.troubles[7] = Trouble(EREMOTEIO)
    found = patient.examined()
    assert found["left panel"].verdict is FAULT
    assert "loose" in found["left panel"].advice
    assert "bus speed" not in found


# --- the pins ---------------------------------------------------------------------------------


def test_a_clock_that_has_the_pins_is_left_alone(patient: Patient) -> None:
    """Its panels are not drawn on."""

    def in_use(_: str) -> NoReturn:
        raise GPIOPinInUse("pin GPIO17 is already in use by 'gpiozero'")

    patient.factory = in_use
    found = patient.examined()
    assert (found["buttons"].verdict, found["left panel"].verdict) == (FAULT, LEFT_OUT)
    assert "'gpiozero'" in found["buttons"].found
    assert patient.bus.attempts == 0


@pytest.mark.parametrize("state", ["active", "activating"])
def test_a_service_that_runs_is_left_alone(patient: Patient, state: str) -> None:
    """And how to stop it is said; nothing of it counts as examined."""
    patient.service = state
    found = patient.examined()
    assert "sudo systemctl stop gammonclock" in found["service"].advice
    assert [name for name, each in found.items() if each.verdict is LEFT_OUT] == [
        "serial", "buttons", "left panel", "right panel",
    ]  # fmt: skip
    assert patient.bus.attempts == 0
    assert not patient.pins.pins


def test_without_pins_the_panels_are_examined_all_the_same(patient: Patient) -> None:
    """As on a box whose user may not open the chip."""

    def no_pins(_: str) -> NoReturn:
        raise HardwareError("no pins through gpiod: no chip")

    patient.factory = no_pins
    assert patient.wrong() == {"buttons": FAULT}


def test_stamps_of_software_are_said_to_be(patient: Patient) -> None:
    """With rpigpio a note with its consequence; lgpio has the kernel's."""
    patient.buttons = Buttons(pin_factory="rpigpio")
    found = patient.examined()["stamps"]
    assert (found.verdict, found.found[:9]) == (NOTE, "rpigpio: ")
    assert "software" in found.found
    assert 'pin_factory = "gpiod"' in found.advice
    patient.buttons = Buttons(pin_factory="lgpio")
    assert "floating point" in patient.examined()["stamps"].found


def test_a_button_that_was_never_seen_is_named(patient: Patient) -> None:
    """With its pin, and what to look at."""
    patient.acts = pressed("left") + pressed("centre")
    found = patient.examined()
    assert {name: found[name].verdict for name in ("left", "right", "centre")} == {
        "left": Verdict.WELL,
        "right": FAULT,
        "centre": Verdict.WELL,
    }
    assert found["right"].found == "BCM 27, never seen pressed"
    assert "BCM 27" in found["right"].advice


def test_without_input_nobody_is_asked(patient: Patient) -> None:
    """No button counts as tried, and no fault comes of it."""
    patient.acts = []
    assert patient.wrong(asking=False) == {"left": LEFT_OUT, "right": LEFT_OUT, "centre": LEFT_OUT}
    assert not [text for text in patient.said if "press" in text.lower() and "nobody" not in text]


# --- the rest ---------------------------------------------------------------------------------


def test_a_bare_computer_says_what_is_missing(patient: Patient, tmp_path: Path) -> None:
    """As on a laptop: faults with advice, and no traceback."""
    patient.root = tmp_path / "nothing"
    patient.bus.there = False

    def no_pins(_: str) -> NoReturn:
        raise HardwareError("no pins through gpiod: no chip")

    patient.factory = no_pins
    found = patient.examined()
    faults = {name: each for name, each in found.items() if each.verdict is FAULT}
    assert list(faults) == ["gpiochip", "i2c", "buttons"]
    assert all(each.advice for each in faults.values())
    assert found["left panel"].verdict is found["right panel"].verdict is LEFT_OUT


def test_a_directory_that_cannot_be_made_is_not_timed(patient: Patient, tmp_path: Path) -> None:
    """A file stands in its way."""
    (tmp_path / "file").write_text("")
    patient.log = tmp_path / "file" / "log"
    assert patient.wrong() == {"log": FAULT, "log sync": LEFT_OUT}
