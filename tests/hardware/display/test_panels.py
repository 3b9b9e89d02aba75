"""Both panels and their thread: nobody waits for the bus, and nothing that fails ends it."""

import errno
import threading
from collections.abc import Callable, Iterator
from queue import Empty, SimpleQueue

import msgspec
import pytest

from clock.match.types import Pair
from clock.runtime.ports import Panels as PanelsPort
from hardware.display.i2c import TIMEOUT_S
from hardware.display.panel import CHECK_NS
from hardware.display.panels import CLOSING_S, Outside, Panels, on_this_computer
from hardware.face import Face
from lab.support.glass import (
    LEFT_AT,
    REVIEW,
    RIGHT_AT,
    RUNNING,
    SECOND,
    STOPPED,
    TICKED,
    WAITING,
    Glass,
    ticking,
)
from lab.support.panel_models import Trouble


class Gate:
    """A bus that hangs until it is released, as if its clock line were held down."""

    def __init__(self) -> None:
        self.reached, self.open = threading.Event(), threading.Event()
        self.open.set()

    def pass_through(self, address: int) -> None:
        """Wait in each transfer while the bus hangs."""
        assert address in (LEFT_AT, RIGHT_AT)
        self.reached.set()
        assert self.open.wait(60)


class Naps:
    """The thread's queue, which also reports when it begins to wait, and for how long."""

    def __init__(self) -> None:
        self.begun: SimpleQueue[float | None] = SimpleQueue()
        self._wakes: SimpleQueue[bool] = SimpleQueue()

    def put(self, _: None, /) -> None:
        """Wake it."""
        self._wakes.put(True)

    def over(self) -> None:
        """End the wait as if its time were over."""
        self._wakes.put(False)

    def get(self, block: bool = True, timeout: float | None = None) -> None:
        """Wait until woken, or until the time is over."""
        assert block
        self.begun.put(timeout)
        if not self._wakes.get(timeout=60):
            raise Empty


class Running:
    """The panels with their thread."""

    def __init__(self, changed: Callable[[], None] = lambda: None) -> None:
        self.glass, self.naps, self.gate = Glass(), Naps(), Gate()
        self.glass.bus.before = self.gate.pass_through
        outside = Outside(self.glass.bus.connect, lambda: self.glass.ns, self.naps)
        self.panels = Panels(
            "ssd1306", 1, (LEFT_AT, RIGHT_AT), contrast=90, changed=changed, outside=outside
        )
        assert self.nap() is None

    def nap(self) -> float | None:
        """Wait until the thread has nothing left to do; return how long it would sleep."""
        return self.naps.begun.get(timeout=60)

    def show(self, left: Face, right: Face) -> float | None:
        """Show, and wait until it is shown."""
        self.panels.show((left, right))
        return self.nap()


@pytest.fixture
def running() -> Iterator[Running]:
    """Yield panels with their thread, and close them in the end."""
    running = Running()
    yield running
    running.gate.open.set()
    running.panels.close()


def test_panels_are_what_the_runtime_needs(running: Running) -> None:
    """They show its pairs of faces in their own thread, and sleep until the next check."""
    port: PanelsPort = running.panels
    port.show(Pair(RUNNING, WAITING))
    assert running.nap() == CHECK_NS / SECOND
    assert running.glass.shows(RUNNING, WAITING)
    running.glass.ns += CHECK_NS
    running.naps.over()
    assert running.nap() == CHECK_NS / SECOND
    assert running.glass.left.contrast == running.glass.right.contrast == 90
    assert running.panels.counts == {"bytes": 2 * (1076 + 4), "frames": 2, "errors": 0}


@pytest.mark.rule("T13")
def test_t13_a_bus_that_hangs_delays_no_caller(running: Running) -> None:
    """T13: while a transfer hangs, `show` and `faults` return; then the newest faces are seen."""
    running.show(RUNNING, WAITING)
    running.gate.reached.clear()
    running.gate.open.clear()
    running.panels.show((TICKED, WAITING))
    assert running.gate.reached.wait(60)
    for left, right in ticking(30):
        running.panels.show((left, right))
        assert running.panels.faults() == []
    assert not running.gate.open.is_set()
    running.gate.open.set()
    running.nap()  # what was being sent
    running.nap()  # what is newest
    assert running.glass.shows(left, right)


