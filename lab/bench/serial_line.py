"""The serial line from the clock, `/dev/ttyS0` in the guest, and a reader at its other end.

While it is unplugged the guest's device cannot be opened, and a program that has it open gets a
hang-up.
"""

import os
import select
import threading
import tty
from pathlib import Path

from lab.bench.closing import Closing

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

    def close(self) -> None:
        """Unplug the line if it is plugged in."""
        if self._path.is_symlink():
            self.unplug()

    def _listen(self) -> None:
        while True:
            came, _, _ = select.select([self._host, self._pulled], [], [])
            if self._host in came:
                with self._came:
                    self._heard += os.read(self._host, 1 << 12)
                    self._came.notify_all()
            elif came:
                return
