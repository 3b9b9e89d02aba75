"""The bus of the bench: two wires with a speed, on which something may go wrong.

A transfer takes nine bits a byte, as on a real bus; in time travel the guest does not feel that,
but `busy_ns` adds it up. Instants are those of the host, CLOCK_MONOTONIC.

The one rule: a panel is used under the bus's lock, so a picture is never half a transfer.
"""

import errno
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from panel_models import Bus, Ssd1306, Trouble

NS_PER_SECOND = 1_000_000_000
STANDARD_HZ, FAST_HZ = 100_000, 400_000
BITS_PER_BYTE = 9  # with the acknowledgement
FRAMING_BITS = 2  # start and stop
KEPT = 100_000  # transfers; a day's would fill the memory
HANGS = Trouble(errno.ETIMEDOUT)
NOT_ACKNOWLEDGED = Trouble(errno.EREMOTEIO)


class Transfer(NamedTuple):
    """One that was acknowledged."""

    address: int
    size: int  # bytes on the wires, with the address
    begun_ns: int
    ended_ns: int


class I2cBus(Bus):
    """A bus that takes its time."""

    def __init__(self, panels: dict[int, Ssd1306], hz: int | None = None) -> None:
        """Nothing has been sent.

        Args:
            panels: what hangs on it, by address.
            hz: its clock, such as `FAST_HZ`; None: it takes no time.
        """
        super().__init__(panels)
        self.hz = hz
        self.waits = True  # else its time is only counted
        self.lock = threading.RLock()
        self._moved = threading.Condition(self.lock)  # said after each transfer
        self.latest: deque[Transfer] = deque(maxlen=KEPT)
        self.count = self.bytes = self.busy_ns = 0  # all that was acknowledged
        self._always: dict[int | None, Trouble] = {}  # by address; None: of the bus itself
        self._closed = threading.Event()

    # --- what goes wrong ------------------------------------------------------------------------

    def fail(self, after: int, trouble: Trouble = NOT_ACKNOWLEDGED) -> None:
        """Has one transfer fail: the next one for 1."""
        with self.lock:
            self.troubles[self.attempts + after] = trouble

    def refuse(self, address: int) -> None:
        """Nothing sent to this address is acknowledged, until `mend`."""
        self._always[address] = NOT_ACKNOWLEDGED

    def hang(self) -> None:
        """A wire is held down: no transfer ends, until `mend`."""
        self._always[None] = HANGS

    def mend(self) -> None:
        """All is well again."""
        self._always.clear()

    # --- transfers ------------------------------------------------------------------------------

    def transfer(self, address: int, payload: bytes) -> None:
        """What a transfer does to its panel; an OSError says why it did not end well."""
        begun_ns = time.monotonic_ns()
        trouble = self._always.get(None) or self._always.get(address)
        with self.lock:
            if trouble is not None:
                self.troubles[self.attempts + 1] = trouble
            super().transfer(address, payload)
        self._pass(len(payload) + 1, begun_ns)
        ended_ns = time.monotonic_ns()
        with self.lock:
            self.latest.append(Transfer(address, len(payload) + 1, begun_ns, ended_ns))
            self._moved.notify_all()

    def record(self, address: int, size: int) -> None:  # noqa: ARG002 (see `Bus.record`)
        """Counted only: there are too many to keep."""
        self.count += 1
        self.bytes += size

    def _pass(self, size: int, begun_ns: int) -> None:
        """The time that so many bytes take."""
        if self.hz is not None:
            takes_ns = (size * BITS_PER_BYTE + FRAMING_BITS) * NS_PER_SECOND // self.hz
            self.busy_ns += takes_ns
            left_ns = begun_ns + takes_ns - time.monotonic_ns()
            if self.waits and left_ns > 0:
                self._closed.wait(left_ns / NS_PER_SECOND)

    def first_after(self, at_ns: int, address: int) -> Transfer | None:
        """The first transfer to a panel that began at or after an instant."""
        with self.lock:
            mine = [each for each in self.latest if each.address == address]
        return next((each for each in mine if each.begun_ns >= at_ns), None)

    def wait(self, seen: Callable[[], bool], limit_s: float) -> bool:
        """Waits for something to be seen; looks after every transfer. Whether it was seen."""
        with self.lock:
            return self._moved.wait_for(seen, limit_s)

    def power_on(self) -> None:
        """All panels get their supply anew: they are dark."""
        with self.lock:
            for panel in self.panels.values():
                panel.power_on()
            self._moved.notify_all()

    def close(self) -> None:
        """Nobody waits for it any more."""
        self._closed.set()
