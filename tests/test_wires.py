"""The way to a panel: how long the kernel waits for a bus; with a program in the kernel's place."""

import fcntl
from pathlib import Path

import luma.core.error
import pytest

from hardware import wires
from hardware.wires import PATIENCE, TIMEOUT, connect, limit

WHOLE_PICTURE_BYTES = 1026  # of data, with the address
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
    monkeypatch.setattr(wires, "i2c", lambda port, address: (port, address))
    wire: object = connect(98, 0x3C)
    assert wire == (98, 0x3C)


def test_no_bus_is_an_error_of_lumas() -> None:
    """As `Screen` expects it."""
    with pytest.raises(luma.core.error.DeviceNotFoundError):
        connect(98, 0x3C)
