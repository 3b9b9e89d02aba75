"""A serial port that is only written to, and the wait for it."""

import os
import select
import termios
import threading
import time
from io import UnsupportedOperation

from serial import Serial, SerialException, serial_for_url

from hardware.wakeup import Wakeup

WRITE_TIMEOUT_S = 0.2  # where readiness cannot be waited for; with 0 pyserial would never return
HANGUP = select.POLLERR | select.POLLHUP | select.POLLNVAL | getattr(select, "POLLRDHUP", 0)

# Unplugging raises OSError or termios.error, a URL of an unknown kind ValueError.
PORT_ERRORS = (OSError, termios.error, ValueError)


def open_port(port: str, baud: int) -> Serial:
    """Open a port for this program alone.

    DTR and RTS stay on, as opening leaves them: switching one off resets the boards whose reset is
    wired to it (ESP32), and some devices send and receive only while DTR is on.

    Raises:
        OSError, termios.error, ValueError: the port is missing, in use, or not a port.
    """
    return serial_for_url(port, baud, exclusive=True, write_timeout=WRITE_TIMEOUT_S)


def descriptor(port: Serial) -> int | None:
    """Return the port's file descriptor; None for the kinds of URL that have none."""
    try:
        return port.fileno()
    except UnsupportedOperation:
        return None


def configure(descriptor: int | None) -> None:
    """Make a terminal ignore breaks, and keep DTR on after it is closed.

    Opening it again then changes no line, so an Arduino is reset only by the first opening after
    plugging in, which is the kernel's doing.
    """
    if descriptor is not None and os.isatty(descriptor):
        attributes = termios.tcgetattr(descriptor)
        attributes[0] |= termios.IGNBRK
        attributes[2] &= ~termios.HUPCL
        termios.tcsetattr(descriptor, termios.TCSANOW, attributes)


def write(port: Serial, descriptor: int | None, data: bytes) -> int:
    """Write what the port takes at once; return the number of bytes.

    pyserial's own `write` would spin on a full port, and not return that number.
    """
    if descriptor is None:
        return port.write(data) or 0
    return os.write(descriptor, data)


def error_text(error: Exception) -> str:
    """Return what went wrong, in the system's words."""
    number = getattr(error, "errno", None)
    return str(error.args[-1]) if number is None else os.strerror(number)


class PortWait:
    """The waits of the thread that writes to the port; other threads may end them."""

    def __init__(self) -> None:
        self._wakeup = Wakeup()
        self._stopped = threading.Event()

    def port(self, descriptor: int | None, events: int, timeout_s: float | None) -> int | None:
        """Wait until the port is ready, `wake` is called, or the time is over (None: no limit).

        A port without a descriptor is always ready. The events are `select.POLLOUT`, or 0 to wait
        for `wake` alone.

        Returns:
            The events of the port, 0 if it was only woken, None if the time is over.

        Raises:
            SerialException: the other end was unplugged.
        """
        if descriptor is None and events:
            return events
        wanted = {} if descriptor is None else {descriptor: events | HANGUP}
        ready = self._wakeup.wait(timeout_s, wanted)
        if ready is None:
            return None
        found = sum(ready.values())
        if found & HANGUP:
            raise SerialException("disconnected")
        return found

    def now_ns(self) -> int:
        """Return the instant on the raw clock."""
        return time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)

    def pause(self, seconds: float) -> None:
        """Wait until the time is over, or `stop` is called."""
        self._stopped.wait(seconds)

    def wake(self) -> None:
        """End the present wait for the port, or the next one; never waits."""
        self._wakeup.wake()

    def stop(self) -> None:
        """End the present wait, and from now on every pause at once."""
        self._stopped.set()
        self.wake()

    def close(self) -> None:
        """Give back the descriptor; no thread may wait or wake any more."""
        self._wakeup.close()
