"""The wire from the clock to a stream or room program: `/dev/ttyS0` of the guest, and who listens.

While it is unplugged the guest's device cannot be opened, and whoever has it open finds it hung up.

The one rule: whoever listens takes what comes at once, so that he never delays the clock.
"""

import os
import select
import threading
import tty
from pathlib import Path
from types import TracebackType
from typing import Self

DEVICE = "/dev/ttyS0"  # in the guest


class SerialLine:
    """A line that is plugged in; start a guest with `option`."""

    def __init__(self, path: Path) -> None:
        """Plug it in.

        Args:
            path: a name for the host's end; it must not be there.
        """
        self.option = f"ssl0=tty:{path}"
        self._path = path
        self._heard = bytearray()
        self._came = threading.Condition()
        self.plug()

    def plug(self) -> None:
        """The plug is put in, and somebody listens."""
        self._host, guest = os.openpty()
        tty.setraw(guest)
        self._path.symlink_to(os.ttyname(guest))
        self._guest = guest  # open until it is unplugged, though the clock may close its own
        self._pulled = os.eventfd(0)
        self._listener = threading.Thread(target=self._listen, name="serial line")
        self._listener.start()

    def unplug(self) -> None:
        """The plug is pulled; what had come before has been heard."""
        self._path.unlink()
        os.eventfd_write(self._pulled, 1)
        self._listener.join()
        for descriptor in (self._host, self._guest, self._pulled):
            os.close(descriptor)

    @property
    def heard(self) -> str:
        """All that has come so far."""
        with self._came:
            return self._heard.decode(errors="replace")

    def wait_for(self, text: str, limit_s: float) -> bool:
        """Wait until a text has been heard, in real time; whether it was."""
        with self._came:
            return self._came.wait_for(lambda: text.encode() in self._heard, limit_s)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
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
