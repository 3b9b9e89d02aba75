"""Wait for items of a queue or for file descriptors; other threads can end each wait."""

import os
import select
from collections.abc import Mapping
from contextlib import suppress
from typing import Protocol, TypeVar

ItemT = TypeVar("ItemT")
NO_DESCRIPTORS: Mapping[int, int] = {}
PIPE_BYTES = 1 << 16  # of a pipe's buffer, on Linux and on macOS


class Mailbox(Protocol[ItemT]):
    """A queue that another thread or a signal handler can fill without waiting."""

    def put(self, item: ItemT, /) -> None:
        """Append an item."""

    def get(self, block: bool = True, timeout: float | None = None) -> ItemT:  # noqa: FBT001, FBT002 (queue.SimpleQueue's)
        """Return the next item; raise `queue.Empty` if none came for `timeout` seconds."""


class Wakeup:
    """A wait that `wake` ends. One thread waits; any thread or signal handler may wake it.

    The one that waits can run at once: whoever wakes it lets go of the interpreter meanwhile, which
    `queue.SimpleQueue` does not.
    """

    def __init__(self) -> None:
        self._reader, self._writer = os.pipe()  # macOS, for the simulated clock, has no eventfd
        self._open = [self._reader, self._writer]
        for end in self._open:
            os.set_blocking(end, False)

    def wake(self) -> None:
        """End the present wait, or the next one if there is none; never waits."""
        with suppress(BlockingIOError):  # it is full: the wait will end
            os.write(self._writer, b".")

    def wait(
        self, timeout_s: float | None = None, descriptors: Mapping[int, int] = NO_DESCRIPTORS
    ) -> dict[int, int] | None:
        """Wait until a descriptor is ready, or until woken; a timeout of None is no limit.

        The descriptors are mapped to what to wait for on each, such as `select.POLLIN`.

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
        while self._open:
            os.close(self._open.pop())

    __del__ = close
