"""Find the matches that are not over: in the log directory, and in a folder of the card (R131).

A log that another one continues is left out, wherever that one lies; so after a power cut a match
is there as often as before. The panels wait for the list, while no clock runs: so of a directory
only the newest `MOST_LOGS` are looked at, and `MOST_READ` of those are read whole, up to
`MOST_BYTES` in all.
"""

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from clock.eventlog.codec import (
    START,
    DamagedError,
    LogLine,
    decode,
    last_line,
    right_hash,
    stated_hash,
    stated_match,
)
from clock.eventlog.salvage import OVER, own_lines
from clock.eventlog.unfinished import Unfinished
from clock.eventlog.verification import fingerprint_of
from clock.files import READ
from clock.match.events import AdjournedEvent, Origin, RestoredEvent
from clock.match.types import Pair, Phase
from clock.storage.disk import DISK
from clock.storage.inventory import play_of
from clock.storage.log_reader import (
    CURRENT,
    MAX_LOG,
    REWRITTEN,
    first_part,
    is_log_name,
    log_stem,
    plain,
    read_log,
)

HANDED = "matches"  # the folder beside the settings file, for logs of other clocks
MOST_LOGS = 4000
MOST_READ = 128  # adjourned and not continued before others; each takes some milliseconds
MOST_BYTES = 16 << 20  # more than a hundred matches have
UNREADABLE = (OSError, DamagedError, LookupError, ValueError)  # of one log; others are listed
END_BYTES = 16 << 10  # far more than the longest line but the first
EMPTY = b"\0\r\n"


def unfinished_matches(directory: Path, handed: Path | None) -> tuple[Unfinished, ...]:
    """Return the matches that can be resumed, those that were adjourned first, newest first."""
    own, others = _newest(directory, CURRENT), _handed(handed) if handed else []
    looks = {path: _look(path) for path in (*own, *others)}
    origins = [look.origin for look in looks.values() if look.origin is not None]
    found = list(_unfinished({path: looks[path].phase for path in own}, origins, is_own=True))
    known = {(each.match, each.fingerprint) for each in found}
    phases = {path: looks[path].phase for path in others}
    handed_over = _unfinished(phases, origins, is_own=False)
    found += [
        each
        for each in handed_over
        if not each.fingerprint or (each.match, each.fingerprint) not in known
    ]
    found.sort(key=lambda each: each.wall, reverse=True)
    found.sort(key=lambda each: not each.is_adjourned)
    return tuple(found)


def read_lines_of(log: Path) -> tuple[bytes, ...]:
    """Return the whole lines of a log, its segments joined.

    Raises:
        OSError: it cannot be read.
    """
    found = read_log(log)
    return found.lines if found else ()


def _newest(directory: Path, link: str = "") -> list[Path]:
    """Return the first files of the logs in a directory but for a link; [] if it is not there."""
    try:
        found = DISK.names(directory)
    except OSError:
        return []
    names = sorted((name for name in found if is_log_name(name) and name != link), reverse=True)
    return [directory / name for name in names[:MOST_LOGS]]


def _handed(directory: Path) -> list[Path]:
    """Return what was handed over, in folders too: a log may have any name there."""
    found: list[Path] = []
    for folder in (directory, *sorted(_within(directory))):
        found += _within(folder)
    return found[:MOST_LOGS]


def _within(folder: Path) -> list[Path]:
    """Return what lies in a folder and is not hidden, newest first; [] if it is no folder."""
    with suppress(OSError):
        names = sorted(DISK.names(folder), reverse=True)
        return [folder / name for name in names if name[0] != "."]
    return []


class _Look(NamedTuple):
    """What the beginning and the end of a file say."""

    origin: Origin | None = None  # of the log that it continues; None: none, or not known
    phase: Phase | None = None  # after its last whole line; None: it has none


def _look(path: Path) -> _Look:
    try:
        begin, end = _ends(path)
    except UNREADABLE:
        return _Look()
    return _Look(_origin(begin), _phase(begin, end))


