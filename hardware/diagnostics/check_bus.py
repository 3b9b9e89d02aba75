"""Check the bus of the panels, I2C or SPI, and the panels on it.

A panel cannot be read back, so a person has to look at its test picture. The speed of I2C is
measured by sending whole pictures, each the negative of the one before. Nothing on SPI answers at
all: only a person can say whether a panel is there.
"""

import os
from collections.abc import Callable, Collection, Mapping
from enum import Enum
from pathlib import Path
from statistics import median

import luma.core.error
from PIL import Image, ImageChops

from hardware.diagnostics.finding import Finding, Verdict, group_advice
from hardware.display.controllers import NOP, commands
from hardware.display.framebuffer import frame
from hardware.display.glyphs import label
from hardware.display.panel import Connection, Panel, PanelState
from hardware.display.spi import BUS, SELECTS
from hardware.display.widgets import HEIGHT, LIT, WIDTH, outline
from hardware.units import NS_PER_MS

FIRMWARE_CONFIG = "/boot/firmware/config.txt"
ENABLE = "dtparam=i2c_arm=on,i2c_arm_baudrate=400000"  # firmware, overlays/README
HEADER_BUS = 1  # on the pins 2 and 3 of all Raspberry Pis but the first
SLOW_KHZ, FULL_KHZ = 300, 400  # a note below the first; panels are made for the second
TIMED_FRAMES = 6
BITS = 9  # a byte on the wire, with its acknowledgement
# The bus clock is made of the core's, which rests when there is little to do: an idle Pi 4 makes
# 160 kHz of 400, a Pi 3 or Zero 2 W 250 (raspberrypi/linux 3381, firmware 1281); a Pi 5 all of it.
CORE_FREQ = {
    "Raspberry Pi 4": "[pi4] core_freq_min=500",
    "Raspberry Pi 3": "[pi3] core_freq_min=400",
    "Raspberry Pi Zero 2": "[pi02] core_freq_min=400",
}
ADD_LINE = f"Add this line to {FIRMWARE_CONFIG}, below [all], and restart: {ENABLE}"
PANEL_ADDRESSES = (0x3C, 0x3D)  # that a panel can have; printed on it as 0x78 and 0x7A
SAME_ADDRESS = (
    "If the test picture is on both panels, both have this address: move the address resistor on"
    " the back of one (0x3C is printed 0x78 there, 0x3D is 0x7A; docs/hardware.md). If this panel"
    " is dark, check its four wires, that it is set to I2C, and that its pin RES is not low."
)
NO_ANSWER = (
    "Check 3V3, GND, SDA (pin 3) and SCL (pin 5). Most panels are sold set to SPI: wire them so and"
    ' set display.interface = "spi", or move a resistor on the back. Some never acknowledge until a'
    " diode D2 is bridged; a pin RES needs a pulse: display.reset_pin, docs/hardware.md."
)
HELD_LOW = (
    "A wire of the bus stays low. Unplug one panel, then the other: SDA or SCL touches ground, or"
    " a panel without supply pulls it down."
)
NO_PULL_UP = (
    " This bus may also have no pull-up resistors: 2.2 to 4.7 kOhm from SDA and from SCL to 3V3."
    " Only bus 1, on the pins 3 and 5, has its own."
)
LOOSE = "It answered at first: look for a loose or long wire."


def bus(number: int, root: Path) -> Finding:
    """Check that the bus is enabled and may be used."""
    device = root / f"dev/i2c-{number}"
    if os.access(device, os.R_OK | os.W_OK):
        return Finding("i2c", f"/dev/i2c-{number}")
    if device.exists():
        found = f"no permission to open /dev/i2c-{number}"
        return Finding("i2c", found, Verdict.FAULT, group_advice("i2c"))
    others = sorted(path.name for path in (root / "dev").glob("i2c-*"))
    found = f"there is no /dev/i2c-{number}; other buses: {', '.join(others) or 'none'}"
    if (root / f"sys/bus/i2c/devices/i2c-{number}").exists():
        advice = "The bus is enabled, but has no device file: sudo modprobe i2c-dev"
    elif number == HEADER_BUS:
        advice = ADD_LINE
    else:
        advice = f"Set display.bus to an existing bus, or add its dtoverlay to {FIRMWARE_CONFIG}."
    return Finding("i2c", found, Verdict.FAULT, advice)


