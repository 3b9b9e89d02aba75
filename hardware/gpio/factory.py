"""A gpiozero pin factory on libgpiod 2: kernel stamps as integers, no polling, no lost edge unseen.

Usable by any gpiozero program, as `GPIOZERO_PIN_FACTORY=gpiod` or as a device's `pin_factory`.
Against the factories that come with gpiozero:

- The ticks of an edge are the kernel's stamp, taken in the interrupt, in integer nanoseconds of
  CLOCK_MONOTONIC; `ticks()` is the same clock, and `ticks_diff` gives seconds, as everywhere.
- One thread reads all edges, blocked in the kernel between them. An idle program does not wake.
- An exception in a handler is logged, and the handlers live on.
- `drain()` has every edge that the kernel knows of delivered before it returns.
- Edges that the kernel had to drop are counted, and do not leave a device in the wrong state.
- Nothing is written anywhere; the working directory may be read-only.

What a program that used another factory should know:

- There is no PWM (`PinPWMUnsupported`): libgpiod has none, and a thread of our own would be the
  polling we do without.
- `bounce` is the kernel's debouncing, up to 4294 s: an edge comes, and is stamped, when the level
  has lasted that long. Other factories mean other things by it; None is best for timing.
- `edges = "none"` has the kernel ignore a line, in a handler too.
- A line belongs to one process. Another program's is `GPIOPinInUse`, with that program's name. A
  process that is forked off may close what it has inherited, and its parent does not notice; it
  gets no edges itself.
- Pins are reserved as everywhere in gpiozero; closing a pin or the factory twice does no harm, and
  what is closed raises `DeviceClosed`. gpiozero closes its default factory when the program ends.

The one rule: what a factory has opened, it closes.
"""

import time
from collections.abc import Callable
from pathlib import Path

import gpiod
from gpiozero.pins.local import LocalPiFactory

from hardware.gpio.chip import DEVICES, HeaderChip, OpenChip, find_chip
from hardware.gpio.edge_thread import EdgeThread
from hardware.gpio.inherited import InheritedRequest
from hardware.gpio.kept import Inherit, KeptLines, Store
from hardware.gpio.line import Line
from hardware.gpio.pin import GpiodPin

NS_PER_SECOND = 1_000_000_000


class GpiodFactory(LocalPiFactory):  # type: ignore[misc]
    """Extends :class:`~gpiozero.pins.local.LocalPiFactory`. Uses libgpiod 2 (the package gpiod).

    You can construct gpiod pins manually like so::

        from hardware.gpiod_factory import GpiodFactory
        from gpiozero import LED

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
            chip: number or path of its device; None to find it by its label.
            open_chip: gpiod.Chip, or another in its place.
            devices: the folder that chips are looked for in.

        Raises:
            gpiozero.BadPinFactory: no chip of a Raspberry Pi, or no permission; says which.
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
        """How many edges the kernel dropped because nobody had read them in time."""
        return sum(line.lost for line in self._lines.values())

    def line(self, offset: int) -> Line:
        """The line of a BCM number, claimed or not."""
        return self._lines.setdefault(offset, Line(self._chip, offset, self._kept))

    def keep_lines(self, store: Store, inherit: Inherit = InheritedRequest) -> None:
        """Have lines that listen to edges outlive the program; call it before any pin is made.

        What the kernel noted between the former run and this one is then delivered first, with its
        stamps. A line that is kept stays claimed when its pin is closed.

        Args:
            store: who keeps them, and has those that were kept.
            inherit: makes a request of a descriptor and an offset.
        """
        self._kept.begin(store, inherit)

    def drain(self) -> None:
        """Have every edge delivered that the kernel has noted until now; see `EdgeThread.drain`."""
        self.edges.drain()

    def call_to_drain(self, caller: Callable[[], object]) -> None:
        """Have edges delivered by `drain` alone, in the thread of whoever calls it.

        Until then they are the kernel's, also when this program hangs and ends (`keep_lines`).

        Args:
            caller: called from another thread when there are edges; must return at once.
        """
        self.edges.call(caller)

    def close(self) -> None:
        """Give all lines back and end the thread. Closed is closed: make a new factory then.

        Overridden because local factories share one dictionary of pins, and a pin leaves it when it
        is closed.
        """
        self._chip.closed = True
        for pin in list(self.pins.values()):
            if pin.factory is self:
                pin.close()
        self.edges.close()

    @staticmethod
    def ticks() -> int:
        """Now, in the clock that edges are stamped in: CLOCK_MONOTONIC, in nanoseconds."""
        return time.monotonic_ns()

    @staticmethod
    def ticks_diff(later: int, earlier: int) -> float:
        """Seconds between two instants; exact to the nanosecond as long as it is below 100 days."""
        return (later - earlier) / NS_PER_SECOND
