"""Measure how many bytes are sent to the OLED panels, and how soon.

The bytes are counted instead of sent, with the address and the control byte of each message.
"""

import time
from collections.abc import Iterator, Mapping
from queue import SimpleQueue

from luma.oled.device import ssd1306

from clock.match.types import Pair
from clock.ui.dialogue import Dialogue
from clock.ui.face import View
from clock.ui.pages import faces
from clock.units import SECOND_NS
from hardware.display.controllers import ADDRESS_BYTES, COMMANDS, DATA
from hardware.display.layout import draw
from hardware.display.panel import STATUS_BYTES
from hardware.display.panels import Outside, PanelPair, Panels
from hardware.face import Face
from hardware.wakeup import NO_DESCRIPTORS, Wakeup
from lab.benchmarks.game import running
from lab.benchmarks.loads import UI_OPTIONS
from lab.benchmarks.measure import Figure, at_least, at_most

FIVE_MINUTES = 300  # seconds
ADDRESSES = (0x3C, 0x3D)
SHOWN = 200  # faces that are shown to measure the time until the first byte
SETTINGS = ("ssd1306", ADDRESSES, (0, 0))


class CountedWire:
    """A connection for luma and for our panels that counts bytes and notes when they are sent."""

    def __init__(self) -> None:
        self.sent = self.transfers = 0
        self.instants_ns: SimpleQueue[int] = SimpleQueue()

    def send(self, message: bytes) -> None:
        """Count a transfer, which is a system call."""
        self.transfers += 1
        self.sent += ADDRESS_BYTES + len(message)
        self.instants_ns.put(time.perf_counter_ns())

    def receive(self, message: bytes = b"") -> int:
        """Count a status byte, of a panel that is on, with the message before it."""
        self.send(message)
        self.sent += STATUS_BYTES if message else STATUS_BYTES - ADDRESS_BYTES
        return 0

    def command(self, *command: int) -> None:
        """Count commands, as luma's devices send them."""
        self.send(bytes((COMMANDS, *command)))

    def data(self, data: list[int]) -> None:
        """Count a picture, as luma's devices send it."""
        self.send(bytes((DATA, *data)))

    def cleanup(self) -> None:
        """Do nothing: there is nothing to close."""


def figures() -> Iterator[Figure]:
    """Measure and yield each figure."""
    wire = _ours()
    ours = wire.sent / FIVE_MINUTES
    yield at_most("to both panels, a clock running", [ours], "bytes/s", 200)
    yield at_most("system calls for that", [wire.transfers / FIVE_MINUTES], "per s", 2)
    lumas = _lumas() / FIVE_MINUTES
    yield at_least("luma's whole frames against that", [lumas / ours], "times", 10)
    yield at_most("from a tick's faces to all its bytes", _ticks(), "ms", 5)
    yield at_most("from show() to the first byte", _first_bytes(), "ms", 5)


def ticking(seconds: int) -> Iterator[Pair[Face]]:
    """Return the faces of a running clock, second by second."""
    view = View(running(), Dialogue(), UI_OPTIONS.say)
    return (faces(view, second * SECOND_NS) for second in range(seconds))


def _ours() -> CountedWire:
    """Show a clock with our code for five minutes; return the wire, with set-up and refreshes."""
    wire, now_ns = CountedWire(), 0
    pair = PanelPair(*SETTINGS, lambda _: wire, lambda: now_ns)
    for left, right in ticking(FIVE_MINUTES):
        pair.show((left, right))
        now_ns += SECOND_NS
    return wire


def _lumas() -> int:
    """Return how many bytes luma sends in the same time, without set-up."""
    wires = [CountedWire() for _ in ADDRESSES]
    devices = [ssd1306(wire) for wire in wires]
    before = sum(wire.sent for wire in wires)
    for shown in ticking(FIVE_MINUTES):
        for device, face in zip(devices, shown, strict=True):
            device.persist = True
            device.display(draw(face))
    return sum(wire.sent for wire in wires) - before


def _ticks() -> list[float]:
    """Return how long drawing, comparing and packing take for both panels, in ms."""
    pair, taken = PanelPair(*SETTINGS, lambda _: CountedWire(), lambda: 0), []
    for left, right in ticking(SHOWN):
        begin_ns = time.perf_counter_ns()
        pair.show((left, right))
        taken.append((time.perf_counter_ns() - begin_ns) / 1e6)
    return taken[1:]


def _first_bytes() -> list[float]:
    """Return the time from `show` to the first byte through the sleeping thread, in ms."""
    wire, naps, taken = CountedWire(), SimpleQueue[None](), []
    outside = Outside(lambda _bus, _at: wire, lambda: 0, _Naps(naps))
    panels = Panels("ssd1306", 1, ADDRESSES, outside=outside)
    for shown in ticking(SHOWN):
        naps.get()
        wire.instants_ns = SimpleQueue()
        begin_ns = time.perf_counter_ns()
        panels.show(shown)
        taken.append((wire.instants_ns.get() - begin_ns) / 1e6)
    panels.close()
    return taken[1:]


class _Naps(Wakeup):
    """The thread's wait, which also notes when it begins."""

    def __init__(self, begun: SimpleQueue[None]) -> None:
        super().__init__()
        self._begun = begun

    def wait(
        self, timeout_s: float | None = None, descriptors: Mapping[int, int] = NO_DESCRIPTORS
    ) -> dict[int, int] | None:
        self._begun.put(None)
        return super().wait(timeout_s, descriptors)
