"""What the names of log files say: the match, its other files, and the board or clock."""

import re
from pathlib import Path

from clock.storage.log_reader import segments

NAME = re.compile(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-(?P<board>[^.]+)")


def match_of(path: Path) -> str:
    """Return the match that a file belongs to."""
    return path.name.partition(".")[0]


def board_of(path: Path) -> str:
    """Return the board or clock in a log's name; of another name the whole."""
    match = match_of(path)
    found = NAME.fullmatch(match)
    return found["board"] if found else match


def files_of(path: Path) -> list[Path]:
    """Return the files of the match that a file belongs to, in their order."""
    return segments(path.parent, match_of(path)) or [path]
