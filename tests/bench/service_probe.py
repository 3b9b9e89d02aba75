"""What a program may do where it is run: everything is tried, and told as JSON.

    python service_probe.py DIRECTORY...      in the guest, inside the service's sandbox and outside

The one rule: it says what happened, "done" or the error's name, and judges nothing.
"""

import errno
import json
import os
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path

# Whoever opens a watchdog and ends, has the computer restarted.
SPARED = {"watchdog", "watchdog0"}
MADE = "made-by-the-probe"


def tried(act: Callable[..., object], *arguments: object) -> str:
    """What came of it."""
    try:
        act(*arguments)
    except OSError as error:
        return errno.errorcode[error.errno or 0]
    return "done"


def open_device(path: Path) -> None:
    """For reading and writing."""
    os.close(os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_NOCTTY))


def make_file(directory: str) -> None:
    """And remove it again."""
    path = Path(directory) / MADE
    path.write_bytes(b"")
    path.unlink()


def make_socket(family: socket.AddressFamily) -> None:
    """And close it again."""
    socket.socket(family, socket.SOCK_DGRAM).close()


def devices() -> dict[str, str]:
    """What opening each of them came to."""
    nodes = (path for path in Path("/dev").rglob("*") if not path.is_symlink())
    found = (path for path in nodes if path.is_char_device() or path.is_block_device())
    return {str(path): tried(open_device, path) for path in found if path.name not in SPARED}


def sockets() -> dict[str, str]:
    """What making one of each kind came to."""
    families = (socket.AF_UNIX, socket.AF_INET, socket.AF_NETLINK)
    return {family.name: tried(make_socket, family) for family in families}


def rights() -> dict[str, str]:
    """What asking for more than a user's rights came to."""
    now_ns, real_time = time.time_ns(), os.sched_param(1)
    return {
        "set the time": tried(time.clock_settime_ns, time.CLOCK_REALTIME, now_ns),
        "real-time priority": tried(os.sched_setscheduler, 0, os.SCHED_FIFO, real_time),
        "be root": tried(os.setuid, 0),
        "see process 1": tried(Path("/proc/1").stat),
        "look into /root": tried(lambda: list(Path("/root").iterdir())),
    }


if __name__ == "__main__":
    found = {
        "devices": devices(),
        "directories": {name: tried(make_file, name) for name in sys.argv[1:]},
        "sockets": sockets(),
        "rights": rights(),
    }
    print(json.dumps(found))  # noqa: T201
