"""The commands of `gammonclock`.

Exit codes (contract): 0 done, 2 wrong usage or configuration, 3 hardware missing, 4 log damaged;
141 if whoever reads the output, as `head`, went before its end.
Errors of the user, of files and of hardware end in one message that says what to do, never in a
traceback. Each command imports only what it needs, so that it starts at once.
"""

# ruff: noqa: D301 (click keeps the lines of a paragraph that begins with a real backspace)

import gc
import os
import re
import shlex
import shutil
import sys
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clock import __version__
from clock.apps.console import (
    MAX_SCRIPT,
    WRONG_USAGE,
    Commands,
    OutputFile,
    complain,
    extra_missing,
    fail,
    needs_extra,
    printable,
)
from clock.config.loader import find_config, load_settings
from clock.config.reader import ConfigError
from clock.config.schema import LogTable
from clock.config.settings import Settings, describe
from clock.ui.i18n import LANGUAGES

if TYPE_CHECKING:
    from rich.table import Table

    from clock.eventlog.head import Shown
    from clock.eventlog.verification import VerifiedLine
    from clock.match.events import AnyEvent, Origin
    from clock.match.state import MatchState
    from clock.report.results import Reported
    from clock.report.summary import Summary
    from clock.runtime.handover import NewRequest, ResumeRequest
    from clock.runtime.loop import UiOptions
    from clock.storage.inventory import LoggedMatch
    from clock.ui.descriptions import Say

NO_HARDWARE, DAMAGED = 3, 4
NOT_ON_WINDOWS = (
    "this computer has Windows: the clock runs on a Raspberry Pi, and the simulated one"
    " (--simulate) on Linux, WSL or macOS. On Windows a match can be played from a script:"
    " gammonclock play --help"
)
CHART_SUFFIXES = (".png", ".svg", ".pdf")

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


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="gammonclock")
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


def _settings(path: Path | None) -> Settings:
    try:
        return load_settings(find_config(path, os.environ))
    except ConfigError as error:
        fail(WRONG_USAGE, error)


@main.command()
@config_option
@click.option("--no-input", is_flag=True, help="Do not ask for button presses.")
def doctor(config: Path | None, *, no_input: bool) -> None:
    """Test the hardware of a clock.

    Tested are the computer, pins, buttons, panels, I2C bus, log and serial port. Each line begins
    with ok, note or FAULT, or with - if the part was not tested; what to do follows at the end. The
    exit code is 0 without faults, 3 with faults, and 2 if only the configuration is wrong.

    \b
    Example:  gammonclock doctor
    As the user that the clock runs as:
              sudo -u gammonclock gammonclock doctor
    Stop the clock before the test, and start it again afterwards:
              sudo systemctl stop gammonclock
    """
    if sys.platform != "linux":
        fail(NO_HARDWARE, "doctor tests the hardware of a clock; start it on the Raspberry Pi")
    from clock.apps.doctor import Doctor, probe_computer
    from clock.config.fallback import salvage_settings
    from hardware.diagnostics.finding import Finding, Verdict, line, summary
    from room.cards.join import CARD, pending
    from room.settings.link import PATH as LINK_FILE
    from room.settings.link import link_fault

    def tell(text: str) -> None:
        click.echo(printable(text))

    path = find_config(config, os.environ)
    try:
        settings = load_settings(path)
        file_finding = Finding("settings", str(path or "no file found: the defaults are used"))
    except ConfigError as error:
        settings = salvage_settings(path)
        found = f"{error.file}: {error.key}"
        file_finding = Finding("settings", found, Verdict.FAULT, str(error))
    tell(f"gammonclock {__version__}\n\n{line(file_finding)}")
    findings = Doctor(settings, probe_computer(), tell, ask=not no_input).run()
    if waiting := pending(CARD):
        findings.append(Finding("room", waiting.found, Verdict.FAULT, waiting.advice))
        tell(line(findings[-1]))
    if fault := link_fault(LINK_FILE):
        found = f"{fault.file}: {fault.key}"
        findings.append(Finding("link", found, Verdict.FAULT, str(fault)))
        tell(line(findings[-1]))
    tell(f"\n{summary([file_finding, *findings])}")
    if any(finding.verdict is Verdict.FAULT for finding in findings):
        sys.exit(NO_HARDWARE)
    if file_finding.verdict is Verdict.FAULT:
        sys.exit(WRONG_USAGE)


