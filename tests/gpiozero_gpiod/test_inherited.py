"""Lines kept over a restart: presses while no program runs, on a fake kernel."""

import os
from collections.abc import Iterator
from datetime import timedelta
from itertools import product
from pathlib import Path

import pytest
from gpiod import LineSettings
from gpiod.line import Bias, Direction, Value
from gpiod.line import Edge as Detection
from gpiozero import LED
from gpiozero.exc import GPIOPinInUse
from gpiozero.pins.local import LocalPiFactory

from gpiozero_gpiod.inherited import encode
from hardware.buttons.plungers import Plungers
from hardware.system.fd_store import FdStore
from lab.support.gpio_kernel import FakeKernel, Manager, StampClock, decoded
from lab.support.gpio_pi import PiFactory

PINS = {"left": 17, "right": 27, "centre": 22}
LEFT, RIGHT, CENTRE = PINS.values()
INPUT_BIASES = (Bias.AS_IS, Bias.PULL_UP, Bias.PULL_DOWN, Bias.DISABLED)
MS = 1_000_000
SECOND = 1000 * MS


class Run:
    """One run of a program, from its start until it ends or is killed."""

    def __init__(self, service: "Service", pins: dict[str, int]) -> None:
        self._service = service
        self.store = FdStore(service.manager.passed(), service.manager.tell)
        self.factory = PiFactory(open_chip=service.kernel.open_chip, devices=service.devices)
        self.factory.keep_lines(self.store, service.kernel.inherit)
        self.plungers = Plungers(pins, 5, self.factory, clock=service.clock)
        self.store.drop_unused()

    def drain(self) -> list[tuple[str, bool, int]]:
        """Return what was pressed, when all has settled."""
        self._service.clock.ns += SECOND
        changes, _ = self.plungers.drain(self._service.clock.ns)
        return changes

    def kill(self) -> None:
        """End its thread and make gpiozero forget its pins, but close nothing."""
        self.factory.edges.close()
        LocalPiFactory.pins.clear()
        LocalPiFactory._reservations.clear()


class Service:
    """A computer whose service manager starts the program again."""

    def __init__(self, folder: Path) -> None:
        self.devices = folder
        (folder / "gpiochip0").touch()
        self.kernel = FakeKernel([("gpiochip0", "pinctrl-bcm2711")])
        self.manager = Manager(self.kernel)
        self.clock = StampClock()
        self._runs: list[Run] = []

    def start(self, pins: dict[str, int] = PINS) -> Run:
        """Start the program; runs that were killed are kept from the garbage collector."""
        self._runs.append(Run(self, pins))
        return self._runs[-1]

    def end(self) -> None:
        for run in self._runs:
            run.kill()
            run.plungers.close()  # else it is closed as garbage, wherever gpiozero holds a lock


def open_files() -> int:
    """Return how many descriptors this process has."""
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    """Return a service in which nothing runs yet."""
    service = Service(tmp_path)
    yield service
    service.end()


