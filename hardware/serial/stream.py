"""The lines of the log on a serial line, sent by a thread of its own.

Each time the port is opened, the match is sent from its first line, then each new line. Lines are
numbered (`seq`), so a reader can skip those that it has. When all have been sent, and every ten
seconds from then on, a heartbeat follows, which is no line of the log. Nothing is ever read from
the port, and appending a line never waits for it.
"""

import select
import threading
from collections.abc import Callable
from contextlib import closing, suppress

from serial import Serial

from hardware.latch import FaultLatch, Report
from hardware.serial.backlog import Backlog
from hardware.serial.port import (
    PORT_ERRORS,
    PortWait,
    configure,
    descriptor,
    error_text,
    open_port,
    write,
)
from hardware.units import NS_PER_MS

PART = "serial"  # of the clock, in faults

# Between attempts to open the port; each doubles. An adapter plugged in again is found soon.
FIRST_RETRY_S, LAST_RETRY_S = 0.5, 2.0
HEARTBEAT_NS = 10_000 * NS_PER_MS  # between heartbeats
CLOSE_S = 1.0  # how long `close` waits for the thread

# A port that takes nothing for so long has a reader that does not read. It first has to send what
# it has buffered, at most a page of the kernel's (16 KiB on a Pi 5), with 10 bits a byte.
UNREAD_S = 5.0
BUFFERED_BITS = 16 * 1024 * 10
UNREAD = "the receiver does not read"

Opener = Callable[[str, int], Serial]
MakeHeartbeat = Callable[[int], bytes]
"""Returns the heartbeat of a number, with its line feed; called in the stream's thread."""


class SerialStream:
    """A serial line that carries the log of each match."""

    def __init__(
        self,
        port: str,
        baud: int,
        backlog: Backlog,
        *,
        changed: Callable[[], object] = lambda: None,
        wait: PortWait | None = None,
        opener: Opener = open_port,
    ) -> None:
        """Start the thread, whether the port is there or not.

        The port is a device (/dev/serial/by-id/... finds it wherever it is plugged in), or a URL of
        pyserial's. No other part of the program may use the backlog. `changed` is called in any
        thread when there are new `faults`; it must neither wait nor raise.
        """
        self._port, self._baud = port, baud
        self._backlog = backlog
        self._wait = PortWait() if wait is None else wait
        self._open = opener
        self._faults = FaultLatch(PART, changed)
        self._lock = threading.Lock()  # of the number of lost lines to report
        self._report_at = 1  # lost lines
        self._retry_s = FIRST_RETRY_S
        # What is still to be sent of a line. The last run may have ended in the middle of one: a
        # line feed keeps it from spoiling the next.
        self._rest = b"\n" if backlog.resumed else b""
        self._make_heartbeat: MakeHeartbeat | None = None
        self._heartbeats = 0  # since the port was opened
        self._heartbeat_at_ns = 0  # the next one
        self._closing = False
        self._thread = threading.Thread(target=self._run, name=PART, daemon=True)
        self._thread.start()

    # --- from any thread; never waits, but `close` ----------------------------------------------

    def append(self, line: bytes) -> None:
        """Send a line, which ends in a line feed."""
        if self._backlog.append(line) and not self._closing:
            self._wait.wake()

    def begin(self) -> None:
        """Begin a new match: forget the lines of the last one."""
        self._backlog.begin()
        self._report_losses()

    def send_heartbeats(self, make: MakeHeartbeat) -> None:
        """Send heartbeats from now on."""
        self._make_heartbeat = make
        self._wait.wake()

    def faults(self) -> list[Report]:
        """Return the reports since the last call: what failed; None once lines are sent again."""
        return self._faults.drain()

    def close(self) -> None:
        """Send what the port takes at once, and end within `CLOSE_S`."""
        if self._closing:
            return
        self._closing = True
        self._wait.stop()
        self._thread.join(CLOSE_S)
        if not self._thread.is_alive():
            self._wait.close()

    # --- faults -------------------------------------------------------------------------------

    def _report_losses(self) -> None:
        """Report the 1st, 10th, 100th... lost line only: each report is a line of the log too."""
        with self._lock:
            if (lost := self._backlog.lost) >= self._report_at:
                self._report_at = 10 ** len(str(lost))
                self._fail(_losses(lost))

    def _report_all_sent(self) -> None:
        """Clear the fault: a port that failed is well when it takes lines, not when it opens."""
        self._retry_s = FIRST_RETRY_S
        with self._lock:
            self._report_at = 1
            if lost := self._backlog.take_lost():
                self._fail(_losses(lost))
            self._faults.clear()

    def _fail(self, what: str) -> None:
        self._faults.fail(what, renew=True)

    # --- the thread ---------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            while not self._closing:
                self._connect()
        except Exception as error:  # noqa: BLE001 (a thread's top)
            self._fail(f"stopped by {error!r}")

    def _connect(self) -> None:
        """Open the port and send until it fails; then wait before the next attempt."""
        try:
            with closing(self._open(self._port, self._baud)) as port:
                self._send(port)
        except PORT_ERRORS as error:
            self._fail(f"{self._port}: {error_text(error)}")
            self._wait.pause(self._retry_s)
            self._retry_s = min(2 * self._retry_s, LAST_RETRY_S)

    def _send(self, port: Serial) -> None:
        configure(descriptor(port))
        self._backlog.rewind()
        self._rest = self._rest and b"\n"  # end the line that was cut off
        self._heartbeats, self._heartbeat_at_ns = 0, self._wait.now_ns()
        try:
            while self._step(port, descriptor(port)):
                pass
        finally:
            if self._rest:  # else the kernel waits up to 30 s for a reader that does not read
                with suppress(*PORT_ERRORS):
                    port.reset_output_buffer()

    def _step(self, port: Serial, descriptor: int | None) -> bool:
        """Send a part of a line, or wait for a line; return whether to go on."""
        self._rest = self._rest or self._next_line()
        if not self._rest:
            if self._closing:
                return False
            self._wait.port(descriptor, 0, self._idle_s())
            return True
        ready = self._wait.port(descriptor, select.POLLOUT, self._timeout_s())
        if ready:
            self._rest = self._rest[write(port, descriptor, self._rest) :]
        elif ready is None and not self._closing:
            self._fail(UNREAD)
        return bool(ready) or not self._closing

    def _timeout_s(self) -> float | None:
        """Return how long the port may take nothing before that is a fault."""
        if self._closing:
            return 0.0
        unread = self._faults.latched() == UNREAD
        return None if unread else UNREAD_S + BUFFERED_BITS / self._baud

    def _next_line(self) -> bytes:
        line = self._backlog.next()
        self._report_losses()
        if not line:
            self._report_all_sent()
            line = self._next_heartbeat()
        return line

    def _next_heartbeat(self) -> bytes:
        now_ns = self._wait.now_ns()
        if self._make_heartbeat is None or self._closing or now_ns < self._heartbeat_at_ns:
            return b""
        self._heartbeats, self._heartbeat_at_ns = self._heartbeats + 1, now_ns + HEARTBEAT_NS
        return self._make_heartbeat(self._heartbeats)

    def _idle_s(self) -> float | None:
        if self._make_heartbeat is None:
            return None
        return max(0, self._heartbeat_at_ns - self._wait.now_ns()) / (1000 * NS_PER_MS)


def _losses(lost: int) -> str:
    return f"{lost} {'line' if lost == 1 else 'lines'} lost"