def _options(settings: Settings) -> "UiOptions":
    from clock.runtime.loop import UiOptions
    from clock.ui.i18n import sayer

    display = settings.display
    say = sayer(display.language)
    director = settings.director
    return UiOptions(say, __version__, display.scoreboard, director.code, director.players_start)


@main.command()
@config_option
@click.option("--simulate", is_flag=True, help="Show buttons and panels on this terminal.")
@click.option(
    "--resume",
    type=FILE_PATH,
    metavar="LOG",
    help="Resume the match of another clock from its log (on a stick or card).",
)
@click.option(
    "--instead",
    is_flag=True,
    help="With --resume: abandon a match under way on this clock; its log is kept.",
)
@click.option(
    "--new",
    is_flag=True,
    help="With --simulate: abandon an unfinished match and begin a new one; its log is kept.",
)
@click.option(
    "--offers",
    type=FILE_PATH,
    metavar="DIR",
    help="Take the director's offers of the next match from this directory of the room's link.",
)
@click.option(
    "--room",
    type=FILE_PATH,
    metavar="FILE",
    help="With --simulate: be the clock of a room that has this gammonclock-room.toml.",
)
def run(  # noqa: PLR0913 (the options of a command)
    config: Path | None,
    *,
    simulate: bool,
    resume: Path | None,
    instead: bool,
    new: bool,
    offers: Path | None,
    room: Path | None,
) -> None:
    """Run the clock, or simulate one.

    Without --simulate this needs the buttons of a clock on a Raspberry Pi. A match that was under
    way when the clock was switched off is resumed. With --simulate the logs are in
    ~/.local/state/gammonclock unless the configuration names a directory, and an unfinished match
    goes on too, unless --new is given.

    With --resume the match of a clock that has failed is resumed here: stopped, and under its own
    settings. LOG is only read. Starting again with the same LOG continues the match.

    \b
    Example:  gammonclock run --simulate --config my.toml
              gammonclock run --resume /media/stick/2026-05-01T10-00-00-7.jsonl
    """
    from clock.eventlog.codec import DamagedError
    from clock.runtime.handover import NewRequest, ResumeRequest
    from clock.runtime.startup import ResumeError
    from clock.storage.journal import JournalError
    from hardware.gpio.factories import HardwareError

    if instead and resume is None:
        raise click.UsageError("--instead needs --resume LOG")
    if new and (resume is not None or not simulate):
        raise click.UsageError("--new needs --simulate, and no --resume")
    if room is not None and not simulate:
        raise click.UsageError("--room needs --simulate; a clock takes its file from its card")
    if room is not None and offers is not None:
        raise click.UsageError("leave out --offers: with --room the offers are those of the room")
    if sys.platform == "win32":
        fail(NO_HARDWARE, NOT_ON_WINDOWS)
    request = None if resume is None else ResumeRequest(resume, instead)

    try:
        if simulate:
            _run_simulated(config, NewRequest() if new else request, offers, room)
        else:
            _run_appliance(config, request, offers)
    except HardwareError as error:
        fail(NO_HARDWARE, f"{error}. To try the clock without: gammonclock run --simulate")
    except (JournalError, ResumeError) as error:
        fail(WRONG_USAGE, error)
    except DamagedError as damaged:
        advice = "Begin a new match and enter score, length and times in the director's menu."
        fail(DAMAGED, f"{resume}: the match cannot be resumed: {damaged}. {advice}")


def _run_appliance(
    config: Path | None, resume: "ResumeRequest | None", offers: Path | None
) -> None:
    gc.disable()  # nothing to collect in modules; it would take a tenth of the start
    from clock.apps.appliance_start import ConfigSource, FatalConfigError, run_appliance
    from clock.apps.error_screen import ErrorScreen

    gc.freeze()  # what a collection would go through in vain
    gc.enable()

    def salvage() -> Settings:
        from clock.config.fallback import salvage_settings  # only for a file with errors

        return salvage_settings(find_config(config, os.environ))

    load = lambda: load_settings(find_config(config, os.environ))  # noqa: E731
    source = ConfigSource(load, salvage, _options, offers)
    screen = ErrorScreen(lambda text: click.echo(printable(f"gammonclock: {text}"), err=True))
    try:
        run_appliance(source, screen, resume)
    except FatalConfigError as error:
        fail(WRONG_USAGE, error)


