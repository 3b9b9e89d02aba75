"""Keep lines over a restart of the program, and take them over from their descriptors.

libgpiod makes a request only by claiming a line, and a line that is claimed already cannot be
claimed. So the kernel is talked to here as `linux/gpio.h` describes it (version 2, since Linux
5.10). A line taken over stays as it was until it listens again or becomes an output, so that no
edge is missed while it is being set up.
"""

import fcntl
import os
import struct
from collections.abc import Callable, Iterable
from typing import Final, Protocol

import gpiod
from gpiod.line import Bias, Direction, Value
from gpiod.line import Edge as Detection

Config = dict[Iterable[int | str] | int | str, gpiod.LineSettings | None]  # as libgpiod has it

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
    """Return the code of an ioctl that reads and writes a structure of this size."""
    return 3 << 30 | size << 16 | MAGIC << 8 | number


SET_CONFIG = request_code(0x0D, CONFIG.size + ATTRIBUTES * ATTRIBUTE.size)
GET_VALUES = request_code(0x0E, VALUES.size)
SET_VALUES = request_code(0x0F, VALUES.size)

Control = Callable[[int, int, bytes], bytes]  # descriptor, code, structure


class InheritedRequest:
    """A claimed line, with the methods of `gpiod.LineRequest`."""

    def __init__(
        self,
        fd: int,
        offset: int,
        *,
        control: Control = fcntl.ioctl,
        read: Callable[[int, int], bytes] = os.read,
    ) -> None:
        """Take over the descriptor of a request of one line; it is this object's from now on.

        Raises:
            OSError: it is not a request, or its chip has gone.
        """
        self.fd = fd
        self._offset = offset
        self._control = control
        self._read = read
        self._untouched = True
        self.get_value(offset)

    def get_value(self, line: int | str) -> Value:  # noqa: ARG002 (there is only one)
        """Return the line's level."""
        values = self._control(self.fd, GET_VALUES, VALUES.pack(0, ONLY_LINE))
        return Value.ACTIVE if VALUES.unpack(values)[0] & ONLY_LINE else Value.INACTIVE

    def set_value(self, line: int | str, value: Value) -> None:  # noqa: ARG002
        """Drive an output."""
        bits = ONLY_LINE if value is Value.ACTIVE else 0
        self._control(self.fd, SET_VALUES, VALUES.pack(bits, ONLY_LINE))

    def reconfigure_lines(self, config: Config) -> None:
        """Change the settings while the line stays claimed."""
        settings = config[self._offset] or gpiod.LineSettings()
        silent = settings.edge_detection is Detection.NONE
        if self._untouched and silent and settings.direction is not Direction.OUTPUT:
            return
        self._untouched = False
        self._control(self.fd, SET_CONFIG, encode(settings))

    def read_edge_events(self, max_events: int) -> list[gpiod.EdgeEvent]:
        """Return the edges that wait, oldest first."""
        data = self._read(self.fd, EVENT.size * max_events)
        return [
            gpiod.EdgeEvent(kind, at_ns, offset, seqno, line_seqno)
            for at_ns, kind, offset, seqno, line_seqno in EVENT.iter_unpack(data)
        ]

    def release(self) -> None:
        """Release the line."""
        os.close(self.fd)


def encode(settings: gpiod.LineSettings) -> bytes:
    """Encode the settings of one line as a struct gpio_v2_line_config."""
    if settings.direction is Direction.OUTPUT:
        flags, attributes = OUTPUT, [(OUTPUT_VALUES, int(bool(settings.output_value)), ONLY_LINE)]
    else:
        flags = INPUTS[settings.edge_detection] | BIASES[settings.bias]
        debounce_us = round(settings.debounce_period.total_seconds() * US_PER_SECOND)
        attributes = [(DEBOUNCE, debounce_us, ONLY_LINE)] if debounce_us else []
    packed = b"".join(ATTRIBUTE.pack(*attribute) for attribute in attributes)
    room = ATTRIBUTES * ATTRIBUTE.size
    return CONFIG.pack(flags, len(attributes)) + packed.ljust(room, b"\0")


Request = gpiod.LineRequest | InheritedRequest


class Store(Protocol):
    """Keeps open files over a restart, such as systemd's store of descriptors."""

    def take(self, name: str) -> int | None:
        """Return the descriptor kept under a name, for the caller to own; None if there is none."""

    def leave(self, name: str, descriptor: int) -> None:
        """Give a kept descriptor back, so that it may be taken again."""

    def keep(self, name: str, descriptor: int) -> bool:
        """Keep a descriptor that the caller goes on using; return whether it is kept."""

    def drop(self, name: str) -> None:
        """Keep it no longer."""


Inherit = Callable[[int, int], Request]  # descriptor, offset


class KeptLines:
    """The lines of one factory that are kept: none before `start`."""

    def __init__(self) -> None:
        self._store: Store | None = None
        self._inherit: Inherit = InheritedRequest
        self._kept: set[int] = set()

    def start(self, store: Store, inherit: Inherit) -> None:
        """Keep lines from now on, and take over those that were kept."""
        self._store, self._inherit = store, inherit

    def take_over(self, offset: int) -> Request | None:
        """Return the request of a line that was kept; None if it was not."""
        if self._store is None:
            return None
        descriptor = self._store.take(line_name(offset))
        if descriptor is None:
            return None
        try:
            request = self._inherit(descriptor, offset)
        except OSError:  # its chip was unplugged, or it is not a line
            os.close(descriptor)
            self._store.drop(line_name(offset))
            return None
        self._kept.add(offset)
        return request

    def keep(self, offset: int, request: Request) -> None:
        """Keep a line that listens, if lines are kept."""
        if self._store is None or offset in self._kept:
            return
        if self._store.keep(line_name(offset), request.fd):
            self._kept.add(offset)

    def drop(self, offset: int) -> None:
        """Keep a line no longer: it is used for something else now."""
        if self._store is not None and offset in self._kept:
            self._kept.discard(offset)
            self._store.drop(line_name(offset))

    def leave(self, offset: int, request: Request) -> None:
        """Let a kept line be taken again after its pin is closed."""
        if self._store is not None and offset in self._kept:
            self._kept.discard(offset)
            self._store.leave(line_name(offset), os.dup(request.fd))


def line_name(offset: int) -> str:
    """Return the name under which the line of a BCM number is kept."""
    return f"gpio{offset}"
