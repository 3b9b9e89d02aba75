"""gpiozero on libgpiod, with a fake kernel, real file descriptors and the real thread."""

import gc
import logging
import os
import select
import threading
from collections.abc import Callable, Iterator
from errno import EACCES, ENODEV, ENOTTY
from importlib.metadata import entry_points
from pathlib import Path
from queue import SimpleQueue

import gpiod
import pytest
from gpiod.line import Bias, Direction, Value
from gpiod.line import Edge as Detection
from gpiozero import LED, PWMLED, Button, Buzzer, DigitalInputDevice, InputDevice, OutputDevice
from gpiozero.exc import (
    BadPinFactory,
    DeviceClosed,
    GPIOPinInUse,
    PinFixedPull,
    PinInvalidBounce,
    PinInvalidEdges,
    PinInvalidFunction,
    PinInvalidPin,
    PinInvalidPull,
    PinPWMUnsupported,
    PinSetInput,
)

from gpiozero_gpiod.chip import ASK_FOR_ACCESS, EVENT_BUFFER_SIZE
from gpiozero_gpiod.factory import GpiodFactory
from gpiozero_gpiod.pin import GpiodPin
from hardware.buttons.plungers import CHATTERS, Plungers
from tests.support.gpio_kernel import FakeKernel, StampClock

LEFT, RIGHT, CENTRE = 17, 27, 22
PI_4: list[tuple[str, str | OSError]] = [
    ("gpiochip0", "pinctrl-bcm2711"),
    ("gpiochip1", "raspberrypi-exp-gpio"),
]
SAFETY_S = 60  # nothing here waits that long unless it is broken
MS = 1_000_000


class PiFactory(GpiodFactory):
    """Ours, on a computer that has no revision."""

    def _get_revision(self) -> int:
        return 0xC03115  # a Pi 4


class Recorder:
    """Records edges. gpiozero refers to handlers weakly, so the test must keep it."""

    def __init__(self) -> None:
        self.edges: list[tuple[int, int]] = []
        self.threads: list[threading.Thread] = []
        self._queue: SimpleQueue[tuple[int, int]] = SimpleQueue()

    def record(self, ticks: int, state: int) -> None:
        """Record an edge, as the handler of a pin."""
        self.threads.append(threading.current_thread())
        self.edges.append((ticks, state))
        self._queue.put((ticks, state))

    def next(self) -> tuple[int, int]:
        """Wait for the next edge and return it."""
        return self._queue.get(timeout=SAFETY_S)


@pytest.fixture
def devices(tmp_path: Path) -> Path:
    """Return the folder /dev."""
    return tmp_path


@pytest.fixture
def kernel(devices: Path) -> FakeKernel:
    """Return the kernel of a Pi 4."""
    return with_chips(devices, PI_4)


def with_chips(devices: Path, chips: list[tuple[str, str | OSError]]) -> FakeKernel:
    """Return a kernel with these chips and their devices."""
    for name, _ in chips:
        (devices / name).touch()
    return FakeKernel(chips)


@pytest.fixture
def factory(kernel: FakeKernel, devices: Path) -> Iterator[PiFactory]:
    """Return a factory; it is closed after the test, and must leave nothing behind."""
    factory = PiFactory(open_chip=kernel.open_chip, devices=devices)
    yield factory
    factory.close()
    assert kernel.requests == {}
    assert kernel.open_chips == 0
    assert not edge_threads()


def edge_threads() -> list[threading.Thread]:
    """Return the factory's thread, if it runs."""
    return [thread for thread in threading.enumerate() if thread.name == "gpiod edges"]


def open_descriptors() -> int:
    """Return the number of open file descriptors of this process."""
    return len(list(Path("/proc/self/fd").iterdir()))


def recorded(
    factory: PiFactory, number: int = LEFT, edges: str = "both"
) -> tuple[GpiodPin, Recorder]:
    """Return an input with a pull-up, and the recorder of its edges."""
    pin, recorder = factory.pin(number), Recorder()
    pin.input_with_pull("up")
    pin.edges = edges
    pin.when_changed = recorder.record
    return pin, recorder


class BlockedThread:
    """Keeps the factory's thread in a handler, so that edges wait in the kernel's queues."""

    def __init__(self, factory: PiFactory, kernel: FakeKernel, number: int = 5) -> None:
        self._inside, self._resume = threading.Event(), threading.Event()
        self._pin = factory.pin(number)
        self._pin.input_with_pull("up")
        self._pin.when_changed = self._stop
        kernel.press(number)
        assert self._inside.wait(SAFETY_S)

    def _stop(self, *_: int) -> None:
        self._inside.set()
        assert self._resume.wait(SAFETY_S)

    def resume(self) -> None:
        """Let the thread run."""
        self._pin.when_changed = None
        self._resume.set()


