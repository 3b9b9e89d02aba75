"""Buttons on mock pins in virtual time: nothing sleeps, every edge has its instant."""

from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Empty

import pytest
from gpiozero.exc import GPIOZeroError
from gpiozero.pins.mock import MockFactory

from clock.runtime.adapters import HealthAggregator, PlungerButtons
from clock.units import SECOND_NS
from hardware.buttons.plungers import (
    CHATTERS,
    KERNEL_MARGIN_NS,
    LATE_EDGES,
    REPORT_INTERVAL_NS,
    THREAD_MARGIN_NS,
    ButtonEdge,
    LateEdges,
    Plungers,
)
from hardware.buttons.simulated import PINS, SimulatedPlungers
from lab.support.gpio_kernel import StampClock
from lab.support.gpio_pi import LEFT, Pi
from lab.support.loops import START_NS, LoopClock

MS = 1_000_000
SETTLE = 5 * MS
MARGIN = THREAD_MARGIN_NS  # of gpiozero's own factories
RAW_BEHIND_NS = 3_000 * MS  # by this the raw clock is behind the clock of the stamps


class VirtualTime:
    """A time that only waiting moves, with events planned in it: a clock and a queue in one."""

    def __init__(self) -> None:
        self.ns = 100_000 * MS
        self.sleeps = 0
        self._edges: deque[ButtonEdge | None] = deque()
        self._acts: deque[tuple[int, Callable[[], object]]] = deque()

    def at(self, after_ns: int, act: Callable[[], object]) -> None:
        """Plan an event some time after the latest one planned."""
        last_ns = self._acts[-1][0] if self._acts else self.ns
        self._acts.append((last_ns + after_ns, act))

    def now_ns(self) -> int:
        """Return the instant on the raw clock."""
        return self.ns

    def raw_of(self, stamp_ns: int) -> int:
        """Return the raw instant of a kernel's stamp."""
        return stamp_ns - RAW_BEHIND_NS

    def monotonic(self) -> float:
        """Return the time of the clock that mock pins stamp with."""
        return (self.ns + RAW_BEHIND_NS) / 1e9

    def put(self, item: ButtonEdge | None, /) -> None:
        """Append an edge, or (None) wake."""
        self._edges.append(item)

    def get(self, block: bool = True, timeout: float | None = None) -> ButtonEdge | None:
        """Return the next edge; waiting for it moves the time to the next event."""
        if self._edges:
            return self._edges.popleft()
        if not block:
            raise Empty
        self.sleeps += 1
        assert timeout is not None or self._acts, "nothing would ever end this wait"
        until_ns = None if timeout is None else self.ns + round(timeout * 1e9)
        if not self._acts or (until_ns is not None and until_ns < self._acts[0][0]):
            assert until_ns is not None
            self.ns = until_ns
            raise Empty
        self.ns, act = self._acts.popleft()
        act()
        if not self._edges:
            raise Empty
        return self._edges.popleft()


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> VirtualTime:
    """Return the time of the test; the mock pins stamp with it."""
    time = VirtualTime()
    monkeypatch.setattr("gpiozero.pins.mock.monotonic", time.monotonic)
    return time


