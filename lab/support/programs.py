"""Programs that a test starts, watches and ends."""

import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

LIMIT_S = 120  # of a program that does not end, on a busy machine


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


def events_of(address: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the events of a hub: their names and data."""
    with urllib.request.urlopen(f"{address}api/1/events", timeout=LIMIT_S) as lines:  # noqa: S310
        event = ""
        for line in lines:
            name, _, value = line.decode().strip().partition(": ")
            event = value if name == "event" else event
            if name == "data":
                yield event, json.loads(value)


def cpu_ns(process: int) -> int:
    """Return the processor time that a process has used (clock_getcpuclockid(3))."""
    return time.clock_gettime_ns(~process << 3 | 2)


def memory_mb(process: int) -> float:
    """Return the resident memory of a process."""
    pages = int(Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def wait_for(address: str, source: str, state: str) -> None:
    """Return when the board of a source is in a state, or fail after three ticks."""
    ticks, seen = 0, None
    for event, data in events_of(address):
        ticks += event == "tick"
        if event == "board" and data["source"] == source:
            seen = data["state"], data["damage"]
        if seen == (state, None) or ticks == 3:
            break
    assert seen == (state, None)
