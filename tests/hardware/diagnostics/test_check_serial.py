"""The serial port."""

import errno
import os
from pathlib import Path

import pytest
from serial import Serial

from hardware.diagnostics import check_serial
from lab.support.findings import FAULT, OK, file, verdict_of


def test_the_serial_port(tmp_path: Path) -> None:
    """It is not configured, can be opened, is in use, is missing, or is no port."""
    assert check_serial.port("", 115200).found == "none is configured"
    reader, port = os.openpty()
    name = os.ttyname(port)
    try:
        assert verdict_of(check_serial.port(name, 115200)) is OK
        with Serial(name, exclusive=True):
            taken = check_serial.port(name, 115200)
    finally:
        os.close(reader)
        os.close(port)
    assert taken.found == f"{name}: another program uses it"
    assert verdict_of(taken) is FAULT
    missing = check_serial.port(str(tmp_path / "ttyUSB0"), 115200)
    assert "/dev/serial/by-id" in missing.advice
    for name in (str(file(tmp_path, "file")), "nothing://x"):
        assert verdict_of(check_serial.port(name, 115200)) is FAULT


def test_a_serial_port_without_permission(monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", "/dev/ttyAMA0")

    monkeypatch.setattr(check_serial, "open_port", denied)
    assert "usermod -aG dialout" in check_serial.port("/dev/ttyAMA0", 115200).advice
