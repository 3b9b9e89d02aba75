"""A program that writes down each edge of the buttons, through one of gpiozero's pin factories.

python -m lab.benchmarks.edge_listener FACTORY LOG
"""

import json
import signal
import sys
import time
from functools import partial
from pathlib import Path
from typing import TextIO

from clock.units import SECOND_NS
from hardware.gpio.factories import pin_factory
from lab.benchmarks.usual_clock import BOOT, PINS


def raw_is_behind_ns() -> int:
    """Return how far the raw clock is behind the clock that stamps edges."""
    both = ((time.monotonic_ns(), time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)) for _ in "12345")
    return min(stamp_ns - raw_ns for stamp_ns, raw_ns in both)


class EdgeListener:
    """The buttons' pins, without debouncing."""

    def __init__(self, name: str, log: TextIO) -> None:
        self._log = log
        self._factory = pin_factory(name)
        self._pins = [self._factory.pin(f"GPIO{number}") for number in PINS.values()]
        self._handlers = [
            partial(self._write_edge, button) for button in PINS
        ]  # kept: see gpiozero
        for pin, handler in zip(self._pins, self._handlers, strict=True):
            pin.input_with_pull("up")
            pin.edges = "both"
            pin.when_changed = handler
        self._write_line(boot=BOOT.read_text().strip(), raw_is_behind_ns=raw_is_behind_ns())

    def _write_edge(self, button: str, ticks: float, state: int) -> None:
        at_ns = ticks if isinstance(ticks, int) else round(ticks * SECOND_NS)
        lost = getattr(self._factory, "lost_edges", 0)
        self._write_line(side=button, at_ns=at_ns, state=state, lost=lost)

    def _write_line(self, **record: object) -> None:
        print(json.dumps(record), file=self._log, flush=True)


if __name__ == "__main__":
    with Path(sys.argv[2]).open("a", encoding="utf-8") as opened:
        LISTENER = EdgeListener(sys.argv[1], opened)
        signal.pause()
