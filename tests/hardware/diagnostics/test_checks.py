"""The single examinations: each with what is good and with every way in which it is not."""

import errno
import os
import sys
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import NoReturn

import pytest
from serial import Serial

from hardware.diagnostics import check_bus as examine_bus, check_computer as examine_computer, check_log as examine_log, check_pins as examine_pins, check_serial as examine_serial, probe as this_computer
from hardware.diagnostics.edge_wait import Attention
from hardware.gpio.factories import FACTORIES, STAMPS
from hardware.diagnostics.finding import Finding, Verdict, line, told_last
from hardware.gpio.chip import ASK_FOR_ACCESS

WELL, NOTE, FAULT, LEFT_OUT = Verdict
MS = 1_000_000


def file(root: Path, name: str, content: str = "") -> Path:
    """A file of the kernel's, or of the system's."""
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    return path


def verdict_of(finding: Finding) -> Verdict:
    """Its verdict; what is not well says what to do."""
    assert bool(finding.advice) is (finding.verdict in {NOTE, FAULT})
    return finding.verdict


# --- how a finding reads ----------------------------------------------------------------------


def test_a_finding_is_a_line_in_columns() -> None:
    """A long one goes on under itself, and no command is broken at its hyphens."""
    assert line(Finding("i2c", "/dev/i2c-1")) == "ok     i2c          /dev/i2c-1"
    long = line(Finding("x", "word " * 30 + "a-b-c" * 5, FAULT)).split("\n")
    assert all(len(text) <= 80 and text.startswith(" " * 20) for text in long[1:])
    assert "a-b-c" * 5 in long[-1]


def test_what_to_do_comes_last() -> None:
    """The faults before the notes, numbered, each with its advice."""
    note = Finding("a", "slow", NOTE, "Hurry.")
    fault = Finding("b", "gone", FAULT, "Fetch it.")
    told = told_last([note, Finding("c", "well"), fault])
    assert told == (
        "1 fault and 1 note. What to do:\n\n 1  b: gone\n    Fetch it.\n\n 2  a: slow\n    Hurry."
    )
    assert told_last([Finding("c", "well")]) == "All is well."
    assert told_last([fault, fault]).startswith("2 faults. What")
    left_out = Finding("d", "not examined", LEFT_OUT)
    assert told_last([left_out]) == "What was examined is well."


# --- the computer -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "verdict"),
    [("Raspberry Pi 5 Model B Rev 1.0\0", WELL), ("Radxa ZERO\0", NOTE), (None, NOTE)],
)
def test_the_computer(tmp_path: Path, model: str | None, verdict: Verdict) -> None:
    """Its model without what ends a text in C."""
    if model is not None:
        file(tmp_path, "proc/device-tree/model", model)
    finding = examine_computer.computer(tmp_path)
    assert verdict_of(finding) is verdict
    assert finding.found.isprintable()


def test_the_groups_of_a_user() -> None:
    """Those that are missing, in one command."""
    needed = ["gpio", "i2c", "dialout"]
    assert verdict_of(examine_computer.groups("root", [], needed)) is WELL
    assert verdict_of(examine_computer.groups("pi", ["pi", *needed], needed)) is WELL
    finding = examine_computer.groups("pi", ["gpio"], needed)
    assert finding.advice == "sudo usermod -aG dialout,i2c pi, then log in again."
    assert verdict_of(finding) is FAULT


@pytest.mark.parametrize(
    ("chips", "verdict"),
    [
        ({"rpi_volt": "0\n"}, WELL),
        ({"cpu_thermal": "1\n", "rpi_volt": "1\n"}, FAULT),
        ({"cpu_thermal": "1\n"}, WELL),
        ({}, WELL),
    ],
)
def test_the_supply(tmp_path: Path, chips: dict[str, str], verdict: Verdict) -> None:
    """Only the sensor of that name counts."""
    for number, (name, alarm) in enumerate(chips.items()):
        file(tmp_path, f"sys/class/hwmon/hwmon{number}/name", f"{name}\n")
        file(tmp_path, f"sys/class/hwmon/hwmon{number}/in0_lcrit_alarm", alarm)
    assert verdict_of(examine_computer.supply(tmp_path)) is verdict