def test_a_fault_wakes_the_clock() -> None:
    """Else it would not be seen while no clock runs."""
    woken: SimpleQueue[None] = SimpleQueue()
    running = Running(lambda: woken.put(None))
    running.show(STOPPED, REVIEW)
    assert woken.empty()
    running.glass.left.plugged = False
    running.show(WAITING, REVIEW)
    assert woken.get(timeout=60) is None
    running.panels.close()


def test_a_bug_is_reported_and_the_thread_runs_on(running: Running) -> None:
    """A face that cannot be drawn is reported once, and cleared by the next one."""
    broken = msgspec.structs.replace(WAITING, score=5)
    running.show(RUNNING, broken)
    running.show(TICKED, broken)
    [(part, what)] = running.panels.faults()
    assert part == "display"
    assert what is not None
    assert what.startswith("drawing: TypeError(")
    running.show(TICKED, WAITING)
    assert running.glass.shows(TICKED, WAITING)
    assert running.panels.faults() == [("display", None)]


def test_after_a_bug_everything_is_sent_again(running: Running) -> None:
    running.show(RUNNING, WAITING)

    def fail(_: int) -> None:
        running.glass.bus.before = running.gate.pass_through
        running.glass.left.power_on()
        raise RuntimeError("unforeseen")

    running.glass.bus.before = fail
    running.show(TICKED, WAITING)
    assert running.panels.faults() == [("display", "drawing: RuntimeError('unforeseen')")]
    running.naps.over()
    running.nap()
    assert running.glass.shows(TICKED, WAITING)


def test_closing_ends_the_thread(running: Running) -> None:
    """The panels are dark; calls after that do nothing."""
    running.show(RUNNING, WAITING)
    running.panels.close()
    for thread in threading.enumerate():
        if thread.name == "panels":  # on a busy machine it may outlast `CLOSING_S`
            thread.join(60)
    assert running.glass.left.blank
    assert not running.glass.left.on
    sent = running.glass.bus.sent
    running.panels.show((TICKED, WAITING))
    running.panels.close()
    assert running.glass.bus.sent == sent
    assert "panels" not in {thread.name for thread in threading.enumerate()}


def test_closing_gives_up_on_a_bus_that_hangs(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The thread is left behind, and does not keep the program from ending."""
    waits: list[float | None] = []
    join = threading.Thread.join

    def joined(thread: threading.Thread, timeout: float | None = None) -> None:
        waits.append(timeout)
        join(thread, 0)

    running.gate.open.clear()
    running.panels.show((RUNNING, WAITING))
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "join", joined)
        running.panels.close()
    assert waits == [CLOSING_S]
    assert all(t.daemon for t in threading.enumerate() if t.name == "panels")


def test_closing_on_a_bus_that_hangs_ends_in_time() -> None:
    """Each transfer, from that of a new face on, lasts until its timeout."""
    glass = Glass().show(RUNNING, WAITING)
    first = glass.bus.attempts
    glass.bus.troubles = {first + nth: Trouble(errno.ETIMEDOUT) for nth in range(1, 100)}
    glass.pair.show((TICKED, RUNNING))
    glass.pair.close()
    assert (glass.bus.attempts - first) * TIMEOUT_S < CLOSING_S


def test_without_a_bus_the_panels_of_this_computer_are_a_fault() -> None:
    """The real kernel has no such bus here; nothing is raised."""
    connect, now_ns, _, _ = on_this_computer()
    naps = Naps()
    panels = Panels("sh1106", 98, (LEFT_AT, RIGHT_AT), outside=Outside(connect, now_ns, naps))
    naps.begun.get(timeout=60)
    panels.show((RUNNING, WAITING))
    naps.begun.get(timeout=60)
    assert panels.faults() == [
        ("display", f"{name}: I2C device not found: /dev/i2c-98") for name in ("left", "right")
    ]
    panels.close()
