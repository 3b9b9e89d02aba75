"""Read the log of a match from the disk: one file, or several segments if one failed for good.

Only an end that may have been torn by a power cut is cut off, and a copy of it is kept.
"""

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import IO, NamedTuple

import msgspec

from clock.eventlog.codec import START, DamagedError, decode, is_of, right_hash, stated_hash
from clock.eventlog.recovery import Checkpoint
from clock.storage.disk import DISK, Disk

CURRENT = "current.jsonl"  # leads to the file that the latest match is written to
MAX_LOG = 16 << 20  # bytes: more than thirty thousand lines, some ten times the longest match
MAX_POINTER = 512  # bytes of a file that names the log


class SavedMatch(NamedTuple):
    """A match as it lies on the disk."""

    lines: tuple[bytes, ...]  # of its log, without line feeds; none if there is no usable log
    checkpoint: Checkpoint | None  # the newest in the directory; it may be of another match
    why_no_lines: str = "the log is empty"  # said if there are none
    is_torn: bool = False  # an end was cut off, which may have been several lines
    match: str = ""  # whose lines count; empty: those of any match
    other: str = ""  # what is to be said of another match that the directory shows


class Pointer(msgspec.Struct):
    """The content of `current.jsonl` on file systems without symbolic links."""

    log: str  # name of the file that the latest match is written to


class LogFiles(NamedTuple):
    """The log of a match as it lies on the disk."""

    match: str  # its name in its lines, or else that of its files
    lines: tuple[bytes, ...]
    last: Path  # the file that the next line goes to
    saved: bytes  # the whole lines in that file
    torn: bytes  # what follows them


def match_names(directory: Path, disk: Disk) -> set[str]:
    """Return the names of the matches that have files in a directory."""
    return {name.partition(".")[0] for name in disk.names(directory)}


def log_path(link: Path, disk: Disk = DISK) -> Path:
    """Return the file that `current.jsonl` leads to; any other path leads to itself."""
    try:
        path = link.resolve()
    except RuntimeError:  # links in a circle
        return link
    if path.name != CURRENT:
        return path
    try:
        pointer = msgspec.json.decode(disk.read_file(path, MAX_POINTER), type=Pointer)
        return path.with_name(pointer.log)
    except (OSError, ValueError, RecursionError, msgspec.DecodeError):
        return path  # a copy that was made without links: the log itself


def read_log(link: Path, max_bytes: int = MAX_LOG, disk: Disk = DISK) -> LogFiles | None:
    """Read the log to which a link leads, or one of whose files this is; change nothing.

    Returns:
        None if there is no log, or no line of it was written whole.

    Raises:
        OSError: it cannot be read.
    """
    if not link.exists():
        return None
    path = log_path(link, disk)
    if not path.exists():
        return None
    name = path.name.partition(".")[0]
    *before, last = segments(path.parent, name) or [path]
    lines = join_segments(_ended_lines(_read(each, max_bytes, disk)[0]) for each in before)
    data, is_complete = _read(last, max_bytes, disk)
    if not is_complete:  # the unreadable part may still be good: damage, not a torn end
        return LogFiles(_match_name(lines, name), (*lines, *data.split(b"\n")), last, data, b"")
    length = _last_untorn_length(lines, data, is_first=not _segment_number(last))
    lines = join_segments((lines, _ended_lines(data[:length])))
    if not lines:
        return None
    return LogFiles(_match_name(lines, name), tuple(lines), last, data[:length], data[length:])


def segments(directory: Path, match: str) -> list[Path]:
    """Return the files of a match's log in their order."""
    first, names = directory / f"{match}.jsonl", list[str]()
    gone = suppress(FileNotFoundError, NotADirectoryError, PermissionError)
    with gone, os.scandir(directory) as entries:
        names = [entry.name for entry in entries]
    named = (n for n in names if n.startswith(f"{match}.") and n.endswith(first.suffix))
    later = [path for path in map(directory.joinpath, named) if _segment_number(path)]
    return [*([first] if first.exists() else []), *sorted(later, key=_segment_number)]


