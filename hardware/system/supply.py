"""Watch the supply: its voltage, as the kernel of a Raspberry Pi reports it, and the batteries.

The firmware notices when the 5 V drop too low. The kernel's driver `rpi_volt` asks it every 2 s,
and notifies those who poll its alarm. So a thread sleeps until then, and reads nothing else.

A fuel gauge with a driver is a directory of `/sys/class/power_supply`, whose files cannot be
polled. So a thread reads them once a minute; the emptiest battery counts.

Without driver or battery there is no thread and never a fault.
"""

import os
import select
import threading
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from hardware.latch import FaultLatch, Report
from hardware.wakeup import Wakeup

POWER = "power"  # of the clock, in faults
TOO_LOW = "under-voltage: the supply or its cable is too weak"

CHIPS = Path("/sys/class/hwmon")
NAME = "rpi_volt"
ALARM = "in0_lcrit_alarm"  # 1: too low at some time since the driver asked before

STEADY_S = 30.0  # without an alarm; less, and each draw of current would be a fault of its own
CLOSE_S = 1.0


class _Monitor:
    """What a thread finds out about the supply; without a thread there is never a fault."""

    def __init__(self, part: str, changed: Callable[[], None]) -> None:
        self._part = part
        self._latch = FaultLatch(part, changed)
        self._stopping = False
        self._thread: threading.Thread | None = None

    def faults(self) -> list[Report]:
        """Return the faults since the last call."""
        return self._latch.drain()

    def close(self) -> None:
        """Stop to watch, within a second."""
        if self._thread is None or self._stopping:
            return
        self._stopping = True
        self._wakeup.wake()
        self._thread.join(CLOSE_S)
        if not self._thread.is_alive():
            self._wakeup.close()
            self._release()

    def _start(self, wakeup: Wakeup | None) -> None:
        self._wakeup = Wakeup() if wakeup is None else wakeup
        self._thread = threading.Thread(target=self._watch, name=self._part, daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        """Look until this is closed, in the thread."""
        raise NotImplementedError

    def _release(self) -> None:
        """Give back what the thread has read from."""


class PowerMonitor(_Monitor):
    """The supply of this computer."""

    def __init__(
        self,
        chips: Path = CHIPS,
        wakeup: Wakeup | None = None,
        *,
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        """Start to watch, if there is something to watch.

        `changed` is called in the thread when there are new `faults`; it must neither wait nor
        raise.
        """
        super().__init__(POWER, changed)
        alarm = _open_alarm(chips)
        if alarm is not None:
            self._alarm = alarm
            self._start(wakeup)

    def _release(self) -> None:
        os.close(self._alarm)

    # --- the thread ---------------------------------------------------------------------------

    def _watch(self) -> None:
        try:
            while not self._stopping:
                self._check()
        except OSError:  # the driver has gone, and with it all knowledge of the supply
            self._latch.clear()

    def _check(self) -> None:
        """Read the alarm, and wait until it changes or the voltage has held long enough."""
        too_low = os.pread(self._alarm, 8, 0).strip() == b"1"
        if too_low:
            self._latch.fail(TOO_LOW)
        recovering = not too_low and self._latch.latched() is not None
        notifications = {self._alarm: select.POLLPRI | select.POLLERR}
        if self._wakeup.wait(STEADY_S if recovering else None, notifications) is None:
            self._latch.clear()


def _open_alarm(chips: Path) -> int | None:
    """Open the driver's alarm; None if there is none, or it cannot be read."""
    for name in sorted(chips.glob("hwmon*/name")):
        try:
            if name.read_text(encoding="ascii").strip() == NAME:
                return os.open(name.with_name(ALARM), os.O_RDONLY)
        except (OSError, UnicodeDecodeError):
            continue
    return None


BATTERY = "battery"  # of the clock, in faults
SUPPLIES = Path("/sys/class/power_supply")
PERIOD_S = 60.0
RECOVERED = 5  # percent above the limit, and it is no longer low
FED = {"Charging", "Full"}  # of a gauge without a charger's driver, "Discharging" or "Unknown"


class Charge(NamedTuple):
    """What a battery says of itself."""

    percent: int
    fed: bool  # from a supply


class BatteryMonitor(_Monitor):
    """The batteries of this computer."""

    def __init__(
        self,
        low: int,
        supplies: Path = SUPPLIES,
        wakeup: Wakeup | None = None,
        *,
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        """Read them, and start to watch if there are any; `low` is a limit in percent.

        `changed` is called in the thread when there are new `faults` or another `percent`; it must
        neither wait nor raise.
        """
        self.percent: int | None = None
        """Of the emptiest battery; None: there is none, or it says nothing of use."""
        self._low, self._supplies, self._changed = low, supplies, changed
        super().__init__(BATTERY, changed)
        self._look()
        if self.percent is not None:
            self._start(wakeup)

    # --- the thread ---------------------------------------------------------------------------

    def _watch(self) -> None:
        while not self._stopping:
            if self._wakeup.wait(PERIOD_S) is None:
                self._look()

    def _look(self) -> None:
        charge = min(charges(self._supplies), default=None)
        before, self.percent = self.percent, None if charge is None else charge.percent
        if charge is None or charge.fed or charge.percent >= self._low + RECOVERED:
            self._latch.clear()
        elif charge.percent <= self._low:
            self._latch.fail(f"{BATTERY}: {charge.percent} %")
        if before != self.percent:
            self._changed()


def charges(supplies: Path) -> list[Charge]:
    """Return what each battery of this computer says, but for those that say nothing of use.

    A wireless mouse has a battery too, of the scope "Device".
    """
    found = (_charge(each) for each in sorted(supplies.glob("*")))
    return [charge for charge in found if charge is not None]


def _charge(supply: Path) -> Charge | None:
    if _read(supply / "type") != "Battery" or _read(supply / "scope") == "Device":
        return None
    text = _read(supply / "capacity")
    if not (text.isascii() and text.isdigit() and int(text) <= 100):  # noqa: PLR2004 (percent)
        return None
    return Charge(int(text), _read(supply / "status") in FED)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
