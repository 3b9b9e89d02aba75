"""What commands say on the terminal, and how they end."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn

import click

from clock.extras import extra_missing
from clock.text import printable

WRONG_USAGE, NO_HARDWARE, DAMAGED = 2, 3, 4  # exit codes
OWN = ("clock", "gammonclock", "hardware", "room")  # packages of this program


def fail(code: int, message: object) -> NoReturn:
    """End the program with a message."""
    complain(message)
    sys.exit(code)


def complain(message: object) -> None:
    """Print a message; if that is not possible, the exit code still tells.

    A text, of which parts may come from a file, has one line; an error may have several.
    """
    keep = "" if isinstance(message, str) else "\n"
    with suppress(OSError):
        click.echo(printable(f"gammonclock: {message}", keep=keep), err=True)


def show(*lines: str) -> None:
    """Print lines, of which parts may come from a file."""
    for line in lines:
        click.echo(printable(line))


@contextmanager
def needs_extra(what: str, extra: str) -> Iterator[None]:
    """Import what an extra installs; end the program with a message if it is not there."""
    try:
        yield
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.partition(".")[0] in OWN:
            raise
        fail(WRONG_USAGE, extra_missing(what, extra))
