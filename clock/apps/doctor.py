"""The self-test: each part is tested on its own, with advice for what is wrong.

A clock that is running is not disturbed: what it uses is skipped.
"""

import os
import platform
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing
from functools import partial
from importlib.metadata import distributions
from pathlib import Path

from gpiozero import GPIOPinInUse, GPIOZeroError

from clock import __version__
from clock.apps.appliance import places, wires
from clock.config.fallback import salvage_settings
from clock.config.loader import ignored_text, load_settings
from clock.config.reader import ConfigError
from clock.config.settings import Settings, describe
from clock.storage.disk import SystemCalls
from clock.storage.disk_health import OPEN_BYTES
from hardware.buttons.contact import FactoryClock
from hardware.buttons.plungers import Plungers
from hardware.diagnostics import check_bus, check_computer, check_log, check_serial, wire_test
from hardware.diagnostics.button_test import ButtonTest
from hardware.diagnostics.edge_queue import EdgeQueue
from hardware.diagnostics.finding import Finding, Verdict, line, summary
from hardware.diagnostics.probe import Probe, probe_computer
from hardware.display.controllers import controller
from hardware.display.panel import Panel
from hardware.gpio.factories import HardwareError

__all__ = ["Doctor", "Probe", "file_fault", "probe_computer", "read_settings"]

NAMES = ("left", "right", "centre")
BUSY = "not tested: the clock is running"
NO_BUS = "not tested: the panels' bus cannot be used"
NO_INPUT = "not tested: --no-input"
PIN_IN_USE = "Stop the program that uses this pin."
NO_PINS = "The clock needs its buttons: check gpiochip and groups above, and [buttons]."
LOOK = (
    "       Look at both panels: each must show a complete border, the name of its\n"
    "       own side, and an even pattern. If the names are exchanged, exchange the\n"
    "       two display.addresses. If the border is cut off on the left, set\n"
    "       display.driver to the other type."
)


def read_settings(path: Path | None) -> tuple[Settings, Finding]:
    """Return the settings of a file, or what can be used of them, and what was found there."""
    try:
        settings = load_settings(path)
        found = str(path or "no file found: the defaults are used")
        if ignored := ignored_text(settings):
            return settings, Finding("settings", found, Verdict.NOTE, ignored)
        return settings, Finding("settings", found)
    except ConfigError as error:
        return salvage_settings(path), file_fault("settings", error)


def file_fault(name: str, error: ConfigError) -> Finding:
    """Return the finding that a file has an error."""
    return Finding(name, f"{error.file}: {error.key}", Verdict.FAULT, str(error))


