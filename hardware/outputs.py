"""What the clock signals with, beside the panels: a buzzer and two lamps, each on GPIO pins.

The buzzer beeps at low time and when a flag falls; it sounds while its pin is high: an active
buzzer, with a transistor. The lamps, one on each side, show from afar whose clock runs; a lamp is
an LED with its resistor, from its pin to ground.

All are optional: a pin number of 0 means that there is none. Their methods neither wait nor raise;
what fails is reported by `faults`.
"""

import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Protocol

from gpiozero import LED, DigitalOutputDevice
from gpiozero.pins import Factory

from hardware.latch import FaultLatch, Report

NO_PIN = 0

# One beep each, distinguished by length: the short one is a hint to the players at the board, the
# long one is heard by the whole table.
LOW_TIME_S = 0.2
FLAG_S = 1.0


class Timer(Protocol):
    """A pending call."""

    def cancel(self) -> None:
        """Cancel the pending call."""


StartTimer = Callable[[float, Callable[[], None]], Timer]


def start_timer(seconds: float, act: Callable[[], None]) -> Timer:
    """Call `act` after some seconds, in a thread that exists until then."""
    timer = threading.Timer(seconds, act)
    timer.daemon = True
    timer.start()
    return timer


class Buzzer:
    """One buzzer, or none. It is silent until it is given a signal."""

    def __init__(
        self,
        pin: int = NO_PIN,
        pin_factory: Factory | None = None,
        *,
        start_timer: StartTimer = start_timer,
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        """Claim the pin, 0 for no buzzer; if that fails, each signal tries again.

        `changed` is called when there are new `faults`; it must neither wait nor raise.
        """
        self._start_timer = start_timer
        self._latch = FaultLatch("buzzer", changed)
        self._lock = threading.Lock()  # held no longer than a pin takes to change
        self._device: DigitalOutputDevice | None = None
        self._timer: Timer | None = None
        self._latest: object  # beep: one that is over ends no other
        self._pin, self._pin_factory = pin, pin_factory
        self._is_claimed()

    def low_time(self) -> None:
        """Give a short beep: a player's time runs low."""
        self._beep(LOW_TIME_S)

    def flag(self) -> None:
        """Give a long beep: a flag has fallen."""
        self._beep(FLAG_S)

    def faults(self) -> list[Report]:
        """Return the faults since the last call."""
        return self._latch.drain()

    def close(self) -> None:
        """Silence the buzzer, and release its pin."""
        with self._lock:
            self._pin = NO_PIN
            if self._timer is not None:
                self._timer.cancel()
            if self._device is not None:
                self._try(self._device.off)
                self._try(self._device.close)
                self._device = None

    # --- its parts ----------------------------------------------------------------------------

    def _beep(self, seconds: float) -> None:
        """Begin a beep; it replaces one that still sounds."""
        with self._lock:
            if not self._is_claimed():
                return
            self._latest = object()
            if self._timer is not None:
                self._timer.cancel()
            if self._try(partial(self._begin, seconds, self._latest)):
                self._latch.clear()

    def _begin(self, seconds: float, beep: object) -> None:
        """Start the timer first, so that no beep begins that nothing would end."""
        self._timer = self._start_timer(seconds, partial(self._end, beep))
        if self._device is not None:
            self._device.on()

    def _end(self, beep: object) -> None:
        """End a beep, unless another one has begun meanwhile."""
        with self._lock:
            if self._device is not None and beep is self._latest:
                self._try(self._device.off)

    def _is_claimed(self) -> bool:
        """Claim the pin if it is not ours yet; return whether it is."""
        if self._device is None and self._pin != NO_PIN:
            self._try(self._claim)
        return self._device is not None

    def _claim(self) -> None:
        self._device = DigitalOutputDevice(self._pin, pin_factory=self._pin_factory)

    def _try(self, act: Callable[[], None]) -> bool:
        try:
            act()
        except Exception as error:  # noqa: BLE001 (each pin factory raises errors of its own)
            self._latch.fail(str(error) or repr(error))
            return False
        return True


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
        """Release the pin, and claim it no more."""
        self._pin = NO_PIN
        if self._device is not None:
            self._device.close()


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
        self._latch = FaultLatch("lamps", changed)
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
