"""The computer: its model, groups, supply, sleep, packages and service."""

import errno
from pathlib import Path

import pytest

from gpiozero_gpiod.chip import ASK_FOR_ACCESS
from hardware.diagnostics import check_computer
from hardware.diagnostics.finding import Verdict
from hardware.gpio.factories import FACTORIES, STAMPS
from lab.support.findings import FAULT, NOTE, OK, file, verdict_of

DENIED = PermissionError(errno.EACCES, "Permission denied")
RUNNING = ("active", "activating", "reloading", "deactivating")
STOP_AND_START = ["sudo systemctl stop gammonclock", "sudo systemctl start gammonclock"]


@pytest.mark.parametrize(
    ("model", "verdict"),
    [
        *(("Raspberry Pi 5 Model B Rev 1.0\0", OK), ("Radxa ZERO\0", NOTE), (None, NOTE)),
        ("Raspberry Pi \udcff\0", OK),  # a byte that is no text
    ],
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
    """And the next one is read."""
    file(tmp_path, "sys/class/hwmon/hwmon0/name", "rpi_volt\n")
    assert verdict_of(check_computer.supply(tmp_path)) is OK
    file(tmp_path, "sys/class/hwmon/hwmon1/name", "rpi_volt\n")
    file(tmp_path, "sys/class/hwmon/hwmon1/in0_lcrit_alarm", "1\n")
    assert verdict_of(check_computer.supply(tmp_path)) is FAULT


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
    finding = check_computer.sleep(tmp_path, slept_ns)
    assert verdict_of(finding) is verdict
    assert ("slept for 1 s since it was switched on" in finding.found) is (verdict is FAULT)


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
    advice = check_computer.packages(both, "gpiod").advice
    assert advice.endswith("pip uninstall RPi.GPIO rpi-lgpio, then pip install rpi-lgpio")
    there = {"RPi.GPIO": "RPi.GPIO 0.7.1", "rpi-lgpio": "rpi-lgpio 0.6"}
    for name, text in {**there, "neither": "RPi.GPIO is not installed"}.items():
        one = {each: version if each == name else None for each, version in both.items()}
        assert check_computer.packages(one, "rpigpio") == ("packages", text, OK, "")


@pytest.mark.parametrize(
    ("state", "verdict", "found", "commands"),
    [
        ("inactive", OK, "not running", []),
        ("", OK, "this computer has no systemd", []),
        ("failed", NOTE, "gammonclock.service has failed", ["journalctl -u gammonclock -e"]),
        *((state, FAULT, "gammonclock.service is running", STOP_AND_START) for state in RUNNING),
    ],
)
def test_a_running_service_is_a_fault(
    state: str, verdict: Verdict, found: str, commands: list[str]
) -> None:
    """The advice is to stop it, and then to start it again."""
    finding = check_computer.service(state)
    assert (verdict_of(finding), finding.found) == (verdict, found)
    assert [command for command in commands if command not in finding.advice] == []


def test_a_hot_processor_is_noted(tmp_path: Path) -> None:
    """From 80 degrees on it is slowed down; not every kernel says."""
    assert check_computer.temperature(tmp_path).found.startswith("unknown")
    for text, verdict in (("47250", OK), ("80000", NOTE), ("nonsense", OK)):
        file(tmp_path, "sys/class/thermal/thermal_zone0/temp", f"{text}\n")
        assert verdict_of(check_computer.temperature(tmp_path)) is verdict


@pytest.mark.parametrize(
    ("labels", "verdict", "advice"),
    [
        (["pinctrl-rp1"], OK, ""),
        (["gpio-mockup-A"], FAULT, "pinctrl-bcm2711"),
        ([DENIED], FAULT, "usermod -aG gpio"),
        (["raspberrypi-exp-gpio", DENIED], FAULT, "usermod -aG gpio"),
        ([DENIED, "pinctrl-rp1"], OK, ""),
        ([], FAULT, "clock's Raspberry Pi"),
    ],
    ids=["ok", "another", "denied", "another-and-denied", "denied-and-ok", "none"],
)
def test_the_chip_of_the_pin_header(
    tmp_path: Path, labels: list[str | OSError], verdict: Verdict, advice: str
) -> None:
    from lab.support.gpio_kernel import FakeKernel

    kernel = FakeKernel([(f"gpiochip{number}", label) for number, label in enumerate(labels)])
    for name in kernel.chips:
        file(tmp_path, name)
    finding = check_computer.chip(kernel.open_chip, tmp_path)
    assert verdict_of(finding) is verdict
    assert advice in finding.advice
    assert ASK_FOR_ACCESS not in finding.advice


def test_each_pin_factory_is_reported_with_its_stamps() -> None:
    """Every factory is known; time stamps by software are a note."""
    assert STAMPS.keys() == FACTORIES.keys()
    for name, (by, _) in STAMPS.items():
        assert verdict_of(check_computer.stamps(name)) is (OK if by == "kernel" else NOTE)
    assert [name for name, (by, _) in STAMPS.items() if by == "kernel"] == ["gpiod", "lgpio"]
