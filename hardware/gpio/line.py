"""One line of a GPIO chip: claimed, configured, read; and the edges that the kernel has noted.

Each line is a request of its own. The kernel keeps a queue for each request, so a line that
chatters fills only its own; and pins come and go one at a time, which a shared request cannot.

When a queue is full the kernel drops its oldest edge, and the line's sequence numbers show the
gap. So the newest edges, and the level that the last one tells, are always there; what is missing
lies before the first edge after the gap.

The one rule: nothing here waits. A read of an empty queue returns at once.
"""

import os
from threading import RLock
from typing import NamedTuple

import gpiod
from gpiod.line import Direction, Value
from gpiod.line import Edge as Detection
from gpiozero.exc import DeviceClosed

from hardware.gpio.chip import EVENT_BUFFER_SIZE, HeaderChip, Request
from hardware.gpio.kept import KeptLines

RISING = gpiod.EdgeEvent.Type.RISING_EDGE


class Edge(NamedTuple):
    """A change of a line's level."""

    at_ns: int  # CLOCK_MONOTONIC, in the interrupt
    level: int  # 0 or 1, as the kernel read it a little later


class Line:
    """One line; may be used by several threads."""

    def __init__(self, chip: HeaderChip, offset: int, kept: KeptLines) -> None:
        self.lost = 0  # edges that the kernel dropped
        self._chip = chip
        self._offset = offset
        self._kept = kept
        self._lock = RLock()  # libgpiod's objects have none
        self._request: Request | None = None
        self._settings = gpiod.LineSettings()
        self._seqno: int | None = 0  # of the last edge read; None: a former run read it

    @property
    def fd(self) -> int:
        """Readable while edges wait; the line must be claimed."""
        return self._claimed().fd

    @property
    def level(self) -> int:
        """0 or 1, now; the line must be claimed."""
        with self._lock:
            return int(bool(self._claimed().get_value(self._offset)))

    def claim(self, settings: gpiod.LineSettings) -> None:
        """Make it ours, see `HeaderChip.claim`; or take over what a former run has left of it.

        Raises:
            gpiozero.GPIOPinInUse: another program or a driver has it.
            gpiozero.DeviceClosed: the factory has been closed.
        """
        with self._lock:
            found = None if self._chip.closed else self._kept.found(self._offset)
            self._request = found or self._chip.claim(self._offset, settings)
            os.set_blocking(self._request.fd, False)
            self._settings, self._seqno = settings, None if found else 0

    def configure(self, settings: gpiod.LineSettings) -> None:
        """Change it; pulls and levels that stay the same do not waver."""
        with self._lock:
            request = self._claimed()
            request.reconfigure_lines({self._offset: settings})
            self._settings = settings
            if settings.edge_detection is not Detection.NONE:
                self._kept.keep(self._offset, request)
            elif settings.direction is Direction.OUTPUT:
                self._kept.drop(self._offset)

    def drive(self, level: int) -> None:
        """Set the level of an output."""
        with self._lock:
            self._claimed().set_value(self._offset, Value.ACTIVE if level else Value.INACTIVE)

    def read(self) -> list[Edge]:
        """The edges that have been waiting, in their order; none if the line was given back.

        Where some were lost between two that are reported alike, or may have been, one is made up:
        the level was the other one just before the first edge after the gap.

        Raises:
            OSError: the line is gone, with its chip.
        """
        with self._lock:
            return [edge for event in self._events() for edge in self._edges(event)]

    def forget(self) -> None:
        """Throw away the edges that have been waiting."""
        with self._lock:
            for event in self._events():
                self._seqno = event.line_seqno

    def release(self) -> None:
        """Give it back, if it is ours."""
        with self._lock:
            if self._request is not None:
                self._kept.leave(self._offset, self._request)
                self._request.release()
            self._request = None

    def _claimed(self) -> Request:
        if self._request is None:
            raise DeviceClosed(f"pin GPIO{self._offset} is closed")
        return self._request

    def _events(self) -> list[gpiod.EdgeEvent]:
        """All that wait: the buffer holds as many as the kernel's queue."""
        if self._request is None:
            return []
        try:
            return self._request.read_edge_events(EVENT_BUFFER_SIZE)
        except BlockingIOError:
            return []

    def _edges(self, event: gpiod.EdgeEvent) -> list[Edge]:
        level = int(event.event_type is RISING)
        before = event.line_seqno - 1 if self._seqno is None else self._seqno
        lost = max(0, event.line_seqno - before - 1)
        self._seqno = event.line_seqno
        self.lost += lost
        edges = [Edge(event.timestamp_ns, level)]
        if lost and self._settings.edge_detection is Detection.BOTH:
            edges.insert(0, Edge(event.timestamp_ns, 1 - level))
        return edges
