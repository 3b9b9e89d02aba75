"""How `gammonclock run` starts the clock: of a box, simulated on a terminal, or on a page."""

import sys
from pathlib import Path

from clock.config.loader import load_settings
from clock.config.reader import ConfigError
from clock.config.settings import Settings
from clock.runtime.handover import Incoming, NewRequest, ResumeRequest
from gammonclock import HEAVY, importing
from gammonclock.console import WRONG_USAGE, complain, fail, show
from gammonclock.options import config_file, handed_over, settings_of


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
