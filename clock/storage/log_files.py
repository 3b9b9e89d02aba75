"""The files of one match's log, and the lines that are not on the disk yet.

The log is `<match>.jsonl`. When that file fails, a new one replaces it: what the old file has on
the disk, read back and compared, and the lines since. If the old file cannot be read back it stays,
and the lines since go into the next segment, `<match>.2.jsonl`. A line is dropped from memory only
after it was synced.
"""

import errno
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import msgspec

from clock.storage.disk import Disk
from clock.storage.log_reader import CURRENT, Pointer, log_path, next_part
from clock.storage.segment import Segment

_NO_LINKS = (errno.EPERM, errno.ENOSYS, errno.EOPNOTSUPP)  # FAT and some others


class MatchLog:
    """The log of a match on the disk."""

    def __init__(
        self, directory: Path, match: str, disk: Disk, segment: Segment | None = None
    ) -> None:
        """Do not create a file yet; the segment is the file, if it exists."""
        self._directory = directory
        self._disk = disk
        self._segment = segment or Segment(directory / f"{match}.jsonl", disk)
        self._unsynced: list[bytes] = []
        self._next_path: Path | None = None  # of the segment after one that cannot be read back
        self._is_published = segment is not None
        self.is_latest = True  # no other match has started since

    @property
    def is_open(self) -> bool:
        """Whether its file has not failed."""
        return self._segment.is_open

    @property
    def has_unsynced(self) -> bool:
        """Whether there are lines that are not on the disk."""
        return bool(self._unsynced)

    def add(self, line: bytes) -> None:
        """Keep one more line for the next `flush` or `move`."""
        self._unsynced.append(line)

    def copy(self, lines: Iterable[bytes]) -> None:
        """Take over lines of a log that is not appended to, all or the last; `move` writes them."""
        self._unsynced.extend(line + b"\n" for line in lines)
        path = self._segment.path
        if path.exists() and not path.is_symlink():
            self._path_of_next()

    def create(self) -> None:
        """Create the file; `current.jsonl` leads to it as soon as it has a line.

        So a link that leads to no line shows that a match was lost.

        Raises:
            OSError: it cannot be created.
        """
        self._segment.create()

    def flush(self) -> None:
        """Append the unsynced lines to the file, and sync.

        Raises:
            OSError: the file has failed; call `move`.
        """
        if self._unsynced:
            self._segment.append(b"".join(self._unsynced))
            self._unsynced.clear()
            self._publish_first_line()

    def _publish_first_line(self) -> None:
        if not self._is_published:
            try:
                self._publish(self._segment.path)
            except OSError:
                self._segment.close()
                raise

    def move(self) -> None:
        """Write the log with its unsynced lines to a new file that replaces the failed one.

        Raises:
            OSError: that failed too; everything is as before.
        """
        failed, saved = self._segment, None if self._next_path else self._segment.read_back()
        path = failed.path if saved is not None else self._path_of_next()
        new = Segment(path.with_suffix(".new"), self._disk)
        self._disk.unlink(new.path)
        try:
            new.create()
            new.append((saved or b"") + b"".join(self._unsynced))
            if failed.sync_failed:
                _keep_as_evidence(failed.path, self._disk)
            new.rename(path)
            self._publish(path)
        except OSError:
            new.close()
            with suppress(OSError):  # the next attempt may need its space
                self._disk.unlink(path.with_suffix(".new"))
            raise
        self._segment, self._next_path = new, None
        self._unsynced.clear()

    def close(self) -> None:
        """Close the file; unsynced lines stay in memory."""
        self._segment.close()

    def find_missing(self) -> bool:
        """Return whether the file was deleted or replaced; it is then closed: call `move`."""
        try:
            self._segment.require_in_place()
        except OSError:
            return True
        return False

    def publish(self) -> None:
        """Lead `current.jsonl` to the file again; raise OSError if it does not lead there."""
        self._publish(self._segment.path)

    def _publish(self, path: Path) -> None:
        """Make the file's name durable, and link to it if this is the latest match."""
        if self.is_latest:
            self._link(path)
        self._disk.sync_directory(self._directory)
        self._is_published = True

    def _link(self, path: Path) -> None:
        current = self._directory / CURRENT
        if path == current:  # a copy without links has the log itself there: see `log_path`
            return
        if current.is_file() and not current.is_symlink() and log_path(current).name == CURRENT:
            _set_aside(current, self._disk)
        link = self._directory / f".{CURRENT}.new"
        self._disk.unlink(link)
        try:
            self._disk.symlink(path.name, link)
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            _write_pointer(link, path.name, self._disk)
        self._disk.rename(link, current)

    def _path_of_next(self) -> Path:
        """Return the path of the segment after all others; the same one until it was written."""
        self._next_path = self._next_path or next_part(self._directory / self._segment.path.name)
        return self._next_path


def _set_aside(current: Path, disk: Disk) -> None:
    """Give a log that lies in the place of the link a second name, which it keeps."""
    number = 1
    while (path := current.with_name(f"current-{number}.jsonl")).exists():
        number += 1
    try:
        disk.link(current, path)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        disk.rename(current, path)


def _write_pointer(path: Path, name: str, disk: Disk) -> None:
    """Write a file that names the log, in the place of a symbolic link."""
    file = disk.create(path)
    try:
        disk.append(file, msgspec.json.encode(Pointer(name)) + b"\n")
    finally:
        disk.let_go(file)


def _keep_as_evidence(failed: Path, disk: Disk) -> None:
    """Keep a match's first file whose sync failed; later ones are dropped to save space."""
    with suppress(OSError):
        disk.link(failed, failed.with_suffix(".failed"))
