"""`gammonclock play`."""

from pathlib import Path

import click

from clock.apps.playback import matches_of
from clock.apps.playback import play as play_script
from clock.apps.script import MAX_SCRIPT, ScriptError, Segment, parse_bytes
from clock.runtime.loop import UiOptions
from clock.storage.disk import DISK
from gammonclock.console import WRONG_USAGE, fail
from gammonclock.options import FILE_PATH, config_file, config_option, force_option, settings_of
from gammonclock.output_file import OutputFile


@click.command()
@click.argument("script", type=FILE_PATH)
@config_option
@click.option("--log", type=FILE_PATH, help="Write the log here instead of printing it.")
@force_option
def play(script: Path, config: Path | None, log: Path | None, *, force: bool) -> None:
    """Play SCRIPT in virtual time.

    The whole program runs with simulated hardware, a match of hours in a moment. A script has one
    act a line: the SECONDS since the act before, with up to nine decimals, and what happens. A #
    begins a comment:

    \b
      20    press left       # both players confirm the settings
      1     press right
      1     press centre     # ready: the dice are rolled
      9     press right      # the low roller; the left clock starts
      14.5  press left       # its turn ends
      3     press centre     # stopped
      1     hold centre      # the director's menu
      1     crawford now     # or done: the answer to the Crawford question
      600   power cut        # restarts with what is on disk
      60    wait             # only time passes

    \b
    Example:  gammonclock play match.script --config my.toml --log match.jsonl
              gammonclock verify match.jsonl

    A second match of the same script has a log of its own, match-2.jsonl, and so on.
    """
    settings = settings_of(config)
    output = OutputFile("--log", filter(None, [script, config_file(config)]), force=force)
    if log is not None:
        output.check(log)
    lines: list[bytes] = []
    options = UiOptions.of(settings)
    play_script(_segments(script), settings.match, options, lines.append, settings.presets)
    if log is None:
        click.echo(b"".join(lines), nl=False)
    else:
        _write(output, log, matches_of(lines))


def _segments(script: Path) -> tuple[Segment, ...]:
    try:
        return parse_bytes(DISK.read_file(script, MAX_SCRIPT), str(script))
    except ScriptError as error:
        fail(WRONG_USAGE, error)
    except OSError as error:
        fail(WRONG_USAGE, f"{script}: {error.strerror}")


def _write(output: OutputFile, log: Path, matches: list[bytes]) -> None:
    """Write each match to a file of its own, if all of them can be written."""
    later = [log.with_stem(f"{log.stem}-{number}") for number in range(2, len(matches) + 1)]
    for path in later:
        output.check(path)
    for path, match in zip((log, *later), matches, strict=True):
        output.write(path, match)
