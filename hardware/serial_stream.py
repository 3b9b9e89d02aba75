"""The log's lines on a serial line, for whoever follows a match from outside.

A thread of its own sends them. It keeps the lines of the match in memory: whoever is connected, for
the first time or again, gets the match from its beginning and then what follows, even if the disk
has failed. The lines are numbered (`seq`), so a reader ignores what it has already. A reader that
takes its time is waited for; once more lines wait than are kept, the oldest go, and are counted.

Output only: nothing is ever read, so whatever the other end sends can do nothing.

The one rule: whoever appends a line never waits, whatever has become of the wire.
"""

import os
import select
import termios
import threading
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from io import UnsupportedOperation

from serial import Serial, SerialException, serial_for_url

PART = "serial"  # of the clock, in faults

KEEP_LINES = 20_000  # at most 10 MB; a match to 11 has about a thousand
FIRST_DELAY_S, LONGEST_DELAY_S = 0.5, 8.0  # between two attempts to open the port
CLOSE_S = 1.0  # how long `close` waits for the thread
WRITE_S = 0.2  # of one write where readiness cannot be waited for; 0 would never return (pyserial)

# A port that takes nothing for so long has a reader that does not read. At first it has to send
# what it holds, at most a page of the kernel's (16 KiB on a Pi 5), with 10 bits a byte.
PATIENCE_S = 5.0
HELD_BITS = 16 * 1024 * 10
UNREAD = "nobody reads"

GONE = select.POLLERR | select.POLLHUP | select.POLLNVAL | getattr(select, "POLLRDHUP", 0)
# An unplugged port raises OSError here and termios.error there; ValueError: no such kind of port.
FAILURES = (OSError, termios.error, ValueError)

Opener = Callable[[str, int], Serial]


class Waiting:
    """All the waiting of the thread; nothing else in it lasts."""

    def __init__(self) -> None:
        """Nobody has called yet."""
        self._stopped = threading.Event()
        self._called, self._call = os.pipe()
        os.set_blocking(self._called, False)
        os.set_blocking(self._call, False)

    def port(self, descriptor: int | None, events: int, limit_s: float | None) -> int | None:
        """Wait until a port is ready, or somebody wakes, at most for a while (None: for ever).

        Args:
            descriptor: of the port; None if it has none: then it is always ready.
            events: select.POLLOUT, or 0 to wait for a call alone.
            limit_s: how long.

        Returns:
            The port's events; 0 if it was a call; None if the time is over.

        Raises:
            SerialException: the port's other end has gone.
        """
        if descriptor is None and events:
            return events
        ready = self._poll(descriptor, events, limit_s)
        if ready.pop(self._called, 0):
            os.read(self._called, select.PIPE_BUF)
            ready.setdefault(descriptor, 0)
        if ready.get(descriptor, 0) & GONE:
            raise SerialException("the other end has gone")
        return ready.get(descriptor)

    def pause(self, seconds: float) -> None:
        """Wait for a while, or until stopped."""
        self._stopped.wait(seconds)

    def wake(self) -> None:
        """Have `port` return; from any thread."""
        with suppress(BlockingIOError):  # a full pipe wakes too
            os.write(self._call, b".")

    def stop(self) -> None:
        """Have `port` return, and `pause` from now on."""
        self._stopped.set()
        self.wake()

    def close(self) -> None:
        """Nobody waits any more, and nobody wakes."""
        os.close(self._called)
        os.close(self._call)

    def _poll(
        self, descriptor: int | None, events: int, limit_s: float | None
    ) -> dict[int | None, int]:
        poll = select.poll()
        poll.register(self._called, select.POLLIN)
        if descriptor is not None:
            poll.register(descriptor, events | GONE)
        return dict(poll.poll(None if limit_s is None else limit_s * 1000))


