"""The pin factory as gpiozero sees it: ticks, pins of its own, and its end."""

import threading
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from gpiozero import Button
from gpiozero.exc import DeviceClosed, PinInvalidPin

from gpiozero_gpiod.factory import GpiodFactory
from lab.support.gpio_pi import LEFT, RIGHT, SAFETY_S, Pi, edge_threads


def open_descriptors() -> int:
    """Return the number of open file descriptors of this process."""
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.mark.rule("R85")
def test_the_ticks_of_an_edge_are_the_kernels_stamp(pi: Pi) -> None:
    _, recorder = pi.recorded()
    pi.kernel.press(LEFT, 2**53 + 1)
    assert recorder.next() == (2**53 + 1, 0)
    pi.kernel.release(LEFT, 2**53 + 2)
    assert recorder.next() == (2**53 + 2, 1)
    assert [type(ticks) for ticks, _ in recorder.edges] == [int, int]
    assert recorder.threads == edge_threads() * 2


def test_ticks_are_nanoseconds_and_their_difference_seconds() -> None:
    before, after = GpiodFactory.ticks(), GpiodFactory.ticks()
    assert 0 <= GpiodFactory.ticks_diff(after, before) < SAFETY_S
    assert GpiodFactory.ticks_diff(3_500_000_000, 2_000_000_000) == 1.5


def test_two_factories_have_their_own_pins(pi: Pi) -> None:
    with pi.new_factory() as other:
        pin = other.pin(RIGHT)
        _, recorder = pi.recorded()
    assert list(pi.kernel.requests) == [LEFT]
    assert pi.factory.pin(RIGHT) is not pin
    pi.kernel.press(LEFT)
    pi.factory.drain()
    assert recorder.edges == [(pi.kernel.now_ns, 0)]


def test_a_pin_that_does_not_exist_is_an_error(pi: Pi) -> None:
    with pytest.raises(PinInvalidPin):
        pi.factory.pin(99)


def test_close_gives_all_back_and_ends_the_thread(pi: Pi) -> None:
    """Closing twice does no harm; nothing can be claimed then, but by a new factory."""
    pin, _ = pi.recorded()
    descriptors = open_descriptors()
    pi.factory.close()
    pi.factory.close()
    assert (pi.kernel.requests, edge_threads()) == ({}, [])
    assert open_descriptors() == descriptors - 3
    pi.factory.drain()
    with pytest.raises(DeviceClosed):
        pi.factory.pin(LEFT)
    with pytest.raises(DeviceClosed):
        assert pin.state
    pi.factory = pi.new_factory()
    _, recorder = pi.recorded()
    pi.kernel.press(LEFT)
    assert recorder.next() == (pi.kernel.now_ns, 0)


def test_the_entry_point_is_the_factory() -> None:
    (point,) = entry_points(group="gpiozero_pin_factories", name="gpiod")
    assert point.load() is GpiodFactory


def test_gpiozero_button_measures_its_times(pi: Pi) -> None:
    pressed = threading.Event()
    button = Button(LEFT, pin_factory=pi.factory)
    button.when_pressed = pressed.set
    assert not button.is_pressed
    pi.kernel.press(LEFT, GpiodFactory.ticks() - 2_000_000_000)
    assert pressed.wait(SAFETY_S)
    assert button.is_pressed
    assert 2 <= button.active_time < 2 + SAFETY_S
    pi.kernel.release(LEFT, GpiodFactory.ticks())
    assert button.wait_for_release(SAFETY_S)
    button.close()
    assert pi.kernel.requests == {}
