"""What the names of log files say: the match, its other files, and the board or clock."""

import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from clock.storage.log_reader import log_stem, parts_of, read_log
from clock.units import SECOND_NS

COPIED_NS = SECOND_NS // 10  # at most between two logs that are copied at once
NAME = re.compile(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-(?P<board>[^.]+?)(_[0-9a-f]{6}(-\d+)?)?")


def match_of(path: Path) -> str:
    """Return the match that a file belongs to by its name."""
    return log_stem(path.name)


def board_of(path: Path) -> str:
    """Return the board or clock in a log's name; of another name the whole."""
    match = match_of(path)
    found = NAME.fullmatch(match)
    return found["board"] if found else match


def files_of(path: Path) -> list[Path]:
    """Return the files of the match that a file belongs to, in their order."""
    found = parts_of(path)
    if len(found) > 1:  # some may only be called like a part
        with suppress(OSError):
            log = read_log(path)
            found = list(log.files) if log is not None else found
    return found


def by_age(logs: Iterable[Path]) -> list[Path]:
    """Return logs that are there; that which was written to last comes last.

    Their names follow the clock's date, which may go back; they decide where logs were copied one
    right after the other.
    """
    found: list[tuple[int, Path]] = []
    for path in logs:
        with suppress(OSError):
            found.append((path.stat().st_mtime_ns, path))
    ordered: list[tuple[int, Path]] = []  # by copies, and by names
    copies, before_ns = 0, 0
    for written_ns, path in sorted(found):
        copies += written_ns - before_ns > COPIED_NS
        before_ns = written_ns
        ordered.append((copies, path))
    return [path for _, path in sorted(ordered)]
