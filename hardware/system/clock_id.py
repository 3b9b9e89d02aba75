"""The id of a clock: it tells the logs of several clocks apart, and nothing about the computer.

It is made from the machine id, which is confidential (machine-id(5)), by a keyed hash.
"""

import hmac
import os
import re
from contextlib import suppress
from pathlib import Path

MACHINE_ID = Path("/etc/machine-id")
PURPOSE = b"gammonclock: the id of a clock"  # for another purpose the hash is another
DIGITS = 8
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
        _keep(directory / KEPT, made)
    return made


def _content(path: Path) -> str:
    """Return a file's text without spaces around it; "" if it has none."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # else opening a pipe blocks
    except OSError:
        return ""
    try:
        return os.read(file, LONGEST).decode("ascii", errors="replace").strip()
    except OSError:
        return ""
    finally:
        os.close(file)


def _keep(path: Path, made: str) -> None:
    new = path.with_suffix(".new")
    with new.open("w", encoding="ascii") as file:
        file.write(f"{made}\n")
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)