def configured_khz(number: int, root: Path) -> int | None:
    """Return the speed that the firmware has set for the bus; None if unknown."""
    speed = root / f"sys/bus/i2c/devices/i2c-{number}/of_node/clock-frequency"
    try:
        return int.from_bytes(speed.read_bytes(), "big") // 1000 or None
    except OSError:
        return None


class Answer(Enum):
    """What a panel's address on the bus answers."""

    YES = "answers"
    NONE = "does not answer"
    HELD = "cannot be asked: a wire of the bus stays low"


def answer(connect: Callable[[int], Connection], address: int) -> Answer:
    """Ask an address whether a panel is there, with a command that does nothing."""
    connection = None
    try:
        connection = connect(address)
        connection.send(commands(NOP))
    except luma.core.error.Error:
        return Answer.NONE
    except OSError:
        return Answer.HELD
    else:
        return Answer.YES
    finally:
        if connection is not None:
            connection.cleanup()


def silent(
    name: str, address: int, answers: Mapping[int, Answer], configured: Collection[int], bus: int
) -> Finding:
    """Return what is wrong with a panel that does not answer, as a maker meets it.

    `answers` are those of all addresses that were asked, `configured` the addresses in the file.
    """
    found = f"0x{address:02X} {answers[address].value}"
    there = [each for each, given in answers.items() if given is Answer.YES]
    others = [each for each in there if each not in configured]
    if answers[address] is Answer.HELD:
        advice = HELD_LOW
    elif others:
        listed = ", ".join(f"0x{each:02X}" for each in others)
        advice = f"A panel answers at {listed}: set display.addresses to the panels' addresses."
    else:
        advice = SAME_ADDRESS if there else NO_ANSWER
    if not there and bus != HEADER_BUS:
        advice += NO_PULL_UP
    return Finding(f"{name} panel", found, Verdict.FAULT, advice)


