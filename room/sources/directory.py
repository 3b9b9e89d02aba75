"""Follow the logs in a directory: the present match of each board, and earlier matches.

A file that cannot be read, or was cut off, is reported as trouble and tried again.
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import closing, suppress
from pathlib import Path

from clock.storage.log_reader import CURRENT, first_part, inspect, is_log_name, log_path
from clock.units import SECOND_NS
from hardware.system.clocks import boot_id
from room.lines.events import ClockHeard, EarlierLinesRead, Emit, LinesRead, Place, TroubleChanged
from room.sources.log_names import board_of, by_age, files_of, match_of
from room.sources.tail import Tail, sync

CHECKPOINT = "checkpoint"
CHECKPOINT_NS = 4 * SECOND_NS  # between two readings of the checkpoint
LINK_NS = (
    10 * SECOND_NS
)  # how long a clock may take from its first log to the link that leads there
MOST_EARLIER_LOGS = 200  # that are read at the start
MOST_LEFT = 5  # earlier matches that are looked at again


class DirectoryFollower:
    """The log directory of a clock, or a single log file, scanned again and again."""

    def __init__(
        self,
        path: Path,
        emit: Emit,
        now_ns: Callable[[], int],
        most_earlier: int = MOST_EARLIER_LOGS,
    ) -> None:
        """Read nothing yet.

        Args:
            path: of the directory or the file.
            emit: receives the events.
            now_ns: the instant on the raw clock.
            most_earlier: how many earlier matches are read at the start.
        """
        self.path, self._most_earlier = path, most_earlier
        self._emit, self._now_ns = emit, now_ns
        self._tails: dict[Path, Tail] = {}  # those that may still grow, by file
        self._places: dict[str, Place] = {}  # by board
        self._empty_ns: int | None = None  # when there was no log yet, the last time
        self._latest_checkpoint: tuple[str, int] | None = None  # its boot and instant
        self._checkpoint_read_ns = -CHECKPOINT_NS
        self._unread: list[Path] | None = None  # logs of earlier matches; None: not listed yet
        self._listed: set[Path] = set()  # all logs of earlier matches that were there so far
        self._left: dict[Path, dict[Path, int]] = {}  # the latest ones: bytes read of their files
        self._troubles: dict[str, str] = {}

    @property
    def growing(self) -> Iterable[Path]:
        """The files that may grow."""
        return self._tails.keys()

    def scan(self) -> None:
        """Emit everything that is new."""
        try:
            files = self._current_files()
        except OSError as error:
            self._trouble_all(error.strerror or str(error))
            return
        if not files:
            self._trouble_all("the log is gone" if self._tails else "no log yet")
        elif "" not in files and "" in self._places:
            # The folder was a place of its own while it was empty; it has logs of boards now.
            self._trouble(self._places.pop(""), "")
        elif "" in files:
            # It had logs of boards until a clock began to write into it: that is read as one place.
            for board in filter(None, list(self._places)):
                self._trouble(self._places.pop(board), "")
                self.close()
        for board, paths in files.items():
            place = self._place(board)
            read = [self._read(place, path, paths) for path in paths]
            if all(read):
                self._trouble(place, "")
                self._emit(ClockHeard(place, self._now_ns()))
        self._read_checkpoint()

    def read_earlier(self) -> bool:
        """Emit the log of one earlier match; return whether there may be more."""
        if self._unread is None:
            found = self._earlier()
            self._listed.update(found)
            self._unread = found[-self._most_earlier :]
        if not self._unread:
            return False
        self._emit_earlier(self._unread.pop())
        return bool(self._unread)

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
                return {board_of(self.path): files_of(self.path)}
            current = self.path
        if current.exists() or current.is_symlink():
            latest = log_path(current)
            return {"": files_of(latest)} if latest.exists() else {}
        newest: dict[str, Path] = {}
        for path in self._logs():
            newest[board_of(path)] = path
        if not newest:
            self._empty_ns = self._now_ns()
        elif self._empty_ns is not None and self._now_ns() - self._empty_ns < LINK_NS:
            return {}  # a clock writes its first log before the link, and is one place, not a board
        return {board: files_of(path) for board, path in newest.items()}

    def _earlier(self) -> list[Path]:
        """Return the logs of earlier matches, the newest last."""
        if not self.path.is_dir():
            return []
        with suppress(OSError):
            present = {tail.match for tail in self._tails.values()}
            return [path for path in self._logs() if match_of(path) not in present]
        return []

    def _logs(self) -> list[Path]:
        """Return all files of logs, the newest last."""
        names = (path for path in self.path.iterdir() if is_log_name(path.name))
        return by_age(path for path in names if path.name != CURRENT)

    def _place(self, board: str) -> Place:
        if board not in self._places:
            key = f"{self.path}#{board}" if board else str(self.path)
            self._places[board] = Place(key, str(self.path), hint=board)
        return self._places[board]

    def _place_of(self, path: Path) -> Place:
        board = board_of(path)
        return self._places.get(board) or self._place("")

    # --- reading ------------------------------------------------------------------------------

    def _read(self, place: Place, path: Path, parts: Sequence[Path]) -> bool:
        """Emit the new lines of one of a log's parts, in order; return False on trouble."""
        if path not in self._tails:
            self._read_to_the_end(place, path)
        at = parts.index(path)
        earlier = self._tails.get(parts[at - 1]) if at else None
        tail = self._tails.setdefault(path, Tail(path, earlier))
        before = tail.match
        try:
            lines, wrong = tail.read()
        except OSError as error:
            tail.close()
            self._trouble(place, f"{path.name}: {error.strerror or error}")
            return False
        if tail.is_torn and path == parts[-1]:
            wrong = wrong or "ends in the middle of a line"
        if wrong:
            self._trouble(place, f"{path.name} {wrong}")
        first = None if at else tail.first
        self._emit_lines(place, tail, lines, live=tail.match == before, first=first)
        return not wrong

    def _read_to_the_end(self, place: Place, path: Path) -> None:
        """Emit what is left of a board's last match before the next one is followed.

        The clock may have written the end of a match and begun the next since the last scan.
        """
        match = match_of(path)
        for old in [each for each in self._tails if match_of(each) != match]:
            if place.hint in ("", board_of(old)):
                tail = self._tails.pop(old)
                with suppress(OSError), closing(tail):
                    self._emit_lines(place, tail, tail.read()[0], live=True)
                    self._left.setdefault(first_part(old), {})[old] = tail.size

    def _emit_lines(
        self,
        place: Place,
        tail: Tail,
        lines: list[bytes],
        *,
        live: bool,
        first: int | None = None,
    ) -> None:
        if lines:
            now_ns = self._now_ns()
            self._emit(LinesRead(place, tail.match, tuple(lines), now_ns, live=live, first=first))

    def _emit_earlier(self, path: Path) -> None:
        """Emit the log of an earlier match, its parts joined."""
        with suppress(OSError):
            sync(path)
            log = inspect(path)
            if log.lines and not log.is_part(path):
                self._emit(EarlierLinesRead(self._place_of(path), match_of(path), log.lines))

    def _read_left(self) -> None:
        """Emit logs that have come or grown although another match was begun.

        What a card refuses the clock keeps in memory, and saves when the card takes it again.
        """
        if self._unread is not None:
            for path in self._earlier():
                if path not in self._listed:
                    self._listed.add(path)
                    self._left.setdefault(path, {})
        for path, known in self._left.items():
            with suppress(OSError):
                sizes = {each: each.stat().st_size for each in files_of(path)}
                if sizes != known:
                    self._left[path] = sizes
                    self._emit_earlier(path)
        while len(self._left) > MOST_LEFT:
            del self._left[next(iter(self._left))]

    def _read_checkpoint(self) -> None:
        """Report that the clock lives if its checkpoint was written anew."""
        now_ns = self._now_ns()
        if now_ns - self._checkpoint_read_ns < CHECKPOINT_NS:
            return
        self._checkpoint_read_ns = now_ns
        self._read_left()
        found = _checkpoint(self.path / CHECKPOINT)
        if found is None or "" not in self._places:
            return
        boot, sent_ns, match, seq = found
        if (boot, sent_ns) != self._latest_checkpoint:
            # A checkpoint found at the start may be years old, unless it is of this boot.
            is_first, self._latest_checkpoint = self._latest_checkpoint is None, (boot, sent_ns)
            if not is_first or boot == boot_id():
                self._emit(ClockHeard(self._place(""), now_ns, boot, sent_ns, match, seq))

    def _trouble_all(self, what: str) -> None:
        for place in list(self._places.values()) or [self._place("")]:
            self._trouble(place, what)

    def _trouble(self, place: Place, what: str) -> None:
        if self._troubles.get(place.key, "") != what:
            self._troubles[place.key] = what
            self._emit(TroubleChanged(place, f"{self.path}: {what}" if what else ""))


def _checkpoint(path: Path) -> tuple[str, int, str, int] | None:
    """Return boot, instant, match and line of the clock's newest checkpoint."""
    try:
        from clock.storage.checkpoint import read_checkpoint  # noqa: PLC0415 (Linux and macOS only)
    except ImportError:
        return None
    found = read_checkpoint(path)
    return None if found is None else (found.boot, found.at_ns, found.match, found.seq)
