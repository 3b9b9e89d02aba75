"""A line that the program's former run had claimed, from its descriptor alone.

libgpiod makes a request only by claiming a line, and one that is claimed already cannot be claimed.
So the kernel is spoken to here as `linux/gpio.h` describes it (version 2, since Linux 5.10).

The one rule: an input goes on as it was until it is told to listen or to be an output, so that no
edge is missed while its new owner is still setting it up.
"""

import fcntl
import os
import struct
from collections.abc import Callable
from typing import Final

import gpiod
from gpiod.line import Bias, Direction, Value
from gpiod.line import Edge as Detection

from hardware.gpio.chip import Config

MAGIC: Final = 0xB4

CONFIG = struct.Struct("=QI20x")  # gpio_v2_line_config: flags, number of attributes
ATTRIBUTE = struct.Struct("=I4xQQ")  # gpio_v2_line_config_attribute: id, value, mask of lines
ATTRIBUTES: Final = 10  # there is room for
OUTPUT_VALUES, DEBOUNCE = 2, 3  # ids
VALUES = struct.Struct("=QQ")  # gpio_v2_line_values: bits, mask
EVENT = struct.Struct("=QIIII24x")  # gpio_v2_line_event: stamp, id, offset, seqno, line_seqno
ONLY_LINE: Final = 1  # of the request, as a mask

OUTPUT: Final = 1 << 3
INPUTS = {  # flags of an input
    Detection.NONE: 1 << 2,
    Detection.RISING: 1 << 2 | 1 << 4,
    Detection.FALLING: 1 << 2 | 1 << 5,
    Detection.BOTH: 1 << 2 | 1 << 4 | 1 << 5,
}
BIASES = {Bias.AS_IS: 0, Bias.PULL_UP: 1 << 8, Bias.PULL_DOWN: 1 << 9, Bias.DISABLED: 1 << 10}
US_PER_SECOND: Final = 1_000_000


def request_code(number: int, size: int) -> int:
    """The code of an ioctl that reads and writes a structure of this size."""
    return 3 << 30 | size << 16 | MAGIC << 8 | number


SET_CONFIG = request_code(0x0D, CONFIG.size + ATTRIBUTES * ATTRIBUTE.size)
GET_VALUES = request_code(0x0E, VALUES.size)
SET_VALUES = request_code(0x0F, VALUES.size)

Control = Callable[[int, int, bytes], bytes]  # descriptor, code, structure


class InheritedRequest:
    """One line; in the place of `gpiod.LineRequest`."""

    def __init__(
        self,
        fd: int,
        offset: int,
        *,
        control: Control = fcntl.ioctl,
        read: Callable[[int, int], bytes] = os.read,
    ) -> None:
        """Take it over; from now on the descriptor is this object's.

        Args:
            fd: of the request.
            offset: of its only line.
            control: ioctl, or another in its place.
            read: os.read, or another in its place.

        Raises:
            OSError: it is no request, or its chip has gone.
        """
        self.fd = fd
        self._offset = offset
        self._control = control
        self._read = read
        self._as_it_was = True
        self.get_value(offset)

    def get_value(self, line: int | str) -> Value:  # noqa: ARG002 (there is only one)
        """The line's level."""
        values = self._control(self.fd, GET_VALUES, VALUES.pack(0, ONLY_LINE))
        return Value.ACTIVE if VALUES.unpack(values)[0] & ONLY_LINE else Value.INACTIVE

    def set_value(self, line: int | str, value: Value) -> None:  # noqa: ARG002
        """Drive an output."""
        bits = ONLY_LINE if value is Value.ACTIVE else 0
        self._control(self.fd, SET_VALUES, VALUES.pack(bits, ONLY_LINE))

    def reconfigure_lines(self, config: Config) -> None:
        """Change it without letting go of it."""
        settings = config[self._offset] or gpiod.LineSettings()
        silent = settings.edge_detection is Detection.NONE
        if self._as_it_was and silent and settings.direction is not Direction.OUTPUT:
            return
        self._as_it_was = False
        self._control(self.fd, SET_CONFIG, encoded(settings))

    def read_edge_events(self, max_events: int | None = None) -> list[gpiod.EdgeEvent]:
        """The edges that wait, the oldest first."""
        data = self._read(self.fd, EVENT.size * (max_events or 64))
        return [
            gpiod.EdgeEvent(kind, at_ns, offset, seqno, line_seqno)
            for at_ns, kind, offset, seqno, line_seqno in EVENT.iter_unpack(data)
        ]

    def release(self) -> None:
        """Give it back."""
        os.close(self.fd)


def encoded(settings: gpiod.LineSettings) -> bytes:
    """What the kernel is told of one line."""
    if settings.direction is Direction.OUTPUT:
        flags, attributes = OUTPUT, [(OUTPUT_VALUES, int(bool(settings.output_value)), ONLY_LINE)]
    else:
        flags = INPUTS[settings.edge_detection] | BIASES[settings.bias]
        debounce_us = round(settings.debounce_period.total_seconds() * US_PER_SECOND)
        attributes = [(DEBOUNCE, debounce_us, ONLY_LINE)] if debounce_us else []
    packed = b"".join(ATTRIBUTE.pack(*attribute) for attribute in attributes)
    room = ATTRIBUTES * ATTRIBUTE.size
    return CONFIG.pack(flags, len(attributes)) + packed.ljust(room, b"\0")
