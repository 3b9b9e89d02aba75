"""Check the serial port: that it can be opened, and which one is behind GPIO14 (TXD, pin 8).

Nothing is sent. Up to the Pi 4 the firmware gives that pin to the port that `/dev/serial0` links
to, and without a line in config.txt to none. On a Pi 5 it is `/dev/ttyAMA0`, and `/dev/serial0` is
another connector (uart.adoc of the documentation of Raspberry Pi, overlays/README of its firmware).
"""

import errno
import re
from pathlib import Path

from hardware.diagnostics.check_bus import FIRMWARE_CONFIG
from hardware.diagnostics.finding import Finding, Verdict, group_advice
from hardware.serial.port import PORT_ERRORS, open_port

IN_USE = "Stop the other program, or give the clock a port of its own."
ADVICE: dict[int | None, str] = {
    errno.ENOENT: 'Plug it in, or set log.serial to one of /dev/serial/by-id/*, or to "".',
    errno.EACCES: group_advice("dialout"),
    errno.EAGAIN: IN_USE,
    errno.EBUSY: IN_USE,
}
OTHER_ADVICE = 'Set log.serial to a serial port, or to "" for none.'


def port(name: str, baud: int) -> Finding:
    """Check that the log can be sent to a port; without a name none is configured."""
    if not name:
        return Finding("serial", "none is configured")
    try:
        with open_port(name, baud):
            return Finding("serial", f"{name}, {baud} baud")
    except PORT_ERRORS as error:
        number = getattr(error, "errno", None)  # an error of termios has none
        why = "another program uses it" if number == errno.EAGAIN else str(error)
        advice = ADVICE.get(number, OTHER_ADVICE)
        return Finding("serial", f"{name}: {why}", Verdict.FAULT, advice)


WANTED = "ttyAMA0"
OWN = re.compile(r"/dev/(ttyAMA\d+|ttyS0|serial[01])")
PI_5 = re.compile(r"Raspberry Pi (5|500|Compute Module 5)\b")
MISSING = "Run the installation again with SERIAL=1 (docs/install.md), or add to {config}: {line}"
CONSOLE = (
    "Messages of the kernel and a login go there too: remove {word} from"
    " /boot/firmware/cmdline.txt, where it is mostly written console=serial0,115200, and restart."
)


def port_behind_gpio14(root: Path, model: str) -> str:
    """Return the name of the port behind GPIO14, such as "ttyAMA0"; "" if there is none."""
    if PI_5.search(model):
        return WANTED if (root / "dev" / WANTED).exists() else ""
    link = root / "dev/serial0"
    return link.readlink().name if link.is_symlink() else ""


def uart(root: Path, model: str, serial: str) -> Finding:
    """Report the port behind GPIO14; a fault if [log] serial names one of the Pi's, and not it."""
    name = port_behind_gpio14(root, model)
    found = f"/dev/{name} is on GPIO14 (pin 8)" if name else "no port is on GPIO14 (pin 8)"
    if not OWN.fullmatch(serial):
        return Finding("uart", found)
    if serial not in {f"/dev/{name}", "/dev/serial0" * bool(name and not PI_5.search(model))}:
        line = "dtparam=uart0=on, below [pi5]" if PI_5.search(model) else "dtoverlay=disable-bt"
        advice = MISSING.format(config=FIRMWARE_CONFIG, line=line)
        return Finding("uart", f"{found}, and not {serial}", Verdict.FAULT, advice)
    if console := _console(root, name):
        advice = CONSOLE.format(word=console)
        return Finding("uart", f"{found}, and the console is on it", Verdict.FAULT, advice)
    return Finding("uart", found)


def _console(root: Path, name: str) -> str:
    """Return the word of the kernel's command line that puts a console on a port.

    The firmware has replaced serial0, as it stands in cmdline.txt, by the name of a port.
    """
    try:
        words = (root / "proc/cmdline").read_text(encoding="utf-8").split()
    except OSError:
        return ""
    there = rf"console={name}(,.*)?"
    return next((word for word in words if re.fullmatch(there, word)), "")
