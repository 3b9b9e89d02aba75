"""Buttons on mock pins in a time that obeys: nothing sleeps, every edge has its instant."""

import gc
from collections import deque
from collections.abc import Callable, Iterator
from queue import Empty

import pytest
from gpiozero.exc import GPIOZeroError
from gpiozero.pins.mock import MockFactory, MockPin
from test_runtime import START_NS, Box

from clock.runtime.adapters import AllParts, PlungerButtons
from clock.match.rules import SECOND_NS
from hardware.buttons.plungers import CHATTERS, KERNEL_MARGIN_NS, THREAD_MARGIN_NS, Edge, Plungers
from hardware.system.clocks import RawClock
from hardware.buttons.simulated import PINS, SimulatedPlungers
from hardware.buttons.late_edges import EDGES, UNTIMELY

MS = 1_000_000
SETTLE = 5 * MS
MARGIN = THREAD_MARGIN_NS  # of gpiozero's own factories
RAW_BEHIND_NS = 3_000 * MS  # the raw clock counts from another moment than the one of the stamps


class Fate:
    """A time that only waiting moves, and what happens in it: a clock and a queue in one."""

    def __init__(self) -> None:
        self.ns = 100_000 * MS
        self.sleeps = 0
        self._edges: deque[Edge | None] = deque()
        self._acts: deque[tuple[int, Callable[[], object]]] = deque()

    def at(self, after_ns: int, act: Callable[[], object]) -> None:
        """Have something happen a while after the latest thing planned."""
        last_ns = self._acts[-1][0] if self._acts else self.ns
        self._acts.append((last_ns + after_ns, act))

    def now_ns(self) -> int:
        """The raw clock."""
        return self.ns

    def raw_of(self, stamp_ns: int) -> int:
        """The raw instant of a kernel's stamp."""
        return stamp_ns - RAW_BEHIND_NS

    def monotonic(self) -> float:
        """The clock that mock pins stamp with."""
        return (self.ns + RAW_BEHIND_NS) / 1e9

    def put(self, item: Edge | None, /) -> None:
        """An edge, or a call to wake."""
        self._edges.append(item)

    def get(self, block: bool = True, timeout: float | None = None) -> Edge | None:
        """The next edge; waiting for it moves the time to the next thing planned."""
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
def fate(monkeypatch: pytest.MonkeyPatch) -> Fate:
    """The time of a test; the mock pins stamp with it."""
    fate = Fate()
    monkeypatch.setattr("gpiozero.pins.mock.monotonic", fate.monotonic)
    return fate


@pytest.fixture
def plungers(fate: Fate) -> Iterator[SimulatedPlungers]:
    """Three buttons, all up."""
    plungers = SimulatedPlungers(clock=fate, arrivals=fate)
    yield plungers
    plungers.close()


@pytest.mark.rule("R85")
def test_a_press_is_stamped_at_its_first_edge_on_the_raw_clock(
    fate: Fate, plungers: SimulatedPlungers
) -> None:
    """Two sleeps and no polling: one until the edge, one until it has settled."""
    fate.at(700 * MS, lambda: plungers.press("left"))
    pressed_ns = fate.ns + 700 * MS
    plungers.wait(None)
    assert fate.ns == pressed_ns + SETTLE + MARGIN
    assert plungers.drain(fate.ns) == ([("left", True, pressed_ns)], pressed_ns + SETTLE)
    assert fate.sleeps == 2
    assert plungers.drain(fate.ns) == ([], pressed_ns + SETTLE)


@pytest.mark.rule("R85", "T8")
def test_bounces_and_a_short_tap_make_one_press(fate: Fate, plungers: SimulatedPlungers) -> None:
    """T8: bounces, a tap of 3 ms that is a glitch, and a press, each edge at its own instant."""
    tap_ns = fate.ns + MS
    fate.at(MS, lambda: plungers.press("left", bounce=2))
    fate.at(3 * MS, lambda: plungers.release("left", bounce=3))
    fate.at(30 * MS, lambda: plungers.press("left", bounce=4))
    fate.at(2 * MS, lambda: plungers.release("left"))
    fate.at(2 * MS, lambda: plungers.press("left"))
    plungers.wait(None)
    assert plungers.drain(fate.ns)[0] == []
    assert plungers.counts == {"glitches": 1, "missed": 0, "late": 0, "lost": 0}
    plungers.wait(None)
    assert plungers.drain(fate.ns)[0] == [("left", True, tap_ns + 33 * MS)]