# --- edges ------------------------------------------------------------------------------------


@pytest.mark.rule("R85")
def test_the_ticks_of_an_edge_are_the_kernels_stamp(kernel: FakeKernel, factory: PiFactory) -> None:
    """An integer of nanoseconds, exact where a float of seconds is not."""
    _, recorder = recorded(factory)
    kernel.press(LEFT, 2**53 + 1)
    assert recorder.next() == (2**53 + 1, 0)
    kernel.release(LEFT, 2**53 + 2)
    assert recorder.next() == (2**53 + 2, 1)
    assert [type(ticks) for ticks, _ in recorder.edges] == [int, int]
    assert recorder.threads == edge_threads() * 2


def test_ticks_are_nanoseconds_and_their_difference_seconds() -> None:
    """As gpiozero's devices expect it."""
    before, after = GpiodFactory.ticks(), GpiodFactory.ticks()
    assert 0 <= GpiodFactory.ticks_diff(after, before) < SAFETY_S
    assert GpiodFactory.ticks_diff(3_500_000_000, 2_000_000_000) == 1.5


@pytest.mark.parametrize(
    ("edges", "levels"), [("both", [0, 1]), ("falling", [0]), ("rising", [1]), ("none", [])]
)
def test_only_the_edges_asked_for_are_detected(
    kernel: FakeKernel, factory: PiFactory, edges: str, levels: list[int]
) -> None:
    """The kernel detects none before there is a handler."""
    pin = factory.pin(LEFT)
    pin.input_with_pull("up")
    assert pin.edges == "both"
    assert kernel.requests[LEFT].settings.edge_detection is Detection.NONE
    pin, recorder = recorded(factory, edges=edges)
    kernel.press(LEFT)
    kernel.release(LEFT)
    factory.drain()
    assert [level for _, level in recorder.edges] == levels
    pin.when_changed = None
    assert kernel.requests[LEFT].settings.edge_detection is Detection.NONE


def test_edges_of_all_lines_are_delivered_in_the_order_of_their_stamps(
    kernel: FakeKernel, factory: PiFactory
) -> None:
    """Each line has its own queue; what is read together is sorted."""
    _, recorder = recorded(factory, LEFT)
    other = factory.pin(RIGHT)
    other.input_with_pull("up")
    other.when_changed = recorder.record
    blocked = BlockedThread(factory, kernel)
    for at_ns, number in [(10_000, RIGHT), (11_000, LEFT), (14_000, RIGHT), (15_000, LEFT)]:
        (kernel.press if at_ns < 12_000 else kernel.release)(number, at_ns)
    blocked.resume()
    assert [recorder.next() for _ in range(4)] == [
        (10_000, 0),
        (11_000, 0),
        (14_000, 1),
        (15_000, 1),
    ]


@pytest.mark.rule("R39")
def test_drain_delivers_before_it_returns(kernel: FakeKernel, factory: PiFactory) -> None:
    """Whatever the factory's thread is doing; each edge once, in order."""
    _, recorder = recorded(factory)
    for turn in range(500):
        kernel.press(LEFT)
        pressed = kernel.now_ns, 0
        kernel.release(LEFT)
        factory.drain()
        assert len(recorder.edges) == 2 * turn + 2
        assert recorder.edges[-2:] == [pressed, (kernel.now_ns, 1)]


@pytest.mark.rule("R67")
def test_an_edge_stays_in_the_kernel_until_it_is_drained(
    kernel: FakeKernel, factory: PiFactory
) -> None:
    """The program is called each time there are edges; if it hangs, they are not lost."""
    _, recorder = recorded(factory)
    called: SimpleQueue[None] = SimpleQueue()
    factory.call_to_drain(lambda: called.put(None))
    for _ in range(50):
        heard = len(recorder.edges)
        kernel.press(LEFT)
        called.get(timeout=SAFETY_S)
        kernel.release(LEFT)
        assert len(recorder.edges) == heard
        factory.drain()
        assert len(recorder.edges) == heard + 2


def test_a_factory_that_is_never_drained_can_be_closed(
    kernel: FakeKernel, factory: PiFactory
) -> None:
    """Its thread ends although edges wait."""
    recorded(factory)
    called = threading.Event()
    factory.call_to_drain(called.set)
    kernel.press(LEFT)
    kernel.release(LEFT)
    assert called.wait(SAFETY_S)
    factory.close()
    assert not [each for each in threading.enumerate() if each.name == "gpiod edges"]