class SerialStream:
    """A serial line that carries the log of each match."""

    def __init__(
        self,
        port: str,
        baud: int,
        missed: Callable[[], Iterable[bytes]],
        *,
        keep: int = KEEP_LINES,
        waiting: Waiting | None = None,
        opened: Opener | None = None,
    ) -> None:
        """Start the thread, whether the port is there or not.

        Args:
            port: a device (/dev/serial/by-id/... finds it wherever it is plugged in) or a URL of
                pyserial's.
            baud: bits a second.
            missed: the lines, with their line feeds, of the match under way when the program
                started. Called once, now, so that no line is appended meanwhile.
            keep: how many lines to keep.
            waiting: where the thread waits.
            opened: opens the port.
        """
        self._port, self._baud, self._keep = port, baud, keep
        self._waiting = Waiting() if waiting is None else waiting
        self._open = open_port if opened is None else opened
        self._lock = threading.Lock()  # of everything down to `_told`, and never for long
        self._lines = deque(missed(), keep)
        self._sent = 0  # how many of them the present reader has been sent,
        self._reached = 0  # and how many any reader
        self._idle = False  # the thread waits to be told of a line
        self._lost, self._tell_at = 0, 1
        self._faults: deque[tuple[str, str | None]] = deque()
        self._told: str | None = None  # the latest of them
        self._delay_s = FIRST_DELAY_S
        # What is still to be sent of a line. The last run may have ended in the middle of one; a
        # line feed keeps it from spoiling the next.
        self._rest = b"\n" if self._lines else b""
        self._closing = False
        self._thread = threading.Thread(target=self._run, name=PART, daemon=True)
        self._thread.start()

    # --- what the clock asks for; never waits -------------------------------------------------

    def append(self, line: bytes) -> None:
        """Have a line sent, with its line feed."""
        with self._lock:
            if len(self._lines) == self._keep:
                self._drop(1)
            self._lines.append(line)
            if self._idle:
                self._idle = False
                self._waiting.wake()

    def begin(self) -> None:
        """A new match begins: forget the lines of the last one."""
        with self._lock:
            self._drop(len(self._lines))

    def faults(self) -> list[tuple[str, str | None]]:
        """What became of the line since last asked: what is wrong, or (None) all is sent again."""
        return [self._faults.popleft() for _ in range(len(self._faults))]

    def close(self) -> None:
        """Send what the port takes at once, and end within a second."""
        if self._closing:
            return
        self._closing = True
        self._waiting.stop()
        self._thread.join(CLOSE_S)
        with self._lock:
            self._idle = False
        if not self._thread.is_alive():
            self._waiting.close()

    # --- the lines; under the lock ------------------------------------------------------------

    def _drop(self, count: int) -> None:
        """The oldest lines go. Lost are those that nobody has been sent."""
        for _ in range(count):
            self._lines.popleft()
        self._lost += max(0, count - self._reached)
        self._sent, self._reached = max(0, self._sent - count), max(0, self._reached - count)
        if self._lost >= self._tell_at:  # each fault is a line itself: 1, 10, 100... are told
            self._tell_at = 10 ** len(str(self._lost))
            self._tell(self._losses())

    def _losses(self) -> str:
        return f"{self._lost} {'line' if self._lost == 1 else 'lines'} lost"

    def _tell(self, what: str | None) -> None:
        if what != self._told:
            self._told = what
            self._faults.append((PART, what))

    def _all_sent(self) -> None:
        """Only now is a port well again that had failed: one that only opens is none."""
        if self._lost:
            self._tell(self._losses())
        self._lost, self._tell_at, self._delay_s = 0, 1, FIRST_DELAY_S
        self._tell(None)

    # --- the thread ---------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            while not self._closing:
                self._connect()
        except Exception as error:  # noqa: BLE001 (a thread's top)
            self._fail(f"stopped by {error!r}")

    def _connect(self) -> None:
        """One connection, from opening the port to losing it."""
        try:
            with closing(self._open(self._port, self._baud)) as port:
                self._send(port)
        except FAILURES as error:
            self._fail(f"{self._port}: {_reason(error)}")
            self._waiting.pause(self._delay_s)
            self._delay_s = min(2 * self._delay_s, LONGEST_DELAY_S)

    def _send(self, port: Serial) -> None:
        """Everything from the beginning, until closing."""
        descriptor = _descriptor(port)
        _settle(descriptor)
        with self._lock:
            self._sent = 0
        self._rest = self._rest and b"\n"  # it was cut off
        try:
            while self._go_on(port, descriptor):
                pass
        finally:
            if self._rest:  # the kernel would wait for a reader that does not read, up to 30 s
                with suppress(*FAILURES):
                    port.reset_output_buffer()

    def _go_on(self, port: Serial, descriptor: int | None) -> bool:
        """Wait for a line, or for the port to take more of one; False: it is time to close."""
        self._rest = self._rest or self._next()
        if not self._rest:
            return not self._closing and self._waiting.port(descriptor, 0, None) is not None
        ready = self._waiting.port(descriptor, select.POLLOUT, self._limit_s())
        if ready:
            self._rest = self._rest[_write(port, descriptor, self._rest) :]
        elif ready is None and not self._closing:
            self._fail(UNREAD)
        return bool(ready) or not self._closing

    def _limit_s(self) -> float | None:
        if self._closing:
            return 0.0
        return None if self._told == UNREAD else PATIENCE_S + HELD_BITS / self._baud

    def _next(self) -> bytes:
        """The next line; nothing if all are sent."""
        with self._lock:
            self._idle = self._sent == len(self._lines)
            if self._idle:
                self._all_sent()
                return b""
            self._sent += 1
            self._reached = max(self._reached, self._sent)
            return self._lines[self._sent - 1]

    def _fail(self, what: str) -> None:
        with self._lock:
            self._tell(what)


# --- ports ------------------------------------------------------------------------------------


def open_port(port: str, baud: int) -> Serial:
    """A port that no other program uses.

    DTR and RTS stay as opening leaves them, both on. Taking one away resets the boards that
    are wired to be reset by them (ESP32), and some others talk only while DTR is on.

    Raises:
        OSError, termios.error, ValueError: it is not there, or no port.
    """
    return serial_for_url(port, baud, exclusive=True, write_timeout=WRITE_S)


def _settle(descriptor: int | None) -> None:
    """Have a terminal ignore breaks, and keep DTR on when it is closed.

    Opening it again then changes no line, and an Arduino is not reset by it; only by the very first
    opening after plugging in, which is the kernel's.
    """
    if descriptor is not None and os.isatty(descriptor):
        attributes = termios.tcgetattr(descriptor)
        attributes[0] |= termios.IGNBRK
        attributes[2] &= ~termios.HUPCL
        termios.tcsetattr(descriptor, termios.TCSANOW, attributes)


def _descriptor(port: Serial) -> int | None:
    """What can be waited for; None for the kinds of URL that have nothing."""
    try:
        return port.fileno()
    except UnsupportedOperation:
        return None


def _write(port: Serial, descriptor: int | None, data: bytes) -> int:
    """How many bytes the port took. pyserial's `write` would not say, and spin on a full port."""
    if descriptor is None:
        return port.write(data) or 0
    return os.write(descriptor, data)


def _reason(error: Exception) -> str:
    number = getattr(error, "errno", None)
    return str(error.args[-1]) if number is None else os.strerror(number)
