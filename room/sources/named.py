"""The sources that a person names: directories, files, serial ports and other hubs."""

import stat
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from clock.storage.log_reader import log_path, read_lines
from clock.units import SECOND_NS
from room.lines.events import ClockHeard, Emit, LinesRead, Place, Source, TroubleChanged
from room.lines.inbox import envelope_of
from room.sources.directories import Directories
from room.sources.hall import Hall
from room.sources.hall_client import is_hall
from room.sources.raw_clock import now_ns
from room.sources.serial_line import SerialLine
from room.sources.tail import match_name

ALIVE_NS = 5 * SECOND_NS  # between reports that the clock lives, while no line is due
LONGEST_WAIT_NS = 3600 * SECOND_NS  # a log whose instants jump is not waited for


class PacedFile:
    """A log file, replayed once."""

    def __init__(self, path: Path, pace: float, now_ns: Callable[[], int]) -> None:
        """Replay nothing before `start`.

        Args:
            path: the log file.
            pace: how many times as fast as the match was played.
            now_ns: returns the present instant on the raw clock.
        """
        self._path, self._pace, self._now_ns = path, pace, now_ns
        self._place = Place(f"{path}@{pace}", str(path))
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self, emit: Emit) -> None:
        """See `Source`."""
        self._thread = threading.Thread(target=self._run, args=(emit,), name="replay")
        self._thread.start()

    def close(self) -> None:
        """See `Source`."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self, emit: Emit) -> None:
        try:
            lines = read_lines(self._path)
        except OSError as error:
            emit(TroubleChanged(self._place, f"{self._path}: {error.strerror or error}"))
            return
        match = match_name(log_path(self._path), lines[0] if lines else b"")
        for at, (line, wait_ns) in enumerate(zip(lines, waits(lines, self._pace), strict=True)):
            if not self._pause(emit, wait_ns):
                return
            emit(LinesRead(self._place, match, (line,), self._now_ns(), live=True, first=at))

    def _pause(self, emit: Emit, wait_ns: int) -> bool:
        """Wait, and report that the clock lives; return False when the source is closed."""
        while wait_ns > ALIVE_NS:
            if self._stopping.wait(ALIVE_NS / SECOND_NS):
                return False
            wait_ns -= ALIVE_NS
            emit(ClockHeard(self._place, self._now_ns(), alive=True))
        return not self._stopping.wait(wait_ns / SECOND_NS)


def waits(lines: Sequence[bytes], pace: float) -> list[int]:
    """Return how long to wait before each line, in nanoseconds."""
    found = []
    boot, before_ns = "", 0
    for line in lines:
        envelope = envelope_of(line)
        wait_ns = 0
        if envelope is not None:
            same = envelope.boot == boot
            wait_ns = envelope.at_ns - before_ns if same else 0
            boot, before_ns = envelope.boot, envelope.at_ns
        found.append(int(min(max(0, wait_ns), LONGEST_WAIT_NS) / pace))
    return found


class SourceError(Exception):
    """There is no such source; the message says what one is."""


def named_sources(names: Sequence[str], pace: float | None, baud: int) -> list[Source]:
    """Return the sources of these names.

    Args:
        names: of directories, files, serial ports, and addresses of other hubs.
        pace: at which log files are replayed; None: they are followed.
        baud: of serial ports, bits a second.

    Raises:
        SourceError: there is no file of this name.
    """
    paths: list[Path] = []
    sources: list[Source] = []
    for name in dict.fromkeys(names):
        path = Path(name)
        if is_hall(name):
            sources.append(Hall(name, now_ns))
        elif is_port(name):
            sources.append(SerialLine(name, baud, now_ns))
        elif path.is_file() and pace is not None:
            sources.append(PacedFile(path, pace, now_ns))
        elif path.is_dir() or path.is_file():
            paths.append(path)
        else:
            allowed = "a log directory, a log, a serial port or the address of a hub"
            raise SourceError(f"{name}: there is no such file; a source is {allowed}")
    return [*sources, Directories(paths, now_ns)] if paths else sources


def is_port(name: str) -> bool:
    """Return whether a source is a serial port; one that is unplugged may be plugged in later."""
    path = Path(name)
    if "://" in name or name.upper().startswith(("COM", "\\\\.\\")):
        return not path.exists()
    try:
        return stat.S_ISCHR(path.stat().st_mode)
    except OSError:
        return name.startswith("/dev/")
