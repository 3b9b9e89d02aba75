"""A restart of an appliance: a press in between is logged at its instant."""

import json
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from gpiozero.pins.local import LocalPiFactory
from gpiozero.pins.mock import MockFactory

from clock.apps.appliance import Appliance
from clock.match.types import Side
from gpiozero_gpiod.factory import GpiodFactory
from hardware.buttons.plungers import Plungers
from hardware.system.clocks import RawClock
from hardware.system.fd_store import FdStore, KeepsLines
from lab.support.appliances import Hardware
from lab.support.gpio_kernel import FakeKernel, Manager
from lab.support.gpio_pi import PiFactory

PINS = {"left": 17, "right": 27, "centre": 22}
CLOCKS_NS = 50_000  # how far two readings of the raw clock's distance may be apart
TURNS = 200  # of the loop, at most, until a press has come through


class Workshop:
    """A computer with buttons, and the runs of a box on it."""

    def __init__(self, folder: Path) -> None:
        self._logs, self._devices = folder / "logs", folder
        (folder / "gpiochip0").touch()
        self.kernel = FakeKernel([("gpiochip0", "pinctrl-bcm2711")])
        self._manager = Manager(self.kernel)
        self._ended = ExitStack()

    def start(self) -> Appliance:
        """A box, as `run_appliance` joins it."""
        store = FdStore(self._manager.passed(), self._manager.tell)
        factory = PiFactory(open_chip=self.kernel.open_chip, devices=self._devices)
        factory.keep_lines(store, self.kernel.inherit)
        plungers = Plungers(PINS, 0, factory)
        self._ended.callback(plungers.close)
        box = Hardware(plungers).switch_on(self._logs)
        store.drop_unused()
        self._factory = factory
        return box

    def end(self, box: Appliance) -> None:
        """The process is no more; its lines are kept."""
        box._parts.close()
        self._factory.edges.close()
        LocalPiFactory.pins.clear()
        LocalPiFactory._reservations.clear()

    def press(self, name: str) -> int:
        """A button goes down; returns the kernel's stamp."""
        at_ns = time.monotonic_ns()
        self.kernel.press(PINS[name], at_ns)
        return at_ns

    def last(self) -> dict[str, object]:
        line: dict[str, object] = json.loads(
            (self._logs / "current.jsonl").read_bytes().splitlines()[-1]
        )
        return line

    def close(self) -> None:
        """Nothing is left for the garbage collector."""
        self._ended.close()


@pytest.fixture
def workshop(tmp_path: Path) -> Iterator[Workshop]:
    workshop = Workshop(tmp_path)
    yield workshop
    workshop.close()


def carried_out(box: Appliance) -> None:
    """Turn the loop until a press has come through."""
    before = box.runtime.state
    for _ in range(TURNS):
        if box.runtime.state != before:
            return
        box.runtime.turn()
    raise AssertionError(before.phase)


@pytest.mark.rule("R67", "R85")
def test_a_press_during_a_restart_ends_the_turn_at_its_instant(workshop: Workshop) -> None:
    """The match goes on exactly, and the left player's turn ended when they pressed."""
    box = workshop.start()
    for name in ("left", "right", "centre", "right"):
        workshop.press(name)
        workshop.kernel.release(PINS[name], time.monotonic_ns())
        carried_out(box)
    assert box.runtime.state.running is Side.LEFT
    workshop.end(box)
    at_ns = RawClock().raw_of(workshop.press("left"))
    again = workshop.start()
    assert again.runtime.state.running is Side.LEFT
    carried_out(again)
    workshop.end(again)
    line = workshop.last()
    assert (line["event"], line["side"], line["running"]) == ("pressed", "left", "right")
    assert abs(int(str(line["at_ns"])) - at_ns) <= CLOCKS_NS


def test_which_factories_can_keep_lines() -> None:
    """Ours; with others nothing is kept, and nothing else changes."""
    assert issubclass(GpiodFactory, KeepsLines)
    assert not isinstance(MockFactory(), KeepsLines)