def test_many_threads_may_drain(kernel: FakeKernel, factory: PiFactory) -> None:
    """No edge is lost, delivered twice or out of order."""
    _, recorder = recorded(factory)
    driven: list[tuple[int, int]] = []
    done = threading.Event()

    def keep_draining() -> None:
        while not done.is_set():
            factory.drain()

    drainers = [threading.Thread(target=keep_draining) for _ in range(3)]
    for drainer in drainers:
        drainer.start()
    for turn in range(2_000):
        kernel.drive(LEFT, turn % 2)
        driven.append((kernel.now_ns, turn % 2))
        if turn % 100 == 0:
            factory.drain()
    factory.drain()
    done.set()
    for drainer in drainers:
        drainer.join(SAFETY_S)
    assert recorder.edges == driven
    assert factory.lost_edges == 0


def test_a_handler_may_drain(kernel: FakeKernel, factory: PiFactory) -> None:
    """The thread does not wait for itself."""
    recorder = Recorder()

    class Drainer:
        def record(self, ticks: int, state: int) -> None:
            factory.drain()
            recorder.record(ticks, state)

    drainer, pin = Drainer(), factory.pin(LEFT)
    pin.input_with_pull("up")
    pin.when_changed = drainer.record
    kernel.press(LEFT)
    assert recorder.next() == (kernel.now_ns, 0)


def test_draining_without_an_edge_delivers_nothing(factory: PiFactory) -> None:
    """It returns at once, with a handler or without."""
    factory.drain()
    _, recorder = recorded(factory)
    factory.drain()
    assert recorder.edges == []


def test_lost_edges_are_counted_and_an_opposite_edge_is_inserted(
    kernel: FakeKernel, factory: PiFactory
) -> None:
    """The full queue drops its oldest edges; the level before the first one is made up."""
    _, recorder = recorded(factory)
    blocked = BlockedThread(factory, kernel)
    for turn in range(EVENT_BUFFER_SIZE + 3):
        kernel.drive(LEFT, turn % 2, 10_000 + turn)
    factory_thread_reads = [(10_003, 0), (10_003, 1)]
    blocked.resume()
    assert [recorder.next() for _ in range(2)] == factory_thread_reads
    last = [recorder.next() for _ in range(EVENT_BUFFER_SIZE - 1)][-1]
    assert last == (10_000 + EVENT_BUFFER_SIZE + 2, 0)
    assert factory.lost_edges == 3
    kernel.release(LEFT)
    assert recorder.next() == (kernel.now_ns, 1)
    assert factory.lost_edges == 3


@pytest.mark.slow
def test_a_button_has_the_right_state_after_lost_edges(
    kernel: FakeKernel, factory: PiFactory
) -> None:
    """Down, up and down again, and the up was lost: its release is reported all the same."""
    calls: list[str] = []
    button = Button(LEFT, pin_factory=factory)
    button.when_pressed = lambda: calls.append("pressed")
    button.when_released = lambda: calls.append("released")
    kernel.press(LEFT)
    factory.drain()
    blocked = BlockedThread(factory, kernel)
    kernel.requests[LEFT].shrink(1)
    kernel.release(LEFT)
    kernel.press(LEFT)
    blocked.resume()
    factory.drain()
    assert calls == ["pressed", "released", "pressed"]
    assert factory.lost_edges == 1
    button.close()


def test_lost_edges_of_one_kind_are_only_counted(kernel: FakeKernel, factory: PiFactory) -> None:
    """A handler of falling edges gets no rising one."""
    _, recorder = recorded(factory, edges="falling")
    kernel.requests[LEFT].seqno += 7
    kernel.press(LEFT)
    factory.drain()
    assert recorder.edges == [(kernel.now_ns, 0)]
    assert factory.lost_edges == 7


def test_earlier_edges_are_not_delivered_to_a_new_handler(
    kernel: FakeKernel, factory: PiFactory
) -> None:
    """Neither those in the kernel's queue nor those already read; and none counts as lost."""
    pin, recorder = recorded(factory)
    blocked = BlockedThread(factory, kernel)
    kernel.press(LEFT)
    pin.when_changed = None
    newcomer = Recorder()
    pin.when_changed = newcomer.record
    blocked.resume()
    kernel.release(LEFT)
    assert newcomer.next() == (kernel.now_ns, 1)
    assert recorder.edges == []
    assert factory.lost_edges == 0


