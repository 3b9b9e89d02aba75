"""Connections over SPI: which bytes are commands, how spidev is set, and what cannot be known."""

import fcntl
from pathlib import Path

import pytest

from hardware.display.controllers import commands, controller
from hardware.display.framebuffer import BLANK, WHOLE
from hardware.display.spi import SELECTS, SET_MODE, SET_SPEED, SPEED_HZ, SpiDevice, parts
from hardware.units import NS_PER_MS
from lab.support.glass import DRIVERS, RUNNING, WAITING, Glass
from lab.support.panel_models import SpiBus, Ssd1306
from lab.support.paths import ROOT

IOC_WRITE, SPI = 1 << 30, ord("k") << 8  # linux/ioctl.h, linux/spi/spidev.h
MOST_HZ, LONGEST_MS = 10_000_000, 5  # the data sheets' clock of 100 ns; of a whole picture
PAGE = (ROOT / "docs" / "hardware.md").read_text("utf-8")


@pytest.mark.rule("R140")
def test_the_level_of_dc_stands_for_the_control_bytes() -> None:
    """Commands with their operands, then data; a message without any sends nothing."""
    assert [*parts(commands(0xAE, 0x81, 0x40))] == [(False, b"\xae\x81\x40")]
    window = b"\x80\x21\x80\x00\x80\x7f\x40" + bytes(3)
    assert [*parts(window)] == [(False, b"\x21\x00\x7f"), (True, bytes(3))]
    assert [*parts(commands())] == []
    whole = controller("ssd1309").message(BLANK, WHOLE, None)
    assert [(dc, len(part)) for dc, part in parts(whole)] == [(False, 6), (True, 1024)]


@pytest.mark.rule("R140")
def test_a_panel_on_spi_never_answers() -> None:
    """What it would say is an error of the kernel's kind; one that is gone is none."""
    bus = SpiBus({0: Ssd1306()})
    wire = bus.connect(0, 0)
    bus.panels[0].unplug()
    wire.send(commands(0xAF))
    with pytest.raises(OSError, match="not supported"):
        wire.receive()
    wire.cleanup()
    assert bus.opened == 0


def test_a_device_has_mode_0_and_2_mhz(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A transfer is one write; a device that spidev does not serve is closed again."""
    calls: list[tuple[int, bytes]] = []
    monkeypatch.setattr(fcntl, "ioctl", lambda _, code, value: calls.append((code, value)))
    path = tmp_path / "spidev0.0"
    path.touch()
    device = SpiDevice(str(path))
    device.write(b"picture")
    device.close()
    assert path.read_bytes() == b"picture"
    assert calls == [(SET_MODE, b"\0"), (SET_SPEED, (2_000_000).to_bytes(4, "little"))]
    assert (SET_MODE, SET_SPEED) == (IOC_WRITE | 1 << 16 | SPI | 1, IOC_WRITE | 4 << 16 | SPI | 4)
    monkeypatch.undo()
    open_before = len([*Path("/proc/self/fd").iterdir()])
    with pytest.raises(OSError, match="ioctl"):
        SpiDevice(str(path))
    assert len([*Path("/proc/self/fd").iterdir()]) == open_before


@pytest.mark.rule("R140")
@pytest.mark.parametrize("driver", DRIVERS)
def test_the_page_has_the_time_of_a_picture(driver: str) -> None:
    """Calculated from the bytes that are sent, at the clock's speed and at the panels' highest."""
    glass = Glass(driver, spi=True).show(RUNNING, WAITING)
    pictures = len(SELECTS)
    times = [round(glass.spi.time_ns(hz) / pictures / NS_PER_MS, 1) for hz in (SPEED_HZ, MOST_HZ)]
    assert f"{times[0]} ms at 2 MHz, {times[1]} at 10" in PAGE
    assert times[0] <= LONGEST_MS
