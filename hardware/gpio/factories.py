"""Make one of gpiozero's pin factories by its name."""

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Literal, cast

if TYPE_CHECKING:
    from gpiozero.pins import Factory

FACTORIES = {  # module and class
    "gpiod": ("gpiozero_gpiod.factory", "GpiodFactory"),
    "lgpio": ("gpiozero.pins.lgpio", "LGPIOFactory"),
    "rpigpio": ("gpiozero.pins.rpigpio", "RPiGPIOFactory"),
    "mock": ("gpiozero.pins.mock", "MockFactory"),
}
STAMPS: Mapping[str, tuple[Literal["kernel", "software"], str]] = {  # who stamps edges, and how
    "gpiod": ("kernel", "by the kernel, in the interrupt; in whole nanoseconds"),
    "lgpio": ("kernel", "by the kernel, in the interrupt; in floating point seconds"),
    "rpigpio": ("software", "by software, milliseconds after the edge when it is busy"),
    "mock": ("software", "by software, for simulated pins"),
}


class HardwareError(Exception):
    """The pins cannot be used; the message says which factory was tried, and why it failed."""


def pin_factory(name: str) -> "Factory":
    """Make one of gpiozero's factories, by its name in `FACTORIES`.

    Raises:
        HardwareError: this computer has no pins, its library is missing, or access is denied.
    """
    from gpiozero import GPIOZeroError  # noqa: PLC0415 (a clock shows its first picture before)

    module, factory = FACTORIES[name]
    try:
        return cast("Factory", getattr(import_module(module), factory)())
    except (GPIOZeroError, ImportError, OSError, RuntimeError) as error:
        raise HardwareError(f"cannot use the pins through {name}: {error}") from error
