"""The sources that a person names: directories, files, serial ports and other hubs."""

import stat
from collections.abc import Sequence
from pathlib import Path

from room.sources.directories import Directories
from room.sources.events import Source
from room.sources.file import PacedFile
from room.sources.hall import Hall
from room.sources.hall_client import is_hall
from room.sources.raw_clock import now_ns
from room.sources.serial_line import SerialLine


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
        elif path.is_dir() or (path.is_file() and pace is None):
            paths.append(path)
        elif path.is_file():
            sources.append(PacedFile(path, pace or 1, now_ns))
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
