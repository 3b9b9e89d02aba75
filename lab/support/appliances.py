"""A whole clock whose buttons, pins and panels are in memory, and what reads its serial line."""

import json
import os
import threading
import tty
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from gpiozero.pins.mock import MockFactory

from clock.apps.appliance import Appliance, Claim
from clock.apps.pins import BuzzerAndLamps
from clock.config.loader import parse_settings
from clock.runtime.handover import MatchFinder
from clock.runtime.loop import UiOptions
from clock.runtime.startup import find_match
from clock.ui.i18n import sayer
from hardware.buttons.plungers import Plungers
from hardware.buttons.simulated import SimulatedPlungers
from hardware.display.panels import Outside, on_this_computer
from lab.support.panel_models import Bus, Ssd1306

OPTIONS = UiOptions(sayer("en"), "test")
LIMIT_S = 60  # of a test that fails


class Hardware:
    """What a clock is made of."""

    def __init__(self, plungers: Plungers | None = None) -> None:
        """Without plungers they are simulated."""
        self.plungers = plungers or SimulatedPlungers(settle_ms=0)
        self.pins = MockFactory()
        self.panels: dict[int, Ssd1306] = {address: Ssd1306() for address in (0x3C, 0x3D)}
        self.bus = Bus(self.panels)
        here = on_this_computer()
        self.outside = Outside(self.bus.connect, here.now_ns, here.wakeup)

    @property
    def lit(self) -> list[bool]:
        """Which panels shine."""
        return [panel.shines for panel in self.panels.values()]

    def switch_on(
        self,
        folder: Path,
        text: str = "",
        *,
        claim: Claim | None = None,
        find: MatchFinder = find_match,
        offers: Path | None = None,
    ) -> Appliance:
        """Return a clock that is ready to run.

        Args:
            folder: of the logs.
            text: of the settings file, after the folder in its table [log].
            claim: what claims the pins; by default the plungers, and the pins of the settings.
            find: what finds the match to resume.
            offers: where the clock's link puts what comes from the room.
        """
        settings = parse_settings(f'[log]\ndirectory = "{folder}"\n{text}', "test")
        own: Claim = lambda wake: (self.plungers, BuzzerAndLamps(settings, self.pins, wake))  # noqa: E731
        parts = (claim or own, self.outside, find, offers)
        return Appliance(settings, OPTIONS, lambda: settings, *parts)

    def switch_off(self, appliance: Appliance) -> None:
        """Let a clock that does not run yet do its last turn, and close it with its buttons."""
        appliance.stop()
        appliance.run()
        self.plungers.close()

    @contextmanager
    def running(self, appliance: Appliance) -> Iterator[None]:
        """Run a clock in a thread."""
        thread = threading.Thread(target=appliance.run, name="clock")
        thread.start()
        try:
            yield
        finally:
            appliance.stop()
            thread.join(LIMIT_S)

    def press(self, name: str) -> None:
        """Press and release a button."""
        assert isinstance(self.plungers, SimulatedPlungers)
        self.plungers.press(name)
        self.plungers.release(name)


class SerialReader:
    """The other end of a serial line, a pty."""

    def __init__(self) -> None:
        reader, self._port = os.openpty()
        tty.setraw(self._port)
        self.name = os.ttyname(self._port)
        self._lines = os.fdopen(reader, "rb", buffering=0)

    def any_line(self) -> bytes:
        """Return the next line; an empty one ends what was torn, and is left out."""
        line = b""
        while line[-1:] != b"\n":
            line = (line + (self._lines.read(1) or b"")).lstrip(b"\n")
        return line

    def line(self) -> bytes:
        """Return the next line that is no heartbeat."""
        while b'"heartbeat"' in (line := self.any_line()):
            pass
        return line

    def event(self) -> dict[str, Any]:
        """Return the fields of that line."""
        found: dict[str, Any] = json.loads(self.line())
        return found

    def close(self) -> None:
        """Close both ends."""
        self._lines.close()
        with suppress(OSError):
            os.close(self._port)
