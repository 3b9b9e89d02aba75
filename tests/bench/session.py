"""All processes of a guest: UML is one for its kernel, one for its disk, one for each of its own.

They are one session, so that none is forgotten. The one rule: what was ended is dead, not dying,
when `end` returns: the disk's image is nobody's then.
"""

import os
import select
import signal
from pathlib import Path

LOOK_S = 0.001


def members(session: int) -> list[int]:
    """Which processes of a session are alive."""
    alive = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, numbers = path.read_text(errors="replace").rsplit(")", 1)
        except OSError:  # it has just ended
            continue
        state, _, _, its_session = numbers.split()[:4]
        if int(its_session) == session and state not in "ZX":
            alive.append(int(name.split()[0]))
    return alive


def end(session: int) -> None:
    """End a session that this process began."""
    while alive := members(session):
        for process in alive:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                continue
        select.select([], [], [], LOOK_S)