def test_a_sensor_that_cannot_be_read_is_none(tmp_path: Path) -> None:
    """No traceback when a driver goes away."""
    file(tmp_path, "sys/class/hwmon/hwmon0/name", "rpi_volt\n")
    assert verdict_of(examine_computer.supply(tmp_path)) is WELL


@pytest.mark.parametrize(
    ("states", "setting", "slept_ns", "verdict"),
    [
        (None, None, 0, WELL),
        ("", None, 999_999_999, WELL),
        ("freeze mem\n", None, 0, NOTE),
        ("freeze mem\n", "[Sleep]\nAllowSuspend=no\n", 0, WELL),
        ("freeze mem\n", "[Sleep]\nAllowSuspend=yes\n", 0, NOTE),
        ("", "[Sleep]\nAllowSuspend=no\n", 1_000_000_000, FAULT),
    ],
)
def test_sleep(
    tmp_path: Path, states: str | None, setting: str | None, slept_ns: int, verdict: Verdict
) -> None:
    """A computer that slept is a fault whatever is set; one that can, a note."""
    if states is not None:
        file(tmp_path, "sys/power/state", states)
    if setting is not None:
        file(tmp_path, "etc/systemd/sleep.conf.d/gammonclock.conf", setting)
    assert verdict_of(examine_computer.sleep(tmp_path, slept_ns)) is verdict


@pytest.mark.parametrize(("target", "verdict"), [("/dev/null", WELL), ("other.target", NOTE)])
def test_sleep_that_is_masked(tmp_path: Path, target: str, verdict: Verdict) -> None:
    """A link to elsewhere is no mask."""
    path = file(tmp_path, "sys/power/state", "mem").parent.parent.parent / "etc/systemd/system"
    path.mkdir(parents=True)
    (path / "suspend.target").symlink_to(target)
    assert verdict_of(examine_computer.sleep(tmp_path, 0)) is verdict


def test_both_packages_of_one_module() -> None:
    """A fault where the module is used, else a note; one alone is well."""
    both: dict[str, str | None] = {"RPi.GPIO": "0.7.1", "rpi-lgpio": "0.6"}
    assert verdict_of(examine_computer.packages(both, "rpigpio")) is FAULT
    assert verdict_of(examine_computer.packages(both, "gpiod")) is NOTE
    for name in both:
        one = {**both, name: None}
        assert verdict_of(examine_computer.packages(one, "rpigpio")) is WELL
    assert verdict_of(examine_computer.packages(dict.fromkeys(both), "gpiod")) is WELL


def test_the_versions_of_packages() -> None:
    """None for one that is not there."""

    def version_of(name: str) -> str:
        if name == "rpi-lgpio":
            return "0.6"
        raise PackageNotFoundError(name)

    assert this_computer.installed(version_of) == {"RPi.GPIO": None, "rpi-lgpio": "0.6"}


@pytest.mark.parametrize(
    ("state", "verdict"),
    [("inactive", WELL), ("", WELL), ("failed", NOTE), ("active", FAULT), ("activating", FAULT)],
)
def test_the_service(state: str, verdict: Verdict) -> None:
    """One that runs has what is to be examined."""
    assert verdict_of(examine_computer.service(state)) is verdict


def test_the_service_manager_is_asked(tmp_path: Path) -> None:
    """And one that is not there is no error."""
    command = file(tmp_path, "systemctl", '#!/bin/sh\necho "$@"\nexit 3\n')
    command.chmod(0o755)
    assert this_computer.service_state(str(command)) == "is-active gammonclock.service"
    assert this_computer.service_state(str(tmp_path / "none")) == ""


