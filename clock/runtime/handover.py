"""Read the log of another clock, from a stick or card, to resume its match here.

Nothing is written to that stick or card.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from clock.eventlog.codec import START, DamagedError, decode, right_hash
from clock.files import open_to_read
from clock.match.events import Origin, RestoredEvent
from clock.match.inputs import TAKES_UP
from clock.runtime.crash_guard import CrashGuard
from clock.runtime.ports import TimeSource
from clock.runtime.startup import ForeignLog, ResumeError, StartupMatch, find_match, find_new_match
from clock.storage.checkpoint import CHECKPOINT, read_checkpoint
from clock.storage.journal import Journal
from clock.storage.log_reader import SavedMatch, read_log

MatchFinder = Callable[[Journal, TimeSource], StartupMatch]

MAX_FIRST_LINE = 64 * 1024  # bytes; the largest state takes a tenth


class ResumeRequest(NamedTuple):
    """The options `--resume` and `--instead`."""

    log: Path  # of another clock
    instead: bool  # abandon a match under way on this clock


class Incoming(NamedTuple):
    """The folders into which others put files for this clock."""

    offers: Path | None = None  # the director's, of the next match; None: it takes none
    handed: Path | None = None  # logs of other clocks, to be resumed


NOTHING = Incoming()


class NewRequest(NamedTuple):
    """The option `--new`: begin a new match, even if one is under way on this clock."""


def match_finder(
    directory: Path, guard: CrashGuard, request: ResumeRequest | NewRequest | None = None
) -> MatchFinder:
    """Return the function that finds the match to resume: the last one, or the one requested."""

    def find(journal: Journal, time: TimeSource) -> StartupMatch:
        if isinstance(request, NewRequest):
            return find_new_match(journal)
        foreign = None if request is None else read_foreign_log(request, directory)
        return find_match(journal, time, guard.recent_failures(), foreign)

    return find


def read_foreign_log(resume: ResumeRequest, directory: Path) -> ForeignLog | None:
    """Read the log of another clock and the checkpoint beside it.

    Returns:
        None if it cannot be read but a match has been resumed here before: a service that is set up
        with `--resume` then continues with its own match after the stick has been pulled out.

    Raises:
        ResumeError: it cannot be read.
    """
    path, resumed = resume.log, frozenset(_resumed_origins(directory))
    try:
        saved = SavedMatch(_lines(path), read_checkpoint(path.parent / CHECKPOINT))
    except OSError as error:
        if resumed:
            return None
        raise ResumeError(
            f"{path}: {error.strerror}; --resume takes the log of the other clock, a .jsonl file"
        ) from error
    return ForeignLog(str(path), saved, resumed, resume.instead)


def _lines(path: Path) -> tuple[bytes, ...]:
    path.stat()  # it has to be there
    log = read_log(path)
    return log.lines if log else ()


def _resumed_origins(directory: Path) -> Iterator[Origin]:
    """Yield the logs of other clocks that were resumed here, from the first lines of our logs."""
    for path in directory.glob("*.jsonl"):
        try:
            with open_to_read(path) as file:
                first = file.readline(MAX_FIRST_LINE).rstrip(b"\n")
            event = decode(first, 1).record.event
        except (OSError, DamagedError):
            continue
        if right_hash(first, START) is None:
            continue
        if isinstance(event, RestoredEvent) and event.origin and event.why in TAKES_UP:
            yield event.origin