class Doctor:
    """One test of all parts."""

    def __init__(
        self,
        settings: Settings,
        probe: Probe,
        show: Callable[[str], None],
        *,
        ask: bool,
        wire: int | None = None,
    ) -> None:
        """Prepare a test, which shows lines of text and may ask a person to press the buttons.

        `wire` is an output, as a BCM number, that a wire joins to the left plunger's pin.
        """
        self._wire = wire
        self._settings, self._probe, self._show, self._ask = settings, probe, show, ask
        self._opened = ExitStack()

    def run(self) -> list[Finding]:
        """Test everything; show each finding as soon as it is known."""
        findings = []
        with self._opened:
            for finding in self._findings():
                self._show(line(finding))
                findings.append(finding)
        return findings

    def _findings(self) -> Iterator[Finding]:
        yield from self._computer()
        yield from self._log()
        service = check_computer.service(self._probe.service)
        yield service
        if service.verdict is Verdict.FAULT:
            yield from self._skipped("serial", "buttons", "left panel", "right panel")
            return
        log = self._settings.log
        yield check_serial.port(log.serial, log.baud)
        yield from self._buttons_and_panels()

    def _computer(self) -> Iterator[Finding]:
        probe, factory = self._probe, self._settings.buttons.pin_factory
        interface = self._settings.display.interface
        groups = ["gpio", interface, *(["dialout"] if self._settings.log.serial else [])]
        yield check_computer.computer(probe.root)
        yield check_computer.kernel(os.uname())
        yield check_computer.supply(probe.root)
        yield check_computer.temperature(probe.root)
        yield check_computer.sleep(probe.root, probe.slept_ns)
        yield check_computer.groups(probe.user, probe.groups, groups)
        yield check_computer.packages(probe.installed, factory)
        yield check_computer.chip(probe.open_chip, probe.root / "dev")
        yield check_computer.stamps(factory)
        yield self._bus()
        model = check_computer.model(probe.root)
        yield check_serial.uart(probe.root, model, self._settings.log.serial)

    def _bus(self) -> Finding:
        display, root = self._settings.display, self._probe.root
        if wires(display).write_only:
            return check_bus.spi_bus(root)
        return check_bus.bus(display.bus, root)

    def _log(self) -> Iterator[Finding]:
        path = Path(self._settings.log.directory)
        directory = check_log.directory(path)
        yield directory
        yield check_log.space(path, OPEN_BYTES, SystemCalls().free_bytes)
        if directory.verdict is Verdict.OK and path.is_dir():
            yield check_log.sync(path, self._probe.now_ns, os.fsync)
            links = check_log.links(path)
            if links is not None:
                yield links
        else:
            yield from self._skipped("log sync", why="not measured: there is no directory yet")

    # --- what a person sees and presses ---------------------------------------------------------

    def _buttons_and_panels(self) -> Iterator[Finding]:
        """Claim the pins first: a program that uses them is a clock, and uses the panels too."""
        if self._wire is not None:
            yield self._measured(self._wire)
        edges = self._probe.edge_queue()
        self._opened.callback(edges.close)
        try:
            plungers = self._plungers(edges)
        except GPIOPinInUse as error:
            yield Finding("buttons", str(error), Verdict.FAULT, PIN_IN_USE)
            yield from self._skipped("left panel", "right panel")
            return
        except (GPIOZeroError, HardwareError, OSError) as error:
            yield Finding("buttons", str(error), Verdict.FAULT, NO_PINS)
            yield from self._panels()
            return
        yield from self._panels()
        yield from self._buttons(plungers, edges)

    def _measured(self, output: int) -> Finding:
        """Measure stamps through a wire, before the buttons are claimed."""
        try:
            with closing(self._probe.factory(self._settings.buttons.pin_factory)) as factory:
                left = self._pins["left"]
                return wire_test.measure(left, output, factory, self._probe.stamps_ns)
        except (GPIOZeroError, HardwareError, OSError) as error:
            return Finding("wire", str(error), Verdict.FAULT, PIN_IN_USE)

    def _plungers(self, edges: EdgeQueue) -> Plungers:
        """Claim the pins of all buttons, as the clock does."""
        table = self._settings.buttons
        factory = self._probe.factory(table.pin_factory)
        self._opened.callback(factory.close)
        edges.clock = FactoryClock(factory)
        given = (self._pins, table.settle_ms, factory)
        plungers = Plungers(*given, clock=edges.clock, arrivals=edges)
        self._opened.callback(plungers.close)
        return plungers

    @property
    def _pins(self) -> dict[str, int]:
        return {name: getattr(self._settings.buttons.pins, name) for name in NAMES}

    def _panels(self) -> Iterator[Finding]:
        """Show the test pictures, which stay until the end."""
        if self._bus().verdict is Verdict.FAULT:
            yield from self._skipped("left panel", "right panel", why=NO_BUS)
        elif wires(self._settings.display).write_only:
            yield from self._spi_panels()
        else:
            yield from self._i2c_panels()

    def _spi_panels(self) -> Iterator[Finding]:
        display, probe = self._settings.display, self._probe
        kind = controller(display.driver, display.contrast, display.column_offset)
        connect, pins = probe.connector(wires(display)), (display.dc_pin, display.reset)
        bus, selects = places(display)
        for name, select, turns in zip(NAMES[:2], selects, display.rotate, strict=True):
            screen = Panel(kind, partial(connect, bus, select), probe.now_ns)
            self._opened.callback(screen.close)
            confirm = probe.confirm if self._ask else None
            yield check_bus.spi_panel(name, select, turns, screen, pins, probe.now_ns, confirm)

    def _i2c_panels(self) -> Iterator[Finding]:
        """Ask which panels are there, and measure the speed of the bus."""
        display, probe, speeds = self._settings.display, self._probe, []
        connect = partial(probe.connector(wires(display)), display.bus)
        asked = {*display.addresses, *check_bus.PANEL_ADDRESSES}
        answers = {each: check_bus.answer(connect, each) for each in sorted(asked)}
        kind = controller(display.driver, display.contrast, display.column_offset)
        for name, address, turns in zip(NAMES[:2], display.addresses, display.rotate, strict=True):
            if answers[address] is not check_bus.Answer.YES:
                configured, bus = display.addresses, display.bus
                yield check_bus.silent(name, address, answers, configured, bus)
                continue
            screen = Panel(kind, partial(connect, address), probe.now_ns)
            self._opened.callback(screen.close)
            finding, khz = check_bus.panel(name, address, turns, screen, probe.now_ns)
            yield finding
            speeds += [] if khz is None else [khz]
        if speeds:
            configured_khz = check_bus.configured_khz(display.bus, probe.root)
            yield check_bus.speed(min(speeds), configured_khz, check_computer.model(probe.root))
            self._show(LOOK)

    def _buttons(self, plungers: Plungers, edges: EdgeQueue) -> Iterator[Finding]:
        if self._ask:
            settle_ms = self._settings.buttons.settle_ms
            yield from ButtonTest(self._pins, plungers, edges, self._show, settle_ms).run()
            return
        for name, down in plungers.levels.items():
            found = f"BCM {self._pins[name]}, {'down' if down else 'up'}; {NO_INPUT}"
            yield Finding(name, found, Verdict.SKIPPED)

    @staticmethod
    def _skipped(*names: str, why: str = BUSY) -> Iterator[Finding]:
        return (Finding(name, why, Verdict.SKIPPED) for name in names)