def open_log(link: Path) -> IO[bytes]:
    """Open the log that a link leads to as one stream, its segments joined.

    Raises:
        OSError: it cannot be read.
    """
    path = log_path(link)
    if len(segments(path.parent, path.name.partition(".")[0])) <= 1:
        return path.open("rb")
    log = read_log(link)
    return BytesIO(b"".join(line + b"\n" for line in log.lines) if log else b"")


def read_lines(path: Path) -> list[bytes]:
    """Return the lines of a log for inspection, its segments joined and a torn end included.

    Raises:
        OSError: it cannot be read.
    """
    path = log_path(path)
    parts = segments(path.parent, path.name.partition(".")[0])
    if path not in parts:
        parts = [path]
    texts = [DISK.read_file(part, MAX_LOG).split(b"\n") for part in parts]
    return join_segments(lines[:-1] if lines[-1] == b"" else lines for lines in texts)


def join_segments(parts: Iterable[Sequence[bytes]]) -> list[bytes]:
    """Join segments into one log; lines that a later segment repeats are taken from it."""
    lines: list[bytes] = []
    for part in parts:
        lines = [*lines[: _lines_before(lines, part)], *part]
    return lines


def untorn_length(data: bytes, before: str = START) -> int:
    """Return how many bytes of a file remain when a torn end is cut off.

    A last line with a wrong hash counts as torn. One before it is damage: nothing but an unfinished
    last line is cut off then, and replaying finds the damage. `before` is the hash of the line
    before the file's first.
    """
    ended = data.rfind(b"\n") + 1
    *earlier, last = _ended_lines(data) or [b""]
    for line in earlier:
        right = right_hash(line, before)
        if right is None:
            return ended
        before = right
    return ended if right_hash(last, before) is not None else max(0, ended - len(last) - 1)


def cut_torn_end(log: LogFiles, disk: Disk) -> None:
    """Append a torn end to the file `<match>.torn`, and cut it off the log.

    Raises:
        OSError: it is still there.
    """
    kept = disk.open_for_writing(
        log.last.with_suffix(".torn"), os.O_WRONLY | os.O_CREAT | os.O_APPEND
    )
    try:
        disk.append(kept, log.torn)
    finally:
        disk.let_go(kept)
    disk.cut(log.last, len(log.saved))
    disk.sync_directory(log.last.parent)


def _read(path: Path, max_bytes: int, disk: Disk) -> tuple[bytes, bool]:
    try:
        return disk.read_file(path, max_bytes), True
    except OSError:
        return disk.read_partial(path, max_bytes)


def _match_name(lines: Sequence[bytes], file_name: str) -> str:
    """Return the file's name if a line is of that match, or else the name in the latest line."""
    if any(is_of(line, file_name) for line in lines):
        return file_name
    try:
        return decode(lines[-1], len(lines)).envelope.match
    except (IndexError, DamagedError):
        return file_name


def _last_untorn_length(lines: Sequence[bytes], data: bytes, *, is_first: bool) -> int:
    """Return the untorn length of the last segment; if it follows no line, all its ended lines."""
    count = 0 if is_first else _lines_before(lines, _ended_lines(data))
    if count is None:
        return data.rfind(b"\n") + 1
    return untorn_length(data, _hash_after(lines, count) or START)


def _lines_before(lines: Sequence[bytes], part: Sequence[bytes]) -> int | None:
    """Return how many of the lines a segment follows; None: its first line follows none of them."""
    for count in range(len(lines), -1, -1):
        before = _hash_after(lines, count)
        if part and before is not None and right_hash(part[0], before) is not None:
            return count
    return None


def _hash_after(lines: Sequence[bytes], count: int) -> str | None:
    """Return the hash that line `count` states; None if it states none."""
    return stated_hash(lines[count - 1]) if count else START


def _ended_lines(data: bytes) -> list[bytes]:
    return data.split(b"\n")[:-1]


def _segment_number(path: Path) -> int:
    """Return 2 for `<match>.2.jsonl`, and 0 for `<match>.jsonl`."""
    number = path.name.partition(".")[2].partition(".")[0]
    return int(number) if number.isdecimal() else 0
