"""Programs that a test starts, and ends."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO


@contextmanager
def running(*arguments: str) -> Iterator[IO[str]]:
    """Start a program of Python and yield what it prints; end it."""
    program = subprocess.Popen([sys.executable, *arguments], stdout=subprocess.PIPE, text=True)
    assert program.stdout is not None
    try:
        yield program.stdout
    finally:
        program.terminate()
        program.stdout.read()
        program.wait()
        program.stdout.close()


@contextmanager
def watching(*arguments: str) -> Iterator[str]:
    """Start a hub and yield its address."""
    with running("-m", "gammonclock", "watch", *arguments, "--port", "0") as said:
        address, _, _ = said.readline().partition("room ")
        yield address
