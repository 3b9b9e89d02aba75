"""The doctor on a whole clock: its findings, what it prints, and that it leaves nothing behind."""

import os
from errno import EREMOTEIO, ETIMEDOUT
from pathlib import Path
from typing import NoReturn

import pytest
from gpiozero import GPIOPinInUse
from PIL import Image

from clock.apps import doctor
from clock.apps.doctor import NO_BUS, read_settings, report
from clock.config.loader import parse_settings
from clock.config.schema import ButtonsTable, DisplayTable
from hardware.diagnostics.check_bus import HELD_LOW, NO_ANSWER, NO_PULL_UP, SAME_ADDRESS, picture
from hardware.diagnostics.finding import Finding, Verdict
from hardware.gpio.factories import HardwareError
from lab.support.doctor_box import ADDRESSES, Patient, pressed
from lab.support.findings import file
from lab.support.panel_models import MODELS, Trouble

FAULT, NOTE, SKIPPED = Verdict.FAULT, Verdict.NOTE, Verdict.SKIPPED


@pytest.fixture
def patient(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Patient:
    return Patient(tmp_path, monkeypatch)


def test_a_clock_without_faults(patient: Patient) -> None:
    """Every part is tested; every line fits a terminal of 80 columns."""
    found = patient.examine()
    assert {finding.verdict for finding in found.values()} == {Verdict.OK}
    assert list(found) == [
        "computer", "kernel", "supply", "temperature", "sleep", "groups", "packages", "gpiochip",
        "stamps", "i2c",
        "uart", "log", "log space", "log sync", "service", "serial", "left panel", "right panel",
        "bus speed", "left", "right", "centre",
    ]  # fmt: skip
    assert any("Look at both panels" in text for text in patient.said)
    lines = [line for text in patient.said for line in text.split("\n")]
    assert [line for line in lines if len(line) > 80 and str(patient.log.parent) not in line] == []


def test_nothing_is_left_behind(patient: Patient) -> None:
    """Panels are dark and empty, bus closed, pins free, and the directory is as before."""
    descriptors = {*Path("/proc/self/fd").iterdir()}
    patient.examine()
    assert {*Path("/proc/self/fd").iterdir()} == descriptors
    assert not patient.pins.pins
    assert [(panel.shines, panel.blank) for panel in patient.panels.values()] == [(False, True)] * 2
    assert (patient.bus.opened, list(patient.log.iterdir())) == (0, [])
    assert patient.problems() == {
        "left": FAULT,
        "right": FAULT,
        "centre": FAULT,
    }  # no one presses them


# --- the panels -------------------------------------------------------------------------------


def test_both_panels_show_their_pictures_while_buttons_are_pressed(patient: Patient) -> None:
    """Each shows its own name, upright even if it is mounted upside down."""
    seen: list[Image.Image] = []

    def look(_: object) -> None:
        seen.extend(panel.picture() for panel in patient.panels.values())

    patient.acts.insert(0, look)
    patient.display = DisplayTable(rotate=(0, 2))
    patient.examine()
    left, right = seen
    assert left.tobytes() == picture("LEFT", "0x3C").tobytes()
    assert right.rotate(180).tobytes() == picture("RIGHT", "0x3D").tobytes()


@pytest.mark.parametrize("driver", ["ssd1306", "sh1106"])
@pytest.mark.parametrize(("khz", "verdict"), [(400, Verdict.OK), (300, Verdict.OK), (100, NOTE)])
def test_the_bus_is_timed_by_whole_pictures(
    patient: Patient, driver: str, khz: int, verdict: Verdict
) -> None:
    """The speed is all bits that were sent, divided by the time that took."""
    patient.panels.update({address: MODELS[driver]() for address in ADDRESSES.values()})
    patient.display = DisplayTable(driver=driver)  # type: ignore[arg-type]
    patient.bus._khz = khz
    found = patient.examine()["bus speed"]
    assert (found.found, found.verdict) == (f"{khz} kHz measured", verdict)
    if verdict is NOTE:
        assert "dtparam=i2c_arm=on,i2c_arm_baudrate=400000" in found.advice


def test_the_slower_panel_is_the_speed_of_the_bus(patient: Patient) -> None:
    def slow_down(address: int) -> None:
        patient.bus._khz = 400 if address == ADDRESSES["left"] else 100

    patient.bus.before = slow_down
    assert patient.examine()["bus speed"].found == "100 kHz measured"


def test_a_bus_that_is_slower_than_configured(patient: Patient) -> None:
    patient.bus._khz = 250
    path = patient.root / "sys/bus/i2c/devices/i2c-1/of_node/clock-frequency"
    path.parent.mkdir(parents=True)
    path.write_bytes((400_000).to_bytes(4, "big"))
    found = patient.examine()["bus speed"]
    assert (found.found, found.verdict) == ("250 kHz measured, set to 400 kHz", NOTE)
    assert "[pi02], and below it core_freq_min=400" in found.advice


@pytest.mark.parametrize("bus", [1, 3])
def test_a_panel_that_does_not_answer(patient: Patient, bus: int) -> None:
    """The other one is still tested, so the bus is well. Both may have its address, when new."""
    patient.file(f"dev/i2c-{bus}", "")
    patient.display = DisplayTable(bus=bus)
    patient.panels[ADDRESSES["right"]].plugged = False
    found = patient.examine()
    assert found["left panel"].verdict is Verdict.OK
    assert found["right panel"].verdict is FAULT
    assert found["right panel"].found == "0x3D does not answer"
    assert found["right panel"].advice == SAME_ADDRESS
    assert found["bus speed"].found == "400 kHz measured"


def test_no_panel_answers(patient: Patient) -> None:
    """As with panels that are set to SPI, or whose wires are exchanged; no speed is measured."""
    for panel in patient.panels.values():
        panel.plugged = False
    found = patient.examine()
    for name in ("left panel", "right panel"):
        assert (found[name].verdict, found[name].advice) == (FAULT, NO_ANSWER)
    assert "bus speed" not in found
    assert not any("Look at both panels" in said for said in patient.said)


@pytest.mark.parametrize("side", ADDRESSES)
def test_a_panel_answers_at_an_address_that_the_file_does_not_name(
    patient: Patient, side: str
) -> None:
    """The advice names it; a panel at the right address is tested."""
    named = ADDRESSES | {side: 0x3E}
    patient.display = DisplayTable(addresses=(named["left"], named["right"]))
    assert patient.problems() == {f"{side} panel": FAULT}
    wrong = patient.examine()[f"{side} panel"]
    assert wrong.found == "0x3E does not answer"
    answers = f"A panel answers at 0x{ADDRESSES[side]:02X}: set display.addresses"
    assert wrong.advice.startswith(answers)


@pytest.mark.parametrize("bus", [1, 3])
def test_a_wire_of_the_bus_stays_low(patient: Patient, bus: int) -> None:
    """Each transfer times out; only the bus of the header is known to have pull-ups."""

    def hang(_: int) -> NoReturn:
        raise TimeoutError(ETIMEDOUT, "Connection timed out")

    patient.file(f"dev/i2c-{bus}", "")
    patient.bus.before = hang
    patient.display = DisplayTable(bus=bus)
    found = patient.examine()["left panel"]
    assert (found.verdict, found.found) == (
        FAULT,
        "0x3C cannot be asked: a wire of the bus stays low",
    )
    assert found.advice == HELD_LOW + NO_PULL_UP * (bus != 1)


def test_a_panel_that_fails_while_it_is_timed(patient: Patient) -> None:
    patient.panels[ADDRESSES["right"]].plugged = False
    patient.bus.troubles[9] = Trouble(EREMOTEIO)
    found = patient.examine()
    assert found["left panel"].verdict is FAULT
    assert "loose" in found["left panel"].advice
    assert "bus speed" not in found


@pytest.fixture
def on_spi(patient: Patient) -> Patient:
    """A clock without faults whose panels are on SPI, the right one upside down."""
    patient.display = DisplayTable(interface="spi", rotate=(0, 2))
    patient.groups.append("spi")
    for name in ("dev/spidev0.0", "dev/spidev0.1"):
        patient.file(name, "")
    return patient


@pytest.mark.rule("R140")
def test_a_person_is_asked_what_panels_on_spi_show(on_spi: Patient) -> None:
    """They cannot answer: a dark one is a fault only because somebody says so."""
    found = on_spi.examine()
    assert found["left panel"].found == "CE0, test picture sent in 4.1 ms, and seen"
    assert (found["spi"].verdict, "i2c" in found, "bus speed" in found) == (
        Verdict.OK,
        False,
        False,
    )
    assert on_spi.wired == ("spi", 24, 25)
    for side, other, pin in (("right", "left", 26), ("left", "right", 24)):
        on_spi.panels[ADDRESSES[side]].plugged = False
        found = on_spi.examine()
        on_spi.panels[ADDRESSES[side]].plugged = True
        dark = found[f"{side} panel"]
        assert (found[f"{other} panel"].verdict, dark.verdict) == (Verdict.OK, FAULT)
        assert f"DC (BCM 24), RES (BCM 25) and CS (pin {pin})" in dark.advice
    assert not any(panel.shines for panel in on_spi.panels.values())
    unasked = on_spi.examine(ask=False)
    assert (unasked["left panel"].verdict, unasked["right panel"].verdict) == (SKIPPED, SKIPPED)


@pytest.mark.rule("R140")
def test_spi_that_is_not_switched_on_is_named_with_its_line(on_spi: Patient) -> None:
    (on_spi.root / "dev/spidev0.1").unlink()
    found = on_spi.examine()
    assert found["spi"].found == "there is no /dev/spidev0.1"
    assert "dtparam=spi=on" in found["spi"].advice
    assert (found["left panel"].verdict, found["left panel"].found) == (SKIPPED, NO_BUS)


# --- the pins ---------------------------------------------------------------------------------


def test_a_running_clock_is_left_alone(patient: Patient) -> None:
    def in_use(_: str) -> NoReturn:
        raise GPIOPinInUse("pin GPIO17 is already in use by 'gpiozero'")

    patient.factory = in_use
    found = patient.examine()
    assert (found["buttons"].verdict, found["left panel"].verdict) == (FAULT, SKIPPED)
    assert "'gpiozero'" in found["buttons"].found
    assert patient.bus.attempts == 0


@pytest.mark.parametrize("state", ["active", "activating"])
def test_a_running_service_is_left_alone(patient: Patient, state: str) -> None:
    """The advice says how to stop it; what it uses counts as not tested."""
    patient.service = state
    found = patient.examine()
    assert "sudo systemctl stop gammonclock" in found["service"].advice
    assert [name for name, each in found.items() if each.verdict is SKIPPED] == [
        "serial", "buttons", "left panel", "right panel",
    ]  # fmt: skip
    assert patient.bus.attempts == 0
    assert not patient.pins.pins


def test_without_pins_the_panels_are_still_tested(patient: Patient) -> None:
    def no_pins(_: str) -> NoReturn:
        raise HardwareError("no pins through gpiod: no chip")

    patient.factory = no_pins
    assert patient.problems() == {"buttons": FAULT}
    wire = patient.examine(wire=5)["wire"]
    assert (wire.verdict, wire.found) == (FAULT, "no pins through gpiod: no chip")


def test_stamps_by_software_are_noted(patient: Patient) -> None:
    """Rpigpio has them, lgpio has the kernel's."""
    patient.buttons = ButtonsTable(pin_factory="rpigpio")
    found = patient.examine()["stamps"]
    assert (found.verdict, found.found[:9]) == (NOTE, "rpigpio: ")
    assert "software" in found.found
    assert 'pin_factory = "gpiod"' in found.advice
    patient.buttons = ButtonsTable(pin_factory="lgpio")
    assert "floating point" in patient.examine()["stamps"].found


def test_a_button_that_was_not_pressed_is_a_fault(patient: Patient) -> None:
    patient.acts = pressed("left") + pressed("centre")
    found = patient.examine()
    assert {name: found[name].verdict for name in ("left", "right", "centre")} == {
        "left": Verdict.OK,
        "right": FAULT,
        "centre": Verdict.OK,
    }
    assert found["right"].found == "BCM 27, no press seen"
    assert "BCM 27" in found["right"].advice


def test_without_input_the_buttons_are_not_tested(patient: Patient) -> None:
    patient.acts = []
    assert patient.problems(ask=False) == {"left": SKIPPED, "right": SKIPPED, "centre": SKIPPED}
    assert not [text for text in patient.said if "press" in text.lower()]


# --- the rest ---------------------------------------------------------------------------------


def test_a_computer_without_hardware(patient: Patient, tmp_path: Path) -> None:
    patient.root = tmp_path / "nothing"
    patient.bus.there = False

    def no_pins(_: str) -> NoReturn:
        raise HardwareError("no pins through gpiod: no chip")

    patient.factory = no_pins
    found = patient.examine()
    faults = {name: each for name, each in found.items() if each.verdict is FAULT}
    assert list(faults) == ["gpiochip", "i2c", "buttons"]
    assert all(each.advice for each in faults.values())
    assert found["left panel"].verdict is found["right panel"].verdict is SKIPPED


def test_a_settings_file_that_is_not_read_is_noted(tmp_path: Path) -> None:
    file, copy = tmp_path / "my.toml", tmp_path / "my.toml.txt"
    file.touch()
    assert read_settings(file)[1].verdict is Verdict.OK
    copy.touch()
    noted = read_settings(file)[1]
    assert (noted.verdict, f"{copy}: not read" in noted.advice) == (Verdict.NOTE, True)
    assert read_settings(None)[1].found == "no file found: the defaults are used"


def test_a_directory_of_another_user_is_not_written_to(
    patient: Patient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    found = patient.examine()
    assert (found["log"].verdict, found["log sync"].verdict) == (FAULT, SKIPPED)


def test_what_the_settings_do_not_need_is_no_fault(patient: Patient) -> None:
    """The group of serial ports, and a directory of logs before the first match."""
    patient.groups.remove("dialout")
    patient.log.rmdir()
    assert patient.problems() == {"log sync": SKIPPED}
    patient.serial = "/dev/ttyUSB7"
    found = patient.examine()
    assert found["log sync"].found == "not measured: there is no directory yet"
    assert (found["groups"].verdict, "dialout" in found["groups"].advice) == (FAULT, True)


# The firmware of a Pi adds the address of its network card and, on older ones, its serial number.
CMDLINE = (
    "console=serial0,115200 console=tty1 smsc95xx.macaddr=B8:27:EB:12:34:56 "
    "bcm2708.serial=0xd1234567 root=PARTUUID=1a2b-02 rootwait ip=192.168.8.7"
)
SETTINGS = """
[match]
names = ["Ada", "Eve"]
event = "Nordic Open"
[display]
interface = "spi"
[director]
code = "LRRL"
"""


@pytest.mark.rule("R150")
def test_all_that_explains_a_box_is_in_its_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Findings, wiring, system; no player, no code, nothing that identifies the Pi or its card."""
    file(tmp_path, "etc/os-release", 'PRETTY_NAME="Debian GNU/Linux 13 (trixie)"\n')
    file(tmp_path, "proc/cmdline", f"{CMDLINE}\n")
    file(tmp_path, "boot/firmware/config.txt", "# a comment\n\ndtparam=spi=on\n\udcff\n")
    findings = [
        Finding("log sync", "4.1 ms a line, 9.0 ms at worst"),
        Finding("right panel", "CE1, not seen", Verdict.FAULT, "Check its wires."),
    ]
    monkeypatch.setattr(doctor, "LIBRARIES", (*doctor.LIBRARIES, "not-installed"))
    text = report(parse_settings(SETTINGS, "my.toml"), findings, tmp_path)
    for part in (
        "ok     log sync: 4.1 ms a line, 9.0 ms at worst",
        "FAULT  right panel: CE1, not seen",
        "display.interface = spi",
        "trixie",
        "console=serial0,115200 console=tty1 rootwait\n",
        "--- config.txt\ndtparam=spi=on\n",
        "Check its wires.",
        "luma.oled ",
        "--- throttled since the start (0: never)\nnot known",
    ):
        assert part in text
    for secret in (
        "Ada",
        "Nordic",
        "LRRL",
        "1a2b",
        "B8:27",
        "d1234567",
        "192.168",
        "a comment",
        "not-inst",
    ):
        assert secret not in text
