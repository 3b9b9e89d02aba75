"""The log of another clock, read from a stick or card; and which ones have been taken on here.

The one rule: nothing is written there.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from clock.storage import fsync as durable
from clock.storage.checkpoint_format import SLOT_SIZE, SLOTS
from clock.storage.checkpoint_format import decode as decode_slots
from clock.eventlog.codec import DamagedError, decode
from clock.match.events import Origin, RestoredEvent
from clock.storage.log_reader import Found, files, segments
from clock.storage.journal import Journal
from clock.runtime.startup import Brought, Opened, ResumeError, opened
from clock.runtime.ports import TimeSource
from clock.eventlog.recovery import Checkpoint
from clock.storage.checkpoint_file import CHECKPOINT
from clock.runtime.crash_guard import Starts

Opener = Callable[[Journal, TimeSource], Opened]

LONGEST = 64 * 1024  # bytes of a first line; the largest state takes a tenth
LARGEST = 16 << 20  # bytes of a log's file: fifty thousand lines, some ten times the longest match


class Resume(NamedTuple):
    """What a person wants to go on with."""

    log: Path  # of another clock
    instead: bool = False  # of a match that is under way here


def opener(directory: Path, starts: Starts, resume: Resume | None = None) -> Opener:
    """How the clock finds the match to go on with.

    Args:
        directory: of this clock's own logs.
        starts: its failures so far.
        resume: the log of another clock.
    """

    def find(journal: Journal, time: TimeSource) -> Opened:
        other = None if resume is None else brought(resume, directory)
        return opened(journal, time, starts.failures(), other)

    return find


def brought(resume: Resume, directory: Path) -> Brought | None:
    """The log of another clock, with the checkpoint that lies beside it.

    Args:
        resume: which one.
        directory: of this clock's own logs.

    Returns:
        None if it cannot be read but a match has been taken on here before: a clock that is set up
        to resume, and whose stick has been pulled, goes on with what it has.

    Raises:
        ResumeError: it cannot be read.
    """
    path, taken = resume.log, frozenset(_taken(directory))
    try:
        found = Found(_lines(path), _checkpoint(path.parent / CHECKPOINT))
    except OSError as error:
        if taken:
            return None
        raise ResumeError(
            f"{path}: {error.strerror}; --resume wants the log of the other clock, a .jsonl file"
        ) from error
    return Brought(str(path), found, taken, resume.instead)


def _lines(path: Path) -> tuple[bytes, ...]:
    """The lines of a log, of all its segments if it has several; a torn last one is left out."""
    if path in segments(path.parent, path.name.partition(".")[0]):
        whole = files(path, LARGEST)
        return whole.lines if whole else ()
    return tuple(durable.read(path, LARGEST).split(b"\n")[:-1])


def _checkpoint(path: Path) -> Checkpoint | None:
    try:
        return decode_slots(durable.read(path, SLOTS * SLOT_SIZE))[1]
    except OSError:
        return None


def _taken(directory: Path) -> Iterator[Origin]:
    """The logs that matches here go on from; each of them begins its log with that."""
    for path in directory.glob("*.jsonl"):
        try:
            with path.open("rb") as file:
                event = decode(file.readline(LONGEST).rstrip(b"\n"), 1).record.event
        except (OSError, DamagedError):
            continue
        if isinstance(event, RestoredEvent) and event.origin and event.why == "replacement":
            yield event.origin
