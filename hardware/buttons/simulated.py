"""Buttons without wood: the real `Plungers` on gpiozero's mock pins, pressed by a program.

The one rule: only the pins are simulated; edges take the same way as those of a real button.
"""

from collections.abc import Mapping

from gpiozero.pins.mock import MockFactory, MockPin

from hardware.buttons.plungers import Arrivals, Clock, Plungers

PINS = {"left": 17, "right": 27, "centre": 22}


class SimulatedPlungers(Plungers):
    """Buttons that a program presses, from any thread."""

    def __init__(
        self,
        pins: Mapping[str, int] = PINS,
        settle_ms: int = 5,
        *,
        clock: Clock | None = None,
        arrivals: Arrivals | None = None,
    ) -> None:
        """All buttons are up. With `settle_ms=0` a tap of any length is a press."""
        factory = MockFactory()
        self._pins: dict[str, MockPin] = {name: factory.pin(pin) for name, pin in pins.items()}
        super().__init__(pins, settle_ms, factory, clock=clock, arrivals=arrivals)

    def press(self, name: str, *, bounce: int = 0) -> None:
        """A button goes down, after opening again a number of times."""
        for _ in range(bounce):
            self._pins[name].drive_low()
            self._pins[name].drive_high()
        self._pins[name].drive_low()

    def release(self, name: str, *, bounce: int = 0) -> None:
        """A button comes up, after closing again a number of times."""
        for _ in range(bounce):
            self._pins[name].drive_high()
            self._pins[name].drive_low()
        self._pins[name].drive_high()
