"""One line of a GPIO chip: claim it, configure it, and read its level and its edges.

Each line is a request of its own, because the kernel keeps a queue of edges for each request. So a
line that chatters fills only its own queue, and pins can be opened and closed one at a time.

When a queue is full the kernel drops the oldest edge, and the sequence numbers show the gap. So the
newest edges, and with them the present level, are always there. Reading never waits.
"""

import os
from threading import RLock
from typing import NamedTuple

import gpiod
from gpiod.line import Direction, Value
from gpiod.line import Edge as Detection
from gpiozero.exc import DeviceClosed

from gpiozero_gpiod.chip import EVENT_BUFFER_SIZE, HeaderChip
from gpiozero_gpiod.inherited import KeptLines, Request

RISING = gpiod.EdgeEvent.Type.RISING_EDGE


class KernelEdge(NamedTuple):
    """A change of a line's level."""

    at_ns: int
    """On CLOCK_MONOTONIC, taken in the interrupt."""
    level: int
    """0 or 1, as the kernel read it a little later."""


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
        self._seqno: int | None = 0  # of the last edge read; None: not known after a restart

    @property
    def fd(self) -> int:
        """Readable while edges wait; the line must be claimed."""
        return self._claimed().fd

    @property
    def level(self) -> int:
        """The present level, 0 or 1; the line must be claimed."""
        with self._lock:
            return int(bool(self._claimed().get_value(self._offset)))

    def claim(self, settings: gpiod.LineSettings) -> None:
        """Claim the line, or take it over from the run before; see `HeaderChip.claim`.

        Raises:
            gpiozero.GPIOPinInUse: another program or a driver has it.
            gpiozero.DeviceClosed: the factory has been closed.
        """
        with self._lock:
            kept = None if self._chip.closed else self._kept.take_over(self._offset)
            self._request = kept or self._chip.claim(self._offset, settings)
            os.set_blocking(self._request.fd, False)
            self._seqno = None if kept else 0

    def configure(self, settings: gpiod.LineSettings) -> None:
        """Change the settings; pulls and levels that stay the same do not waver."""
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

    def read(self) -> list[KernelEdge]:
        """Return the edges that waited, in their order; none if the line is not claimed.

        If edges of both kinds are detected, and some were lost, an opposite edge is inserted before
        the first one after the gap: that is the level which the line must have had.

        Raises:
            OSError: the line is gone, with its chip.
        """
        with self._lock:
            return [edge for event in self._events() for edge in self._edges(event)]

    def forget(self) -> None:
        """Discard the edges that waited."""
        with self._lock:
            for event in self._events():
                self._seqno = event.line_seqno

    def release(self) -> None:
        """Give the line back, if it is claimed."""
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
        """Return all events that wait: the buffer is as large as the kernel's queue."""
        if self._request is None:
            return []
        try:
            return self._request.read_edge_events(EVENT_BUFFER_SIZE)
        except BlockingIOError:
            return []

    def _edges(self, event: gpiod.EdgeEvent) -> list[KernelEdge]:
        level = int(event.event_type is RISING)
        before = event.line_seqno - 1 if self._seqno is None else self._seqno
        lost = max(0, event.line_seqno - before - 1)
        self._seqno = event.line_seqno
        self.lost += lost
        edges = [KernelEdge(event.timestamp_ns, level)]
        if lost and self._settings.edge_detection is Detection.BOTH:
            edges.insert(0, KernelEdge(event.timestamp_ns, 1 - level))
        return edges
