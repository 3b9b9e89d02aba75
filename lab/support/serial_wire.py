"""A serial line for tests: real terminals (ptys), and a stream whose waits a test watches.

The stream's thread tells the test when it waits and for what, so a test acts only when nothing more
can happen by itself. Time limits end tests that fail.
"""

import os
import select
import termios
import threading
import tty
from collections.abc import Callable, Iterable
from contextlib import ExitStack, suppress
from io import BytesIO
from pathlib import Path

from hardware.serial.backlog import Backlog, OpenLog
from hardware.serial.port import PortWait, open_port
from hardware.serial.stream import Opener, SerialStream

SAFETY_S = 60.0
BAUD = 115_200


class WatchedWait(PortWait):
    """A wait that the test can watch; a pause lasts until the test ends it."""

    def __init__(self) -> None:
        super().__init__()
        self.turns = 0
        self.calls = 0  # how many waits ended because the thread was woken
        self.limits: list[float | None] = []
        self.pauses: list[float] = []
        self.pausing = False
        self.stopped = False
        self.asleep: int | None = None  # the events that it sleeps for
        self.impatient = False  # every time limit is over at once
        self.ns = 5  # the time, which stands still
        self._changed = threading.Condition()
        self._go = threading.Semaphore(0)

    def port(self, descriptor: int | None, events: int, timeout_s: float | None) -> int | None:
        """Wait without a time limit, unless impatient."""
        self.turns += 1
        self.limits.append(timeout_s)
        ready = super().port(descriptor, events, 0)
        if ready is not None or timeout_s == 0 or (timeout_s is not None and self.impatient):
            return ready
        self._tell("asleep", events)
        try:
            ready = super().port(descriptor, events, None)
            self.calls += not ready
        finally:
            self._tell("asleep", None)
        return ready

    def now_ns(self) -> int:
        """Return what the test has set."""
        return self.ns

    def pass_time(self, duration_ns: int) -> None:
        """Let time pass while the thread is idle, and return when it is idle again."""
        self.until_idle()
        turns, self.ns = self.turns, self.ns + duration_ns
        self.wake()
        self.until(lambda: self.turns > turns and self.asleep == 0)

    def pause(self, seconds: float) -> None:
        """Pause until `go_on` or `stop`."""
        self.pauses.append(seconds)
        self._tell("pausing", True)
        assert self._go.acquire(timeout=SAFETY_S)

    def go_on(self) -> None:
        """End the pause."""
        self.until(lambda: self.pausing)
        self.pausing = False
        self._go.release()

    def stop(self) -> None:
        """End a pause, too."""
        super().stop()
        self._tell("stopped", True)
        self._go.release()

    def until(self, reached: Callable[[], bool]) -> None:
        """Wait until the thread has reached a state."""
        with self._changed:
            assert self._changed.wait_for(reached, SAFETY_S)

    def until_idle(self) -> None:
        """Wait until all lines have been sent."""
        self.until(lambda: self.asleep == 0)

    def until_stuck(self) -> None:
        """Wait until the port takes no more."""
        self.until(lambda: self.asleep == select.POLLOUT)

    def _tell(self, name: str, value: int | None) -> None:
        with self._changed:
            setattr(self, name, value)
            self._changed.notify_all()


class Wire:
    """A pty: the stream opens its path, the reader is at the other end."""

    def __init__(self) -> None:
        self.reader, self._port = os.openpty()
        tty.setraw(self._port)
        attributes = termios.tcgetattr(self._port)
        attributes[2] |= termios.HUPCL  # as real ports have it when they are plugged in
        termios.tcsetattr(self._port, termios.TCSANOW, attributes)
        os.set_blocking(self.reader, False)
        self.path = os.ttyname(self._port)

    def read(self, size: int) -> bytes:
        """Read so many bytes."""
        data = b""
        while len(data) < size:
            assert select.select([self.reader], [], [], SAFETY_S)[0], data
            data += os.read(self.reader, size - len(data))
        return data

    def expect(self, lines: Iterable[bytes]) -> None:
        """Check that exactly these lines come next."""
        sent = b"".join(lines)
        assert self.read(len(sent)) == sent

    def flood(self, data: bytes) -> None:
        """Send as much of this as the wire takes."""
        with suppress(BlockingIOError):
            while True:
                os.write(self.reader, data)

    def is_empty(self) -> bool:
        """Return whether all that was sent has been read."""
        return not select.select([self.reader], [], [], 0)[0]

    def attributes(self) -> list[int]:
        """Return the terminal's settings."""
        return termios.tcgetattr(self._port)[:4]

    def unplug(self) -> None:
        """Close the reader's end, with all that is in the wire."""
        os.close(self.reader)
        os.close(self._port)


class Bench:
    """Wires and streams, and a path that leads to the wire plugged in last."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.waiting = WatchedWait()
        self.link = folder / "usb-log"
        self._stack = stack

    def plug(self) -> Wire:
        """Plug in a new wire at the path."""
        wire = Wire()
        self.link.unlink(missing_ok=True)
        self.link.symlink_to(wire.path)
        return wire

    def unplug(self, wire: Wire) -> None:
        """Remove the wire and its path; return when the stream knows."""
        self.link.unlink()
        wire.unplug()
        self.waiting.until(lambda: self.waiting.pausing)

    def stream(
        self,
        port: str = "",
        baud: int = BAUD,
        log: OpenLog = BytesIO,
        keep: int = 1000,
        opener: Opener = open_port,
        resumed: bool = False,
        changed: Callable[[], object] = lambda: None,
    ) -> SerialStream:
        """Start a stream at the path; by default the log is empty."""
        stream = SerialStream(
            port or str(self.link),
            baud,
            Backlog(log, resumed=resumed, keep=keep),
            changed=changed,
            wait=self.waiting,
            opener=opener,
        )
        self._stack.callback(stream.close)
        return stream


def await_end(threads: Iterable[threading.Thread]) -> None:
    """Wait for threads whose stream was closed: on a busy machine they may outlast `CLOSE_S`."""
    for thread in threads:
        thread.join(SAFETY_S)
        assert not thread.is_alive()
