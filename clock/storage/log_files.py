"""The log of one match on the disk, and the lines that are not there yet.

Its file is `<match>.jsonl`. When that fails, a new file takes its place: what the old one had on
the disk, read back and compared, and the lines since. If the old one cannot be read any more, the
lines since go into a segment of their own, `<match>.2.jsonl`; nobody has to give up for it what may
still be in the first.

The one rule: a line is forgotten here only after it was synced.
"""

import os
from contextlib import suppress
from pathlib import Path

from clock.storage.fsync import sync_directory
from clock.storage.segment import Segment

CURRENT = "current.jsonl"  # links to the file that the latest match is written to


class MatchLog:
    """The files of a match."""

    def __init__(self, directory: Path, match: str, segment: Segment | None = None) -> None:
        """A match's log; its file is not made yet unless it is given.

        Args:
            directory: of the logs.
            match: what the file is called.
            segment: it, if it is there.
        """
        self._directory = directory
        self._segment = Segment(directory / f"{match}.jsonl") if segment is None else segment
        self._unsynced: list[bytes] = []
        self._next: Path | None = None  # the segment that takes the place of one that is unreadable
        self.latest = True  # no other match has begun since

    @property
    def usable(self) -> bool:
        """Its file has not failed."""
        return self._segment.usable

    @property
    def waits(self) -> bool:
        """There are lines that are not on the disk."""
        return bool(self._unsynced)

    def take(self, line: bytes) -> None:
        """One more line, for the next `append` or `anew`."""
        self._unsynced.append(line)

    def begin(self) -> None:
        """Make the file.

        Raises:
            OSError: it cannot be made.
        """
        self._segment.make()
        try:
            self._name(self._segment.path)
        except OSError:
            self._segment.leave()
            raise

    def append(self) -> None:
        """Write what is waiting to the file.

        Raises:
            OSError: the file has failed; go on with `anew`.
        """
        if self._unsynced:
            self._segment.append(b"".join(self._unsynced))
        self._unsynced.clear()

    def anew(self) -> None:
        """Write what is waiting, with all before it, to a new file.

        Raises:
            OSError: it cannot be done; all is as before.
        """
        failed, saved = self._segment, None if self._next else self._segment.saved()
        path = failed.path if saved is not None else self._next_path()
        new = Segment(path.with_suffix(".new"))
        new.path.unlink(missing_ok=True)
        try:
            new.make()
            new.append((saved or b"") + b"".join(self._unsynced))
            if failed.suspect:
                _keep(failed.path)
            new.rename(path)
            self._name(path)
        except OSError:
            new.leave()
            with suppress(OSError):  # it takes room that the next attempt may need
                path.with_suffix(".new").unlink(missing_ok=True)
            raise
        self._segment, self._next = new, None
        self._unsynced.clear()

    def leave(self) -> None:
        """Nothing more will be written now."""
        self._segment.leave()

    def _name(self, path: Path) -> None:
        """Make the name of its file durable, and link to it."""
        if self.latest:
            self._link(path)
        sync_directory(self._directory)

    def _link(self, path: Path) -> None:
        current = self._directory / CURRENT
        if path == current:  # see `found.files`: it is no link
            return
        if current.is_file() and not current.is_symlink():
            _set_aside(current)
        link = self._directory / f".{CURRENT}.new"
        link.unlink(missing_ok=True)
        link.symlink_to(path.name)
        link.rename(current)

    def _next_path(self) -> Path:
        name, number = self._segment.path.name.partition(".")[0], 2
        while self._next is None:
            path = self._directory / f"{name}.{number}.jsonl"
            self._next, number = None if path.exists() else path, number + 1
        return self._next


def _set_aside(current: Path) -> None:
    """Keep a log that lies in the place of the link, as in a copy of a directory without links."""
    number = 1
    while (path := current.with_name(f"current-{number}.jsonl")).exists():
        number += 1
    os.link(current, path)


def _keep(failed: Path) -> None:
    """Keep a file that failed, as evidence: the first of a match, so that they fill no disk."""
    with suppress(OSError):
        os.link(failed, failed.with_suffix(".failed"))