def picture(name: str, place: str) -> Image.Image:
    """Return a test picture: a border at the edge, the side's name, its address, a pattern."""
    panel = outline(WIDTH, HEIGHT)
    side, address = label("text-bold", name, WIDTH), label("text", place, WIDTH)
    side = side.resize((2 * side.width, 2 * side.height))
    panel.paste(side, ((WIDTH - side.width) // 2, 3))
    panel.paste(address, ((WIDTH - address.width) // 2, 26))
    for y in range(40, HEIGHT - 4):
        for x in range(4, WIDTH - 4):
            panel.putpixel((x, y), LIT * _pattern(x, y))
    return panel


def _pattern(x: int, y: int) -> bool:
    """Single pixels on the left, lines of two in the middle, squares of four on the right."""
    if x < WIDTH // 3:
        return (x + y) % 2 == 0
    if x < 2 * WIDTH // 3:
        return x // 2 % 2 == 0
    return (x // 4 + y // 4) % 2 == 0


def panel(
    name: str, address: int, turns: int, screen: Panel, now_ns: Callable[[], int]
) -> tuple[Finding, int | None]:
    """Show a panel's test picture and measure the speed of the bus.

    Return the finding, and the speed in kHz; None if the picture did not arrive.
    """
    shown, where = picture(name.upper(), f"0x{address:02X}"), f"{name} panel"
    shown = shown.transpose(Image.Transpose.ROTATE_180) if turns else shown
    screen.show(_look(shown, screen))
    if screen.fault:
        return Finding(where, screen.fault, Verdict.FAULT, LOOSE), None
    taken_ns, bits = timed(shown, screen, now_ns)
    if screen.fault:
        return Finding(where, screen.fault, Verdict.FAULT, LOOSE), None
    found = f"0x{address:02X}, shows its test picture, sent in {taken_ns / NS_PER_MS:.1f} ms"
    return Finding(where, found), bits * NS_PER_MS // taken_ns


def timed(shown: Image.Image, screen: Panel, now_ns: Callable[[], int]) -> tuple[int, int]:
    """Return how long a whole picture takes, in ns, and its bits; the last one stays shown."""
    looks = [_look(each, screen) for each in (ImageChops.invert(shown), shown)]
    taken, before = [], screen.counts["bytes"]
    for number in range(TIMED_FRAMES):
        begun_ns = now_ns()
        screen.show(looks[number % 2])
        taken.append(now_ns() - begun_ns)
    sent = screen.counts["bytes"] - before
    return round(median(taken)), sent * BITS // TIMED_FRAMES


def _look(shown: Image.Image, screen: Panel) -> PanelState:
    return PanelState(frame(shown), inverted=False, contrast=screen.controller.contrast)


def speed(khz: int, configured_khz: int | None, model: str) -> Finding:
    """Check that the bus is fast enough for two panels; the configured speed may be unknown."""
    found = f"{khz} kHz measured"
    if configured_khz is not None:
        found += f", set to {configured_khz} kHz"
    if khz >= SLOW_KHZ:
        return Finding("bus speed", found)
    if configured_khz is None or configured_khz < FULL_KHZ:
        advice = f"Two panels need {FULL_KHZ} kHz. {ADD_LINE}"
    else:
        lines = next((lines for name, lines in CORE_FREQ.items() if model.startswith(name)), "")
        advice = "Long wires slow the bus down. The panels show each second all the same."
        if lines:
            section, line = lines.split()
            advice = (
                "An idle processor slows the bus down. The panels show each second all the same. To"
                f" prevent it, add two lines to {FIRMWARE_CONFIG} and restart: {section}, and below"
                f" it {line}. That takes a little more power."
            )
    return Finding("bus speed", found, Verdict.NOTE, advice)


ENABLE_SPI = "dtparam=spi=on"  # firmware, overlays/README
ADD_SPI_LINE = f"Add this line to {FIRMWARE_CONFIG}, below [all], and restart: {ENABLE_SPI}"
DARK = (
    "Check its wires: 3V3, GND, D0 or SCLK (pin 23), D1 or MOSI (pin 19), DC (BCM {dc}), RES"
    " (BCM {reset}) and CS (pin {pin}). The panel must be set to 4-wire SPI, as most are sold."
    " Waveshare's examples have DC on 25 and RES on 27: docs/hardware.md."
)
HEADER_PINS = {0: 24, 1: 26}  # of the chip selects
ASK = "       Does the {name} panel show its test picture, with {title} in it? (y/n) "
CANNOT_ANSWER = "a panel on SPI cannot answer"


def spi_bus(root: Path) -> Finding:
    """Check that both chip selects are there and may be used."""
    names = [f"spidev{BUS}.{select}" for select in SELECTS]
    missing = [name for name in names if not (root / "dev" / name).exists()]
    if missing:
        found = f"there is no /dev/{missing[0]}"
        return Finding("spi", found, Verdict.FAULT, ADD_SPI_LINE)
    for name in names:
        if not os.access(root / "dev" / name, os.R_OK | os.W_OK):
            found = f"no permission to open /dev/{name}"
            return Finding("spi", found, Verdict.FAULT, group_advice("spi"))
    return Finding("spi", f"/dev/{names[0]} and /dev/{names[1]}")


def spi_panel(  # noqa: PLR0913, PLR0917 (a panel, its wires, and who looks at it)
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
        return Finding(where, screen.fault, Verdict.FAULT, ADD_SPI_LINE)
    found = f"CE{select}, test picture sent in {taken_ns / NS_PER_MS:.1f} ms"
    if confirm is None:
        return Finding(where, f"{found}; {CANNOT_ANSWER}", Verdict.SKIPPED)
    if confirm(ASK.format(name=name, title=name.upper())):
        return Finding(where, f"{found}, and seen")
    advice = DARK.format(dc=wires[0], reset=wires[1], pin=HEADER_PINS[select])
    return Finding(where, f"{found}, and not seen", Verdict.FAULT, advice)
