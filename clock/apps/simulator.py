"""A clock on a terminal: the real program with mock pins for buttons and a screen for panels.

With `box`, one of the places that know the game and the hardware. The one rule: parts are made and
joined here, and nothing else is done.
"""

import os
import threading
from collections.abc import Callable
from pathlib import Path

from clock.runtime.adapters import AllParts, ConfiguredMatch, PlungerButtons, SeenLog
from clock.eventlog.codec import DamagedError, decode
from clock.config.loader import Settings
from clock.storage.journal import Journal, JournalError
from clock.runtime.startup import ResumeError
from clock.runtime.ports import Ports
from clock.runtime.handover import Opener, Resume, opener
from clock.match.rules import MatchSettings
from clock.runtime.loop import Manner, Runtime
from clock.runtime.crash_guard import Starts
from clock.ui.descriptions import Say, told_line
from hardware.system.clocks import RawClock
from hardware.buttons.simulated import SimulatedPlungers
from hardware.terminal.app import Terminal


def state_directory() -> Path:
    """Where a person's own programs keep what they must not forget (XDG)."""
    home = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(home) / "gammonclock"


def run_simulated(
    settings: Settings,
    manner: Manner,
    load: Callable[[], MatchSettings],
    directory: Path,
    resume: Resume | None = None,
) -> None:
    """Run a clock on this terminal until its user quits.

    Raises:
        JournalError: there is no place for the log.
        ResumeError: another clock's match is wanted, and cannot be gone on with here.
        DamagedError: nothing can be made of that clock's log.
    """
    starts = Starts(directory, RawClock())
    with starts.watched(JournalError, ResumeError, DamagedError):
        _run(settings, manner, load, directory, opener(directory, starts, resume))


def _run(
    settings: Settings,
    manner: Manner,
    load: Callable[[], MatchSettings],
    directory: Path,
    find: Opener,
) -> None:
    plungers = SimulatedPlungers(settle_ms=0)  # a key of a terminal is down for no time at all
    terminal = Terminal(lambda name, down: (plungers.press if down else plungers.release)(name))
    terminal.status(f"log: {directory}/current.jsonl")
    time, journal = RawClock(), Journal(directory)
    try:
        buttons, following = PlungerButtons(plungers), ConfiguredMatch(settings.match, load)
        beginning = find(journal, time)
        health = AllParts(beginning.faults, buttons.faults, journal.drain, following.faults)
        log = SeenLog(journal, lambda line: terminal.log_line(_told(line, manner.say)))
        ports = Ports(time, buttons, terminal, log, health, following)
        runtime = Runtime(ports, manner, beginning.last)
        _run_beside(terminal, runtime, plungers.wake)
    finally:
        journal.close()
        plungers.close()


def _told(line: bytes, say: Say) -> str:
    return told_line(decode(line, 0), say)


def _run_beside(terminal: Terminal, runtime: Runtime, wake: Callable[[], None]) -> None:
    """The clock in a thread of its own; when either ends, so does the other."""
    failures: list[Exception] = []

    def work() -> None:
        try:
            runtime.run()
        except Exception as failure:  # noqa: BLE001 (a thread's top: raised again below)
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
