"""Watch the supply voltage, as the kernel of a Raspberry Pi reports it.

The firmware notices when the 5 V drop too low. The kernel's driver `rpi_volt` asks it every 2 s,
and notifies those who poll its alarm. So a thread sleeps until then, and reads nothing else.
Without that driver there is no thread and never a fault.
"""

import os
import select
import threading
from collections.abc import Callable
from pathlib import Path

from hardware.latch import FaultLatch, Report
from hardware.wakeup import Wakeup

PART = "power"  # of the clock, in faults
TOO_LOW = "under-voltage: the supply or its cable is too weak"

CHIPS = Path("/sys/class/hwmon")
NAME = "rpi_volt"
ALARM = "in0_lcrit_alarm"  # 1: too low at some time since the driver asked before

STEADY_S = 30.0  # without an alarm; less, and each draw of current would be a fault of its own
CLOSE_S = 1.0


class PowerMonitor:
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
        self._latch = FaultLatch(PART, changed)
        self._stopping = False
        self._thread: threading.Thread | None = None
        alarm = _open_alarm(chips)
        if alarm is not None:
            self._alarm = alarm
            self._wakeup = Wakeup() if wakeup is None else wakeup
            self._thread = threading.Thread(target=self._watch, name=PART, daemon=True)
            self._thread.start()

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
                return os.open(name.with_name(ALARM), os.O_RDONLY | os.O_CLOEXEC)
        except (OSError, UnicodeDecodeError):
            continue
    return None
