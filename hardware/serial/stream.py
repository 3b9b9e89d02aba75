"""The log's lines on a serial line, for whoever follows a match from outside.

A thread of its own sends them. Whoever is connected, for the first time or again, gets the match
from its beginning and then what follows; the lines are numbered (`seq`), so a reader ignores what
it has already. A reader that takes its time is waited for. What comes from where, and what can be
lost, `serial_backlog` says.

Output only: nothing is ever read, so whatever the other end sends can do nothing.

The one rule: whoever appends a line never waits, whatever has become of the wire.
"""

import select
import threading
from collections import deque
from collections.abc import Callable
from contextlib import closing, suppress

from serial import Serial

from hardware.serial.backlog import Backlog
from hardware.serial.port import FAILURES, descriptor, open_port, reason, settle, write
from hardware.serial.waiting import Waiting

PART = "serial"  # of the clock, in faults

FIRST_DELAY_S, LONGEST_DELAY_S = 0.5, 8.0  # between two attempts to open the port
CLOSE_S = 1.0  # how long `close` waits for the thread

# A port that takes nothing for so long has a reader that does not read. At first it has to send
# what it holds, at most a page of the kernel's (16 KiB on a Pi 5), with 10 bits a byte.
PATIENCE_S = 5.0
HELD_BITS = 16 * 1024 * 10
UNREAD = "nobody reads"

Opener = Callable[[str, int], Serial]


class SerialStream:
    """A serial line that carries the log of each match."""

    def __init__(
        self,
        port: str,
        baud: int,
        backlog: Backlog,
        *,
        changed: Callable[[], object] = lambda: None,
        waiting: Waiting | None = None,
        opened: Opener = open_port,
    ) -> None:
        """Start the thread, whether the port is there or not.

        Args:
            port: a device (/dev/serial/by-id/... finds it wherever it is plugged in) or a URL of
                pyserial's.
            baud: bits a second.
            backlog: its lines, the stream's own from now on.
            changed: called in any thread when there are new `faults`; must neither wait nor raise.
            waiting: where the thread waits.
            opened: opens the port.
        """
        self._port, self._baud = port, baud
        self._changed = changed
        self._waiting = Waiting() if waiting is None else waiting
        self._open = opened
        self._backlog = backlog
        self._lock = threading.Lock()  # of what follows down to `_told`, and never for long
        self._tell_at = 1  # how many lost lines
        self._faults: deque[tuple[str, str | None]] = deque()
        self._told: str | None = None  # the latest of them
        self._delay_s = FIRST_DELAY_S
        # What is still to be sent of a line. The last run may have ended in the middle of one; a
        # line feed keeps it from spoiling the next.
        self._rest = b"\n" if backlog.resumed else b""
        self._closing = False
        self._thread = threading.Thread(target=self._run, name=PART, daemon=True)
        self._thread.start()

    # --- what the clock asks for; never waits -------------------------------------------------

    def append(self, line: bytes) -> None:
        """Have a line sent, with its line feed."""
        awaited = self._backlog.append(line)
        if awaited and not self._closing:
            self._waiting.wake()

    def begin(self) -> None:
        """A new match begins: forget the lines of the last one."""
        self._backlog.begin()
        self._tell_losses()

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
        if not self._thread.is_alive():
            self._waiting.close()

    # --- faults -------------------------------------------------------------------------------

    def _tell_losses(self) -> None:
        """Each fault is a line itself: when 1, 10, 100... are lost it is told."""
        with self._lock:
            if (lost := self._backlog.lost) >= self._tell_at:
                self._tell_at = 10 ** len(str(lost))
                self._tell(losses(lost))

    def _all_sent(self) -> None:
        """Only now is a port well again that had failed: one that only opens is none."""
        self._delay_s = FIRST_DELAY_S
        with self._lock:
            if lost := self._backlog.forget_losses():
                self._tell(losses(lost))
            self._tell_at = 1
            self._tell(None)

    def _fail(self, what: str) -> None:
        with self._lock:
            self._tell(what)

    def _tell(self, what: str | None) -> None:
        if what != self._told:
            self._told = what
            self._faults.append((PART, what))
            self._changed()

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
            self._fail(f"{self._port}: {reason(error)}")
            self._waiting.pause(self._delay_s)
            self._delay_s = min(2 * self._delay_s, LONGEST_DELAY_S)

    def _send(self, port: Serial) -> None:
        """Everything from the beginning, until closing."""
        settle(descriptor(port))
        self._backlog.rewind()
        self._rest = self._rest and b"\n"  # it was cut off
        try:
            while self._go_on(port, descriptor(port)):
                pass
        finally:
            if self._rest:  # the kernel would wait for a reader that does not read, up to 30 s
                with suppress(*FAILURES):
                    port.reset_output_buffer()

    def _go_on(self, port: Serial, wire: int | None) -> bool:
        """Wait for a line, or for the port to take more of one; False: it is time to close."""
        self._rest = self._rest or self._next()
        if not self._rest:
            return not self._closing and self._waiting.port(wire, 0, None) is not None
        ready = self._waiting.port(wire, select.POLLOUT, self._limit_s())
        if ready:
            self._rest = self._rest[write(port, wire, self._rest) :]
        elif ready is None and not self._closing:
            self._fail(UNREAD)
        return bool(ready) or not self._closing

    def _limit_s(self) -> float | None:
        if self._closing:
            return 0.0
        return None if self._told == UNREAD else PATIENCE_S + HELD_BITS / self._baud

    def _next(self) -> bytes:
        line = self._backlog.next()
        self._tell_losses()
        if not line:
            self._all_sent()
        return line


def losses(lost: int) -> str:
    """So many lines, in words."""
    return f"{lost} {'line' if lost == 1 else 'lines'} lost"
