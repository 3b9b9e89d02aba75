"""The commands.

Exit codes (contract): 0 done, 2 wrong usage or configuration, 3 hardware missing, 4 log damaged.
The one rule: whatever a person or a file does wrong ends in one message that says what to do, never
in a traceback. What a command does not need it does not import, so that each starts at once.
"""

# ruff: noqa: D301 (click keeps the lines of a paragraph that begins with a real backspace)

import os
import sys
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from clock import __version__
from clock.config.loader import ConfigError, Settings, describe, find_config, load_settings
from clock.config.schema import Log

if TYPE_CHECKING:
    from clock.runtime.handover import Resume
    from clock.runtime.loop import Manner
    from clock.report.summary import Summary

WRONG_USAGE, NO_HARDWARE, DAMAGED = 2, 3, 4

A_FILE = click.Path(path_type=Path)
CONFIG = click.option(
    "--config",
    type=A_FILE,
    help="The configuration file; else $GAMMONCLOCK_CONFIG, /boot/firmware/gammonclock.toml,"
    " /etc/gammonclock.toml, or the EBF's defaults.",
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="gammonclock")
def main() -> None:
    """The match clock for backgammon.

    \b
    Try it here:      gammonclock run --simulate
    Set the times:    gammonclock profiles
                      gammonclock check-config gammonclock.toml
    After a match:    gammonclock verify LOG
                      gammonclock report LOG --png match.png

    The log of the match under way is current.jsonl in the directory that the configuration names.
    """


def _fail(code: int, message: object) -> NoReturn:
    click.echo(_printable(f"gammonclock: {message}"), err=True)
    sys.exit(code)


def _printable(text: str) -> str:
    """A text without what a terminal could take for something else; a file may hold anything."""
    return "".join(letter if letter.isprintable() or letter == "\n" else "?" for letter in text)


def _settings(path: Path | None) -> Settings:
    try:
        return load_settings(find_config(path, os.environ))
    except ConfigError as error:
        _fail(WRONG_USAGE, error)


@main.command()
@CONFIG
@click.option("--no-input", is_flag=True, help="Ask nobody to press anything.")
def doctor(config: Path | None, *, no_input: bool) -> None:
    """Examine the box: computer, pins, buttons, panels, bus, log and serial line.

    Each line begins with ok, note or FAULT, or with - for what was not examined; the end says what
    to do. The exit code is 0 if there is no fault, else 3; 2 if it is the configuration's alone.

    \b
    Example:  gammonclock doctor
    As the user that the clock runs as:
              sudo -u gammonclock gammonclock doctor
    A clock that runs is not disturbed. Stop it before, start it again after:
              sudo systemctl stop gammonclock
    """
    from clock.config.fallback import salvaged
    from clock.apps.doctor import Doctor, on_this_computer
    from hardware.diagnostics.finding import Finding, Verdict, line, told_last

    def tell(text: str) -> None:
        click.echo(_printable(text))

    path = find_config(config, os.environ)
    try:
        devices = load_settings(path)
        read = Finding("settings", str(path or "no file: the defaults"))
    except ConfigError as error:
        devices = salvaged(path)
        read = Finding("settings", f"{error.file}: {error.key}", Verdict.FAULT, str(error))
    tell(f"gammonclock {__version__}\n\n{line(read)}")
    found = Doctor(devices, on_this_computer(), tell, asking=not no_input).run()
    tell(f"\n{told_last([read, *found])}")
    if any(finding.verdict is Verdict.FAULT for finding in found):
        sys.exit(NO_HARDWARE)
    if read.verdict is Verdict.FAULT:
        sys.exit(WRONG_USAGE)


def _manner(settings: Settings) -> "Manner":
    from clock.ui.i18n import sayer
    from clock.runtime.loop import Manner

    display = settings.display
    say = sayer(display.language)
    return Manner(say, __version__, display.scoreboard, settings.director.code)


