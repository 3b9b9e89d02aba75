"""What the last run of the program left in the log directory.

A match's log is one file, or several segments, if one could not be read back when it failed. The
one rule: only what can have been torn is cut off, and a copy of it is kept.
"""

import errno
import os
from collections.abc import Iterable, Sequence
from glob import escape
from io import BytesIO
from pathlib import Path
from typing import IO, NamedTuple

from clock.storage import fsync as durable
from clock.eventlog.codec import DamagedError, checksum, decode, stated_checksum
from clock.eventlog.recovery import Checkpoint


class Found(NamedTuple):
    """What the last run of the program left behind."""

    lines: tuple[bytes, ...]  # without their line feeds
    latest: Checkpoint | None


class Files(NamedTuple):
    """The log of a match as it lies on the disk."""

    match: str  # its name in its lines; else that of its files
    lines: tuple[bytes, ...]
    last: Path  # the file that its next line goes to,
    saved: bytes  # its whole lines,
    torn: bytes  # and what follows them


def names(directory: Path) -> set[str]:
    """Of the matches that have files there."""
    return {path.name.partition(".")[0] for path in directory.iterdir()}


def files(link: Path, most: int | None = None) -> Files | None:
    """The match that a link leads to; nothing is changed.

    Args:
        link: to one of its files, or that file.
        most: bytes of a file; None: as many as there are.

    Returns:
        None if there is none, or none of its lines was written whole.

    Raises:
        OSError: it cannot be read.
    """
    if not link.exists():
        return None
    latest = link.resolve()
    name = latest.name.partition(".")[0]
    *before, last = segments(latest.parent, name) or [latest]
    lines = joined(_lines(_read(path, most)[0]) for path in before)
    data, is_whole = _read(last, most)
    if not is_whole:  # its end may be good on the disk: nothing is cut off, and it is damaged
        return Files(_match(lines, name), (*lines, *data.split(b"\n")), last, data, b"")
    length = _length(lines, data, first=not _number(last))
    lines = joined((lines, _lines(data[:length])))
    if not lines:
        return None
    return Files(_match(lines, name), tuple(lines), last, data[:length], data[length:])


def segments(directory: Path, match: str) -> list[Path]:
    """The files of a match's log in their order."""
    first = directory / f"{match}.jsonl"
    later = (path for path in directory.glob(f"{escape(match)}.*.jsonl") if _number(path))
    return [*([first] if first.exists() else []), *sorted(later, key=_number)]


def opened(link: Path) -> IO[bytes]:
    """The log that a link leads to, its segments joined, for reading line by line.

    Raises:
        OSError: it cannot be read.
    """
    latest = link.resolve()
    if len(segments(latest.parent, latest.name.partition(".")[0])) <= 1:
        return link.open("rb")
    log = files(link)
    return BytesIO(b"".join(line + b"\n" for line in log.lines) if log else b"")


def log_lines(path: Path) -> list[bytes]:
    """The lines of a log to be looked at, of all its segments; a torn last one is one of them.

    Raises:
        OSError: it cannot be read.
    """
    latest = path.resolve()
    parts = segments(latest.parent, latest.name.partition(".")[0])
    if latest not in parts:
        parts = [latest]
    texts = [part.read_bytes().split(b"\n") for part in parts]
    return joined(lines[:-1] if lines[-1] == b"" else lines for lines in texts)


def joined(parts: Iterable[Sequence[bytes]]) -> list[bytes]:
    """One log of its segments; lines that a later segment has again count as it has them."""
    lines: list[bytes] = []
    for part in parts:
        count = _follows(lines, part)
        lines = [*lines[:count], *part]
    return lines


def whole(data: bytes, crc: int = 0) -> int:
    """How many bytes of a file are whole lines, as far as its last one can have been torn.

    A bad line before the last is not torn but damaged; it stays, and replaying says where it is.

    Args:
        data: the file.
        crc: the checksum of the line before its first.
    """
    ended = data.rfind(b"\n") + 1
    *before, last = _lines(data) or [b""]
    for line in before:
        right = checksum(line, crc)
        if right is None:
            return ended
        crc = right
    return ended if checksum(last, crc) is not None else max(0, ended - len(last) - 1)


def cut_off(files: Files) -> None:
    """Keep a torn last line in a file of its own, and cut it off.

    Raises:
        OSError: it is still there.
    """
    kept = os.open(files.last.with_suffix(".torn"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        durable.append(kept, files.torn)
    finally:
        durable.close(kept)
    log = os.open(files.last, os.O_WRONLY)
    try:
        os.ftruncate(log, len(files.saved))
        os.fsync(log)
    finally:
        durable.close(log)
    durable.sync_directory(files.last.parent)


def _read(path: Path, most: int | None) -> tuple[bytes, bool]:
    """A file, and whether all of it could be read."""
    try:
        return durable.read(path, most), True
    except OSError as error:
        if error.errno != errno.EIO:
            raise
        return durable.read_in_part(path, most)


def _match(lines: Sequence[bytes], name: str) -> str:
    """The name that a match has in its latest line, or that of its file."""
    try:
        return decode(lines[-1], len(lines)).envelope.match
    except (IndexError, DamagedError):
        return name


def _length(lines: Sequence[bytes], data: bytes, *, first: bool) -> int:
    """How much of the last segment is whole; if nobody knows what it follows, all its lines."""
    count = 0 if first else _follows(lines, _lines(data))
    if count is None:
        return data.rfind(b"\n") + 1
    return whole(data, _stated(lines, count) or 0)


def _follows(lines: Sequence[bytes], part: Sequence[bytes]) -> int | None:
    """How many of these lines stand before a segment; None: its first line follows none."""
    for count in range(len(lines), -1, -1):
        crc = _stated(lines, count)
        if part and crc is not None and checksum(part[0], crc) is not None:
            return count
    return None


def _stated(lines: Sequence[bytes], count: int) -> int | None:
    """The checksum that the latest of so many lines has; None if it has none."""
    return stated_checksum(lines[count - 1]) if count else 0


def _lines(data: bytes) -> list[bytes]:
    """The lines that have an end."""
    return data.split(b"\n")[:-1]


def _number(path: Path) -> int:
    number = path.name.partition(".")[2].partition(".")[0]
    return int(number) if number.isdecimal() else 0
