"""Load all cores of this computer, so that it holds up the guest for milliseconds at a time.

The guest's clock runs on meanwhile. `Board.load` loads the guest's own processor instead.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

SPIN = [sys.executable, "-S", "-c", "while True: pass"]


@contextmanager
def host_load() -> Iterator[None]:
    """Keep each core of this computer busy with a program of its own."""
    cores = len(os.sched_getaffinity(0))
    busy = [subprocess.Popen(SPIN) for _ in range(cores)]
    try:
        yield
    finally:
        for program in busy:
            program.kill()
            program.wait()
