"""Read the whole lines of a file that grows.

The file only grows while all is well. One that was cut off, replaced or written over is read again
from its first byte: the boards know which lines are new. So is one that a PC has saved anew
(`log_reader.plain`), whenever it changes. A last line without its line feed waits, unless its hash
is right. What is returned is on the disk: the file is synced before.
"""

import os
from contextlib import suppress
from pathlib import Path

from clock.eventlog.codec import START, right_hash, stated_hash
from clock.files import READ
from clock.storage.log_reader import CURRENT, MAX_LOG, plain
from room.lines.inbox import envelope_of
from room.sources.log_names import match_of

BEGINNING = 512  # bytes at the beginning of a file, by which it is known


class Tail:
    """The whole lines of a growing file."""

    def __init__(self, path: Path, before: "Tail | None" = None) -> None:
        """Do not open the file yet; `before` is the part of the log whose lines it continues."""
        self.path, self._before = path, before
        self.match = ""  # its name, as soon as there is a line
        self._file: int | None = None
        self._beginning = b""
        self.first = 0  # how many lines of the file stand before those of the latest call
        self.is_torn = False  # it has not grown since the latest call, and ends within a line
        self._counted = 0  # lines that have ended so far
        self._hash = START  # that the latest of them states
        self._is_rewritten = False  # it is not as a clock writes it
        self._at = 0  # bytes read
        self._whole = 0  # bytes of whole lines as a clock writes them: a PC may save them as UTF-16
        self._most = 0  # the most of them, of this file or the one before
        self._rest = b""  # of a line that is not whole yet

    def read(self) -> tuple[list[bytes], str]:
        """Return the lines since the last call, and what has happened to the file if it is wrong.

        Raises:
            OSError: the file cannot be read.
        """
        self._reopen()
        at = self._at
        if b"\r" in (data := self._read_on()):  # no line has one
            self._go_to_the_beginning()
            data = self._read_on()
        is_beginning = at == len(self._rest) or self._at == len(data)
        lines = self._split(self._rest + data, is_beginning=is_beginning) if data else []
        self.is_torn = not data and bool(self._rest.strip()) and not self._has_whole_rest()
        if lines and self._file is not None:
            _sync(self._file)
        if lines and is_beginning and (match := match_name(self.path, lines[0])) != self.match:
            self.match, self._most = match, 0
        wrong = "is shorter than it was" if self._whole < self._most else ""
        self._most = max(self._most, self._whole)
        return lines, wrong

    def _split(self, data: bytes, *, is_beginning: bool) -> list[bytes]:
        """Return the lines of what was read; empty ones at the end say nothing."""
        if is_beginning:
            self._counted, self._hash = 0, self._before.end_hash if self._before else START
            data, changed = plain(data)
            self._is_rewritten = bool(changed)
        *lines, self._rest = data.split(b"\n")
        self.first, self._counted = self._counted, self._counted + len(lines)
        self._whole += sum(len(line) + 1 for line in lines if line)
        self._hash = (stated_hash(lines[-1]) or "") if lines else self._hash
        if self._has_whole_rest() or self._is_rewritten:
            lines.append(self._rest)
        self._rest = b"" if self._is_rewritten else self._rest
        while lines and not lines[-1].strip():
            lines.pop()
        return lines

    def _has_whole_rest(self) -> bool:
        """Return whether only the line feed is missing; the line comes again with it."""
        return right_hash(self._rest, self._hash) is not None

    @property
    def end_hash(self) -> str:
        """The hash after all whole lines."""
        return right_hash(self._rest, self._hash) or self._hash

    @property
    def size(self) -> int:
        """How many bytes of the file were read."""
        return self._at

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            os.close(self._file)
        self._file = None
        self._go_to_the_beginning()

    def _reopen(self) -> None:
        """Open the file if need be; read it from its beginning if it is not as it was."""
        if self._file is not None:
            named, own = self.path.stat(), os.fstat(self._file)
            if os.path.samestat(named, own):
                self._go_back(own.st_size)
                return
            self.close()  # another file has this name: the clock replaces one that fails
        self._file = os.open(self.path, READ)

    def _go_back(self, size: int) -> None:
        """Read a file that was cut off or written over again, from where it is as it was."""
        if self._file is None:
            return
        whole = self._at - len(self._rest)
        is_other = self._is_rewritten and size != self._at
        if is_other or size < whole or not self._begins_as_before(self._file):
            self._go_to_the_beginning()
        elif size < self._at:
            self._at, self._rest = whole, b""
            os.lseek(self._file, self._at, os.SEEK_SET)

    def _go_to_the_beginning(self) -> None:
        self._at, self._whole, self._rest, self._beginning = 0, 0, b"", b""
        if self._file is not None:
            os.lseek(self._file, 0, os.SEEK_SET)

    def _begins_as_before(self, file: int) -> bool:
        """Return whether a file is not another one that was copied over it."""
        os.lseek(file, 0, os.SEEK_SET)
        beginning = os.read(file, len(self._beginning))
        os.lseek(file, self._at, os.SEEK_SET)
        return self._beginning.startswith(beginning)

    def _read_on(self) -> bytes:
        if self._file is None:
            return b""
        parts = []
        while part := os.read(self._file, 1 << 20):
            parts.append(part)
            self._at += len(part)
            self._beginning = (self._beginning + part)[:BEGINNING]
            if self._at > MAX_LOG:
                raise OSError(f"larger than {MAX_LOG} bytes")
        return b"".join(parts)


def sync(path: Path) -> None:
    """Wait until what can be read of a file is on the disk.

    Raises:
        OSError: it cannot be opened.
    """
    file = os.open(path, READ)
    try:
        _sync(file)
    finally:
        os.close(file)


def _sync(file: int) -> None:
    if (wait := getattr(os, "fdatasync", None)) is not None:  # not on each system
        with suppress(OSError):  # a file system that does not sync for readers
            wait(file)


def match_name(path: Path, first: bytes) -> str:
    """Return the name of a log's match: that of its file, or of a plain `current.jsonl` its own.

    Args:
        path: of one of the log's files.
        first: its first line; anything.
    """
    envelope = envelope_of(first) if path.name == CURRENT else None
    return match_of(path) if envelope is None else envelope.match
