"""The directory of the log: whether it can be written to, is large enough, and how fast it syncs.

The one rule: whatever is written to try it is gone afterwards.
"""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median

from hardware.diagnostics.check_computer import SERVICE
from hardware.diagnostics.finding import Finding, Verdict

MEGABYTE = 10**6
LINE = b"x" * 399 + b"\n"
LINES = 40
NS_PER_MS = 1_000_000
SLOW_NS = 50 * NS_PER_MS  # in the middle: a line a press, and it is not on the card before the next
AS_ITS_USER = "Run this as the clock's own user: sudo -u {user} gammonclock doctor"
WORST_NS = 1000 * NS_PER_MS  # as much may be lost with the power as in a second of play


def directory(path: Path) -> Finding:
    """Whether logs can be written there.

    Args:
        path: the directory; the clock makes it if it may.
    """
    try:
        return _directory(path)
    except OSError as error:  # a directory above it is somebody else's
        found = f"{path}: {error.strerror or error}"
        return Finding("log", found, Verdict.FAULT, AS_ITS_USER.format(user=SERVICE))


def _directory(path: Path) -> Finding:
    if path.is_dir():
        if os.access(path, os.W_OK | os.X_OK):
            return Finding("log", str(path))
        advice = f"It is {_owner(path)}'s. {AS_ITS_USER.format(user=_owner(path))}"
        return Finding("log", f"{path} may not be written to", Verdict.FAULT, advice)
    if path.exists():
        advice = "Set log.directory to a directory."
        return Finding("log", f"{path} is no directory", Verdict.FAULT, advice)
    parent = next(above for above in path.absolute().parents if above.exists())
    if parent.is_dir() and os.access(parent, os.W_OK | os.X_OK):
        return Finding("log", f"{path} is not there yet; the clock will make it")
    advice = f"sudo install -d -o $USER {path}"
    return Finding("log", f"{path} is not there and cannot be made", Verdict.FAULT, advice)


def _owner(path: Path) -> str:
    try:
        return path.owner()
    except KeyError:  # a user who is gone
        return str(path.stat().st_uid)


def space(path: Path, needed: int, free_bytes: Callable[[Path], int]) -> Finding:
    """Whether a match has room there.

    Args:
        path: the directory.
        needed: bytes; with less the clock opens no match.
        free_bytes: how much a user may still write.
    """
    try:
        free = free_bytes(path)
    except OSError as error:
        return Finding("log space", f"not known: {error.strerror}", Verdict.LEFT_OUT)
    found = f"{free // MEGABYTE} MB free; a match needs {needed // MEGABYTE}"
    if free >= needed:
        return Finding("log space", found)
    advice = f"Move old logs from {path} to another computer, or take a larger card."
    return Finding("log space", found, Verdict.FAULT, advice)


def sync(path: Path, now_ns: Callable[[], int], fsync: Callable[[int], None]) -> Finding:
    """How long it takes until a line is safe from a power cut.

    Args:
        path: the directory; it can be written to.
        now_ns: the time.
        fsync: has what was written reach the medium.
    """
    try:
        took = _took(path, now_ns, fsync)
    except OSError as error:
        advice = f"Try another card: {path} cannot be trusted with a log."
        return Finding("log sync", str(error.strerror or error), Verdict.FAULT, advice)
    middle_ns, worst_ns = round(median(took)), max(took)
    found = f"{middle_ns / NS_PER_MS:.1f} ms a line, {worst_ns / NS_PER_MS:.1f} ms at worst"
    if middle_ns <= SLOW_NS and worst_ns <= WORST_NS:
        return Finding("log sync", found)
    advice = "After a power cut so much play may be unknown. Take a card of class A1 or better."
    return Finding("log sync", found, Verdict.NOTE, advice)


def _took(path: Path, now_ns: Callable[[], int], fsync: Callable[[int], None]) -> list[int]:
    """The time of each of some appends, in a file that has no name by the end."""
    took = []
    with tempfile.TemporaryFile(dir=path, buffering=0) as file:
        for _ in range(LINES):
            begun_ns = now_ns()
            file.write(LINE)
            fsync(file.fileno())
            took.append(now_ns() - begun_ns)
    return took


def free_bytes(path: Path) -> int:
    """How much a user may still write to the file system of a directory, or of the one above it."""
    there = next(each for each in (path.absolute(), *path.absolute().parents) if each.exists())
    found = os.statvfs(there)
    return found.f_bavail * found.f_frsize
