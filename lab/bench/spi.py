"""The SPI bus of a guest, `/dev/spidev0.0` and `0.1`, and the lines DC and RES of its header.

A virtio device takes each transfer, and each level that a program gives to a line, in one order: so
it knows DC at every byte and sees each pulse of RES. A transfer is laid out as in virtio 1.4, "SPI
Controller Device"; see lab/bench/spi-bench.patch for the lines.
"""

import struct
import threading
from collections.abc import Callable
from pathlib import Path

from lab.bench.closing import Closing
from lab.bench.vhost_ring import Chain
from lab.bench.vhost_server import Server
from lab.support.panel_models import SpiBus, Ssd1306

DEVICE_ID = 45  # of an SPI controller in virtio
HEADER = struct.Struct("<BB6xII16x")  # chip select, bits in a word, mode, Hz
LINE = 0xFF  # as chip select: the bytes are the number of a line and its level
GOOD = b"\0"
WORD_BITS, MODE_0 = 8, 0
FASTEST_HZ = 10_000_000  # a clock of 100 ns, by the data sheets


class SpiWires(SpiBus):
    """The panels by chip select, and the two lines that they share."""

    features = 0

    def __init__(self, panels: dict[int, Ssd1306], dc_pin: int, reset_pin: int) -> None:
        """Make a bus on which nothing has been sent."""
        super().__init__(panels)
        self.lock = threading.RLock()
        self._changed = threading.Condition(self.lock)  # notified after each request
        self._dc_pin, self._reset_pin = dc_pin, reset_pin
        self.hz: set[int] = set()  # the speeds that were asked for
        self._ready = False  # RES is high; until it is driven, a panel takes nothing
        self._selected = {select: self.device(0, select, lambda: self.dc) for select in panels}

    def answer(self, chain: Chain) -> bytes:
        """Take a transfer, or the level of a line."""
        select, bits, mode, hz = HEADER.unpack_from(chain.sent)
        payload = chain.sent[HEADER.size :]
        with self.lock:
            if select == LINE:
                self._drive(*payload)
            else:
                assert (bits, mode) == (WORD_BITS, MODE_0)
                assert 0 < hz <= FASTEST_HZ
                self.hz.add(hz)
                assert self._ready, "bytes for a panel that RES holds in reset"
                self._selected[select].write(payload)
            self._changed.notify_all()
        return GOOD

    def _drive(self, line: int, level: int) -> None:
        if line == self._dc_pin:
            self.set_dc(bool(level))
        elif line == self._reset_pin:
            if self._ready and not level:
                self.reset()
            self._ready = bool(level)

    def wait(self, seen: Callable[[], bool], limit_s: float) -> bool:
        """Wait until a condition holds, trying it after each request; return whether it does."""
        with self.lock:
            return self._changed.wait_for(seen, limit_s)

    def power_on(self) -> None:
        """Cut and restore the power of all panels: they are dark, and RES is not driven."""
        with self.lock:
            self._ready = False
            for panel in self.panels.values():
                panel.power_on()
            self._changed.notify_all()


class SpiServer(Closing):
    """The bus on a Unix socket, for a guest that is started with `option`."""

    def __init__(self, path: Path, wires: SpiWires, *, time_travel: bool = False) -> None:
        self.option = f"virtio_uml.device={path}:{DEVICE_ID}"
        self._server = Server(path, wires, answer_first=time_travel, on_disconnect=wires.power_on)

    def close(self) -> None:
        """Stop serving, and raise the error that ended the server's thread, if there was one."""
        self._server.close()
