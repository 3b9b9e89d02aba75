"""The lines DC and RES: claimed once, pulsed once for both panels, and never again."""

from pathlib import Path
from typing import cast

import pytest

from gpiozero_gpiod.chip import OpenChip
from hardware.display import i2c, spi
from hardware.display.lines import PULSE_S, Outputs
from hardware.display.wires import Wires, connector
from lab.support.gpio_kernel import FakeKernel
from lab.support.panel_models import SpiBus, Ssd1306

DC, RES = 24, 25


class Box:
    """Two panels whose lines are those of a fake kernel."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        (folder / "gpiochip0").touch()
        self.kernel = FakeKernel([("gpiochip0", "pinctrl-rp1")])
        self.bus = SpiBus({0: Ssd1306(), 1: Ssd1306()})
        self.levels: list[tuple[int, float]] = []  # of RES, and for how long
        open_chip = cast("OpenChip", self.kernel.open_chip)
        self.outputs = Outputs(open_chip, folder, self.pause)

        def device(path: str) -> spi.Device:
            return self.bus.device(0, int(path[-1]), lambda: bool(self.kernel.level(DC)))

        patch.setattr(spi, "SpiDevice", device)
        patch.setattr(i2c, "connect", lambda bus, address: self.bus.connect(0, address - 0x3C))

    def pause(self, seconds: float) -> None:
        """A level of RES stays for so long; a low one resets the panels."""
        self.levels.append((self.kernel.level(RES), seconds))
        if not self.kernel.level(RES):
            self.bus.reset()


@pytest.fixture
def box(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Box:
    """Two panels, whose lines nobody has claimed."""
    return Box(tmp_path, monkeypatch)


@pytest.mark.rule("R140")
@pytest.mark.parametrize("interface", ["spi", "i2c"])
def test_both_panels_are_reset_once(box: Box, interface: str) -> None:
    """Opening and closing the left one a hundred times does not darken the right one."""
    connect = connector(Wires(interface, DC, RES), lambda: box.outputs)
    places = (0, 1) if interface == "spi" else (0x3C, 0x3D)
    right = connect(0, places[1])
    right.send(b"\x00\xaf")
    for _ in range(100):
        connect(0, places[0]).cleanup()
    assert box.levels == [(0, PULSE_S), (1, PULSE_S)]
    assert (box.bus.resets, box.bus.panels[1].on, box.kernel.level(RES)) == (1, True, 1)


@pytest.mark.rule("R140")
def test_dc_follows_what_is_sent(box: Box) -> None:
    wire = connector(Wires("spi", DC, RES), lambda: box.outputs)(0, 0)
    for message, level in ((b"\x00\xaf", 0), (b"\x40\xff", 1), (b"\x00\xe3", 0)):
        wire.send(message)
        assert box.kernel.level(DC) == level
    wire.cleanup()
    assert sorted(box.kernel.requests) == [DC, RES]


def test_without_a_reset_pin_no_line_is_touched(box: Box) -> None:
    connector(Wires(), lambda: box.outputs)(1, 0x3C)
    assert (box.kernel.requests, box.bus.resets) == ({}, 0)