@pytest.mark.rule("R67", "R85")
def test_presses_while_no_program_runs_count_at_their_stamps(service: Service) -> None:
    first = service.start()
    service.kernel.press(LEFT, 10 * MS)
    service.kernel.release(LEFT, 60 * MS)
    assert first.drain() == [("left", True, 10 * MS), ("left", False, 60 * MS)]
    first.kill()
    at_ns = 2 * SECOND
    service.kernel.press(RIGHT, at_ns)
    for bounce in range(50):
        service.kernel.release(RIGHT, at_ns + bounce * MS // 25 + 1)
        service.kernel.press(RIGHT, at_ns + bounce * MS // 25 + 2)
    service.kernel.press(LEFT, at_ns + 30 * MS)
    service.kernel.release(RIGHT, at_ns + 90 * MS)
    service.clock.ns = 3 * SECOND
    second = service.start()
    service.kernel.release(LEFT, 3 * SECOND + 1)
    assert second.drain() == [
        ("right", True, at_ns),
        ("left", True, at_ns + 30 * MS),
        ("right", False, at_ns + 90 * MS),
        ("left", False, 3 * SECOND + 1),
    ]
    assert second.plungers.counts == {"glitches": 0, "missed": 0, "late": 0, "lost": 0}


def test_without_a_service_manager_such_presses_are_lost(service: Service) -> None:
    service.manager.tell = lambda *_: False  # type: ignore[method-assign]
    first = service.start()
    first.plungers.close()
    first.kill()
    service.kernel.press(LEFT, SECOND)
    service.kernel.release(LEFT, SECOND + 50 * MS)
    assert service.start().drain() == []
    assert service.manager.kept == {}


def test_a_line_detects_edges_while_it_is_taken_over(service: Service) -> None:
    service.start().kill()
    before = {offset: request.reconfigured for offset, request in service.kernel.requests.items()}
    run = service.start()
    for offset, request in service.kernel.requests.items():
        assert request.reconfigured == before[offset] + 1
        settings = request.settings
        assert (settings.edge_detection, settings.bias) == (Detection.BOTH, Bias.PULL_UP)
    assert [act for act, _ in service.manager.messages] == ["FDSTORE=1"] * 3
    run.factory.pin(LEFT).edges = "none"
    assert service.kernel.requests[LEFT].settings.edge_detection is Detection.NONE


def test_settings_arrive_at_the_kernel_as_they_were_made() -> None:
    """All inputs and both outputs, as `linux/gpio.h` has them, from which `decoded` was written."""
    kinds = product(Detection, INPUT_BIASES, (0, 1, 5_000, 2**32 - 1))
    inputs = [
        LineSettings(Direction.INPUT, edge, bias, debounce_period=timedelta(microseconds=us))
        for edge, bias, us in kinds
    ]
    outputs = [LineSettings(Direction.OUTPUT, output_value=value) for value in Value]
    for settings in (*inputs, *outputs):
        assert decoded(encode(settings)) == settings
        assert len(encode(settings)) == 272  # all of it is copied by the kernel


def test_a_plunger_held_over_the_restart_is_not_pressed_again(service: Service) -> None:
    """The run before has counted it; it counts again when it has come up."""
    first = service.start()
    service.kernel.press(LEFT, 10 * MS)
    assert first.drain() == [("left", True, 10 * MS)]
    first.kill()
    second = service.start()
    assert second.drain() == []
    service.kernel.release(LEFT, 3 * SECOND)
    service.kernel.press(LEFT, 4 * SECOND)
    service.clock.ns = 4 * SECOND
    assert second.drain() == [("left", False, 3 * SECOND), ("left", True, 4 * SECOND)]


def test_a_plunger_released_and_pressed_while_no_program_runs_is_one_press(
    service: Service,
) -> None:
    first = service.start()
    service.kernel.press(LEFT, 10 * MS)
    first.drain()
    first.kill()
    service.kernel.release(LEFT, 2 * SECOND)
    service.kernel.press(LEFT, 2 * SECOND + 100 * MS)
    service.clock.ns = 3 * SECOND
    assert service.start().drain() == [("left", True, 2 * SECOND + 100 * MS)]


def test_earlier_presses_are_forgotten_if_the_match_does_not_go_on(service: Service) -> None:
    """They were not meant for a match that begins now, or that is restored and stopped."""
    service.start().kill()
    service.kernel.press(LEFT, SECOND)
    service.clock.ns = 2 * SECOND
    second = service.start()
    second.plungers.forget()
    service.kernel.press(RIGHT, 2 * SECOND)
    assert second.drain() == [("right", True, 2 * SECOND)]


def test_a_clean_end_keeps_the_lines_too(service: Service) -> None:
    """`systemctl restart`: pins are closed, and buttons are pressed meanwhile."""
    first = service.start()
    first.plungers.close()
    first.factory.close()
    first.kill()
    service.kernel.press(LEFT, SECOND)
    service.clock.ns = SECOND
    before = open_files()
    second = service.start()
    assert second.drain() == [("left", True, SECOND)]
    second.plungers.close()
    second.factory.close()
    assert open_files() == before + len(PINS)  # which are left in the store


def test_a_line_of_another_configuration_is_dropped(service: Service) -> None:
    """The left button has been moved to GPIO5: GPIO17 is no longer kept, but free."""
    service.start().kill()
    service.start(PINS | {"left": 5})
    assert sorted(service.manager.kept) == ["gpio22", "gpio27", "gpio5"]
    assert service.manager.messages[-1] == ("FDSTOREREMOVE=1", "gpio17")


def test_a_kept_line_that_becomes_a_lamp_is_not_kept(service: Service) -> None:
    """It can be claimed although the service manager still has it; and it works."""
    service.start().kill()
    store = FdStore(service.manager.passed(), service.manager.tell)
    with PiFactory(open_chip=service.kernel.open_chip, devices=service.devices) as factory:
        factory.keep_lines(store, service.kernel.inherit)
        led = LED(LEFT, pin_factory=factory)
        led.on()
        assert service.kernel.requests[LEFT].settings.direction is Direction.OUTPUT
        assert service.kernel.level(LEFT) == 1
        led.off()
        assert service.kernel.level(LEFT) == 0
        assert sorted(service.manager.kept) == ["gpio22", "gpio27"]
        open_before = open_files()
        led.close()
        LED(5, pin_factory=factory).close()
        assert open_files() == open_before - 1


def test_a_line_is_kept_until_the_service_is_stopped_for_good(service: Service) -> None:
    """Closing a pin does not free it for other programs; the same one can claim it again."""
    first = service.start()
    first.plungers.close()
    other = PiFactory(open_chip=service.kernel.open_chip, devices=service.devices)
    with pytest.raises(GPIOPinInUse):
        other.pin(LEFT)
    service.kernel.press(RIGHT, SECOND)
    again = Plungers(PINS, 5, first.factory, clock=service.clock)
    service.clock.ns = 2 * SECOND
    assert again.drain(2 * SECOND)[0] == [("right", True, SECOND)]
    again.close()
    service.manager.stop()
    other.pin(LEFT)
    other.close()


def test_a_descriptor_that_is_not_a_line_is_dropped(service: Service, tmp_path: Path) -> None:
    """The line is claimed as if nothing had been kept, and the service manager keeps it no more."""
    sent: list[tuple[str, str]] = []

    def send(act: str, name: str, _: tuple[int, ...]) -> bool:
        sent.append((act, name))
        return True

    before = open_files()
    store = FdStore({"gpio17": os.open(tmp_path / "file", os.O_CREAT)}, send)
    factory = PiFactory(open_chip=service.kernel.open_chip, devices=service.devices)
    factory.keep_lines(store, service.kernel.inherit)
    assert (factory.pin(LEFT).state, sent) == (0, [("FDSTOREREMOVE=1", "gpio17")])
    factory.pin(LEFT).when_changed = print
    factory.pin(LEFT).close()
    os.close(store.take("gpio17") or 0)
    store.leave("gpio17", os.open(tmp_path / "file", os.O_RDONLY))
    sent.clear()
    factory.pin(LEFT).when_changed = print
    assert sent == [("FDSTOREREMOVE=1", "gpio17"), ("FDSTORE=1", "gpio17")]
    factory.close()
    store.drop_unused()
    assert open_files() == before
