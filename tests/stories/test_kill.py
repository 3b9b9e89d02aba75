"""The program is killed while it works: what it said was saved, is saved, and the match goes on.

`make bench` does the same a thousand times.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

DRIVER = Path(__file__).parent / "clock_process.py"
MATCHES, KILLS = 5, 10  # each match is killed so often


@pytest.mark.rule("R67", "R83", "R84", "T12")
@pytest.mark.parametrize("seed", range(MATCHES))
def test_no_acknowledged_line_is_lost(seed: int) -> None:
    """R67: killed again and again, the match goes on exactly, and its log is one whole log."""
    root = DRIVER.parent.parent
    environ = os.environ | {"PYTHONPATH": os.pathsep.join((str(root), str(DRIVER.parent)))}
    command = [sys.executable, str(DRIVER), str(seed), str(KILLS)]
    done = subprocess.run(command, env=environ, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert int(done.stdout) >= KILLS
