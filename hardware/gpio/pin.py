"""A pin of gpiozero's on a line of libgpiod's: function, pull, state, edges, bounce, handler.

The one rule: a pin says what its line shall be; only a change that the kernel took is remembered.
"""

from collections.abc import Callable
from typing import Any, Protocol

from gpiozero.exc import (
    PinFixedPull,
    PinInvalidBounce,
    PinInvalidEdges,
    PinInvalidFunction,
    PinInvalidPull,
    PinSetInput,
)
from gpiozero.pins import PinInfo
from gpiozero.pins.local import LocalPiPin

from hardware.gpio.edge_thread import EdgeThread, Watch
from hardware.gpio.line import Line
from hardware.gpio.setup import EDGES, LONGEST_BOUNCE, PULLS, Setup


class Lines(Protocol):
    """What a pin needs of its factory."""

    pins: dict[PinInfo, Any]  # those that are open

    @property
    def edges(self) -> EdgeThread:
        """What brings the edges."""

    def line(self, offset: int) -> Line:
        """The line of a BCM number."""


class GpiodPin(LocalPiPin):  # type: ignore[misc]
    """Extends :class:`~gpiozero.pins.local.LocalPiPin`. Pin implementation for libgpiod 2.

    - :attr:`edges` "none" has the kernel ignore the line: a way to silence one that chatters,
      allowed in a handler too.
    - :attr:`bounce` is the kernel's debouncing: a level counts when it has lasted that long, and
      the edge is stamped then, not when it began. Better leave it at :data:`None` where the time
      of an edge matters.
    """

    def __init__(self, factory: Lines, info: PinInfo) -> None:
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
        """Give the line back; whoever asks the factory for the pin then gets a new one."""
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
            raise PinInvalidFunction(f'invalid function "{value}" for pin {self!r}')
        self._change(function=value)

    def _get_state(self) -> int:
        return self._line.level

    def _set_state(self, value: float) -> None:
        if self._setup.function == "input":
            raise PinSetInput(f"cannot set state of pin {self!r}")
        self._line.drive(int(bool(value)))

    def _get_pull(self) -> str:
        return self._setup.pull

    def _set_pull(self, value: str) -> None:
        if self._setup.function != "input":
            raise PinFixedPull(f"cannot set pull on non-input pin {self!r}")
        self._check_pull(value)
        self._change(pull=value)

    def _get_bounce(self) -> float | None:
        return self._setup.bounce

    def _set_bounce(self, value: float | None) -> None:
        if value is not None and not 0 <= value <= LONGEST_BOUNCE:
            raise PinInvalidBounce(f"bounce must be None or 0 to {LONGEST_BOUNCE} seconds")
        self._change(bounce=value or None)

    def _get_edges(self) -> str:
        return self._setup.edges

    def _set_edges(self, value: str) -> None:
        if value not in EDGES:
            raise PinInvalidEdges(f'invalid edges "{value}" for pin {self!r}')
        self._change(edges=value)

    def _enable_event_detect(self) -> None:
        self._change(handled=True)

    def _disable_event_detect(self) -> None:
        self._change(handled=False)

    def _call_when_changed(self, ticks: int, state: int) -> None:
        """Overridden because a handler may be taken away by another thread at any moment."""
        reference: Callable[[], Callable[[int, int], object] | None] | None = self._when_changed
        handler = None if reference is None else reference()
        if handler is not None:
            handler(ticks, state)
            return
        with self._when_changed_lock:
            if self._get_when_changed() is None:
                self._set_when_changed(None)  # it has died: no edges for it any more

    # --- its parts ----------------------------------------------------------------------------

    def _check_pull(self, value: str) -> None:
        if value not in PULLS:
            raise PinInvalidPull(f'invalid pull "{value}" for pin {self!r}')
        if self.info.pull not in {value, ""}:
            raise PinFixedPull(f"{self!r} has a physical pull-{self.info.pull} resistor")

    def _change(self, level: int | None = None, **changes: Any) -> None:
        """Have the line be something else; the level of an output stays if none is given."""
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
        """Edges until now were for who wanted them until now."""
        if self._setup.watching:
            self._unwatch()
            self._configure(self._setup._replace(handled=False), 0)
            self._line.forget()

    def _unwatch(self) -> None:
        if self._watch is not None:
            self._factory.edges.unwatch(self._watch)
            self._watch = None
