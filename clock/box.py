"""A clock of wood and glass: every part of a box on a Raspberry Pi, joined.

With `simulation`, one of the two places that know the game and the hardware. The one rule: parts
are made and joined here, and nothing else is done.
"""

import signal
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from gpiozero import GPIOZeroError
from gpiozero.pins import Factory

from clock.assembly import (
    AllParts,
    ConfiguredMatch,
    PlungerButtons,
    SeenLog,
    last_match,
)
from clock.config import Settings
from clock.journal import CURRENT, Journal
from clock.ports import Fault, Log, Ports
from clock.rules import MatchSettings
from clock.runtime import Manner, Runtime
from clock.sides import Side
from clock.signals import Signal
from hardware.buzzer import Buzzer
from hardware.factories import HardwareError, pin_factory
from hardware.lamps import Lamps
from hardware.oled import Outside, Panels
from hardware.plungers import Plungers
from hardware.power import Power
from hardware.rawclock import RawClock
from hardware.serial_stream import SerialStream

__all__ = ["Box", "HardwareError", "run_box"]

HardwareFaults = Callable[[], list[tuple[str, str | None]]]


class Signs:
    """Buzzer and lamps as the runtime's signs."""

    def __init__(self, buzzer: Buzzer, lamps: Lamps) -> None:
        self._buzzer = buzzer
        self._lamps = lamps

    def signal(self, signal: Signal) -> None:
        """See `ports.Signs.signal`."""
        match signal:
            case Signal.LOW_TIME:
                self._buzzer.low_time()
            case Signal.FLAG:
                self._buzzer.flag()

    def lamps(self, running: Side | None) -> None:
        """See `ports.Signs.lamps`."""
        self._lamps.show(left=running is Side.LEFT, right=running is Side.RIGHT)

    @property
    def faults(self) -> list[HardwareFaults]:
        """What can fail of them."""
        return [self._buzzer.faults, self._lamps.faults]

    def close(self) -> None:
        """Silent and dark."""
        self._buzzer.close()
        self._lamps.close()


class Box:
    """The parts of a box, joined. Buttons and a place for the log it needs; all else may fail."""

    def __init__(
        self,
        settings: Settings,
        manner: Manner,
        load: Callable[[], MatchSettings],
        plungers: Plungers,
        pins: Factory,
        outside: Outside | None = None,
    ) -> None:
        """Join them and recover the match.

        Args:
            settings: what the director wrote.
            manner: how it presents itself.
            load: the settings of the next match.
            plungers: the buttons, claimed.
            pins: for buzzer and lamps.
            outside: where the panels are; None for this computer's I2C bus.

        Raises:
            JournalError: there is no place for the log.
            DamagedError: the log of the last match is not what the clock wrote.
        """
        self._settings, self._plungers = settings, plungers
        with ExitStack() as parts:
            time, journal = RawClock(), Journal(Path(settings.log.directory))
            parts.callback(journal.close)
            last = last_match(journal, time)
            panels, signs = self._panels(outside, parts), self._signs(pins, parts)
            buttons, following = PlungerButtons(plungers), ConfiguredMatch(settings.match, load)
            log, wires = self._log(journal, resumed=last is not None, parts=parts)
            news = AllParts(
                buttons.faults,
                journal.drain,
                following.faults,
                *(partial(_faults, part) for part in (panels.faults, *signs.faults, *wires)),
            )
            ports = Ports(time, buttons, panels, log, news, following, signs)
            heard = frozenset(each for each in Signal if getattr(settings.sound, each.value))
            self.runtime = Runtime(ports, manner._replace(wanted=heard), last)
            self._parts = parts.pop_all()

    def run(self) -> None:
        """Until `stop`; then everything is dark, written and given back."""
        with self._parts:
            self.runtime.run()

    def stop(self, *_: object) -> None:
        """Have `run` return; from any thread, or as a handler of signals."""
        self.runtime.stopping = True
        self._plungers.wake()

    def _panels(self, outside: Outside | None, parts: ExitStack) -> Panels:
        show, wake = self._settings.display, self._plungers.wake
        panels = Panels(
            show.driver, show.bus, show.addresses, show.rotate, changed=wake, outside=outside
        )
        parts.callback(panels.close)
        return panels

    def _signs(self, pins: Factory, parts: ExitStack) -> Signs:
        lamps = self._settings.lamps
        signs = Signs(
            Buzzer(self._settings.sound.buzzer_pin, pins), Lamps(lamps.left, lamps.right, pins)
        )
        parts.callback(signs.close)
        return signs

    def _log(
        self, journal: Journal, *, resumed: bool, parts: ExitStack
    ) -> tuple[Log, list[HardwareFaults]]:
        """The journal, and the serial line if there is one; with what can fail of the supply."""
        wanted, power = self._settings.log, Power()
        parts.callback(power.close)
        if not wanted.serial:
            return journal, [power.faults]
        missed = (Path(wanted.directory) / CURRENT).read_bytes() if resumed else b""
        stream = SerialStream(wanted.serial, wanted.baud, lambda: missed.splitlines(keepends=True))
        parts.callback(stream.close)
        return SeenLog(journal, stream.append, stream.begin), [power.faults, stream.faults]


def _faults(source: HardwareFaults) -> list[Fault]:
    return [Fault(part, what) for part, what in source()]


def run_box(settings: Settings, manner: Manner, load: Callable[[], MatchSettings]) -> None:
    """Run the clock of this Raspberry Pi until it is told to end (SIGTERM, SIGINT).

    Raises:
        HardwareError: the buttons' pins cannot be used.
        JournalError: there is no place for the log.
        DamagedError: the log of the last match is not what the clock wrote.
    """
    buttons = settings.buttons
    pins = {name: getattr(buttons.pins, name) for name in ("left", "right", "centre")}
    factory = pin_factory(buttons.pin_factory)
    try:
        plungers = Plungers(pins, buttons.settle_ms, factory)
    except GPIOZeroError as error:
        raise HardwareError(f"the buttons: {error}") from error
    box = Box(settings, manner, load, plungers, factory)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, box.stop)
    box.run()
    plungers.close()
