"""Follow a clock by its serial line.

The clock sends its match from the first line when it opens the port, then each new line, and a
heartbeat every ten seconds. The line may be noisy, cut in the middle, unplugged and plugged in
again; what is no whole line of a log or a heartbeat is dropped. Nothing is ever written to it.
"""

import threading
from collections.abc import Callable, Sequence
from contextlib import closing
from typing import Any

import msgspec
from serial import Serial, serial_for_url

from room.lines.events import ClockHeard, Emit, LinesRead, Place, SourceEvent, TroubleChanged
from room.lines.inbox import envelope_of

LONGEST_LINE = 1 << 16  # bytes; a line that restores a match has some thousands
READ_S = 0.5  # how long a read waits; then it is seen whether the program ends
FIRST_REOPEN_S, LAST_REOPEN_S = 0.5, 2.0  # between attempts to open the port; each doubles
NOISE_BYTES = 4096  # without a line of a clock: something else sends, or at another speed
NOISE = "sends something else than the lines of a clock; is the speed right (--baud)?"

Opener = Callable[[str, int], Serial]


class SerialHeartbeat(msgspec.Struct):
    """A line that is in no file (docs/event-log.md)."""

    heartbeat: int
    boot: str
    now_ns: int
    match: str
    seq: int
    warnings: tuple[str, ...] = ()


class Splitter:
    """Cuts what arrives into lines; a part of one waits for its rest."""

    def __init__(self) -> None:
        """Begin; what comes before the first line feed may be the end of a line."""
        self._rest = b""

    def add(self, data: bytes) -> list[bytes]:
        """Return the lines that end in some more bytes, without line feeds."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > LONGEST_LINE:
            self._rest = b""
        return [line.rstrip(b"\r") for line in lines if len(line) <= LONGEST_LINE]


class SerialReader:
    """Turns the bytes of one connection into events."""

    def __init__(self, place: Place) -> None:
        """Begin with the backlog: lines are live after the first heartbeat."""
        self._place = place
        self._splitter = Splitter()
        self._live = False
        self._noise = 0

    def read(self, data: bytes, arrived_ns: int) -> list[SourceEvent]:
        """Return the events in some bytes."""
        events: list[SourceEvent] = []
        lines: list[bytes] = []
        for line in self._splitter.add(data):
            if envelope_of(line) is not None:
                lines.append(line)
            elif (heartbeat := heartbeat_of(line)) is not None:
                events += [*self._lines(lines, arrived_ns), self._heard(heartbeat, arrived_ns)]
                lines, self._live = [], True
        events += self._lines(lines, arrived_ns)
        return [*events, *self._about_noise(data, is_clock=bool(events))]

    def _lines(self, lines: Sequence[bytes], arrived_ns: int) -> list[SourceEvent]:
        if not lines:
            return []
        return [LinesRead(self._place, "", tuple(lines), arrived_ns, live=self._live)]

    def _heard(self, heartbeat: SerialHeartbeat, arrived_ns: int) -> ClockHeard:
        return ClockHeard(
            self._place,
            arrived_ns,
            boot=heartbeat.boot,
            sent_ns=heartbeat.now_ns,
            match=heartbeat.match,
            seq=heartbeat.seq,
            warnings=heartbeat.warnings,
        )

    def _about_noise(self, data: bytes, *, is_clock: bool) -> list[SourceEvent]:
        """Return the trouble that only noise has come for long, or that this is over."""
        was_noisy = self._noise >= NOISE_BYTES
        self._noise = 0 if is_clock else self._noise + len(data)
        is_noisy = self._noise >= NOISE_BYTES
        if is_noisy == was_noisy:
            return []
        return [TroubleChanged(self._place, f"{self._place.source} {NOISE}" if is_noisy else "")]


def heartbeat_of(line: bytes) -> SerialHeartbeat | None:
    """Return a heartbeat; None if a line is none."""
    if b'"heartbeat":' not in line:
        return None
    try:
        return msgspec.json.decode(line, type=SerialHeartbeat)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def open_port(port: str, baud: int) -> Serial:
    """Open a port for this program alone.

    Raises:
        OSError, ValueError: the port is missing, in use, or not a port.
    """
    return serial_for_url(port, baud, timeout=READ_S, exclusive=True)


class SerialLine:
    """A serial port, read by a thread."""

    def __init__(
        self, port: str, baud: int, now_ns: Callable[[], int], opener: Opener = open_port
    ) -> None:
        """Read nothing yet.

        Args:
            port: a device, or a URL of pyserial's.
            baud: bits a second.
            now_ns: the instant on the raw clock.
            opener: opens the port.
        """
        self._port, self._baud, self._now_ns, self._open = port, baud, now_ns, opener
        self._place = Place(port, port, is_file=False)
        self._stopping = threading.Event()
        self._retry_s = FIRST_REOPEN_S
        self._thread: threading.Thread | None = None

    def start(self, emit: Emit) -> None:
        """See `Source`."""
        self._thread = threading.Thread(target=self._run, args=(emit,), name=self._port)
        self._thread.start()

    def close(self) -> None:
        """See `Source`."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self, emit: Emit) -> None:
        while not self._stopping.is_set():
            try:
                with closing(self._open(self._port, self._baud)) as port:
                    emit(TroubleChanged(self._place, ""))
                    self._retry_s = FIRST_REOPEN_S
                    self._read(port, emit)
            except Exception as error:  # noqa: BLE001 (drivers raise termios.error, TypeError...)
                emit(TroubleChanged(self._place, f"{self._port}: {_text(error)}"))
            self._stopping.wait(self._retry_s)
            self._retry_s = min(2 * self._retry_s, LAST_REOPEN_S)

    def _read(self, port: Any, emit: Emit) -> None:
        reader = SerialReader(self._place)
        while not self._stopping.is_set():
            # In one read: what a first one has read would be lost if a second one failed.
            data = port.read(port.in_waiting or 1)
            for message in reader.read(data, self._now_ns()) if data else ():
                emit(message)


def _text(error: Exception) -> str:
    """Return what went wrong, in the system's words: they come after its number."""
    return str(error.args[-1] if error.args else error)
