"""Check the computer: model, kernel, power supply, sleep, groups, packages, GPIO chip, the service.

Every check is given what it looks at; no pin is claimed.
"""

import os
from collections.abc import Collection, Mapping
from pathlib import Path

from gpiozero_gpiod.chip import ASK_FOR_ACCESS, LABELS, OpenChip, read_label
from hardware.diagnostics.finding import Finding, Verdict, group_advice
from hardware.gpio.factories import STAMPS
from hardware.system.supply import ALARM, NAME, TOO_LOW
from hardware.units import NS_PER_SECOND

FAULT, NOTE = Verdict.FAULT, Verdict.NOTE

MODEL = "proc/device-tree/model"
HWMON = "sys/class/hwmon"
TEMPERATURE = "sys/class/thermal/thermal_zone0/temp"  # in thousandths of a degree
HOT_C = 80  # the firmware slows the processor down from here
SLEEP_STATES = "sys/power/state"
SLEEP_UNITS = ("sleep.target", "suspend.target")  # masking either prevents sleep
SYSTEMD = "etc/systemd"
SERVICE = "gammonclock"

RPI_GPIO, RPI_LGPIO = "RPi.GPIO", "rpi-lgpio"  # two packages with the same modules


def computer(root: Path) -> Finding:
    """Report the model, as the firmware names it in the file system at `root`."""
    name = model(root)
    if not name:
        advice = "The clock needs one. To try it on this computer: gammonclock run --simulate"
        return Finding("computer", "not a Raspberry Pi", NOTE, advice)
    if "Raspberry Pi" in name:
        return Finding("computer", name)
    advice = "Other boards number their pins differently: set buttons.pins to match this one."
    return Finding("computer", f"{name}, not a Raspberry Pi", NOTE, advice)


def model(root: Path) -> str:
    """Return the model, as the firmware names it; "" if it has no name."""
    try:
        return (root / MODEL).read_text(encoding="utf-8", errors="replace").strip("\0\n ")
    except OSError:
        return ""


def kernel(uname: os.uname_result) -> Finding:
    """Report the kernel's version and the processor's architecture."""
    return Finding("kernel", f"{uname.release}, {uname.machine}")


def groups(user: str, own: Collection[str], needed: Collection[str]) -> Finding:
    """Check that a user, who is in the groups `own` now, may use the devices of those needed."""
    if user == "root":
        return Finding("groups", "root may use every device")
    missing = sorted(set(needed) - set(own))
    if not missing:
        return Finding("groups", f"{user} is in {', '.join(needed)}")
    advice = group_advice(",".join(missing), user)
    return Finding("groups", f"{user} is not in {', '.join(missing)}", FAULT, advice)


def supply(root: Path) -> Finding:
    """Check for under-voltage, with the kernel's sensor."""
    for name in sorted((root / HWMON).glob("hwmon*/name")):
        try:
            if name.read_text(encoding="utf-8").strip() != NAME:
                continue
            low = name.with_name(ALARM).read_text(encoding="utf-8").strip() == "1"
        except OSError:
            continue
        if not low:
            return Finding("supply", "the voltage is high enough")
        advice = "Use a 5.1 V supply that is made for this Raspberry Pi, and a short cable."
        return Finding("supply", TOO_LOW, FAULT, advice)
    return Finding("supply", "unknown: this kernel does not report the voltage")


def temperature(root: Path) -> Finding:
    """Report the processor's temperature; a note where it is slowed down."""
    try:
        degrees = int((root / TEMPERATURE).read_text(encoding="utf-8")) / 1000
    except (OSError, ValueError):
        return Finding("temperature", "unknown: this kernel does not report it")
    if degrees < HOT_C:
        return Finding("temperature", f"{degrees:.1f} °C")
    advice = "The processor is slowed down: give the box holes for air."
    return Finding("temperature", f"{degrees:.1f} °C", NOTE, advice)