def test_a_chattering_line_can_be_silenced_in_its_handler(
    kernel: FakeKernel, factory: PiFactory
) -> None:
    """The kernel ignores it then, the others work on, and it can be listened to again."""
    pin, recorder = recorded(factory)
    _, other = recorded(factory, RIGHT)

    class Guard:
        def record(self, ticks: int, state: int) -> None:
            recorder.record(ticks, state)
            if len(recorder.edges) == 3:
                pin.edges = "none"

    guard = Guard()
    pin.when_changed = guard.record
    for turn in range(10):
        kernel.drive(LEFT, turn % 2)
    kernel.press(RIGHT)
    assert other.next() == (kernel.now_ns, 0)
    factory.drain()
    assert len(recorder.edges) == 3
    assert kernel.requests[LEFT].settings.edge_detection is Detection.NONE
    pin.edges = "both"
    kernel.press(LEFT)
    factory.drain()
    assert recorder.edges[3:] == [(kernel.now_ns, 0)]


# --- handlers that fail -----------------------------------------------------------------------


@pytest.mark.parametrize("error", [ValueError("a bug"), SystemExit(1)])
def test_an_error_of_a_handler_is_logged_and_the_thread_lives_on(
    kernel: FakeKernel,
    factory: PiFactory,
    caplog: pytest.LogCaptureFixture,
    error: BaseException,
) -> None:
    """The same thread delivers the next edge, to this handler and to others."""
    recorder = Recorder()

    class Failing:
        def record(self, ticks: int, state: int) -> None:
            recorder.record(ticks, state)
            raise error

    failing, pin = Failing(), factory.pin(LEFT)
    pin.input_with_pull("up")
    pin.when_changed = failing.record
    kernel.press(LEFT)
    recorder.next()
    kernel.release(LEFT)
    recorder.next()
    factory.drain()
    [before, after] = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert before.getMessage() == after.getMessage() == "the handler of GPIO17 failed"
    assert before.exc_info is not None
    assert before.exc_info[1] is error
    assert len(edge_threads()) == 1


def test_an_error_of_a_handler_does_not_end_drain(
    kernel: FakeKernel, factory: PiFactory, caplog: pytest.LogCaptureFixture
) -> None:
    """`drain` does not raise it, and all edges are delivered."""
    button = Button(LEFT, pin_factory=factory)
    calls: list[int] = []
    button.when_pressed = lambda: calls.append(1 // 0)
    button.when_released = lambda: calls.append(1)
    kernel.press(LEFT)
    kernel.release(LEFT)
    factory.drain()
    assert calls == [1]
    assert "ZeroDivisionError" in caplog.text
    button.close()


def test_a_handler_that_was_collected_is_not_called(kernel: FakeKernel, factory: PiFactory) -> None:
    """Gpiozero refers to it weakly; afterwards the kernel detects no edges."""
    pin, recorder = recorded(factory)
    del recorder
    gc.collect()
    kernel.press(LEFT)
    factory.drain()
    assert pin.when_changed is None
    assert kernel.requests[LEFT].settings.edge_detection is Detection.NONE


def test_a_line_that_vanishes_does_not_spin(
    kernel: FakeKernel, factory: PiFactory, caplog: pytest.LogCaptureFixture
) -> None:
    """Its chip was unplugged: logged once, watched no more, and the other lines work on."""
    recorded(factory, RIGHT)
    _, recorder = recorded(factory)
    kernel.requests[RIGHT].vanish()
    factory.drain()
    kernel.press(LEFT)
    assert recorder.next() == (kernel.now_ns, 0)
    factory.drain()
    gone = [record.getMessage() for record in caplog.records]
    assert gone == ["GPIO27 is gone; its edges are no longer watched"]


# --- inputs and outputs -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pull", "bias", "state"),
    [("up", Bias.PULL_UP, 1), ("down", Bias.PULL_DOWN, 0), ("floating", Bias.DISABLED, 0)],
)
def test_the_kernel_sets_the_pull(
    kernel: FakeKernel, factory: PiFactory, pull: str, bias: Bias, state: int
) -> None:
    """At first and when it is changed."""
    pin = factory.pin(LEFT)
    assert (pin.function, pin.pull, pin.bounce, pin.frequency) == ("input", "floating", None, None)
    pin.input_with_pull(pull)
    assert (pin.pull, pin.state) == (pull, state)
    settings = kernel.requests[LEFT].settings
    assert (settings.direction, settings.bias) == (Direction.INPUT, bias)
    pin.pull = "up"
    assert (pin.pull, pin.state) == ("up", 1)