def _run_simulated(
    config: Path | None,
    request: "ResumeRequest | NewRequest | None",
    offers: Path | None,
    room: Path | None,
) -> None:
    from clock.apps.simulator import NoTerminalError, run_simulated, state_directory

    settings = _settings(config)
    is_default = settings.log.directory == LogTable().directory
    directory = state_directory() if is_default else Path(settings.log.directory)
    options = _options(settings)._replace(stamps="software")
    load = lambda: load_settings(find_config(config, os.environ))  # noqa: E731
    if room is not None:
        offers = _join_simulated(room, directory)
    try:
        log = run_simulated(settings, options, load, directory, request, offers)
    except NoTerminalError as error:
        fail(WRONG_USAGE, error)
    if log is not None and sys.stdout.isatty():  # the terminal may have gone
        click.echo(printable(f"log of the match: {log}\nto see what happened: {_report(log)}"))


def _join_simulated(file: Path, directory: Path) -> Path:
    """Give a simulated clock its key of a room; return where `link` puts offers for it."""
    from clock.storage.offer_file import KEY
    from room.cards.join import write_offer_key
    from room.settings.clock import load_card

    try:
        write_offer_key(load_card(file), directory / KEY)
    except ConfigError as error:
        fail(WRONG_USAGE, error)
    except OSError as error:
        fail(WRONG_USAGE, f"{directory / KEY}: {error.strerror}")
    return directory


def _report(log: Path) -> str:
    """Return the command that reports a log, as the user can type it here."""
    program = ["gammonclock"] if shutil.which("gammonclock") else [sys.executable, "-m", "clock"]
    return shlex.join([*program, "report", str(log)])


@main.command("check-config")
@click.argument("files", type=FILE_PATH, nargs=-1, required=True, metavar="FILE...")
def check_config(files: tuple[Path, ...]) -> None:
    """Check each FILE and show what it sets.

    Shown are all values in force, both time banks and the settings code, also of each preset with
    what it changes. Clocks with the same settings code run under the same rules. Of several files
    it says which differ in their rules, and where. If a FILE has an error, the message names the
    key, what was found and what is allowed.

    \b
    Example:  gammonclock check-config gammonclock.toml
              gammonclock check-config cards/*.toml
    """
    from clock.config.comparison import comparison

    checked: dict[str, Settings] = {}
    for file in files:
        try:
            checked[str(file)] = load_settings(file)
        except ConfigError as error:
            complain(error)
    for name, settings in checked.items():
        _show_settings(settings, f"{name}\n" if len(files) > 1 else "")
    if len(checked) > 1:
        click.echo(printable("\n".join(comparison(checked))))
    if len(checked) < len(set(files)):
        sys.exit(WRONG_USAGE)


def _show_settings(settings: Settings, heading: str) -> None:
    lines = describe(settings)
    width = max(len(name) for name, _ in lines)
    text = "\n".join(f"{name:{width}}  {text}" for name, text in lines)
    click.echo(printable(f"{heading}{text}") + ("\n" if heading else ""))


@main.command()
def profiles() -> None:
    """List the rules that can be selected.

    A player starts with a time bank, given per point and per match. Before it runs, each turn has
    a delay, which is not saved up.

    \b
    Example:  gammonclock profiles
    In a configuration:  [rules]
                         profile = "ebf"
    """
    from clock.match.durations import duration_text
    from clock.match.profiles import PROFILES

    click.echo(f"{'profile':14}{'per point':>10}{'per match':>11}{'delay':>7}   breaks per player")
    for name, rules in PROFILES.items():
        times = (rules.time_per_point_ns, rules.time_per_match_ns, rules.delay_ns)
        point, match, delay = (duration_text(time_ns) for time_ns in times)
        breaks = ", ".join(f"{count} up to {longest} points" for longest, count in rules.breaks)
        click.echo(f"{name:14}{point:>10}{match:>11}{delay:>7}   {breaks}")


