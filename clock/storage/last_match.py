"""Find the last match in a log directory, whatever has become of its link, log and checkpoint.

Three things tell which match was the last: where `current.jsonl` leads, the checkpoint, and the
files themselves. Normally they agree. Where they do not, a match that was under way counts before
one that was over, so that no match is given up in silence.
"""

import errno
import os
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from clock.eventlog import codec
from clock.eventlog.codec import START, DamagedError, LogLine
from clock.eventlog.recovery import Checkpoint
from clock.match.events import Origin
from clock.match.state import AT_REST
from clock.match.types import Phase
from clock.storage.checkpoint import CHECKPOINT, JournalError
from clock.storage.disk import DISK, Disk
from clock.storage.log_reader import CURRENT, LogFiles, SavedMatch, log_path, match_names, read_log

NOT_BEGUN_OR_OVER = (Phase.REVIEW, *AT_REST)
MOST_NEWER = 8  # names that are looked at for a match that is newer than the one of the link

_NO_NAME = CURRENT.partition(".")[0]  # of a log that lies in the place of the link


class LastMatch(NamedTuple):
    """The last match of a clock as it lies on the disk."""

    log: LogFiles | None  # None: there is no usable log
    checkpoint: Checkpoint | None  # the newest; it may be of another match
    why_no_log: str
    is_linked: bool = True  # `current.jsonl` leads to the log
    other: str = ""  # another match that the directory shows, which is under way or gone

    @property
    def saved(self) -> SavedMatch:
        """What is known of it."""
        if self.log is None:
            return SavedMatch((), self.checkpoint, self.why_no_log, other=self.other)
        match, lines, torn = self.log.match, self.log.lines, bool(self.log.torn)
        return SavedMatch(lines, self.checkpoint, "", torn, match, self.other)


def find_last_match(
    directory: Path, checkpoint: Checkpoint | None, disk: Disk = DISK
) -> LastMatch | None:
    """Return the last match of a clock, changing nothing; None if the directory shows none.

    Raises:
        JournalError: there is a log, but it cannot be read.
    """
    return _Directory(directory, checkpoint, disk).last_match()


