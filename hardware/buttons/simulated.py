"""Buttons pressed by a program: the real `Plungers` on gpiozero's mock pins."""

from collections.abc import Mapping

from gpiozero.pins.mock import MockFactory, MockPin

from hardware.buttons.plungers import Arrivals, Clock, Plungers

PINS = {"left": 17, "right": 27, "centre": 22}


class SimulatedPlungers(Plungers):
    """Buttons that any thread can press; their edges take the same way as real ones."""

    def __init__(
        self,
        pins: Mapping[str, int] = PINS,
        settle_ms: int = 15,
        *,
        clock: Clock | None = None,
        arrivals: Arrivals | None = None,
    ) -> None:
        """Start with all buttons up. With `settle_ms=0` a tap of any length is a press."""
        factory = MockFactory()
        self._pins: dict[str, MockPin] = {name: factory.pin(pin) for name, pin in pins.items()}
        super().__init__(pins, settle_ms, factory, clock=clock, arrivals=arrivals)

    def press(self, name: str, *, bounce: int = 0) -> None:
        """Push a button down; its contact opens again `bounce` times."""
        for _ in range(bounce):
            self._pins[name].drive_low()
            self._pins[name].drive_high()
        self._pins[name].drive_low()

    def release(self, name: str, *, bounce: int = 0) -> None:
        """Let a button come up; its contact closes again `bounce` times."""
        for _ in range(bounce):
            self._pins[name].drive_high()
            self._pins[name].drive_low()
        self._pins[name].drive_high()
