"""The figures of the OLED panels: what goes over their wire, and how soon.

The wire is counted, not used: every message has its bytes, its control bytes and its address.
"""

import time
from collections.abc import Iterator
from queue import SimpleQueue

from luma.oled.device import ssd1306

from benchmarks.game import running
from benchmarks.loads import MANNER
from benchmarks.measure import Figure, at_least, at_most
from clock.ui.dialogue import Dialogue
from clock.ui.face import Face, View
from clock.ui.pages import faces
from clock.match.rules import SECOND_NS
from clock.match.sides import Pair
from hardware.display.controllers import ADDRESS_BYTES, COMMANDS, DATA
from hardware.display.panels import Outside, Panels
from hardware.display.layout import draw
from hardware.display.panel_pair import ScreenPair

FIVE_MINUTES = 300  # seconds
ADDRESSES = (0x3C, 0x3D)
SHOWN = 200  # faces, for the time until the first byte
SETTINGS = ("ssd1306", ADDRESSES, (0, 0))


class CountedWire:
    """An interface of luma's, and ours: counts, and says when something is sent."""

    def __init__(self) -> None:
        self.sent = self.transfers = 0
        self.instants_ns: SimpleQueue[int] = SimpleQueue()

    def send(self, message: bytes) -> None:
        """A transfer, which is a system call."""
        self.transfers += 1
        self.sent += ADDRESS_BYTES + len(message)
        self.instants_ns.put(time.perf_counter_ns())

    def command(self, *command: int) -> None:
        """Commands, as luma's devices send them."""
        self.send(bytes((COMMANDS, *command)))

    def data(self, data: list[int]) -> None:
        """A picture, as luma's devices send it."""
        self.send(bytes((DATA, *data)))

    def cleanup(self) -> None:
        """There is nothing to close."""


def figures() -> list[Figure]:
    """All of them."""
    wire = _ours()
    ours, lumas = wire.sent / FIVE_MINUTES, _lumas() / FIVE_MINUTES
    return [
        at_most("to both panels, a clock running", [ours], "bytes/s", 200),
        at_most("system calls for that", [wire.transfers / FIVE_MINUTES], "per s", 2),
        at_least("luma's whole frames against that", [lumas / ours], "times", 10),
        at_most("from a tick's faces to all its bytes", _ticks(), "ms", 5),
        at_most("from show() to the first byte", _first_bytes(), "ms", 5),
    ]


def ticking(seconds: int) -> Iterator[Pair[Face]]:
    """The faces of a running clock, second by second."""
    view = View(running(), Dialogue(), MANNER.say)
    return (faces(view, second * SECOND_NS) for second in range(seconds))


def _ours() -> CountedWire:
    """Everything was sent over it, with setups and refreshments."""
    wire, now_ns = CountedWire(), 0
    pair = ScreenPair(*SETTINGS, lambda _: wire, lambda: now_ns)
    for left, right in ticking(FIVE_MINUTES):
        pair.show((left, right))
        now_ns += SECOND_NS
    return wire


def _lumas() -> int:
    """Pictures only, as luma sends them."""
    wires = [CountedWire() for _ in ADDRESSES]
    devices = [ssd1306(wire) for wire in wires]
    before = sum(wire.sent for wire in wires)
    for shown in ticking(FIVE_MINUTES):
        for device, face in zip(devices, shown, strict=True):
            device.persist = True
            device.display(draw(face))
    return sum(wire.sent for wire in wires) - before


def _ticks() -> list[float]:
    """Drawing, comparing and packing, for both panels."""
    pair, taken = ScreenPair(*SETTINGS, lambda _: CountedWire(), lambda: 0), []
    for left, right in ticking(SHOWN):
        begin_ns = time.perf_counter_ns()
        pair.show((left, right))
        taken.append((time.perf_counter_ns() - begin_ns) / 1e6)
    return taken[1:]


def _first_bytes() -> list[float]:
    """Through the thread, after it has slept."""
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


class _Naps:
    """The thread's queue, that also says when it begins to wait."""

    def __init__(self, begun: SimpleQueue[None]) -> None:
        self._begun = begun
        self._wakes: SimpleQueue[None] = SimpleQueue()

    def put(self, item: None, /) -> None:
        self._wakes.put(item)

    def get(self, block: bool = True, timeout: float | None = None) -> None:  # noqa: FBT001, FBT002 (queue.SimpleQueue's)
        self._begun.put(None)
        self._wakes.get(block, timeout)
