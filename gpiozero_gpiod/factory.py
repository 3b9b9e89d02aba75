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
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import gpiod
from gpiod.line import Bias, Direction, Value
from gpiod.line import Edge as Detection
from gpiozero import exc
from gpiozero.pins import PinInfo
from gpiozero.pins.local import LocalPiFactory, LocalPiPin

from gpiozero_gpiod.chip import DEVICES, HeaderChip, OpenChip, find_chip
from gpiozero_gpiod.edge_thread import EdgeThread, Watch
from gpiozero_gpiod.inherited import Inherit, InheritedRequest, KeptLines, Store
from gpiozero_gpiod.line import Line

LONGEST_BOUNCE = 4294  # seconds; the kernel counts microseconds in 32 bits

PULLS = {"up": Bias.PULL_UP, "down": Bias.PULL_DOWN, "floating": Bias.DISABLED}
EDGES = {
    "both": Detection.BOTH, "rising": Detection.RISING, "falling": Detection.FALLING,
    "none": Detection.NONE,
}  # fmt: skip


class Setup(NamedTuple):
    """The settings of a pin."""

    pull: str
    function: str = "input"
    edges: str = "both"
    bounce: float | None = None  # seconds
    handled: bool = False  # whether there is a handler for edges

    @property
    def watching(self) -> bool:
        """Whether the kernel is to detect edges."""
        return self.handled and self.function == "input" and self.edges != "none"

    def settings(self, level: int) -> gpiod.LineSettings:
        """Convert to libgpiod's settings; `level` is used for an output only."""
        if self.function == "output":
            value = Value.ACTIVE if level else Value.INACTIVE
            return gpiod.LineSettings(direction=Direction.OUTPUT, output_value=value)
        return gpiod.LineSettings(
            direction=Direction.INPUT,
            bias=PULLS[self.pull],
            edge_detection=EDGES[self.edges] if self.watching else Detection.NONE,
            debounce_period=timedelta(seconds=self.bounce or 0),
        )


class LineFactory(Protocol):
    """The part of a factory that a pin uses."""

    pins: dict[PinInfo, Any]  # those that are open

    @property
    def edges(self) -> EdgeThread:
        """What delivers the edges."""

    def line(self, offset: int) -> Line:
        """Return the line of a BCM number."""


class GpiodPin(LocalPiPin):  # type: ignore[misc]
    """Extends :class:`~gpiozero.pins.local.LocalPiPin`. Pin implementation for libgpiod 2.

    - :attr:`edges` "none" makes the kernel ignore the line: a way to silence one that chatters,
      allowed in a handler too.
    - :attr:`bounce` is the kernel's debouncing: a level counts when it has lasted that long, and
      the edge is stamped then, not when it began. Leave it at :data:`None` if the instant of an
      edge matters.
    """

    def __init__(self, factory: LineFactory, info: PinInfo) -> None:
        """Claim the line, as an input with its own pull.

        Raises:
            gpiozero.GPIOPinInUse: another program or a driver has it.
            gpiozero.DeviceClosed: the factory has been closed.
        """
        super().__init__(factory, info)
        self._line = factory.line(self._number)
        self._setup = Setup(pull=info.pull or "floating")
        self._watch: Watch | None = None
        self._line.claim(self._setup.settings(0))

    def close(self) -> None:
        """Give the line back; the factory makes a new pin when asked for it again."""
        with self._when_changed_lock:
            self._when_changed = None
            self._unwatch()
            self._line.release()
            if self._factory.pins.get(self._info) is self:
                del self._factory.pins[self._info]

    def output_with_state(self, state: float) -> None:
        """Become an output that has this state from the beginning."""
        self._change(int(bool(state)), function="output")

    def input_with_pull(self, pull: str) -> None:
        """Become an input with this pull from the beginning."""
        self._check_pull(pull)
        self._change(function="input", pull=pull)

    # --- gpiozero's properties ----------------------------------------------------------------

    def _get_function(self) -> str:
        return self._setup.function

    def _set_function(self, value: str) -> None:
        if value not in {"input", "output"}:
            raise exc.PinInvalidFunction(f'invalid function "{value}" for pin {self!r}')
        self._change(function=value)

    def _get_state(self) -> int:
        return self._line.level

    def _set_state(self, value: float) -> None:
        if self._setup.function == "input":
            raise exc.PinSetInput(f"cannot set state of pin {self!r}")
        self._line.drive(int(bool(value)))

    def _get_pull(self) -> str:
        return self._setup.pull

    def _set_pull(self, value: str) -> None:
        if self._setup.function != "input":
            raise exc.PinFixedPull(f"cannot set pull on non-input pin {self!r}")
        self._check_pull(value)
        self._change(pull=value)

    def _get_bounce(self) -> float | None:
        return self._setup.bounce

    def _set_bounce(self, value: float | None) -> None:
        if value is not None and not 0 <= value <= LONGEST_BOUNCE:
            raise exc.PinInvalidBounce(f"bounce must be None or 0 to {LONGEST_BOUNCE} seconds")
        self._change(bounce=value or None)

    def _get_edges(self) -> str:
        return self._setup.edges

    def _set_edges(self, value: str) -> None:
        if value not in EDGES:
            raise exc.PinInvalidEdges(f'invalid edges "{value}" for pin {self!r}')
        self._change(edges=value)

    def _enable_event_detect(self) -> None:
        self._change(handled=True)

    def _disable_event_detect(self) -> None:
        self._change(handled=False)

    def _call_when_changed(self, ticks: int, state: int) -> None:
        """Overridden because another thread may take the handler away at any moment."""
        reference: Callable[[], Callable[[int, int], object] | None] | None = self._when_changed
        handler = None if reference is None else reference()
        if handler is not None:
            handler(ticks, state)
            return
        with self._when_changed_lock:
            if self._get_when_changed() is None:
                self._set_when_changed(None)  # it was collected as garbage

    # --- its parts ----------------------------------------------------------------------------

    def _check_pull(self, value: str) -> None:
        if value not in PULLS:
            raise exc.PinInvalidPull(f'invalid pull "{value}" for pin {self!r}')
        if self.info.pull not in {value, ""}:
            raise exc.PinFixedPull(f"{self!r} has a physical pull-{self.info.pull} resistor")

    def _change(self, level: int | None = None, **changes: Any) -> None:
        """Change the line's settings; an output keeps its level if none is given."""
        with self._when_changed_lock:
            setup = self._setup._replace(**changes)
            if (setup.watching, setup.edges) != (self._setup.watching, self._setup.edges):
                self._silence()
            self._configure(setup, self._line.level if level is None else level)
            if setup.watching and self._watch is None:
                self._watch = Watch(self._line, repr(self), self._call_when_changed)
                self._factory.edges.watch(self._watch)

    def _configure(self, setup: Setup, level: int) -> None:
        self._line.configure(setup.settings(level))
        self._setup = setup

    def _silence(self) -> None:
        """Discard edges of before: they are not for the handler to come."""
        if self._setup.watching:
            self._unwatch()
            self._configure(self._setup._replace(handled=False), 0)
            self._line.forget()

    def _unwatch(self) -> None:
        if self._watch is not None:
            self._factory.edges.unwatch(self._watch)
            self._watch = None


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
