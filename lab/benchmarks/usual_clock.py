"""The clock that most people would build first, as a comparison: gpiozero, time.time() and luma.

    python -m lab.benchmarks.usual_clock BUS LOG

The game and the pictures are gammonclock's, so that only input and output differ: buttons of
gpiozero on lgpio that call `when_pressed`, whole frames of luma.oled, and a loop that draws each
second and after each press. Nothing is made worse than it usually is.
"""

import json
import sys
import threading
import time
from functools import partial
from pathlib import Path
from typing import TextIO

from gpiozero import Button
from gpiozero.pins.lgpio import LGPIOFactory
from luma.core.interface.serial import i2c
from luma.oled.device import ssd1306

from clock.match.events import Writer
from clock.match.inputs import CentrePressed, Input, Pressed
from clock.match.machine import advance, open_match
from clock.match.types import Side
from clock.ui.dialogue import Dialogue
from clock.ui.face import View
from clock.ui.pages import faces
from clock.units import SECOND_NS
from hardware.display.layout import draw
from lab.benchmarks.loads import UI_OPTIONS, settings

PINS = {"left": 17, "right": 27, "centre": 22}
ADDRESSES = (0x3C, 0x3D)
BOOT = Path("/proc/sys/kernel/random/boot_id")


def now_ns() -> int:
    """Return the time of day as most programs read it."""
    return int(time.time() * SECOND_NS)  # noqa: TID251 (this is the usual way)


def raw_is_behind_ns() -> int:
    """Return how far the raw clock is behind the time of day, so that stamps can be compared."""
    both = ((now_ns(), time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)) for _ in range(100))
    return max(day_ns - raw_ns for day_ns, raw_ns in both)


class UsualClock:
    """A match of 25 points, two panels, three buttons."""

    def __init__(self, bus: int, log: TextIO) -> None:
        self._log = log
        self._devices = [ssd1306(i2c(port=bus, address=at)) for at in ADDRESSES]
        self._state, _ = open_match(settings(25), now_ns(), Writer("usual"))
        self._changed = threading.Event()
        pins = LGPIOFactory()
        self._buttons = [Button(pin, pin_factory=pins) for pin in PINS.values()]
        for name, button in zip(PINS, self._buttons, strict=True):
            button.when_pressed = partial(self._press, name)
        self._write_line(boot=BOOT.read_text().strip(), raw_is_behind_ns=raw_is_behind_ns())

    def run(self) -> None:
        """Draw each second, and after each press."""
        while True:
            self._changed.clear()
            shown = faces(View(self._state, Dialogue(), UI_OPTIONS.say), now_ns())
            for device, face in zip(self._devices, shown, strict=True):
                device.display(draw(face))
            self._changed.wait(1 - now_ns() % SECOND_NS / SECOND_NS)

    def _press(self, name: str) -> None:
        at_ns = now_ns()
        happened: Input = CentrePressed(at_ns) if name == "centre" else Pressed(at_ns, Side(name))
        self._state, _ = advance(self._state, happened)
        self._changed.set()
        self._write_line(event="pressed", side=name, at_ns=at_ns)

    def _write_line(self, **record: object) -> None:
        print(json.dumps(record), file=self._log, flush=True)


if __name__ == "__main__":
    with Path(sys.argv[2]).open("a", encoding="utf-8") as opened:
        UsualClock(int(sys.argv[1]), opened).run()
