"""Follow the logs in a directory.

The files only grow while all is well. A file that was cut off, replaced or deleted is told as
trouble and read again from its first byte: whoever follows the lines knows which are new. What is
told is on the disk: the file is synced before. A last line without its line feed waits.
"""

import os
import re
import threading
from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from pathlib import Path

from clock.storage.disk import READ
from clock.storage.log_reader import CURRENT, MAX_LOG, log_path, segments
from clock.units import SECOND_NS
from hardware.system.clocks import boot_id
from room.sources import Archived, Heard, Lines, Place, Tell, Trouble, match_name
from room.sources.changes import Changes, watch_changes

CHECKPOINT = "checkpoint"
SUFFIX = ".jsonl"
HEARTBEAT_NS = 4 * SECOND_NS  # between two readings of the checkpoint
BEGINNING = 512  # bytes at the beginning of a file, by which it is known
MOST_ARCHIVED = 200  # earlier matches that are read at the start
NAME = re.compile(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-(?P<board>[^.]+)")


class Tail:
    """The whole lines of a growing file."""

    def __init__(self, path: Path) -> None:
        """Do not open the file yet."""
        self.path = path
        self.match = ""  # its name, as soon as there is a line
        self._file: int | None = None
        self._beginning = b""
        self._at = 0  # bytes read
        self._most = 0  # bytes of whole lines that were told, of this file or the one before
        self._rest = b""  # of a line that is not whole yet

    def read(self) -> tuple[list[bytes], str]:
        """Return the lines since the last call, and what has happened to the file if it is wrong.

        Raises:
            OSError: the file cannot be read.
        """
        self._reopen()
        is_beginning = self._at == len(self._rest)
        data = self._read_on()
        *lines, self._rest = (self._rest + data).split(b"\n")
        if lines:
            self._sync()
        if lines and is_beginning and (match := match_name(self.path, lines[0])) != self.match:
            self.match, self._most = match, 0
        whole = self._at - len(self._rest)
        wrong = "is shorter than it was" if whole < self._most else ""
        self._most = max(self._most, whole)
        return lines, wrong

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            os.close(self._file)
        self._file, self._at, self._rest, self._beginning = None, 0, b"", b""

    def _reopen(self) -> None:
        """Open the file if need be; read it from its beginning if it is not as it was."""
        if self._file is not None:
            named, own = self.path.stat(), os.fstat(self._file)
            if os.path.samestat(named, own):
                self._go_back(own.st_size)
                return
            self.close()  # replaced, as the clock itself does when a file fails
        self._file = os.open(self.path, READ)

    def _go_back(self, size: int) -> None:
        """Read a file that was cut off or written over again, from where it is as it was."""
        if self._file is None:
            return
        whole = self._at - len(self._rest)
        if size < whole or not self._begins_as_before(self._file):
            self._at = 0
        elif size < self._at:
            self._at = whole
        else:
            return
        self._rest, self._beginning = b"", self._beginning[: self._at]
        os.lseek(self._file, self._at, os.SEEK_SET)

    def _begins_as_before(self, file: int) -> bool:
        """Return whether a file is not another one that was copied over it."""
        os.lseek(file, 0, os.SEEK_SET)
        beginning = os.read(file, len(self._beginning))
        os.lseek(file, self._at, os.SEEK_SET)
        return self._beginning.startswith(beginning)

    def _read_on(self) -> bytes:
        if self._file is None:
            return b""
        parts = []
        while part := os.read(self._file, 1 << 20):
            parts.append(part)
            self._at += len(part)
            self._beginning = (self._beginning + part)[:BEGINNING]
            if self._at > MAX_LOG:
                raise OSError(f"larger than {MAX_LOG} bytes")
        return b"".join(parts)

    def _sync(self) -> None:
        """Wait until what was read is on the disk, where a reader can ask for that."""
        sync = getattr(os, "fdatasync", None)
        if sync is not None and self._file is not None:
            with suppress(OSError):  # a file system that does not sync for readers
                sync(self._file)


class Follower:
    """A log directory, or a single log file, looked through again and again."""

    def __init__(
        self,
        path: Path,
        tell: Tell,
        now_ns: Callable[[], int],
        most_archived: int = MOST_ARCHIVED,
    ) -> None:
        """Look at nothing yet.

        Args:
            path: of the directory or the file.
            tell: told what is found.
            now_ns: the instant on the raw clock.
            most_archived: how many earlier matches are read at the start.
        """
        self.path, self._most_archived = path, most_archived
        self._tell, self._now_ns = tell, now_ns
        self._tails: dict[Path, Tail] = {}  # those that may still grow, by file
        self._places: dict[str, Place] = {}  # by board
        self._heartbeat: tuple[str, int] = ("", 0)  # the checkpoint's boot and instant
        self._heartbeat_read_ns = -HEARTBEAT_NS
        self._archive: list[Path] | None = None  # still to be read; None: not looked for yet
        self._troubles: dict[str, str] = {}

    @property
    def growing(self) -> Iterable[Path]:
        """The files that may grow."""
        return self._tails.keys()

    def scan(self) -> None:
        """Tell everything that is new."""
        try:
            files = self._current_files()
        except OSError as error:
            self._trouble_all(error.strerror or str(error))
            return
        if not files:
            self._trouble_all("the log is gone" if self._tails else "no log yet")
        elif "" not in files and "" in self._places:
            self._trouble(
                self._places.pop(""), ""
            )  # it had no log yet, and has those of boards now
        for board, paths in files.items():
            place = self._place(board)
            read = [self._read(place, path) for path in paths]
            if all(read):
                self._trouble(place, "")
                self._tell(Heard(place, self._now_ns()))
        self._hear()

    def archive(self) -> bool:
        """Tell the log of one earlier match; return whether there may be more."""
        if self._archive is None:
            self._archive = self._earlier()
        if not self._archive:
            return False
        path = self._archive.pop()
        tail = Tail(path)
        with suppress(OSError), closing(tail):
            lines, _ = tail.read()
            if lines:
                self._tell(Archived(self._place_of(path), path.stem, tuple(lines)))
        return bool(self._archive)

    def close(self) -> None:
        """Close all files."""
        for tail in self._tails.values():
            tail.close()
        self._tails.clear()

    # --- which files --------------------------------------------------------------------------

    def _current_files(self) -> dict[str, list[Path]]:
        """Return the files of each board's present match, in the order of their lines."""
        current = self.path / CURRENT
        if not self.path.is_dir():
            self.path.stat()
            if self.path.name != CURRENT:
                return {_board_of(self.path): [self.path]}
            current = self.path
        if current.exists() or current.is_symlink():
            latest = log_path(current)
            return {"": _segments(latest)} if latest.exists() else {}
        newest: dict[str, Path] = {}
        for path in sorted(self.path.glob(f"*{SUFFIX}")):
            newest[_board_of(path)] = path
        return {board: _segments(path) for board, path in newest.items()}

    def _earlier(self) -> list[Path]:
        """Return the logs of earlier matches, the newest last."""
        if not self.path.is_dir():
            return []
        with suppress(OSError):
            present = {tail.match for tail in self._tails.values()}
            found = [
                path
                for path in sorted(self.path.glob(f"*{SUFFIX}"))
                if path.name != CURRENT and path.name.count(".") == 1 and path.stem not in present
            ]
            return found[-self._most_archived :]
        return []

    def _place(self, board: str) -> Place:
        if board not in self._places:
            key = f"{self.path}#{board}" if board else str(self.path)
            self._places[board] = Place(key, str(self.path), hint=board)
        return self._places[board]

    def _place_of(self, path: Path) -> Place:
        board = _board_of(path)
        return self._places.get(board) or self._place("")

    # --- reading ------------------------------------------------------------------------------

    def _read(self, place: Place, path: Path) -> bool:
        """Tell the new lines of a file, after those of the file before; return whether it can."""
        is_new = path not in self._tails
        if is_new:
            self._read_to_the_end(place, path)
        tail = self._tails.setdefault(path, Tail(path))
        before = tail.match
        try:
            lines, wrong = tail.read()
        except OSError as error:
            tail.close()
            self._trouble(place, f"{path.name}: {error.strerror or error}")
            return False
        if wrong:
            self._trouble(place, f"{path.name} {wrong}")
        self._tell_lines(place, tail, lines, live=not is_new and tail.match == before)
        return not wrong

    def _read_to_the_end(self, place: Place, path: Path) -> None:
        """Before a board's next match is followed, tell what is left of its last one."""
        match = path.name.partition(".")[0]
        for old in [each for each in self._tails if not each.name.startswith(f"{match}.")]:
            if place.hint in ("", _board_of(old)):
                with suppress(OSError):
                    tail = self._tails[old]
                    self._tell_lines(place, tail, tail.read()[0], live=True)
                self._tails.pop(old).close()

    def _tell_lines(self, place: Place, tail: Tail, lines: list[bytes], *, live: bool) -> None:
        if lines:
            self._tell(Lines(place, tail.match, tuple(lines), self._now_ns(), live=live))

    def _hear(self) -> None:
        """Tell that the clock lives if its checkpoint was written anew."""
        now_ns = self._now_ns()
        if now_ns - self._heartbeat_read_ns < HEARTBEAT_NS or not self.path.is_dir():
            return
        self._heartbeat_read_ns = now_ns
        found = _checkpoint(self.path / CHECKPOINT)
        if found is None or "" not in self._places:
            return
        boot, sent_ns, match, seq = found
        if (boot, sent_ns) != self._heartbeat:
            is_first, self._heartbeat = not self._heartbeat[0], (boot, sent_ns)
            if not is_first or boot == boot_id():
                self._tell(Heard(self._place(""), now_ns, boot, sent_ns, match, seq))

    def _trouble_all(self, what: str) -> None:
        for place in list(self._places.values()) or [self._place("")]:
            self._trouble(place, what)

    def _trouble(self, place: Place, what: str) -> None:
        if self._troubles.get(place.key, "") != what:
            self._troubles[place.key] = what
            self._tell(Trouble(place, f"{self.path}: {what}" if what else ""))


def _segments(path: Path) -> list[Path]:
    """Return the files of the match that a file belongs to, in their order."""
    name = path.name.partition(".")[0]
    return segments(path.parent, name) or [path]


def _board_of(path: Path) -> str:
    """Return the board or clock in a log's name; of another name the whole."""
    match = path.name.partition(".")[0]
    found = NAME.fullmatch(match)
    return found["board"] if found else match


def _checkpoint(path: Path) -> tuple[str, int, str, int] | None:
    """Return boot, instant, match and line of the clock's newest checkpoint."""
    try:
        from clock.storage.checkpoint import read_checkpoint  # noqa: PLC0415 (Linux and macOS only)
    except ImportError:
        return None
    found = read_checkpoint(path)
    return None if found is None else (found.boot, found.at_ns, found.match, found.seq)


class Directories:
    """All log directories and files, followed by one thread."""

    def __init__(
        self,
        paths: list[Path],
        now_ns: Callable[[], int],
        changes: Callable[[], Changes] = watch_changes,
        most_archived: int = MOST_ARCHIVED,
    ) -> None:
        """Follow nothing yet.

        Args:
            paths: of directories and files.
            now_ns: the instant on the raw clock.
            changes: makes what waits for changes.
            most_archived: how many earlier matches of each are read at the start.
        """
        self._paths, self._now_ns, self._make_changes = paths, now_ns, changes
        self._most_archived = most_archived
        self._stopping = threading.Event()
        self._changes: Changes | None = None
        self._thread: threading.Thread | None = None

    def start(self, tell: Tell) -> None:
        """See `Source`."""
        self._changes = self._make_changes()
        followers = {
            path: Follower(path, tell, self._now_ns, self._most_archived) for path in self._paths
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

    def _run(self, followers: dict[Path, Follower], changes: Changes) -> None:
        archives = [*reversed(followers.values())]  # whose earlier matches are still to be read
        due_ns = 0
        while not self._stopping.is_set():
            changed = changes.wait(self._seconds(due_ns, archives))
            is_due = self._now_ns() >= due_ns
            due_ns = self._now_ns() + changes.interval_ns if is_due else due_ns
            for path in followers if is_due else changed:
                followers[path].scan()
                while changes.watch(path, followers[path].growing):
                    followers[path].scan()
            if archives and not is_due and not changed and not archives[-1].archive():
                archives.pop()
        for follower in followers.values():
            follower.close()
        changes.close()

    def _seconds(self, due_ns: int, archives: list[Follower]) -> float:
        """Return how long to wait for a change: earlier matches are read meanwhile."""
        return 0 if archives else max(0, due_ns - self._now_ns()) / SECOND_NS
