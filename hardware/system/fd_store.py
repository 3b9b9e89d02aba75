"""Keep open files over a restart: systemd holds them, and the next start finds them again.

What waits in a file survives too: presses that the kernel stamped while the program was restarted
are read afterwards as if nothing had happened. A file is kept, whatever becomes of the program,
until it is dropped here or the service is stopped for good. See sd_pid_notify_with_fds(3) and
sd_listen_fds_with_names(3); the unit needs `FileDescriptorStoreMax=`.

Without a service manager nothing is found and nothing is kept.
"""

import os
from collections.abc import Callable, Mapping, MutableMapping
from typing import Protocol, runtime_checkable

from hardware.system.systemd import notify

FIRST = 3  # descriptor that is passed; those before it are standard input, output and error

Send = Callable[[str, str, tuple[int, ...]], bool]


@runtime_checkable
class KeepsLines(Protocol):
    """A pin factory whose lines can be kept over a restart; see `GpiodFactory.keep_lines`."""

    def keep_lines(self, store: "FdStore") -> None:
        """Keep lines that listen, and take over those that were kept."""


def send(act: str, name: str, descriptors: tuple[int, ...]) -> bool:
    """Send the service manager a message about a kept file; return whether it took it."""
    return notify(act, f"FDNAME={name}", descriptors=descriptors)


class FdStore:
    """The open files that are kept, by their names: printable ASCII without colons."""

    def __init__(self, found: Mapping[str, int], send: Send = send) -> None:
        """Start with what the last run left: descriptors by their names, ours from now on."""
        self._unused = dict(found)  # kept, but without an owner at present
        self._send = send

    def take(self, name: str) -> int | None:
        """Return the descriptor kept under a name, for the caller to own; None if there is none."""
        return self._unused.pop(name, None)

    def leave(self, name: str, descriptor: int) -> None:
        """Give a descriptor back to the store, so that it may be taken again."""
        self._unused[name] = descriptor

    def keep(self, name: str, descriptor: int) -> bool:
        """Keep a file that the caller goes on using; return whether the message was taken."""
        return self._send("FDSTORE=1", name, (descriptor,))

    def drop(self, name: str) -> None:
        """Keep a file no longer; its owner may go on using it."""
        self._send("FDSTOREREMOVE=1", name, ())

    def drop_unused(self) -> None:
        """Drop files without an owner: they were kept for settings that have changed since."""
        for name, descriptor in self._unused.items():
            os.close(descriptor)
            self.drop(name)
        self._unused.clear()


def inherited(environ: MutableMapping[str, str] = os.environ, first: int = FIRST) -> dict[str, int]:
    """Return the descriptors that the service manager has passed, by their names.

    Programs that this one starts do not inherit them, and they are removed from the environment, so
    that they are found only once.
    """
    pid, count, names = (environ.pop(f"LISTEN_{what}", "") for what in ("PID", "FDS", "FDNAMES"))
    if pid != str(os.getpid()) or not (count.isascii() and count.isdigit()):
        return {}
    descriptors = range(first, first + int(count))
    found: dict[str, int] = {}
    for descriptor, name in zip(descriptors, names.split(":"), strict=False):
        os.set_inheritable(descriptor, False)  # noqa: FBT003 (its only form)
        if name in found:  # kept twice: the newer one is that of the latest run
            os.close(found[name])
        found[name] = descriptor
    return found
