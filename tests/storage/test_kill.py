"""The program is killed while it works: what it said was saved, is saved, and the match goes on.

`make bench` does the same a thousand times.
"""

import subprocess
import sys

import pytest

from lab.support import clock_process
from lab.support.paths import ROOT

KILLS = 3


@pytest.mark.slow
@pytest.mark.rule("R67", "R83", "R84", "T12")
def test_no_acknowledged_line_is_lost() -> None:
    """R67: killed again and again, the match goes on exactly, and its log is one whole log."""
    command = [sys.executable, "-m", clock_process.__name__, "0", str(KILLS)]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert int(done.stdout) >= KILLS
