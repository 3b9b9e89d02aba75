"""A gpiozero pin on a line: its settings in gpiozero's terms, converted to libgpiod's."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any, NamedTuple, Protocol

import gpiod
from gpiod.line import Bias, Direction, Value
from gpiod.line import Edge as Detection
from gpiozero import exc
from gpiozero.pins import PinInfo
from gpiozero.pins.local import LocalPiPin

from gpiozero_gpiod.edge_thread import EdgeThread, Watch
from gpiozero_gpiod.line import Line

LONGEST_BOUNCE = 4294  # seconds; the kernel counts microseconds in 32 bits

PULLS = {"up": Bias.PULL_UP, "down": Bias.PULL_DOWN, "floating": Bias.DISABLED}
EDGES = {
    "both": Detection.BOTH,
    "rising": Detection.RISING,
    "falling": Detection.FALLING,
    "none": Detection.NONE,
}


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
