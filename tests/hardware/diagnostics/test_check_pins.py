"""The chip of the pin header, and how each pin factory stamps."""

import errno
from pathlib import Path

import pytest

from gpiozero_gpiod.chip import ASK_FOR_ACCESS
from hardware.diagnostics import check_pins
from hardware.diagnostics.finding import Verdict
from hardware.gpio.factories import FACTORIES, STAMPS
from lab.support.findings import FAULT, NOTE, OK, file, verdict_of


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
    from lab.support.gpio_kernel import FakeKernel

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
