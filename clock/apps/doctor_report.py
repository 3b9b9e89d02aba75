"""What a first builder can measure without instruments, as one text to send back."""

import platform
import re
from collections.abc import Iterable
from importlib.metadata import distributions
from pathlib import Path

from clock import __version__
from clock.config.settings import Settings, describe
from hardware.diagnostics.finding import Finding, summary

HEAD = """\
gammonclock doctor, report of a box
It has no names, no logs, no passwords and no network address: read it before you send it.
"""
HARDWARE = ("display.", "buttons.", "sound.", "lamps.", "power.", "log.serial")
FACTS = {  # of the system, by file
    "system": "etc/os-release",
    "kernel's command line": "proc/cmdline",
    "config.txt": "boot/firmware/config.txt",
    "throttled since the start (0: never)": "sys/devices/platform/soc/soc:firmware/get_throttled",
}
LIBRARIES = ("gpiod", "gpiozero", "lgpio", "luma.core", "luma.oled", "pillow", "pyserial", "smbus2")
# Words of the command line that identify the card, the Pi or its network.
SECRET = re.compile(r"(root|ip|nfsroot|\S*\bmacaddr|\S*\bserial)=|PARTUUID")


def report(settings: Settings, findings: Iterable[Finding], root: Path) -> str:
    """Return the findings with the facts of the system at `root` that explain them."""
    found = list(findings)
    lines = [f"{each.verdict.value:6} {each.name}: {each.found}" for each in found]
    wired = [f"{name} = {text}" for name, text in describe(settings) if name.startswith(HARDWARE)]
    parts = [
        HEAD,
        f"gammonclock {__version__}, Python {platform.python_version()}, {', '.join(_libraries())}",
        _chapter("findings", lines),
        _chapter("settings of the hardware", wired),
        *(_chapter(name, _fact(root / path)) for name, path in FACTS.items()),
        _chapter("what doctor advises", summary(found).splitlines()),
    ]
    return "\n".join(parts)


def _chapter(name: str, lines: Iterable[str]) -> str:
    return "\n".join([f"\n--- {name}", *lines])


def _fact(path: Path) -> list[str]:
    """Return the lines of a file but for comments, blank lines and what identifies the box."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ["not known"]
    kept = (line for line in lines if line.strip() and not line.startswith("#"))
    return [" ".join(word for word in line.split() if not SECRET.match(word)) for line in kept]


def _libraries() -> list[str]:
    found = {each.name.lower().replace("_", "-"): each.version for each in distributions()}
    return [f"{name} {found[name]}" for name in LIBRARIES if name in found]
