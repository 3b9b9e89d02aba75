"""A thread that serves a virtio device to one kernel after the other.

The one rule: the thread sleeps in its socket unless a kernel has asked something.
"""

import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from bench.vhost import Device, Session


class Server:
    """A device at a socket: for one kernel, and after its end for the next.

    What goes wrong in the thread is raised by `close`.
    """

    def __init__(
        self,
        path: Path,
        device: Device,
        *,
        at_once: bool,
        gone: Callable[[], None] = lambda: None,
    ) -> None:
        """Starts to serve.

        Args:
            path: of the socket, at most 107 characters; it must not be there.
            device: what is served.
            at_once: answers come before the kernel goes on, as time travel needs it; otherwise
                the guest runs while the device works.
            gone: called in the thread whenever a kernel has gone: what is at its wires
                loses its supply with it.
        """
        self._path, self._device, self._at_once = path, device, at_once
        self._gone = gone
        self._closing = False
        self._peer: socket.socket | None = None
        self.failure: Exception | None = None
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind(str(path))
        self._socket.listen(1)
        self._thread = threading.Thread(target=self._serve, name=path.name, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Ends the thread, whatever the kernel does.

        Raises:
            Exception: what ended it before.
        """
        self._closing = True
        for end in (self._socket, self._peer):
            if end is not None:
                with suppress(OSError):  # it is closed already
                    end.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._socket.close()
        self._path.unlink(missing_ok=True)
        if self.failure is not None:
            raise self.failure

    def _serve(self) -> None:
        try:
            while (peer := self._accepted()) is not None:
                with suppress(ConnectionError):  # a kernel that was killed
                    Session(peer, self._device, at_once=self._at_once).serve()
                self._gone()
        except Exception as failure:  # noqa: BLE001 (the thread's top: `close` raises it)
            self.failure = failure

    def _accepted(self) -> socket.socket | None:
        """The next kernel; None when there shall be none."""
        try:
            self._peer, _ = self._socket.accept()
        except OSError:
            if self._closing:
                return None
            raise
        return None if self._closing else self._peer  # `close` may not have seen it
