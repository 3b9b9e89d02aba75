"""Notify the service manager: ready, alive, status, stopping.

Each message is one datagram, see sd_notify(3). Nothing waits for the service manager: a message
that it does not take at once is sent again by a later turn of the loop, or never. Without a service
manager nothing is sent.
"""

import os
import socket
from array import array
from collections.abc import Mapping, Sequence

from hardware.units import NS_PER_SECOND

NS_PER_US = 1000
RETRY_NS = NS_PER_SECOND  # after a message that was not taken

ALIVE = "WATCHDOG=1"


def notify(
    *assignments: str, descriptors: Sequence[int] = (), environ: Mapping[str, str] = os.environ
) -> bool:
    """Send assignments, such as "READY=1", in one message; return whether it was taken.

    Open files go with it. $NOTIFY_SOCKET is a path, or "@" and a name in the abstract namespace.
    """
    address = environ.get("NOTIFY_SOCKET", "")
    if not address.startswith(("/", "@")):
        return False
    if address.startswith("@"):
        address = "\0" + address[1:]
    message = "\n".join(assignments).encode()
    rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array("i", descriptors))
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
            sender.sendmsg([message], [rights] if descriptors else [], socket.MSG_DONTWAIT, address)
    except OSError:
        return False
    return True


def watchdog_interval_ns(environ: Mapping[str, str] = os.environ) -> int | None:
    """Return how often to report that the loop is alive: half the time that the watchdog allows.

    None if there is no watchdog, or it watches another process; see sd_watchdog_enabled(3).
    """
    allowed_us = environ.get("WATCHDOG_USEC", "")
    if not (allowed_us.isascii() and allowed_us.isdigit()):
        return None
    if environ.get("WATCHDOG_PID", str(os.getpid())) != str(os.getpid()):
        return None
    return int(allowed_us) * NS_PER_US // 2 or None


class ServiceManager:
    """The manager of the service that this process is; it restarts a process that hangs.

    It is sent the status when that changes, and that the clock is alive when a turn of the loop has
    made progress. So `turned` belongs into that loop, and into no other thread.
    """

    def __init__(self, environ: Mapping[str, str] = os.environ) -> None:
        self._environ = environ
        self._interval_ns = watchdog_interval_ns(environ)
        self._status: str | None = None  # as last sent
        self._alive_ns = 0  # the horizon when it was last sent that the clock is alive
        self.due_ns: int | None = 0
        """When a turn is needed to send something; None: not before another reason for a turn."""

    @classmethod
    def found(cls, environ: Mapping[str, str] = os.environ) -> "ServiceManager | None":
        """Return the manager that started this process; None if a person did."""
        return cls(environ) if environ.get("NOTIFY_SOCKET") else None

    def turned(self, horizon_ns: int, status: str) -> None:
        """Send what is new after a turn of the loop; the first one reports that it is ready.

        The clock is reported alive only if the horizon has moved on. `systemctl status` shows the
        status.
        """
        status = " ".join(status.split())
        news = self._news(horizon_ns, status)
        if news and not notify(*news, environ=self._environ):
            self.due_ns = horizon_ns + RETRY_NS
            return
        self._status = status
        if ALIVE in news:
            self._alive_ns = horizon_ns
        self.due_ns = None if self._interval_ns is None else self._alive_ns + self._interval_ns

    def stopping(self) -> None:
        """Send that the clock is about to end."""
        notify("STOPPING=1", environ=self._environ)

    def _news(self, horizon_ns: int, status: str) -> list[str]:
        """Return what to send; alive goes half an interval early with a turn made anyway."""
        news = ["READY=1"] if self._status is None else []
        if status != self._status:
            news.append(f"STATUS={status}")
        if self._interval_ns is not None and (
            self._status is None or horizon_ns >= self._alive_ns + self._interval_ns // 2
        ):
            news.append(ALIVE)
        return news
