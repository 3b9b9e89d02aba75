"""A Raspberry Pi's pins on the fake kernel: the pin factory, recorded edges, a thread held up."""

import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from queue import SimpleQueue

import gpiod

from gpiozero_gpiod.factory import GpiodFactory, GpiodPin
from lab.support.gpio_kernel import FakeKernel

LEFT, RIGHT, CENTRE = 17, 27, 22
PI_4: tuple[tuple[str, str | OSError], ...] = (
    ("gpiochip0", "pinctrl-bcm2711"),
    ("gpiochip1", "raspberrypi-exp-gpio"),
)
SAFETY_S = 60  # nothing here waits that long unless it is broken


class PiFactory(GpiodFactory):
    """Ours, on a computer that has no revision."""

    def _get_revision(self) -> int:
        return 0xC03115  # a Pi 4


class Recorder:
    """Records edges. gpiozero refers to handlers weakly, so the test must keep it."""

    def __init__(self, then: Callable[[], object] = lambda: None) -> None:
        self._then = then
        self.edges: list[tuple[int, int]] = []
        self.threads: list[threading.Thread] = []
        self._queue: SimpleQueue[tuple[int, int]] = SimpleQueue()

    def record(self, ticks: int, state: int) -> None:
        """Record an edge, as the handler of a pin."""
        self.threads.append(threading.current_thread())
        self.edges.append((ticks, state))
        self._queue.put((ticks, state))
        self._then()

    def next(self) -> tuple[int, int]:
        """Wait for the next edge and return it."""
        return self._queue.get(timeout=SAFETY_S)


class Pi:
    """A kernel with chips, their devices, and a pin factory that uses them."""

    def __init__(self, devices: Path, chips: Iterable[tuple[str, str | OSError]] = PI_4) -> None:
        self.devices, self.kernel = devices, FakeKernel(chips)
        for name in self.kernel.chips:
            (devices / name).touch()
        self.factory = self.new_factory()

    def new_factory(self, chip: int | str | None = None) -> PiFactory:
        """Return another factory on this kernel."""
        return PiFactory(chip, open_chip=self.kernel.open_chip, devices=self.devices)

    def input(self, number: int = LEFT, edges: str = "both") -> GpiodPin:
        """Return an input with a pull-up, without a handler."""
        pin: GpiodPin = self.factory.pin(number)
        pin.input_with_pull("up")
        pin.edges = edges
        return pin

    def recorded(
        self, number: int = LEFT, edges: str = "both", then: Callable[[], object] = lambda: None
    ) -> tuple[GpiodPin, Recorder]:
        """Return an input with a pull-up, and the recorder of its edges."""
        pin, recorder = self.input(number, edges), Recorder(then)
        pin.when_changed = recorder.record
        return pin, recorder

    def settings(self, number: int = LEFT) -> gpiod.LineSettings:
        """Return the settings of a claimed line."""
        return self.kernel.requests[number].settings

    def close(self) -> None:
        """Close the factory, which must leave nothing behind."""
        self.factory.close()
        assert self.kernel.requests == {}
        assert self.kernel.open_chips == 0
        assert not edge_threads()


def edge_threads() -> list[threading.Thread]:
    """Return the factory's thread, if it runs."""
    return [thread for thread in threading.enumerate() if thread.name == "gpiod edges"]


class BlockedThread:
    """Keeps the factory's thread in a handler, so that edges wait in the kernel's queues."""

    def __init__(self, pi: Pi, number: int = 5) -> None:
        self._inside, self._resume = threading.Event(), threading.Event()
        self._pin = pi.input(number)
        self._pin.when_changed = self._stop
        pi.kernel.press(number)
        assert self._inside.wait(SAFETY_S)

    def _stop(self, *_: int) -> None:
        self._inside.set()
        assert self._resume.wait(SAFETY_S)

    def resume(self) -> None:
        """Let the thread run."""
        self._pin.when_changed = None
        self._resume.set()
