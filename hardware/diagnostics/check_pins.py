"""The pins: the chip behind them, and who stamps what happens on them.

The one rule: nothing here claims a pin.
"""

from pathlib import Path

from hardware.gpio.factories import STAMPS
from hardware.diagnostics.finding import Finding, Verdict
from hardware.gpio.chip import ASK_FOR_ACCESS, LABELS, OpenChip, look_at


def chip(open_chip: OpenChip, devices: Path) -> Finding:
    """The chip of the header's pins.

    Args:
        open_chip: gpiod.Chip, or another in its place.
        devices: where the chips are, /dev.
    """
    paths = sorted(map(str, devices.glob("gpiochip*")))
    if not paths:
        advice = "Pins are needed for the three buttons: run this on the clock's Raspberry Pi."
        return Finding("gpiochip", f"none in {devices}", Verdict.FAULT, advice)
    seen = {path: look_at(open_chip, path) for path in paths}
    for path, (label, _) in seen.items():
        if label is not None and label.startswith(LABELS):
            return Finding("gpiochip", f"{path}, {label}")
    found = ", ".join(f"{path} ({label or fault})" for path, (label, fault) in seen.items())
    if any(fault == ASK_FOR_ACCESS for _, fault in seen.values()):
        advice = "Add yourself to the group gpio: sudo usermod -aG gpio $USER, then log in again."
    else:
        advice = f"None is that of a Raspberry Pi's header ({', '.join(LABELS)})."
    return Finding("gpiochip", found, Verdict.FAULT, advice)


def stamps(factory: str) -> Finding:
    """Who takes the instant of a press, with a pin factory."""
    by, how = STAMPS[factory]
    found = f"{factory}: {how}"
    if by == "kernel":
        return Finding("stamps", found)
    advice = "A press is stamped when this program comes to it, so it costs a player milliseconds;"
    advice += ' each log says so. Set pin_factory = "gpiod" below [buttons].'
    return Finding("stamps", found, Verdict.NOTE, advice)