def test_both_plungers_in_the_order_of_their_stamps(
    fate: Fate, plungers: SimulatedPlungers
) -> None:
    """The left came first and bounces longer: both are told at once, it first."""
    left_ns = fate.ns + MS
    fate.at(MS, lambda: plungers.press("left"))
    fate.at(1, lambda: plungers.press("right"))
    fate.at(4 * MS, lambda: plungers.release("left"))
    fate.at(2 * MS, lambda: plungers.press("left"))
    plungers.wait(None)
    assert plungers.drain(fate.ns) == ([], left_ns)
    plungers.wait(None)
    assert plungers.drain(fate.ns)[0] == [("left", True, left_ns), ("right", True, left_ns + 1)]


def test_a_held_plunger_is_one_press_and_its_release(
    fate: Fate, plungers: SimulatedPlungers
) -> None:
    """Nothing comes while it is held, and nobody wakes."""
    fate.at(MS, lambda: plungers.press("centre"))
    plungers.wait(None)
    [(name, down, down_ns)], _ = plungers.drain(fate.ns)
    fate.at(90_000 * MS, lambda: plungers.release("centre"))
    fate.sleeps = 0
    plungers.wait(None)
    assert (name, down) == ("centre", True)
    assert plungers.drain(fate.ns)[0][0][:2] == ("centre", False)
    assert fate.sleeps == 2
    assert fate.ns - down_ns > 90_000 * MS


class HeldPin(MockPin):  # type: ignore[misc]
    """A pin whose button is down: the pull-up does not raise it."""

    def _set_pull(self, value: str) -> None:
        self._pull = value
        self._state = False


def test_a_plunger_down_at_the_beginning_gives_no_press(fate: Fate) -> None:
    """It was not pressed while the clock was there; after it has come up it counts again."""
    factory = MockFactory(pin_class=HeldPin)
    plungers = Plungers(PINS, 5, factory, clock=fate, arrivals=fate)
    assert plungers.drain(fate.ns)[0] == []
    fate.at(MS, factory.pin(PINS["left"]).drive_high)
    fate.at(100 * MS, factory.pin(PINS["left"]).drive_low)
    plungers.wait(None)
    assert [move[:2] for move in plungers.drain(fate.ns)[0]] == [("left", False)]
    plungers.wait(None)
    assert [move[:2] for move in plungers.drain(fate.ns)[0]] == [("left", True)]
    plungers.close()


# --- waiting ----------------------------------------------------------------------------------


def test_waiting_ends_at_its_instant(fate: Fate, plungers: SimulatedPlungers) -> None:
    """Exactly then, after one sleep, if no button moves."""
    until_ns = fate.ns + 999 * MS
    plungers.wait(until_ns)
    assert (fate.ns, fate.sleeps) == (until_ns, 1)


def test_an_instant_just_passed_is_waited_for_until_it_can_be_decided(
    fate: Fate, plungers: SimulatedPlungers
) -> None:
    """A flag's instant asked for again: one sleep, then the horizon has reached it."""
    until_ns = fate.ns
    plungers.wait(until_ns)
    assert (fate.ns, fate.sleeps) == (until_ns + MARGIN, 1)
    assert plungers.drain(fate.ns)[1] == until_ns
    plungers.wait(until_ns)
    assert fate.sleeps == 1


