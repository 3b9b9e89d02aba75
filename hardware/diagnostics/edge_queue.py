"""The queue between the buttons' pins and the clock's own pipeline, which observes raw edges."""

import select
from collections import deque
from queue import Empty

from hardware.buttons.plungers import ButtonEdge, Clock
from hardware.diagnostics.bounce import ContactEdge
from hardware.system.clocks import RawClock
from hardware.wakeup import Wakeup


class EdgeQueue:
    """The `Arrivals` of `Plungers`: keeps a copy of each edge, and notices the Enter key."""

    def __init__(self, keyboard: int | None = None) -> None:
        """Begin empty; the file descriptor `keyboard` is readable when Enter was pressed."""
        self._keyboard = {} if keyboard is None else {keyboard: select.POLLIN}
        self._arrived: deque[ButtonEdge | None] = deque()
        self._observed: deque[ContactEdge] = deque()
        self._wakeup = Wakeup()
        self.clock: Clock = RawClock()
        """The one that edges are stamped with."""
        self.ended = False
        """Whether Enter was pressed, or the input has ended."""

    def put(self, item: ButtonEdge | None, /) -> None:
        """See `Arrivals`."""
        if item is not None:
            age_ns = max(0, self.clock.now_ns() - item.at_ns)
            self._observed.append(ContactEdge(item.name, item.at_ns, age_ns))
        self._arrived.append(item)
        self._wakeup.wake()

    def get(self, block: bool = True, timeout: float | None = None) -> ButtonEdge | None:  # noqa: FBT001, FBT002 (see `Arrivals`)
        """See `Arrivals`; None also when Enter was pressed."""
        if block and not self._arrived and self.wait(timeout):
            self.ended = True
            return None
        if not self._arrived:
            raise Empty
        return self._arrived.popleft()

    def wait(self, timeout_s: float | None) -> bool:
        """Wait for an edge or Enter, for at most `timeout_s` seconds (None: without limit).

        Returns:
            Whether it was Enter, or the end of the input.
        """
        return bool(self._wakeup.wait(timeout_s, self._keyboard))

    def observed(self) -> list[ContactEdge]:
        """Remove and return the raw edges since the last call."""
        return [self._observed.popleft() for _ in range(len(self._observed))]

    def close(self) -> None:
        """Free the queue's file descriptor; no edge may be put afterwards."""
        self._wakeup.close()
