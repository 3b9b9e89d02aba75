"""Buzzer and lamps on mock pins; the test decides when a beep ends."""

import threading
from collections.abc import Callable

import pytest
from gpiozero.pins.mock import MockFactory, MockPin

from hardware.outputs import FLAG_S, LOW_TIME_S, Buzzer, Lamps, start_timer

PIN = 18
SAFETY_S = 60.0


class FakeTimer:
    """A timer that ends when the test calls `act`."""

    def __init__(self, seconds: float, act: Callable[[], None]) -> None:
        self.seconds = seconds
        self.act = act
        self.cancelled = False

    def cancel(self) -> None:
        """Remember it; `act` still works, as for a timer that is cancelled too late."""
        self.cancelled = True


class Bench:
    """A buzzer, its pin, and its timers."""

    def __init__(self) -> None:
        self.factory = MockFactory()
        self.pin: MockPin = self.factory.pin(PIN)
        self.timers: list[FakeTimer] = []
        self.buzzer = Buzzer(PIN, self.factory, start_timer=self.start_timer)

    def start_timer(self, seconds: float, act: Callable[[], None]) -> FakeTimer:
        self.timers.append(FakeTimer(seconds, act))
        return self.timers[-1]

    @property
    def sounds(self) -> bool:
        return bool(self.pin.state)


@pytest.fixture
def bench() -> Bench:
    return Bench()


@pytest.mark.rule("R82")
def test_without_a_pin_there_is_no_sound_and_no_pin_is_claimed() -> None:
    factory = MockFactory()
    buzzer = Buzzer(pin_factory=factory)
    buzzer.low_time()
    buzzer.flag()
    buzzer.close()
    assert buzzer.faults() == []
    assert factory.pins == {}


@pytest.mark.rule("R82")
def test_a_buzzer_is_silent_without_a_signal(bench: Bench) -> None:
    assert bench.pin.function == "output"
    bench.buzzer.close()
    assert [state.state for state in bench.pin.states] == [False]


@pytest.mark.parametrize(
    ("signal", "seconds"), [(Buzzer.low_time, LOW_TIME_S), (Buzzer.flag, FLAG_S)]
)
def test_a_signal_is_one_beep(
    bench: Bench, signal: Callable[[Buzzer], None], seconds: float
) -> None:
    signal(bench.buzzer)
    assert bench.sounds
    (timer,) = bench.timers
    assert timer.seconds == seconds
    timer.act()
    assert not bench.sounds
    assert bench.buzzer.faults() == []


def test_a_new_signal_replaces_the_present_one(bench: Bench) -> None:
    bench.buzzer.low_time()
    bench.buzzer.flag()
    first, second = bench.timers
    assert first.cancelled
    first.act()
    assert bench.sounds
    second.act()
    assert not bench.sounds


def test_closing_silences_it(bench: Bench) -> None:
    bench.buzzer.flag()
    bench.buzzer.close()
    (timer,) = bench.timers
    assert timer.cancelled
    timer.act()
    bench.buzzer.flag()
    bench.buzzer.close()
    assert [state.state for state in bench.pin.states] == [False, True, False]
    assert bench.buzzer.faults() == []


def test_a_pin_that_is_in_use_is_a_fault_until_it_is_free() -> None:
    bench = Bench()
    second = Buzzer(PIN, bench.factory, start_timer=bench.start_timer)
    ((part, what),) = second.faults()
    assert part == "buzzer"
    assert "GPIO18 is already in use" in str(what)
    second.flag()
    assert bench.timers == []
    assert second.faults() == []
    bench.buzzer.close()
    second.flag()
    assert bench.sounds
    assert second.faults() == [("buzzer", None)]
    second.close()
    second.flag()
    assert not bench.sounds


