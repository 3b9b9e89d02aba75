"""The SPI bus, as the kernel shows it; the panels on it are in tests/apps/test_doctor.py."""

import os
from pathlib import Path

import pytest

from hardware.diagnostics import check_spi
from lab.support.findings import FAULT, OK, file, verdict_of


@pytest.mark.rule("R140")
def test_both_chip_selects_are_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file(tmp_path, "dev/spidev0.0")
    missing = check_spi.bus(tmp_path)
    assert (verdict_of(missing), missing.found) == (FAULT, "there is no /dev/spidev0.1")
    assert missing.advice.endswith("restart: dtparam=spi=on")
    file(tmp_path, "dev/spidev0.1")
    assert verdict_of(check_spi.bus(tmp_path)) is OK
    monkeypatch.setattr(os, "access", lambda *_: False)
    denied = check_spi.bus(tmp_path)
    assert (verdict_of(denied), "sudo usermod -aG spi $USER" in denied.advice) == (FAULT, True)