def test_a_pull_that_is_soldered_cannot_be_changed(factory: PiFactory) -> None:
    """GPIO2 and 3 have resistors, for I2C."""
    pin = factory.pin(2)
    assert pin.pull == "up"
    with pytest.raises(PinFixedPull, match="GPIO2 has a physical pull-up resistor"):
        pin.pull = "down"
    with pytest.raises(PinFixedPull):
        pin.input_with_pull("floating")
    pin.function = "output"
    with pytest.raises(PinFixedPull, match="non-input"):
        pin.pull = "up"


def test_outputs_have_states_0_and_1(kernel: FakeKernel, factory: PiFactory) -> None:
    """True is 1; a pin that is an input cannot be set."""
    pin = factory.pin(LEFT)
    with pytest.raises(PinSetInput):
        pin.state = 1
    pin.output_with_state(1)
    assert (pin.function, pin.state, kernel.requests[LEFT].reconfigured) == ("output", 1, 1)
    pin.state = 0
    assert pin.state == 0
    pin.state = True
    pin.bounce = 0.1
    assert pin.state == 1


def test_a_new_output_keeps_the_level_of_the_line(kernel: FakeKernel, factory: PiFactory) -> None:
    """gpiozero: the pin is left in the state in which it is found."""
    kernel.drive(LEFT, 1)
    device = OutputDevice(LEFT, initial_value=None, pin_factory=factory)
    assert kernel.requests[LEFT].settings.output_value is Value.ACTIVE
    assert device.value == 1
    device.close()


def test_an_input_detects_edges_again_after_it_was_an_output(
    kernel: FakeKernel, factory: PiFactory
) -> None:
    """As gpiozero's LightSensor does it."""
    pin, recorder = recorded(factory)
    pin.function = "output"
    pin.state = 0
    pin.function = "input"
    factory.drain()
    recorder.edges.clear()
    kernel.press(LEFT)
    factory.drain()
    assert recorder.edges == [(kernel.now_ns, 0)]


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
    kernel: FakeKernel,
    factory: PiFactory,
    error: type[Exception],
    attribute: str,
    value: str | float,
) -> None:
    """It raises gpiozero's own errors, and the kernel is not asked for anything."""
    pin = factory.pin(LEFT)
    before = getattr(pin, attribute)
    with pytest.raises(error):
        setattr(pin, attribute, value)
    assert getattr(pin, attribute) == before
    assert kernel.requests[LEFT].reconfigured == 0


def test_bounce_is_debounced_by_the_kernel(kernel: FakeKernel, factory: PiFactory) -> None:
    """In seconds; None for no debouncing."""
    pin, _ = recorded(factory)
    pin.bounce = 0.005
    assert pin.bounce == 0.005
    assert kernel.requests[LEFT].settings.debounce_period.total_seconds() == 0.005
    assert kernel.requests[LEFT].settings.edge_detection is Detection.BOTH
    pin.bounce = None
    assert pin.bounce is None
    assert not kernel.requests[LEFT].settings.debounce_period


# --- claiming and giving back -----------------------------------------------------------------


def test_a_pin_is_one_object_and_claimed_until_it_is_closed(
    kernel: FakeKernel, factory: PiFactory
) -> None:
    """Afterwards the old object is unusable, and the factory makes a new one."""
    pin, _ = recorded(factory)
    assert factory.pin("GPIO17") is pin
    assert kernel.requests[LEFT].consumer == "gpiozero"
    pin.close()
    assert kernel.requests == {}
    for use in (lambda: pin.state, lambda: setattr(pin, "function", "output")):
        with pytest.raises(DeviceClosed, match="GPIO17 is closed"):
            use()
    pin.close()
    again = factory.pin(LEFT)
    assert (again.pull, again.edges, again.when_changed) == ("floating", "both", None)


def test_a_line_of_another_program_is_in_use(
    kernel: FakeKernel, factory: PiFactory, devices: Path
) -> None:
    """The message names the program."""
    with kernel.open_chip(str(devices / "gpiochip0")) as chip:
        request = chip.request_lines({LEFT: gpiod.LineSettings()}, "gpio-keys")
    with pytest.raises(GPIOPinInUse, match="GPIO17 is already in use by 'gpio-keys'"):
        Button(LEFT, pin_factory=factory)
    request.release()
    Button(LEFT, pin_factory=factory).close()


