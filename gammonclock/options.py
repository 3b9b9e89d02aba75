"""What several commands share: options, and reading the files that they name."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from clock.config.loader import find_config, load_settings
from clock.config.reader import ConfigError
from clock.config.settings import Settings
from clock.eventlog.codec import LINE_BEGINS
from clock.ui.i18n import LANGUAGES
from gammonclock.console import WRONG_USAGE, complain, fail

if TYPE_CHECKING:
    from clock.storage.log_reader import LogFiles

CommandT = TypeVar("CommandT", bound=Callable[..., Any])
FILE_PATH = click.Path(path_type=Path)
config_option = click.option(
    "--config",
    type=FILE_PATH,
    help="The configuration file. Default: $GAMMONCLOCK_CONFIG, /boot/firmware/gammonclock.toml,"
    " /etc/gammonclock.toml, or, if none exists, the rules of the EBF.",
)
force_option = click.option(
    "--force", is_flag=True, help="Replace a file that exists; a log is never replaced."
)
logs_argument = click.argument("logs", metavar="LOG...", type=FILE_PATH, nargs=-1, required=True)


def language_option(of: str) -> Callable[[CommandT], CommandT]:
    """Return the option that chooses the language of something."""
    return click.option(
        "--language", type=click.Choice(LANGUAGES), default="en", help=f"Of {of}; default: en."
    )


def config_file(path: Path | None) -> Path | None:
    """Return the configuration file that is used: the one that is named, or the first found."""
    return find_config(path, os.environ)


def handed_over(path: Path | None) -> Path | None:
    """Return the folder with logs of other clocks: it lies beside the configuration file."""
    from clock.storage.unfinished import HANDED

    file = config_file(path)
    return None if file is None else file.parent / HANDED


def settings_of(path: Path | None) -> Settings:
    """Return the settings in force, or end the program with a message."""
    try:
        return load_settings(config_file(path))
    except ConfigError as error:
        fail(WRONG_USAGE, error)


def log_lines(path: Path) -> list[bytes]:
    """Return the lines of a log, or end the program with a message."""
    return list(log_files(path).lines)


def log_files(path: Path) -> "LogFiles":
    """Return a log as it lies on the disk, or end the program with a message."""
    from clock.storage.log_reader import inspect

    try:
        return inspect(path)
    except OSError as error:
        fail(WRONG_USAGE, f"{path}: {error.strerror}")


def has_record(lines: list[bytes]) -> bool:
    """Return whether a file has a line of a log; an empty one may have been one."""
    return not lines or any(line.startswith(LINE_BEGINS) for line in lines)


def is_log(path: Path, lines: list[bytes]) -> bool:
    """Return whether a file has a line of a log; complain if it has none."""
    if has_record(lines):
        return True
    complain(f"{path} is not a log: name the file of a match, such as current.jsonl")
    return False
