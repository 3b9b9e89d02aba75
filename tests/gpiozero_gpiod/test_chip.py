"""The header's chip: found by its label, chosen, or missing; and whose a line is."""

from errno import EACCES, ENODEV, ENOTTY
from pathlib import Path

import gpiod
import pytest
from gpiozero import Button
from gpiozero.exc import BadPinFactory, GPIOPinInUse

from gpiozero_gpiod.chip import ASK_FOR_ACCESS, find_chip
from lab.support.gpio_kernel import FakeKernel
from lab.support.gpio_pi import LEFT, Pi, PiFactory

Chips = list[tuple[str, str | OSError]]


def found(devices: Path, chips: Chips) -> str:
    """Return the name of the chip that is found among these; none stays open."""
    kernel = FakeKernel(chips)
    for name in kernel.chips:
        (devices / name).touch()
    path = Path(find_chip(kernel.open_chip, devices))
    assert (path.parent, kernel.open_chips) == (devices, 0)
    return path.name


@pytest.mark.parametrize(
    ("chips", "expected"),
    [
        ([("gpiochip0", "pinctrl-bcm2835"), ("gpiochip1", "raspberrypi-exp-gpio")], "gpiochip0"),
        ([("gpiochip0", "raspberrypi-exp-gpio"), ("gpiochip1", "pinctrl-bcm2711")], "gpiochip1"),
        ([("gpiochip0", "gpio-brcmstb@107d508500"), ("gpiochip4", "pinctrl-rp1")], "gpiochip4"),
        ([("gpiochip0", "pinctrl-rp1"), ("gpiochip10", "gpio-brcmstb@107d508500")], "gpiochip0"),
        ([("gpiochip0", OSError(ENODEV, "gone")), ("gpiochip1", "pinctrl-rp1")], "gpiochip1"),
    ],
)
def test_the_chip_is_found_by_its_label(tmp_path: Path, chips: Chips, expected: str) -> None:
    """Pi 1 to 5, whatever the kernel's numbers."""
    assert found(tmp_path, chips) == expected


@pytest.mark.parametrize(
    ("chips", "listed"),
    [
        ([], "found: none at all"),
        ([("gpiochip0", "INT34C5:00")], "gpiochip0 (INT34C5:00)"),
        ([("gpiochip0", OSError(ENOTTY, "Inappropriate ioctl"))], "(Inappropriate ioctl)"),
        ([("gpiochip0", OSError("it has no number"))], "(it has no number)"),
        ([("gpiochip0", PermissionError(EACCES, "no"))], f"({ASK_FOR_ACCESS})"),
    ],
)
def test_without_a_chip_of_a_pi_the_error_lists_what_was_found(
    tmp_path: Path, chips: Chips, listed: str
) -> None:
    with pytest.raises(BadPinFactory) as caught:
        found(tmp_path, chips)
    assert listed in str(caught.value)
    assert "pinctrl-bcm2835 or pinctrl-bcm2711 or pinctrl-rp1" in str(caught.value)


def test_a_chip_can_be_chosen(pi: Pi) -> None:
    """By number or path, whatever its label; a missing one has the error of the real library."""
    path = str(pi.devices / "gpiochip1")
    for chip in (1, path):
        with pi.new_factory(chip) as factory:
            assert factory.chip == path
    path = str(pi.devices / "gpiochip9")
    with pytest.raises(BadPinFactory) as caught:
        PiFactory(9, devices=pi.devices)
    assert str(caught.value) == f"no GPIO chip {path}; found: {path} (No such file or directory)"


@pytest.mark.parametrize(
    ("user", "named"), [("gpio-keys", "'gpio-keys'"), ("", "'the kernel'")], ids=str
)
def test_a_line_of_another_program_is_in_use(pi: Pi, user: str, named: str) -> None:
    with pi.kernel.open_chip(pi.factory.chip) as chip:
        request = chip.request_lines({LEFT: gpiod.LineSettings()}, user)
    with pytest.raises(GPIOPinInUse, match=f"GPIO17 is already in use by {named}"):
        Button(LEFT, pin_factory=pi.factory)
    request.release()
    Button(LEFT, pin_factory=pi.factory).close()


def test_a_chip_that_is_unplugged_later_is_not_said_to_be_in_use(pi: Pi) -> None:
    pi.kernel.refused = OSError(ENODEV, "No such device")
    with pytest.raises(OSError, match="No such device"):
        pi.factory.pin(LEFT)
