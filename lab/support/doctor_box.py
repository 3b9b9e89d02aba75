"""A clock for the doctor to test: files like the kernel's, pins, panels on a slow bus, a person.

The person acts while the doctor waits, in the doctor's own thread and in simulated time, so that
no test sleeps.
"""

from collections.abc import Callable, Sequence
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import cast

import pytest
from gpiozero.pins import Factory
from gpiozero.pins.mock import MockFactory

from clock.apps.doctor import Doctor, Probe
from clock.config.loader import make_settings
from clock.config.schema import ButtonsTable, ConfigFile, DisplayTable, LogTable
from clock.match.profiles import PROFILES
from gpiozero_gpiod.chip import OpenChip
from hardware.diagnostics.check_bus import picture
from hardware.diagnostics.edge_queue import EdgeQueue
from hardware.diagnostics.finding import Finding, Verdict
from hardware.display.wires import Connect, Wires
from lab.support.gpio_kernel import FakeKernel
from lab.support.panel_models import Bus, SpiBus, Ssd1306

MS = 1_000_000
PINS = {"left": 17, "right": 27, "centre": 22}
ADDRESSES = {"left": 0x3C, "right": 0x3D}
SELECTED = {"left": "CE0", "right": "CE1"}
Act = Callable[["Person"], None]


class TimedBus(Bus):
    """A bus on which every bit takes time."""

    def __init__(self, panels: dict[int, Ssd1306], khz: int) -> None:
        super().__init__(panels)
        self.now_ns = 0
        self._khz = khz

    def transfer(self, address: int, *messages: bytes, reads: int = 0) -> None:
        """Do `Bus.transfer`, and let its time pass; the address is a byte, too."""
        self.now_ns += (sum(map(len, messages)) + reads + 1) * 9 * MS // self._khz
        super().transfer(address, *messages, reads=reads)


class Person(EdgeQueue):
    """A person who does one thing each time the doctor waits, and finally presses Enter."""

    def __init__(self, pins: MockFactory, acts: list[Act]) -> None:
        super().__init__()
        self.now_ns = 1_000 * MS
        self._pins, self._acts = pins, acts
        self.planned: list[tuple[int, Act]] = []  # by instants

    def wait(self, timeout_s: float | None) -> bool:
        """Let the time pass, or do the next thing; press Enter when there is none left."""
        until_ns = self.now_ns + max(1, round((timeout_s or 0) * 1_000 * MS))
        if self.planned and (timeout_s is None or self.planned[0][0] <= until_ns):
            self.now_ns, act = self.planned.pop(0)
            act(self)
        elif timeout_s is not None:
            self.now_ns = until_ns
        elif self._acts:
            self._acts.pop(0)(self)
        else:
            return True
        super().wait(0)
        return False

    def plan(self, name: str, at_ms: Sequence[float]) -> None:
        """Move a button down, up, down and so on when so much time has passed."""
        for number, at in enumerate(at_ms):
            act = partial(Person.move, name=name, down=number % 2 == 0)
            self.planned.append((self.now_ns + round(at * MS), act))
        self.planned.sort(key=itemgetter(0))

    def move(self, name: str, *, down: bool, gaps_ms: tuple[float, ...] = ()) -> None:
        """Move a button down or up, with these gaps between the edges of its bounce."""
        pin = self._pins.pin(PINS[name])
        for gap_ms in (*gaps_ms, 0):
            (pin.drive_low if down else pin.drive_high)()
            self.now_ns += round(gap_ms * MS)
            if gap_ms:
                (pin.drive_high if down else pin.drive_low)()
                self.now_ns += MS // 10


def pressed(name: str, *gaps_ms: float) -> list[Act]:
    """Press a button, with these gaps between the edges of its bounce, and release it."""
    return [
        lambda person: person.move(name, down=True, gaps_ms=gaps_ms),
        lambda person: person.move(name, down=False),
    ]


