"""The group of the commands: it imports the module of a command only when that is called."""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import Any, TextIO

import click

from gammonclock import HEAVY, importing
from gammonclock.console import WRONG_USAGE, fail

READER_GONE = 141  # as of a program that SIGPIPE ends: its output was not read to the end


class Commands(click.Group):
    """A group of commands that fail with a message wherever their output goes.

    Letters that the output cannot encode are replaced. If it is full the exit code is 2; if its
    reader has gone, as in `gammonclock report LOG | head`, the command ends without a word, with
    the exit code 141 if it had more to print.
    """

    def __init__(self, *, modules: Mapping[str, tuple[str, str]], **extra: Any) -> None:
        """List the commands, each with its module and the first sentence of its help."""
        listed = {name: click.Command(name, help=text) for name, (_, text) in modules.items()}
        super().__init__(commands=listed, **extra)
        self._modules = {name: module for name, (module, _) in modules.items()}

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, command, rest = super().resolve_command(ctx, args)
        return name, self.load(name) if name else command, rest

    def load(self, name: str) -> click.Command:
        """Import a command."""
        with importing(without=HEAVY if name == "run" else ()):
            module = import_module(f"gammonclock.{self._modules[name]}")
        command: click.Command = getattr(module, name.replace("-", "_"))
        return command

    def main(self, *args: Any, **extra: Any) -> Any:
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
        with _ended_by_its_reader():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
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
    raised = error.__traceback__
    while raised is not None and raised.tb_next is not None:
        raised = raised.tb_next
    where = "" if raised is None else raised.tb_frame.f_globals["__name__"]
    return where.partition(".")[0] in ("click", "rich")


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
