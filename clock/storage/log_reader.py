"""Read the log of a match from the disk: one file, or several parts if one failed for good.

What is said of a file depends on that file alone, and on parts that continue it exactly: a later
part has the name `<file>.2.jsonl`, is of the same match, and its first line follows by number and
hash. Lines that it repeats may be absent, torn or spoilt before, as a card that fails leaves them.
Any other neighbour is left out, and named. All parts end alike, in `.jsonl`, `.jsonl.gz` or so.

What only changed its line ends, its mark or its encoding is the same log: see `plain`.

Only an end that may have been torn by a power cut is cut off, and a copy of it is kept.
"""

import os
import re
import zlib
from collections.abc import Sequence
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import IO, NamedTuple

import msgspec

from clock.eventlog.codec import (
    START,
    DamagedError,
    decode,
    last_line,
    missing_lines,
    right_hash,
    stated_hash,
    stated_match,
)
from clock.eventlog.recovery import Checkpoint
from clock.files import open_to_read
from clock.storage.disk import DISK, Disk

CURRENT = "current.jsonl"  # leads to the file that the latest match is written to
MAX_LOG = 16 << 20  # bytes: more than thirty thousand lines, some ten times the longest match
MAX_LINES = 40_000  # of a log; what follows is not read
MAX_POINTER = 512  # bytes of a file that names the log
_GZIP, _ZIP, _MARK = b"\x1f\x8b", b"PK\x03\x04", b"\xef\xbb\xbf"
_UTF_16 = {  # how it begins, with its mark or without
    b"\xff\xfe": "utf-16-le",
    b"\xfe\xff": "utf-16-be",
    b'{\0"\0': "utf-16-le",
    b'\0{\0"': "utf-16-be",
}
REWRITTEN = (_GZIP, _ZIP, *_UTF_16)  # how files begin that are to be read whole
_GZIP_ALONE = zlib.MAX_WBITS | 16  # zlib's word for it
_CHUNK = 4096  # bytes of a compressed file; what they hold is in memory
MAX_PARTS = 40  # of a log; a card that fails so often was replaced long before
_ENDING = r"\.jsonl(?:\.txt|\.gz)?"
_PART = re.compile(rf"(.+)\.([2-9]|[1-9]\d)({_ENDING})", re.DOTALL | re.IGNORECASE)
_LOG = re.compile(rf"[^.].*{_ENDING}", re.DOTALL | re.IGNORECASE)


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
    files: tuple[Path, ...] = ()  # all that were read, in the order of their lines
    notes: tuple[str, ...] = ()  # what was left out, or read otherwise than it stands
    contradicted: int = 0  # the line of which a part has another one; 0: none
    is_plain: bool = True  # the files can be appended to as they are

    @property
    def given(self) -> tuple[bytes, ...]:
        """The lines with what was cut off as torn: the file is damaged there; empty lines are not.

        Who goes on with a match leaves out what was torn.
        """
        return (*self.lines, *(_all_lines(self.torn) if self.torn.strip() else ()))

    @property
    def goes_on(self) -> bool:
        """Whether a part can follow that has its last line again: all are right, and it is named.

        Who appends nothing to the files goes on so.
        """
        is_named = first_part(self.last).name == f"{self.match}.jsonl"
        return is_named and _good(self.lines) == len(self.lines)

    def is_part(self, path: Path) -> bool:
        """Return whether a file that was read is a later part of another one."""
        return path.name in [each.name for each in self.files[1:]]


def match_names(directory: Path, disk: Disk) -> set[str]:
    """Return the names of the matches that have files in a directory."""
    return {name.partition(".")[0] for name in disk.names(directory)}


def is_log_name(name: str) -> bool:
    """Return whether a file is a log by its name; hidden ones are of other systems."""
    return _LOG.fullmatch(name) is not None


def log_stem(name: str) -> str:
    """Return the name of a log's file without its suffix, and of a later part that of the first."""
    return re.sub(rf"({_ENDING}|\.[^.]*)\Z", "", _numbered(name)[0], flags=re.IGNORECASE)


def log_path(link: Path, disk: Disk = DISK) -> Path:
    """Return the file that `current.jsonl` leads to; any other path leads to itself."""
    try:
        path = link.resolve()
    except (OSError, RuntimeError, ValueError):  # links in a circle, or a name that cannot be one
        return link
    if path.name != CURRENT:
        return path
    try:
        pointer = msgspec.json.decode(disk.read_file(path, MAX_POINTER), type=Pointer)
        if pointer.log != "..":
            named = path.with_name(pointer.log)
            with suppress(FileNotFoundError):
                named.lstat()  # no file can have some names
            return named
    except (OSError, ValueError, RecursionError, msgspec.DecodeError):
        pass
    return path  # a copy that was made without links: the log itself


