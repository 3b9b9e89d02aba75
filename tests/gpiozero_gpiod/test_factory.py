"""The pin factory as gpiozero sees it: ticks, pins of its own, and its end."""

import gc
import threading
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from gpiod.line import Bias, Direction, Value
from gpiod.line import Edge as Detection
from gpiozero import Button, OutputDevice
from gpiozero.exc import (
    DeviceClosed,
    PinFixedPull,
    PinInvalidBounce,
    PinInvalidEdges,
    PinInvalidFunction,
    PinInvalidPin,
    PinInvalidPull,
    PinPWMUnsupported,
    PinSetInput,
)

from gpiozero_gpiod.factory import LONGEST_BOUNCE, GpiodFactory
from lab.support.gpio_pi import LEFT, RIGHT, SAFETY_S, BlockedThread, Pi, edge_threads


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


@pytest.mark.parametrize(
    ("edges", "levels"), [("both", [0, 1]), ("falling", [0]), ("rising", [1]), ("none", [])]
)
def test_only_the_edges_asked_for_are_detected(pi: Pi, edges: str, levels: list[int]) -> None:
    """The kernel detects none before there is a handler."""
    pin = pi.input()
    assert pin.edges == "both"
    assert pi.settings().edge_detection is Detection.NONE
    pin, recorder = pi.recorded(edges=edges)
    pi.kernel.press(LEFT)
    pi.kernel.release(LEFT)
    pi.factory.drain()
    assert [level for _, level in recorder.edges] == levels
    pin.when_changed = None
    assert pi.settings().edge_detection is Detection.NONE


def test_a_chattering_line_can_be_silenced_in_its_handler(pi: Pi) -> None:
    """The kernel ignores it then, the others work on, and it can be listened to again."""

    def guard() -> None:
        if len(recorder.edges) == 3:
            pin.edges = "none"

    pin, recorder = pi.recorded(then=guard)
    _, other = pi.recorded(RIGHT)
    blocked = BlockedThread(pi)  # so that all edges are read before the first is delivered
    for turn in range(10):
        pi.kernel.drive(LEFT, turn % 2)
    pi.kernel.press(RIGHT)
    blocked.resume()
    assert other.next() == (pi.kernel.now_ns, 0)
    pi.factory.drain()
    assert len(recorder.edges) == 3
    assert pi.settings().edge_detection is Detection.NONE
    pin.edges = "both"
    pi.kernel.press(LEFT)
    pi.factory.drain()
    assert recorder.edges[3:] == [(pi.kernel.now_ns, 0)]


def test_a_handler_that_was_collected_is_not_called(pi: Pi) -> None:
    """Gpiozero refers to it weakly; afterwards the kernel detects no edges."""
    pin, recorder = pi.recorded()
    del recorder
    gc.collect()
    pi.kernel.press(LEFT)
    pi.factory.drain()
    assert pin.when_changed is None
    assert pi.settings().edge_detection is Detection.NONE


@pytest.mark.parametrize(
    ("pull", "bias", "state"),
    [("up", Bias.PULL_UP, 1), ("down", Bias.PULL_DOWN, 0), ("floating", Bias.DISABLED, 0)],
)
def test_the_kernel_sets_the_pull(pi: Pi, pull: str, bias: Bias, state: int) -> None:
    pin = pi.factory.pin(LEFT)
    assert (pin.function, pin.pull, pin.bounce, pin.frequency) == ("input", "floating", None, None)
    pin.input_with_pull(pull)
    assert (pin.pull, pin.state) == (pull, state)
    settings = pi.settings()
    assert (settings.direction, settings.bias) == (Direction.INPUT, bias)
    pin.pull = "up"
    assert (pin.pull, pin.state) == ("up", 1)


