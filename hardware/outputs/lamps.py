"""Two lamps, one on each side, that show from afar whose clock runs; each is optional.

A lamp is an LED with its resistor, from its pin to ground.
"""

from collections.abc import Callable
from contextlib import suppress

from gpiozero import LED
from gpiozero.pins import Factory

from hardware.latch import FaultLatch, Report

PART = "lamps"  # of the clock, in faults
NO_PIN = 0


class Lamp:
    """One lamp; raises what its pin factory raises."""

    def __init__(self, pin: int, pin_factory: Factory | None) -> None:
        self._pin, self._pin_factory = pin, pin_factory
        self._device: LED | None = None
        self._lit: bool | None = None  # None: not known

    def show(self, *, lit: bool) -> None:
        """Light it or not; write to the pin only if that is new."""
        if self._pin == NO_PIN or lit == self._lit:
            return
        self._lit = None
        if self._device is None:
            self._device = LED(self._pin, pin_factory=self._pin_factory)
        self._device.value = lit
        self._lit = lit

    def close(self) -> None:
        """Release the pin."""
        if self._device is not None:
            self._device.close()
            self._device, self._lit = None, None


class Lamps:
    """Both lamps. One that fails is tried again each time something is shown."""

    def __init__(
        self,
        left: int = NO_PIN,
        right: int = NO_PIN,
        pin_factory: Factory | None = None,
        *,
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        """Claim their pins, 0 for no lamp; both are dark.

        `changed` is called when there are new `faults`; it must neither wait nor raise.
        """
        self._latch = FaultLatch(PART, changed)
        self._lamps = (Lamp(left, pin_factory), Lamp(right, pin_factory))
        self.show(left=False, right=False)

    def show(self, *, left: bool, right: bool) -> None:
        """Light the lamps of these sides."""
        errors = [
            error
            for lamp, lit in zip(self._lamps, (left, right), strict=True)
            if (error := _error_of(lamp, lit=lit))
        ]
        if errors:
            self._latch.fail(", ".join(errors))
        else:
            self._latch.clear()

    def faults(self) -> list[Report]:
        """Return the faults since the last call."""
        return self._latch.drain()

    def close(self) -> None:
        """Darken both lamps, and release their pins."""
        self.show(left=False, right=False)
        for lamp in self._lamps:
            with suppress(Exception):  # there is nothing left to report it to
                lamp.close()


def _error_of(lamp: Lamp, *, lit: bool) -> str:
    try:
        lamp.show(lit=lit)
    except Exception as error:  # noqa: BLE001 (each pin factory raises errors of its own)
        return str(error) or repr(error)
    return ""
