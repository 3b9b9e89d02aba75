"""The buttons that the doctor tests, and the queue of their edges."""

import select
from collections import deque
from typing import NamedTuple

from gpiozero.pins import Factory

from hardware.buttons.contact import Contact, nanoseconds
from hardware.diagnostics.bounce import ContactEdge
from hardware.wakeup import Wakeup


class WiredButton(NamedTuple):
    """A button, and where it is connected."""

    name: str
    pin: int  # BCM number
    contact: Contact


class EdgeQueue:
    """The edges of all buttons; waits for more of them, or for the Enter key."""

    def __init__(self, keyboard: int | None = None) -> None:
        """Begin empty.

        Args:
            keyboard: a file descriptor that is readable when Enter was pressed; None for no
                keyboard.
        """
        self._keyboard = {} if keyboard is None else {keyboard: select.POLLIN}
        self._edges: deque[ContactEdge] = deque()
        self._wakeup = Wakeup()

    def connect(self, name: str, pin: int, factory: Factory) -> WiredButton:
        """Claim a button's pin; its edges come to this queue until its contact is closed.

        Raises:
            gpiozero.GPIOZeroError: the pin does not exist, or is in use.
        """

        def report(at_ns: int, _down: bool) -> None:  # noqa: FBT001 (see `Contact`)
            self.put(ContactEdge(name, at_ns, max(0, nanoseconds(factory.ticks()) - at_ns)))

        return WiredButton(name, pin, Contact(pin, factory, report))

    def put(self, edge: ContactEdge) -> None:
        """Append an edge; may be called from any thread and never waits."""
        self._edges.append(edge)
        self._wakeup.wake()

    def wait(self, timeout_s: float | None) -> bool:
        """Wait for an edge or Enter, for at most `timeout_s` seconds (None: without limit).

        Returns:
            Whether it was Enter, or the end of the input.
        """
        return bool(self._wakeup.wait(timeout_s, self._keyboard))

    def take(self) -> list[ContactEdge]:
        """Remove and return all edges."""
        return [self._edges.popleft() for _ in range(len(self._edges))]

    def close(self) -> None:
        """Free the queue's file descriptor; no edge may be put afterwards."""
        self._wakeup.close()
