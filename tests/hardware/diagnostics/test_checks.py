"""The doctor's checks: each with a good result, and with everything that can be wrong."""

import errno
import os
import sys
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import NoReturn

import pytest
from serial import Serial

from gpiozero_gpiod.chip import ASK_FOR_ACCESS
from hardware.diagnostics import (
    check_bus,
    check_computer,
    check_log,
    check_pins,
    check_serial,
    probe,
)
from hardware.diagnostics.edge_queue import EdgeQueue
from hardware.diagnostics.finding import Finding, Verdict, line, summary
from hardware.gpio.factories import FACTORIES, STAMPS

OK, NOTE, FAULT, SKIPPED = Verdict
MS = 1_000_000


def file(root: Path, name: str, content: str = "") -> Path:
    """Write a file of the kernel's or of the system's."""
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    return path


def verdict_of(finding: Finding) -> Verdict:
    """Return a finding's verdict; every note and fault must have advice."""
    assert bool(finding.advice) is (finding.verdict in {NOTE, FAULT})
    return finding.verdict


# --- how a finding reads ----------------------------------------------------------------------


def test_a_finding_is_printed_in_columns() -> None:
    """A long text is wrapped in its own column, and no command is broken at a hyphen."""
    assert line(Finding("i2c", "/dev/i2c-1")) == "ok     i2c          /dev/i2c-1"
    long = line(Finding("x", "word " * 30 + "a-b-c" * 5, FAULT)).split("\n")
    assert all(len(text) <= 80 and text.startswith(" " * 20) for text in long[1:])
    assert "a-b-c" * 5 in long[-1]


def test_the_summary_says_what_to_do() -> None:
    """Faults come before notes, numbered, each with its advice."""
    note = Finding("a", "slow", NOTE, "Hurry.")
    fault = Finding("b", "gone", FAULT, "Fetch it.")
    text = summary([note, Finding("c", "well"), fault])
    assert text == (
        "1 fault and 1 note. What to do:\n\n 1  b: gone\n    Fetch it.\n\n 2  a: slow\n    Hurry."
    )
    assert summary([Finding("c", "well")]) == "No faults found."
    assert summary([fault, fault]).startswith("2 faults. What")
    skipped = Finding("d", "not tested", SKIPPED)
    assert summary([skipped]) == "No faults found. Lines marked - were not tested."


# --- the computer -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "verdict"),
    [("Raspberry Pi 5 Model B Rev 1.0\0", OK), ("Radxa ZERO\0", NOTE), (None, NOTE)],
)
def test_the_model_of_the_computer(tmp_path: Path, model: str | None, verdict: Verdict) -> None:
    """It is printed without the zero byte at its end."""
    if model is not None:
        file(tmp_path, "proc/device-tree/model", model)
    finding = check_computer.computer(tmp_path)
    assert verdict_of(finding) is verdict
    assert finding.found.isprintable()


def test_missing_groups_are_added_by_one_command() -> None:
    """A user is in all groups, in none that is missing, or is root."""
    needed = ["gpio", "i2c", "dialout"]
    assert verdict_of(check_computer.groups("root", [], needed)) is OK
    assert verdict_of(check_computer.groups("pi", ["pi", *needed], needed)) is OK
    finding = check_computer.groups("pi", ["gpio"], needed)
    assert finding.advice == "Run this, then log in again: sudo usermod -aG dialout,i2c pi"
    assert verdict_of(finding) is FAULT


@pytest.mark.parametrize(
    ("chips", "verdict"),
    [
        ({"rpi_volt": "0\n"}, OK),
        ({"cpu_thermal": "1\n", "rpi_volt": "1\n"}, FAULT),
        ({"cpu_thermal": "1\n"}, OK),
        ({}, OK),
    ],
)
def test_under_voltage_is_a_fault(tmp_path: Path, chips: dict[str, str], verdict: Verdict) -> None:
    """Only the sensor `rpi_volt` counts."""
    for number, (name, alarm) in enumerate(chips.items()):
        file(tmp_path, f"sys/class/hwmon/hwmon{number}/name", f"{name}\n")
        file(tmp_path, f"sys/class/hwmon/hwmon{number}/in0_lcrit_alarm", alarm)
    assert verdict_of(check_computer.supply(tmp_path)) is verdict


