"""A kernel with GPIO chips, as far as the pin factory on libgpiod can tell: nothing is patched.

Its lines have levels, pulls, wires and what drives them from outside. A request has its settings,
a bounded queue that drops its oldest edge, sequence numbers, and a descriptor that is readable
while edges wait, so that real threads really wait. The real gpiod's enumerations, settings and
events are used.
"""

import os
from collections import deque
from collections.abc import Iterable
from errno import EBUSY, EINVAL, ENODEV
from threading import RLock
from types import TracebackType
from typing import Self

import gpiod
from gpiod.line import Bias, Direction, Drive, Value
from gpiod.line import Clock as EventClock
from gpiod.line import Edge as Detection

from hardware.gpiod_chip import Config

LEVELS_OF_PULLS = {Bias.PULL_UP: 1, Bias.PULL_DOWN: 0}
SEEN = {1: (Detection.RISING, Detection.BOTH), 0: (Detection.FALLING, Detection.BOTH)}


class FakeRequest:
    """A line that somebody has claimed; see `gpiod.LineRequest`."""

    def __init__(
        self, kernel: "FakeKernel", offset: int, settings: gpiod.LineSettings, room: int
    ) -> None:
        self.offset = offset
        self.settings = settings
        self.seqno = 0
        self.consumer = ""
        self.gone = False
        self.fd = os.eventfd(0)
        self._kernel = kernel
        self._edges: deque[gpiod.EdgeEvent] = deque(maxlen=room)
        self.reconfigured = 0

    def get_value(self, line: int | str) -> Value:
        """The line's level."""
        assert line == self.offset
        return Value.ACTIVE if self._kernel.level(self.offset) else Value.INACTIVE

    def set_value(self, line: int | str, value: Value) -> None:
        """Drive the output."""
        assert line == self.offset
        assert self.settings.direction is Direction.OUTPUT
        self.settings.output_value = value
        self._kernel.settle()

    def reconfigure_lines(self, config: Config) -> None:
        """Take other settings; what waits stays."""
        [(line, settings)] = config.items()
        assert line == self.offset
        assert settings is not None
        if settings.direction is Direction.OUTPUT and settings.edge_detection is not Detection.NONE:
            raise OSError(EINVAL, "Invalid argument")
        self.settings = settings
        self.reconfigured += 1
        self._kernel.settle()

    def read_edge_events(self, max_events: int | None = None) -> list[gpiod.EdgeEvent]:
        """What waits; the kernel would block here if there is none and it may."""
        with self._kernel.lock:
            if self.gone:
                raise OSError(ENODEV, "No such device")
            if not self._edges:
                assert not os.get_blocking(self.fd), "this would wait for an edge"
                raise BlockingIOError
            events = [self._edges.popleft() for _ in range(min(len(self._edges), max_events or 64))]
            if not self._edges:
                os.eventfd_read(self.fd)
            return events

    def release(self) -> None:
        """Give the line back."""
        del self._kernel.requests[self.offset]
        os.close(self.fd)
        self._kernel.settle()

    def note(self, level: int, at_ns: int) -> None:
        """An edge, in the interrupt."""
        if self.settings.edge_detection not in SEEN[level]:
            return
        kind = (
            gpiod.EdgeEvent.Type.RISING_EDGE if level else gpiod.EdgeEvent.Type.FALLING_EDGE
        ).value
        with self._kernel.lock:
            self.seqno += 1
            if not self._edges:
                os.eventfd_write(self.fd, 1)
            self._edges.append(gpiod.EdgeEvent(kind, at_ns, self.offset, self.seqno, self.seqno))

    def shrink(self, room: int) -> None:
        """Have a queue of another length."""
        self._edges = deque(self._edges, maxlen=room)

    def vanish(self) -> None:
        """The chip is unplugged."""
        self.gone = True
        os.eventfd_write(self.fd, 1)


