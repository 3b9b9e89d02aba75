"""The id of a clock: it tells the logs of several clocks apart, and nothing about the computer.

It is made from the machine id, which is confidential (machine-id(5)), by a keyed hash.
"""

import hmac
import os
import re
from contextlib import suppress
from pathlib import Path

from clock.files import replace_file
from clock.storage.disk import DISK

MACHINE_ID = Path("/etc/machine-id")
NO_MACHINE = Path()  # in its place: a clock that is a program, of which a computer may run several
PURPOSE = b"gammonclock: the id of a clock"  # for another purpose the hash is another
DIGITS = 8
START_BYTES = 3
LONGEST = 64  # bytes; a file with more has no id
KEPT = "clock-id"  # the file, in the log directory, of a clock without a machine id


def clock_id(directory: Path, source: Path = MACHINE_ID) -> str:
    """Return 8 hex digits, the same at each start of this clock.

    Without a machine id a random id is kept in the directory; if it cannot be kept, it changes with
    each start.
    """
    machine = _content(source)
    if re.fullmatch("[0-9a-f]{32}", machine):
        return hmac.digest(machine.encode(), PURPOSE, "sha256").hex()[:DIGITS]
    kept = _content(directory / KEPT)
    if re.fullmatch(f"[0-9a-f]{{{DIGITS}}}", kept):
        return kept
    made = os.urandom(DIGITS // 2).hex()
    with suppress(OSError):
        replace_file(directory / KEPT, f"{made}\n".encode("ascii"))
    return made


def start_id() -> str:
    """Return random hex digits for a start of this clock.

    They are in the names of its matches: copies of a card have the same id, board and files, and
    may open matches in the same second.
    """
    return os.urandom(START_BYTES).hex()


def _content(path: Path) -> str:
    """Return a file's text without spaces around it; "" if it has none."""
    try:
        return DISK.read_file(path, LONGEST).decode("ascii", errors="replace").strip()
    except OSError:
        return ""
