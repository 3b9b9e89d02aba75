"""The report of a box: what is in it, and what must not be."""

from pathlib import Path

import pytest

from clock.apps.doctor_report import report
from clock.config.loader import parse_settings
from hardware.diagnostics.finding import Finding, Verdict
from lab.support.findings import file

# The firmware of a Pi adds the address of its network card and, on older ones, its serial number.
CMDLINE = (
    "console=serial0,115200 console=tty1 smsc95xx.macaddr=B8:27:EB:12:34:56 "
    "bcm2708.serial=0xd1234567 root=PARTUUID=1a2b-02 rootwait ip=192.168.8.7"
)
SETTINGS = """
[match]
names = ["Ada", "Eve"]
event = "Nordic Open"
[display]
interface = "spi"
[director]
code = "LRRL"
"""


@pytest.mark.rule("R150")
def test_all_that_explains_a_box_is_in_its_report(tmp_path: Path) -> None:
    """Findings, wiring, system; no player, no code, nothing that identifies the Pi or its card."""
    file(tmp_path, "etc/os-release", 'PRETTY_NAME="Debian GNU/Linux 13 (trixie)"\n')
    file(tmp_path, "proc/cmdline", f"{CMDLINE}\n")
    file(tmp_path, "boot/firmware/config.txt", "# a comment\n\ndtparam=spi=on\n")
    findings = [
        Finding("log sync", "4.1 ms a line, 9.0 ms at worst"),
        Finding("right panel", "CE1, not seen", Verdict.FAULT, "Check its wires."),
    ]
    text = report(parse_settings(SETTINGS, "my.toml"), findings, tmp_path)
    for part in (
        "ok     log sync: 4.1 ms a line, 9.0 ms at worst",
        "FAULT  right panel: CE1, not seen",
        "display.interface = spi",
        "trixie",
        "console=serial0,115200 console=tty1 rootwait\n",
        "dtparam=spi=on",
        "Check its wires.",
        "luma.oled ",
        "--- throttled since the start (0: never)\nnot known",
    ):
        assert part in text
    for secret in ("Ada", "Nordic", "LRRL", "1a2b", "B8:27", "d1234567", "192.168", "a comment"):
        assert secret not in text