def read_log(link: Path, max_bytes: int = MAX_LOG, disk: Disk = DISK) -> LogFiles | None:
    """Read the log to which a link leads, or one of whose files this is; change nothing.

    Returns:
        None if there is no log, or no line of it was written whole.

    Raises:
        OSError: it cannot be read.
    """
    path = log_path(link, disk)
    if not path.exists():
        return None
    return _read_log(path, max_bytes, disk)


def parts_of(path: Path) -> list[Path]:
    """Return the files that may be parts of the log that a file belongs to, itself among them."""
    found = [path.with_name(name) for _, name in _called_alike(path)[:MAX_PARTS]]
    return found if path in found else [path]


def next_part(path: Path) -> Path:
    """Return the file in which the log of a file goes on, after all that are called like parts."""
    number = max((number for number, _ in _called_alike(path)), default=1) + 1
    return path.with_name(f"{log_stem(path.name)}.{number}.jsonl")


def _called_alike(path: Path) -> list[tuple[int, str]]:
    """Return number and name of each file that is called like a part of a file's log, in order."""
    wanted, begin, names = _numbered(path.name)[0], f"{log_stem(path.name)}.", list[str]()
    gone = suppress(FileNotFoundError, NotADirectoryError, PermissionError)
    with gone, os.scandir(path.parent) as entries:
        names = [entry.name for entry in entries if entry.name.startswith(begin)]
    numbered = ((*_numbered(name), name) for name in names)
    return sorted((number, name) for first, number, name in numbered if first == wanted)


def open_log(link: Path) -> IO[bytes]:
    """Open the log that a link leads to as one stream, its parts joined.

    Raises:
        OSError: it cannot be read.
    """
    path = log_path(link)
    if len(parts_of(path)) <= 1:
        return open_to_read(path)
    log = read_log(link)
    return BytesIO(b"".join(line + b"\n" for line in log.lines) if log else b"")


def read_lines(path: Path) -> list[bytes]:
    """Return the lines of a log for inspection: see `inspect`."""
    return list(inspect(path).lines)


def inspect(path: Path) -> LogFiles:
    """Read a log for inspection, its parts joined and a torn end included.

    Raises:
        OSError: it cannot be read.
    """
    path = log_path(path)
    found = _read_log(path, MAX_LOG, DISK)
    if found is None:
        data, note = plain(DISK.read_file(path, MAX_LOG))
        return LogFiles(
            log_stem(path.name), _all_lines(data), path, data, b"", (path,), (note,) * bool(note)
        )
    has_empty = bool(found.torn) and found.given == found.lines
    empty = f"{found.last.name} ends with empty lines: they are left out"
    return found._replace(lines=found.given, notes=(*found.notes, *[empty] * has_empty))


class Plain(NamedTuple):
    """What a file has as a clock writes it."""

    data: bytes
    changed: str  # what others had changed; "": nothing


def plain(data: bytes) -> Plain:
    """Return what a file has as a clock writes it.

    Compressed, in UTF-16, with a mark in front or with the line ends of Windows it has the same
    lines: a line has no carriage return. What cannot be read so is returned as it is.
    """
    notes: list[str] = []
    if text := _decompressed(data):
        data, notes = text, ["was compressed"]
    for begins, encoding in _UTF_16.items():
        if data.startswith(begins):
            data = data.decode(encoding, "ignore").encode().removeprefix(_MARK)
            notes = [*notes, "was in UTF-16"]
    if data.startswith(_MARK):
        data, notes = data.removeprefix(_MARK), [*notes, "has a byte order mark"]
    if b"\r" in data and b"\n" not in data:
        data, notes = data.replace(b"\r", b"\n"), [*notes, "has the line ends of an old Mac"]
    elif b"\r\n" in data or data.endswith(b"\r"):
        data = re.sub(rb"(?<!\r)\r++\n", b"\n", data).removesuffix(b"\r")
        notes = [*notes, "has the line ends of Windows"]
    return Plain(data, f"{' and '.join(notes)}: its lines are the same" if notes else "")


