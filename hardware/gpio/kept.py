"""Lines that outlive the program: those that listen to edges are kept by somebody else too.

While the program is being restarted the kernel goes on stamping their edges. Its next run takes the
lines over with all that waits in their queues. A line that drives something is not kept: nobody
would be there to switch it off.

The one rule: nothing is kept until a program asks for it with `GpiodFactory.keep_lines`.
"""

import os
from collections.abc import Callable
from typing import Protocol

from hardware.gpio.chip import Request
from hardware.gpio.inherited import InheritedRequest


class Store(Protocol):
    """Who keeps open files: what is used of `fd_store.FdStore`."""

    def take(self, name: str) -> int | None:
        """The descriptor kept under a name, for the caller to own; None if there is none."""

    def leave(self, name: str, descriptor: int) -> None:
        """It is kept, and not used at present."""

    def keep(self, name: str, descriptor: int) -> bool:
        """Have it kept; whether the message was taken."""

    def drop(self, name: str) -> None:
        """Have it kept no longer."""


Inherit = Callable[[int, int], Request]  # descriptor, offset


class KeptLines:
    """The lines of one factory that are kept."""

    def __init__(self) -> None:
        """None are, so far."""
        self._store: Store | None = None
        self._inherit: Inherit = InheritedRequest
        self._kept: set[int] = set()

    def begin(self, store: Store, inherit: Inherit) -> None:
        """Keep lines from now on, and take over those that were kept."""
        self._store, self._inherit = store, inherit

    def found(self, offset: int) -> Request | None:
        """The request of a line that was kept, taken over; None if it was not."""
        if self._store is None:
            return None
        descriptor = self._store.take(name(offset))
        if descriptor is None:
            return None
        try:
            request = self._inherit(descriptor, offset)
        except OSError:  # its chip was unplugged, or it is none
            os.close(descriptor)
            self._store.drop(name(offset))
            return None
        self._kept.add(offset)
        return request

    def keep(self, offset: int, request: Request) -> None:
        """It listens: keep it, if lines are kept."""
        if self._store is None or offset in self._kept:
            return
        if self._store.keep(name(offset), request.fd):
            self._kept.add(offset)

    def drop(self, offset: int) -> None:
        """It has another purpose now."""
        if self._store is not None and offset in self._kept:
            self._kept.discard(offset)
            self._store.drop(name(offset))

    def leave(self, offset: int, request: Request) -> None:
        """Its pin is being closed; if it is kept it may be taken again."""
        if self._store is not None and offset in self._kept:
            self._kept.discard(offset)
            self._store.leave(name(offset), os.dup(request.fd))


def name(offset: int) -> str:
    """What the line of a BCM number is kept as."""
    return f"gpio{offset}"
