"""The processes of a guest: end all of them, and count their processor time.

User-Mode Linux has a process for its kernel, one for its disk, and one for each process of the
guest. All of them belong to one session. When `end` returns, all are dead and the image of the disk
is no longer in use.
"""

import os
import select
import signal
from collections.abc import Iterator
from pathlib import Path

LOOK_S = 0.001


def members(session: int) -> list[int]:
    """Return the ids of the processes of a session that are alive."""
    return [process for process, _ in _statuses(session)]


def processor_s(session: int) -> float:
    """Return the processor time of a session in seconds, with that of processes that have ended."""
    own = slice(11, 13)  # user and system time, in ticks
    ended = slice(13, 15)  # the same of children that have ended: of the leader's, all are
    ticks = 0
    for process, status in _statuses(session):
        ticks += sum(map(int, status[own]))
        if process == session:
            ticks += sum(map(int, status[ended]))
    return ticks / os.sysconf("SC_CLK_TCK")


def _statuses(session: int) -> Iterator[tuple[int, list[str]]]:
    """Yield the id of each process of a session that is alive, and the numbers of its status."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, numbers = path.read_text(errors="replace").rsplit(")", 1)
        except OSError:  # it has just ended
            continue
        status = numbers.split()
        state, _, _, its_session = status[:4]
        if int(its_session) == session and state not in "ZX":
            yield int(name.split()[0]), status


def end(session: int) -> None:
    """Kill all processes of a session, and wait until they are dead."""
    while alive := members(session):
        for process in alive:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                continue
        select.select([], [], [], LOOK_S)
