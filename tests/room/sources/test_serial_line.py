"""A clock on a serial line: backlog, heartbeats, noise, unplugging."""

import os
import pty
import threading
import tty
from collections.abc import Iterator
from itertools import pairwise
from queue import SimpleQueue
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from serial import SerialException

from clock.eventlog.codec import Chain, heartbeat_line
from lab.support.examples import examples
from lab.support.logs import forged, monkey_logs
from room.lines.events import ClockHeard, LinesRead, Place, SourceEvent, TroubleChanged
from room.sources.serial_line import (
    LONGEST_LINE,
    NOISE_BYTES,
    SerialLine,
    SerialReader,
    heartbeat_of,
    open_port,
)

LOG = max(monkey_logs(3, 60), key=len)
BYTES = b"".join(line + b"\n" for line in LOG)
PLACE = Place("port", "/dev/ttyUSB0", is_file=False)
HEARTBEAT = heartbeat_line(1, "boot", 5000, Chain("play-1", "boot", 7), ["log"])


def read(*parts: bytes) -> list[SourceEvent]:
    """What the bytes of a connection tell, in the parts in which they arrive."""
    reader = SerialReader(PLACE)
    return [message for at, part in enumerate(parts) for message in reader.read(part, at)]


def lines(told: list[SourceEvent]) -> list[bytes]:
    return [line for each in told if isinstance(each, LinesRead) for line in each.lines]


@given(st.lists(st.integers(1, len(BYTES) - 1)))
@hypothesis_settings(max_examples=examples(200))
def test_lines_are_whole_wherever_the_bytes_are_cut(cuts: list[int]) -> None:
    bounds = [0, *sorted(cuts), len(BYTES)]
    parts = [BYTES[begin:end] for begin, end in pairwise(bounds)]
    assert lines(read(*parts)) == LOG


def test_the_lines_after_a_heartbeat_are_live() -> None:
    told = read(LOG[0] + b"\n" + HEARTBEAT + LOG[1] + b"\n", LOG[2] + b"\n")
    assert [each.live for each in told if isinstance(each, LinesRead)] == [False, True, True]
    assert lines(told) == LOG[:3]


def test_a_heartbeat_is_heard() -> None:
    assert read(HEARTBEAT)[0] == ClockHeard(PLACE, 0, "boot", 5000, "play-1", 7, ("log",))