# --- pins and bus -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("label", "verdict", "advice"),
    [
        ("pinctrl-rp1", WELL, ""),
        ("gpio-mockup-A", FAULT, "pinctrl-bcm2711"),
        (PermissionError(errno.EACCES, "Permission denied"), FAULT, "usermod -aG gpio"),
        (None, FAULT, "clock's Raspberry Pi"),
    ],
    ids=["well", "another", "denied", "none"],
)
def test_the_chip_of_the_pins(
    tmp_path: Path, label: str | OSError | None, verdict: Verdict, advice: str
) -> None:
    """By its label, whatever its number."""
    from gpio_kernel import FakeKernel

    chips: list[tuple[str, str | OSError]] = [] if label is None else [("gpiochip4", label)]
    for name, _ in chips:
        file(tmp_path, name)
    kernel = FakeKernel(chips)
    finding = examine_pins.chip(kernel.open_chip, tmp_path)
    assert verdict_of(finding) is verdict
    assert advice in finding.advice
    assert ASK_FOR_ACCESS not in finding.advice


def test_every_factory_says_who_stamps() -> None:
    """The same names; software's is a note."""
    assert STAMPS.keys() == FACTORIES.keys()
    for name, (by, _) in STAMPS.items():
        assert verdict_of(examine_pins.stamps(name)) is (WELL if by == "kernel" else NOTE)
    assert [name for name, (by, _) in STAMPS.items() if by == "kernel"] == ["gpiod", "lgpio"]


@pytest.mark.parametrize(
    ("number", "there", "advice"),
    [
        (1, ["dev/i2c-1"], ""),
        (1, ["dev/i2c-20"], "dtparam=i2c_arm=on,i2c_arm_baudrate=400000"),
        (1, ["sys/bus/i2c/devices/i2c-1"], "sudo modprobe i2c-dev"),
        (3, ["dev/i2c-1"], "display.bus"),
    ],
)
def test_the_bus(tmp_path: Path, number: int, there: list[str], advice: str) -> None:
    """What is missing: the line of config.txt, the driver of the device, the overlay."""
    for name in there:
        file(tmp_path, name)
    finding = examine_bus.bus(number, tmp_path)
    assert verdict_of(finding) is (FAULT if advice else WELL)
    assert advice in finding.advice


def test_a_bus_that_may_not_be_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is no matter of its wires."""
    file(tmp_path, "dev/i2c-1")
    monkeypatch.setattr(os, "access", lambda *_: False)
    finding = examine_bus.bus(1, tmp_path)
    assert (verdict_of(finding), "may not be opened" in finding.found) == (FAULT, True)
    assert "sudo usermod -aG i2c $USER" in finding.advice


def test_the_test_picture_has_all_four_edges() -> None:
    """A panel of another kind would cut one off; left and right can be told apart."""
    picture = examine_bus.picture("LEFT", 0x3C)
    edges = [(0, 0, 128, 1), (0, 63, 128, 64), (0, 0, 1, 64), (127, 0, 128, 64)]
    assert [picture.crop(edge).getextrema() for edge in edges] == [(255, 255)] * 4
    assert picture.tobytes() != examine_bus.picture("RIGHT", 0x3C).tobytes()


# --- log and serial line ----------------------------------------------------------------------


def test_the_directory(tmp_path: Path) -> None:
    """There, to be made, a file, and in the way of a file."""
    assert verdict_of(examine_log.directory(tmp_path)) is WELL
    assert "will make it" in examine_log.directory(tmp_path / "a" / "b").found
    path = file(tmp_path, "file")
    assert verdict_of(examine_log.directory(path)) is FAULT
    assert verdict_of(examine_log.directory(path / "log")) is FAULT


def test_a_directory_of_somebody_elses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whose it is, and how to examine it as that user."""
    monkeypatch.setattr(os, "access", lambda *_: False)
    finding = examine_log.directory(tmp_path)
    assert finding.advice.endswith(f"sudo -u {tmp_path.owner()} gammonclock doctor")
    assert verdict_of(finding) is FAULT
    assert "sudo install -d" in examine_log.directory(tmp_path / "new").advice