HEAD = """\
gammonclock doctor, report of a box
It has no names, no logs, no passwords and no network address: read it before you send it.
"""
HARDWARE = ("display.", "buttons.", "sound.", "lamps.", "power.", "log.serial")
FACTS = {  # of the system, by file
    "system": "etc/os-release",
    "kernel's command line": "proc/cmdline",
    "config.txt": "boot/firmware/config.txt",
    "throttled since the start (0: never)": "sys/devices/platform/soc/soc:firmware/get_throttled",
}
LIBRARIES = ("gpiod", "gpiozero", "lgpio", "luma.core", "luma.oled", "pillow", "pyserial", "smbus2")
# Words of the command line that identify the card, the Pi or its network.
SECRET = re.compile(r"(root|ip|nfsroot|\S*\bmacaddr|\S*\bserial)=|PARTUUID")


def report(settings: Settings, findings: Iterable[Finding], root: Path) -> str:
    """Return the findings with the facts of the system at `root` that explain them.

    It is what a first builder can measure without instruments, as one text to send back.
    """
    found = list(findings)
    lines = [f"{each.verdict.value:6} {each.name}: {each.found}" for each in found]
    wired = [f"{name} = {text}" for name, text in describe(settings) if name.startswith(HARDWARE)]
    parts = [
        HEAD,
        f"gammonclock {__version__}, Python {platform.python_version()}, {', '.join(_libraries())}",
        _chapter("findings", lines),
        _chapter("settings of the hardware", wired),
        *(_chapter(name, _fact(root / path)) for name, path in FACTS.items()),
        _chapter("what doctor advises", summary(found).splitlines()),
    ]
    return "\n".join(parts)


def _chapter(name: str, lines: Iterable[str]) -> str:
    return "\n".join([f"\n--- {name}", *lines])


def _fact(path: Path) -> list[str]:
    """Return the lines of a file but for comments, blank lines and what identifies the box."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ["not known"]
    kept = (line for line in lines if line.strip() and not line.startswith("#"))
    return [" ".join(word for word in line.split() if not SECRET.match(word)) for line in kept]


def _libraries() -> list[str]:
    found = {each.name.lower().replace("_", "-"): each.version for each in distributions()}
    return [f"{name} {found[name]}" for name in LIBRARIES if name in found]
