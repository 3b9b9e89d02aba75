"""Whether the supply holds its voltage, as the kernel of a Raspberry Pi reports it.

The firmware notices when the 5 V fall too low; the kernel's driver `rpi_volt` asks it every 2 s and
notifies who waits for its alarm. So a thread sleeps until then, and reads nothing else. Where there
is no such driver, there is no thread and never a fault.

The one rule: a voltage that comes and goes is one fault, until it has held for a while.
"""

import os
import select
import threading
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

PART = "power"  # of the clock, in faults
TOO_LOW = "under-voltage: the supply or its cable is too weak"

CHIPS = Path("/sys/class/hwmon")
NAME = "rpi_volt"
ALARM = "in0_lcrit_alarm"  # 1: too low at some time since the driver asked before

STEADY_S = 30.0  # without an alarm: each draw of current would be a fault of its own
CLOSE_S = 1.0


class Waiting(Protocol):
    """All the waiting of the thread."""

    def change(self, descriptor: int, limit_s: float | None) -> bool:
        """Wait until the kernel notifies, or `stop`; False if the time is over (None: never)."""

    def stop(self) -> None:
        """Have `change` return; from any thread."""

    def close(self) -> None:
        """Nobody waits any more."""


class Notification:
    """The kernel's notification of an attribute, poll(2)."""

    def __init__(self) -> None:
        """Not stopped."""
        self._stopped = os.eventfd(0)

    def change(self, descriptor: int, limit_s: float | None) -> bool:
        """See `Waiting.change`; an attribute must have been read before."""
        poll = select.poll()
        poll.register(descriptor, select.POLLPRI | select.POLLERR)
        poll.register(self._stopped, select.POLLIN)
        return bool(poll.poll(None if limit_s is None else limit_s * 1000))

    def stop(self) -> None:
        """See `Waiting.stop`."""
        os.eventfd_write(self._stopped, 1)

    def close(self) -> None:
        """See `Waiting.close`."""
        os.close(self._stopped)


class Power:
    """The supply of this computer."""

    def __init__(
        self,
        chips: Path = CHIPS,
        waiting: Waiting | None = None,
        *,
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        """Watch it, if there is anything to watch.

        Args:
            chips: where the kernel's sensors are.
            waiting: where the thread waits.
            changed: called in the thread when there are new `faults`; must neither wait nor raise.
        """
        self._changed = changed
        self._faults: deque[tuple[str, str | None]] = deque()
        self._told = False
        self._stopping = False
        alarm = _open_alarm(chips)
        if alarm is None:
            self._thread = None
            return
        self._alarm = alarm
        self._waiting = Notification() if waiting is None else waiting
        self._thread = threading.Thread(target=self._watch, name=PART, daemon=True)
        self._thread.start()

    def faults(self) -> list[tuple[str, str | None]]:
        """What became of the supply since last asked: too low, or (None) well again."""
        return [self._faults.popleft() for _ in range(len(self._faults))]

    def close(self) -> None:
        """Watch no longer; within a second."""
        if self._thread is None or self._stopping:
            return
        self._stopping = True
        self._waiting.stop()
        self._thread.join(CLOSE_S)
        if not self._thread.is_alive():
            self._waiting.close()
            os.close(self._alarm)

    # --- the thread ---------------------------------------------------------------------------

    def _watch(self) -> None:
        try:
            while not self._stopping:
                self._look()
        except OSError:  # the driver has gone: nothing is known any more
            self._tell(too_low=False)

    def _look(self) -> None:
        """Read the alarm, and wait until there is more to tell."""
        too_low = os.pread(self._alarm, 8, 0).strip() == b"1"
        if too_low:
            self._tell(too_low=True)
        recovering = self._told and not too_low
        if not self._waiting.change(self._alarm, STEADY_S if recovering else None):
            self._tell(too_low=False)

    def _tell(self, *, too_low: bool) -> None:
        if too_low != self._told:
            self._told = too_low
            self._faults.append((PART, TOO_LOW if too_low else None))
            self._changed()


def _open_alarm(chips: Path) -> int | None:
    """The alarm of the chip of that name; None if there is none, or it cannot be read."""
    for name in sorted(chips.glob("hwmon*/name")):
        try:
            if name.read_text(encoding="ascii").strip() == NAME:
                return os.open(name.with_name(ALARM), os.O_RDONLY | os.O_CLOEXEC)
        except (OSError, UnicodeDecodeError):
            continue
    return None
