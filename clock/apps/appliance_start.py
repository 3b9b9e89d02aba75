"""Start the clock on a Raspberry Pi, whatever state its file and its card are in.

No match begins before the file is free of errors and the card has room for its log. A match under
way is resumed all the same, on what can be used of the file, with a warning.
"""

import gc
import sys
from collections.abc import Callable
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from clock.apps.appliance import Appliance, Wake
from clock.apps.error_screen import ErrorScreen, StopSignals, retry_until_started
from clock.config.reader import ConfigError
from clock.config.settings import Settings
from clock.eventlog.codec import DamagedError
from clock.match.faults import Fault
from clock.runtime.crash_guard import CrashGuard
from clock.runtime.handover import MatchFinder, ResumeRequest, match_finder
from clock.runtime.loop import UiOptions
from clock.runtime.ports import TimeSource
from clock.runtime.startup import ResumeError, StartupMatch
from clock.storage.journal import Journal, JournalError
from hardware.gpio.factories import STAMPS, HardwareError
from hardware.system.clocks import RawClock
from hardware.system.fd_store import FdStore, inherited

if TYPE_CHECKING:
    from clock.apps.pins import BuzzerAndLamps
    from hardware.buttons.plungers import Plungers

# gpiozero looks for its factories among entry points, whose search takes the parsers of e-mail,
# archives and tables: 1.6 MB. This clock names its factory, so they wait until somebody asks.
_ENTRY_POINTS: Any = ModuleType("importlib_metadata")
_ENTRY_POINTS.entry_points = lambda **group: import_module("importlib.metadata").entry_points(
    **group
)


class ConfigSource(NamedTuple):
    """The director's file."""

    load: Callable[[], Settings]  # raises ConfigError
    salvage: Callable[[], Settings]  # what can be used of a file with errors
    offers: Path | None = None  # the directory of the offers that change it for a match
    handed: Path | None = None  # the folder with logs of other clocks


class StartedAppliance(NamedTuple):
    """A clock that is ready to run."""

    appliance: Appliance
    guard: CrashGuard
    pins: ExitStack


class FatalConfigError(Exception):
    """The file has an error, and the pins cannot be used either: waiting would be pointless."""


def run_appliance(
    source: ConfigSource, screen: ErrorScreen, resume: ResumeRequest | None = None
) -> None:
    """Run the clock of this Raspberry Pi until it is told to end (SIGTERM, SIGINT).

    An error in the file or on the card is shown on the panels until a person has corrected it.

    Raises:
        HardwareError: the buttons' pins cannot be used.
        FatalConfigError: they cannot, and the file has an error too.
        ResumeError: the match of another clock was asked for, and cannot be resumed here.
        DamagedError: the log of that clock proves nothing.
    """
    signals, store = StopSignals(), FdStore(inherited())
    started = retry_until_started(
        lambda: _start(source, store, screen, resume),
        screen,
        lambda: _usable_settings(source)[0].display,
        signals.wait,
    )
    if started is None:
        return
    with started.pins, started.guard.record_failures():
        signals.on_stop(started.appliance.stop)
        gc.freeze()  # a collection of these long-lived objects would delay a picture
        started.appliance.run()


def _usable_settings(source: ConfigSource) -> tuple[Settings, ConfigError | None]:
    """Return the file's settings, or what can be used of them and the error."""
    try:
        return source.load(), None
    except ConfigError as error:
        return source.salvage(), error


def _start(
    source: ConfigSource, store: FdStore, screen: ErrorScreen, resume: ResumeRequest | None
) -> StartedAppliance:
    settings, config_error = _usable_settings(source)
    logs = Path(settings.log.directory)
    guard = CrashGuard(logs, RawClock())
    stamps, _ = STAMPS[settings.buttons.pin_factory]
    options = UiOptions.of(settings)._replace(stamps=stamps)
    find = _checked_finder(match_finder(logs, guard, resume), config_error, screen)
    with ExitStack() as pins:

        def claim(wake: Wake) -> "tuple[Plungers, BuzzerAndLamps]":
            sys.modules.setdefault("importlib_metadata", _ENTRY_POINTS)
            from clock.apps.pins import claim_pins  # noqa: PLC0415 (with gpiozero)

            try:
                return claim_pins(settings, store, pins, wake)
            except HardwareError as error:
                raise error if config_error is None else FatalConfigError(config_error) from error

        expected = (ConfigError, JournalError, ResumeError, DamagedError)
        with guard.record_start(*expected, HardwareError, FatalConfigError):
            parts = (claim, screen.outside, find, source.offers, source.handed)
            try:
                appliance = Appliance(settings, options, source.load, *parts)
            except (ConfigError, JournalError):
                claim(lambda: None)  # without pins it is pointless to wait for the file or the card
                raise
        store.drop_unused()
        return StartedAppliance(appliance, guard, pins.pop_all())


def _checked_finder(
    find: MatchFinder, config_error: ConfigError | None, screen: ErrorScreen
) -> MatchFinder:
    """Return a finder that lets no match begin with an error in the file or without room."""

    def find_and_check(journal: Journal, time: TimeSource) -> StartupMatch:
        startup = find(journal, time)
        if config_error is not None and not startup.is_under_way:
            raise config_error
        if not startup.is_under_way:
            journal.require_room()
        screen.close()  # the appliance opens the panels next
        if config_error is None:
            return startup
        return StartupMatch(startup.recovery, *startup.faults(), Fault("config", str(config_error)))

    return find_and_check
