"""A box whose configuration cannot be used: it says so on its panels until the file is right.

Nobody's time runs meanwhile, so the file is simply read again now and then. With `box`, `doctor`
and `simulation` one of the places that know both sides. The one rule: no match begins, and whoever
tells the program to end is obeyed at once.
"""

import signal
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue

from clock.config import ConfigError, Settings
from clock.config_file import ConfigFile, Display
from clock.config_page import config_faces
from clock.language import sayer
from hardware.factories import HardwareError, pin_factory
from hardware.oled import Outside, Panels
from hardware.rawclock import RawClock
from hardware.service import ServiceManager

REREAD_S = 2.0
READINGS_A_PAGE = 2  # four seconds to read a page

Wait = Callable[[float], bool]


class WrongFile:
    """The panels of such a box, and what they say."""

    def __init__(self, tell: Callable[[str], None], outside: Outside | None = None) -> None:
        """Nothing is shown yet.

        Args:
            tell: shows a text where the program's errors go.
            outside: where the panels are; None for this computer's I2C bus.
        """
        self._tell, self._outside = tell, outside
        self._manager, self._clock = ServiceManager.found(), RawClock()
        self._told = ""
        self._turn = 0
        self._display: Display | None = None
        self._panels: Panels | None = None

    def show(self, error: ConfigError, display: Display) -> None:
        """Has an error seen, on the panels that the file describes."""
        if str(error) != self._told:
            self._told, self._turn = str(error), 0
            self._tell(self._told)
        if display != self._display:
            self.close()
            self._display = display
            where = (display.driver, display.bus, display.addresses, display.rotate)
            self._panels = Panels(*where, outside=self._outside)
        if self._panels is not None:
            page = self._turn // READINGS_A_PAGE
            self._panels.show(config_faces(error, sayer(display.language), page))
        self._turn += 1
        if self._manager is not None:
            self._manager.turned(
                self._clock.now_ns(), f"waits for a right {error.file}: {error.key}"
            )

    def close(self) -> None:
        """Both panels dark, for whoever is next."""
        if self._panels is not None:
            self._panels.close()
            self._panels = None


def usable_settings(
    load: Callable[[], Settings],
    salvage: Callable[[], ConfigFile],
    wrong: WrongFile,
    wait: Wait | None = None,
) -> Settings | None:
    """The settings of the file, when it can be used; None if the program is told to end before.

    Args:
        load: reads the file.
        salvage: what of a wrong file can be used all the same.
        wrong: shows what is wrong with it.
        wait: for some seconds; whether the program was told to end. None: by SIGTERM or SIGINT.

    Raises:
        ConfigError: it cannot be used, and there are no pins: this is no box.
    """
    try:
        return load()
    except ConfigError as error:
        _expect_pins(salvage(), error)
        wait = _until_signalled() if wait is None else wait
        wrong.show(error, salvage().display)
    try:
        while not wait(REREAD_S):
            try:
                return load()
            except ConfigError as error:
                wrong.show(error, salvage().display)
    finally:
        wrong.close()
    return None


def _expect_pins(file: ConfigFile, error: ConfigError) -> None:
    try:
        pin_factory(file.buttons.pin_factory).close()
    except HardwareError:
        raise error from None


def _until_signalled() -> Wait:
    """Waits of which a signal is the end; a handler may fill such a queue at any moment."""
    signals: SimpleQueue[int] = SimpleQueue()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, _: signals.put(number))

    def wait(seconds: float) -> bool:
        with suppress(Empty):
            signals.get(timeout=seconds)
            return True
        return False

    return wait