def _decompressed(data: bytes) -> bytes:
    """Return what a compressed file has, up to its end or where it was cut off or spoilt."""
    if data.startswith(_ZIP):
        return _unpacked(data)
    found, size, program = list[bytes](), 0, zlib.decompressobj(_GZIP_ALONE)
    with suppress(zlib.error):
        for at in range(0, len(data), _CHUNK):
            rest = data[at : at + _CHUNK]
            while rest and size <= MAX_LOG:
                program = zlib.decompressobj(_GZIP_ALONE) if program.eof else program
                found.append(program.decompress(rest, MAX_LOG + 1 - size))
                size, rest = size + len(found[-1]), program.unused_data
    return b"".join(found) if size <= MAX_LOG else b""


def _unpacked(data: bytes) -> bytes:
    """Return the only file of a ZIP archive, but for those of a Mac's own."""
    from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile  # noqa: PLC0415 (few need it)

    with suppress(BadZipFile, EOFError, NotImplementedError, RuntimeError, ValueError, zlib.error):
        archive = ZipFile(BytesIO(data))
        found = [each for each in archive.infolist() if not each.is_dir()]
        (only,) = (each for each in found if not each.filename.startswith("__MACOSX/"))
        if only.compress_type in (ZIP_STORED, ZIP_DEFLATED):  # others have errors of their own
            with archive.open(only) as file:
                text = file.read(MAX_LOG + 1)
            return text if len(text) <= MAX_LOG else b""
    return b""


class Joined(NamedTuple):
    """Parts as one log."""

    lines: list[bytes]
    used: list[int]  # which parts are in it
    last: int = 0  # the part that it ends with
    begins: int = 0  # how many lines stand before that part
    is_exact: bool = True  # that part follows by its hash
    left_out: dict[int, str] = {}  # noqa: RUF012 (never changed): why others are not
    contradicted: int = 0  # the line of which a part has another one; 0: none


def join_segments(parts: Sequence[Sequence[bytes]], name: str = "", named: int = 0) -> Joined:
    """Join parts into one log: the first one, and each later one that continues it exactly.

    `name` is that of the match, if no line of the first part can be read. The part that was `named`
    is a log of its own only if it begins one: otherwise it is damaged, alone or after a gap.
    """
    lines = list(parts[0])
    joined, match = Joined(lines, [0], left_out={}), _match_name(lines, name)
    for number, part in enumerate(parts[1:], 1):
        try:
            at = _place(lines, part, match, needs_all=number != named)
        except DamagedError as error:
            joined.left_out[number] = error.why
            joined = joined._replace(contradicted=joined.contradicted or error.line)
            continue
        joined.used.append(number)
        if len(part) < len(lines[at:]) and list(part) == lines[at : at + len(part)]:
            continue  # it only repeats some
        is_exact = right_hash(part[0], _hash_after(lines, at) or "") is not None
        lines[at:] = part
        joined = joined._replace(last=number, begins=at, is_exact=is_exact)
    return joined


def _place(lines: Sequence[bytes], part: Sequence[bytes], match: str, *, needs_all: bool) -> int:
    """Return how many lines a part follows.

    Raises:
        DamagedError: it follows none of them; its line is the one that it contradicts, or 0.
    """
    begin = _begin(part, match)
    if begin is None:
        raise DamagedError(0, "it is another log" if part else "it has no whole line")
    if begin == 0:
        raise DamagedError(0, "it begins a log of its own")
    good = _good(lines)
    if begin > good:  # the line before it is spoilt or missing
        if needs_all and good == len(lines):
            raise DamagedError(0, f"{missing_lines(good + 1, begin)} before it")
        return min(begin, len(lines))
    if right_hash(part[0], _hash_after(lines, begin) or START) is None:
        raise DamagedError(0, f"its first line does not follow line {begin}")
    for at, (one, two) in enumerate(zip(lines[begin:good], part, strict=False), begin + 1):
        if one != two:
            raise DamagedError(at, f"it has another line {at}")
    return begin


def _begin(part: Sequence[bytes], match: str) -> int | None:
    """Return how many lines stand before a part of a match; None: it is of another one."""
    for at, raw in enumerate(part):
        with suppress(DamagedError):
            envelope = decode(raw, 1).envelope
            return max(0, envelope.seq - at - 1) if envelope.match == match else None
    return None


def _good(lines: Sequence[bytes], before: str = START) -> int:
    """Return how many lines at the beginning have right hashes."""
    for count, line in enumerate(lines):
        right = right_hash(line, before)
        if right is None:
            return count
        before = right
    return len(lines)


