"""One switch between a GPIO pin and ground, with its raw edges."""

from collections.abc import Callable
from contextlib import ExitStack

from gpiozero import InputDevice
from gpiozero.pins import Factory

from hardware.units import NS_PER_SECOND


class Contact:
    """A switch that pulls its pin down. Keep it: its pin refers to it only weakly.

    gpiozero's own debouncing delays and re-stamps a press, or loses the next one, so it is off.
    """

    def __init__(
        self, pin: int, pin_factory: Factory | None, report: Callable[[int, bool], object]
    ) -> None:
        """Claim the pin, by its BCM number, with its pull-up.

        `report` is called with each edge's stamp, in ns, and whether the switch is down after it,
        in a thread of the factory's; it must neither wait nor raise.

        Raises:
            gpiozero.GPIOZeroError: the pin does not exist, or is in use.
        """
        self._report = report
        self._listening = True
        self._device = InputDevice(pin, pull_up=True, pin_factory=pin_factory)
        self.pin_factory: Factory = self._device.pin_factory
        with ExitStack() as on_error:
            on_error.callback(self._device.close)
            self._device.pin.bounce = None
            self._device.pin.edges = "both"
            self._device.pin.when_changed = self._changed
            on_error.pop_all()

    @property
    def down(self) -> bool:
        """Whether it is down now."""
        return bool(self._device.is_active)

    def listen(self, *, wanted: bool) -> None:
        """Report edges, or ignore them.

        A factory that can `drain` (ours) has the kernel ignore the line, so that a chattering
        contact takes no time at all. With others edges are dropped here: taking away a callback
        while it is being called would end the one thread that some of them have.
        """
        if wanted != self._listening:
            self._listening = wanted
            if hasattr(self.pin_factory, "drain"):
                self._device.pin.edges = "both" if wanted else "none"

    def close(self) -> None:
        """Release the pin."""
        self._device.close()

    def _changed(self, ticks: float, level: int) -> None:
        if self._listening:
            self._report(nanoseconds(ticks), not level)


class FactoryClock:
    """The clock of a pin factory, on which its edges are stamped; not the clock of a match."""

    def __init__(self, factory: Factory) -> None:
        self._factory = factory

    def now_ns(self) -> int:
        """Return the present instant."""
        return nanoseconds(self._factory.ticks())

    def raw_of(self, stamp_ns: int) -> int:
        """Return the stamp itself."""
        return stamp_ns


def nanoseconds(ticks: float) -> int:
    """Convert a factory's ticks: ours are int nanoseconds, gpiozero's are float seconds."""
    return ticks if isinstance(ticks, int) else round(ticks * NS_PER_SECOND)
