"""Check the log's directory: write access, free space, and how fast it stores a line.

Whatever is written for this is deleted again.
"""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median

from hardware.diagnostics.check_computer import SERVICE
from hardware.diagnostics.finding import Finding, Verdict
from hardware.units import NS_PER_MS

MEGABYTE = 10**6
LINE = b"x" * 399 + b"\n"
LINES = 40
SLOW_NS = 50 * NS_PER_MS  # median; slower, a press may not be stored before the next one
WORST_NS = 1000 * NS_PER_MS  # a power cut may lose a second of play, no more
RUN_AS_USER = "Run this as the clock's own user: sudo -u {user} gammonclock doctor"


def directory(path: Path) -> Finding:
    """Check that logs can be written to a directory; the clock creates it if it may."""
    try:
        return _directory(path)
    except OSError as error:  # a directory above it is closed to this user
        found = f"{path}: {error.strerror}"
        return Finding("log", found, Verdict.FAULT, RUN_AS_USER.format(user=SERVICE))


def _directory(path: Path) -> Finding:
    if path.is_dir():
        if os.access(path, os.W_OK | os.X_OK):
            return Finding("log", str(path))
        advice = f"It belongs to {_owner(path)}. {RUN_AS_USER.format(user=_owner(path))}"
        return Finding("log", f"no permission to write to {path}", Verdict.FAULT, advice)
    if path.exists():
        advice = "Set log.directory to a directory."
        return Finding("log", f"{path} is not a directory", Verdict.FAULT, advice)
    parent = next(above for above in path.absolute().parents if above.exists())
    if parent.is_dir() and os.access(parent, os.W_OK | os.X_OK):
        return Finding("log", f"{path} does not exist yet; the clock will create it")
    advice = f"Create it: sudo install -d -o $USER {path}"
    return Finding("log", f"{path} does not exist and cannot be created", Verdict.FAULT, advice)


def _owner(path: Path) -> str:
    try:
        return path.owner()
    except KeyError:  # the user was deleted
        return f"'#{path.stat().st_uid}'"


def space(path: Path, needed: int, free_bytes: Callable[[Path], int]) -> Finding:
    """Check that a directory, which need not exist yet, has room for the log of a match."""
    above = (path.absolute(), *path.absolute().parents)
    try:
        free = free_bytes(next(each for each in above if each.exists()))
    except OSError as error:
        return Finding("log space", f"unknown: {error.strerror}", Verdict.SKIPPED)
    found = f"{free // MEGABYTE} MB free; a match needs {needed // MEGABYTE} MB"
    if free >= needed:
        return Finding("log space", found)
    advice = f"Move old logs from {path} to another computer, or use a larger card."
    return Finding("log space", found, Verdict.FAULT, advice)


def sync(path: Path, now_ns: Callable[[], int], fsync: Callable[[int], None]) -> Finding:
    """Measure how long it takes until a line in a directory would survive a power cut."""
    try:
        taken = _sync_times_ns(path, now_ns, fsync)
    except OSError as error:
        advice = f"Use another card: this one failed to store a line in {path}."
        return Finding("log sync", str(error.strerror), Verdict.FAULT, advice)
    median_ns, worst_ns = round(median(taken)), max(taken)
    found = f"{median_ns / NS_PER_MS:.1f} ms a line, {worst_ns / NS_PER_MS:.1f} ms at worst"
    if median_ns <= SLOW_NS and worst_ns <= WORST_NS:
        return Finding("log sync", found)
    advice = "A power cut may lose as much play as that. Use a card of class A1 or better."
    return Finding("log sync", found, Verdict.NOTE, advice)


def links(path: Path) -> Finding | None:
    """Test whether the file system of a directory has symbolic links; None: it has."""
    try:
        with tempfile.TemporaryDirectory(dir=path) as folder:
            (Path(folder) / "link").symlink_to("log")
    except OSError as error:
        found = f"no symbolic links ({error.strerror}): current.jsonl will name the log instead"
        advice = "The clock works without. To have links, use a directory on ext4."
        return Finding("log links", found, Verdict.NOTE, advice)
    return None


def _sync_times_ns(
    path: Path, now_ns: Callable[[], int], fsync: Callable[[int], None]
) -> list[int]:
    taken = []
    with tempfile.TemporaryFile(dir=path, buffering=0) as file:
        for _ in range(LINES):
            begun_ns = now_ns()
            file.write(LINE)
            fsync(file.fileno())
            taken.append(now_ns() - begun_ns)
    return taken
