"""A serial port that is only written to: opened, set up, and written to as far as it takes more.

The one rule: a write takes what the port takes at once and says how much that was.
"""

import os
import termios
from io import UnsupportedOperation

from serial import Serial, serial_for_url

WRITE_S = 0.2  # of one write where readiness cannot be waited for; 0 would never return (pyserial)

# An unplugged port raises OSError here and termios.error there; ValueError: no such kind of port.
FAILURES = (OSError, termios.error, ValueError)


def open_port(port: str, baud: int) -> Serial:
    """A port that no other program uses.

    DTR and RTS stay as opening leaves them, both on. Taking one away resets the boards that
    are wired to be reset by them (ESP32), and some others talk only while DTR is on.

    Raises:
        OSError, termios.error, ValueError: it is not there, or no port.
    """
    return serial_for_url(port, baud, exclusive=True, write_timeout=WRITE_S)


def settle(descriptor: int | None) -> None:
    """Have a terminal ignore breaks, and keep DTR on when it is closed.

    Opening it again then changes no line, and an Arduino is not reset by it; only by the very first
    opening after plugging in, which is the kernel's.
    """
    if descriptor is not None and os.isatty(descriptor):
        attributes = termios.tcgetattr(descriptor)
        attributes[0] |= termios.IGNBRK
        attributes[2] &= ~termios.HUPCL
        termios.tcsetattr(descriptor, termios.TCSANOW, attributes)


def descriptor(port: Serial) -> int | None:
    """What can be waited for; None for the kinds of URL that have nothing."""
    try:
        return port.fileno()
    except UnsupportedOperation:
        return None


def write(port: Serial, descriptor: int | None, data: bytes) -> int:
    """How many bytes the port took. pyserial's `write` would not say, and spin on a full port."""
    if descriptor is None:
        return port.write(data) or 0
    return os.write(descriptor, data)


def reason(error: Exception) -> str:
    """What went wrong, in the system's words."""
    number = getattr(error, "errno", None)
    return str(error.args[-1]) if number is None else os.strerror(number)