def test_a_buzzer_that_fails_is_a_fault_until_it_sounds_again(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever kind of error it is; it is reported once."""

    def broken(pin: MockPin, value: bool) -> None:
        raise RuntimeError("not a GPIO")

    with monkeypatch.context() as patch:
        patch.setattr(MockPin, "_set_state", broken)
        bench.buzzer.low_time()
        bench.buzzer.flag()
        bench.timers[-1].act()
    assert bench.buzzer.faults() == [("buzzer", "not a GPIO")]
    bench.timers[-1].act()
    assert bench.buzzer.faults() == []
    bench.buzzer.flag()
    assert bench.buzzer.faults() == [("buzzer", None)]


def test_no_beep_begins_without_a_timer_to_end_it(bench: Bench) -> None:
    def never(seconds: float, act: Callable[[], None]) -> FakeTimer:
        raise RuntimeError

    factory = MockFactory()
    buzzer = Buzzer(PIN, factory, start_timer=never)
    buzzer.flag()
    assert not factory.pin(PIN).state
    assert buzzer.faults() == [("buzzer", "RuntimeError()")]  # it says nothing of itself


def test_a_timer_is_a_daemon_thread_that_ends() -> None:
    done = threading.Event()
    timer = start_timer(0, done.set)
    assert isinstance(timer, threading.Timer)
    assert timer.daemon
    assert done.wait(SAFETY_S)
    timer.join(SAFETY_S)
    assert not timer.is_alive()


LEFT, RIGHT = 5, 6


def test_without_pins_nothing_is_claimed() -> None:
    factory = MockFactory()
    lamps = Lamps(pin_factory=factory)
    lamps.show(left=True, right=False)
    lamps.close()
    assert lamps.faults() == []
    assert factory.pins == {}


@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize("right", [True, False])
def test_the_lamps_show_whose_clock_runs(left: bool, right: bool) -> None:
    factory = MockFactory()
    pins: list[MockPin] = [factory.pin(LEFT), factory.pin(RIGHT)]
    lamps = Lamps(LEFT, RIGHT, factory)
    assert [pin.state for pin in pins] == [False, False]
    lamps.show(left=left, right=right)
    assert [pin.state for pin in pins] == [left, right]
    lamps.close()
    lamps.show(left=True, right=True)  # too late: their pins are for others now
    assert [pin.states[-1].state for pin in pins] == [False, False]
    assert lamps.faults() == []


def test_a_pin_is_written_to_only_when_something_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[tuple[str, bool]] = []
    set_state = MockPin._set_state

    def noted(pin: MockPin, value: bool) -> None:
        written.append((pin.info.name, value))
        set_state(pin, value)

    factory = MockFactory()
    lamps = Lamps(LEFT, RIGHT, factory)
    monkeypatch.setattr(MockPin, "_set_state", noted)
    for _ in range(10):
        lamps.show(left=True, right=False)
    for _ in range(10):
        lamps.show(left=False, right=True)
    assert written == [("GPIO5", True), ("GPIO5", False), ("GPIO6", True)]
    lamps.close()


def test_a_pin_in_use_is_a_fault_until_it_is_free() -> None:
    """It is reported once; the other lamp works."""
    factory = MockFactory()
    other = Lamps(left=LEFT, pin_factory=factory)
    lamps = Lamps(LEFT, RIGHT, factory)
    lamps.show(left=True, right=True)
    ((part, what),) = lamps.faults()
    assert part == "lamps"
    assert "GPIO5 is already in use" in str(what)
    assert factory.pin(RIGHT).state
    assert not factory.pin(LEFT).state
    other.close()
    lamps.show(left=True, right=True)
    assert lamps.faults() == [("lamps", None)]
    assert factory.pin(LEFT).state
    lamps.close()


def test_a_lamp_that_failed_is_written_to_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not known whether it is lit, so what it was before is written, too."""
    set_state = MockPin._set_state

    def broken(pin: MockPin, value: bool) -> None:
        set_state(pin, value)
        raise OSError(5, "Input/output error") if pin.info.name == "GPIO5" else RuntimeError

    factory = MockFactory()
    lamps = Lamps(LEFT, RIGHT, factory)
    with monkeypatch.context() as patch:
        patch.setattr(MockPin, "_set_state", broken)
        for _ in range(3):
            lamps.show(left=True, right=True)
    assert lamps.faults() == [("lamps", "[Errno 5] Input/output error, RuntimeError()")]
    lamps.show(left=False, right=False)
    assert lamps.faults() == [("lamps", None)]
    assert not factory.pin(LEFT).state
    assert not factory.pin(RIGHT).state


def test_closing_a_lamp_that_fails_is_not_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(lamp: MockPin) -> None:
        raise OSError(5, "Input/output error")

    factory = MockFactory()
    lamps = Lamps(LEFT, RIGHT, factory)
    with monkeypatch.context() as patch:
        patch.setattr(MockPin, "close", broken)
        lamps.close()
