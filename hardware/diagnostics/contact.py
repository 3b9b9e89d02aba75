"""A button's contact on a pin: each of its edges with its stamp, and how old the stamp was.

The one rule: nothing is made of an edge here; what it belongs to is told by `movements`.
"""

from collections.abc import Callable

from gpiozero import InputDevice
from gpiozero.pins import Factory

from hardware.diagnostics.bounce import Edge

NS_PER_SECOND = 1_000_000_000


class Contact:
    """A button. It has to be kept: its pin refers to it only weakly."""

    def __init__(
        self, name: str, pin: int, factory: Factory, report: Callable[[Edge], None]
    ) -> None:
        """Claim the pin; the button connects it to ground, against its pull-up.

        Args:
            name: of the button.
            pin: its BCM number.
            factory: of gpiozero.
            report: called with every edge, in a thread of the factory's; must neither wait nor
                raise.

        Raises:
            gpiozero.GPIOZeroError: the pin does not exist, or is in use.
        """
        self.name, self.pin = name, pin
        self._report = report
        self._device = InputDevice(pin, pull_up=True, pin_factory=factory)
        self._device.pin.bounce = None
        self._device.pin.edges = "both"
        self._device.pin.when_changed = self._changed

    @property
    def down(self) -> bool:
        """Whether it is down now."""
        return bool(self._device.is_active)

    def now_ns(self) -> int:
        """Now, in the clock that its edges are stamped in."""
        return _ns(self._device.pin_factory.ticks())

    def close(self) -> None:
        """Give the pin back."""
        self._device.close()

    def _changed(self, ticks: float, _level: int) -> None:
        """An edge, with the factory's stamp: int nanoseconds, or float seconds."""
        at_ns = _ns(ticks)
        self._report(Edge(self.name, at_ns, max(0, self.now_ns() - at_ns)))


def _ns(ticks: float) -> int:
    return ticks if isinstance(ticks, int) else round(ticks * NS_PER_SECOND)
