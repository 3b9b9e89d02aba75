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

from clock.durable import sync_directory
from clock.segment import Segment

CURRENT = "current.jsonl"  # links to the file that the latest match is written to


class MatchLog:
    """The files of a match."""

    def __init__(self, directory: Path, match: str, segment: Segment | None = None) -> None:
        """A match's log; its file is not made yet unless it is given."""
        self._directory = directory
        self._match = match
        self._segment = Segment(directory / f"{match}.jsonl") if segment is None else segment
        self._unsynced: list[bytes] = []
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
        failed, saved = self._segment, self._segment.saved()
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
        self._segment = new
        self._unsynced.clear()

    def leave(self) -> None:
        """Nothing more will be written now."""
        self._segment.leave()

    def _name(self, path: Path) -> None:
        """Make the name of its file durable, and link to it."""
        if self.latest:
            link = self._directory / f".{CURRENT}.new"
            link.unlink(missing_ok=True)
            link.symlink_to(path.name)
            link.rename(self._directory / CURRENT)
        sync_directory(self._directory)

    def _next_path(self) -> Path:
        number = 2
        while (path := self._directory / f"{self._match}.{number}.jsonl").exists():
            number += 1
        return path


def _keep(failed: Path) -> None:
    """Keep a file that failed, as evidence: the first of a match, so that they fill no disk."""
    with suppress(OSError):
        os.link(failed, failed.with_suffix(".failed"))
