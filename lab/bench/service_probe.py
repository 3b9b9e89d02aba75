"""Try what a program may do, and print the results as JSON.

python service_probe.py DIRECTORY...

This runs in the guest, inside the service's sandbox and outside it.
"""

import errno
import json
import os
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path

# A program that opens a watchdog and ends makes the computer restart.
UNTESTED = {"watchdog", "watchdog0"}
MADE = "made-by-the-probe"
PRIVATE, PUBLIC = "10.0.0.1", "203.0.113.1"  # the guest needs a route to them


def attempt(act: Callable[..., object], *arguments: object) -> str:
    """Call a function; return "done", or the name of its error such as "EPERM"."""
    try:
        act(*arguments)
    except OSError as error:
        return errno.errorcode[error.errno or 0]
    return "done"


def open_device(path: Path) -> None:
    """Open a device for reading and writing, and close it."""
    os.close(os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_NOCTTY))


def make_file(directory: str) -> None:
    """Make a file in a directory, and remove it."""
    path = Path(directory) / MADE
    path.write_bytes(b"")
    path.unlink()


def make_socket(family: socket.AddressFamily) -> None:
    """Make a socket, and close it."""
    socket.socket(family, socket.SOCK_DGRAM).close()


def devices() -> dict[str, str]:
    """Try to open each device."""
    nodes = (path for path in Path("/dev").rglob("*") if not path.is_symlink())
    found = (path for path in nodes if path.is_char_device() or path.is_block_device())
    return {str(path): attempt(open_device, path) for path in found if path.name not in UNTESTED}


def sockets() -> dict[str, str]:
    """Try to make a socket of each family."""
    families = (socket.AF_UNIX, socket.AF_INET, socket.AF_NETLINK)
    return {family.name: attempt(make_socket, family) for family in families}


def send(address: str) -> None:
    """Send a datagram, to nobody."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as opened:
        opened.sendto(b"", (address, 9))


def addresses() -> dict[str, str]:
    """Try to send to this computer, to a private address and to a public one."""
    return {address: attempt(send, address) for address in ("127.0.0.1", PRIVATE, PUBLIC)}


def rights() -> dict[str, str]:
    """Try what only root may do."""
    now_ns, real_time = time.time_ns(), os.sched_param(1)
    return {
        "set the time": attempt(time.clock_settime_ns, time.CLOCK_REALTIME, now_ns),
        "real-time priority": attempt(os.sched_setscheduler, 0, os.SCHED_FIFO, real_time),
        "be root": attempt(os.setuid, 0),
        "see process 1": attempt(Path("/proc/1").stat),
        "look into /root": attempt(lambda: list(Path("/root").iterdir())),
    }


if __name__ == "__main__":
    found = {
        "devices": devices(),
        "directories": {name: attempt(make_file, name) for name in sys.argv[1:]},
        "sockets": sockets(),
        "addresses": addresses(),
        "rights": rights(),
    }
    print(json.dumps(found))
