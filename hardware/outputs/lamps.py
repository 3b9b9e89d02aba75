"""Two lamps, one on each side, that can show from afar whose clock runs; each is optional.

A lamp is an LED with its resistor, from its pin to ground. The one rule: whoever shows something
never sees an error; a lamp that fails is a fault, and is tried again.
"""

from collections import deque
from collections.abc import Callable
from contextlib import suppress

from gpiozero import LED
from gpiozero.pins import Factory

PART = "lamps"  # of the clock, in faults
NO_PIN = 0


class Lamp:
    """One lamp; raises what its pin factory raises."""

    def __init__(self, pin: int, pin_factory: Factory | None) -> None:
        self._pin, self._pin_factory = pin, pin_factory
        self._device: LED | None = None
        self._lit: bool | None = None  # unknown

    def show(self, *, lit: bool) -> None:
        """Light it or not; writes to the pin only what is new."""
        if self._pin == NO_PIN or lit == self._lit:
            return
        self._lit = None
        if self._device is None:
            self._device = LED(self._pin, pin_factory=self._pin_factory)
        self._device.value = lit
        self._lit = lit

    def close(self) -> None:
        """Give the pin back."""
        if self._device is not None:
            self._device.close()
            self._device, self._lit = None, None


class Lamps:
    """Both lamps."""

    def __init__(
        self,
        left: int = NO_PIN,
        right: int = NO_PIN,
        pin_factory: Factory | None = None,
        *,
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        """Claim their pins; both are dark.

        Args:
            left: the BCM number of the left player's lamp; 0: there is none.
            right: of the right player's.
            pin_factory: of gpiozero; None for its default.
            changed: called when there are new `faults`; must neither wait nor raise.
        """
        self._changed = changed
        self._lamps = (Lamp(left, pin_factory), Lamp(right, pin_factory))
        self._faults: deque[tuple[str, str | None]] = deque()
        self._failed = False
        self.show(left=False, right=False)

    def show(self, *, left: bool, right: bool) -> None:
        """Light the lamps of these sides."""
        wrong = [
            why
            for lamp, lit in zip(self._lamps, (left, right), strict=True)
            if (why := _failure(lamp, lit=lit))
        ]
        if bool(wrong) != self._failed:
            self._failed = bool(wrong)
            self._faults.append((PART, ", ".join(wrong) or None))
            self._changed()

    def faults(self) -> list[tuple[str, str | None]]:
        """What became of them since last asked: what is wrong, or (None) both work again."""
        return [self._faults.popleft() for _ in range(len(self._faults))]

    def close(self) -> None:
        """Dark, and the pins given back."""
        self.show(left=False, right=False)
        for lamp in self._lamps:
            with suppress(Exception):  # nobody is left to be told
                lamp.close()


def _failure(lamp: Lamp, *, lit: bool) -> str:
    """What went wrong, if anything did."""
    try:
        lamp.show(lit=lit)
    except Exception as error:  # noqa: BLE001 (each pin factory has a family of its own)
        return str(error) or repr(error)
    return ""