def test_a_sensor_that_cannot_be_read_is_ignored(tmp_path: Path) -> None:
    """A driver may go away at any time."""
    file(tmp_path, "sys/class/hwmon/hwmon0/name", "rpi_volt\n")
    assert verdict_of(check_computer.supply(tmp_path)) is OK


@pytest.mark.parametrize(
    ("states", "setting", "slept_ns", "verdict"),
    [
        (None, None, 0, OK),
        ("", None, 999_999_999, OK),
        ("freeze mem\n", None, 0, NOTE),
        ("freeze mem\n", "[Sleep]\nAllowSuspend=no\n", 0, OK),
        ("freeze mem\n", "[Sleep]\nAllowSuspend=yes\n", 0, NOTE),
        ("", "[Sleep]\nAllowSuspend=no\n", 1_000_000_000, FAULT),
    ],
)
def test_a_computer_that_can_sleep(
    tmp_path: Path, states: str | None, setting: str | None, slept_ns: int, verdict: Verdict
) -> None:
    """It is a note; a computer that has slept is a fault, whatever is set."""
    if states is not None:
        file(tmp_path, "sys/power/state", states)
    if setting is not None:
        file(tmp_path, "etc/systemd/sleep.conf.d/gammonclock.conf", setting)
    assert verdict_of(check_computer.sleep(tmp_path, slept_ns)) is verdict


@pytest.mark.parametrize(("target", "verdict"), [("/dev/null", OK), ("other.target", NOTE)])
def test_sleep_can_be_disabled_by_a_mask(tmp_path: Path, target: str, verdict: Verdict) -> None:
    """A unit is masked by a link to /dev/null, not by a link to another unit."""
    path = file(tmp_path, "sys/power/state", "mem").parent.parent.parent / "etc/systemd/system"
    path.mkdir(parents=True)
    (path / "suspend.target").symlink_to(target)
    assert verdict_of(check_computer.sleep(tmp_path, 0)) is verdict


def test_two_packages_with_one_module_are_reported() -> None:
    """They are a fault if the module is used, else a note; one of them alone is fine."""
    both: dict[str, str | None] = {"RPi.GPIO": "0.7.1", "rpi-lgpio": "0.6"}
    assert verdict_of(check_computer.packages(both, "rpigpio")) is FAULT
    assert verdict_of(check_computer.packages(both, "gpiod")) is NOTE
    for name in both:
        one = {**both, name: None}
        assert verdict_of(check_computer.packages(one, "rpigpio")) is OK
    assert verdict_of(check_computer.packages(dict.fromkeys(both), "gpiod")) is OK


def test_the_versions_of_packages_are_found() -> None:
    """The version is None for a package that is not installed."""

    def version_of(name: str) -> str:
        if name == "rpi-lgpio":
            return "0.6"
        raise PackageNotFoundError(name)

    assert probe.installed(version_of) == {"RPi.GPIO": None, "rpi-lgpio": "0.6"}


@pytest.mark.parametrize(
    ("state", "verdict"),
    [("inactive", OK), ("", OK), ("failed", NOTE), ("active", FAULT), ("activating", FAULT)],
)
def test_a_running_service_is_a_fault(state: str, verdict: Verdict) -> None:
    """It uses what is to be tested."""
    assert verdict_of(check_computer.service(state)) is verdict


def test_systemd_is_asked_for_the_service(tmp_path: Path) -> None:
    """A computer without systemd is no error."""
    command = file(tmp_path, "systemctl", '#!/bin/sh\necho "$@"\nexit 3\n')
    command.chmod(0o755)
    assert probe.service_state(str(command)) == "is-active gammonclock.service"
    assert probe.service_state(str(tmp_path / "none")) == ""


