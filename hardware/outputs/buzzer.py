"""A buzzer that can tell of low time and of a flag: silent unless it is wired and told to.

It sounds while its pin is high (an active buzzer, with a transistor). The one rule: whoever gives a
signal never waits and never sees an error; a buzzer that fails is a fault.
"""

import threading
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Protocol

from gpiozero import DigitalOutputDevice
from gpiozero.pins import Factory

PART = "buzzer"  # of the clock, in faults
NO_PIN = 0

# One beep each, told apart by their length: a fifth of a second is a hint to who sits at the board,
# a second is heard by the table.
LOW_TIME_S = 0.2
FLAG_S = 1.0


class Cancellable(Protocol):
    """Something that will happen."""

    def cancel(self) -> None:
        """It will not."""


Later = Callable[[float, Callable[[], None]], Cancellable]


def later(seconds: float, act: Callable[[], None]) -> Cancellable:
    """Have something done after a while, by a thread that exists until then."""
    timer = threading.Timer(seconds, act)
    timer.daemon = True
    timer.start()
    return timer


class Buzzer:
    """One buzzer, or none."""

    def __init__(
        self,
        pin: int = NO_PIN,
        pin_factory: Factory | None = None,
        *,
        later: Later = later,
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        """Claim the pin; if that fails it is tried again with each signal.

        Args:
            pin: its BCM number; 0: there is no buzzer.
            pin_factory: of gpiozero; None for its default.
            later: what ends a sound.
            changed: called when there are new `faults`; must neither wait nor raise.
        """
        self._later = later
        self._changed = changed
        self._lock = threading.Lock()  # never for longer than a pin takes to change
        self._faults: deque[tuple[str, str | None]] = deque()
        self._failed = False
        self._device: DigitalOutputDevice | None = None
        self._end: Cancellable | None = None
        self._count = 0  # of the signals so far
        self._pin, self._pin_factory = pin, pin_factory
        self._claimed()

    def low_time(self) -> None:
        """A player's time runs low: a short beep."""
        self._sound(LOW_TIME_S)

    def flag(self) -> None:
        """A flag has fallen: a long one."""
        self._sound(FLAG_S)

    def faults(self) -> list[tuple[str, str | None]]:
        """What became of it since last asked: what is wrong, or (None) it works again."""
        return [self._faults.popleft() for _ in range(len(self._faults))]

    def close(self) -> None:
        """Be silent, and give the pin back."""
        with self._lock:
            self._count += 1
            self._pin = NO_PIN
            if self._end is not None:
                self._end.cancel()
            if self._device is not None:
                self._try(self._device.off)
                self._try(self._device.close)
                self._device = None

    # --- its parts ----------------------------------------------------------------------------

    def _sound(self, seconds: float) -> None:
        """Begin a signal; it takes the place of one that still sounds."""
        with self._lock:
            if not self._claimed():
                return
            self._count += 1
            if self._end is not None:
                self._end.cancel()
            if self._try(partial(self._begin, seconds, self._count)) and self._failed:
                self._failed = False
                self._tell(None)

    def _begin(self, seconds: float, number: int) -> None:
        """The end is certain before the sound begins."""
        self._end = self._later(seconds, partial(self._silence, number))
        if self._device is not None:
            self._device.on()

    def _silence(self, number: int) -> None:
        """The end of a signal, unless another one has begun meanwhile."""
        with self._lock:
            if self._device is not None and number == self._count:
                self._try(self._device.off)

    def _claimed(self) -> bool:
        """Whether there is a buzzer, and its pin is ours."""
        if self._device is None and self._pin != NO_PIN:
            self._try(self._claim)
        return self._device is not None

    def _claim(self) -> None:
        self._device = DigitalOutputDevice(self._pin, pin_factory=self._pin_factory)

    def _try(self, act: Callable[[], None]) -> bool:
        try:
            act()
        except Exception as error:  # noqa: BLE001 (each pin factory has a family of its own)
            if not self._failed:
                self._tell(str(error) or repr(error))
            self._failed = True
            return False
        return True

    def _tell(self, what: str | None) -> None:
        self._faults.append((PART, what))
        self._changed()