class FakeChip:
    """A chip that somebody has opened; see `gpiod.Chip`."""

    def __init__(self, kernel: "FakeKernel", label: str) -> None:
        self._kernel = kernel
        self._label = label

    def __enter__(self) -> Self:
        self._kernel.open_chips += 1
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._kernel.open_chips -= 1

    def get_info(self) -> gpiod.ChipInfo:
        """Its label."""
        return gpiod.ChipInfo("gpiochip", self._label, 54)

    def get_line_info(self, line: int | str) -> gpiod.LineInfo:
        """Who uses a line."""
        request = self._kernel.requests[int(line)]
        return gpiod.LineInfo(
            request.offset,
            f"GPIO{line}",
            True,
            request.consumer,
            request.settings.direction.value,
            False,
            request.settings.bias.value,
            Drive.PUSH_PULL.value,
            request.settings.edge_detection.value,
            EventClock.MONOTONIC.value,
            False,
            0,
        )

    def request_lines(
        self, config: Config, consumer: str | None = None, event_buffer_size: int | None = None
    ) -> FakeRequest:
        """Claim one line."""
        [(line, settings)] = config.items()
        assert isinstance(line, int)
        assert settings is not None
        if line in self._kernel.requests:
            raise OSError(EBUSY, "Device or resource busy")
        request = FakeRequest(self._kernel, line, settings, event_buffer_size or 16)
        request.consumer = consumer or ""
        self._kernel.requests[line] = request
        self._kernel.settle()
        return request


class FakeKernel:
    """All chips; their lines are those of the header."""

    def __init__(self, chips: Iterable[tuple[str, str | OSError]]) -> None:
        self.lock = RLock()
        self.chips = dict(chips)  # names of devices to labels, or why they cannot be opened
        self.requests: dict[int, FakeRequest] = {}
        self.open_chips = 0
        self.now_ns = 1_000
        self._outside: dict[int, int] = {}
        self._wires: list[frozenset[int]] = []
        self._levels: dict[int, int] = {}

    def open_chip(self, path: str) -> FakeChip:
        """In the place of gpiod.Chip."""
        label = self.chips[path.rpartition("/")[2]]
        if isinstance(label, OSError):
            raise label
        return FakeChip(self, label)

    def drive(self, offset: int, level: int, at_ns: int | None = None) -> None:
        """A button or another chip puts a level on a line."""
        self.now_ns = self.now_ns + 1_000 if at_ns is None else at_ns
        self._outside[offset] = level
        self.settle()

    def press(self, offset: int, at_ns: int | None = None) -> None:
        """A button connects a line to ground."""
        self.drive(offset, 0, at_ns)

    def let_go(self, offset: int, at_ns: int | None = None) -> None:
        """It does not any more: the pull decides."""
        self.now_ns = self.now_ns + 1_000 if at_ns is None else at_ns
        self._outside.pop(offset, None)
        self.settle()

    def wire(self, *offsets: int) -> None:
        """Connect lines."""
        self._wires.append(frozenset(offsets))
        self.settle()

    def level(self, offset: int) -> int:
        """Of a line: an output decides, then what is outside, then a pull; else it stays."""
        lines = next((wire for wire in self._wires if offset in wire), frozenset([offset]))
        settings = [self.requests[line].settings for line in lines if line in self.requests]
        outputs = [one for one in settings if one.direction is Direction.OUTPUT]
        outside = [self._outside[line] for line in lines if line in self._outside]
        pulls = [one.bias for one in settings if one.bias in LEVELS_OF_PULLS]
        if outputs:
            return int(bool(outputs[0].output_value))
        if outside:
            return outside[0]
        return LEVELS_OF_PULLS[pulls[0]] if pulls else self._levels.get(offset, 0)

    def settle(self) -> None:
        """Something has changed: the lines whose levels differ by that have edges."""
        with self.lock:
            for offset, request in list(self.requests.items()):
                level = self.level(offset)
                if level != self._levels.get(offset, 0):
                    self._levels[offset] = level
                    request.note(level, self.now_ns)