@main.command()
@CONFIG
@click.option("--simulate", is_flag=True, help="Buttons and panels on this terminal.")
@click.option(
    "--resume",
    type=A_FILE,
    metavar="LOG",
    help="Go on with the match of another clock, from its log (on a stick or card).",
)
@click.option(
    "--instead", is_flag=True, help="With --resume: leave a match under way here; its log stays."
)
def run(config: Path | None, *, simulate: bool, resume: Path | None, instead: bool) -> None:
    """Run the clock of this Raspberry Pi; with --simulate one on this terminal.

    A match that was under way goes on. With --resume the match of a dead clock goes on here,
    stopped, under its own settings; started again with the same LOG, it just goes on. With
    --simulate the logs are in ~/.local/state/gammonclock unless the configuration names a
    directory.

    \b
    Example:  gammonclock run --simulate --config my.toml
              gammonclock run --resume /media/stick/2026-05-01T10-00-00.jsonl
    """
    from clock.eventlog.codec import DamagedError
    from clock.storage.journal import JournalError
    from clock.runtime.startup import ResumeError
    from clock.runtime.handover import Resume
    from hardware.gpio.factories import HardwareError

    if instead and resume is None:
        raise click.UsageError("--instead goes with --resume LOG")
    other = None if resume is None else Resume(resume, instead)

    try:
        if simulate:
            _run_simulated(config, other)
        else:
            _run_box(config, other)
    except HardwareError as error:
        _fail(NO_HARDWARE, f"{error}. Without a box: gammonclock run --simulate")
    except (JournalError, ResumeError) as error:
        _fail(WRONG_USAGE, error)
    except DamagedError as damaged:
        advice = "Begin a new match and enter score, length and times by the director's menu."
        _fail(DAMAGED, f"{resume}: nothing can be made of that log, {damaged}. {advice}")


def _run_box(config: Path | None, resume: "Resume | None") -> None:
    from clock.apps.appliance_start import NoBoxError, Source, run_box
    from clock.apps.error_screen import Trouble

    source = Source(
        lambda: load_settings(find_config(config, os.environ)),
        lambda: _salvaged(find_config(config, os.environ)),
        _manner,
    )
    trouble = Trouble(lambda text: click.echo(_printable(f"gammonclock: {text}"), err=True))
    try:
        run_box(source, trouble, resume)
    except NoBoxError as error:
        _fail(WRONG_USAGE, error)


def _salvaged(path: Path | None) -> Settings:
    from clock.config.fallback import salvaged  # a file that is right shows its picture sooner

    return salvaged(path)


def _run_simulated(config: Path | None, resume: "Resume | None") -> None:
    from clock.apps.simulator import run_simulated, state_directory

    settings = _settings(config)
    own = settings.log.directory != Log().directory
    directory = Path(settings.log.directory) if own else state_directory()
    manner = _manner(settings)._replace(stamps="software")
    load = lambda: load_settings(find_config(config, os.environ)).match  # noqa: E731
    run_simulated(settings, manner, load, directory, resume)


@main.command("check-config")
@click.argument("file", type=A_FILE)
def check_config(file: Path) -> None:
    """Say what FILE sets: every effective value, both starting banks, the settings code.

    Clocks that show the same settings code run under the same settings. If something is wrong, the
    message names the key, what was found and what is allowed.

    \b
    Example:  gammonclock check-config gammonclock.toml
    """
    lines = describe(_settings(file))
    width = max(len(name) for name, _ in lines)
    for name, text in lines:
        click.echo(f"{name:{width}}  {text}")


@main.command()
def profiles() -> None:
    """List the rules that a configuration can name, with their times.

    \b
    Example:  gammonclock profiles
    In a configuration:  [rules]
                         profile = "ebf"
    """
    from clock.match.durations import duration_text
    from clock.match.profiles import PROFILES

    click.echo(f"{'profile':14}{'a point':>9}{'a match':>9}{'a move':>8}   breaks a player")
    for name, rules in PROFILES.items():
        times = (rules.time_per_point_ns, rules.time_per_match_ns, rules.delay_ns)
        point, match, delay = (duration_text(time_ns) for time_ns in times)
        breaks = ", ".join(f"{count} to {longest} points" for longest, count in rules.breaks)
        click.echo(f"{name:14}{point:>9}{match:>9}{delay:>8}   {breaks}")