def test_two_factories_have_their_own_pins(
    kernel: FakeKernel, factory: PiFactory, devices: Path
) -> None:
    """Closing one factory leaves the pins of the other alone."""
    with PiFactory(open_chip=kernel.open_chip, devices=devices) as other:
        recorded(other, RIGHT)[0].close()
        pin = other.pin(RIGHT)
        _, recorder = recorded(factory)
    assert list(kernel.requests) == [LEFT]
    assert factory.pin(RIGHT) is not pin
    kernel.press(LEFT)
    factory.drain()
    assert recorder.edges == [(kernel.now_ns, 0)]


def test_a_pin_that_does_not_exist_is_an_error(factory: PiFactory) -> None:
    """It is gpiozero's own error."""
    with pytest.raises(PinInvalidPin):
        factory.pin(99)


def test_close_gives_all_back_and_ends_the_thread(kernel: FakeKernel, devices: Path) -> None:
    """Closing twice does no harm; nothing can be claimed then, but by a new factory."""
    factory = PiFactory(open_chip=kernel.open_chip, devices=devices)
    pin, recorder = recorded(factory)
    descriptors = open_descriptors()
    factory.close()
    factory.close()
    assert (kernel.requests, edge_threads()) == ({}, [])
    assert open_descriptors() == descriptors - 3
    factory.drain()
    with pytest.raises(DeviceClosed):
        factory.pin(LEFT)
    with pytest.raises(DeviceClosed):
        assert pin.state
    with PiFactory(open_chip=kernel.open_chip, devices=devices) as second:
        _, recorder = recorded(second)
        kernel.press(LEFT)
        assert recorder.next() == (kernel.now_ns, 0)
    assert (kernel.requests, edge_threads()) == ({}, [])


@pytest.mark.parametrize("drained", [False, True])
def test_a_handler_may_close_the_factory(kernel: FakeKernel, devices: Path, drained: bool) -> None:
    """In whichever thread it is called, that thread does not wait for itself."""
    factory = PiFactory(open_chip=kernel.open_chip, devices=devices)
    closed = threading.Event()

    class Closer:
        def record(self, *_: int) -> None:
            factory.close()
            closed.set()

    closer, pin = Closer(), factory.pin(LEFT)
    pin.input_with_pull("up")
    pin.when_changed = closer.record
    [thread] = edge_threads()
    kernel.press(LEFT)
    if drained:
        factory.drain()
    assert closed.wait(SAFETY_S)
    thread.join(SAFETY_S)
    assert not thread.is_alive()
    assert kernel.requests == {}


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_child_that_closes_everything_takes_nothing_away(
    kernel: FakeKernel, factory: PiFactory
) -> None:
    """Gpiozero closes it when the child ends: the parent still watches its lines, and sleeps."""
    _, recorder = recorded(factory)
    child = os.fork()
    if child == 0:
        factory.close()
        os._exit(0)
    assert os.waitpid(child, 0) == (child, 0)
    kernel.press(LEFT)
    assert recorder.next() == (kernel.now_ns, 0)
    assert not select.select([factory.edges._closing], [], [], 0)[0]


def test_there_is_no_thread_before_a_handler(factory: PiFactory) -> None:
    """Outputs need none."""
    LED(LEFT, pin_factory=factory).close()
    assert not edge_threads()
    recorded(factory)
    assert [thread.daemon for thread in edge_threads()] == [True]


# --- chips ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("chips", "expected"),
    [
        ([("gpiochip0", "pinctrl-bcm2835"), ("gpiochip1", "raspberrypi-exp-gpio")], "gpiochip0"),
        ([("gpiochip0", "raspberrypi-exp-gpio"), ("gpiochip1", "pinctrl-bcm2711")], "gpiochip1"),
        ([("gpiochip0", "gpio-brcmstb@107d508500"), ("gpiochip4", "pinctrl-rp1")], "gpiochip4"),
        ([("gpiochip0", "pinctrl-rp1"), ("gpiochip10", "gpio-brcmstb@107d508500")], "gpiochip0"),
        ([("gpiochip0", OSError(ENODEV, "gone")), ("gpiochip1", "pinctrl-rp1")], "gpiochip1"),
    ],
)
def test_the_chip_is_found_by_its_label(
    devices: Path, chips: list[tuple[str, str | OSError]], expected: str
) -> None:
    """Pi 1 to 5, whatever the kernel's numbers."""
    kernel = with_chips(devices, chips)
    with PiFactory(open_chip=kernel.open_chip, devices=devices) as factory:
        assert factory.chip == str(devices / expected)
    assert kernel.open_chips == 0