@pytest.mark.parametrize("late_ns", [0, 1, MARGIN, 900 * MS])
def test_an_instant_that_a_bounce_holds_up_is_waited_for_without_spinning(
    fate: Fate, plungers: SimulatedPlungers, late_ns: int
) -> None:
    """The flag is due and the plunger bounces: it sleeps until that is over, and no longer."""
    plungers.press("left")
    first_ns = fate.ns
    deadline_ns = first_ns + 1
    turns = 0
    fate.ns += late_ns
    while plungers.drain(fate.ns)[1] < deadline_ns:
        plungers.wait(deadline_ns)
        turns += 1
    assert turns <= 2
    assert fate.sleeps == turns
    assert fate.ns == max(first_ns + late_ns, first_ns + SETTLE + MARGIN)


def test_waking_is_never_lost(fate: Fate, plungers: SimulatedPlungers) -> None:
    """Before waiting, while waiting, or taken in passing by `drain`."""
    plungers.wake()
    plungers.wait(None)
    assert fate.sleeps == 0
    fate.at(MS, plungers.wake)
    plungers.wait(None)
    assert fate.sleeps == 1
    plungers.wake()
    plungers.drain(fate.ns)
    plungers.wait(None)
    assert fate.sleeps == 1


def test_real_time_a_press_from_the_keyboard() -> None:
    """With the kernel's clocks and a real queue: stamped between before and after."""
    clock = RawClock()
    plungers = SimulatedPlungers(settle_ms=0, clock=clock)
    before_ns = clock.now_ns()
    plungers.press("right")
    plungers.release("right")
    after_ns = clock.now_ns()
    plungers.wait(None)
    (down, up), horizon_ns = plungers.drain(clock.now_ns())
    assert (down[:2], up[:2]) == (("right", True), ("right", False))
    assert before_ns - 100_000 <= down[2] <= up[2] <= after_ns + 100_000 < horizon_ns + 100_000
    plungers.close()


# --- pins and factories -----------------------------------------------------------------------


def test_pins_are_inputs_with_pull_up_and_no_debouncing(fate: Fate) -> None:
    """A button connects its pin to ground; gpiozero leaves its edges alone."""
    factory = MockFactory()
    plungers = Plungers(PINS, 5, factory, clock=fate, arrivals=fate)
    for number in PINS.values():
        pin = factory.pin(number)
        assert (pin.function, pin.pull, pin.bounce, pin.edges) == ("input", "up", None, "both")
    plungers.close()


def test_the_callback_outlives_a_garbage_collection(
    fate: Fate, plungers: SimulatedPlungers
) -> None:
    """The pin refers to it weakly: it must be kept alive here."""
    gc.collect()
    fate.at(MS, lambda: plungers.press("left"))
    plungers.wait(None)
    assert len(plungers.drain(fate.ns)[0]) == 1


def test_stamps_that_are_integers_stay_exact(fate: Fate, plungers: SimulatedPlungers) -> None:
    """Floats of seconds are exact to the ns for a week only; integers always."""
    stamp_ns = 2**53 + 1
    plungers._plungers["left"]._changed(stamp_ns, 0)
    assert fate.get(block=False) == Edge("left", stamp_ns - RAW_BEHIND_NS, True)


