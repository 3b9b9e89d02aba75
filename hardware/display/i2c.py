"""A panel's connection: an I2C bus of this computer, with a short timeout.

When a bus hangs, for example because a broken panel holds a line down, the kernel gives up each
transfer only after a second, and a program cannot even end meanwhile. So the timeout is set to what
one transfer can need: a whole picture takes 94 ms at 100 kHz, and 150 ms where an idle Pi makes 62
kHz of that. The kernel counts from the system call, so a call sends no more than one picture.
"""

import errno
import fcntl
import os
from contextlib import suppress
from typing import Final

import luma.core.error
from luma.core.interface.serial import i2c
from smbus2 import i2c_msg

from hardware.display.controllers import commands
from hardware.display.panel import Connection

I2C_TIMEOUT: Final = 0x0702  # ioctl of linux/i2c-dev.h, for all users of the bus
TIMEOUT_UNITS: Final = 20  # of 10 ms
TIMEOUT_S: Final = TIMEOUT_UNITS / 100
DEVICE: Final = "/dev/i2c-{}"


class I2cConnection(i2c):  # type: ignore[misc]
    """Luma's interface, sending messages that have their own control bytes, and reading."""

    def send(self, message: bytes) -> None:
        """Send a message in one transfer, one system call.

        Raises:
            luma.core.error.DeviceNotFoundError: not acknowledged; in luma's words for a command.
            OSError: any other error.
        """
        self._transfer(i2c_msg.write(self._addr, message))

    def receive(self, message: bytes = b"") -> int:
        """Send a message, if there is one, and read the status byte, in one transfer.

        A message without commands goes before the read: after data another register is read.

        Raises:
            luma.core.error.DeviceNotFoundError, OSError: as for `send`.
        """
        status = i2c_msg.read(self._addr, 1)
        sent = [i2c_msg.write(self._addr, each) for each in (message, commands()) if each]
        self._transfer(*sent, status)
        return bytes(status)[0]

    def _transfer(self, *messages: i2c_msg) -> None:
        try:
            self._bus.i2c_rdwr(*messages)
        except OSError as error:
            if error.errno not in {errno.EREMOTEIO, errno.EIO}:
                raise
            what = f"I2C device not found on address: 0x{self._addr:02X}"
            raise luma.core.error.DeviceNotFoundError(what) from error


def connect(bus: int, address: int) -> Connection:
    """Open a connection to the panel at an address of a bus; its timeout is set if it can be.

    Raises:
        luma.core.error.Error, OSError: the bus is missing, or may not be opened.
    """
    connection = I2cConnection(port=bus, address=address)
    with suppress(OSError):
        set_timeout(DEVICE.format(bus))
    return connection


def set_timeout(device: str) -> None:
    """Make the kernel give up a transfer on a bus after `TIMEOUT_S`."""
    descriptor = os.open(device, os.O_RDWR | os.O_CLOEXEC)
    try:
        fcntl.ioctl(descriptor, I2C_TIMEOUT, TIMEOUT_UNITS)
    finally:
        os.close(descriptor)
