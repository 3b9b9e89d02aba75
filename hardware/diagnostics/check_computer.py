"""The computer itself: its model and kernel, who may use it, its supply, and what else runs on it.

The one rule: every function gets what it looks at, and looks at nothing else.
"""

import os
from collections.abc import Collection, Mapping
from pathlib import Path

from hardware.diagnostics.finding import Finding, Verdict
from hardware.system.undervoltage import ALARM, NAME, TOO_LOW

FAULT, NOTE = Verdict.FAULT, Verdict.NOTE

MODEL = "proc/device-tree/model"
HWMON = "sys/class/hwmon"
SLEEP_STATES = "sys/power/state"
SLEEP_UNITS = ("sleep.target", "suspend.target")  # masking either keeps it awake
SETTINGS = "etc/systemd"
SERVICE = "gammonclock"
NS_PER_S = 1_000_000_000

RPI_GPIO, RPI_LGPIO = "RPi.GPIO", "rpi-lgpio"  # two packages with the same modules


def computer(root: Path) -> Finding:
    """Its model, as the firmware says it.

    Args:
        root: of the file system.
    """
    try:
        model = (root / MODEL).read_text(encoding="utf-8", errors="replace").strip("\0\n ")
    except OSError:
        advice = "A clock is a Raspberry Pi. Without one: gammonclock run --simulate"
        return Finding("computer", "not a Raspberry Pi", NOTE, advice)
    if "Raspberry Pi" in model:
        return Finding("computer", model)
    advice = "The pins of other boards have other numbers: set buttons.pins to suit them."
    return Finding("computer", f"{model}, not a Raspberry Pi", NOTE, advice)


def kernel(uname: os.uname_result) -> Finding:
    """Its version, and the processor's architecture."""
    return Finding("kernel", f"{uname.release}, {uname.machine}")


def groups(user: str, own: Collection[str], needed: Collection[str]) -> Finding:
    """Whether a user may use the devices.

    Args:
        user: the name.
        own: the groups that the user is in now.
        needed: those that the devices belong to.
    """
    if user == "root":
        return Finding("groups", "root, who may do everything")
    missing = sorted(set(needed) - set(own))
    if not missing:
        return Finding("groups", f"{user} is in {', '.join(needed)}")
    advice = f"sudo usermod -aG {','.join(missing)} {user}, then log in again."
    return Finding("groups", f"{user} is not in {', '.join(missing)}", FAULT, advice)


def supply(root: Path) -> Finding:
    """Whether the supply holds its voltage now, as the kernel reports it."""
    for name in sorted((root / HWMON).glob("hwmon*/name")):
        try:
            if name.read_text(encoding="utf-8").strip() != NAME:
                continue
            low = name.with_name(ALARM).read_text(encoding="utf-8").strip() == "1"
        except OSError:
            continue
        if not low:
            return Finding("supply", "holds its voltage")
        advice = "Use a supply of 5.1 V that is made for this Raspberry Pi, and a short cable."
        return Finding("supply", TOO_LOW, FAULT, advice)
    return Finding("supply", "the kernel does not report its voltage")


def sleep(root: Path, slept_ns: int) -> Finding:
    """Whether the computer may be sent to sleep: what a clock counts in stands still meanwhile.

    Args:
        root: of the file system.
        slept_ns: how long it has slept since it was switched on.
    """
    advice = "sudo systemctl mask sleep.target suspend.target hibernate.target hybrid-sleep.target"
    if slept_ns >= NS_PER_S:
        found = f"slept {slept_ns // NS_PER_S} s since it was switched on; no time ran meanwhile"
        return Finding("sleep", found, FAULT, advice)
    try:
        states = (root / SLEEP_STATES).read_text(encoding="utf-8").split()
    except OSError:
        states = []
    if not states or _kept_awake(root / SETTINGS):
        return Finding("sleep", "it never sleeps")
    return Finding("sleep", "it could be sent to sleep, and no time would run then", NOTE, advice)


def _kept_awake(settings: Path) -> bool:
    """Whether systemd has been told so, by a masked target or a setting."""
    units = (settings / "system" / unit for unit in SLEEP_UNITS)
    if any(unit.is_symlink() and unit.readlink() == Path("/dev/null") for unit in units):
        return True
    files = [settings / "sleep.conf", *sorted(settings.glob("sleep.conf.d/*.conf"))]
    texts = (path.read_text(encoding="utf-8") for path in files if path.is_file())
    return any("AllowSuspend=no" in text.split() for text in texts)


def packages(installed: Mapping[str, str | None], factory: str) -> Finding:
    """Whether the two packages that bring the module RPi.GPIO are there at once.

    Args:
        installed: the version of each, or None.
        factory: the pin factory in use.
    """
    there = [f"{name} {installed[name]}" for name in (RPI_GPIO, RPI_LGPIO) if installed[name]]
    if len(there) < len(installed):
        return Finding("packages", ", ".join(there) or "no RPi.GPIO, and none is needed")
    advice = "They overwrite each other. Keep the one that works on today's kernels:"
    advice += f" pip uninstall {RPI_GPIO} {RPI_LGPIO}, then pip install {RPI_LGPIO}"
    verdict = FAULT if factory == "rpigpio" else NOTE
    return Finding("packages", f"{' and '.join(there)} at once", verdict, advice)


def service(state: str) -> Finding:
    """Whether the clock runs as a service, and so has pins and panels.

    Args:
        state: what `systemctl is-active` says; "" if nobody can be asked.
    """
    if state in {"active", "activating", "reloading", "deactivating"}:
        advice = f"sudo systemctl stop {SERVICE}, then this again; it is not done to a clock that"
        advice += f" runs. Afterwards: sudo systemctl start {SERVICE}"
        return Finding("service", f"{SERVICE}.service is running", FAULT, advice)
    if state == "failed":
        advice = f"Its last words: journalctl -u {SERVICE} -e"
        return Finding("service", f"{SERVICE}.service has failed", NOTE, advice)
    return Finding("service", "not running" if state else "this computer has no systemd")
