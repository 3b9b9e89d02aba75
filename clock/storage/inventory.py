"""What lies in a log directory: the matches, and which of their files may be deleted.

A directory may hold anything: a match that cannot be read is listed with the reason. The hashes of
a log are checked here, but nothing is replayed; `gammonclock verify` does that.
"""

import re
import stat
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from clock.eventlog.codec import START, DamagedError, LogLine, decode, right_hash
from clock.match.events import (
    CorrectedEvent,
    MatchOpenedEvent,
    ReopenedEvent,
    RestoredEvent,
    UndoneEvent,
)
from clock.match.state import as_json
from clock.match.types import Pair, Phase
from clock.storage.checkpoint import CHECKPOINT, read_checkpoint
from clock.storage.log_reader import CURRENT, first_part, inspect, is_log_name, log_path, log_stem

BESIDE = re.compile(r"(?P<match>.+?)(\.jsonl)?(\.\d+)?\.(torn|failed|new|checkpoint)", re.DOTALL)
# The wall clock of a Raspberry Pi without a network may begin in 1970: such a date is not known.
EARLIEST = datetime(2025, 1, 1, tzinfo=UTC)


class Play(NamedTuple):
    """The match that a log tells of."""

    opened: str  # the wall time of its first line
    latest: str  # the wall time of its latest line
    board: str
    names: Pair[str]
    score: Pair[int]
    length: int
    phase: Phase  # of its latest line
    continues: str  # the name of the match that it continues; empty: it begins one
    damage: str | None  # None: all hashes are right


class _Seated(NamedTuple):
    """The players' names, left and right, and the length of their match."""

    names: Pair[str]
    length: int
    since: object = None  # the event that changed them, as in its line; None: they are the first


class LoggedMatch(NamedTuple):
    """A match in a log directory."""

    name: str
    files: tuple[Path, ...]
    """All files that belong to it, its log first."""
    size: int  # of all of them, in bytes
    is_current: bool  # the clock may go on with it
    play: Play | None  # None: no log that can be read
    problem: str = ""  # why it cannot be read, or how it was read otherwise than it stands

    def is_older(self, age: timedelta, now: datetime) -> bool:
        """Return whether its latest line is older; False if its date is not known."""
        try:
            latest = datetime.fromisoformat(self.play.latest if self.play else "")
            return EARLIEST <= latest < now - age
        except (ValueError, TypeError, OverflowError):  # not a date, or one without offset
            return False

    def delete(self) -> None:
        """Delete its files, the log last; raise OSError if not all of them could be deleted."""
        for path in reversed(self.files):
            path.unlink(missing_ok=True)


def logged_matches(directory: Path) -> list[LoggedMatch]:
    """Return the matches in a directory by their names, oldest first.

    Raises:
        OSError: the directory cannot be read.
    """
    beside: dict[str, list[Path]] = defaultdict(list)
    paths = [path for path in sorted(directory.iterdir()) if _is_file(path)]
    for path in paths:
        if found := BESIDE.fullmatch(path.name):
            beside[found["match"]].append(path)
    current = _current_names(directory)
    logs = [
        _logged_match(path, beside, current)
        for path in paths
        if is_log_name(path.name) and not _is_pointer(path)
    ]
    return sorted(log for log in logs if log is not None)


def finished_with(found: Sequence[LoggedMatch]) -> list[LoggedMatch]:
    """Return those of all matches in a directory with which the clock does not go on.

    A match that was adjourned waits until a log in the same directory continues it (R131).
    """
    continued = {match.play.continues for match in found if match.play}
    waiting = [
        match
        for match in found
        if match.play and match.play.phase is Phase.PUT_ASIDE and match.name not in continued
    ]
    return [match for match in found if not match.is_current and match not in waiting]


