"""What the doctor needs from this computer. Nothing is judged here."""

import grp
import os
import pwd
import subprocess
import sys
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

import gpiod
from gpiozero.pins import Factory

from gpiozero_gpiod.chip import OpenChip
from hardware.diagnostics.check_computer import RPI_GPIO, RPI_LGPIO, SERVICE
from hardware.diagnostics.edge_queue import EdgeQueue
from hardware.display.wires import Connect, Wires, connector
from hardware.gpio.factories import pin_factory

TIMEOUT_S = 5.0  # for systemctl to answer


class Probe(NamedTuple):
    """Facts about a computer, and ways to its devices."""

    root: Path  # of the file system
    open_chip: OpenChip
    factory: Callable[[str], Factory]
    connector: Callable[[Wires], Connect]
    now_ns: Callable[[], int]
    stamps_ns: Callable[[], int]  # the clock that presses are stamped with
    service: str  # state of the clock's service
    slept_ns: int
    user: str
    groups: list[str]
    installed: dict[str, str | None]  # versions of packages
    edge_queue: Callable[[], EdgeQueue]
    confirm: Callable[[str], bool]  # asks a person


def probe_computer() -> Probe:
    """Return the facts of this computer and of the user who runs the program."""
    return Probe(
        root=Path("/"),
        open_chip=gpiod.Chip,
        factory=pin_factory,
        connector=connector,
        now_ns=time.monotonic_ns,
        stamps_ns=time.monotonic_ns,
        service=service_state(),
        slept_ns=time.clock_gettime_ns(time.CLOCK_BOOTTIME) - time.monotonic_ns(),
        user=user_name(),
        groups=user_groups(),
        installed=installed(),
        edge_queue=lambda: EdgeQueue(keyboard()),
        confirm=confirm,
    )


def keyboard() -> int:
    """Return the descriptor of the standard input; if closed, one that is at its end."""
    return os.open(os.devnull, os.O_RDONLY) if sys.stdin is None else sys.stdin.fileno()


def confirm(question: str) -> bool:
    """Ask a person; anything but a line that begins with y is no."""
    sys.stdout.write(question)
    sys.stdout.flush()
    line = "" if sys.stdin is None else sys.stdin.readline()
    return line.strip().lower().startswith("y")


def user_name() -> str:
    """Return the name of this user; their number if they have no name."""
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return str(os.geteuid())


def user_groups() -> list[str]:
    """Return the names of this user's groups."""
    names = []
    for number in {os.getegid(), *os.getgroups()}:
        with suppress(KeyError):
            names.append(grp.getgrgid(number).gr_name)
    return names


def installed(
    version_of: Callable[[str], str] = version, names: Collection[str] = (RPI_GPIO, RPI_LGPIO)
) -> dict[str, str | None]:
    """Return the versions of packages; None for one that is not installed."""
    found: dict[str, str | None] = dict.fromkeys(names)
    for name in names:
        with suppress(PackageNotFoundError):
            found[name] = version_of(name)
    return found


def service_state(command: str = "systemctl") -> str:
    """Return the state of the clock's service; empty without systemd."""
    ask = [command, "is-active", f"{SERVICE}.service"]
    try:
        done = subprocess.run(ask, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()
