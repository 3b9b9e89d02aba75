"""What the doctor has to know of this computer and of whoever sits at it, as it is now.

The one rule: nothing is judged here; what a fact means is said where it is examined.
"""

import grp
import os
import subprocess
import time
from collections.abc import Callable, Collection
from importlib.metadata import PackageNotFoundError, version

from hardware.examine_computer import RPI_GPIO, RPI_LGPIO, SERVICE

ASKING_S = 5.0  # what the service manager may take to answer


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