def test_a_pull_that_is_soldered_cannot_be_changed(pi: Pi) -> None:
    pin = pi.factory.pin(2)
    assert pin.pull == "up"
    with pytest.raises(PinFixedPull, match="GPIO2 has a physical pull-up resistor"):
        pin.pull = "down"
    with pytest.raises(PinFixedPull):
        pin.input_with_pull("floating")
    pin.function = "output"
    with pytest.raises(PinFixedPull, match="non-input"):
        pin.pull = "up"


def test_outputs_have_states_0_and_1(pi: Pi) -> None:
    """True is 1; a pin that is an input cannot be set."""
    pin = pi.factory.pin(LEFT)
    with pytest.raises(PinSetInput):
        pin.state = 1
    pin.output_with_state(1)
    assert (pin.function, pin.state, pi.kernel.requests[LEFT].reconfigured) == ("output", 1, 1)
    pin.state = 0
    assert pin.state == 0
    pin.state = True
    pin.bounce = 0.1
    assert pin.state == 1


def test_a_new_output_keeps_the_level_of_the_line(pi: Pi) -> None:
    """gpiozero: the pin is left in the state in which it is found."""
    pi.kernel.drive(LEFT, 1)
    device = OutputDevice(LEFT, initial_value=None, pin_factory=pi.factory)
    assert pi.settings().output_value is Value.ACTIVE
    assert device.value == 1
    device.close()


def test_an_input_detects_edges_again_after_it_was_an_output(pi: Pi) -> None:
    pin, recorder = pi.recorded()
    pin.function = "output"
    pin.state = 0
    pin.function = "input"
    pi.factory.drain()
    recorder.edges.clear()
    pi.kernel.press(LEFT)
    pi.factory.drain()
    assert recorder.edges == [(pi.kernel.now_ns, 0)]
    pin.function = "output"
    pin.input_with_pull("down")
    assert (pin.function, pin.pull) == ("input", "down")


@pytest.mark.parametrize(
    ("error", "attribute", "value"),
    [
        (PinInvalidFunction, "function", "foo"),
        (PinInvalidPull, "pull", "foo"),
        (PinInvalidEdges, "edges", "foo"),
        (PinInvalidBounce, "bounce", -0.1),
        (PinInvalidBounce, "bounce", 5_000),
        (PinPWMUnsupported, "frequency", 100),
    ],
)
def test_an_invalid_value_changes_nothing(
    pi: Pi, error: type[Exception], attribute: str, value: str | float
) -> None:
    """It raises gpiozero's own errors, and the kernel is not asked for anything."""
    pin = pi.factory.pin(LEFT)
    before = getattr(pin, attribute)
    with pytest.raises(error):
        setattr(pin, attribute, value)
    assert getattr(pin, attribute) == before
    assert pi.kernel.requests[LEFT].reconfigured == 0


def test_bounce_is_debounced_by_the_kernel(pi: Pi) -> None:
    """In seconds; None or 0 for no debouncing."""
    pin, _ = pi.recorded()
    for seconds in (0.005, LONGEST_BOUNCE):
        pin.bounce = seconds
        assert pin.bounce == seconds
        assert pi.settings().debounce_period.total_seconds() == seconds
        assert pi.settings().edge_detection is Detection.BOTH
    for none in (0, None):
        pin.bounce = 0.005
        pin.bounce = none
        assert pin.bounce is None
        assert not pi.settings().debounce_period


def test_a_pin_is_one_object_and_claimed_until_it_is_closed(pi: Pi) -> None:
    """Afterwards the old object is unusable, and the factory makes a new one."""
    pin, _ = pi.recorded()
    assert pi.factory.pin("GPIO17") is pin
    assert pi.kernel.requests[LEFT].consumer == "gpiozero"
    pin.close()
    assert pi.kernel.requests == {}
    for use in (lambda: pin.state, lambda: setattr(pin, "function", "output")):
        with pytest.raises(DeviceClosed, match="GPIO17 is closed"):
            use()
    pin.close()
    again = pi.factory.pin(LEFT)
    assert (again.pull, again.edges, again.when_changed) == ("floating", "both", None)
