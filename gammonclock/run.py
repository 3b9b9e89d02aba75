"""`gammonclock run`: the clock itself, or a simulated one."""

import sys
from pathlib import Path

import click

from clock.config.loader import load_settings
from clock.config.reader import ConfigError
from clock.config.settings import Settings
from clock.eventlog.codec import DamagedError
from clock.runtime.handover import Incoming, NewRequest, ResumeRequest
from clock.runtime.startup import ResumeError
from clock.storage.journal import JournalError
from gammonclock import HEAVY, importing
from gammonclock.console import DAMAGED, NO_HARDWARE, WRONG_USAGE, complain, fail, show
from gammonclock.options import FILE_PATH, config_file, config_option, handed_over, settings_of
from hardware.gpio.factories import HardwareError

NOT_ON_WINDOWS = (
    "this computer has Windows: the clock runs on a Raspberry Pi, and the simulated one"
    " (--simulate) on Linux, WSL or macOS. On Windows a match can be played from a script:"
    " gammonclock play --help, or one be tried on a page: gammonclock run --simulate --browser"
)


@click.command()
@config_option
@click.option("--simulate", is_flag=True, help="Show buttons and panels on this terminal.")
@click.option("--browser", is_flag=True, help="With --simulate: a clock to practise on, on a page.")
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
    browser: bool,
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

    With --browser the clock is a page, for a computer whose terminal is too small or none: one of
    those that `make browser` has made.

    With --resume the match of a clock that has failed is resumed here: stopped, and under its own
    settings. LOG is only read. Starting again with the same LOG continues the match.

    \b
    Example:  gammonclock run --simulate --config my.toml
              gammonclock run --resume /media/stick/2026-05-01T10-00-00-7.jsonl
    """
    _check_usage(
        instead=instead,
        new=new,
        resume=resume,
        browser=browser,
        simulate=simulate,
        offers=offers,
        room=room,
    )
    if browser:
        practise()
        return
    if sys.platform == "win32":
        fail(NO_HARDWARE, NOT_ON_WINDOWS)
    request = None if resume is None else ResumeRequest(resume, instead)

    try:
        if simulate:
            start_simulated(config, NewRequest() if new else request, offers, room)
        else:
            start_appliance(config, request, offers)
    except HardwareError as error:
        fail(NO_HARDWARE, f"{error}. To try the clock without: gammonclock run --simulate")
    except (JournalError, ResumeError) as error:
        fail(WRONG_USAGE, error)
    except DamagedError as damaged:
        advice = "Begin a new match and enter score, length and times in the director's menu."
        fail(DAMAGED, f"{resume}: the match cannot be resumed: {damaged}. {advice}")


def _check_usage(**given: object) -> None:
    """Refuse options that do not go together."""
    if given["instead"] and given["resume"] is None:
        raise click.UsageError("--instead needs --resume LOG")
    if given["new"] and (given["resume"] is not None or not given["simulate"]):
        raise click.UsageError("--new needs --simulate, and no --resume")
    if given["browser"] and not given["simulate"]:
        raise click.UsageError("--browser needs --simulate")
    if given["room"] is not None and not given["simulate"]:
        raise click.UsageError("--room needs --simulate; a clock takes its file from its card")
    if given["room"] is not None and given["offers"] is not None:
        raise click.UsageError("leave out --offers: with --room the offers are those of the room")


def practise() -> None:
    """Serve the pages of `make browser`, one of which has a clock to practise on."""
    from gammonclock import static_pages
    from room.web.page_files import BROWSER_PAGES, are_made

    if not are_made(BROWSER_PAGES):
        fail(WRONG_USAGE, f"no pages in {BROWSER_PAGES}. To make them: make browser")
    try:
        static_pages.serve(BROWSER_PAGES)
    except OSError as error:
        fail(WRONG_USAGE, f"no port is free: {error.strerror}")


def start_appliance(config: Path | None, resume: ResumeRequest | None, offers: Path | None) -> None:
    """Run the clock of a box; the options are those of `run`.

    Raises:
        HardwareError: its hardware is missing.
        JournalError: the log directory cannot be used.
        ResumeError, DamagedError: the match cannot be resumed.
    """
    with importing(without=HEAVY):
        from clock.apps.appliance_start import ConfigSource, FatalConfigError, run_appliance
        from clock.apps.error_screen import ErrorScreen

    def salvage() -> Settings:
        from clock.config.fallback import salvage_settings  # only for a file with errors

        return salvage_settings(config_file(config))

    load = lambda: load_settings(config_file(config))  # noqa: E731
    source = ConfigSource(load, salvage, offers, handed_over(config))
    try:
        run_appliance(source, ErrorScreen(complain), resume)
    except FatalConfigError as error:
        fail(WRONG_USAGE, error)


def start_simulated(
    config: Path | None,
    request: ResumeRequest | NewRequest | None,
    offers: Path | None,
    room: Path | None,
) -> None:
    """Run a simulated clock on this terminal; otherwise as `start_appliance`."""
    from clock.apps.simulator import NoTerminalError, log_directory, report_command, run_simulated
    from clock.runtime.loop import UiOptions
    from room.cards.join import JoinError, join_simulated

    settings = settings_of(config)
    options = UiOptions.of(settings)._replace(stamps="software")
    load = lambda: load_settings(config_file(config))  # noqa: E731
    try:
        directory = log_directory(settings)
        if room is not None:
            join_simulated(room, directory)
            offers = directory  # where `link` puts them for it
        incoming = Incoming(offers, handed_over(config))
        log = run_simulated(settings, options, load, directory, request, incoming)
    except (ConfigError, JoinError, NoTerminalError) as error:
        fail(WRONG_USAGE, error)
    if log is not None and sys.stdout.isatty():  # the terminal may have gone
        show(f"log of the match: {log}", f"to see what happened: {report_command(log)}")
