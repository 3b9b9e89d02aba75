"""The I2C bus and the panels on it: whether they are there, how they look, how fast the bus is.

A panel cannot be read, so that a picture is right only a person can say: it has a border, the name
of its side, and a raster. The bus is timed by whole pictures, each the negative of the one before.

The one rule: what is measured is what was sent, bit for bit, and how long that took.
"""

import os
from collections.abc import Callable
from pathlib import Path
from statistics import median

from PIL import Image, ImageChops

from hardware.diagnostics.finding import Finding, Verdict
from hardware.display.framebuffer import frame
from hardware.display.glyphs import label
from hardware.display.pieces import HEIGHT, LIT, WIDTH, outline
from hardware.display.panel import Look, Screen

CONFIG = "/boot/firmware/config.txt"
ENABLE = "dtparam=i2c_arm=on,i2c_arm_baudrate=400000"  # firmware, overlays/README
HEADER_BUS = 1  # on the pins 2 and 3 of all Raspberry Pis but the first
SLOW_KHZ = 300  # of the 400 that the panels are made for; 250 of them are what an idle Pi 3 gives
TIMED_FRAMES = 6
BITS = 9  # of a byte on the wire: it is acknowledged
NS_PER_MS = 1_000_000
ACCESS = "sudo usermod -aG i2c $USER, then log in again."
NO_ANSWER = (
    "Look at its four wires, and at its address: panels are sold with 0x3C, and one of the two gets"
    " 0x3D by the resistor on its back. display.addresses says which is whose."
)
LOOSE = "It answers at first: look for a loose or long wire."


def bus(number: int, root: Path) -> Finding:
    """Whether the bus is switched on, and may be used.

    Args:
        number: of the bus.
        root: of the file system.
    """
    device = root / f"dev/i2c-{number}"
    if os.access(device, os.R_OK | os.W_OK):
        return Finding("i2c", f"/dev/i2c-{number}")
    if device.exists():
        return Finding("i2c", f"/dev/i2c-{number} may not be opened", Verdict.FAULT, ACCESS)
    others = sorted(path.name for path in (root / "dev").glob("i2c-*"))
    found = f"no /dev/i2c-{number}; there is {', '.join(others) or 'none at all'}"
    if (root / f"sys/bus/i2c/devices/i2c-{number}").exists():
        advice = "The bus is on, but its device is missing: sudo modprobe i2c-dev"
    elif number == HEADER_BUS:
        advice = f"Add to {CONFIG}, below a line [all], and restart: {ENABLE}"
    else:
        advice = f"Set display.bus to one that is there, or add its dtoverlay to {CONFIG}."
    return Finding("i2c", found, Verdict.FAULT, advice)


def set_khz(number: int, root: Path) -> int | None:
    """What the bus is set to, as the firmware told the kernel; None if that is not known."""
    try:
        told = (root / f"sys/bus/i2c/devices/i2c-{number}/of_node/clock-frequency").read_bytes()
    except OSError:
        return None
    return int.from_bytes(told, "big") // 1000 or None


def picture(name: str, address: int) -> Image.Image:
    """A test picture: a border one pixel wide at the very edge, the side's name, a raster."""
    panel = outline(WIDTH, HEIGHT)
    side, place = label("text-bold", name, WIDTH), label("text", f"0x{address:02X}", WIDTH)
    side = side.resize((2 * side.width, 2 * side.height))
    panel.paste(side, ((WIDTH - side.width) // 2, 3))
    panel.paste(place, ((WIDTH - place.width) // 2, 26))
    for y in range(40, HEIGHT - 4):
        for x in range(4, WIDTH - 4):
            panel.putpixel((x, y), LIT * _raster(x, y))
    return panel


def _raster(x: int, y: int) -> bool:
    """Single pixels on the left, lines of two in the middle, squares of four on the right."""
    if x < WIDTH // 3:
        return (x + y) % 2 == 0
    if x < 2 * WIDTH // 3:
        return x // 2 % 2 == 0
    return (x // 4 + y // 4) % 2 == 0


def panel(
    name: str, address: int, turns: int, screen: Screen, now_ns: Callable[[], int]
) -> tuple[Finding, int | None]:
    """Shows a panel's test picture, and says how fast the bus was; None if it did not arrive.

    Args:
        name: of its side.
        address: on the bus.
        turns: quarter turns, 0 or 2.
        screen: at that address.
        now_ns: the time, in ns since any moment.
    """
    shown = picture(name.upper(), address)
    shown = shown.transpose(Image.Transpose.ROTATE_180) if turns else shown
    screen.show(_look(shown, screen))
    where = f"{name} panel"
    if screen.failed:
        return Finding(where, screen.failed, Verdict.FAULT, NO_ANSWER), None
    takes_ns, bits = _timed(shown, screen, now_ns)
    if screen.failed:
        return Finding(where, screen.failed, Verdict.FAULT, LOOSE), None
    found = f"0x{address:02X}, shows its test picture, sent in {takes_ns / NS_PER_MS:.1f} ms"
    return Finding(where, found), bits * NS_PER_MS // max(1, takes_ns)


def _timed(shown: Image.Image, screen: Screen, now_ns: Callable[[], int]) -> tuple[int, int]:
    """How long a whole picture takes, in ns, and its bits; the last one stays on the panel."""
    looks = [_look(each, screen) for each in (ImageChops.invert(shown), shown)]
    took, before = [], screen.counts["bytes"]
    for number in range(TIMED_FRAMES):
        begun_ns = now_ns()
        screen.show(looks[number % 2])
        took.append(now_ns() - begun_ns)
    sent = screen.counts["bytes"] - before
    return round(median(took)), sent * BITS // TIMED_FRAMES


def _look(shown: Image.Image, screen: Screen) -> Look:
    return Look(frame(shown), inverted=False, contrast=screen.chip.contrast)


def speed(khz: int, wanted_khz: int | None) -> Finding:
    """Whether the bus keeps up with two panels.

    Args:
        khz: measured.
        wanted_khz: what it is set to; None if that is not known.
    """
    told = "" if wanted_khz is None else f", set to {wanted_khz} kHz"
    found = f"{khz} kHz measured{told}"
    if khz >= SLOW_KHZ:
        return Finding("bus speed", found)
    if wanted_khz is None or wanted_khz < SLOW_KHZ:
        advice = (
            f"Both panels need 400 kHz. Add to {CONFIG}, below a line [all], and restart: {ENABLE}"
        )
    else:
        advice = f"It follows a clock that varies: add enable_uart=1 to {CONFIG} and restart, which"
        advice += " keeps that clock steady. Long wires slow the bus, too."
    return Finding("bus speed", found, Verdict.NOTE, advice)