@pytest.mark.parametrize(
    ("chips", "listed"),
    [
        ([], "found: none at all"),
        ([("gpiochip0", "INT34C5:00")], "gpiochip0 (INT34C5:00)"),
        ([("gpiochip0", OSError(ENOTTY, "Inappropriate ioctl"))], "(Inappropriate ioctl)"),
        ([("gpiochip0", PermissionError(EACCES, "no"))], f"({ASK_FOR_ACCESS})"),
    ],
)
def test_without_a_chip_of_a_pi_the_error_lists_what_was_found(
    devices: Path, chips: list[tuple[str, str | OSError]], listed: str
) -> None:
    """And what to do about it."""
    kernel = with_chips(devices, chips)
    with pytest.raises(BadPinFactory) as caught:
        PiFactory(open_chip=kernel.open_chip, devices=devices)
    assert listed in str(caught.value)
    assert "pinctrl-bcm2835 or pinctrl-bcm2711 or pinctrl-rp1" in str(caught.value)


@pytest.mark.parametrize("chip", [1, "gpiochip1"])
def test_a_chip_can_be_chosen(kernel: FakeKernel, devices: Path, chip: int | str) -> None:
    """By number or path, whatever its label."""
    chosen = str(devices / chip) if isinstance(chip, str) else chip
    with PiFactory(chosen, open_chip=kernel.open_chip, devices=devices) as factory:
        assert factory.chip == str(devices / "gpiochip1")


def test_a_chosen_chip_that_does_not_exist_is_an_error(devices: Path) -> None:
    """With the error of the real library."""
    with pytest.raises(BadPinFactory, match=r"gpiochip9 \(No such file or directory\)"):
        PiFactory(9, devices=devices)


