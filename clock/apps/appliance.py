"""The clock on a Raspberry Pi: buttons, panels, buzzer, lamps, log and serial line, joined.

The first picture comes before the pins are claimed: it needs none of them, and to import gpiozero
takes a quarter of the start.
"""

from collections.abc import Callable
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import structs

from clock.apps.event_stream import serial_stream
from clock.config.schema import DisplayTable
from clock.config.settings import Settings
from clock.runtime.adapters import (
    ConfiguredMatch,
    FaultSource,
    HealthAggregator,
    PlungerButtons,
    TeeLog,
)
from clock.runtime.alerts import wanted_alerts
from clock.runtime.handover import MatchFinder
from clock.runtime.loop import Runtime, UiOptions, first_faces
from clock.runtime.offer_folder import OfferFolder
from clock.runtime.ports import EventLog, Ports
from clock.runtime.resume_match import ResumableLogs
from clock.runtime.startup import find_match
from clock.storage.clock_id import clock_id, start_id
from clock.storage.journal import Journal
from clock.storage.language_file import keep_language, kept_language
from clock.ui.i18n import LANGUAGES, sayer, texts
from hardware.display.panels import Outside, Panels, on_this_computer
from hardware.display.spi import BUS, SELECTS
from hardware.display.wires import Wires
from hardware.system.clocks import RawClock
from hardware.system.memory import stay_in_memory
from hardware.system.supply import BatteryMonitor, PowerMonitor
from hardware.system.systemd import ServiceManager

if TYPE_CHECKING:
    from clock.apps.pins import BuzzerAndLamps
    from hardware.buttons.plungers import Plungers

Wake = Callable[[], None]
Claim = Callable[[Wake], tuple["Plungers", "BuzzerAndLamps"]]


class Appliance:
    """A clock that is ready to run. It needs buttons and a log directory; all else may fail."""

    def __init__(  # noqa: PLR0913, PLR0917 (all parts of a clock)
        self,
        settings: Settings,
        options: UiOptions,
        load: Callable[[], Settings],
        claim: Claim,
        outside: Outside | None = None,
        find: MatchFinder = find_match,
        offers: Path | None = None,
        handed: Path | None = None,
    ) -> None:
        """Join the parts and recover the match.

        `claim` claims the pins once the first picture is on its way; what it is given ends the
        loop's wait. Panels are reached through `outside`, or by this computer's I2C bus or SPI.
        Without a directory of offers none are taken. In the folder `handed` lie logs of other
        clocks, to be resumed.

        Raises:
            JournalError: the log directory cannot be used.
            ResumeError: the match of another clock was asked for, and cannot be resumed here.
            DamagedError: the log of that clock proves nothing.
            HardwareError: the pins of the buttons cannot be used.
        """
        self._plungers: Plungers | None = None
        self._service_manager = ServiceManager.found()
        wake = self._wake
        with ExitStack() as parts:
            directory = Path(settings.log.directory)
            time, journal = RawClock(), Journal(directory, changed=wake)
            parts.callback(journal.close)
            startup = find(journal, time)
            recovery = startup.recovery
            panels = parts.enter_context(closing(open_panels(settings.display, outside, wake)))
            power = parts.enter_context(closing(PowerMonitor(changed=wake)))
            battery = BatteryMonitor(settings.power.battery_low, changed=wake)
            parts.callback(battery.close)
            stream = serial_stream(settings.log, directory, wake, recovery, parts)
            log: EventLog = TeeLog(journal, stream.append, stream.begin) if stream else journal
            usable = settings.match if recovery is None else recovery.match.state.settings
            first = structs.replace(settings, match=usable)
            next_match = ConfiguredMatch(first, load)
            resumable = ResumableLogs(directory, handed, time)
            wanted = wanted_alerts(settings.sound)
            say = sayer(kept_language(directory, settings.display.language))
            options = options._replace(
                say=say, wanted=wanted, clock=clock_id(directory), start=start_id()
            )
            begin = (recovery, startup.preset, startup.offer)
            unread, told = ConfiguredMatch(first, lambda: first), startup.waiting_faults
            panels.show(first_faces(time, unread, options, *begin, told))
            plungers, outputs = claim(wake)
            buttons = PlungerButtons(plungers)
            parts.callback(outputs.close)
            self._plungers = plungers
            plungers.wake()  # for what has happened before
            own = (
                startup.faults,
                buttons.faults,
                journal.drain,
                next_match.faults,
                resumable.faults,
            )
            sources: list[FaultSource] = [panels.faults, outputs.faults, power.faults]
            sources += [battery.faults, *([stream.faults] if stream else [])]
            health = HealthAggregator(*own, parts=sources)
            ports = Ports(
                time, buttons, panels, log, health, next_match, outputs, self._service_manager
            )._replace(
                battery=lambda: battery.percent,
                resumable=resumable,
                keep_language=partial(keep_language, directory, settings.display.language),
            )
            if offers is not None:
                from_room = OfferFolder(offers, directory, next_match)
                ports = ports._replace(offers=from_room, rulings=from_room)
            self.runtime = Runtime(ports, options, *begin)
            if stream:
                stream.send_heartbeats(self.runtime.heartbeat)
            if recovery is None or recovery.restored is not None:  # the match was interrupted
                plungers.forget()
            self._parts = parts.pop_all()

    def run(self) -> None:
        """Run until `stop`, then write the log and close all parts."""
        with self._parts:
            if self._service_manager is not None:
                stay_in_memory()
            for language in LANGUAGES:
                texts(language)  # now: later the card may not be readable
            self.runtime.run()
            if self._service_manager is not None:
                self._service_manager.stopping()

    def stop(self, *_: object) -> None:
        """Make `run` return; may be called from any thread, or as a signal handler."""
        self.runtime.stopping = True
        self._wake()

    def _wake(self) -> None:
        """End the wait of the loop; before there are buttons it does not wait."""
        if self._plungers is not None:
            self._plungers.wake()


def open_panels(
    display: DisplayTable, outside: Outside | None, changed: Wake = lambda: None
) -> Panels:
    """Return the panels of [display]; `changed` is called when one fails or recovers."""
    outside = outside or on_this_computer(wires(display))
    wiring = (display.driver, *places(display), display.rotate)
    return Panels(
        *wiring,
        contrast=display.contrast,
        column_offset=display.column_offset,
        changed=changed,
        outside=outside,
    )


def wires(display: DisplayTable) -> Wires:
    """Return how [display] says that the panels are wired."""
    return Wires(display.interface, display.dc_pin, display.reset)


def places(display: DisplayTable) -> tuple[int, tuple[int, int]]:
    """Return the panels' bus and their addresses; on SPI their chip selects."""
    return (BUS, SELECTS) if wires(display).write_only else (display.bus, display.addresses)
