"""Wait until a directory changes: told by the kernel (inotify), or by looking again and again."""

import os
import select
import threading
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from clock.match.rules import SECOND_NS

CHECKPOINT = "checkpoint"  # a clock writes it twice a second
GATHER_S = 0.005  # after a change, until more are read with it: many clocks write many checkpoints
IGNORED = 0x8000  # IN_IGNORED: the watch is gone, with what was watched


class Changes(Protocol):
    """What waits for changes."""

    interval_ns: int
    """How often to look at everything, whatever `wait` returns."""

    def wait(self, paths: list[Path], seconds: float) -> set[Path]:
        """Return which of these directories and files have changed, as far as that is told.

        Args:
            paths: of directories and files, always the same.
            seconds: how long to wait at most.
        """

    def wake(self) -> None:
        """End a wait, from another thread."""

    def close(self) -> None:
        """Give back what the kernel gave."""


class Polling:
    """Looking again and again."""

    interval_ns = SECOND_NS // 2

    def __init__(self) -> None:
        """Begin."""
        self._woken = threading.Event()

    def wait(self, paths: list[Path], seconds: float) -> set[Path]:  # noqa: ARG002
        """See `Changes`."""
        self._woken.wait(seconds)
        return set()

    def wake(self) -> None:
        """See `Changes`."""
        self._woken.set()

    def close(self) -> None:
        """See `Changes`."""


class Inotify:
    """Changes that the kernel tells."""

    interval_ns = 2 * SECOND_NS  # the kernel does not tell changes over a network

    def __init__(self) -> None:
        """Begin.

        Raises:
            ImportError, OSError: the kernel does not tell changes.
        """
        from inotify_simple import INotify, flags  # noqa: PLC0415 (Linux only)

        self._inotify = INotify(nonblocking=True)
        self._flags = (
            flags.MODIFY
            | flags.CREATE
            | flags.MOVED_TO
            | flags.DELETE
            | flags.DELETE_SELF
            | flags.MOVE_SELF
        )
        self._watched: dict[int, Path] = {}
        self._woken, self._wake = os.pipe()

    def wait(self, paths: list[Path], seconds: float) -> set[Path]:
        """See `Changes`."""
        self._watch(paths)
        changed: set[Path] = set()
        if self._woken in select.select([self._inotify.fileno(), self._woken], [], [], seconds)[0]:
            return changed
        select.select([self._woken], [], [], min(seconds, GATHER_S))
        for event in self._inotify.read(timeout=0):
            path = self._watched.get(event.wd)
            if path is not None and event.name != CHECKPOINT:
                changed.add(path)
            if event.mask & IGNORED:
                self._watched.pop(event.wd, None)
        return changed

    def _watch(self, paths: list[Path]) -> None:
        """Watch again what was deleted, as soon as it is there."""
        if len(self._watched) == len(paths):
            return
        for path in set(paths) - set(self._watched.values()):
            with suppress(OSError):
                self._watched[self._inotify.add_watch(path, self._flags)] = path

    def wake(self) -> None:
        """See `Changes`."""
        os.write(self._wake, b".")

    def close(self) -> None:
        """See `Changes`."""
        self._inotify.close()
        os.close(self._woken)
        os.close(self._wake)


def watch_changes() -> Changes:
    """Return the best that this computer has."""
    try:
        return Inotify()
    except (ImportError, OSError):
        return Polling()
