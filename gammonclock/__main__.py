"""`gammonclock`, which is also `python -m gammonclock`: which commands there are.

The module of a command is imported only when that is called.
"""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import Any, TextIO

from gammonclock import HEAVY, importing

with importing():
    import click

    from clock import __version__
    from gammonclock.console import WRONG_USAGE, fail

READER_GONE = 141  # as of a program that SIGPIPE ends: its output was not read to the end
COMMANDS = {  # the module of each, and the first sentence of its help
    "check-config": ("settings", "Check each FILE and show what it sets."),
    "doctor": ("doctor", "Test the hardware of a clock."),
    "forecast": ("forecast", "Say how well the end of each match in LOG could be foreseen."),
    "hub": ("watching", "Follow the clocks of a room by its broker, and show them on pages."),
    "link": (
        "joining",
        "Send a clock's logs to the hub of its room, and take offers of the next match from it.",
    ),
    "logs": ("logs", "List the matches whose logs lie in DIR."),
    "play": ("play", "Play SCRIPT in virtual time."),
    "profiles": ("settings", "List the rules that can be selected."),
    "publish": (
        "publish",
        "Write results, reports and boards into DIR, as pages for any web space.",
    ),
    "report": (
        "report",
        "Say what happened in LOG: games, flags, stops, breaks, what the director changed.",
    ),
    "room-cards": (
        "joining",
        "Make the files of a room in DIR: for each clock, for the broker, for the hub, and labels.",
    ),
    "room-join": ("joining", "Take this clock's file of a room from the boot partition."),
    "run": ("run", "Run the clock, or simulate one."),
    "verify": ("verify", "Verify that LOG is undamaged and consistent."),
    "watch": (
        "watching",
        "Show clocks on pages in the browser: each SOURCE is a log directory, a log or a port.",
    ),
}


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


@click.group(
    cls=Commands, modules=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(__version__)
def main() -> None:
    """A match clock for backgammon tournaments.

    On a Raspberry Pi with plungers and displays this program is the clock. On
    any computer it simulates one, and reads the logs that clocks have written.

    \b
    Try it here:       gammonclock run --simulate
    Choose the rules:  gammonclock profiles
                       gammonclock check-config gammonclock.toml
    Test the wiring:   gammonclock doctor
    After a match:     gammonclock verify LOG
                       gammonclock report LOG --chart match.png
                       gammonclock logs /var/lib/gammonclock
    Show matches:      gammonclock watch /var/lib/gammonclock

    A clock writes a log of each match. The log of the current match is
    current.jsonl in /var/lib/gammonclock or the directory that the
    configuration names.

    The exit code is 0 if all went well, 2 for wrong usage or a wrong
    configuration, 3 if hardware is missing, and 4 if a log is damaged.
    """


if __name__ == "__main__":
    main(prog_name="gammonclock")