# --- pins and bus -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("label", "verdict", "advice"),
    [
        ("pinctrl-rp1", OK, ""),
        ("gpio-mockup-A", FAULT, "pinctrl-bcm2711"),
        (PermissionError(errno.EACCES, "Permission denied"), FAULT, "usermod -aG gpio"),
        (None, FAULT, "clock's Raspberry Pi"),
    ],
    ids=["ok", "another", "denied", "none"],
)
def test_the_chip_of_the_pin_header(
    tmp_path: Path, label: str | OSError | None, verdict: Verdict, advice: str
) -> None:
    """It is known by its label, whatever its number."""
    from tests.support.gpio_kernel import FakeKernel

    chips: list[tuple[str, str | OSError]] = [] if label is None else [("gpiochip4", label)]
    for name, _ in chips:
        file(tmp_path, name)
    kernel = FakeKernel(chips)
    finding = check_pins.chip(kernel.open_chip, tmp_path)
    assert verdict_of(finding) is verdict
    assert advice in finding.advice
    assert ASK_FOR_ACCESS not in finding.advice


def test_each_pin_factory_is_reported_with_its_stamps() -> None:
    """Every factory is known; time stamps by software are a note."""
    assert STAMPS.keys() == FACTORIES.keys()
    for name, (by, _) in STAMPS.items():
        assert verdict_of(check_pins.stamps(name)) is (OK if by == "kernel" else NOTE)
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
def test_a_bus_that_is_missing(tmp_path: Path, number: int, there: list[str], advice: str) -> None:
    """The advice names the line of config.txt, the kernel module or the overlay."""
    for name in there:
        file(tmp_path, name)
    finding = check_bus.bus(number, tmp_path)
    assert verdict_of(finding) is (FAULT if advice else OK)
    assert advice in finding.advice


def test_a_bus_without_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The advice is about the group, not about wires."""
    file(tmp_path, "dev/i2c-1")
    monkeypatch.setattr(os, "access", lambda *_: False)
    finding = check_bus.bus(1, tmp_path)
    assert (verdict_of(finding), "no permission" in finding.found) == (FAULT, True)
    assert "sudo usermod -aG i2c $USER" in finding.advice


def test_the_test_picture_has_all_four_edges() -> None:
    """A panel of another type would cut one off; left and right look different."""
    picture = check_bus.picture("LEFT", 0x3C)
    edges = [(0, 0, 128, 1), (0, 63, 128, 64), (0, 0, 1, 64), (127, 0, 128, 64)]
    assert [picture.crop(edge).getextrema() for edge in edges] == [(255, 255)] * 4
    assert picture.tobytes() != check_bus.picture("RIGHT", 0x3C).tobytes()


# --- log and serial line ----------------------------------------------------------------------


def test_the_log_directory(tmp_path: Path) -> None:
    """It exists, can be created, is a file, or would be inside a file."""
    assert verdict_of(check_log.directory(tmp_path)) is OK
    assert "will create it" in check_log.directory(tmp_path / "a" / "b").found
    path = file(tmp_path, "file")
    assert verdict_of(check_log.directory(path)) is FAULT
    assert verdict_of(check_log.directory(path / "log")) is FAULT


def test_a_log_directory_of_another_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The advice is to run the doctor as that user."""
    monkeypatch.setattr(os, "access", lambda *_: False)
    finding = check_log.directory(tmp_path)
    assert finding.advice.endswith(f"sudo -u {tmp_path.owner()} gammonclock doctor")
    assert verdict_of(finding) is FAULT
    assert "sudo install -d" in check_log.directory(tmp_path / "new").advice