def test_a_directory_within_one_that_is_closed_to_us(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even whether it is there can be said; a finding all the same, and no traceback."""

    def denied(*_: object, **__: object) -> NoReturn:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "stat", denied)
    monkeypatch.setattr(Path, "is_dir", denied)
    finding = examine_log.directory(tmp_path)
    assert (finding.verdict, finding.found) == (FAULT, f"{tmp_path}: Permission denied")
    assert finding.advice.endswith("sudo -u gammonclock gammonclock doctor")
    space = examine_log.space(tmp_path, 8_000_000, denied)
    assert (space.verdict, space.found) == (LEFT_OUT, "not known: Permission denied")


@pytest.mark.parametrize(("free", "verdict"), [(8_000_000, WELL), (7_999_999, FAULT)])
def test_the_space(tmp_path: Path, free: int, verdict: Verdict) -> None:
    """As much as a match needs."""
    space = examine_log.space(tmp_path, 8_000_000, lambda _: free)
    assert verdict_of(space) is verdict
    assert space.found == f"{free // 1_000_000} MB free; a match needs 8"
    assert examine_log.free_bytes(tmp_path / "not" / "there") > 0


@pytest.mark.parametrize(
    ("took_ms", "verdict"),
    [([50] * 39 + [1000], WELL), ([51] * 40, NOTE), ([1] * 39 + [1001], NOTE)],
    ids=["well", "slow", "at-worst"],
)
def test_the_time_of_a_sync(tmp_path: Path, took_ms: list[int], verdict: Verdict) -> None:
    """Forty lines of 400 bytes; the middle and the worst; nothing stays."""
    instants = iter([at for took in took_ms for at in (0, took * MS)])
    sizes = []

    def fsync(descriptor: int) -> None:
        sizes.append(os.fstat(descriptor).st_size)

    assert verdict_of(examine_log.sync(tmp_path, lambda: next(instants), fsync)) is verdict
    assert sizes == [400 * number for number in range(1, 41)]
    assert list(tmp_path.iterdir()) == []


def test_a_sync_that_fails(tmp_path: Path) -> None:
    """The medium's own word."""

    def fsync(_: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    finding = examine_log.sync(tmp_path, lambda: 0, fsync)
    assert (verdict_of(finding), finding.found) == (FAULT, "Input/output error")


def test_the_serial_line(tmp_path: Path) -> None:
    """None; one that opens; missing; taken by another; no port at all."""
    assert examine_serial.port("", 115200).found == "none is configured"
    reader, port = os.openpty()
    name = os.ttyname(port)
    try:
        assert verdict_of(examine_serial.port(name, 115200)) is WELL
        with Serial(name, exclusive=True):
            taken = examine_serial.port(name, 115200)
    finally:
        os.close(reader)
        os.close(port)
    assert taken.found == f"{name}: another program has it"
    assert verdict_of(taken) is FAULT
    missing = examine_serial.port(str(tmp_path / "ttyUSB0"), 115200)
    assert "/dev/serial/by-id" in missing.advice
    for name in (str(file(tmp_path, "file")), "nothing://x"):
        assert verdict_of(examine_serial.port(name, 115200)) is FAULT


def test_a_serial_line_without_access(monkeypatch: pytest.MonkeyPatch) -> None:
    """The group, and to log in again."""

    def denied(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", "/dev/ttyAMA0")

    monkeypatch.setattr(examine_serial, "serial_for_url", denied)
    assert "usermod -aG dialout" in examine_serial.port("/dev/ttyAMA0", 115200).advice


# --- whoever sits at it -----------------------------------------------------------------------


def test_without_any_input_nobody_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Started with its standard input closed: as with one that is at its end."""
    monkeypatch.setattr(sys, "stdin", None)
    attention = Attention(keyboard := this_computer.keyboard())
    assert attention.wait(None) is True
    attention.close()
    os.close(keyboard)


def test_a_user_without_a_name_has_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in some containers."""
    monkeypatch.setattr(os, "geteuid", lambda: 4_000_000)
    assert this_computer.own_name() == "4000000"
