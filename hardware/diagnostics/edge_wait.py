"""Waiting for edges and for a person's Enter at once.

The one rule: whoever reports an edge never waits.
"""

import os
import select
from collections import deque

from hardware.diagnostics.bounce import Edge


class Attention:
    """All the waiting of somebody who watches buttons."""

    def __init__(self, keyboard: int | None = None) -> None:
        """Nothing has happened yet.

        Args:
            keyboard: a descriptor, readable when the person is done; None: nobody is there.
        """
        self._keyboard = keyboard
        self._edges: deque[Edge] = deque()
        self._call = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)

    def report(self, edge: Edge) -> None:
        """An edge; from any thread."""
        self._edges.append(edge)
        os.eventfd_write(self._call, 1)

    def wait(self, limit_s: float | None) -> bool:
        """Wait for an edge or for Enter, at most for a while (None: for ever).

        Returns:
            Whether it was Enter, or the end of the input.
        """
        poll = select.poll()
        poll.register(self._call, select.POLLIN)
        if self._keyboard is not None:
            poll.register(self._keyboard, select.POLLIN)
        ready = {number for number, _ in poll.poll(None if limit_s is None else limit_s * 1000)}
        if self._call in ready:
            os.eventfd_read(self._call)
        return self._keyboard in ready

    def taken(self) -> list[Edge]:
        """The edges since the last time."""
        return [self._edges.popleft() for _ in range(len(self._edges))]

    def close(self) -> None:
        """Nobody reports any more."""
        os.close(self._call)
