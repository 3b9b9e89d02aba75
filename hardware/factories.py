"""gpiozero's pin factories by the names that a configuration gives them.

The one rule: a factory that cannot be had is one error that says what was tried.
"""

from importlib import import_module
from typing import cast

from gpiozero import GPIOZeroError
from gpiozero.pins import Factory

FACTORIES = {  # module and class
    "gpiod": ("hardware.gpiod_factory", "GpiodFactory"),
    "lgpio": ("gpiozero.pins.lgpio", "LGPIOFactory"),
    "rpigpio": ("gpiozero.pins.rpigpio", "RPiGPIOFactory"),
    "mock": ("gpiozero.pins.mock", "MockFactory"),
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
