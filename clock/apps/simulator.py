"""A clock on a terminal: the real program with mock pins, and panels drawn in characters."""

import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from clock.config.settings import Settings
from clock.eventlog.codec import DamagedError, decode
from clock.runtime.adapters import ConfiguredMatch, HealthAggregator, PlungerButtons, TeeLog
from clock.runtime.crash_guard import CrashGuard
from clock.runtime.handover import MatchFinder, ResumeRequest, match_finder
from clock.runtime.loop import Runtime, UiOptions
from clock.runtime.ports import Ports
from clock.runtime.startup import ResumeError
from clock.storage.journal import Journal, JournalError
from clock.ui.descriptions import log_line
from hardware.buttons.simulated import SimulatedPlungers
from hardware.system.clocks import RawClock
from hardware.terminal.app import Terminal


class NoTerminalError(Exception):
    """Input or output is no terminal: there are no keys, or nobody sees the panels."""


def state_directory() -> Path:
    """Return the directory for the logs of a person who simulates a clock (XDG)."""
    home = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(home) / "gammonclock"


def run_simulated(
    settings: Settings,
    options: UiOptions,
    load: Callable[[], Settings],
    directory: Path,
    resume: ResumeRequest | None = None,
) -> None:
    """Run a clock on this terminal until its user quits.

    Raises:
        NoTerminalError: there is no terminal.
        JournalError: the log directory cannot be used.
        ResumeError: the match of another clock was asked for, and cannot be resumed here.
        DamagedError: the log of that clock proves nothing.
    """
    for name, stream in (("input", sys.stdin), ("output", sys.stdout), ("error", sys.stderr)):
        if stream is None or not stream.isatty():
            raise NoTerminalError(f"the simulated clock needs a terminal: standard {name} is none")
    guard = CrashGuard(directory, RawClock())
    with guard.record_failures(JournalError, ResumeError, DamagedError):
        _run(settings, options, load, directory, match_finder(directory, guard, resume))


def _run(
    settings: Settings,
    options: UiOptions,
    load: Callable[[], Settings],
    directory: Path,
    find: MatchFinder,
) -> None:
    plungers = SimulatedPlungers(settle_ms=0)  # a key press has no bounces
    terminal = Terminal(lambda name, down: (plungers.press if down else plungers.release)(name))
    terminal.status(f"log: {directory}/current.jsonl")
    time, journal = RawClock(), Journal(directory)
    try:
        buttons, next_match = PlungerButtons(plungers), ConfiguredMatch(settings, load)
        startup = find(journal, time)
        health = HealthAggregator(startup.faults, buttons.faults, journal.drain, next_match.faults)
        log = TeeLog(
            journal, lambda line: terminal.log_line(log_line(decode(line, 0), options.say))
        )
        ports = Ports(time, buttons, terminal, log, health, next_match)
        runtime = Runtime(ports, options, startup.recovery, startup.preset)
        _run_in_thread(runtime, plungers.wake, terminal)
    finally:
        journal.close()
        plungers.close()


def _run_in_thread(runtime: Runtime, wake: Callable[[], None], terminal: Terminal) -> None:
    """Run the clock in a thread beside the terminal; when either ends, so does the other."""
    failures: list[Exception] = []

    def work() -> None:
        try:
            runtime.run()
        except Exception as failure:  # noqa: BLE001 (raised again below, in the main thread)
            failures.append(failure)
            terminal.call_from_thread(terminal.exit)

    thread = threading.Thread(target=work, name="clock")
    thread.start()
    try:
        terminal.run()
    finally:
        runtime.stopping = True
        wake()
        thread.join()
    if failures:
        raise failures[0]
