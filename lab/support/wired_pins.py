"""A pytest plugin for gpiozero's own tests of real pins: `make test IN=gpiozero`.

It puts our pin factory on a simulated Pi 4 whose GPIO22 and GPIO27 are connected, as those tests
expect, and has the fixture that gpiozero's source archive leaves out.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from gpiozero import Device

import gpiozero_gpiod.factory
from lab.support.gpio_kernel import FakeKernel

CONNECTED = (22, 27)
PI_4 = 0xC03115
CHIP = "gpiochip0"


class WiredFactory(gpiozero_gpiod.GpiodFactory):
    """Ours, on a Pi 4 of its own."""

    folder: Path

    def __init__(self) -> None:
        kernel = FakeKernel([(CHIP, "pinctrl-bcm2711")])
        kernel.wire(*CONNECTED)
        super().__init__(open_chip=kernel.open_chip, devices=self.folder)

    def _get_revision(self) -> int:
        return PI_4


@pytest.fixture(scope="session", autouse=True)
def _wired(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    WiredFactory.folder = tmp_path_factory.mktemp("dev")
    (WiredFactory.folder / CHIP).touch()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gpiozero_gpiod.factory, "GpiodFactory", WiredFactory)
        yield


@pytest.fixture
def no_default_factory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take the default factory away, and the environment's choice of one."""
    monkeypatch.setattr(Device, "pin_factory", None)
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "")
