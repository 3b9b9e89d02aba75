"""How both panels are wired: their bus, and the lines DC and RES that they share.

RES resets both panels at once. So it is pulsed once when the program first uses it, never when one
panel is connected again, which would darken the other. The lines stay claimed until the program
ends.
"""

from collections.abc import Callable
from functools import cache, partial
from typing import TYPE_CHECKING, Final, NamedTuple

from hardware.display import i2c, spi
from hardware.display.panel import Connection

if TYPE_CHECKING:
    from hardware.display.lines import Outputs

SPI: Final = "spi"  # the interface that is not I2C

Connect = Callable[[int, int], Connection]  # to a bus, and an address or a chip select


class Wires(NamedTuple):
    """What [display] says of the wires."""

    interface: str = "i2c"
    dc_pin: int = 0
    """BCM number; for SPI alone."""
    reset_pin: int = 0
    """BCM number; 0 if RES is not connected to a pin."""

    @property
    def write_only(self) -> bool:
        """Whether panels cannot be read, and never acknowledge."""
        return self.interface == SPI


@cache
def outputs() -> "Outputs":
    """Return the lines that this program drives; libgpiod, which only Linux has, is used now."""
    from hardware.display.lines import Outputs  # noqa: PLC0415

    return Outputs()


def connector(wires: Wires, lines: "Callable[[], Outputs]" = outputs) -> Connect:
    """Return a function that connects to a panel; it raises `CONNECTION_ERRORS`."""

    def connect(bus: int, place: int) -> Connection:
        if wires.reset_pin:
            lines().pulse_once(wires.reset_pin)
        if wires.write_only:
            return spi.connect(bus, place, partial(lines().drive, wires.dc_pin))
        return i2c.connect(bus, place)

    return connect