@main.command()
@click.argument("script", type=A_FILE)
@CONFIG
@click.option("--log", type=A_FILE, help="Write the log here instead of printing it.")
def play(script: Path, config: Path | None, log: Path | None) -> None:
    """Play SCRIPT in virtual time with simulated hardware: a match of hours in a moment.

    One act a line, SECONDS since the act before (decimals to the nanosecond), # for remarks:

    \b
      20    press left       # both players confirm the settings
      1     press right
      1     press centre     # ready: the dice are rolled
      9     press right      # the low roller; the left clock starts
      14.5  press left       # its turn ends
      3     press centre     # stopped
      1     hold centre      # the director's menu
      600   power cut        # what is not on disk is gone; starts again
      60    wait             # nothing but the passing of time

    \b
    Example:  gammonclock play match.script --config my.toml --log match.jsonl
              gammonclock verify match.jsonl

    The log is of one match; each further match goes to a log of its own: match-2.jsonl.
    """
    from clock.eventlog.codec import is_first
    from clock.apps.playback import play as play_script
    from clock.apps.script import ScriptError, read

    settings = _settings(config)
    lines: list[bytes] = []
    try:
        segments = read(script.read_bytes(), str(script))
        play_script(segments, settings.match, _manner(settings), lines.append)
        if log is None:
            return click.echo(b"".join(lines), nl=False)
        begins = [at for at, line in enumerate(lines) if is_first(line)]
        for number, (begin, end) in enumerate(pairwise([*begins, len(lines)]), 1):
            path = log if number == 1 else log.with_stem(f"{log.stem}-{number}")
            path.write_bytes(b"".join(lines[begin:end]))
    except ScriptError as error:
        _fail(WRONG_USAGE, error)
    except OSError as error:
        _fail(WRONG_USAGE, f"{error.filename or log}: {error.strerror}")


def _log_lines(path: Path) -> list[bytes]:
    from clock.storage.log_reader import log_lines

    try:
        return log_lines(path)
    except OSError as error:
        _fail(WRONG_USAGE, f"{path}: {error.strerror}")


@main.command()
@click.argument("log", type=A_FILE)
def verify(log: Path) -> None:
    """Prove that LOG is what the clock wrote: checksums, sequence, and the match replayed.

    A line that was changed, moved, lost or invented is found: the message says which is the first
    and what is wrong with it, and the exit code is 4. Nothing tells a log from one that ends early.

    \b
    Example:  gammonclock verify /var/lib/gammonclock/current.jsonl
    """
    from clock.eventlog.codec import DamagedError
    from clock.match.time_format import clock_text
    from clock.eventlog.replay import replay

    lines = _log_lines(log)
    try:
        match, line = replay(lines)
    except DamagedError as damaged:
        _fail(DAMAGED, f"{log}, {damaged}. The lines before it are as the clock wrote them.")
    record = line.record
    left, right = clock_text(record.left_ns), clock_text(record.right_ns)
    score = f"{match.state.score.left}-{match.state.score.right}"
    click.echo(
        f"{click.format_filename(log)}: good. {match.chain.seq} records, {record.phase.value},"
        f" score {score} of {match.state.length}, left {left}, right {right},"
        f" last checksum {match.chain.crc:08x}{_software_stamps(lines[0])}"
    )


def _software_stamps(first: bytes) -> str:
    """What to know of a match whose presses the kernel did not stamp."""
    from clock.eventlog.codec import decode
    from clock.match.events import MatchOpenedEvent, RestoredEvent

    event = decode(first, 1).record.event
    opening = event if isinstance(event, MatchOpenedEvent | RestoredEvent) else None
    software = opening is not None and opening.stamps == "software"
    return ". Its presses were stamped by software, some milliseconds late" if software else ""


@main.command()
@click.argument("log", type=A_FILE)
@click.option("--png", type=A_FILE, help="Draw the chart of both reserves into this picture.")
@click.option("--svg", type=A_FILE, help="The same as a drawing that any browser shows.")
def report(log: Path, png: Path | None, svg: Path | None) -> None:
    """Say what happened in LOG: games, stops, breaks, flags, corrections, slowest turns.

    The log is verified first. The numbers under # are those of its lines.

    \b
    Example:  gammonclock report current.jsonl --png match.png
    """
    from rich.console import Console

    from clock.eventlog.codec import DamagedError
    from clock.ui.i18n import sayer
    from clock.report.build import summary
    from clock.report.tables import tables

    try:
        told = summary(_log_lines(log))
    except DamagedError as damaged:
        _fail(DAMAGED, f"{log}, {damaged}. Nothing is reported of a log that cannot be trusted.")
    try:
        _draw(told, png, svg)
    except OSError as error:
        _fail(WRONG_USAGE, f"the chart cannot be written: {error}")
    console = Console()
    for table in tables(told, sayer("en")):
        console.print(table)
        console.print()


def _draw(told: "Summary", png: Path | None, svg: Path | None) -> None:
    from clock.report.chart import chart
    from clock.report.chart_png import png as painted
    from clock.report.chart_svg import svg as drawn

    if svg is not None:
        svg.write_text(drawn(chart(told)), encoding="utf-8")
    if png is not None:
        painted(chart(told)).save(png, format="PNG")
