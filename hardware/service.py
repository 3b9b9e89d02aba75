"""What the service manager is told: ready, alive, its status, stopping, and what it shall keep.

One datagram a message, as sd_notify(3) describes them. Without a service manager nothing is sent.

The one rule: nobody waits for the service manager, and its faults are not ours: what it does not
take at once is dropped.
"""

import os
import socket
from array import array
from collections.abc import Mapping, Sequence

NS_PER_US = 1000


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


def ready(status: str, environ: Mapping[str, str] = os.environ) -> bool:
    """The clock has recovered its match and runs."""
    return notify("READY=1", _status(status), environ=environ)


def alive(environ: Mapping[str, str] = os.environ) -> bool:
    """The loop has made progress; at least once every `watchdog_interval_ns`."""
    return notify("WATCHDOG=1", environ=environ)


def status(text: str, environ: Mapping[str, str] = os.environ) -> bool:
    """What `systemctl status` shows."""
    return notify(_status(text), environ=environ)


def stopping(environ: Mapping[str, str] = os.environ) -> bool:
    """The clock is about to end."""
    return notify("STOPPING=1", environ=environ)


def keep(name: str, descriptors: Sequence[int], environ: Mapping[str, str] = os.environ) -> bool:
    """Have open files kept for the next start ($LISTEN_FDNAMES says which is which).

    Args:
        name: at most 255 printable ASCII characters without colons.
        descriptors: they stay open here too.
        environ: see `notify`.
    """
    return notify("FDSTORE=1", f"FDNAME={name}", descriptors=descriptors, environ=environ)


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


def _status(text: str) -> str:
    """A line feed would begin another assignment."""
    return "STATUS=" + " ".join(text.split())
