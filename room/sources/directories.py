"""Follow log directories and files, all of them in one thread: by inotify, or by polling."""

import os
import select
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from clock.units import SECOND_NS
from room.lines.events import Emit
from room.sources.directory import MOST_EARLIER_LOGS, DirectoryFollower


class Changes(Protocol):
    """A way to wait for changes."""

    interval_ns: int
    """How often to look at everything, whatever `wait` returns."""

    def watch(self, path: Path, files: Iterable[Path]) -> bool:
        """Wait from now on for changes of a directory or a file.

        Args:
            path: of the directory: files that come into it or go are a change; or of the file.
            files: that may grow, in this directory; those of an earlier call may not any more.

        Returns:
            Whether changes until now may have been missed, so that it has to be looked at again.
        """

    def wait(self, seconds: float) -> set[Path]:
        """Return which directories and files have changed, as far as that is known.

        Args:
            seconds: how long to wait at most.
        """

    def wake(self) -> None:
        """End a wait, from another thread."""

    def close(self) -> None:
        """Free the kernel's resources."""


class Polling:
    """Polling: everything is looked at in each interval."""

    interval_ns = SECOND_NS // 2

    def __init__(self) -> None:
        self._woken = threading.Event()

    def watch(self, path: Path, files: Iterable[Path]) -> bool:  # noqa: ARG002
        """See `Changes`."""
        return False

    def wait(self, seconds: float) -> set[Path]:
        """See `Changes`."""
        self._woken.wait(seconds)
        return set()

    def wake(self) -> None:
        """See `Changes`."""
        self._woken.set()

    def close(self) -> None:
        """See `Changes`."""


class Inotify:
    """Changes that the kernel notifies of.

    A directory is watched for files that come and go, and each log for its growth, but no other
    file: a clock writes its checkpoint beside the logs twice a second.
    """

    interval_ns = 2 * SECOND_NS  # changes over a network are not notified

    def __init__(self) -> None:
        """Watch nothing yet.

        Raises:
            ImportError, OSError: there are no notifications here.
        """
        from inotify_simple import INotify, flags  # noqa: PLC0415 (Linux only)

        self._inotify = INotify()
        moved = flags.MOVE_SELF
        self._of_directory = moved | flags.CREATE | flags.MOVED_TO | flags.DELETE | flags.ONLYDIR
        self._of_file = moved | flags.MODIFY
        self._gone = moved | flags.IGNORED  # has another name, or is deleted
        self._watches: dict[Path, dict[Path, int]] = {}  # of each path: of itself and its files
        self._watched: dict[int, tuple[Path, Path]] = {}  # the path, and it or one of its files
        self._woken, self._wake = os.pipe()

    def watch(self, path: Path, files: Iterable[Path]) -> bool:
        """See `Changes`."""
        watches, wanted = self._watches.setdefault(path, {}), {path, *files}
        for old in watches.keys() - wanted:
            self._forget(path, old)
        return sum(self._add(path, each) for each in wanted - watches.keys()) > 0

    def _add(self, path: Path, each: Path) -> bool:
        """Watch a path or one of its files; return whether there is such a thing."""
        is_directory = each == path and path.is_dir()
        flags = self._of_directory if is_directory else self._of_file
        try:
            watch = self._inotify.add_watch(each, flags)
        except OSError:
            return False
        self._watches[path][each] = watch
        self._watched[watch] = path, each
        return True

    def _forget(self, path: Path, each: Path) -> None:
        """Watch something no longer."""
        watch = self._watches[path].pop(each, -1)
        if self._watched.pop(watch, None) is not None:
            with suppress(OSError):  # it has gone already
                self._inotify.rm_watch(watch)

    def wait(self, seconds: float) -> set[Path]:
        """See `Changes`."""
        changed: set[Path] = set()
        select.select([self._inotify.fileno(), self._woken], [], [], seconds)
        for event in self._inotify.read(timeout=0):
            if event.wd not in self._watched:
                continue
            path, each = self._watched[event.wd]
            changed.add(path)
            if event.name:  # another file may have this name now
                self._forget(path, path / event.name)
            if event.mask & self._gone:
                for gone in [*self._watches[path]] if each == path else [each]:
                    self._forget(path, gone)
        return changed

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


class Directories:
    """All log directories and files, followed by one thread."""

    def __init__(
        self,
        paths: list[Path],
        now_ns: Callable[[], int],
        changes: Callable[[], Changes] = watch_changes,
        most_earlier: int = MOST_EARLIER_LOGS,
    ) -> None:
        """Follow nothing yet.

        Args:
            paths: of directories and files.
            now_ns: the instant on the raw clock.
            changes: makes what waits for changes.
            most_earlier: how many earlier matches of each are read at the start.
        """
        self._paths, self._now_ns, self._make_changes = paths, now_ns, changes
        self._most_earlier = most_earlier
        self._stopping = threading.Event()
        self._changes: Changes | None = None
        self._thread: threading.Thread | None = None

    def start(self, emit: Emit) -> None:
        """See `Source`."""
        self._changes = self._make_changes()
        followers = {
            path: DirectoryFollower(path, emit, self._now_ns, self._most_earlier)
            for path in self._paths
        }
        arguments = (followers, self._changes)
        self._thread = threading.Thread(target=self._run, args=arguments, name="directories")
        self._thread.start()

    def close(self) -> None:
        """See `Source`."""
        self._stopping.set()
        if self._changes is not None:
            self._changes.wake()
        if self._thread is not None:
            self._thread.join()

    def _run(self, followers: dict[Path, DirectoryFollower], changes: Changes) -> None:
        unread = [*reversed(followers.values())]  # whose earlier matches are still to be read
        due_ns = 0
        while not self._stopping.is_set():
            changed = changes.wait(self._seconds(due_ns, unread))
            is_due = self._now_ns() >= due_ns
            due_ns = self._now_ns() + changes.interval_ns if is_due else due_ns
            for path in followers if is_due else changed:
                followers[path].scan()
                # A file that came between the scan and the watch would not be seen: scan again.
                while changes.watch(path, followers[path].growing):
                    followers[path].scan()
            if unread and not unread[-1].read_earlier():
                unread.pop()
        for follower in followers.values():
            follower.close()
        changes.close()

    def _seconds(self, due_ns: int, unread: list[DirectoryFollower]) -> float:
        """Return how long to wait for a change: earlier matches are read meanwhile."""
        return 0 if unread else max(0, due_ns - self._now_ns()) / SECOND_NS
