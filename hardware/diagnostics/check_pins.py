"""Check the GPIO chip and the pin factory. No pin is claimed."""

from pathlib import Path

from gpiozero_gpiod.chip import ASK_FOR_ACCESS, LABELS, OpenChip, read_label
from hardware.diagnostics.finding import Finding, Verdict, group_advice
from hardware.gpio.factories import STAMPS


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
