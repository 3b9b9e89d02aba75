"""One button on a pin of gpiozero's: each edge noted with its instant on the raw clock.

gpiozero's own debouncing delays and re-stamps a press, or loses the next one, so it is off: every
edge is taken with the kernel's stamp, and `debounce` makes presses of them.

The one rule: whoever reports an edge is never blocked and never sees an error, for it may be the
one thread that reports them all.
"""

from collections.abc import Callable
from typing import NamedTuple, Protocol

from gpiozero import InputDevice

NS_PER_SECOND = 1_000_000_000


class Clock(Protocol):
    """The time that presses are stamped in."""

    def now_ns(self) -> int:
        """The instant on the raw clock."""

    def raw_of(self, stamp_ns: int) -> int:
        """The instant on the raw clock of a recent stamp of CLOCK_MONOTONIC."""


class Edge(NamedTuple):
    """An edge as it was reported."""

    name: str
    at_ns: int
    down: bool


class Arrivals(Protocol):
    """A queue that can be filled from another thread or a signal handler, without waiting."""

    def put(self, item: Edge | None, /) -> None:
        """Append an edge; None only wakes whoever waits."""

    def get(self, block: bool = True, timeout: float | None = None) -> Edge | None:  # noqa: FBT001, FBT002 (queue.SimpleQueue's)
        """The next one; `queue.Empty` when there was none for `timeout` seconds."""


class Plunger:
    """One button; lives as long as its edges are wanted, for its pin refers to it only weakly."""

    def __init__(self, name: str, device: InputDevice, clock: Clock, arrivals: Arrivals) -> None:
        self.name = name
        self._listening = True
        self.read_kernel: Callable[[], object] | None = getattr(device.pin_factory, "drain", None)
        self.pin_factory = device.pin_factory
        self._device = device
        self._clock = clock
        self._arrivals = arrivals
        device.pin.bounce = None
        device.pin.edges = "both"
        device.pin.when_changed = self._changed

    @property
    def down(self) -> bool:
        """Whether it is down now."""
        return bool(self._device.is_active)

    def listen(self, *, wanted: bool) -> None:
        """Whether its edges are wanted.

        Ours has the kernel ignore the line then, so that one that chatters takes no time at all.
        With others the line stays reported, and is ignored here: taking a callback away while it is
        being called would end the one thread that some of them have.
        """
        if wanted != self._listening:
            self._listening = wanted
            if self.read_kernel is not None:
                self._device.pin.edges = "both" if wanted else "none"

    def _changed(self, ticks: float, level: int) -> None:
        """Called by the factory, in a thread of its own: only notes it.

        Args:
            ticks: the kernel's stamp: int nanoseconds, or float seconds.
            level: of the pin.
        """
        if self._listening:
            stamp_ns = ticks if isinstance(ticks, int) else round(ticks * NS_PER_SECOND)
            self._arrivals.put(Edge(self.name, self._clock.raw_of(stamp_ns), not level))
