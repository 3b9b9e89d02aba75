"""A box that cannot start: it says so on its panels until that is mended.

Nobody's time runs meanwhile, so it is simply tried again now and then. With `box`, `doctor`,
`simulation` and `starting` one of the places that know both sides. The one rule: no match begins,
and whoever tells the program to end is obeyed at once.
"""

import signal
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import TypeVar

from clock.config.loader import ConfigError
from clock.config.schema import Display
from clock.ui.face import Face
from clock.storage.journal import JournalError
from clock.ui.i18n import sayer
from clock.match.sides import Pair
from clock.ui.error_pages import config_faces, log_faces
from hardware.display.panels import Outside, Panels
from hardware.system.clocks import RawClock
from hardware.system.systemd import ServiceManager

RETRY_S = 2.0
TRIES_A_PAGE = 2  # four seconds to read a page

Mendable = ConfigError | JournalError
StartedT = TypeVar("StartedT")


class Ending:
    """Whether the program has been told to end: SIGTERM, SIGINT."""

    def __init__(self) -> None:
        """From now on it is told this way."""
        self._told: SimpleQueue[None] = SimpleQueue()  # a handler may fill it at any moment
        self._then: Callable[[], None] = lambda: None
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._tell)

    def wait(self, seconds: float) -> bool:
        """Wait at most so long to be told; returns whether it was."""
        with suppress(Empty):
            self._told.get(timeout=seconds)
            self._told.put(None)
            return True
        return False

    def then(self, act: Callable[[], None]) -> None:
        """Do this when told; at once if it has been told before."""
        self._then = act
        if not self._told.empty():
            act()

    def _tell(self, *_: object) -> None:
        self._told.put(None)
        self._then()


class Trouble:
    """The panels of a box that cannot start, and what they say."""

    def __init__(self, tell: Callable[[str], None], outside: Outside | None = None) -> None:
        """Nothing is shown yet.

        Args:
            tell: shows a text where the program's errors go.
            outside: where the panels are; None for this computer's I2C bus.
        """
        self.outside = outside
        self._tell = tell
        self._manager, self._clock = ServiceManager.found(), RawClock()
        self._told = ""
        self._turn = 0
        self._display: Display | None = None
        self._panels: Panels | None = None

    def show(self, error: Mendable, display: Display) -> None:
        """Has an error seen, on the panels that the file describes."""
        if str(error) != self._told:
            self._told, self._turn = str(error), 0
            self._tell(self._told)
        if display != self._display:
            self.close()
            self._display = display
            where = (display.driver, display.bus, display.addresses, display.rotate)
            self._panels = Panels(*where, contrast=display.contrast, outside=self.outside)
        if self._panels is not None:
            self._panels.show(_faces(error, display.language, self._turn // TRIES_A_PAGE))
        self._turn += 1
        if self._manager is not None:
            self._manager.turned(self._clock.now_ns(), f"cannot start: {error}")

    def close(self) -> None:
        """Both panels dark, for whoever is next."""
        self._display = None
        if self._panels is not None:
            self._panels.close()
            self._panels = None


def _faces(error: Mendable, language: str, page: int) -> Pair[Face]:
    say = sayer(language)
    if isinstance(error, ConfigError):
        return config_faces(error, say, page)
    return log_faces(str(error), say, page)


def awaited(
    attempt: Callable[[], StartedT],
    trouble: Trouble,
    display: Callable[[], Display],
    wait: Callable[[float], bool],
) -> StartedT | None:
    """What comes of an attempt as soon as it succeeds; None if told to end before.

    Args:
        attempt: raises what a person can mend.
        trouble: shows it.
        display: the panels at present.
        wait: for some seconds; returns whether the program was told to end.
    """
    try:
        while True:
            try:
                return attempt()
            except (ConfigError, JournalError) as error:
                trouble.show(error, display())
            if wait(RETRY_S):
                return None
    finally:
        trouble.close()