def _unfinished(
    phases: Mapping[Path, Phase | None], origins: Sequence[Origin], *, is_own: bool
) -> Iterator[Unfinished]:
    """Yield the logs that are not over, of files of which the last phase is known."""
    logs = defaultdict[Path, set[Phase | None]](set)
    for path, phase in phases.items():
        logs[first_part(path)].add(phase)
    going = [path for path in phases if logs[first_part(path)] - {*OVER, None}]
    names = {origin.match for origin in origins}

    def late(path: Path) -> tuple[bool, bool]:
        return log_stem(path.name) in names, Phase.PUT_ASIDE not in logs[first_part(path)]

    likely = sorted(going, key=late)
    left = MOST_BYTES
    for path in likely[:MOST_READ]:
        with suppress(*UNREADABLE):
            left -= path.stat().st_size
            log = read_log(path) if left >= 0 else None
            if log is None or log.is_part(path):
                continue
            _, lines = own_lines(log.lines, log_stem(path.name))
            if last_line(lines).record.phase in OVER or _is_continued(lines, origins):
                continue
            yield _described(path, lines, is_own=is_own, is_whole=log.given == (*lines,))


def _ends(path: Path) -> tuple[bytes, bytes]:
    """Return the beginning and the end of a file, as a clock writes it; a rewritten one whole."""
    file = os.open(path, READ)
    try:
        first = DISK.read_at(file, END_BYTES, 0)
        if first.startswith(REWRITTEN):
            whole = plain(DISK.read_file(path, MAX_LOG))[0]
            return whole, whole
        return plain(first)[0], plain(_end(file))[0]
    finally:
        os.close(file)


def _end(file: int) -> bytes:
    """Return the end of a file, up to its last line: whatever is empty may follow that."""
    size = os.fstat(file).st_size
    for end in range(size, 0, -END_BYTES) if size <= MAX_LOG else ():
        begin = max(0, end - END_BYTES)
        if text := DISK.read_at(file, end - begin, begin).rstrip(EMPTY):
            return DISK.read_at(file, END_BYTES, max(0, begin + len(text) - END_BYTES))
    return b""


def _phase(begin: bytes, end: bytes) -> Phase | None:
    """Return the phase of the last whole line of a file; of several logs one may go on."""
    with suppress(*UNREADABLE):
        last = last_line(end.split(b"\n"))
        first = begin.partition(b"\n")[0]
        return last.record.phase if stated_match(first) == last.envelope.match else Phase.STOPPED
    return None


def _origin(begin: bytes) -> Origin | None:
    """Return which log a file continues, as its first line says."""
    with suppress(*UNREADABLE):
        first = begin.partition(b"\n")[0]
        event = decode(first, 1).record.event
        if right_hash(first, START) is None:
            return None
        return event.origin if isinstance(event, RestoredEvent) else None
    return None


def _is_continued(lines: Sequence[bytes], origins: Iterable[Origin]) -> bool:
    """Return whether another log goes on where this one ends, or where it was adjourned."""
    match = last_line(lines).envelope.match
    for origin in origins:
        if origin.match == match and 0 < origin.seq <= len(lines):
            line = lines[origin.seq - 1]
            ends = origin.seq == len(lines) or decode(line, 1).record.phase is Phase.PUT_ASIDE
            if ends and stated_hash(line) == origin.hash:
                return True
    return False


def _described(path: Path, lines: Sequence[bytes], *, is_own: bool, is_whole: bool) -> Unfinished:
    play, last = play_of(lines), last_line(lines)
    aside = _adjourned(lines)
    event = None if aside is None else aside.record.event
    mover = last.record.running
    if isinstance(event, AdjournedEvent):
        mover = event.side if event.was == Phase.STOPPED else None
    return Unfinished(
        log=str(path),
        match=last.envelope.match,
        names=play.names,
        score=play.score,
        length=play.length,
        reserves=Pair(last.record.left_ns, last.record.right_ns),
        mover=mover,
        wall=play.latest if aside is None else aside.envelope.wall,
        fingerprint="" if play.damage else fingerprint_of(lines),
        is_adjourned=aside is not None,
        is_own=is_own,
        is_damaged=play.damage is not None or not is_whole,
    )


def _adjourned(lines: Sequence[bytes]) -> LogLine | None:
    """Return the line with which the match was adjourned, if only presses follow it."""
    for number in range(len(lines), 0, -1):
        with suppress(DamagedError):
            line = decode(lines[number - 1], number)
            if line.record.phase is not Phase.PUT_ASIDE:
                return None
            if isinstance(line.record.event, AdjournedEvent):
                return line
    return None
