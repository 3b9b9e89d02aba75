"""What a link must not do, in the sandbox of the real one: a program in its place in the unit.

    python endless_link.py flood     keep the processor busy, write offers without end
    python endless_link.py talk      write to the journal without end
    python endless_link.py report    send messages to the service manager without end
    python endless_link.py eat       take memory without end, so that no process seems to have it
    python endless_link.py fill      fill each directory that it may write in
    python endless_link.py lock      lock the directory of the logs as soon as that is possible

The first three do it in as many processes as there may be. When nothing can come in between,
a file `done` is in the runtime directory.
"""

import fcntl
import os
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import count
from pathlib import Path

OFFERS, LOGS = Path("/run/gammonclock-link"), "/var/lib/gammonclock"
OTHERS = ("/var/lib/gammonclock-link", "/var/tmp", "/tmp", "/dev/shm")  # noqa: S108 (it only tries)
MANAGER = "/run/systemd/notify"
PIECE = bytes(1 << 20)


def done() -> None:
    """Say that it has begun."""
    (OFFERS / "done").touch()


def crowd(*acts: Callable[[], None]) -> None:
    """Do some things in as many processes as there may be."""
    number = 0
    with suppress(OSError):  # there are enough
        while os.fork():
            number += 1
        with suppress(OSError):
            acts[number % len(acts)]()
        spin()
    done()
    spin()


def write_offers() -> None:
    """Put down offers without end, each of another kind."""
    new = OFFERS / f"new-{os.getpid()}"
    for number in count():
        with suppress(OSError):
            (make_large, make_link, os.mkfifo)[number % 3](new)
            new.replace(OFFERS / "offer.json")


def make_large(path: Path) -> None:
    """Make an offer of one megabyte."""
    path.write_bytes(PIECE)


def make_link(path: Path) -> None:
    """Make a symbolic link to a file without end."""
    path.symlink_to("/dev/zero")


def talk() -> None:
    """Write to the journal without end."""
    while True:
        os.write(1, b"a line of a link that floods the journal\n" * 50)


def report() -> None:
    """Send messages to the service manager without end."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
        sender.connect(MANAGER)
        while True:
            sender.send(b"STATUS=a link that floods the service manager")


def spin() -> None:
    """Keep the processor busy without end."""
    while True:
        pass


def eat() -> None:
    """Take memory without end: in a file that has no name, and counts for no process."""
    file = os.memfd_create("eaten")
    while True:
        os.write(file, PIECE)


def fill() -> None:
    """Fill each directory that can be written in, and keep it full."""
    for place in (*map(Path, OTHERS), OFFERS):
        with suppress(OSError), (place / "filled").open("wb", buffering=0) as file:
            while True:
                file.write(PIECE)
    signal.pause()


def lock() -> None:
    """Lock the directory of the logs as soon as no clock has locked it, and keep it."""
    done()
    with suppress(OSError):
        fcntl.flock(os.open(LOGS, os.O_RDONLY | os.O_DIRECTORY), fcntl.LOCK_EX)
    signal.pause()


if __name__ == "__main__":
    ACTS: dict[str, Callable[[], None]] = {
        "flood": partial(crowd, write_offers, spin),
        "talk": partial(crowd, talk),
        "report": partial(crowd, report),
        "eat": eat,
        "fill": fill,
        "lock": lock,
    }
    ACTS[sys.argv[1]]()
