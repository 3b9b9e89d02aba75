"""What the doctor has to know of this computer and of whoever sits at it, as it is now.

The one rule: nothing is judged here; what a fact means is said where it is examined.
"""

import grp
import os
import pwd
import subprocess
import sys
import time
from collections.abc import Callable, Collection
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

import gpiod
from gpiozero.pins import Factory

from hardware.diagnostics.edge_wait import Attention
from hardware.diagnostics.check_computer import RPI_GPIO, RPI_LGPIO, SERVICE
from hardware.gpio.factories import pin_factory
from hardware.gpio.chip import OpenChip
from hardware.display.panel import Wire
from hardware.display.i2c import connect

ASKING_S = 5.0  # what the service manager may take to answer


class Outside(NamedTuple):
    """What is examined, and what is needed for it."""

    root: Path
    open_chip: OpenChip
    factory: Callable[[str], Factory]
    connect: Callable[[int, int], Wire]
    now_ns: Callable[[], int]
    service: str  # its state
    slept_ns: int
    user: str
    groups: list[str]
    installed: dict[str, str | None]
    watching: Callable[[], Attention]


def on_this_computer() -> Outside:
    """This computer, and whoever sits at it."""
    return Outside(
        root=Path("/"),
        open_chip=gpiod.Chip,
        factory=pin_factory,
        connect=connect,
        now_ns=time.monotonic_ns,
        service=service_state(),
        slept_ns=slept_ns(),
        user=own_name(),
        groups=own_groups(),
        installed=installed(),
        watching=lambda: Attention(keyboard()),
    )


def keyboard() -> int:
    """Where Enter comes from; if that is closed, something that is at its end."""
    return os.open(os.devnull, os.O_RDONLY) if sys.stdin is None else sys.stdin.fileno()


def own_name() -> str:
    """Whoever runs this; by number if nobody has given a name."""
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return str(os.geteuid())


def own_groups() -> list[str]:
    """The groups of whoever runs this."""
    names = []
    for number in {os.getegid(), *os.getgroups()}:
        try:
            names.append(grp.getgrgid(number).gr_name)
        except KeyError:
            continue
    return names


def slept_ns() -> int:
    """How long this computer has slept since it was switched on."""
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) - time.monotonic_ns()


def installed(
    version_of: Callable[[str], str] = version, names: Collection[str] = (RPI_GPIO, RPI_LGPIO)
) -> dict[str, str | None]:
    """The versions of packages; None for one that is not installed."""
    found: dict[str, str | None] = dict.fromkeys(names)
    for name in names:
        try:
            found[name] = version_of(name)
        except PackageNotFoundError:
            continue
    return found


def service_state(command: str = "systemctl") -> str:
    """What the service manager says of the clock; "" if there is none."""
    asked = [command, "is-active", f"{SERVICE}.service"]
    try:
        said = subprocess.run(asked, capture_output=True, text=True, timeout=ASKING_S, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return said.stdout.strip()
