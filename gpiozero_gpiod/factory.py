"""A gpiozero pin factory on libgpiod 2.

Any gpiozero program can use it, as `GPIOZERO_PIN_FACTORY=gpiod` or as a device's `pin_factory`.
Compared with the factories that come with gpiozero:

- The ticks of an edge are the kernel's stamp, taken in the interrupt, in integer nanoseconds of
  CLOCK_MONOTONIC; `ticks()` reads the same clock, and `ticks_diff` returns seconds as usual.
- One thread reads all edges and sleeps in the kernel between them. An idle program does not wake.
- An exception in a handler is logged, and later edges are still delivered.
- `drain()` delivers every edge that the kernel has noted before it returns.
- Edges that the kernel had to drop are counted, and do not leave a device in the wrong state.
- Nothing is written anywhere; the working directory may be read-only.

What a program that used another factory should know:

- There is no PWM (`PinPWMUnsupported`): libgpiod has none, and doing it in a thread would be
  polling.
- `bounce` is the kernel's debouncing, up to 4294 s: an edge is reported, and stamped, when its
  level has lasted that long. Other factories define it otherwise; None is best for timing.
- `edges = "none"` makes the kernel ignore a line; a handler may set it too.
- A line belongs to one process. If another program has it, `GPIOPinInUse` names that program. A
  forked process may close what it has inherited without any effect on its parent; it gets no
  edges itself.
- Pins are reserved as usual in gpiozero. Closing a pin or the factory twice does no harm, and using
  a closed one raises `DeviceClosed`. gpiozero closes its default factory when the program ends.
"""

import time
from collections.abc import Callable
from pathlib import Path

import gpiod
from gpiozero.pins.local import LocalPiFactory

from gpiozero_gpiod.chip import DEVICES, HeaderChip, OpenChip, find_chip
from gpiozero_gpiod.edge_thread import EdgeThread
from gpiozero_gpiod.inherited import Inherit, InheritedRequest, KeptLines, Store
from gpiozero_gpiod.line import Line
from gpiozero_gpiod.pin import GpiodPin

NS_PER_SECOND = 1_000_000_000


class GpiodFactory(LocalPiFactory):  # type: ignore[misc]
    """Extends :class:`~gpiozero.pins.local.LocalPiFactory`. Uses libgpiod 2 (the package gpiod).

    Devices can be made with it like this::

        from gpiozero import LED
        from gpiozero_gpiod import GpiodFactory

        factory = GpiodFactory()
        led = LED(12, pin_factory=factory)

    The user must be allowed to open the chip: on Raspberry Pi OS, be in the group gpio.
    """

    def __init__(
        self,
        chip: int | str | None = None,
        *,
        open_chip: OpenChip = gpiod.Chip,
        devices: Path = DEVICES,
    ) -> None:
        """Find the header's chip.

        Args:
            chip: the number or path of its device; None to find it by its label.
            open_chip: gpiod.Chip, or another in its place.
            devices: the folder that chips are looked for in.

        Raises:
            gpiozero.BadPinFactory: there is no chip of a Raspberry Pi, or no permission.
        """
        super().__init__()
        path = f"{devices}/gpiochip{chip}" if isinstance(chip, int) else chip
        self._chip = HeaderChip(open_chip, find_chip(open_chip, devices, path))
        self._lines: dict[int, Line] = {}
        self._kept = KeptLines()
        self.edges = EdgeThread()
        self.pin_class = GpiodPin

    @property
    def chip(self) -> str:
        """The path of the chip's device."""
        return self._chip.path

    @property
    def lost_edges(self) -> int:
        """The number of edges that the kernel dropped because they were not read in time."""
        return sum(line.lost for line in self._lines.values())

    def line(self, offset: int) -> Line:
        """Return the line of a BCM number, claimed or not."""
        return self._lines.setdefault(offset, Line(self._chip, offset, self._kept))

    def keep_lines(self, store: Store, inherit: Inherit = InheritedRequest) -> None:
        """Keep lines that listen over a restart of the program; call this before making a pin.

        Edges between the last run and this one are then delivered first, with the kernel's stamps.
        A line that is kept stays claimed when its pin is closed. The store keeps the lines, and has
        those that were kept.
        """
        self._kept.start(store, inherit)

    def drain(self) -> None:
        """Deliver every edge that the kernel has noted until now; see `EdgeThread.drain`."""
        self.edges.drain()

    def call_to_drain(self, caller: Callable[[], object]) -> None:
        """Deliver edges only in `drain`, by the thread that calls it.

        Until then they stay in the kernel, also if this program hangs and ends (`keep_lines`). When
        there are edges another thread calls `caller`, which must return at once.
        """
        self.edges.call(caller)

    def close(self) -> None:
        """Give all lines back and end the thread. A closed factory cannot be opened again.

        Overridden because all local factories share one dictionary of pins, which a pin leaves when
        it is closed.
        """
        self._chip.closed = True
        for pin in list(self.pins.values()):
            if pin.factory is self:
                pin.close()
        self.edges.close()

    @staticmethod
    def ticks() -> int:
        """Return the present instant on the clock of the stamps: ns of CLOCK_MONOTONIC."""
        return time.monotonic_ns()

    @staticmethod
    def ticks_diff(later: int, earlier: int) -> float:
        """Return the seconds between two instants; exact to the nanosecond below 100 days."""
        return (later - earlier) / NS_PER_SECOND
