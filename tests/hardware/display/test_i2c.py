"""Connections: the timeout of a bus, and transfers to simulated panels."""

import errno
import fcntl
from pathlib import Path

import luma.core.error
import pytest

from hardware.display import i2c
from hardware.display.i2c import TIMEOUT_UNITS, connect
from lab.support.panel_models import Bus, Ssd1306, Trouble

WHOLE_PICTURE_BYTES = 1038  # the largest message, with the address
SLOWEST_HZ = 62_500  # 100 kHz where the core's clock rests at 250 MHz of 400


@pytest.fixture
def ioctls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """Record the requests to the kernel, and their arguments."""
    calls: list[tuple[int, int]] = []
    monkeypatch.setattr(fcntl, "ioctl", lambda _, code, units: calls.append((code, units)))
    return calls


def open_files() -> set[str]:
    """Return the descriptors of this process."""
    return {path.name for path in Path("/proc/self/fd").iterdir()}


def test_the_timeout_is_short_but_long_enough_for_a_whole_picture(
    ioctls: list[tuple[int, int]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is set in units of 10 ms, and the device is closed again; one without it is used, too."""
    monkeypatch.setattr(i2c, "I2cConnection", lambda port, address: (port, address))
    monkeypatch.setattr(i2c, "DEVICE", str(tmp_path / "i2c-{}"))
    (tmp_path / "i2c-1").touch()
    before = open_files()
    wires: list[object] = [connect(bus, 0x3C) for bus in (1, 98)]
    assert wires == [(1, 0x3C), (98, 0x3C)]
    assert ioctls == [(0x0702, TIMEOUT_UNITS)]  # I2C_TIMEOUT of linux/i2c-dev.h
    assert open_files() == before
    assert TIMEOUT_UNITS * 10 > WHOLE_PICTURE_BYTES * 9 * 1000 / SLOWEST_HZ


def test_a_missing_bus_is_an_error_of_lumas() -> None:
    """`Panel` handles that error."""
    with pytest.raises(luma.core.error.DeviceNotFoundError):
        connect(98, 0x3C)


def test_a_message_is_one_transfer() -> None:
    bus = Bus({0x3C: Ssd1306()})
    wire = bus.connect(1, 0x3C)
    wire.send(b"\x00\xaf\x81\x33")
    wire.send(b"\x80\xae\x40" + bytes(1024))
    assert bus.transfers == [(0x3C, 5), (0x3C, 1028)]
    assert (bus.panels[0x3C].on, bus.panels[0x3C].contrast) == (False, 0x33)


def test_the_status_can_be_read_whatever_was_sent_before() -> None:
    bus = Bus({0x3C: Ssd1306()})
    wire = bus.connect(1, 0x3C)
    wire.send(b"\x40\xff")
    assert wire.receive() == 0x46
    wire.send(b"\x00\xaf")
    assert wire.receive() == 0x06
    assert bus.transfers == [(0x3C, size) for size in (3, 4, 3, 4)]


@pytest.mark.parametrize("number", [errno.EREMOTEIO, errno.EIO])
def test_a_message_that_is_not_acknowledged_is_an_error_of_lumas(number: int) -> None:
    bus = Bus({0x3D: Ssd1306()})
    bus.troubles = {1: Trouble(number)}
    wire = bus.connect(1, 0x3D)
    with pytest.raises(luma.core.error.DeviceNotFoundError) as ours:
        wire.send(b"\x00\xaf")
    bus.troubles = {2: Trouble(number)}
    with pytest.raises(luma.core.error.DeviceNotFoundError) as lumas:
        wire.command(0xAF)
    assert str(ours.value) == str(lumas.value) == "I2C device not found on address: 0x3D"


def test_a_bus_that_hangs_is_the_kernels_error() -> None:
    bus = Bus({0x3C: Ssd1306()})
    bus.troubles = {1: Trouble(errno.ETIMEDOUT)}
    with pytest.raises(TimeoutError):
        bus.connect(1, 0x3C).send(b"\x00\xaf")
