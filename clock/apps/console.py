"""What commands print and write.

No output, whatever it is, makes a command end in a traceback; no log is ever written over.
"""

import os
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from traceback import walk_tb
from typing import Any, NoReturn, TextIO

import click

WRONG_USAGE = 2
LOG_SUFFIXES = (".jsonl", ".torn")
LOG_BEGINS = b'{"v":'  # each line of a log, of every version
MAX_SCRIPT = 1 << 20
NOT_REGULAR = "not a regular file"
READER_GONE = 141  # as of a program that SIGPIPE ends: its output was not read to the end
OWN = ("clock", "hardware", "room")  # packages of this program
INSTALL = 'pipx install --force ".[room,chart]"'  # both: --force would take away the other one


def fail(code: int, message: object) -> NoReturn:
    """End the program with a message."""
    complain(message)
    sys.exit(code)


def complain(message: object) -> None:
    """Print a message; if that is not possible, the exit code still tells."""
    with suppress(OSError):
        click.echo(printable(f"gammonclock: {message}"), err=True)


def printable(text: str) -> str:
    """Replace the characters of a file or its name that could control the terminal."""
    return "".join(letter if letter.isprintable() or letter == "\n" else "?" for letter in text)


def extra_missing(what: str, extra: str) -> str:
    """Return a message that says how to install what is not there; nothing is published."""
    install = INSTALL if extra in INSTALL else INSTALL.replace("]", f",{extra}]")
    return (
        f'{what} needs the extra "{extra}": {install} in the folder with this project;'
        " docs/laptop.md says how from a wheel"
    )


@contextmanager
def needs_extra(what: str, extra: str) -> Iterator[None]:
    """Import what an extra installs; end the program with a message if it is not there."""
    try:
        yield
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.partition(".")[0] in OWN:
            raise
        fail(WRONG_USAGE, extra_missing(what, extra))


class Commands(click.Group):
    """A group of commands that fail with a message wherever their output goes.

    Letters that the output cannot encode are replaced. If it is full the exit code is 2; if its
    reader has gone, as in `gammonclock report LOG | head`, the command ends without a word, with
    the exit code 141 if it had more to print.
    """

    def main(self, *args: Any, **extra: Any) -> Any:
        """See `click.Group`."""
        for stream in (sys.stdout, sys.stderr):
            if reconfigure := getattr(stream, "reconfigure", None):
                reconfigure(errors="replace")
        try:
            return super().main(*args, **extra)
        except OSError as error:
            if not _is_of_output(error):
                raise
            fail(WRONG_USAGE, f"the output cannot be written: {error.strerror}")
        finally:
            _drop_unwritable()

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """See `click.Group`; this prints the help."""
        with _ended_by_its_reader():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """See `click.Group`."""
        with _ended_by_its_reader():
            return super().invoke(ctx)


@contextmanager
def _ended_by_its_reader() -> Iterator[None]:
    """End the program if the reader of its output has gone: click and rich would end it with 1."""
    try:
        yield
    except (BrokenPipeError, SystemExit) as ended:
        if isinstance(ended, SystemExit) and not isinstance(ended.__context__, BrokenPipeError):
            raise
        raise SystemExit(READER_GONE) from None


def _is_of_output(error: OSError) -> bool:
    """Return whether an error was raised where text is printed."""
    *_, (frame, _line) = walk_tb(error.__traceback__)
    return frame.f_globals["__name__"].partition(".")[0] in ("click", "rich")


def _drop_unwritable() -> None:
    """Drop what an output does not take, which Python would try to write again at its end."""
    for stream in filter(None, (sys.stdout, sys.stderr)):
        try:
            stream.flush()
        except (OSError, ValueError):
            with suppress(OSError, ValueError):
                _lead_nowhere(stream)


def _lead_nowhere(stream: TextIO) -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
    stream.flush()


class OutputFile:
    """A file that a command writes: never over a log or over a file that the command reads."""

    def __init__(self, option: str, inputs: Iterable[Path], *, force: bool) -> None:
        """Prepare to write.

        Args:
            option: which names the file, for messages.
            inputs: the files that the command reads.
            force: whether other files may be replaced.
        """
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
            with path.open("wb" if self._force else "xb") as file:
                file.write(content)
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
        return "" if self._force else "exists; choose another name, or replace it with --force"


def _is_log(path: Path) -> bool:
    """Return whether a file is named or begins like a log; links are followed."""
    if Path(os.path.realpath(path)).suffix.lower() in LOG_SUFFIXES:
        return True
    try:
        with path.open("rb") as file:
            return file.read(len(LOG_BEGINS)) == LOG_BEGINS
    except OSError:
        return False