@pytest.mark.parametrize(
    "noise",
    [
        b"\x00\xff\xfe\x80" * 9,
        b"$GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,*47\r",
        b'{"temperature": 21.5}',
        b'{"v":2,"seq":1',
        LOG[1][: len(LOG[1]) // 2],
        LOG[1][1:],
        b'{"heartbeat":"often"}',
        b'{"heartbeat":' + b"[" * 5000,
        forged(LOG, 1, lambda fields: fields.update(wall="x" * LONGEST_LINE))[1],
    ],
)
def test_noise_is_dropped(noise: bytes) -> None:
    assert lines(read(LOG[0] + b"\n" + noise + b"\n" + LOG[1] + b"\n")) == LOG[:2]


def test_carriage_returns_are_dropped() -> None:
    assert lines(read(LOG[0] + b"\r\n" + LOG[1] + b"\r\n")) == LOG[:2]


def test_endless_noise_is_told_and_takes_no_memory() -> None:
    """Another device, or another speed; lines after it are told, and that it is over."""
    reader = SerialReader(PLACE)
    told = [each for _ in range(200) for each in reader.read(b"\xaa" * 4096, 0)]
    assert [type(each) for each in told] == [TroubleChanged]
    assert len(reader._splitter._rest) <= LONGEST_LINE
    again = reader.read(b"\n" + LOG[0] + b"\n", 0)
    assert lines(again) == LOG[:1]
    assert again[1:] == [TroubleChanged(PLACE, "")]
    assert lines(again := reader.read(LOG[1] + b"\n", 0)) == LOG[1:2]
    assert len(again) == 1


def test_a_little_noise_is_no_trouble() -> None:
    assert read(b"x" * (NOISE_BYTES - 1)) == []


@given(st.binary(max_size=200))
@hypothesis_settings(max_examples=examples(200))
def test_any_bytes_are_read(noise: bytes) -> None:
    assert heartbeat_of(noise) is None
    read(noise, b'{"heartbeat":' + noise + b"\n")


# --- with a port ------------------------------------------------------------------------------


class Port(NamedTuple):
    """A clock's end of a line, and what the other end tells."""

    clock: int
    line: SerialLine
    told: "SimpleQueue[SourceEvent]"

    def next(self, kind: type[SourceEvent]) -> SourceEvent:
        while not isinstance(message := self.told.get(timeout=60), kind):
            pass
        return message


class Plug:
    """A port that is pulled out with what it has sent still to be read, as a connection may be."""

    def __init__(self, sent: bytes) -> None:
        self._sent = sent

    @property
    def in_waiting(self) -> int:
        """At the end too: there is something to find out."""
        return 1

    def read(self, size: int) -> bytes:
        """Bytes, and an error after the last one."""
        if not self._sent:
            raise SerialException("disconnected")
        data, self._sent = self._sent[:size], self._sent[size:]
        return data

    def close(self) -> None:
        """Nothing to give back."""


def test_what_came_before_a_port_was_unplugged_is_told() -> None:
    told: SimpleQueue[SourceEvent] = SimpleQueue()
    sent = [BYTES, b"\n" + BYTES]
    line = SerialLine("port", 9600, lambda: 0, lambda port, baud: Plug(sent.pop()))  # type: ignore[arg-type, return-value]
    line.start(told.put)
    found = [told.get(timeout=60)]
    while sum(isinstance(each, TroubleChanged) and bool(each.what) for each in found) < 2:
        found.append(told.get(timeout=60))
    line.close()
    assert lines(found) == [*LOG, *LOG]


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[Port]:
    """A serial port on a pseudo-terminal that can be unplugged."""
    monkeypatch.setattr("room.sources.serial_line.READ_S", 0.01)
    monkeypatch.setattr("room.sources.serial_line.FIRST_REOPEN_S", 0.01)
    clock, other = pty.openpty()
    tty.setraw(other)
    told: SimpleQueue[SourceEvent] = SimpleQueue()
    line = SerialLine(os.ttyname(other), 115200, lambda: 0)
    line._retry_s = 9
    line.start(told.put)
    assert line._port in {each.name for each in threading.enumerate()}
    yield Port(clock, line, told)
    line.close()
    assert line._port not in {each.name for each in threading.enumerate()}
    os.close(clock)
    os.close(other)


def test_a_port_is_read(port: Port) -> None:
    name = port.line._port
    assert port.next(TroubleChanged) == TroubleChanged(Place(name, name, is_file=False), "")
    with pytest.raises(SerialException):
        open_port(name, 115200)  # a second program would take half of the bytes
    os.write(port.clock, LOG[0] + b"\n")
    assert lines([port.next(LinesRead)]) == LOG[:1]
    os.write(port.clock, HEARTBEAT)
    assert port.next(ClockHeard)
    assert port.line._retry_s == 0.01  # as after each opening


def test_a_missing_port_is_told_and_tried_less_and_less(monkeypatch: pytest.MonkeyPatch) -> None:
    told, waited = list[SourceEvent](), list[float]()
    line = SerialLine("/dev/no-such-port", 115200, lambda: 0)
    monkeypatch.setattr(line._stopping, "wait", waited.append)
    monkeypatch.setattr(line._stopping, "is_set", lambda: len(waited) == 4)
    line._run(told.append)
    assert waited == [0.5, 1, 2, 2]
    what = {each.what[:38] for each in told if isinstance(each, TroubleChanged)}
    assert what == {"/dev/no-such-port: could not open port"}
