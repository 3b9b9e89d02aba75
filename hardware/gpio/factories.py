"""gpiozero's pin factories by the names that a configuration gives them.

The one rule: a factory that cannot be had is one error that says what was tried.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import Literal, cast

from gpiozero import GPIOZeroError
from gpiozero.pins import Factory

FACTORIES = {  # module and class
    "gpiod": ("hardware.gpio.factory", "GpiodFactory"),
    "lgpio": ("gpiozero.pins.lgpio", "LGPIOFactory"),
    "rpigpio": ("gpiozero.pins.rpigpio", "RPiGPIOFactory"),
    "mock": ("gpiozero.pins.mock", "MockFactory"),
}
STAMPS: Mapping[str, tuple[Literal["kernel", "software"], str]] = {  # who takes an edge's, and how
    "gpiod": ("kernel", "the kernel's, taken in the interrupt; whole nanoseconds"),
    "lgpio": ("kernel", "the kernel's, taken in the interrupt; as floating point seconds"),
    "rpigpio": ("software", "software's, taken milliseconds after the edge when it is busy"),
    "mock": ("software", "software's, of pins that are not real"),
}


class HardwareError(Exception):
    """The pins cannot be used; the message says what was tried."""


def pin_factory(name: str) -> Factory:
    """A factory of gpiozero's.

    Args:
        name: one of `FACTORIES`.

    Raises:
        HardwareError: this computer has no pins, its library is missing, or access is denied.
    """
    module, factory = FACTORIES[name]
    try:
        return cast("Factory", getattr(import_module(module), factory)())
    except (GPIOZeroError, ImportError, OSError, RuntimeError) as error:
        raise HardwareError(f"no pins through {name}: {error}") from error
