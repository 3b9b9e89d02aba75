"""The buzzer on a mock pin; the end of a sound comes when the test says so."""

import threading
from collections.abc import Callable

import pytest
from gpiozero.pins.mock import MockFactory, MockPin

from hardware.outputs.buzzer import FLAG_S, LOW_TIME_S, Buzzer, later

PIN = 18
SAFETY_S = 20.0


class Plan:
    """Something that will happen when the test says so."""

    def __init__(self, seconds: float, act: Callable[[], None]) -> None:
        self.seconds = seconds
        self.act = act
        self.cancelled = False

    def cancel(self) -> None:
        """Too late for a timer that has already begun to act: so the test may still act."""
        self.cancelled = True


class Bench:
    """A buzzer, its pin, and what is planned."""

    def __init__(self) -> None:
        self.factory = MockFactory()
        self.pin: MockPin = self.factory.pin(PIN)
        self.plans: list[Plan] = []
        self.buzzer = Buzzer(PIN, self.factory, later=self.later)

    def later(self, seconds: float, act: Callable[[], None]) -> Plan:
        """Plan it."""
        self.plans.append(Plan(seconds, act))
        return self.plans[-1]

    @property
    def sounds(self) -> bool:
        """Whether it can be heard."""
        return bool(self.pin.state)


@pytest.fixture
def bench() -> Bench:
    """A buzzer that is silent."""
    return Bench()


@pytest.mark.rule("R82")
def test_without_a_pin_there_is_no_sound_and_no_pin_is_claimed() -> None:
    """The default: nothing is wired, whatever is signalled."""
    factory = MockFactory()
    buzzer = Buzzer(pin_factory=factory)
    buzzer.low_time()
    buzzer.flag()
    buzzer.close()
    assert buzzer.faults() == []
    assert factory.pins == {}


@pytest.mark.rule("R82")
def test_a_buzzer_is_silent_until_it_is_given_a_signal(bench: Bench) -> None:
    """Neither switching on nor off makes a sound."""
    assert bench.pin.function == "output"
    bench.buzzer.close()
    assert [state.state for state in bench.pin.states] == [False]


@pytest.mark.parametrize(
    ("signal", "seconds"), [(Buzzer.low_time, LOW_TIME_S), (Buzzer.flag, FLAG_S)]
)
def test_a_signal_is_one_beep(
    bench: Bench, signal: Callable[[Buzzer], None], seconds: float
) -> None:
    """On at once, off when its time is over."""
    signal(bench.buzzer)
    assert bench.sounds
    (plan,) = bench.plans
    assert plan.seconds == seconds
    plan.act()
    assert not bench.sounds
    assert bench.buzzer.faults() == []


def test_low_time_is_shorter_than_a_flag() -> None:
    """So that they can be told apart."""
    assert LOW_TIME_S * 3 < FLAG_S


def test_one_signal_at_a_time(bench: Bench) -> None:
    """A new one takes the place of the one that sounds, whose end no longer ends anything."""
    bench.buzzer.low_time()
    bench.buzzer.flag()
    first, second = bench.plans
    assert first.cancelled
    first.act()
    assert bench.sounds
    second.act()
    assert not bench.sounds


def test_closing_silences_it(bench: Bench) -> None:
    """And a timer that comes too late finds nothing to do."""
    bench.buzzer.flag()
    bench.buzzer.close()
    (plan,) = bench.plans
    assert plan.cancelled
    plan.act()
    bench.buzzer.flag()
    bench.buzzer.close()
    assert [state.state for state in bench.pin.states] == [False, True, False]
    assert bench.buzzer.faults() == []


def test_a_pin_that_is_in_use_is_a_fault_until_it_is_free() -> None:
    """The clock goes on without it, and tries it again with each signal."""
    bench = Bench()
    second = Buzzer(PIN, bench.factory, later=bench.later)
    ((part, what),) = second.faults()
    assert part == "buzzer"
    assert "GPIO18 is already in use" in str(what)
    second.flag()
    assert bench.plans == []
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
    """Whatever family of errors it is; told once."""

    def broken(pin: MockPin, value: bool) -> None:
        raise RuntimeError("not a GPIO")

    with monkeypatch.context() as patch:
        patch.setattr(MockPin, "_set_state", broken)
        bench.buzzer.low_time()
        bench.buzzer.flag()
        bench.plans[-1].act()
    assert bench.buzzer.faults() == [("buzzer", "not a GPIO")]
    bench.plans[-1].act()
    assert bench.buzzer.faults() == []
    bench.buzzer.flag()
    assert bench.buzzer.faults() == [("buzzer", None)]


def test_no_sound_begins_that_nothing_would_end(bench: Bench) -> None:
    """A computer that has no more threads to give."""

    def never(seconds: float, act: Callable[[], None]) -> Plan:
        raise RuntimeError("can't start new thread")

    factory = MockFactory()
    buzzer = Buzzer(PIN, factory, later=never)
    buzzer.flag()
    assert not factory.pin(PIN).state
    assert buzzer.faults() == [("buzzer", "can't start new thread")]


def test_a_timer_is_a_thread_that_ends() -> None:
    """It does not keep the program from ending, either."""
    done = threading.Event()
    timer = later(0, done.set)
    assert isinstance(timer, threading.Timer)
    assert timer.daemon
    assert done.wait(SAFETY_S)
    timer.join(SAFETY_S)
    assert not timer.is_alive()
