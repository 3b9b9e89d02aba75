"""A file that a command writes; no log is ever written over."""

import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from clock.eventlog.codec import LINE_BEGINS
from clock.files import open_to_read
from clock.storage.disk import DISK
from gammonclock.console import WRONG_USAGE, fail

LOG_SUFFIXES = (".jsonl", ".torn")
NOT_REGULAR = "not a regular file"


class OutputFile:
    """A file that a command writes: never over a log or over a file that the command reads."""

    def __init__(self, option: str, inputs: Iterable[Path], *, force: bool) -> None:
        """Prepare to write what an option names; `inputs` are files that the command reads."""
        self._option, self._inputs, self._force = option, tuple(inputs), force

    def check(self, path: Path) -> None:
        """End the program with a message if this file must not be written."""
        try:
            mode = path.stat().st_mode
        except FileNotFoundError:
            mode = None
        except OSError as error:
            fail(WRONG_USAGE, f"{path}: {error.strerror}")
        if mode is not None and not stat.S_ISREG(mode):
            is_directory = stat.S_ISDIR(mode)
            fail(WRONG_USAGE, f"{path}: {'Is a directory' if is_directory else NOT_REGULAR}")
        if why := self._objection(path, exists=mode is not None):
            fail(WRONG_USAGE, f"{self._option}: {path} {why}")

    def write(self, path: Path, content: bytes) -> None:
        """Write a file that was checked, or end the program with a message."""
        try:
            exclusive = 0 if self._force else os.O_EXCL
            file = DISK.open_for_writing(path, os.O_WRONLY | os.O_CREAT | exclusive, 0o666)
            with os.fdopen(file, "wb") as opened:
                opened.truncate(0)
                opened.write(content)
        except OSError as error:
            fail(WRONG_USAGE, f"{path}: the file cannot be written: {error.strerror}")

    def _objection(self, path: Path, *, exists: bool) -> str:
        if not exists:
            return "is a link to a file that does not exist" if path.is_symlink() else ""
        for each in self._inputs:
            with suppress(OSError):
                if path.samefile(each):
                    return f"is the same file as {each}; choose another name"
        if _is_log(path):
            return "is a log, which no command writes over; choose another name"
        if path.is_symlink():
            return "is a link, through which nothing is written; name the file itself"
        return "" if self._force else "exists; choose another name, or replace it with --force"


def _is_log(path: Path) -> bool:
    """Return whether a file is named or begins like a log; links are followed."""
    if Path(os.path.realpath(path)).suffix.lower() in LOG_SUFFIXES:
        return True
    try:
        with open_to_read(path) as file:
            return file.read(len(LINE_BEGINS)) == LINE_BEGINS
    except OSError:
        return False
