"""A panel's connection over SPI: bytes through spidev, and the line DC beside them.

DC is low for commands with their operands and high for data (data sheets, "4-wire Serial
Interface"). It stands for the control bytes of I2C, so messages are the same on both buses and are
taken apart here. Nothing ever answers: a panel that is missing is no error, and has no status.
"""

import errno
import fcntl
import os
import struct
from collections.abc import Callable, Iterator
from typing import Final, Protocol

from hardware.display.controllers import COMMAND, COMMANDS, DATA
from hardware.display.panel import Connection

BUS: Final = 0
SELECTS: Final = (0, 1)  # CE0 and CE1: the left and the right panel
# The panels allow 10 MHz; a whole picture takes 4.2 ms at 2 MHz, which forgives long wires.
SPEED_HZ: Final = 2_000_000
SET_MODE, SET_SPEED = 0x40016B01, 0x40046B04  # ioctls of linux/spi/spidev.h
MODE_0: Final = b"\0"  # the clock is low when idle, bits are taken at its rising edge

SetLine = Callable[[bool], None]


class Device(Protocol):
    """One chip select of a bus; its methods raise OSError."""

    def write(self, data: bytes) -> None:
        """Send bytes with the chip selected, at most one picture."""

    def close(self) -> None:
        """Close the device."""


class SpiDevice:
    """A device of spidev, whose `write` is one transfer of at most 4,096 bytes."""

    def __init__(self, path: str) -> None:
        """Open it and set mode and speed.

        Raises:
            OSError: it is missing, or may not be opened.
        """
        self._descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        try:
            fcntl.ioctl(self._descriptor, SET_MODE, MODE_0)
            fcntl.ioctl(self._descriptor, SET_SPEED, struct.pack("=I", SPEED_HZ))
        except OSError:
            self.close()
            raise

    def write(self, data: bytes) -> None:
        """See `Device.write`."""
        os.write(self._descriptor, data)

    def close(self) -> None:
        """See `Device.close`."""
        os.close(self._descriptor)


class SpiConnection:
    """The connection to one panel; DC is shared with the other one."""

    def __init__(self, device: Device, set_dc: SetLine) -> None:
        self._device, self._set_dc = device, set_dc

    def send(self, message: bytes) -> None:
        """Send a message; see `Connection.send`."""
        for high, part in parts(message):
            self._set_dc(high)
            self._device.write(part)

    def receive(self, message: bytes = b"") -> int:  # noqa: ARG002 (see `Connection.receive`)
        """Raise OSError: a panel on SPI cannot be read."""
        raise OSError(errno.EOPNOTSUPP, os.strerror(errno.EOPNOTSUPP))

    def cleanup(self) -> None:
        """Close the device; DC stays claimed, because the other panel needs it."""
        self._device.close()


def connect(bus: int, select: int, set_dc: SetLine) -> Connection:
    """Open a connection to the panel at a chip select of a bus.

    Raises:
        OSError: the bus is missing, or may not be opened.
    """
    return SpiConnection(SpiDevice(f"/dev/spidev{bus}.{select}"), set_dc)


def parts(message: bytes) -> Iterator[tuple[bool, bytes]]:
    """Yield the parts of a message without its control bytes, each with the level of DC."""
    codes = bytearray()
    while message[0] == COMMAND:
        codes += message[1:2]
        message = message[2:]
    if message[0] == COMMANDS:
        codes += message[1:]
    if codes:
        yield False, bytes(codes)
    if message[0] == DATA:
        yield True, message[1:]
