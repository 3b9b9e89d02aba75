"""The way to a panel: how long the kernel waits for a bus; with a program in the kernel's place."""

import errno
import fcntl
from pathlib import Path

import luma.core.error
import pytest
from panel_models import Bus, Ssd1306, Trouble

from hardware.display import i2c as wires
from hardware.display.i2c import PATIENCE, TIMEOUT, connect, limit

WHOLE_PICTURE_BYTES = 1038  # the largest message, with the address
SLOWEST_HZ = 62_500  # 100 kHz where the core's clock rests at 250 MHz of 400


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """What the kernel is told of a bus."""
    calls: list[tuple[int, int]] = []
    monkeypatch.setattr(fcntl, "ioctl", lambda _, code, units: calls.append((code, units)))
    return calls


def open_files() -> set[str]:
    """The descriptors of this process."""
    return {path.name for path in Path("/proc/self/fd").iterdir()}


def test_the_kernel_gives_up_soon_but_not_before_a_picture_can_have_been_sent(
    told: list[tuple[int, int]], tmp_path: Path
) -> None:
    """In units of 10 ms; the device is closed again."""
    (tmp_path / "i2c-1").touch()
    before = open_files()
    limit(str(tmp_path / "i2c-1"))
    assert told == [(TIMEOUT, PATIENCE)]
    assert open_files() == before
    assert PATIENCE * 10 > WHOLE_PICTURE_BYTES * 9 * 1000 / SLOWEST_HZ


def test_a_bus_without_that_is_used_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """An adapter that does not know it, or a device that has just gone."""
    monkeypatch.setattr(wires, "PanelWire", lambda port, address: (port, address))
    wire: object = connect(98, 0x3C)
    assert wire == (98, 0x3C)


def test_no_bus_is_an_error_of_lumas() -> None:
    """As `Screen` expects it."""
    with pytest.raises(luma.core.error.DeviceNotFoundError):
        connect(98, 0x3C)


def test_a_message_is_one_transfer() -> None:
    """With its control bytes as they are, however long it is."""
    bus = Bus({0x3C: Ssd1306()})
    wire = bus.connect(1, 0x3C)
    wire.send(b"\x00\xaf\x81\x33")
    wire.send(b"\x80\xae\x40" + bytes(1024))
    assert bus.transfers == [(0x3C, 5), (0x3C, 1028)]
    assert (bus.panels[0x3C].on, bus.panels[0x3C].contrast) == (False, 0x33)


@pytest.mark.parametrize("number", [errno.EREMOTEIO, errno.EIO])
def test_a_message_that_is_not_acknowledged_is_an_error_of_lumas(number: int) -> None:
    """In luma's own words, of which panel."""
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
    """It is no news of a panel."""
    bus = Bus({0x3C: Ssd1306()})
    bus.troubles = {1: Trouble(errno.ETIMEDOUT)}
    with pytest.raises(TimeoutError):
        bus.connect(1, 0x3C).send(b"\x00\xaf")
