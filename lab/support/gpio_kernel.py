"""A fake kernel with GPIO chips for the pin factory on libgpiod; nothing is patched.

Its lines have levels, pulls, wires and outside drivers. A request has its settings, a bounded queue
that drops its oldest edge, sequence numbers, and a descriptor that is readable while edges wait, so
that real threads really wait. Enumerations, settings and events are those of the real gpiod.
"""

import os
import struct
from collections import deque
from collections.abc import Iterable
from datetime import timedelta
from errno import EBUSY, EINVAL, ENODEV, ENOTTY
from pathlib import Path
from threading import RLock
from typing import Self, cast

import gpiod
from gpiod.line import Bias, Direction, Drive, Value
from gpiod.line import Clock as EventClock
from gpiod.line import Edge as Detection

from gpiozero_gpiod.inherited import Config, InheritedRequest

LEVELS_OF_PULLS = {Bias.PULL_UP: 1, Bias.PULL_DOWN: 0}
SEEN = {1: (Detection.RISING, Detection.BOTH), 0: (Detection.FALLING, Detection.BOTH)}


EDGES = {  # GPIO_V2_LINE_FLAG_EDGE_RISING and _FALLING
    0: Detection.NONE,
    1 << 4: Detection.RISING,
    1 << 5: Detection.FALLING,
    1 << 4 | 1 << 5: Detection.BOTH,
}
KIND = "eventfd-id"
PULLS = {0: Bias.AS_IS, 1 << 8: Bias.PULL_UP, 1 << 9: Bias.PULL_DOWN, 1 << 10: Bias.DISABLED}


def decoded(data: bytes) -> gpiod.LineSettings:
    """Decode a struct gpio_v2_line_config for one line."""
    flags, number = struct.unpack_from("=QI", data)
    attributes = [struct.unpack_from("=IIQQ", data, 32 + 24 * at) for at in range(number)]
    assert all((padding, mask) == (0, 1) for _, padding, _, mask in attributes)
    values = {kind: value for kind, _, value, _ in attributes}
    if flags & 1 << 3:
        assert flags == 1 << 3
        level = Value.ACTIVE if values.pop(2) else Value.INACTIVE
        assert not values
        return gpiod.LineSettings(direction=Direction.OUTPUT, output_value=level)
    assert flags & 1 << 2
    assert not flags & ~(7 << 8 | 7 << 3 | 1 << 2)
    debounce_us = values.pop(3, 0)
    assert not values
    return gpiod.LineSettings(
        direction=Direction.INPUT,
        edge_detection=EDGES[flags & (1 << 4 | 1 << 5)],
        bias=PULLS[flags & (7 << 8)],
        debounce_period=timedelta(microseconds=debounce_us),
    )


def same_file(one: int, other: int) -> bool:
    """Return whether two descriptors are of one eventfd."""
    mine, others = (
        [line for line in Path(f"/proc/self/fdinfo/{fd}").read_text().splitlines() if KIND in line]
        for fd in (one, other)
    )
    return mine == others != []


class FakeRequest:
    """A claimed line; see `gpiod.LineRequest`."""

    def __init__(
        self, kernel: "FakeKernel", offset: int, settings: gpiod.LineSettings, room: int
    ) -> None:
        self.offset = offset
        self.settings = settings
        self.seqno = 0
        self.consumer = ""
        self.gone = False
        self.held: int | None = None  # a copy of the descriptor, when a service manager has one
        self.fd = os.eventfd(0)
        self._kernel = kernel
        self._edges: deque[gpiod.EdgeEvent] = deque(maxlen=room)
        self.reconfigured = 0

    def get_value(self, line: int | str) -> Value:
        """Return the line's level."""
        assert line == self.offset
        return Value.ACTIVE if self._kernel.level(self.offset) else Value.INACTIVE

    def set_value(self, line: int | str, value: Value) -> None:
        """Drive the output."""
        assert line == self.offset
        assert self.settings.direction is Direction.OUTPUT
        self.settings.output_value = value
        self._kernel.settle()

    def reconfigure_lines(self, config: Config) -> None:
        """Take other settings; edges that wait stay."""
        [(line, settings)] = config.items()
        assert line == self.offset
        assert settings is not None
        if settings.direction is Direction.OUTPUT and settings.edge_detection is not Detection.NONE:
            raise OSError(EINVAL, "Invalid argument")
        self.settings = settings
        self.reconfigured += 1
        self._kernel.settle()

    def end(self) -> None:
        """End it: the last process that had its descriptor has closed it."""
        del self._kernel.requests[self.offset]
        self._kernel.settle()

    def read_edge_events(self, max_events: int | None = None) -> list[gpiod.EdgeEvent]:
        """Return the edges that wait; the kernel would block here if there are none."""
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
        """Give the line back, unless a service manager has its descriptor too."""
        os.close(self.fd)
        if self.held is None:
            del self._kernel.requests[self.offset]
        else:
            self.fd = self.held
        self._kernel.settle()

    def note(self, level: int, at_ns: int) -> None:
        """Queue an edge, as the interrupt does."""
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

    def vanish(self) -> None:
        """Unplug the chip."""
        self.gone = True
        os.eventfd_write(self.fd, 1)