ALL_PRESSED = [*pressed("left", 0.9), *pressed("right"), *pressed("centre")]


class Patient:
    """A clock without faults, which a test may then change."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.root, self.log = folder / "root", folder / "log"
        self.log.mkdir()
        for name in ("dev/gpiochip0", "dev/i2c-1"):
            self.file(name, "")
        self.file("proc/device-tree/model", "Raspberry Pi Zero 2 W Rev 1.0\0")
        self.file("sys/class/hwmon/hwmon0/name", "rpi_volt\n")
        self.file("sys/class/hwmon/hwmon0/in0_lcrit_alarm", "0\n")
        self.kernel = FakeKernel([("gpiochip0", "pinctrl-bcm2835")])
        self.panels = {address: Ssd1306() for address in ADDRESSES.values()}
        self.bus = TimedBus(self.panels, 400)
        self.spi = SpiBus(dict(enumerate(self.panels.values())))
        self.wired = Wires()
        self.pins = MockFactory()
        self.factory: Callable[[str], Factory] = lambda name: self.pins
        self.service, self.slept_ns = "inactive", 0
        self.groups = ["pi", "gpio", "i2c", "dialout"]
        self.installed: dict[str, str | None] = {"RPi.GPIO": None, "rpi-lgpio": "0.6"}
        self.serial = ""
        self.display, self.buttons = DisplayTable(), ButtonsTable()
        self.acts: list[Act] = list(ALL_PRESSED)
        self.said: list[str] = []
        self.person: Person | None = None
        patch.setattr("gpiozero.pins.mock.monotonic", self._now_s)

    def file(self, name: str, content: str) -> None:
        """Write a file of the kernel's."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)

    def examine(self, *, ask: bool = True, wire: int | None = None) -> dict[str, Finding]:
        """Run the doctor, with a wire from this output or without; return its findings by name."""
        self.said.clear()
        log = LogTable(directory=str(self.log), serial=self.serial)
        file = ConfigFile(display=self.display, buttons=self.buttons, log=log)
        settings = make_settings(file, PROFILES["ebf"])
        doctor = Doctor(settings, self.probe(), self.said.append, ask=ask, wire=wire)
        return {finding.name: finding for finding in doctor.run()}

    def problems(self, *, ask: bool = True) -> dict[str, Verdict]:
        """Run the doctor; return the verdicts that are not OK, by name."""
        found = self.examine(ask=ask)
        return {
            name: each.verdict for name, each in found.items() if each.verdict is not Verdict.OK
        }

    def _now_s(self) -> float:
        return 0 if self.person is None else self.person.now_ns / 1e9

    def stamps_ns(self) -> int:
        """Return the time, which goes on whenever it is read."""
        self.kernel.now_ns += 10_000
        return self.kernel.now_ns

    def connector(self, wires: Wires) -> Connect:
        """Return the way to the panels, on the bus that the file names."""
        self.wired = wires
        return self.spi.connect if wires.write_only else self.bus.connect

    def confirm(self, question: str) -> bool:
        """Look at a panel, and answer."""
        side, name = next((side, name) for side, name in enumerate(ADDRESSES) if name in question)
        seen = self.panels[ADDRESSES[name]].picture().rotate(90 * self.display.rotate[side])
        return seen.tobytes() == picture(name.upper(), SELECTED[name]).tobytes()

    def probe(self) -> Probe:
        """Return what the doctor sees of this computer."""
        self.person = Person(self.pins, self.acts)
        return Probe(
            root=self.root,
            open_chip=cast("OpenChip", self.kernel.open_chip),
            factory=self.factory,
            connector=self.connector,
            now_ns=lambda: self.bus.now_ns + self.spi.time_ns(),
            stamps_ns=self.stamps_ns,
            service=self.service,
            slept_ns=self.slept_ns,
            user="pi",
            groups=self.groups,
            installed=self.installed,
            edge_queue=lambda: cast("EdgeQueue", self.person),
            confirm=self.confirm,
        )
