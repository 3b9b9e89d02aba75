"""Follow the logs in a directory: the present match of each board, and earlier matches.

A file that cannot be read, or was cut off, is reported as trouble and tried again.
"""

import re
from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from pathlib import Path

from clock.storage.log_reader import CURRENT, log_path, segments
from clock.units import SECOND_NS
from hardware.system.clocks import boot_id
from room.sources.events import ClockHeard, EarlierLinesRead, Emit, LinesRead, Place, TroubleChanged
from room.sources.tail import Tail

CHECKPOINT = "checkpoint"
SUFFIX = ".jsonl"
CHECKPOINT_NS = 4 * SECOND_NS  # between two readings of the checkpoint
MOST_EARLIER_LOGS = 200  # that are read at the start
NAME = re.compile(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-(?P<board>[^.]+)")


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
        self._latest_checkpoint: tuple[str, int] = ("", 0)  # the checkpoint's boot and instant
        self._checkpoint_read_ns = -CHECKPOINT_NS
        self._unread: list[Path] | None = None  # logs of earlier matches; None: not listed yet
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
        for board, paths in files.items():
            place = self._place(board)
            read = [self._read(place, path) for path in paths]
            if all(read):
                self._trouble(place, "")
                self._emit(ClockHeard(place, self._now_ns()))
        self._read_checkpoint()

    def read_earlier(self) -> bool:
        """Emit the log of one earlier match; return whether there may be more."""
        if self._unread is None:
            self._unread = self._earlier()
        if not self._unread:
            return False
        path = self._unread.pop()
        tail = Tail(path)
        with suppress(OSError), closing(tail):
            lines, _ = tail.read()
            if lines:
                self._emit(EarlierLinesRead(self._place_of(path), path.stem, tuple(lines)))
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
            return found[-self._most_earlier :]
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
        """Emit the new lines of a file, after those of the file before; return False on trouble."""
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
        self._emit_lines(place, tail, lines, live=not is_new and tail.match == before)
        return not wrong

    def _read_to_the_end(self, place: Place, path: Path) -> None:
        """Emit what is left of a board's last match before the next one is followed.

        The clock may have written the end of a match and begun the next since the last scan.
        """
        match = path.name.partition(".")[0]
        for old in [each for each in self._tails if not each.name.startswith(f"{match}.")]:
            if place.hint in ("", _board_of(old)):
                with suppress(OSError):
                    tail = self._tails[old]
                    self._emit_lines(place, tail, tail.read()[0], live=True)
                self._tails.pop(old).close()

    def _emit_lines(self, place: Place, tail: Tail, lines: list[bytes], *, live: bool) -> None:
        if lines:
            self._emit(LinesRead(place, tail.match, tuple(lines), self._now_ns(), live=live))

    def _read_checkpoint(self) -> None:
        """Report that the clock lives if its checkpoint was written anew."""
        now_ns = self._now_ns()
        if now_ns - self._checkpoint_read_ns < CHECKPOINT_NS or not self.path.is_dir():
            return
        self._checkpoint_read_ns = now_ns
        found = _checkpoint(self.path / CHECKPOINT)
        if found is None or "" not in self._places:
            return
        boot, sent_ns, match, seq = found
        if (boot, sent_ns) != self._latest_checkpoint:
            # A checkpoint found at the start may be years old, unless it is of this boot.
            is_first, self._latest_checkpoint = not self._latest_checkpoint[0], (boot, sent_ns)
            if not is_first or boot == boot_id():
                self._emit(ClockHeard(self._place(""), now_ns, boot, sent_ns, match, seq))

    def _trouble_all(self, what: str) -> None:
        for place in list(self._places.values()) or [self._place("")]:
            self._trouble(place, what)

    def _trouble(self, place: Place, what: str) -> None:
        if self._troubles.get(place.key, "") != what:
            self._troubles[place.key] = what
            self._emit(TroubleChanged(place, f"{self.path}: {what}" if what else ""))


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
