"""Check the SPI bus and the panels on it.

Nothing on this bus answers, so only a person can say whether a panel shows its test picture.
"""

import os
from collections.abc import Callable
from pathlib import Path

from PIL import Image

from hardware.diagnostics.check_bus import FIRMWARE_CONFIG, picture, timed
from hardware.diagnostics.finding import Finding, Verdict, group_advice
from hardware.display.panel import Panel
from hardware.display.spi import BUS, SELECTS
from hardware.units import NS_PER_MS

ENABLE = "dtparam=spi=on"  # firmware, overlays/README
ADD_LINE = f"Add this line to {FIRMWARE_CONFIG}, below [all], and restart: {ENABLE}"
DARK = (
    "Check its wires: 3V3, GND, D0 or SCLK (pin 23), D1 or MOSI (pin 19), DC (BCM {dc}), RES"
    " (BCM {reset}) and CS (pin {pin}). The panel must be set to 4-wire SPI, as most are sold."
    " Waveshare's examples have DC on 25 and RES on 27: docs/hardware.md."
)
HEADER_PINS = {0: 24, 1: 26}  # of the chip selects
ASK = "       Does the {name} panel show its test picture, with {title} in it? (y/n) "
CANNOT_ANSWER = "a panel on SPI cannot answer"


def bus(root: Path) -> Finding:
    """Check that both chip selects are there and may be used."""
    names = [f"spidev{BUS}.{select}" for select in SELECTS]
    missing = [name for name in names if not (root / "dev" / name).exists()]
    if missing:
        found = f"there is no /dev/{missing[0]}"
        return Finding("spi", found, Verdict.FAULT, ADD_LINE)
    for name in names:
        if not os.access(root / "dev" / name, os.R_OK | os.W_OK):
            found = f"no permission to open /dev/{name}"
            return Finding("spi", found, Verdict.FAULT, group_advice("spi"))
    return Finding("spi", f"/dev/{names[0]} and /dev/{names[1]}")


def panel(  # noqa: PLR0913, PLR0917 (a panel, its wires, and who looks at it)
    name: str,
    select: int,
    turns: int,
    screen: Panel,
    wires: tuple[int, int],
    now_ns: Callable[[], int],
    confirm: Callable[[str], bool] | None,
) -> Finding:
    """Send a panel its test picture, and ask whether it is seen; `wires` are DC and RES.

    Without `confirm`, which asks a person, nobody knows.
    """
    shown, where = picture(name.upper(), f"CE{select}"), f"{name} panel"
    shown = shown.transpose(Image.Transpose.ROTATE_180) if turns else shown
    taken_ns, _ = timed(shown, screen, now_ns)
    if screen.fault:
        return Finding(where, screen.fault, Verdict.FAULT, ADD_LINE)
    found = f"CE{select}, test picture sent in {taken_ns / NS_PER_MS:.1f} ms"
    if confirm is None:
        return Finding(where, f"{found}; {CANNOT_ANSWER}", Verdict.SKIPPED)
    if confirm(ASK.format(name=name, title=name.upper())):
        return Finding(where, f"{found}, and seen")
    advice = DARK.format(dc=wires[0], reset=wires[1], pin=HEADER_PINS[select])
    return Finding(where, f"{found}, and not seen", Verdict.FAULT, advice)
