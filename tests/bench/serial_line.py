"""The serial line from the clock, `/dev/ttyS0` in the guest, and a reader at its other end.

While it is unplugged the guest's device cannot be opened, and a program that has it open gets a
hang-up. An `Adapter` makes its other end a port of this computer.
"""

import fcntl
import os
import select
import termios
import threading
import tty
from collections.abc import Callable
from pathlib import Path

from tests.bench.closing import Closing

DEVICE = "/dev/ttyS0"  # in the guest


class SerialLine(Closing):
    """A serial line with a thread that reads it; start the guest with `option`."""

    def __init__(self, path: Path) -> None:
        """Plug the line in.

        Args:
            path: a path for the host's end; it must not exist.
        """
        self.option = f"ssl0=tty:{path}"
        self._path = path
        self._heard = bytearray()
        self._came = threading.Condition()
        self._tell: Callable[[bytes], object] = len  # nobody else listens
        self.plug()

    def plug(self) -> None:
        """Plug the line in, and read what comes."""
        self._host, guest = os.openpty()
        tty.setraw(guest)
        self._path.symlink_to(os.ttyname(guest))
        self._guest = guest  # kept open until `unplug`, as the clock may close its own descriptor
        self._pulled = os.eventfd(0)
        self._listener = threading.Thread(target=self._listen, name="serial line")
        self._listener.start()

    def unplug(self) -> None:
        """Unplug the line after everything sent so far has been read."""
        self._path.unlink()
        os.eventfd_write(self._pulled, 1)
        self._listener.join()
        for descriptor in (self._host, self._guest, self._pulled):
            os.close(descriptor)

    @property
    def heard(self) -> str:
        """All text received so far."""
        with self._came:
            return self._heard.decode(errors="replace")

    @property
    def log(self) -> str:
        """The lines of the log that have come so far: all but the heartbeats."""
        lines = self.heard.splitlines(keepends=True)
        return "".join(line for line in lines if '"heartbeat":' not in line)

    def wait_for(self, text: str, limit_s: float) -> bool:
        """Wait in real time until a text has been received; return whether it was."""
        with self._came:
            return self._came.wait_for(lambda: text.encode() in self._heard, limit_s)

    def follow(self, tell: Callable[[bytes], object]) -> None:
        """Tell everything received so far, and from now on what comes, in the reader's thread."""
        with self._came:
            tell(bytes(self._heard))
            self._tell = tell

    def close(self) -> None:
        """Unplug the line if it is plugged in."""
        if self._path.is_symlink():
            self.unplug()

    def _listen(self) -> None:
        while True:
            came, _, _ = select.select([self._host, self._pulled], [], [])
            if self._host in came:
                with self._came:
                    data = os.read(self._host, 1 << 12)
                    self._heard += data
                    self._tell(data)
                    self._came.notify_all()
            elif came:
                return


class Adapter(Closing):
    """A serial port of this computer, which other programs open; it can be unplugged."""

    def __init__(self, path: Path) -> None:
        """Plug it in.

        Args:
            path: a path for the port; it must not exist.
        """
        self.path = path
        self._using = threading.Lock()
        self.plug()

    def plug(self) -> None:
        """Plug it in. What was sent before is lost, and what is sent before it is opened too."""
        with self._using:
            self._host, self._port = os.openpty()
            tty.setraw(self._port)
            os.write(self._host, b"\n")  # lies there until a program opens the port
            select.select([self._port], [], [])
            self.path.symlink_to(os.ttyname(self._port))

    def unplug(self) -> None:
        """Unplug it: a program that has it open gets a hang-up."""
        with self._using:
            self.path.unlink()
            os.close(self._host)
            os.close(self._port)

    def send(self, data: bytes) -> None:
        """Send bytes to the program that has the port open."""
        with self._using:
            if self.path.is_symlink():
                os.write(self._host, data)

    @property
    def opened(self) -> bool:
        """Whether a program has opened the port, and no byte waits for it."""
        waiting = fcntl.ioctl(self._port, termios.FIONREAD, bytes(4))
        return not any(waiting)

    def close(self) -> None:
        """Unplug it if it is plugged in."""
        if self.path.is_symlink():
            self.unplug()