def test_nothing_is_written_to_the_working_directory(
    kernel: FakeKernel, devices: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be read-only; lgpio makes a FIFO there."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    factory = PiFactory(open_chip=kernel.open_chip, devices=devices)
    recorded(factory)
    factory.close()
    assert list(Path().iterdir()) == []


def test_the_entry_point_is_the_factory() -> None:
    """GPIOZERO_PIN_FACTORY=gpiod loads it."""
    (point,) = entry_points(group="gpiozero_pin_factories", name="gpiod")
    assert point.load() is GpiodFactory


# --- gpiozero's own devices -------------------------------------------------------------------


def test_gpiozero_button_measures_its_times(kernel: FakeKernel, factory: PiFactory) -> None:
    """It subtracts the factory's ticks with the factory's function."""
    pressed = threading.Event()
    button = Button(LEFT, pin_factory=factory)
    button.when_pressed = pressed.set
    assert not button.is_pressed
    kernel.press(LEFT, GpiodFactory.ticks() - 2_000_000_000)
    assert pressed.wait(SAFETY_S)
    assert button.is_pressed
    assert 2 <= button.active_time < 2 + SAFETY_S
    kernel.release(LEFT, GpiodFactory.ticks())
    assert button.wait_for_release(SAFETY_S)
    button.close()
    assert kernel.requests == {}


def test_gpiozero_outputs_work(kernel: FakeKernel, factory: PiFactory) -> None:
    """A lamp and a buzzer; a dimmed lamp is not supported."""
    with LED(LEFT, pin_factory=factory) as led, Buzzer(RIGHT, pin_factory=factory) as buzzer:
        led.on()
        buzzer.toggle()
        assert (kernel.level(LEFT), kernel.level(RIGHT)) == (1, 1)
        led.off()
        assert (led.value, kernel.level(LEFT), kernel.level(RIGHT)) == (0, 0, 1)
    with LED(LEFT, active_high=False, initial_value=True, pin_factory=factory) as led:
        assert (led.value, kernel.level(LEFT)) == (1, 0)
    with pytest.raises(PinPWMUnsupported):
        PWMLED(LEFT, pin_factory=factory)


@pytest.mark.parametrize("device_class", [InputDevice, DigitalInputDevice])
def test_gpiozero_inputs_work(
    kernel: FakeKernel, factory: PiFactory, device_class: Callable[..., InputDevice]
) -> None:
    """Opened and closed repeatedly, with other pulls."""
    with device_class(LEFT, pull_up=True, pin_factory=factory) as device:
        assert device.value == 0
        kernel.press(LEFT)
        assert device.value == 1
        kernel.release(LEFT)
    with device_class(LEFT, pull_up=False, pin_factory=factory) as device:
        assert (device.value, device.pull_up) == (0, False)
        kernel.drive(LEFT, 1)
        assert device.value == 1
    with device_class(LEFT, pull_up=None, active_state=True, pin_factory=factory) as device:
        assert (device.value, device.pull_up) == (1, None)
    assert kernel.requests == {}


def test_pins_wired_to_one_another_follow_the_output(
    kernel: FakeKernel, factory: PiFactory
) -> None:
    """As gpiozero's tests on real pins expect: pulls are weak, edges are reported."""
    output, recorder = factory.pin(CENTRE), Recorder()
    kernel.wire(CENTRE, RIGHT)
    wired = factory.pin(RIGHT)
    wired.input_with_pull("down")
    output.output_with_state(0)
    wired.when_changed = recorder.record
    for level in (1, 0, 1):
        output.state = level
        assert wired.state == level
        assert recorder.next()[1] == level
    wired.when_changed = None
    wired.pull = "up"
    output.state = 0
    assert wired.state == 0


# --- the clock's plungers ---------------------------------------------------------------------


@pytest.mark.rule("R39", "R85")
def test_plungers_return_presses_with_the_kernels_stamps(
    kernel: FakeKernel, factory: PiFactory
) -> None:
    """In order, and after reading the kernel's queues."""
    clock = StampClock()
    pins = {"left": LEFT, "right": RIGHT, "centre": CENTRE}
    plungers = Plungers(pins, 5, factory, clock=clock)
    kernel.press(RIGHT, 100 * MS + 1)
    kernel.press(LEFT, 100 * MS)
    clock.ns = 300 * MS
    changes, horizon_ns = plungers.drain(clock.ns)
    assert changes == [("left", True, 100 * MS), ("right", True, 100 * MS + 1)]
    assert horizon_ns == 298 * MS
    assert plungers.counts == {"glitches": 0, "missed": 0, "late": 0, "lost": 0}
    plungers.close()


def test_a_chattering_plunger_is_silenced_in_the_kernel(
    kernel: FakeKernel, factory: PiFactory
) -> None:
    """It takes no time while it is cut off, is observed every second; the others work on."""
    clock = StampClock()
    plungers = Plungers({"left": LEFT, "right": RIGHT}, 5, factory, clock=clock)

    def detection() -> Detection:
        return kernel.requests[LEFT].settings.edge_detection

    for turn in range(300):
        kernel.drive(LEFT, turn % 2, turn * MS)
    clock.ns = 300 * MS
    plungers.drain(clock.ns)
    assert plungers.faults() == [("buttons", f"left: {CHATTERS}")]
    assert detection() is Detection.NONE
    kernel.press(RIGHT, 400 * MS)
    kernel.release(LEFT, 401 * MS)
    clock.ns = 500 * MS
    assert plungers.drain(clock.ns)[0] == [("right", True, 400 * MS)]
    clock.ns = 1_400 * MS
    plungers.drain(clock.ns)
    assert detection() is Detection.BOTH
    assert plungers.faults() == []
    clock.ns = 1_600 * MS
    plungers.drain(clock.ns)
    assert plungers.faults() == [("buttons", None)]
    kernel.press(LEFT, 1_700 * MS)
    clock.ns = 1_800 * MS
    assert plungers.drain(clock.ns)[0] == [("left", True, 1_700 * MS)]
    plungers.close()


def test_a_flooded_queue_loses_no_other_lines_edges(kernel: FakeKernel, factory: PiFactory) -> None:
    """Each line has its own queue: only edges of the flooding line are lost, and counted."""
    clock = StampClock()
    plungers = Plungers({"left": LEFT, "right": RIGHT}, 5, factory, clock=clock)
    kernel.press(RIGHT, 10 * MS)
    for turn in range(3 * EVENT_BUFFER_SIZE):
        kernel.drive(LEFT, turn % 2, 20 * MS + turn)
    kernel.release(RIGHT, 60 * MS)
    clock.ns = 100 * MS
    moved, _ = plungers.drain(clock.ns)
    assert moved == [("right", True, 10 * MS), ("right", False, 60 * MS)]
    assert plungers.counts["lost"] == 2 * EVENT_BUFFER_SIZE
    plungers.close()


def test_a_plunger_pressed_while_it_is_claimed_is_one_press(
    kernel: FakeKernel, factory: PiFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel detects edges already, so the button was up before."""
    read = factory.drain

    def pressed_first() -> None:
        monkeypatch.undo()
        kernel.press(LEFT, 7)
        read()

    monkeypatch.setattr(factory, "drain", pressed_first)
    clock = StampClock()
    plungers = Plungers({"left": LEFT}, 5, factory, clock=clock)
    clock.ns = 50 * MS
    assert plungers.drain(clock.ns)[0] == [("left", True, 7)]
    plungers.close()