def _is_file(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def _is_pointer(path: Path) -> bool:
    """Return whether this is no log but the file that names the current one."""
    return path.name == CURRENT and log_path(path).name != CURRENT


def _logged_match(
    path: Path, beside: Mapping[str, list[Path]], current: Collection[str]
) -> LoggedMatch | None:
    """Return a match by the first file of its log; None: this is a later part of another one."""
    name, files = log_stem(path.name), (path,)
    play, problem, size = None, "", 0
    try:
        log = inspect(path)
        if log.is_part(path):
            return None
        others = {first_part(path), path.with_name(f"{name}.jsonl")} - {path}
        if any(each.exists() for each in others):
            name = path.name  # named as a part of another log, and none
        files = (path, *log.files[1:], *beside.get(name, ()))
        problem = "; ".join(log.notes)
        play = play_of(log.lines)
    except OSError as error:
        problem = error.strerror or str(error)
    except DamagedError as damage:
        problem = f"not a log: {damage}"
    with suppress(OSError):
        size = sum(each.stat().st_size for each in files)
    return LoggedMatch(name, files, size, name in current, play, problem)


def play_of(lines: Sequence[bytes]) -> Play:
    """Return what a log tells of its match; raise DamagedError if its first line is none."""
    if not lines:
        raise DamagedError(1, "it has no line")
    first = decode(lines[0], 1)
    names, length, board = _opening(first)
    seated = [_Seated(names, length)]
    for number, line in enumerate(lines, 1):
        if b'"corrected"' in line or b'"reopened"' in line:
            _change(seated, line, number)
    latest = _latest(lines)
    return Play(
        opened=first.envelope.wall,
        latest=latest.envelope.wall,
        board=board,
        names=seated[-1].names,
        score=latest.record.score,
        length=seated[-1].length,
        phase=latest.record.phase,
        continues=_continued(first),
        damage=_damage(lines),
    )


def _opening(first: LogLine) -> tuple[Pair[str], int, str]:
    """Return the names, the length and the board in the first line of a log."""
    event = first.record.event
    match event:
        case MatchOpenedEvent():
            return event.settings.names, event.settings.length, event.board
        case RestoredEvent(state={"names": [str(left), str(right)], "length": int(length)}):
            return Pair(left, right), length, event.board
        case _:
            raise DamagedError(1, "a log does not begin with it")


def _continued(first: LogLine) -> str:
    event = first.record.event
    return event.origin.match if isinstance(event, RestoredEvent) and event.origin else ""


def _change(seated: list[_Seated], line: bytes, number: int) -> None:
    """Add the names and the length after a line to those before it, or take back the latest."""
    try:
        record = decode(line, number).record
    except DamagedError:
        return
    (names, length, _), event = seated[-1], record.event
    match event:
        case CorrectedEvent(what="sides"):
            seated.append(_Seated(names.swapped(), length, as_json(event)))
        case CorrectedEvent(what="names", new=[str(left), str(right)]):
            seated.append(_Seated(Pair(left, right), length, as_json(event)))
        case CorrectedEvent(what="length" | "length_shortened", new=int(new)):
            seated.append(_Seated(names, new, as_json(event)))
        case ReopenedEvent():
            known = (each.length for each in reversed(seated))  # it may have been shortened
            length = next((each for each in known if each > max(record.score)), length)
            seated.append(_Seated(names, length, as_json(event)))
        case UndoneEvent(undone=undone):  # what came after it changed nothing
            places = (at for at in range(len(seated) - 1, 0, -1) if seated[at].since == undone)
            del seated[next(places, len(seated)) :]
        case _:
            pass


def _latest(lines: Sequence[bytes]) -> LogLine:
    """Return the latest line that can be read; the first one can."""
    for number in range(len(lines), 1, -1):
        try:
            return decode(lines[number - 1], number)
        except DamagedError:
            continue
    return decode(lines[0], 1)


def _damage(lines: Sequence[bytes]) -> str | None:
    """Return which line's hash is wrong first; None if none is."""
    before = START
    for number, line in enumerate(lines, 1):
        right = right_hash(line, before)
        if right is None:
            return f"line {number} is damaged"
        before = right
    return None


# --- the current match ------------------------------------------------------------------------


def _current_names(directory: Path) -> set[str]:
    checkpoint = read_checkpoint(directory / CHECKPOINT)
    match = checkpoint.match if checkpoint else ""
    return {match, log_stem(log_path(directory / CURRENT).name)}