class _Directory:
    def __init__(self, directory: Path, checkpoint: Checkpoint | None, disk: Disk) -> None:
        self._directory = directory
        self._checkpoint = checkpoint
        self._disk = disk

    def last_match(self) -> LastMatch | None:
        checkpoint = self._checkpoint
        linked, why = self._read(self._directory / CURRENT)
        if checkpoint is not None and not _leads_to(linked, checkpoint):
            found = self._of_checkpoint(checkpoint, linked, why)
            if found is not None:
                return found
        if linked is not None:
            other = self._replaced(linked) or self._newer(linked)
            return LastMatch(linked, checkpoint, "", other=other)
        found_log = self._unlinked()
        if found_log is not None:
            return LastMatch(found_log, checkpoint, "", is_linked=False)
        shown = self._linked_name()
        if checkpoint is None and not shown:
            return None
        return LastMatch(None, checkpoint, why, other=self._gone(why))

    def _of_checkpoint(
        self, checkpoint: Checkpoint, linked: LogFiles | None, why: str
    ) -> LastMatch | None:
        """Return the checkpoint's match if it counts, although the link leads elsewhere."""
        own, why_none = self._read(self._directory / f"{checkpoint.match}.jsonl")
        if linked is None or _is_of_no_use(linked):
            if own is None:
                return None
            if linked is not None:
                why = "its first line is damaged"
            other = "" if _is_under_way(own) else self._gone(why)
            return LastMatch(own, checkpoint, "", is_linked=False, other=other)
        if own is not None and own.match != checkpoint.match:
            why_none = f"its file has lines of the match {own.match}"
            own = None
        if checkpoint.state.phase in NOT_BEGUN_OR_OVER or self._is_given_up(checkpoint.match):
            return None
        if own is not None and not _is_under_way(own):
            return None
        other = f"current.jsonl led to the match {linked.match}, which is under way, too"
        other = other if _is_under_way(linked) else ""
        return LastMatch(own, checkpoint, why_none, is_linked=False, other=other)

    def _is_given_up(self, match: str) -> bool:
        """Return whether somebody was told before that the match does not go on in its log."""
        return (self._directory / f"{match}.{CHECKPOINT}").exists()

    def _unlinked(self) -> LogFiles | None:
        """Return the log that the link should lead to: by the name in its lines, or the newest."""
        if self._checkpoint is not None and not self._linked_name():
            return None
        logs = list(self._logs(sorted(match_names(self._directory, self._disk))))
        wanted = self._linked_name()
        if wanted and not self._is_no_link():
            counts = _is_under_way if wanted == _NO_NAME else lambda log: log.match == wanted
            logs = [log for log in logs if counts(log)]
        return max(logs, key=_age, default=None)

    def _logs(self, names: Iterable[str]) -> list[LogFiles]:
        logs = []
        for name in names:
            with suppress(OSError, LookupError, ValueError):  # no odd file costs another's match
                log = read_log(self._directory / f"{name}.jsonl", disk=self._disk)
                logs += [log] if log is not None and not _is_of_no_use(log) else []
        return logs

    def _is_no_link(self) -> bool:
        """Return whether what lies in the place of the link is no file, and leads to none here."""
        link = self._directory / CURRENT
        path = log_path(link, self._disk)
        is_elsewhere = path.name == CURRENT or path.parent != self._directory.resolve()
        return is_elsewhere and link.exists() and not link.is_file()

    def _linked_name(self) -> str:
        """Return the name of the match that the link leads to, though its log may be gone."""
        link = self._directory / CURRENT
        if not os.path.lexists(link):
            return ""
        return log_path(link, self._disk).name.partition(".")[0]

    def _gone(self, why: str) -> str:
        """Return what is said of the match that the link leads to, if it cannot be restored."""
        name, checkpoint = self._linked_name(), self._checkpoint
        if not name or (checkpoint is not None and checkpoint.match == name):
            return ""
        match = "last match" if name == _NO_NAME else f"match {name}"
        return f"the {match} cannot be restored: {why}"

    def _replaced(self, linked: LogFiles) -> str:
        """Return what is said of a match whose file has only lines of another one that is over."""
        name = self._linked_name()
        if name in (linked.match, _NO_NAME) or _is_under_way(linked):
            return ""
        return self._gone(f"its file has lines of the match {linked.match}")

    def _newer(self, linked: LogFiles) -> str:
        """Return what is said of a newer match under way that neither link nor checkpoint names.

        Names of matches begin with their date: normally no log is newer, and none is read here.
        """
        origin, names = _origin(linked), list[str]()
        with suppress(OSError):
            names = sorted(match_names(self._directory, self._disk) - {_NO_NAME}, reverse=True)
        for log in self._logs(name for name in names[:MOST_NEWER] if name > linked.match):
            is_continued = origin is not None and origin.match == log.match
            if _is_under_way(log) and not is_continued and not self._is_given_up(log.match):
                return f"the match {log.match} is under way, too, and can be resumed"
        return ""

    def _read(self, path: Path) -> tuple[LogFiles | None, str]:
        """Return a log, or None and why there is none; raise JournalError if it cannot be read."""
        try:
            log = read_log(path, disk=self._disk)
        except OSError as error:
            if path.name == CURRENT and self._is_no_link():
                return None, f"current.jsonl is spoilt: {error.strerror}"
            if error.errno == errno.EFBIG and self._checkpoint is not None:
                return None, f"the log is {error.strerror}"
            raise JournalError(
                f"{path}: cannot be read ({error.strerror}); check its permissions, or move it to"
                " another folder: the clock then starts with what the checkpoint holds"
            ) from error
        return log, "the log is empty" if path.exists() else "the log is missing"


def _leads_to(linked: LogFiles | None, checkpoint: Checkpoint) -> bool:
    if linked is None:
        return False
    origin = _origin(linked)
    return checkpoint.match in (linked.match, origin.match if origin else "")


def _origin(log: LogFiles) -> Origin | None:
    """Return which log this one continues; None: none, or its first line cannot be read."""
    origin = None
    if not _is_of_no_use(log):
        with suppress(DamagedError):
            origin = getattr(codec.decode(log.lines[0], 1).record.event, "origin", None)
    return origin if isinstance(origin, Origin) else None


def _is_of_no_use(log: LogFiles) -> bool:
    return codec.right_hash(log.lines[0], START) is None


def _is_under_way(log: LogFiles) -> bool:
    """Return whether the last good line is of a match that has begun and goes on."""
    last = _last_line(log)
    return last is not None and last.record.phase not in NOT_BEGUN_OR_OVER


def _age(log: LogFiles) -> tuple[datetime, str]:
    """Return what is greater for a newer log: the wall time of its last line, then its name."""
    last = _last_line(log)
    try:
        return datetime.fromisoformat(last.envelope.wall if last else "").astimezone(UTC), log.match
    except (ValueError, OverflowError):
        return datetime.min.replace(tzinfo=UTC), log.match


def _last_line(log: LogFiles) -> LogLine | None:
    """Return the last line of the match whose hash is right after the line before it."""
    for at in range(len(log.lines) - 1, -1, -1):
        line, before = log.lines[at], codec.stated_hash(log.lines[at - 1]) if at else START
        is_own = codec.stated_match(line) == log.match
        if before and is_own and codec.right_hash(line, before) is not None:
            with suppress(DamagedError):
                return codec.decode(line, at + 1)
    return None
