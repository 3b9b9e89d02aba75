"""End all processes of a guest.

User-Mode Linux has a process for its kernel, one for its disk, and one for each process of the
guest. All of them belong to one session. When `end` returns, all are dead and the image of the disk
is no longer in use.
"""

import os
import select
import signal
from pathlib import Path

LOOK_S = 0.001


def members(session: int) -> list[int]:
    """Return the ids of the processes of a session that are alive."""
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
    """Kill all processes of a session, and wait until they are dead."""
    while alive := members(session):
        for process in alive:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                continue
        select.select([], [], [], LOOK_S)