def sleep(root: Path, slept_ns: int) -> Finding:
    """Check that the computer cannot go to sleep: the time of a match would stand still.

    `slept_ns` is how long it has slept since it was switched on.
    """
    targets = "sleep.target suspend.target hibernate.target hybrid-sleep.target"
    advice = f"Disable sleep: sudo systemctl mask {targets}"
    if slept_ns >= NS_PER_SECOND:
        slept_s = slept_ns // NS_PER_SECOND
        found = f"slept for {slept_s} s since it was switched on; clocks stood still meanwhile"
        return Finding("sleep", found, FAULT, advice)
    try:
        states = (root / SLEEP_STATES).read_text(encoding="utf-8").split()
    except OSError:
        states = []
    if not states or _sleep_is_disabled(root / SYSTEMD):
        return Finding("sleep", "it cannot go to sleep")
    return Finding("sleep", "it can go to sleep; clocks would stand still", NOTE, advice)


def _sleep_is_disabled(systemd: Path) -> bool:
    units = (systemd / "system" / unit for unit in SLEEP_UNITS)
    if any(unit.is_symlink() and unit.readlink() == Path("/dev/null") for unit in units):
        return True
    files = [systemd / "sleep.conf", *sorted(systemd.glob("sleep.conf.d/*.conf"))]
    texts = (path.read_text(encoding="utf-8") for path in files if path.is_file())
    return any("AllowSuspend=no" in text.split() for text in texts)


def packages(installed: Mapping[str, str | None], factory: str) -> Finding:
    """Check that only one of the packages with the module RPi.GPIO is installed."""
    there = [f"{name} {installed[name]}" for name in (RPI_GPIO, RPI_LGPIO) if installed[name]]
    if len(there) < len(installed):
        return Finding("packages", ", ".join(there) or "RPi.GPIO is not installed")
    advice = f"They overwrite each other. Keep {RPI_LGPIO}, which works on current kernels:"
    advice += f" pip uninstall {RPI_GPIO} {RPI_LGPIO}, then pip install {RPI_LGPIO}"
    verdict = FAULT if factory == "rpigpio" else NOTE
    return Finding("packages", f"both {' and '.join(there)} are installed", verdict, advice)


def service(state: str) -> Finding:
    """Check, by what `systemctl is-active` prints, that the clock does not use pins and panels."""
    if state in {"active", "activating", "reloading", "deactivating"}:
        advice = f"Stop the clock, then run this again: sudo systemctl stop {SERVICE}. Afterwards"
        advice += f" start the clock: sudo systemctl start {SERVICE}"
        return Finding("service", f"{SERVICE}.service is running", FAULT, advice)
    if state == "failed":
        advice = f"Read its last messages: journalctl -u {SERVICE} -e"
        return Finding("service", f"{SERVICE}.service has failed", NOTE, advice)
    return Finding("service", "not running" if state else "this computer has no systemd")


def chip(open_chip: OpenChip, devices: Path) -> Finding:
    """Check that the chip behind the pin header is there and can be opened; `devices` is /dev."""
    paths = sorted(map(str, devices.glob("gpiochip*")))
    if not paths:
        advice = "The buttons need GPIO pins: run this on the clock's Raspberry Pi."
        return Finding("gpiochip", f"none in {devices}", Verdict.FAULT, advice)
    seen = {path: read_label(open_chip, path) for path in paths}
    for path, (label, _) in seen.items():
        if label is not None and label.startswith(LABELS):
            return Finding("gpiochip", f"{path}, {label}")
    found = ", ".join(f"{path} ({label or fault})" for path, (label, fault) in seen.items())
    if any(fault == ASK_FOR_ACCESS for _, fault in seen.values()):
        return Finding("gpiochip", found, Verdict.FAULT, group_advice("gpio"))
    advice = f"None is the pin header of a Raspberry Pi ({', '.join(LABELS)}): run this on one."
    return Finding("gpiochip", found, Verdict.FAULT, advice)


def stamps(factory: str) -> Finding:
    """Report whether the kernel or software takes the time of a press with a pin factory."""
    by, how = STAMPS[factory]
    found = f"{factory}: {how}"
    if by == "kernel":
        return Finding("stamps", found)
    advice = "Each press is timed some milliseconds late, which costs the player that time, and"
    advice += ' every log says so. Set pin_factory = "gpiod" under [buttons].'
    return Finding("stamps", found, Verdict.NOTE, advice)
