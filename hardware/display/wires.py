"""How both panels are wired: their bus, and the lines DC and RES that they share.

RES resets both panels at once. So it is pulsed once when the program first uses it, never when one
panel is connected again, which would darken the other. The lines stay claimed until the program
ends.
"""

import time
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import gpiod
from gpiod.line import Direction, Value
from gpiozero import GPIOZeroError

from gpiozero_gpiod.chip import DEVICES, HeaderChip, OpenChip, find_chip
from hardware.display import i2c, spi
from hardware.display.panel import Connection

PULSE_S: Final = 0.01  # the data sheets ask for 3 us (SSD1306, SSD1309) or 10 us (SH1106)


class Outputs:
    """Lines of the header; each is claimed when it is first used, until the program ends."""

    def __init__(
        self,
        open_chip: OpenChip = gpiod.Chip,
        devices: Path = DEVICES,
        pause: Callable[[float], object] = time.sleep,  # noqa: TID251 (a pulse has a length)
    ) -> None:
        self._open_chip, self._devices, self._pause = open_chip, devices, pause
        self._claimed: dict[int, gpiod.LineRequest] = {}

    def drive(self, pin: int, high: bool) -> None:  # noqa: FBT001 (a level)
        """Set the level of a line.

        Raises:
            OSError: there is no such line, or another program has it.
        """
        if pin not in self._claimed:
            self._claimed[pin] = self._claim(pin)
        self._claimed[pin].set_value(pin, Value.ACTIVE if high else Value.INACTIVE)

    def pulse_once(self, pin: int) -> None:
        """Pulse a line low, unless this program has done so before.

        Raises:
            OSError: see `drive`.
        """
        if pin not in self._claimed:
            for high in (False, True):
                self.drive(pin, high)
                self._pause(PULSE_S)

    def _claim(self, pin: int) -> gpiod.LineRequest:
        settings = gpiod.LineSettings(direction=Direction.OUTPUT, output_value=Value.ACTIVE)
        try:
            path = find_chip(self._open_chip, self._devices)
            return HeaderChip(self._open_chip, path).claim(pin, settings)
        except GPIOZeroError as error:
            raise OSError(str(error)) from error


if TYPE_CHECKING:
    from hardware.display.wires import Outputs

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
    from hardware.display.wires import Outputs  # noqa: PLC0415

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
