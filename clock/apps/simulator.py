"""A clock on a terminal: the real program with mock pins, and panels drawn in characters."""

import os
import shlex
import shutil
import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from clock.apps.event_stream import serial_stream
from clock.config.schema import LogTable
from clock.config.settings import Settings
from clock.eventlog.codec import DamagedError, decode
from clock.match.types import Side
from clock.runtime.adapters import ConfiguredMatch, HealthAggregator, PlungerButtons, TeeLog
from clock.runtime.alerts import Alert, wanted_alerts
from clock.runtime.crash_guard import CrashGuard
from clock.runtime.handover import (
    NOTHING,
    Incoming,
    MatchFinder,
    NewRequest,
    ResumeRequest,
    match_finder,
)
from clock.runtime.loop import Runtime, UiOptions
from clock.runtime.offer_folder import OfferFolder
from clock.runtime.ports import EventLog, Ports
from clock.runtime.resume_match import ResumableLogs
from clock.runtime.startup import ResumeError
from clock.storage.clock_id import NO_MACHINE, clock_id, start_id
from clock.storage.journal import Journal, JournalError
from clock.storage.language_file import keep_language, kept_language
from clock.storage.log_reader import CURRENT, log_path
from clock.ui.descriptions import log_line
from clock.ui.i18n import sayer
from hardware.buttons.simulated import SimulatedPlungers
from hardware.system.clocks import RawClock
from hardware.terminal.app import Terminal

NO_HOME = (
    "this user has no home directory for the logs: set HOME, or [log] directory to a folder"
    " that the clock may write to"
)
NO_TERMINAL = "the simulated clock needs a terminal"
ON_A_PAGE = "To try it in a browser: gammonclock run --simulate --browser"
UNFINISHED = (
    "The match that was unfinished goes on, under its own settings.",
    "The settings given at this start count for the next match.",
    "To begin that one now: q, then the same command with --new.",
)
BEEPS = {Alert.LOW_TIME: "♪ short beep: low time", Alert.FLAG: "♪ long beep: flag"}


class NoTerminalError(Exception):
    """Input or output is no terminal: there are no keys, or no screen for the panels."""


def report_command(log: Path) -> str:
    """Return the command that reports a log, as the user can type it here."""
    module = [sys.executable, "-m", "gammonclock"]
    program = ["gammonclock"] if shutil.which("gammonclock") else module
    return shlex.join([*program, "report", str(log)])


class ScreenOutputs:
    """The `Outputs` of the loop, on the screen: the buzzer and the lamps that the file names."""

    def __init__(self, settings: Settings, terminal: Terminal) -> None:
        self._has_buzzer = settings.sound.buzzer_pin != 0
        self._lamps = [side for side in Side if getattr(settings.lamps, side.value)]
        self._terminal = terminal

    def announce(self, alert: Alert) -> None:
        """See `ports.Outputs.announce`."""
        if self._has_buzzer:
            self._terminal.beep(BEEPS[alert])

    def light(self, running: Side | None) -> None:
        """See `ports.Outputs.light`."""
        self._terminal.light({side.value: side is running for side in self._lamps})


def log_directory(settings: Settings) -> Path:
    """Return where a simulated clock logs: as configured, or among its user's files (XDG).

    Raises:
        JournalError: nothing is configured, and its user has no home directory.
    """
    if settings.log.directory != LogTable().directory:
        return Path(settings.log.directory)
    try:
        home = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    except RuntimeError as error:
        raise JournalError(NO_HOME) from error
    return Path(home) / "gammonclock"


def run_simulated(
    settings: Settings,
    options: UiOptions,
    load: Callable[[], Settings],
    directory: Path,
    request: ResumeRequest | NewRequest | None = None,
    incoming: Incoming = NOTHING,
) -> Path | None:
    """Run a clock on this terminal until its user quits.

    Returns:
        The log of the latest match; None if there is none.

    Raises:
        NoTerminalError: there is no terminal.
        JournalError: the log directory cannot be used.
        ResumeError: the match of another clock was asked for, and cannot be resumed here.
        DamagedError: the log of that clock proves nothing.
    """
    for name, stream in (("input", sys.stdin), ("output", sys.stdout), ("error", sys.stderr)):
        if stream is None or not stream.isatty():
            raise NoTerminalError(f"{NO_TERMINAL}: standard {name} is none. {ON_A_PAGE}")
    guard = CrashGuard(directory, RawClock())
    with guard.record_failures(JournalError, ResumeError, DamagedError):
        find = match_finder(directory, guard, request)
        _run(settings, options, load, directory, find, incoming)
    log = log_path(directory / CURRENT)
    return log if log.exists() else None


def _run(
    settings: Settings,
    options: UiOptions,
    load: Callable[[], Settings],
    directory: Path,
    find: MatchFinder,
    incoming: Incoming = NOTHING,
) -> None:
    with ExitStack() as parts:
        plungers = SimulatedPlungers(settle_ms=0)  # a key press has no bounces
        terminal = Terminal(lambda name, down: (plungers.press if down else plungers.release)(name))
        time, journal = RawClock(), Journal(directory)
        parts.callback(journal.close)
        buttons, next_match = PlungerButtons(plungers), ConfiguredMatch(settings, load)
        startup = find(journal, time)
        for line in UNFINISHED if startup.is_under_way else ():
            terminal.log_line(line)
        stream = serial_stream(settings.log, directory, plungers.wake, startup.recovery, parts)
        sources = [stream.faults] if stream else []
        log: EventLog = TeeLog(journal, stream.append, stream.begin) if stream else journal
        log = TeeLog(
            log, lambda line: terminal.log_line(log_line(decode(line[:-1], 0), options.say))
        )
        resumable = ResumableLogs(directory, incoming.handed, time)
        own = (startup.faults, buttons.faults, journal.drain, next_match.faults, resumable.faults)
        health = HealthAggregator(*own, parts=sources)
        outputs = ScreenOutputs(settings, terminal)
        ports = Ports(time, buttons, terminal, log, health, next_match, outputs)
        of_file = settings.display.language
        ports = ports._replace(
            resumable=resumable, keep_language=partial(keep_language, directory, of_file)
        )
        options = options._replace(say=sayer(kept_language(directory, of_file)))
        if incoming.offers is not None:
            from_room = OfferFolder(incoming.offers, directory, next_match)
            ports = ports._replace(offers=from_room, rulings=from_room)
        # Several may run on one computer: each has an id of its own, kept beside its logs.
        options = options._replace(clock=clock_id(directory, NO_MACHINE), start=start_id())
        options = options._replace(wanted=wanted_alerts(settings.sound))
        runtime = Runtime(ports, options, startup.recovery, startup.preset, startup.offer)
        if stream:
            stream.send_heartbeats(runtime.heartbeat)
        serial = f", serial line: {settings.log.serial}" if stream else ""
        terminal.status(f"log: {directory}/current.jsonl{serial}")
        _run_in_thread(runtime, plungers.wake, terminal)


def _run_in_thread(runtime: Runtime, wake: Callable[[], None], terminal: Terminal) -> None:
    """Run the clock in a thread beside the terminal; when either ends, so does the other."""
    failures: list[Exception] = []

    def work() -> None:
        try:
            runtime.run()
        except Exception as failure:  # noqa: BLE001 (raised again below, in the main thread)
            failures.append(failure)
            terminal.call_from_thread(terminal.exit)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        terminal.run()
    finally:
        runtime.stopping = True
        wake()
        thread.join()
    if failures:
        raise failures[0]
