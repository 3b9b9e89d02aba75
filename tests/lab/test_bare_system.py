"""What is started for a bare system ends with it."""

import os
import subprocess

import pytest

from lab.bare_system import APART, end
from lab.support.needs import needs_unshare


@pytest.mark.slow
def test_nothing_is_left_of_a_program_that_is_ended() -> None:
    """Neither itself nor what it has started: nobody can write to its output any more."""
    needs_unshare()
    program = [*APART, "sh", "-c", "setsid sleep 600 & echo begun; wait"]
    with subprocess.Popen(program, stdout=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == b"begun\n"
        end(running.pid)
        running.wait()
        os.set_blocking(running.stdout.fileno(), False)
        assert running.stdout.read() == b""
