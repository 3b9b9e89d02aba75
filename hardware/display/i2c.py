"""The way to a panel: an I2C bus of this computer, which is not waited for as long as it likes.

On a bus that hangs, a wire held down by a broken panel say, the kernel gives up each transfer after
a second, and a program that is in one cannot even end. So its patience is set to what a transfer
can need: a whole picture takes 94 ms at 100 kHz, and 150 ms where an idle Pi makes 62 kHz of that.
The kernel counts from one system call to its end, so no more than that goes into one.

The one rule: a bus whose patience cannot be set is used all the same.
"""

import errno
import fcntl
import os
from contextlib import suppress
from typing import Final

import luma.core.error
from luma.core.interface.serial import i2c

from hardware.display.panel import Wire

TIMEOUT: Final = 0x0702  # I2C_TIMEOUT of linux/i2c-dev.h: of the bus, whoever uses it
PATIENCE: Final = 20  # in the kernel's unit, which is 10 ms
PATIENCE_S: Final = PATIENCE / 100


class PanelWire(i2c):  # type: ignore[misc]
    """Luma's interface, with control bytes left to whoever sends."""

    def send(self, message: bytes) -> None:
        """Send a message in one transfer, one system call.

        Raises:
            luma.core.error.DeviceNotFoundError: it was not acknowledged, as luma says of a command.
            OSError: anything else.
        """
        try:
            self._bus.i2c_rdwr(self._i2c_msg_write(self._addr, message))
        except OSError as error:
            if error.errno not in {errno.EREMOTEIO, errno.EIO}:
                raise
            what = f"I2C device not found on address: 0x{self._addr:02X}"
            raise luma.core.error.DeviceNotFoundError(what) from error


def connect(bus: int, address: int) -> Wire:
    """Opens a wire to the panel at an address of a bus.

    Raises:
        luma.core.error.Error, OSError: there is no such bus, or it may not be opened.
    """
    wire = PanelWire(port=bus, address=address)
    with suppress(OSError):
        limit(f"/dev/i2c-{bus}")
    return wire


def limit(device: str) -> None:
    """Has the kernel give up a transfer on a bus after `PATIENCE_S`."""
    descriptor = os.open(device, os.O_RDWR | os.O_CLOEXEC)
    try:
        fcntl.ioctl(descriptor, TIMEOUT, PATIENCE)
    finally:
        os.close(descriptor)