def untorn_length(data: bytes, before: str = START) -> int:
    """Return how many bytes of a file remain when a torn end is cut off.

    A last line with a wrong hash counts as torn. One before it is damage: nothing but an unfinished
    last line is cut off then, and replaying finds the damage. `before` is the hash of the line
    before the file's first.
    """
    ended = data.rfind(b"\n", 0, len(data.rstrip()) + 1) + 1
    lines = data[:ended].split(b"\n", MAX_LINES)[:-1]
    return ended - len(lines[-1]) - 1 if _good(lines, before) == len(lines) - 1 else ended


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


def _read_log(path: Path, max_bytes: int, disk: Disk) -> LogFiles | None:
    """Return the log of which a file is a part; None if no line of it was written whole."""
    files, name = parts_of(path), log_stem(path.name)
    while True:
        texts, partial, notes = _read_parts(files, path, max_bytes, disk)
        files = list(texts)
        parts = [_whole_lines(text.data) for text in texts.values()]
        joined = join_segments(parts, name, files.index(path))
        notes += [f"{files[at].name} is left out: {why}" for at, why in joined.left_out.items()]
        used = [files[at] for at in joined.used]
        if path in used:
            break
        files = [path]  # it stands for itself
    last = files[joined.last]
    notes += [f"{each.name} {texts[each].changed}" for each in used if texts[each].changed]
    data, changed = texts[last]
    before, name = joined.lines[: joined.begins], _match_name(joined.lines, name)
    rest = (tuple(used), tuple(notes), joined.contradicted)
    if last in partial:  # the unreadable part may still be good: damage, not a torn end
        lines = (*before, *_all_lines(data))
        return LogFiles(name, lines, last, data, b"", *rest, is_plain=not changed)
    start = _hash_after(before, len(before)) if joined.is_exact else None
    length = data.rfind(b"\n") + 1 if start is None else untorn_length(data, start)
    start = stated_hash(data[: length - 1]) if length else start
    if start and right_hash(data[length:], start):  # an editor took its line feed, perhaps
        length = len(data)
    lines = (*before, *_all_lines(data[:length]))
    if not lines:
        return None
    is_plain = not changed and data[:length].endswith(b"\n")
    return LogFiles(name, lines, last, data[:length], data[length:], *rest, is_plain)


def _read_parts(
    files: Sequence[Path], path: Path, max_bytes: int, disk: Disk
) -> tuple[dict[Path, Plain], set[Path], list[str]]:
    """Return what the parts have, of which not all could be read, and which cannot be read.

    Raises:
        OSError: the file that was named cannot be read.
    """
    texts, partial, notes, left = dict[Path, Plain](), set[Path](), list[str](), max_bytes
    for each in files:
        try:
            data, is_complete = _read(each, max_bytes if each == path else left, disk)
        except OSError as error:
            if each == path:
                raise
            notes.append(f"{each.name} is left out: it cannot be read ({error.strerror or error})")
            continue
        texts[each] = plain(data)
        partial |= set() if is_complete else {each}
        left -= len(data)
    return texts, partial, notes


def _read(path: Path, max_bytes: int, disk: Disk) -> tuple[bytes, bool]:
    try:
        return disk.read_file(path, max_bytes), True
    except OSError:
        return disk.read_partial(path, max_bytes)


def _match_name(lines: Sequence[bytes], file_name: str) -> str:
    """Return the file's name if a line is of that match, or else the name in the latest line."""
    if any(stated_match(line) == file_name for line in lines):
        return file_name
    with suppress(DamagedError):
        return last_line(lines).envelope.match
    return file_name


def _hash_after(lines: Sequence[bytes], count: int) -> str | None:
    """Return the hash that line `count` states; None if it states none."""
    return stated_hash(lines[count - 1]) if count else START


def _whole_lines(data: bytes) -> list[bytes]:
    """Return the lines that have an end: a line feed, or a hash as an editor leaves the last."""
    *lines, last = data.split(b"\n", MAX_LINES)
    return [*lines, last] if stated_hash(last) else lines


def _all_lines(data: bytes) -> tuple[bytes, ...]:
    """Return the first `MAX_LINES` lines; the last one may have no line feed."""
    lines = data.split(b"\n", MAX_LINES)[:MAX_LINES]
    return tuple(lines if lines[-1] else lines[:-1])


def first_part(path: Path) -> Path:
    """Return the file that is the first part of the log of which a file may be a part."""
    return path.with_name(_numbered(path.name)[0])


def _numbered(name: str) -> tuple[str, int]:
    """Return the name of the first part and a file's number: `x.jsonl` and 2 of `x.2.jsonl`."""
    found = _PART.fullmatch(name)
    return (f"{found[1]}{found[3]}", int(found[2])) if found else (name, 1)