class KernelFactory(MockFactory):  # type: ignore[misc]
    """A factory whose edges wait in the kernel's queue until it is read."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting: list[Callable[[], object]] = []

    def drain(self) -> None:
        """Report them all."""
        for report in self.waiting:
            report()
        self.waiting.clear()


@pytest.mark.rule("R39")
def test_the_kernels_queue_is_read_before_anything_is_decided(fate: Fate) -> None:
    """A factory that can do so needs only a small margin for the horizon."""
    factory = KernelFactory()
    plungers = Plungers(PINS, 5, factory, clock=fate, arrivals=fate)
    assert plungers.drain(fate.ns) == ([], fate.ns - KERNEL_MARGIN_NS)
    factory.waiting.append(factory.pin(PINS["left"]).drive_low)
    assert plungers.drain(fate.ns + 1) == ([], fate.ns + 1 - KERNEL_MARGIN_NS)
    plungers.wait(None)
    assert [move[:2] for move in plungers.drain(fate.ns)[0]] == [("left", True)]
    plungers.close()


def test_pins_are_given_back_when_one_of_them_cannot_be_had(fate: Fate) -> None:
    """A wrong number in the configuration: after it is put right, the others are free."""
    factory = MockFactory()
    with pytest.raises(GPIOZeroError):
        Plungers({"left": 17, "right": 99}, 5, factory, clock=fate, arrivals=fate)
    first = Plungers(PINS, 5, factory, clock=fate, arrivals=fate)
    first.close()
    Plungers(PINS, 5, factory, clock=fate, arrivals=fate).close()
    assert first is not None  # alive so far: it was closing that gave the pins back


# --- chatter ----------------------------------------------------------------------------------


def test_a_chattering_button_is_a_fault_and_no_other_suffers(
    fate: Fate, plungers: SimulatedPlungers
) -> None:
    """Cut off at once, its edges not even queued; reported once; well again when it is quiet."""
    for _ in range(150):
        plungers.press("left")
        fate.ns += MS
        plungers.release("left")
        fate.ns += MS
    pressed_ns = fate.ns
    plungers.press("right")
    plungers.wait(None)
    assert plungers.drain(fate.ns)[0] == [("right", True, pressed_ns)]
    assert plungers.faults() == [("left", CHATTERS)]
    assert plungers.faults() == []
    plungers.press("left")
    with pytest.raises(Empty):
        fate.get(block=False)
    plungers.release("left")
    for _ in range(2):
        plungers.wait(None)
        plungers.drain(fate.ns)
    assert plungers.faults() == [("left", None)]
    fate.at(MS, lambda: plungers.press("left"))
    plungers.wait(None)
    assert [move[:2] for move in plungers.drain(fate.ns)[0]] == [("left", True)]


# --- edges that come late or not at all -------------------------------------------------------


def untimely(late: int, missing: int) -> str:
    """What is told of them."""
    return UNTIMELY.format(late=late, missing=missing, margin_ms=MARGIN // MS)


def test_an_edge_that_comes_too_late_is_told_of(fate: Fate, plungers: SimulatedPlungers) -> None:
    """One that comes at the end of its margin is not; one a nanosecond older is, and counts."""
    plungers.drain(fate.ns)
    fate.put(Edge("left", fate.ns - MARGIN, True))
    fate.put(Edge("left", fate.ns - MARGIN + 1, False))
    plungers.drain(fate.ns)
    assert plungers.faults() == []
    fate.put(Edge("right", fate.ns - MARGIN - 1, True))
    plungers.drain(fate.ns)
    assert plungers.faults() == [(EDGES, untimely(1, 0)), (EDGES, None)]
    assert plungers.faults() == []


def test_a_press_without_an_edge_is_told_of(fate: Fate, plungers: SimulatedPlungers) -> None:
    """Its stamp is that of the reading."""
    plungers._plungers["left"].listen(wanted=False)
    plungers.press("left")
    plungers.drain(fate.ns)
    read_ns = fate.ns
    plungers.wait(None)
    assert plungers.faults() == []
    assert plungers.drain(fate.ns)[0] == []
    fate.ns += 1
    assert plungers.drain(fate.ns)[0] == [("left", True, read_ns)]
    assert plungers.faults() == [(EDGES, untimely(0, 1)), (EDGES, None)]


def test_they_are_in_the_log_and_on_no_panel(fate: Fate, plungers: SimulatedPlungers) -> None:
    """A fault of the buttons that is well again in the same turn; players are not alarmed."""
    plungers.drain(fate.ns)
    fate.put(Edge("left", fate.ns - MARGIN - 1, True))
    plungers.drain(fate.ns)
    box = Box().until(START_NS + SECOND_NS)
    box.outside.faults += AllParts(PlungerButtons(plungers).faults).drain()
    box.until(box.time.ns + SECOND_NS)
    [fault], [cleared] = box.events("fault"), box.events("fault_cleared")
    assert (fault.part, cleared.part) == ("buttons", "buttons")
    assert box.outside.lines.index(cleared) == box.outside.lines.index(fault) + 1
    assert not any(faces.left.warnings for _, faces in box.outside.shown)
