"""All the waiting of the serial line's thread: for the port, for a call, for a while.

The one rule: nothing is polled; a thread with nothing to do is asleep until somebody calls.
"""

import os
import select
import threading
from contextlib import suppress

from serial import SerialException

GONE = select.POLLERR | select.POLLHUP | select.POLLNVAL | getattr(select, "POLLRDHUP", 0)


class Waiting:
    """All the waiting of the thread; nothing else in it lasts."""

    def __init__(self) -> None:
        """Nobody has called yet."""
        self._stopped = threading.Event()
        self._called, self._call = os.pipe()
        os.set_blocking(self._called, False)
        os.set_blocking(self._call, False)

    def port(self, descriptor: int | None, events: int, limit_s: float | None) -> int | None:
        """Wait until a port is ready, or somebody wakes, at most for a while (None: for ever).

        Args:
            descriptor: of the port; None if it has none: then it is always ready.
            events: select.POLLOUT, or 0 to wait for a call alone.
            limit_s: how long.

        Returns:
            The port's events; 0 if it was a call; None if the time is over.

        Raises:
            SerialException: the port's other end has gone.
        """
        if descriptor is None and events:
            return events
        ready = self._poll(descriptor, events, limit_s)
        if ready.pop(self._called, 0):
            os.read(self._called, select.PIPE_BUF)
            ready.setdefault(descriptor, 0)
        if ready.get(descriptor, 0) & GONE:
            raise SerialException("the other end has gone")
        return ready.get(descriptor)

    def pause(self, seconds: float) -> None:
        """Wait for a while, or until stopped."""
        self._stopped.wait(seconds)

    def wake(self) -> None:
        """Have `port` return; from any thread."""
        with suppress(BlockingIOError):  # a full pipe wakes too
            os.write(self._call, b".")

    def stop(self) -> None:
        """Have `port` return, and `pause` from now on."""
        self._stopped.set()
        self.wake()

    def close(self) -> None:
        """Nobody waits any more, and nobody wakes."""
        os.close(self._called)
        os.close(self._call)

    def _poll(
        self, descriptor: int | None, events: int, limit_s: float | None
    ) -> dict[int | None, int]:
        poll = select.poll()
        poll.register(self._called, select.POLLIN)
        if descriptor is not None:
            poll.register(descriptor, events | GONE)
        return dict(poll.poll(None if limit_s is None else limit_s * 1000))
