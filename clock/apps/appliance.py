"""A clock of wood and glass: every part of a box on a Raspberry Pi, joined.

With `doctor`, `simulation`, `starting` and `waiting` one of the places that know the game and the
hardware. The one rule: parts are made and joined here, and nothing else is done.
"""

from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from gpiozero.pins import Factory

from clock.storage import log_reader as found
from clock.runtime.adapters import AllParts, ConfiguredMatch, PlungerButtons, SeenLog
from clock.config.loader import Settings
from clock.storage.journal import CURRENT, Journal
from clock.runtime.startup import opened
from clock.runtime.ports import Fault, Log, Ports
from clock.runtime.handover import Opener
from clock.match.rules import MatchSettings
from clock.runtime.loop import Manner, Runtime
from clock.match.sides import Side
from clock.runtime.alerts import Signal
from hardware.outputs.buzzer import Buzzer
from hardware.outputs.lamps import Lamps
from hardware.display.panels import Outside, Panels
from hardware.buttons.plungers import Plungers
from hardware.system.undervoltage import Power
from hardware.system.clocks import RawClock
from hardware.system.systemd import ServiceManager

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

    def __init__(  # noqa: PLR0913, PLR0917 (all that a box is made of)
        self,
        settings: Settings,
        manner: Manner,
        load: Callable[[], MatchSettings],
        plungers: Plungers,
        pins: Factory,
        outside: Outside | None = None,
        find: Opener = opened,
    ) -> None:
        """Join them and recover the match.

        Args:
            settings: what the director wrote.
            manner: how it presents itself.
            load: the settings of the next match.
            plungers: the buttons, claimed.
            pins: for buzzer and lamps.
            outside: where the panels are; None for this computer's I2C bus.
            find: finds the match to go on with.

        Raises:
            JournalError: there is no place for the log.
            ResumeError: another clock's match is wanted, and cannot be gone on with here.
            DamagedError: nothing can be made of that clock's log.
        """
        self._settings, self._plungers = settings, plungers
        self._service_manager = ServiceManager.found()
        with ExitStack() as parts:
            time, journal = RawClock(), Journal(Path(settings.log.directory), changed=plungers.wake)
            parts.callback(journal.close)
            beginning = find(journal, time)
            last = beginning.last
            panels, signs = self._panels(outside, parts), self._signs(pins, parts)
            buttons = PlungerButtons(plungers)
            usable = settings.match if last is None else last.match.state.settings
            following = ConfiguredMatch(usable, load)
            resumed = last is not None and last.origin is None  # not in a log of its own
            log, wires = self._log(journal, resumed=resumed, parts=parts)
            news = AllParts(
                beginning.faults,
                buttons.faults,
                journal.drain,
                following.faults,
                *(partial(_faults, part) for part in (panels.faults, *signs.faults, *wires)),
            )
            ports = Ports(time, buttons, panels, log, news, following, signs, self._service_manager)
            heard = frozenset(each for each in Signal if getattr(settings.sound, each.value))
            self.runtime = Runtime(ports, manner._replace(wanted=heard), last)
            if last is None or last.happened is not None:  # it does not go on exactly
                plungers.forget()
            self._parts = parts.pop_all()

    def run(self) -> None:
        """Until `stop`; then everything is dark, written and given back."""
        with self._parts:
            self.runtime.run()
            if self._service_manager is not None:
                self._service_manager.stopping()

    def stop(self, *_: object) -> None:
        """Have `run` return; from any thread, or as a handler of signals."""
        self.runtime.stopping = True
        self._plungers.wake()

    def _panels(self, outside: Outside | None, parts: ExitStack) -> Panels:
        show, wake = self._settings.display, self._plungers.wake
        where = (show.driver, show.bus, show.addresses, show.rotate)
        panels = Panels(*where, contrast=show.contrast, changed=wake, outside=outside)
        parts.callback(panels.close)
        return panels

    def _signs(self, pins: Factory, parts: ExitStack) -> Signs:
        lamps, wake = self._settings.lamps, self._plungers.wake
        signs = Signs(
            Buzzer(self._settings.sound.buzzer_pin, pins, changed=wake),
            Lamps(lamps.left, lamps.right, pins, changed=wake),
        )
        parts.callback(signs.close)
        return signs

    def _log(
        self, journal: Journal, *, resumed: bool, parts: ExitStack
    ) -> tuple[Log, list[HardwareFaults]]:
        """The journal, and the serial line if there is one; with what can fail of the supply."""
        wanted, power = self._settings.log, Power(changed=self._plungers.wake)
        parts.callback(power.close)
        if not wanted.serial:
            return journal, [power.faults]
        # Most boxes have no serial line; without pyserial they show their first picture sooner.
        from hardware.serial.backlog import Backlog  # noqa: PLC0415
        from hardware.serial.stream import SerialStream  # noqa: PLC0415

        current = Path(wanted.directory) / CURRENT
        backlog = Backlog(partial(found.opened, current), resumed=resumed)
        wake = self._plungers.wake
        stream = SerialStream(wanted.serial, wanted.baud, backlog, changed=wake)
        parts.callback(stream.close)
        return SeenLog(journal, stream.append, stream.begin), [power.faults, stream.faults]


def _faults(source: HardwareFaults) -> list[Fault]:
    return [Fault(part, what) for part, what in source()]
