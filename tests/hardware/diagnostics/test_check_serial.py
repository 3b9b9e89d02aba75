"""The serial port."""

import errno
import os
from pathlib import Path

import pytest
from serial import Serial

from hardware.diagnostics import check_serial
from hardware.diagnostics.check_serial import uart
from lab.support.findings import FAULT, OK, file, verdict_of
from lab.support.rows import row


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
    assert (verdict_of(taken), taken.advice) == (FAULT, check_serial.IN_USE)
    missing = check_serial.port(str(tmp_path / "ttyUSB0"), 115200)
    assert "/dev/serial/by-id" in missing.advice
    for name in (str(file(tmp_path, "file")), "nothing://x"):
        other = check_serial.port(name, 115200)
        assert (verdict_of(other), other.advice) == (FAULT, check_serial.OTHER_ADVICE)


def test_a_serial_port_without_permission(monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", "/dev/ttyAMA0")

    monkeypatch.setattr(check_serial, "open_port", denied)
    assert "usermod -aG dialout" in check_serial.port("/dev/ttyAMA0", 115200).advice


ZERO, PI_3, PI_4 = "Raspberry Pi Zero 2 W Rev 1.0", "Raspberry Pi 3 Model B Plus", "Raspberry Pi 4"
PI_5 = "Raspberry Pi 5 Model B Rev 1.0"
OURS = "/dev/ttyAMA0"
NO_BT = "dtoverlay=disable-bt"
# The model, what /dev/serial0 links to, other ports, the port found, what is missing for ttyAMA0.
PIS = [
    *((model, "", ["ttyAMA0"], "no port", NO_BT) for model in (ZERO, PI_3, PI_4)),
    *((model, "ttyS0", ["ttyAMA0"], "/dev/ttyS0", NO_BT) for model in (ZERO, PI_4)),
    *((model, "ttyAMA0", ["ttyS0"], OURS, "") for model in (ZERO, PI_3, PI_4)),
    (PI_5, "ttyAMA10", [], "no port", "dtparam=uart0=on"),
    (PI_5, "ttyAMA10", ["ttyAMA0"], OURS, ""),
]


def pi(root: Path, link: str, ports: list[str], console: str = "") -> Path:
    """A tree of files like that of a Pi."""
    for name in ports:
        file(root, f"dev/{name}")
    file(root, "proc/cmdline", f"console={console},115200 console=tty1 quiet\n")
    if link:
        (root / "dev").mkdir(exist_ok=True)
        (root / "dev/serial0").symlink_to(link)
    return root


@pytest.mark.rule("R142")
def test_the_port_behind_gpio14_is_named(tmp_path: Path) -> None:
    """And the line that is missing, if the file names another one; on Pi Zero 2 W, 3, 4, 5."""
    for number, (model, link, ports, named, missing) in enumerate(PIS):
        for console in (False, True):
            with row(model, link, console):
                root = pi(tmp_path / f"{number}{console}", link, ports, "ttyAMA0" * console)
                unused = uart(root, model, "/dev/ttyUSB0")
                assert (verdict_of(unused), unused.found.split(" is ")[0]) == (OK, named)
                found = uart(root, model, OURS)
                fault = bool(missing) or console
                assert verdict_of(found) is (FAULT if fault else OK)
                word = missing or ("console=ttyAMA0,115200" if console else "")
                assert word in found.advice
                assert ("console=serial0" in found.advice) is (console and not missing)


@pytest.mark.rule("R142")
def test_the_pis_other_name_of_that_port_is_known(tmp_path: Path) -> None:
    """/dev/serial0 is that port up to the Pi 4, and another connector on a Pi 5."""
    four, five = pi(tmp_path / "4", "ttyS0", []), pi(tmp_path / "5", "ttyAMA10", ["ttyAMA0"])
    assert verdict_of(uart(four, PI_4, "/dev/serial0")) is OK
    (four / "proc/cmdline").unlink()  # a kernel that does not show it has no console there
    assert verdict_of(uart(four, PI_4, "/dev/ttyS0")) is OK
    (four / "dev/serial0").unlink()
    assert verdict_of(uart(four, PI_4, "/dev/serial0")) is FAULT
    assert verdict_of(uart(five, PI_5, "/dev/serial0")) is FAULT
