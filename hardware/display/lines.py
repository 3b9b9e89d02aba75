"""Lines of the header that a program drives beside the panels' bus: DC and RES."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import gpiod
from gpiod.line import Direction, Value
from gpiozero import GPIOZeroError

from gpiozero_gpiod.chip import DEVICES, HeaderChip, OpenChip, find_chip

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
