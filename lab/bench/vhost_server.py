"""A thread that serves a virtio device to one kernel after another."""

import os
import socket
import struct
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from lab.bench.vhost import Device, Session

CREDENTIALS = struct.Struct("3i")  # struct ucred: process, user, group


class Server:
    """A device on a Unix socket, which serves one kernel at a time.

    `close` raises an error that ended the thread.
    """

    def __init__(
        self,
        path: Path,
        device: Device,
        *,
        answer_first: bool,
        on_disconnect: Callable[[], None] = lambda: None,
    ) -> None:
        """Start to serve.

        Args:
            path: the socket, at most 107 characters; it must not exist.
            device: the device to serve.
            answer_first: whether to answer before the kernel continues, as time travel needs it;
                if not, the guest runs while the device works.
            on_disconnect: called in the thread whenever a kernel has disconnected.
        """
        self._path, self._device, self._answer_first = path, device, answer_first
        self._on_disconnect = on_disconnect
        self._closing = False
        self._peer: socket.socket | None = None
        self.failure: Exception | None = None
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind(str(path))
        self._socket.listen(1)
        self._thread = threading.Thread(target=self._serve, name=path.name, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the thread, whatever the kernel does.

        Raises:
            Exception: the error that had ended the thread before.
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
                if self._answer_first:
                    _share_core(peer)
                with suppress(ConnectionError):  # a kernel that was killed
                    Session(peer, self._device, answer_first=self._answer_first).serve()
                self._on_disconnect()
        except Exception as failure:  # noqa: BLE001 (the thread's top: `close` raises it)
            self.failure = failure

    def _accepted(self) -> socket.socket | None:
        """Return the connection of the next kernel; None after `close`."""
        try:
            self._peer, _ = self._socket.accept()
        except OSError:
            if self._closing:
                return None
            raise
        return None if self._closing else self._peer  # `close` may not have seen it


def _share_core(peer: socket.socket) -> None:
    """Run this thread on the core of the kernel's process, which waits for it at each request."""
    said = peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, CREDENTIALS.size)
    process, *_ = CREDENTIALS.unpack(said)
    os.sched_setaffinity(0, os.sched_getaffinity(process))