@main.command()
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
      600   power cut        # restarts with what is on disk
      60    wait             # only time passes

    \b
    Example:  gammonclock play match.script --config my.toml --log match.jsonl
              gammonclock verify match.jsonl

    A second match of the same script has a log of its own, match-2.jsonl, and so on.
    """
    from clock.apps.playback import play as play_script
    from clock.apps.script import ScriptError, parse_bytes
    from clock.eventlog.codec import is_first
    from clock.storage import fsync

    settings = _settings(config)
    inputs = [script, *filter(None, [find_config(config, os.environ)])]
    output = OutputFile("--log", inputs, force=force)
    if log is not None:
        output.check(log)
    lines: list[bytes] = []
    try:
        segments = parse_bytes(fsync.read(script, MAX_SCRIPT), str(script))
    except ScriptError as error:
        fail(WRONG_USAGE, error)
    except OSError as error:
        fail(WRONG_USAGE, f"{script}: {error.strerror}")
    play_script(segments, settings.match, _options(settings), lines.append, settings.presets)
    if log is None:
        click.echo(b"".join(lines), nl=False)
        return
    begins = [at for at, line in enumerate(lines) if is_first(line)]
    matches = [b"".join(lines[begin:end]) for begin, end in pairwise([*begins, len(lines)])]
    later = [log.with_stem(f"{log.stem}-{number}") for number in range(2, len(matches) + 1)]
    for path in later:
        output.check(path)
    for path, match in zip((log, *later), matches, strict=True):
        output.write(path, match)


def _log_lines(path: Path) -> list[bytes]:
    from clock.storage.log_reader import read_lines

    try:
        return read_lines(path)
    except OSError as error:
        fail(WRONG_USAGE, f"{path}: {error.strerror}")


@main.command()
@click.argument("logs", metavar="LOG...", type=FILE_PATH, nargs=-1, required=True)
@click.option(
    "--head",
    help="A head from a score sheet, such as 7KQ2-M9XT-4WDA, or the text of a QR code: say at which"
    " line it was shown.",
)
@click.option(
    "--against",
    metavar="HUB",
    help="Compare LOG with what a hub heard: the address of its pages, or its database.",
)
def verify(logs: tuple[Path, ...], head: str | None, against: str | None) -> None:
    """Verify that LOG is undamaged and consistent.

    Checked are its hashes and its sequence, and the match is replayed: the same presses must give
    the same times, flags and score. If a line is damaged or does not follow, the message names the
    first such line and what is wrong with it, and the exit code is 4.

    That alone does not prove that nothing was changed: a program that knows the format could write
    another consistent log. The head does. The panels show it when a game is scored, when the
    director is called and at the end of the match. With --head, the head from the score sheet or
    the photograph is compared with those of the log; if the log never showed it, the exit code
    is 4.

    A hub is a second witness: it has each line as it came. With --against, the message names the
    first line that differs from what the hub heard, and the exit code is 4.

    \b
    Example:  gammonclock verify /var/lib/gammonclock/current.jsonl
              gammonclock verify match.jsonl --head 7KQ2-M9XT-4WDA
              gammonclock verify match.jsonl --against room.sqlite
    """
    from clock.eventlog.head import HeadError
    from clock.eventlog.verification import parse_shown

    try:
        shown = None if head is None else parse_shown(head)
    except HeadError as error:
        fail(WRONG_USAGE, f"--head: {error}")
    results = [_verify(log, shown) for log in logs]
    if against is not None:
        results += [_verify_against(log, against) for log in logs]
    if not all(results):
        sys.exit(DAMAGED)


def _verify_against(path: Path, hub: str) -> bool:
    """Compare a log with what a hub heard, and return whether they agree."""
    from room.store.witness import WitnessError, ask, compare, match_of

    lines = _log_lines(path)
    match = match_of(lines)
    try:
        heard = ask(hub, match)
    except WitnessError as error:
        fail(WRONG_USAGE, f"--against: {error}")
    if not heard.lines:
        complain(
            f"{path}: the hub does not know the match {match or 'of this log'}, or shows it to the"
            " director only: name the address with the token"
        )
        return False
    found = compare(lines, heard.lines)
    if found.agrees:
        rest = found.log - found.heard
        after = f"; it did not hear the {rest} after them" if rest else ""
        click.echo(f"  the hub heard the same {found.heard} lines{after}")
    elif found.same == found.log:
        complain(f"{path}: the end is missing: the hub heard {found.heard - found.log} more lines")
    else:
        complain(f"{path}, line {found.same + 1}: the hub heard another line; those before agree")
    if heard.forks:
        click.echo(
            f"  the hub heard {heard.forks} times lines that contradict earlier ones, and counts"
            " the later ones: compare the head with the score sheet"
        )
    return found.agrees


def _verify(path: Path, shown: "str | Shown | None") -> bool:
    """Verify one log, and return whether it is consistent and showed the head."""
    from clock.eventlog.codec import DamagedError
    from clock.eventlog.verification import is_chain_intact, verify, versions

    lines = _log_lines(path)
    writers = " and ".join(versions(lines)) or "not known"
    try:
        found = verify(lines)
    except DamagedError as damaged:
        advice = "The lines before it are undamaged and consistent."
        if is_chain_intact(lines):
            advice = (
                f"No line is damaged: every hash is right. Version {writers} wrote the log; this is"
                f" version {__version__}, and it may have other rules."
            )
        complain(f"{path}, {damaged}. {advice}")
        return False
    name = click.format_filename(path)
    state, last = found.match.state, found.lines[-1]
    click.echo(f"{name}: undamaged and consistent. {last.seq} records, {_standing(last, state)}")
    click.echo(f"  written by version {writers}{_software_stamps(lines[0])}")
    click.echo(printable(f"  {_origin_of(found.lines[0].record.event)}"))
    for game in found.games:
        score = "{}-{}".format(*game.record.score)
        click.echo(f"  head {game.head} at line {game.seq}, a game scored: {score}")
    click.echo(f"  head {last.head} at line {last.seq}, the end")
    if shown is None:
        return True
    line = found.line_of(shown)
    if line is None:
        complain(
            f"{path}: this log never showed that head. Either it is another log, or it was changed,"
            " or its end is missing."
        )
        return False
    rest = last.seq - line.seq
    after = f"; the {rest} after it are not covered" if rest else ""
    click.echo(
        f"  the head matches: it was shown at line {line.seq}, {line.wall}. The lines up to there"
        f" are those that the clock showed{after}"
    )
    return True


def _standing(line: "VerifiedLine", state: "MatchState") -> str:
    """Return how the match stands at the end of its log."""
    from clock.match.durations import clock_text

    left, right = clock_text(line.record.left_ns), clock_text(line.record.right_ns)
    score = f"{state.score.left}-{state.score.right} of {state.length}"
    return f"{line.record.phase.value}, score {score}, left {left}, right {right}"


def _origin_of(first: "AnyEvent") -> str:
    """Return which clock wrote a log, at which board, and which log it continues."""
    clock, board = getattr(first, "clock", ""), getattr(first, "board", "")
    said = f"clock {clock or 'not named'}, board {board or 'not named'}"
    origin: Origin | None = getattr(first, "origin", None)
    if origin is None:
        return said
    damage = f"; damage there: {origin.damage}" if origin.damage else ""
    return f"{said}; continues the log {origin.match} after its line {origin.seq}{damage}"


def _software_stamps(first: bytes) -> str:
    """Return a remark if the presses were not stamped by the kernel."""
    from clock.eventlog.codec import decode

    software = getattr(decode(first, 1).record.event, "stamps", None) == "software"
    return ". Its presses were stamped by software, some milliseconds late" if software else ""


@main.command()
@click.argument("logs", metavar="LOG...", type=FILE_PATH, nargs=-1, required=True)
@click.option("--turns", "every_turn", is_flag=True, help="List all turns too.")
@click.option("--json", "form", flag_value="json", help="Print JSON, with all that happened.")
@click.option(
    "--csv", "form", flag_value="csv", help="Print CSV: a line a match or, with --turns, a turn."
)
@click.option(
    "--language", type=click.Choice(LANGUAGES), default="en", help="Of the report; default: en."
)
@click.option(
    "--chart",
    "picture",
    type=FILE_PATH,
    help="Draw a chart of both reserves into this file: .png, .svg or .pdf.",
)
@force_option
def report(
    logs: tuple[Path, ...],
    picture: Path | None,
    form: str | None,
    language: str,
    *,
    every_turn: bool,
    force: bool,
) -> None:
    """Say what happened in LOG: games, flags, stops, breaks, what the director changed.

    For each of these the report shows the turns before it and every press. The log is verified
    first. The numbers under # are those of its lines. Several logs give one table of results. A
    damaged log is left out, and the exit code is 4. docs/report.md describes JSON and CSV. A chart
    needs the extra "chart": docs/laptop.md says how to install it.

    \b
    Example:  gammonclock report current.jsonl --chart match.png
              gammonclock report *.jsonl --csv > results.csv
    """
    from clock.report.results import results_table
    from clock.report.tables import tables
    from clock.ui.i18n import sayer

    if len(logs) > 1 and (picture or (every_turn and form is None)):
        raise click.UsageError("--chart needs a single LOG, and so does --turns without --csv")
    if picture is not None and picture.suffix.lower() not in CHART_SUFFIXES:
        allowed = f"a file that ends in {', '.join(CHART_SUFFIXES)}"
        fail(WRONG_USAGE, f"--chart: found {picture}, allowed {allowed}")
    output = OutputFile("--chart", logs, force=force)
    if picture is not None:
        output.check(picture)
    found = [reported for reported in map(_reported, logs) if reported is not None]
    say = sayer(language)
    if found and picture is not None:
        _draw(found[0].summary, say, picture, output)
    if form is not None:
        click.echo(_exported(found, form, say, every_turn=every_turn), nl=False)
    elif len(logs) > 1 and found:
        _print_tables([results_table(found, say)])
    elif found:
        _print_tables(tables(found[0].summary, say, every_turn=every_turn))
    if len(found) < len(logs):
        sys.exit(DAMAGED)


def _reported(path: Path) -> "Reported | None":
    """Read a log; complain and return None if it is damaged."""
    from clock.eventlog.codec import DamagedError
    from clock.report.build import summary
    from clock.report.results import Reported

    try:
        return Reported(printable(click.format_filename(path)), summary(_log_lines(path)))
    except DamagedError as damaged:
        complain(f"{path}, {damaged}. A damaged log is not reported.")
        return None


def _exported(found: "list[Reported]", form: str, say: "Say", *, every_turn: bool) -> bytes:
    from clock.report.results import as_csv, as_json

    return as_json(found, say) if form == "json" else as_csv(found, every_turn=every_turn)


def _print_tables(found: "list[Table]") -> None:
    from rich.console import Console

    console = Console()
    for table in found:
        console.print(table)
        console.print()


def _draw(found: "Summary", say: "Say", file: Path, output: OutputFile) -> None:
    try:
        from clock.report.chart import chart, render
    except ModuleNotFoundError as missing:
        if missing.name != "matplotlib":
            raise
        fail(WRONG_USAGE, extra_missing("a chart", "chart"))
    output.write(file, render(chart(found, say), file.suffix.lower()))


@main.command()
@click.argument("directory", metavar="DIR", type=FILE_PATH)
@click.option("--older-than", "age", metavar="DAYS", help="Only older matches, such as 30d.")
@click.option("--delete", is_flag=True, help="Delete them; needs --older-than.")
@click.option("--under-way", is_flag=True, help="Print only the match under way, if there is one.")
def logs(directory: Path, age: str | None, *, delete: bool, under_way: bool) -> None:
    """List the matches whose logs lie in DIR.

    A log is damaged if one of its hashes is wrong; gammonclock verify says more. The current match
    is never deleted, nor one whose latest line has no usable date.

    \b
    Example:  gammonclock logs /var/lib/gammonclock
    To see whether a match is under way, which an update would interrupt:
              gammonclock logs /var/lib/gammonclock --under-way
    To make room on the card:
              sudo gammonclock logs /var/lib/gammonclock --older-than 90d --delete
    """
    from datetime import UTC, datetime, timedelta

    from clock.storage.inventory import logged_matches

    if delete and age is None:
        raise click.UsageError("--delete needs --older-than DAYS")
    if age is not None and not re.fullmatch("[0-9]{1,5}d", age):
        fail(WRONG_USAGE, f"--older-than: found {age}, allowed a number of days such as 30d")
    try:
        if under_way:
            return _print_match_under_way(directory)
        found = logged_matches(directory)
    except OSError as error:
        fail(WRONG_USAGE, f"{directory}: {error.strerror}")
    if age is not None:
        oldest, now = timedelta(days=int(age[:-1])), datetime.now(UTC)
        found = [match for match in found if match.is_older(oldest, now)]
    if delete:
        return _delete([match for match in found if not match.is_current])
    return _list(found)


def _print_match_under_way(directory: Path) -> None:
    from clock.match.scoring import score_text
    from clock.runtime.startup import match_under_way

    if match := match_under_way(directory):
        names = f"{match.names.left}, {match.names.right}"
        score = f"{score_text(match.score)} of {match.length}"
        click.echo(printable(f"{names}  {score}  {match.phase.name}"))


def _list(found: "list[LoggedMatch]") -> None:
    from clock.report.listing import HEADINGS, row

    rows = [HEADINGS, *map(row, found)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for texts in rows:
        cells = (text.ljust(width) for text, width in zip(texts, widths, strict=True))
        click.echo(printable("  ".join(cells).rstrip()))


def _delete(found: "list[LoggedMatch]") -> None:
    for match in found:
        try:
            match.delete()
        except OSError as error:
            fail(WRONG_USAGE, f"{error.filename}: not deleted: {error.strerror}")
        for path in match.files:
            click.echo(printable(f"deleted {path}"))
    if not found:
        click.echo("nothing to delete")


@main.command()
@click.argument("sources", metavar="SOURCE...", nargs=-1, required=True)
@click.option("--port", type=click.IntRange(0, 65535), default=8037, help="Default: 8037.")
@click.option("--host", default="127.0.0.1", help="Default: 127.0.0.1, this computer alone.")
@click.option("--open", "opens", is_flag=True, help="Open the room's page in the browser.")
@click.option("--database", help="Keep lines and results in this file, or at postgresql://...")
@click.option(
    "--pace",
    type=click.FloatRange(0.1, 1000),
    help="Replay log files: 1 at their own pace, 10 ten times as fast.",
)
@click.option("--code", help="The settings code that every board should have, such as 7KQ2.")
@click.option("--baud", type=int, default=115200, help="Of serial ports; default: 115200.")
def watch(  # noqa: PLR0913, PLR0917 (one for each option)
    sources: tuple[str, ...],
    host: str,
    port: int,
    database: str | None,
    pace: float | None,
    code: str | None,
    baud: int,
    *,
    opens: bool,
) -> None:
    """Show clocks on pages in the browser: each SOURCE is a log directory, a log or a serial port.

    A log directory is that of a clock on this computer, or a folder to which logs are copied. A
    serial port carries the lines of a clock: /dev/ttyUSB0, COM3. The pages show the room, each
    board, an overlay for streams, and results; docs/watch.md describes them. Without --database
    lines and results are kept in memory, until the program ends.

    Only this computer can open the pages. With --host 0.0.0.0 everybody in its network can. The
    extra "room" is needed: docs/laptop.md says how to install it.

    \b
    Example:  gammonclock watch /var/lib/gammonclock --open
              gammonclock watch /dev/ttyUSB0 /dev/ttyUSB1 --database club.sqlite
              gammonclock watch match.jsonl --pace 1
    """
    with needs_extra("watch", "room"):
        from room.command import WatchError, watch_sources
        from room.watch.watch import Options
    options = Options(host, port, database, code and code.upper())
    try:
        watch_sources(sources, options, pace=pace, baud=baud, opens=opens)
    except WatchError as error:
        fail(WRONG_USAGE, error)


@main.command("room-cards")
@click.argument("file", metavar="ROOM.TOML", type=FILE_PATH)
@click.argument("folder", metavar="DIR", type=FILE_PATH)
def room_cards(file: Path, folder: Path) -> None:
    """Make the files of a room in DIR: for each clock, for the broker, for the hub, and labels.

    ROOM.TOML names the room, the broker, the Wi-Fi and the clocks with their boards. Each clock has
    a file gammonclock-room.toml, which is copied onto the boot partition of its card. The broker
    mosquitto has a configuration, passwords, an access list and certificates; the hub has hub.toml.
    labels.html is printed: a QR code for each board, and one for the director.

    Made again, clocks keep their passwords, and new clocks are added. A clock has a new password
    after its folder in DIR/clocks was deleted. docs/room.md describes all of it.

    \b
    Example:  gammonclock room-cards room.toml cards
    """
    with needs_extra("room-cards", "room"):
        from room.cards.folder import CardsError, describe, make_cards
        from room.settings.room import load_room
    try:
        made = make_cards(load_room(file), folder)
    except (ConfigError, CardsError) as error:
        fail(WRONG_USAGE, error)
    for line in describe(made, folder):
        click.echo(printable(line))


@main.command("room-join")
@click.argument("file", metavar="[FILE]", type=FILE_PATH, required=False)
def room_join(file: Path | None) -> None:
    """Take this clock's file of a room from the boot partition.

    The clock's service for this runs it at each start. FILE is gammonclock-room.toml on the boot
    partition unless it is named. Its parts go to the link, to the clock and to NetworkManager; then
    FILE is deleted. If it cannot be used, the message says why, and FILE is kept. This needs root.

    \b
    Example:  gammonclock room-join
    """
    from room.cards.join import CARD, PLACES, JoinError, join_room, owner_of

    file = file or CARD
    try:
        card = join_room(file, PLACES, owner_of)
    except (ConfigError, JoinError) as error:
        fail(WRONG_USAGE, error)
    said = "there is no such file" if card is None else f"{card.clock} has joined {card.room}"
    click.echo(printable(f"{file}: {said}"))


@main.command()
@click.option(
    "--config", type=FILE_PATH, default=Path("room.toml"), help="The room; default: room.toml."
)
@click.option("--keys", type=FILE_PATH, help="The hub's login; default: hub.toml beside --config.")
@click.option("--port", type=click.IntRange(0, 65535), help="Default: that of --config.")
@click.option("--host", help="Default: that of --config.")
@click.option("--database", help="Default: that of --config.")
def hub(
    config: Path, keys: Path | None, port: int | None, host: str | None, database: str | None
) -> None:
    """Follow the clocks of a room by its broker, and show them on pages.

    It keeps each line that a clock sends, acknowledges it, and shows the pages of gammonclock
    watch. room-cards makes hub.toml. The extra "room" is needed: docs/laptop.md says how to install
    it.

    \b
    Example:  gammonclock hub --config room.toml --keys cards/hub.toml
    """
    with needs_extra("hub", "room"):
        from room.command import WatchError, serve_room
        from room.settings.hub import load_hub_card
        from room.settings.room import load_room
        from room.watch.watch import Options
    try:
        room = load_room(config)
        card = load_hub_card(keys or config.with_name("hub.toml"))
        pages = room.pages
        options = Options(
            host or pages.host,
            pages.port if port is None else port,
            database or room.database_in(Path(os.environ.get("STATE_DIRECTORY") or config.parent)),
            address=room.address,
            public=pages.public,
            names=pages.names,
            delay_s=pages.delay,
            days=room.database.days,
        )
        serve_room(card, room.clocks, options)
    except (ConfigError, WatchError) as error:
        fail(WRONG_USAGE, error)


@main.command()
@click.option(
    "--config",
    type=FILE_PATH,
    metavar="FILE",
    help="Default: /var/lib/gammonclock-link/link.toml.",
)
@click.option(
    "--logs", type=FILE_PATH, default=Path(LogTable().directory), help="The clock's log directory."
)
@click.option(
    "--offers",
    type=FILE_PATH,
    help="Where the clock finds offers; default: /run/gammonclock-link, or the log directory if"
    " FILE is a gammonclock-room.toml.",
)
def link(config: Path | None, logs: Path, offers: Path | None) -> None:
    """Send a clock's logs to the hub of its room, and take offers of the next match from it.

    The clock's service for this runs it. It only reads the log directory; room-join makes the file
    that says where the broker is. The extra "link" is needed.

    To try it with a simulated clock, name a gammonclock-room.toml as room-cards made it, and start
    the clock with gammonclock run --simulate --room and the same file.

    \b
    Example:  gammonclock link --config link.toml --logs /var/lib/gammonclock
    """
    with needs_extra("link", "link"):
        from room.link.link import run_link
        from room.settings.clock import FILE_NAME, load_card
        from room.settings.link import OFFERS, PATH, load_link
    try:
        file = config or PATH
        is_card = file.name == FILE_NAME
        settings = load_card(file).link_settings if is_card else load_link(file)
        run_link(settings, logs, offers or (logs if is_card else OFFERS))
    except ConfigError as error:
        fail(WRONG_USAGE, error)
