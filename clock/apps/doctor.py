"""The box examined: each part tried alone, with what to do about what is wrong.

With `box` and `simulation` one of the places that know both sides. The one rule: a clock that runs
is not disturbed; what it holds is left alone, and said to be.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Protocol

from gpiozero import GPIOPinInUse, GPIOZeroError

from clock.config.schema import Buttons, Display, Log
from clock.storage.disk_health import OPEN_BYTES
from hardware.diagnostics import check_bus as examine_bus, check_computer as examine_computer, check_log as examine_log, check_pins as examine_pins, check_serial as examine_serial
from hardware.diagnostics.edge_wait import Attention
from hardware.display.controllers import chip
from hardware.diagnostics.contact import Contact
from hardware.gpio.factories import HardwareError
from hardware.diagnostics.finding import Finding, Verdict, line
from hardware.diagnostics.button_test import PressTest
from hardware.display.panel import Screen
from hardware.diagnostics.probe import Outside, on_this_computer

__all__ = ["Doctor", "Outside", "on_this_computer"]

NAMES = ("left", "right", "centre")
BUSY = "not examined: a clock runs"
NO_BUS = "not examined: the bus cannot be used"
NO_PINS = "Without its buttons there is no clock: see gpiochip and groups, and [buttons]."
LOOK = (
    "       Look at both panels: a whole border, the name of its own side, an even\n"
    "       raster. A border cut off on the left: set driver to the other kind."
)


class Devices(Protocol):
    """The tables of a configuration that speak of hardware."""

    @property
    def display(self) -> Display:
        """The panels."""

    @property
    def buttons(self) -> Buttons:
        """The buttons."""

    @property
    def log(self) -> Log:
        """The log's directory and serial line."""


class Doctor:
    """One examination."""

    def __init__(
        self, devices: Devices, outside: Outside, tell: Callable[[str], None], *, asking: bool
    ) -> None:
        """Nothing is examined yet.

        Args:
            devices: what is wired, and where.
            outside: this computer.
            tell: shows a line of text.
            asking: whether somebody is there to press buttons.
        """
        self._devices, self._outside, self._tell, self._asking = devices, outside, tell, asking
        self._parts = ExitStack()

    def run(self) -> list[Finding]:
        """Examine all there is; each finding is told as soon as it is known."""
        found = []
        with self._parts:
            for finding in self._findings():
                self._tell(line(finding))
                found.append(finding)
        return found

    def _findings(self) -> Iterator[Finding]:
        yield from self._computer()
        yield from self._log()
        service = examine_computer.service(self._outside.service)
        yield service
        if service.verdict is Verdict.FAULT:
            yield from self._left_out("serial", "buttons", "left panel", "right panel")
            return
        log = self._devices.log
        yield examine_serial.port(log.serial, log.baud)
        yield from self._panels_and_buttons()

    def _computer(self) -> Iterator[Finding]:
        outside, buttons = self._outside, self._devices.buttons
        groups = ["gpio", "i2c", *(["dialout"] if self._devices.log.serial else [])]
        yield examine_computer.computer(outside.root)
        yield examine_computer.kernel(os.uname())
        yield examine_computer.supply(outside.root)
        yield examine_computer.sleep(outside.root, outside.slept_ns)
        yield examine_computer.groups(outside.user, outside.groups, groups)
        yield examine_computer.packages(outside.installed, buttons.pin_factory)
        yield examine_pins.chip(outside.open_chip, outside.root / "dev")
        yield examine_pins.stamps(buttons.pin_factory)
        yield examine_bus.bus(self._devices.display.bus, outside.root)

    def _log(self) -> Iterator[Finding]:
        path = Path(self._devices.log.directory)
        place = examine_log.directory(path)
        yield place
        yield examine_log.space(path, OPEN_BYTES, examine_log.free_bytes)
        if place.verdict is Verdict.WELL and path.is_dir():
            yield examine_log.sync(path, self._outside.now_ns, os.fsync)
        else:
            yield Finding("log sync", "not measured: there is no directory", Verdict.LEFT_OUT)

    # --- what a person sees and presses ---------------------------------------------------------

    def _panels_and_buttons(self) -> Iterator[Finding]:
        """Pins first: who has them runs a clock, and has the panels too."""
        attention = self._outside.watching()
        self._parts.callback(attention.close)
        try:
            contacts = self._contacts(attention)
        except GPIOPinInUse as error:
            yield Finding("buttons", str(error), Verdict.FAULT, "End the program that has it.")
            yield from self._left_out("left panel", "right panel")
            return
        except (GPIOZeroError, HardwareError, OSError) as error:
            yield Finding("buttons", str(error), Verdict.FAULT, NO_PINS)
            yield from self._panels()
            return
        yield from self._panels()
        yield from self._buttons(contacts, attention)

    def _contacts(self, attention: Attention) -> list[Contact]:
        buttons = self._devices.buttons
        factory = self._outside.factory(buttons.pin_factory)
        self._parts.callback(factory.close)
        contacts = []
        for name in NAMES:
            contact = Contact(name, getattr(buttons.pins, name), factory, attention.report)
            self._parts.callback(contact.close)
            contacts.append(contact)
        return contacts

    def _panels(self) -> Iterator[Finding]:
        """Both with their test pictures, which stay until the end; and how fast the bus is."""
        show, outside, speeds = self._devices.display, self._outside, []
        if examine_bus.bus(show.bus, outside.root).verdict is Verdict.FAULT:
            yield from self._left_out("left panel", "right panel", why=NO_BUS)
            return
        kind = chip(show.driver).lit(show.contrast)
        for name, address, turns in zip(NAMES[:2], show.addresses, show.rotate, strict=True):
            connect = partial(outside.connect, show.bus, address)
            screen = Screen(kind, connect, outside.now_ns)
            self._parts.callback(screen.close)
            finding, khz = examine_bus.panel(name, address, turns, screen, outside.now_ns)
            yield finding
            speeds += [] if khz is None else [khz]
        if speeds:
            yield examine_bus.speed(min(speeds), examine_bus.set_khz(show.bus, outside.root))
            self._tell(LOOK)

    def _buttons(self, contacts: list[Contact], attention: Attention) -> Iterator[Finding]:
        if self._asking:
            test = PressTest(contacts, attention, self._tell, self._devices.buttons.settle_ms)
            yield from test.run()
            return
        for contact in contacts:
            found = f"BCM {contact.pin}, {'down' if contact.down else 'up'}; nobody was asked"
            yield Finding(contact.name, f"{found} to press it", Verdict.LEFT_OUT)

    @staticmethod
    def _left_out(*names: str, why: str = BUSY) -> Iterator[Finding]:
        return (Finding(name, why, Verdict.LEFT_OUT) for name in names)
