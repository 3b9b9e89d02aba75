"""What a clock that cannot start shows until its file or its card has been corrected.

No time runs meanwhile, so the start is simply tried again every two seconds.
"""

import signal
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import TypeVar

from clock.apps.appliance import open_panels
from clock.config.reader import ConfigError
from clock.config.schema import DisplayTable
from clock.match.types import Pair
from clock.storage.journal import JournalError
from clock.ui.error_pages import config_faces, log_faces
from clock.ui.i18n import sayer
from hardware.display.panels import Outside, Panels
from hardware.face import Face
from hardware.system.clocks import RawClock
from hardware.system.systemd import ServiceManager

RETRY_S = 2.0
TRIES_PER_PAGE = 2  # four seconds to read a page

FixableError = ConfigError | JournalError  # a person can correct the file or the card
StartedT = TypeVar("StartedT")


class StopSignals:
    """SIGTERM and SIGINT, which tell the program to end."""

    def __init__(self) -> None:
        """Handle the signals from now on."""
        self._received: SimpleQueue[None] = SimpleQueue()  # safe to fill in a signal handler
        self._act: Callable[[], None] = lambda: None
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._receive)

    def wait(self, seconds: float) -> bool:
        """Wait for a signal; return whether one has come by now."""
        with suppress(Empty):
            self._received.get(timeout=seconds)
            self._received.put(None)
            return True
        return False

    def on_stop(self, act: Callable[[], None]) -> None:
        """Call `act` at a signal; at once if one has come before."""
        self._act = act
        if not self._received.empty():
            act()

    def _receive(self, *_: object) -> None:
        self._received.put(None)
        self._act()


class ErrorScreen:
    """The panels of a clock that cannot start."""

    def __init__(self, report: Callable[[object], None], outside: Outside | None = None) -> None:
        """Show nothing yet; `report` writes an error to the program's error output."""
        self.outside = outside
        self._report = report
        self._manager, self._clock = ServiceManager.found(), RawClock()
        self._reported = ""
        self._tries = 0
        self._display: DisplayTable | None = None
        self._panels: Panels | None = None

    def show(self, error: FixableError, display: DisplayTable) -> None:
        """Show an error, or its next page, on the panels that the file describes."""
        if str(error) != self._reported:
            self._reported, self._tries = str(error), 0
            self._report(error)
        if display != self._display:
            self.close()
            self._display = display
            self._panels = open_panels(display, self.outside)
        if self._panels is not None:
            self._panels.show(_faces(error, display.language, self._tries // TRIES_PER_PAGE))
        self._tries += 1
        if self._manager is not None:
            self._manager.turned(self._clock.now_ns(), f"cannot start: {error}")

    def close(self) -> None:
        """Switch both panels off and release them."""
        self._display = None
        if self._panels is not None:
            self._panels.close()
            self._panels = None


def _faces(error: FixableError, language: str, page: int) -> Pair[Face]:
    say = sayer(language)
    if isinstance(error, ConfigError):
        return config_faces(error, say, page)
    return log_faces(str(error), say, page)


def retry_until_started(
    start: Callable[[], StartedT],
    screen: ErrorScreen,
    display: Callable[[], DisplayTable],
    wait: Callable[[float], bool],
) -> StartedT | None:
    """Try to start until it succeeds; return the result, or None if told to end before.

    `start` raises a `FixableError` if a person has to correct something, which `screen` shows on
    the panels that `display` returns. `wait` returns whether the program was told to end.
    """
    try:
        while True:
            try:
                return start()
            except (ConfigError, JournalError) as error:
                screen.show(error, display())
            if wait(RETRY_S):
                return None
    finally:
        screen.close()
