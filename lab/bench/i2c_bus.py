"""The model of the I2C bus: it has a speed, and tests can make transfers fail.

A byte takes nine bits, as on a real bus; in time travel transfers take no time. All instants are on
CLOCK_MONOTONIC of this computer.
"""

import errno
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from clock.units import SECOND_NS
from lab.support.panel_models import Bus, Ssd1306, Trouble

STANDARD_HZ, FAST_HZ = 100_000, 400_000
BITS_PER_BYTE = 9  # with the acknowledgement
FRAMING_BITS = 2  # start and stop
KEPT = 100_000  # transfers that are kept, as those of a whole day would fill the memory
HANGS = Trouble(errno.ETIMEDOUT)
NOT_ACKNOWLEDGED = Trouble(errno.EREMOTEIO)


class Transfer(NamedTuple):
    """A transfer that was acknowledged."""

    address: int
    size: int  # bytes on the bus, with the address
    begun_ns: int
    ended_ns: int


class I2cBus(Bus):
    """A bus whose transfers take time."""

    def __init__(self, panels: dict[int, Ssd1306], hz: int | None = None) -> None:
        """Make a bus on which nothing has been sent.

        Args:
            panels: the panels on the bus, by address.
            hz: its speed, such as `FAST_HZ`; None if transfers take no time.
        """
        super().__init__(panels)
        self.hz = hz
        self.waits = True  # if not, transfers take no time
        self.lock = threading.RLock()
        self._changed = threading.Condition(self.lock)  # notified after each transfer
        self.latest: deque[Transfer] = deque(maxlen=KEPT)
        self.count = self.bytes = 0  # of all acknowledged transfers
        self._always: dict[int | None, Trouble] = {}  # by address; None: the whole bus
        self._closed = threading.Event()

    # --- faults ---------------------------------------------------------------------------------

    def fail(self, after: int, trouble: Trouble = NOT_ACKNOWLEDGED) -> None:
        """Make one transfer fail; `after` is 1 for the next one."""
        with self.lock:
            self.troubles[self.attempts + after] = trouble

    def refuse(self, address: int) -> None:
        """Acknowledge nothing at this address until `mend`."""
        self._always[address] = NOT_ACKNOWLEDGED

    def hang(self) -> None:
        """Let no transfer end until `mend`, as if a wire were shorted to ground."""
        self._always[None] = HANGS

    def mend(self) -> None:
        """End `refuse` and `hang`."""
        self._always.clear()

    # --- transfers ------------------------------------------------------------------------------

    def transfer(self, address: int, *messages: bytes, reads: int = 0) -> None:
        """Send bytes to a panel, or read some; an OSError says why the transfer failed."""
        begun_ns = time.monotonic_ns()
        size = sum(map(len, messages)) + reads + 1
        trouble = self._always.get(None) or self._always.get(address)
        with self.lock:
            if trouble is not None:
                self.troubles[self.attempts + 1] = trouble
            super().transfer(address, *messages, reads=reads)
        self._take_time(size, begun_ns)
        ended_ns = time.monotonic_ns()
        with self.lock:
            self.latest.append(Transfer(address, size, begun_ns, ended_ns))
            self._changed.notify_all()

    def record(self, address: int, size: int) -> None:  # noqa: ARG002 (see `Bus.record`)
        """Count a transfer; there are too many to keep all of them."""
        self.count += 1
        self.bytes += size

    def _take_time(self, size: int, begun_ns: int) -> None:
        """Wait for the rest of the time that so many bytes take."""
        if self.hz is not None and self.waits:
            takes_ns = (size * BITS_PER_BYTE + FRAMING_BITS) * SECOND_NS // self.hz
            left_ns = begun_ns + takes_ns - time.monotonic_ns()
            if left_ns > 0:
                self._closed.wait(left_ns / SECOND_NS)

    def first_after(self, at_ns: int, address: int) -> Transfer | None:
        """Return the first transfer to a panel that began at or after an instant."""
        with self.lock:
            mine = [each for each in self.latest if each.address == address]
        return next((each for each in mine if each.begun_ns >= at_ns), None)

    def wait(self, seen: Callable[[], bool], limit_s: float) -> bool:
        """Wait until a condition holds, trying it after every transfer; return whether it does."""
        with self.lock:
            return self._changed.wait_for(seen, limit_s)

    def power_on(self) -> None:
        """Cut and restore the power of all panels: they are dark."""
        with self.lock:
            for panel in self.panels.values():
                panel.power_on()
            self._changed.notify_all()

    def close(self) -> None:
        """End the transfer that is under way."""
        self._closed.set()
