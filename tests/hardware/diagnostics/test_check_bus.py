"""The buses as the kernel shows them, and the test picture."""

import os
from pathlib import Path

import pytest
from PIL import Image, ImageChops

from hardware.diagnostics import check_bus
from lab.support.findings import FAULT, OK, file, read_only, verdict_of
from lab.support.paths import PICTURES


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
    file(tmp_path, "dev/i2c-1")
    monkeypatch.setattr(os, "access", read_only)
    finding = check_bus.bus(1, tmp_path)
    assert (verdict_of(finding), "no permission" in finding.found) == (FAULT, True)
    assert "sudo usermod -aG i2c $USER" in finding.advice


def test_the_test_picture_has_all_four_edges() -> None:
    """A panel of another type would cut one off; left and right look different."""
    picture = check_bus.picture("LEFT", "0x3C")
    edges = [(0, 0, 128, 1), (0, 63, 128, 64), (0, 0, 1, 64), (127, 0, 128, 64)]
    assert [picture.crop(edge).getextrema() for edge in edges] == [(255, 255)] * 4
    assert picture.tobytes() != check_bus.picture("RIGHT", "0x3C").tobytes()


def test_golden_picture() -> None:
    """After a change that is meant, `make docs` keeps the new one: look at it."""
    path, seen = PICTURES / "doctor.png", check_bus.picture("LEFT", "0x3C")
    if os.environ.get("NEW_PICTURES"):
        seen.save(path)
    with Image.open(path) as kept:
        assert ImageChops.difference(kept.convert("1"), seen).getbbox() is None


def test_the_test_picture_has_pixels_lines_and_squares() -> None:
    lit = check_bus.picture("LEFT", "0x3C").getpixel
    for columns, size in ((range(4, 41), 1), (range(42, 83), 2), (range(85, 120), 4)):
        for x in columns:
            assert lit((x + size, 45)) != lit((x, 45))
            assert (lit((x, 45 + size)) != lit((x, 45))) is (size != 2)  # lines are upright


@pytest.mark.rule("R142")
def test_a_bus_that_rests_is_mended_where_that_helps() -> None:
    """Each model has its line; a Pi 5 rests not, and a bus set to 100 kHz is set to 400."""
    models = [f"Raspberry Pi {name}" for name in ("4 Model B", "3 Model B", "Zero 2 W", "5")]
    lines = ("core_freq_min=500", "core_freq_min=400", "core_freq_min=400", "Long wires")
    for model, line in zip(models, lines, strict=True):
        advice = check_bus.speed(160, 400, model).advice
        assert line in advice
        assert "enable_uart" not in advice
    assert "baudrate=400000" in check_bus.speed(100, 100, models[0]).advice
    assert "baudrate=400000" in check_bus.speed(299, 399, models[0]).advice
    assert "core_freq_min=500" in check_bus.speed(299, 400, models[0]).advice
    assert verdict_of(check_bus.speed(300, 400, models[0])) is OK


def test_the_speed_that_the_firmware_has_set_may_be_unknown(tmp_path: Path) -> None:
    """It is so without a file, and with an empty one."""
    assert check_bus.configured_khz(1, tmp_path) is None
    path = file(tmp_path, "sys/bus/i2c/devices/i2c-1/of_node/clock-frequency")
    assert check_bus.configured_khz(1, tmp_path) is None
    path.write_bytes((400_000).to_bytes(4, "big"))
    assert check_bus.configured_khz(1, tmp_path) == 400


@pytest.mark.rule("R140")
def test_both_chip_selects_are_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file(tmp_path, "dev/spidev0.0")
    missing = check_bus.spi_bus(tmp_path)
    assert (verdict_of(missing), missing.found) == (FAULT, "there is no /dev/spidev0.1")
    assert missing.advice.endswith("restart: dtparam=spi=on")
    file(tmp_path, "dev/spidev0.1")
    assert verdict_of(check_bus.spi_bus(tmp_path)) is OK
    monkeypatch.setattr(os, "access", read_only)
    denied = check_bus.spi_bus(tmp_path)
    assert (verdict_of(denied), "sudo usermod -aG spi $USER" in denied.advice) == (FAULT, True)
