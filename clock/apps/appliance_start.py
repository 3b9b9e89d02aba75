"""How a box starts, whatever its file and its card are like.

A match under way goes on: with a file that cannot be used it does so on what of the file speaks of
hardware, with a warning. With `box`, `doctor`, `simulation` and `waiting` one of the places that
know both sides. The one rule: no match begins before the file is right and the log has room.
"""

import gc
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from gpiozero import GPIOZeroError
from gpiozero.pins import Factory

from clock.apps.appliance import Box
from clock.eventlog.codec import DamagedError
from clock.config.loader import ConfigError, Settings
from clock.config.schema import Buttons
from clock.storage.journal import Journal, JournalError
from clock.runtime.startup import NOT_BEGUN_OR_OVER, Opened, ResumeError
from clock.runtime.ports import Fault, TimeSource
from clock.runtime.handover import Opener, Resume, opener
from clock.runtime.loop import Manner
from clock.runtime.crash_guard import Starts
from clock.apps.error_screen import Ending, Trouble, awaited
from hardware.gpio.factories import STAMPS, HardwareError, pin_factory
from hardware.system.fd_store import FdStore, KeepsLines, inherited
from hardware.buttons.plungers import Plungers
from hardware.system.clocks import RawClock


class Source(NamedTuple):
    """The director's file."""

    load: Callable[[], Settings]  # raises ConfigError
    salvage: Callable[[], Settings]  # what of it can be used all the same
    manner: Callable[[Settings], Manner]


class Started(NamedTuple):
    """A box that can run."""

    box: Box
    starts: Starts
    pins: ExitStack


class NoBoxError(Exception):
    """There are no pins to speak of, so that nothing is waited for; with the file's fault."""

    def __init__(self, wrong: ConfigError) -> None:
        super().__init__(str(wrong))


def run_box(source: Source, trouble: Trouble, resume: Resume | None = None) -> None:
    """Run the clock of this Raspberry Pi until it is told to end (SIGTERM, SIGINT).

    What a person can mend, a file or a card, is shown on the panels until it is mended.

    Raises:
        HardwareError: the buttons' pins cannot be used.
        NoBoxError: they cannot, and the file cannot either.
        ResumeError: another clock's match is wanted, and cannot be gone on with here.
        DamagedError: nothing can be made of that clock's log.
    """
    ending, store = Ending(), FdStore(inherited())
    started = awaited(
        lambda: _started(source, store, trouble, resume),
        trouble,
        lambda: _settings(source)[0].display,
        ending.wait,
    )
    if started is None:
        return
    with started.pins, started.starts.watched():
        ending.then(started.box.stop)
        gc.freeze()  # what lives on anyway: to look through it would hold up a picture
        started.box.run()


def _settings(source: Source) -> tuple[Settings, ConfigError | None]:
    """The file's settings; if it cannot be used, what can be, and why."""
    try:
        return source.load(), None
    except ConfigError as wrong:
        return source.salvage(), wrong


def _started(source: Source, store: FdStore, trouble: Trouble, resume: Resume | None) -> Started:
    settings, wrong = _settings(source)
    logs = Path(settings.log.directory)
    starts = Starts(logs, RawClock())
    stamps, _ = STAMPS[settings.buttons.pin_factory]
    manner = source.manner(settings)._replace(stamps=stamps)
    find = _careful(opener(logs, starts, resume), wrong, trouble)
    with ExitStack() as pins:
        try:
            factory, plungers = _buttons(settings.buttons, store, pins)
        except HardwareError as error:
            raise error if wrong is None else NoBoxError(wrong) from error
        with starts.watched(ConfigError, JournalError, ResumeError, DamagedError):
            load = lambda: source.load().match  # noqa: E731
            box = Box(settings, manner, load, plungers, factory, trouble.outside, find)
        store.drop_left()
        return Started(box, starts, pins.pop_all())


def _buttons(buttons: Buttons, store: FdStore, pins: ExitStack) -> tuple[Factory, Plungers]:
    factory = pin_factory(buttons.pin_factory)
    pins.callback(factory.close)
    if isinstance(factory, KeepsLines):
        factory.keep_lines(store)
    wired = {name: getattr(buttons.pins, name) for name in ("left", "right", "centre")}
    try:
        plungers = Plungers(wired, buttons.settle_ms, factory)
    except (GPIOZeroError, OSError) as error:
        raise HardwareError(f"the buttons: {error}") from error
    pins.callback(plungers.close)
    return factory, plungers


def _careful(find: Opener, wrong: ConfigError | None, trouble: Trouble) -> Opener:
    """Finds the match to go on with; without one, sees to it that the next one may begin."""

    def found(journal: Journal, time: TimeSource) -> Opened:
        opened = find(journal, time)
        last = opened.last
        if wrong is not None and (last is None or last.match.state.phase in NOT_BEGUN_OR_OVER):
            raise wrong
        if last is None:
            journal.require_room()
        trouble.close()  # the panels are the box's from here on
        if wrong is None:
            return opened
        return Opened(last, *opened.faults(), Fault("config", str(wrong)))

    return found