def test_a_log_directory_inside_a_closed_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether it exists is unknown: a fault, and no traceback."""

    def denied(*_: object, **__: object) -> NoReturn:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "stat", denied)
    monkeypatch.setattr(Path, "is_dir", denied)
    finding = check_log.directory(tmp_path)
    assert (finding.verdict, finding.found) == (FAULT, f"{tmp_path}: Permission denied")
    assert finding.advice.endswith("sudo -u gammonclock gammonclock doctor")
    space = check_log.space(tmp_path, 8_000_000, denied)
    assert (space.verdict, space.found) == (SKIPPED, "unknown: Permission denied")


@pytest.mark.parametrize(("free", "verdict"), [(8_000_000, OK), (7_999_999, FAULT)])
def test_the_log_needs_free_space(tmp_path: Path, free: int, verdict: Verdict) -> None:
    """A match needs 8 MB, to the byte, where the directory is or will be created."""
    missing = tmp_path / "not" / "there"
    space = check_log.space(missing, 8_000_000, lambda where: free if where == tmp_path else 0)
    assert verdict_of(space) is verdict
    assert space.found == f"{free // 1_000_000} MB free; a match needs 8 MB"


def test_a_file_system_without_links_is_a_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock works without; nothing is left behind."""
    assert check_log.links(tmp_path) is None

    def refuse(*_: object, **__: object) -> NoReturn:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "symlink", refuse)
    finding = check_log.links(tmp_path)
    assert finding is not None
    assert verdict_of(finding) is NOTE
    assert "current.jsonl will name the log instead" in finding.found
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("took_ms", "verdict"),
    [([50] * 39 + [1000], OK), ([51] * 40, NOTE), ([1] * 39 + [1001], NOTE)],
    ids=["ok", "slow", "at-worst"],
)
def test_a_slow_card_is_noted(tmp_path: Path, took_ms: list[int], verdict: Verdict) -> None:
    """By the median and the worst of forty lines of 400 bytes; no file is left."""
    instants = iter([at for took in took_ms for at in (0, took * MS)])
    sizes = []

    def fsync(descriptor: int) -> None:
        sizes.append(os.fstat(descriptor).st_size)

    assert verdict_of(check_log.sync(tmp_path, lambda: next(instants), fsync)) is verdict
    assert sizes == [400 * number for number in range(1, 41)]
    assert list(tmp_path.iterdir()) == []


def test_a_sync_that_fails_is_a_fault(tmp_path: Path) -> None:
    """It is reported with the error of the system."""

    def fsync(_: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    finding = check_log.sync(tmp_path, lambda: 0, fsync)
    assert (verdict_of(finding), finding.found) == (FAULT, "Input/output error")


def test_the_serial_port(tmp_path: Path) -> None:
    """It is not configured, can be opened, is in use, is missing, or is no port."""
    assert check_serial.port("", 115200).found == "none is configured"
    reader, port = os.openpty()
    name = os.ttyname(port)
    try:
        assert verdict_of(check_serial.port(name, 115200)) is OK
        with Serial(name, exclusive=True):
            taken = check_serial.port(name, 115200)
    finally:
        os.close(reader)
        os.close(port)
    assert taken.found == f"{name}: another program uses it"
    assert verdict_of(taken) is FAULT
    missing = check_serial.port(str(tmp_path / "ttyUSB0"), 115200)
    assert "/dev/serial/by-id" in missing.advice
    for name in (str(file(tmp_path, "file")), "nothing://x"):
        assert verdict_of(check_serial.port(name, 115200)) is FAULT


def test_a_serial_port_without_permission(monkeypatch: pytest.MonkeyPatch) -> None:
    """The advice names the group of serial ports."""

    def denied(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", "/dev/ttyAMA0")

    monkeypatch.setattr(check_serial, "serial_for_url", denied)
    assert "usermod -aG dialout" in check_serial.port("/dev/ttyAMA0", 115200).advice


# --- the user ---------------------------------------------------------------------------------


def test_a_closed_standard_input_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """It counts as one that is at its end."""
    monkeypatch.setattr(sys, "stdin", None)
    edges = EdgeQueue(keyboard := probe.keyboard())
    assert edges.wait(None) is True
    edges.close()
    os.close(keyboard)


def test_a_user_without_a_name_has_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some containers have such users."""
    monkeypatch.setattr(os, "geteuid", lambda: 4_000_000)
    assert probe.user_name() == "4000000"
