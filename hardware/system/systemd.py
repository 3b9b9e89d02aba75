"""What the service manager is told: ready, alive, its status, stopping.

One datagram a message, as sd_notify(3) describes them. Without a service manager nothing is sent.

The one rule: nobody waits for the service manager, and its faults are not ours: what it does not
take at once is said again by a later turn, or never.
"""

import os
import socket
from array import array
from collections.abc import Mapping, Sequence

NS_PER_US = 1000
RETRY_NS = 1_000_000_000  # after a message that was not taken

ALIVE = "WATCHDOG=1"


def notify(
    *assignments: str, descriptors: Sequence[int] = (), environ: Mapping[str, str] = os.environ
) -> bool:
    """Send assignments, such as "READY=1", in one message.

    Args:
        assignments: each on a line of its own.
        descriptors: open files that go with it.
        environ: $NOTIFY_SOCKET is a path, or "@" and a name in the abstract namespace.

    Returns:
        Whether it was taken.
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
    """How often to say that the loop is alive: twice in the time allowed, sd_watchdog_enabled(3).

    Returns:
        None if nobody wants to know, or it is another process that is watched.
    """
    allowed_us = environ.get("WATCHDOG_USEC", "")
    if not (allowed_us.isascii() and allowed_us.isdigit()):
        return None
    if environ.get("WATCHDOG_PID", str(os.getpid())) != str(os.getpid()):
        return None
    return int(allowed_us) * NS_PER_US // 2 or None


class ServiceManager:
    """The manager of the service that this process is; it restarts what does not answer.

    It is told the status when that changes, and that the clock is alive when a turn of the loop has
    proved it. So `turned` belongs into that loop, and into no other thread.
    """

    def __init__(self, environ: Mapping[str, str] = os.environ) -> None:
        """Not told anything yet.

        Args:
            environ: see `notify` and `watchdog_interval_ns`.
        """
        self._environ = environ
        self._interval_ns = watchdog_interval_ns(environ)
        self._status: str | None = None  # as it was told
        self._alive_ns = 0  # as of the latest proof that it was told
        self.due_ns: int | None = 0  # it waits to hear that the clock is ready

    @classmethod
    def found(cls, environ: Mapping[str, str] = os.environ) -> "ServiceManager | None":
        """The manager that started this process; None if a person did."""
        return cls(environ) if environ.get("NOTIFY_SOCKET") else None

    def turned(self, horizon_ns: int, status: str) -> None:
        """A turn of the loop is over; the first one says that the clock is ready.

        Args:
            horizon_ns: how far the loop has got; only what is later than before is progress.
            status: what `systemctl status` shows; a line feed would begin another assignment.
        """
        status = " ".join(status.split())
        news = self._news(horizon_ns, status)
        if not news:
            return
        if not notify(*news, environ=self._environ):
            self.due_ns = horizon_ns + RETRY_NS
            return
        self._status = status
        if ALIVE in news:
            self._alive_ns = horizon_ns
        self.due_ns = None if self._interval_ns is None else self._alive_ns + self._interval_ns

    def stopping(self) -> None:
        """The clock is about to end."""
        notify("STOPPING=1", environ=self._environ)

    def _news(self, horizon_ns: int, status: str) -> list[str]:
        """Half an interval early, alive goes with a turn that there is anyway."""
        news = ["READY=1"] if self._status is None else []
        if status != self._status:
            news.append(f"STATUS={status}")
        if self._interval_ns is not None and (
            self._status is None or horizon_ns >= self._alive_ns + self._interval_ns // 2
        ):
            news.append(ALIVE)
        return news
