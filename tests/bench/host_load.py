"""A computer that has other things to do: one program for each of its cores, which never rests.

The guest's clock goes on meanwhile, so the guest loses milliseconds as a program does that another
one keeps from its processor; and so does the hand that moves its lines. `Board.load` keeps the
guest's own processor busy.

The one rule: what was started is ended.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

SPIN = [sys.executable, "-S", "-c", "while True: pass"]


@contextmanager
def host_load() -> Iterator[None]:
    """All cores of the computer that the guest runs on are busy."""
    cores = len(os.sched_getaffinity(0))
    busy = [subprocess.Popen(SPIN) for _ in range(cores)]
    try:
        yield
    finally:
        for program in busy:
            program.kill()
            program.wait()
