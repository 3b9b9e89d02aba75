"""Open files that outlive the program: systemd keeps them, and the next start finds them again.

What a file has waiting outlives it too: presses that the kernel stamped while the program was being
restarted are read afterwards as if nothing had happened. See sd_pid_notify_with_fds(3) and
sd_listen_fds_with_names(3); the unit needs `FileDescriptorStoreMax=`.

Without a service manager nothing is found and nothing is kept.

The one rule: a file that is kept stays kept, whatever becomes of the program, until it is dropped
here, or the service is stopped for good.
"""

import os
from collections.abc import Callable, Mapping, MutableMapping
from typing import Protocol, runtime_checkable

from hardware.system.systemd import notify

FIRST = 3  # descriptor that is passed; those before it are standard input, output and error

Tell = Callable[[str, str, tuple[int, ...]], bool]


@runtime_checkable
class KeepsLines(Protocol):
    """A pin factory whose lines can outlive the program; see `GpiodFactory.keep_lines`."""

    def keep_lines(self, store: "FdStore") -> None:
        """Have lines that listen kept, and take over those that were."""


def tell(act: str, name: str, descriptors: tuple[int, ...]) -> bool:
    """Tell the service manager; returns whether it was taken."""
    return notify(act, f"FDNAME={name}", descriptors=descriptors)


class FdStore:
    """The open files that are kept, by their names: printable ASCII without colons."""

    def __init__(self, found: Mapping[str, int], tell: Tell = tell) -> None:
        """What the last run left.

        Args:
            found: descriptors by their names, ours from now on; see `inherited`.
            tell: told what to keep and what to drop.
        """
        self._left = dict(found)  # kept, and used by nobody at present
        self._tell = tell

    def take(self, name: str) -> int | None:
        """The descriptor kept under a name, for the caller to own; None if there is none."""
        return self._left.pop(name, None)

    def leave(self, name: str, descriptor: int) -> None:
        """It is not used at present, and may be taken again. It is the store's from now on."""
        self._left[name] = descriptor

    def keep(self, name: str, descriptor: int) -> bool:
        """Have it kept; the caller goes on using it. Returns whether the message was taken."""
        return self._tell("FDSTORE=1", name, (descriptor,))

    def drop(self, name: str) -> None:
        """Have it kept no longer; who uses it may go on."""
        self._tell("FDSTOREREMOVE=1", name, ())

    def drop_left(self) -> None:
        """Drop what nobody uses: it was kept for settings that have changed since."""
        for name, descriptor in self._left.items():
            os.close(descriptor)
            self.drop(name)
        self._left.clear()


def inherited(environ: MutableMapping[str, str] = os.environ, first: int = FIRST) -> dict[str, int]:
    """The descriptors that the service manager has passed, by their names.

    They are closed in programs that this one starts, and the environment no longer speaks of them:
    they are found once.

    Args:
        environ: $LISTEN_PID says whom they are for, $LISTEN_FDS how many there are, and
            $LISTEN_FDNAMES what each is called.
        first: the number of the first one.
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
