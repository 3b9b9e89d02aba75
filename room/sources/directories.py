"""Follow log directories and files, all of them in one thread."""

import threading
from collections.abc import Callable
from pathlib import Path

from clock.units import SECOND_NS
from room.sources.changes import Changes, watch_changes
from room.sources.directory import MOST_EARLIER_LOGS, DirectoryFollower
from room.sources.events import Emit


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
            if unread and not is_due and not changed and not unread[-1].read_earlier():
                unread.pop()
        for follower in followers.values():
            follower.close()
        changes.close()

    def _seconds(self, due_ns: int, unread: list[DirectoryFollower]) -> float:
        """Return how long to wait for a change: earlier matches are read meanwhile."""
        return 0 if unread else max(0, due_ns - self._now_ns()) / SECOND_NS