@pytest.fixture
def plungers(time: VirtualTime) -> Iterator[SimulatedPlungers]:
    """Return three buttons, all up."""
    plungers = SimulatedPlungers(settle_ms=SETTLE // MS, clock=time, arrivals=time)
    yield plungers
    plungers.close()


def settle(plungers: Plungers) -> None:
    """Wait until a press has settled; the first wait ends when it begins."""
    plungers.wait(None)
    plungers.wait(None)


@pytest.mark.rule("R85")
def test_a_press_is_stamped_at_its_first_edge_on_the_raw_clock(
    time: VirtualTime, plungers: SimulatedPlungers
) -> None:
    """With two sleeps and no polling: one until the edge, one until it has settled."""
    time.at(700 * MS, lambda: plungers.press("left"))
    pressed_ns = time.ns + 700 * MS
    plungers.wait(None)
    assert (time.ns, time.sleeps, plungers.begun()) == (pressed_ns, 1, [("left", pressed_ns)])
    plungers.wait(None)
    assert time.ns == pressed_ns + SETTLE + MARGIN
    assert plungers.drain(time.ns) == ([("left", True, pressed_ns)], pressed_ns + SETTLE)
    assert time.sleeps == 2
    assert plungers.drain(time.ns) == ([], pressed_ns + SETTLE)


# --- waiting ----------------------------------------------------------------------------------


def test_waiting_ends_at_the_instant_asked_for(
    time: VirtualTime, plungers: SimulatedPlungers
) -> None:
    until_ns = time.ns + 999 * MS
    plungers.wait(until_ns)
    assert (time.ns, time.sleeps) == (until_ns, 1)


def test_an_instant_just_passed_is_waited_for_until_it_can_be_decided(
    time: VirtualTime, plungers: SimulatedPlungers
) -> None:
    """A flag is due: one sleep, then the horizon has reached its instant."""
    until_ns = time.ns
    plungers.wait(until_ns)
    assert (time.ns, time.sleeps) == (until_ns + MARGIN, 1)
    assert plungers.drain(time.ns)[1] == until_ns
    plungers.wait(until_ns)
    assert time.sleeps == 1


@pytest.mark.parametrize("late_ns", [0, 1, MARGIN, 900 * MS])
@pytest.mark.parametrize("before_ns", [0, 1])
def test_a_bounce_holds_up_a_deadline_without_spinning(
    time: VirtualTime, plungers: SimulatedPlungers, late_ns: int, before_ns: int
) -> None:
    """The flag is due while a plunger bounces: if it began before, wait until that is over."""
    plungers.press("left")
    first_ns = time.ns
    deadline_ns = first_ns + before_ns
    turns = 0
    time.ns += late_ns
    while plungers.drain(time.ns)[1] < deadline_ns:
        plungers.wait(deadline_ns)
        turns += 1
    assert turns <= 3  # the first wait ends at the press
    assert time.sleeps <= 2
    assert time.ns == first_ns + max(late_ns, MARGIN + (SETTLE if before_ns else 0))


def test_waking_is_never_lost(time: VirtualTime, plungers: SimulatedPlungers) -> None:
    """Neither before waiting nor while waiting, nor if `drain` takes it from the queue."""
    plungers.wake()
    plungers.wait(None)
    assert time.sleeps == 0
    time.at(MS, plungers.wake)
    plungers.wait(None)
    assert time.sleeps == 1
    plungers.wake()
    plungers.drain(time.ns)
    plungers.wait(None)
    assert time.sleeps == 1


# --- pins and factories -----------------------------------------------------------------------


class KernelFactory(MockFactory):  # type: ignore[misc]
    """A factory whose edges wait in the kernel's queue until it is read."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting: list[Callable[[], object]] = []

    def drain(self) -> None:
        """Report them."""
        for report in self.waiting:
            report()
        self.waiting.clear()

    def call_to_drain(self, tell: Callable[[], object]) -> None:
        """Tell that there are some, now and later."""
        self.tell = tell
        tell()


@pytest.mark.rule("R39")
def test_the_kernels_queue_is_read_before_changes_settle(time: VirtualTime) -> None:
    """With a factory that can drain it, the margin of the horizon is small."""
    factory = KernelFactory()
    plungers = Plungers(PINS, 5, factory, clock=time, arrivals=time)
    assert plungers.drain(time.ns) == ([], time.ns - KERNEL_MARGIN_NS)
    plungers.wake()
    plungers.wait(None)
    assert time.sleeps == 0
    factory.waiting.append(factory.pin(PINS["left"]).drive_low)
    assert plungers.drain(time.ns + 1) == ([], time.ns + 1 - KERNEL_MARGIN_NS)
    assert [name for name, _ in plungers.begun()] == ["left"]
    settle(plungers)
    assert [move[:2] for move in plungers.drain(time.ns)[0]] == [("left", True)]
    time.ns += 99 * MS
    factory.waiting.append(factory.pin(PINS["left"]).drive_high)
    factory.tell()
    settle(plungers)
    assert [move[:2] for move in plungers.drain(time.ns)[0]] == [("left", False)]
    plungers.close()


def test_waking_is_not_taken_for_an_edge(tmp_path: Path) -> None:
    """After an edge in the kernel, which the factory's thread has told in the same way."""
    pi = Pi(tmp_path)
    plungers = Plungers({"left": LEFT}, 5, pi.factory, clock=StampClock())
    pi.kernel.press(LEFT, 7)
    plungers.wait(None)
    assert plungers.begun() == [("left", 7)]
    plungers.wake()
    plungers.drain(0)
    assert plungers._woken
    plungers.close()
    pi.close()


def test_a_plunger_pressed_while_it_is_claimed_is_one_press(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel detects edges already, so the button was up before; its stamp is the kernel's."""
    pi, clock = Pi(tmp_path), StampClock()
    read = pi.factory.drain

    def pressed_first() -> None:
        monkeypatch.undo()
        pi.kernel.press(LEFT, 7)
        read()

    monkeypatch.setattr(pi.factory, "drain", pressed_first)
    plungers = Plungers({"left": LEFT}, 5, pi.factory, clock=clock)
    clock.ns = 50 * MS
    assert plungers.drain(clock.ns)[0] == [("left", True, 7)]
    plungers.close()
    pi.close()


def test_pins_are_given_back_when_one_of_them_cannot_be_claimed(time: VirtualTime) -> None:
    """A pin number in the configuration is wrong: after its correction the others are free."""
    factory = MockFactory()
    with pytest.raises(GPIOZeroError):
        Plungers({"left": 17, "right": 99}, 5, factory, clock=time, arrivals=time)
    first = Plungers(PINS, 5, factory, clock=time, arrivals=time)
    first.close()
    Plungers(PINS, 5, factory, clock=time, arrivals=time).close()
    assert first is not None  # alive so far: it was closing that gave the pins back


# --- chatter ----------------------------------------------------------------------------------


def test_presses_of_before_a_match_are_forgotten(
    time: VirtualTime, plungers: SimulatedPlungers
) -> None:
    """One that has begun is none, and one from that instant on counts."""
    time.at(100 * MS, lambda: plungers.press("left"))
    plungers.wait(None)
    time.ns += 1
    plungers.forget()
    plungers.press("right")
    assert plungers.begun() == []
    plungers.wait(None)
    assert [name for name, _ in plungers.begun()] == ["right"]
    plungers.wait(None)
    assert [name for name, _, _ in plungers.drain(time.ns + 100 * MS)[0]] == ["right"]


def chatter(time: VirtualTime, plungers: SimulatedPlungers, name: str) -> None:
    """Let a contact open and close every millisecond, 150 times each."""
    for _ in range(150):
        plungers.press(name)
        time.ns += MS
        plungers.release(name)
        time.ns += MS


def test_a_chattering_button_is_a_fault_and_the_others_work_on(
    time: VirtualTime, plungers: SimulatedPlungers
) -> None:
    """It is cut off, its edges are not even queued; it is well again when it is quiet."""
    chatter(time, plungers, "left")
    pressed_ns = time.ns
    plungers.press("right")
    settle(plungers)
    plungers.press("left")
    with pytest.raises(Empty):
        time.get(block=False)
    plungers.release("left")
    assert plungers.drain(time.ns)[0] == [("right", True, pressed_ns)]
    assert plungers.faults() == [("buttons", f"left: {CHATTERS}")]
    assert plungers.faults() == []
    for _ in range(2):
        plungers.wait(None)
        plungers.drain(time.ns)
    assert plungers.faults() == [("buttons", None)]
    time.at(MS, lambda: plungers.press("left"))
    settle(plungers)
    assert [move[:2] for move in plungers.drain(time.ns)[0]] == [("left", True)]


# --- edges that come late or not at all -------------------------------------------------------


def late_edges(late: int, missing: int) -> str:
    """Return the report on them."""
    return "edges: " + LATE_EDGES.format(late=late, missing=missing, margin_ms=MARGIN // MS)


def test_an_edge_that_comes_too_late_is_reported(
    time: VirtualTime, plungers: SimulatedPlungers
) -> None:
    """One at the end of the margin is not; one a nanosecond older is, and still counts."""
    plungers.drain(time.ns)
    time.put(ButtonEdge("left", time.ns - MARGIN, True))
    time.put(ButtonEdge("left", time.ns - MARGIN + 1, False))
    plungers.drain(time.ns)
    assert plungers.faults() == []
    time.put(ButtonEdge("right", time.ns - MARGIN - 1, True))
    plungers.drain(time.ns)
    assert plungers.faults() == [("buttons", late_edges(1, 0)), ("buttons", None)]
    assert plungers.faults() == []


def test_a_press_without_an_edge_is_reported(
    time: VirtualTime, plungers: SimulatedPlungers
) -> None:
    plungers._contacts["left"].listen(wanted=False)
    plungers.press("left")
    plungers.drain(time.ns)
    read_ns = time.ns
    plungers.wait(None)
    assert plungers.faults() == []
    assert plungers.drain(time.ns)[0] == []
    time.ns += 1
    assert plungers.drain(time.ns)[0] == [("left", True, read_ns)]
    assert plungers.faults() == [("buttons", late_edges(0, 1)), ("buttons", None)]


def test_edges_that_the_kernel_lost_are_reported(
    plungers: SimulatedPlungers, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert plungers.faults() == []
    monkeypatch.setattr(plungers._pin_factory, "lost_edges", 177, raising=False)
    assert plungers.faults() == [("buttons", late_edges(0, 177)), ("buttons", None)]
    assert plungers.faults() == []
    assert plungers.counts["lost"] == 177


def test_late_edges_are_in_the_log_and_on_no_panel(
    time: VirtualTime, plungers: SimulatedPlungers
) -> None:
    """The fault is over in the same turn of the loop: players are not alarmed."""
    plungers.drain(time.ns)
    time.put(ButtonEdge("left", time.ns - MARGIN - 1, True))
    plungers.drain(time.ns)
    box = LoopClock().until(START_NS + SECOND_NS)
    box.parts.faults += HealthAggregator(PlungerButtons(plungers).faults).drain()
    box.until(box.time.ns + SECOND_NS)
    [fault], [cleared] = box.events("fault"), box.events("fault_cleared")
    assert (fault.part, cleared.part) == ("buttons", "buttons")
    assert box.parts.lines.index(cleared) == box.parts.lines.index(fault) + 1
    assert not any(faces.left.warnings for _, faces in box.parts.shown)


def text(late: int, missing: int, margin_ms: int = 2) -> str:
    """Return the text of a report."""
    return LATE_EDGES.format(late=late, missing=missing, margin_ms=margin_ms)


def test_nothing_is_reported_while_all_edges_come_in_time() -> None:
    edges = LateEdges(2 * MS)
    assert [edges.report(0, 0, at_ns) for at_ns in (0, 1, REPORT_INTERVAL_NS)] == [None] * 3


def test_a_report_covers_the_edges_since_the_last_one_and_names_the_margin() -> None:
    edges = LateEdges(20 * MS)
    assert edges.report(1, 0, 5) == text(1, 0, 20)
    assert edges.report(1, 0, 5 + REPORT_INTERVAL_NS) is None
    assert edges.report(1, 2, 5 + REPORT_INTERVAL_NS) == text(0, 2, 20)
    assert edges.report(1, 3, 5 + 2 * REPORT_INTERVAL_NS) == text(0, 1, 20)


def test_edges_within_ten_seconds_are_reported_together() -> None:
    edges = LateEdges(2 * MS)
    first_ns, next_ns = 5 * REPORT_INTERVAL_NS, 6 * REPORT_INTERVAL_NS
    assert edges.report(1, 0, first_ns) == text(1, 0)
    assert edges.report(2, 0, first_ns + 1) is None
    assert edges.report(7, 1, next_ns - 1) is None
    assert edges.report(7, 1, next_ns) == text(6, 1)
    assert edges.report(8, 1, next_ns + 1) is None


def test_the_report_says_what_to_do() -> None:
    assert text(3, 1) == (
        "3 more than 2 ms late, 1 missing: a press may be stamped too late. Stop other programs on"
        " this computer; gammonclock doctor shows how old each stamp is"
    )