class FakeChip:
    """An open chip; see `gpiod.Chip`."""

    def __init__(self, kernel: "FakeKernel", label: str) -> None:
        self._kernel = kernel
        self._label = label

    def __enter__(self) -> Self:
        self._kernel.open_chips += 1
        return self

    def __exit__(self, *_: object) -> None:
        self._kernel.open_chips -= 1

    def get_info(self) -> gpiod.ChipInfo:
        """Return its label."""
        return gpiod.ChipInfo("gpiochip", self._label, 54)

    def get_line_info(self, line: int | str) -> gpiod.LineInfo:
        """Return who uses a line."""
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
        if self._kernel.refused is not None:
            raise self._kernel.refused
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
        self.refused: OSError | None = None  # why no line can be claimed
        self.open_chips = 0
        self.now_ns = 1_000
        self._outside: dict[int, int] = {}
        self._wires: list[frozenset[int]] = []
        self._levels: dict[int, int] = {}

    def open_chip(self, path: str) -> gpiod.Chip:
        """Be called in the place of gpiod.Chip."""
        label = self.chips[path.rpartition("/")[2]]
        if isinstance(label, OSError):
            raise label
        return cast("gpiod.Chip", FakeChip(self, label))

    def inherit(self, descriptor: int, offset: int) -> InheritedRequest:
        """Return the request of a descriptor that a former program has left."""
        return InheritedRequest(descriptor, offset, control=self.control, read=self.read)

    def control(self, descriptor: int, code: int, data: bytes) -> bytes:
        """Stand for ioctl; written from `linux/gpio.h`, not from the code under test."""
        request = self._requested(descriptor)
        if code == 0xC010B40E:  # GPIO_V2_LINE_GET_VALUES_IOCTL
            return struct.pack("=QQ", self.level(request.offset), 1)
        if code == 0xC010B40F:  # GPIO_V2_LINE_SET_VALUES_IOCTL
            bits, mask = struct.unpack("=QQ", data)
            assert mask == 1
            request.set_value(request.offset, Value.ACTIVE if bits else Value.INACTIVE)
            return data
        assert code == 0xC110B40D  # GPIO_V2_LINE_SET_CONFIG_IOCTL
        request.reconfigure_lines({request.offset: decoded(data)})
        return data

    def read(self, descriptor: int, size: int) -> bytes:
        """Stand for os.read; return whole events, of 48 bytes."""
        assert size >= 48  # the kernel refuses to read less
        events = self._requested(descriptor).read_edge_events(size // 48)
        return b"".join(
            struct.pack(
                "=QIIII24x",
                event.timestamp_ns,
                1 if event.event_type is gpiod.EdgeEvent.Type.RISING_EDGE else 2,
                event.line_offset,
                event.global_seqno,
                event.line_seqno,
            )
            for event in events
        )

    def _requested(self, descriptor: int) -> FakeRequest:
        """Return the request of a descriptor, or of a copy of it."""
        for request in self.requests.values():
            if same_file(request.fd, descriptor):
                return request
        raise OSError(ENOTTY, "Inappropriate ioctl for device")

    def drive(self, offset: int, level: int, at_ns: int | None = None) -> None:
        """Put a level on a line, as a button or another chip does."""
        self.now_ns = self.now_ns + 1_000 if at_ns is None else at_ns
        self._outside[offset] = level
        self.settle()

    def press(self, offset: int, at_ns: int | None = None) -> None:
        """Press a button: it connects its line to ground."""
        self.drive(offset, 0, at_ns)

    def release(self, offset: int, at_ns: int | None = None) -> None:
        """Release a button: the pull decides."""
        self.now_ns = self.now_ns + 1_000 if at_ns is None else at_ns
        self._outside.pop(offset, None)
        self.settle()

    def wire(self, *offsets: int) -> None:
        """Connect lines."""
        self._wires.append(frozenset(offsets))
        self.settle()

    def level(self, offset: int) -> int:
        """Return a line's level: an output decides, then the outside, then a pull."""
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
        """Queue edges of the lines whose levels have changed."""
        with self.lock:
            for offset, request in list(self.requests.items()):
                level = self.level(offset)
                if level != self._levels.get(offset, 0):
                    self._levels[offset] = level
                    request.note(level, self.now_ns)


class Manager:
    """A service manager that keeps descriptors; see sd_pid_notify_with_fds(3)."""

    def __init__(self, kernel: FakeKernel) -> None:
        self.kept: dict[str, int] = {}
        self.messages: list[tuple[str, str]] = []
        self._kernel = kernel

    def tell(self, act: str, name: str, descriptors: tuple[int, ...]) -> bool:
        """Receive a message."""
        self.messages.append((act, name))
        request = self._kernel.requests[int(name.removeprefix("gpio"))]
        if act == "FDSTORE=1":
            [descriptor] = descriptors
            assert same_file(descriptor, request.fd)
            self.kept[name] = os.dup(descriptor)
            request.held = os.dup(descriptor)
        else:
            assert act == "FDSTOREREMOVE=1"
            os.close(self.kept.pop(name))
        return True

    def passed(self) -> dict[str, int]:
        """Return copies of what is kept, for the next process; the last one has ended."""
        for request in self._kernel.requests.values():
            if request.held is not None:
                request.fd = request.held
        return {name: os.dup(descriptor) for name, descriptor in self.kept.items()}

    def stop(self) -> None:
        """Stop the service for good."""
        for name, descriptor in self.kept.items():
            os.close(descriptor)
            self._kernel.requests[int(name.removeprefix("gpio"))].end()
        self.kept.clear()


class StampClock:
    """A raw clock that is the clock of the stamps."""

    def __init__(self) -> None:
        self.ns = 0

    def now_ns(self) -> int:
        """Return the instant that the test has set."""
        return self.ns

    def raw_of(self, stamp_ns: int) -> int:
        """Return the stamp: it is of this clock."""
        return stamp_ns
