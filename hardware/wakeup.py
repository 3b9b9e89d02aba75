"""Wait for file descriptors, with a way for other threads to end the wait."""

import os
import select
from collections.abc import Mapping
from contextlib import suppress

NO_DESCRIPTORS: Mapping[int, int] = {}
PIPE_BYTES = 1 << 16  # of a pipe's buffer, on Linux and on macOS


class Wakeup:
    """A wait that `wake` ends. One thread waits; any thread or signal handler may wake it."""

    def __init__(self) -> None:
        self._reader, self._writer = os.pipe()  # macOS, for the simulated clock, has no eventfd
        for end in (self._reader, self._writer):
            os.set_blocking(end, False)

    def wake(self) -> None:
        """End the present wait, or the next one if there is none; never waits."""
        with suppress(BlockingIOError):  # it is full: the wait will end
            os.write(self._writer, b".")

    def wait(
        self, timeout_s: float | None = None, descriptors: Mapping[int, int] = NO_DESCRIPTORS
    ) -> dict[int, int] | None:
        """Wait until a descriptor is ready, or until woken.

        Args:
            timeout_s: how long to wait at most, in seconds; None for no limit.
            descriptors: what to wait for on each, such as `select.POLLIN`.

        Returns:
            The events of the descriptors that are ready, none of them if it was only woken; None
            if the time is over.
        """
        poll = select.poll()
        poll.register(self._reader, select.POLLIN)
        for descriptor, events in descriptors.items():
            poll.register(descriptor, events)
        ready = dict(poll.poll(None if timeout_s is None else timeout_s * 1000))
        if not ready:
            return None
        if ready.pop(self._reader, 0):
            os.read(self._reader, PIPE_BYTES)
        return ready

    def close(self) -> None:
        """Give the descriptors back; do not wait or wake afterwards."""
        os.close(self._reader)
        os.close(self._writer)
