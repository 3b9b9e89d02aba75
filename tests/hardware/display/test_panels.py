"""Both panels and their thread: nobody waits for the bus, and nothing that fails ends it."""

import errno
import threading
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from queue import SimpleQueue

import msgspec
import pytest
from msgspec import structs
from PIL import Image

from clock.match.types import Pair
from clock.runtime.ports import Panels as PanelsPort
from hardware.display.controllers import controller
from hardware.display.framebuffer import SHIFTS
from hardware.display.i2c import TIMEOUT_S
from hardware.display.layout import draw
from hardware.display.panel import CHECK_NS, FIRST_RETRY_NS, LAST_RETRY_NS, STATUS_BYTES
from hardware.display.panels import (
    BUSY_PAUSE_NS,
    CLOSING_S,
    DIM_NS,
    DIMMED,
    QUIET_BYTES,
    QUIET_PAUSE_NS,
    RECENT_NS,
    SHIFT_NS,
    Outside,
    Panels,
    Traffic,
    burn_in_protection,
    on_this_computer,
)
from hardware.face import Face
from hardware.wakeup import NO_DESCRIPTORS, Wakeup
from lab.support.camera import photograph, read_codes
from lab.support.glass import (
    DRIVERS,
    FINISHED,
    LEFT_AT,
    REVIEW,
    RIGHT_AT,
    RUNNING,
    SECOND,
    STOPPED,
    TICKED,
    WAITING,
    Glass,
    both_times,
    seen,
    ticking,
    upside_down,
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


class Naps(Wakeup):
    """The thread's wait, which also reports when it begins, and for how long."""

    def __init__(self) -> None:
        super().__init__()
        self.begun: SimpleQueue[float | None] = SimpleQueue()

    def wait(
        self, timeout_s: float | None = None, descriptors: Mapping[int, int] = NO_DESCRIPTORS
    ) -> dict[int, int] | None:
        """Wait until woken; time never passes by itself."""
        self.begun.put(timeout_s)
        return super().wait(60, descriptors)


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
    running.naps.wake()
    assert running.nap() == CHECK_NS / SECOND
    assert running.glass.left.contrast == running.glass.right.contrast == 90
    assert running.panels.counts == {"bytes": 2 * (1080 + STATUS_BYTES), "frames": 2, "errors": 0}


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
    running.naps.wake()
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


def test_what_is_configured_reaches_both_panels() -> None:
    glass, naps = Glass("sh1106"), Naps()
    outside = Outside(glass.bus.connect, lambda: glass.ns, naps, write_only=True)
    panels = Panels("sh1106", 1, (LEFT_AT, RIGHT_AT), column_offset=0, outside=outside)
    for side in panels._pair._sides.values():
        assert side.panel.controller == controller("sh1106", column_offset=0)
        assert side.panel._write_only
    panels.close()


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


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_panel_mounted_upside_down_is_read_upright(driver: str) -> None:
    glass = Glass(driver, (2, 0)).show(RUNNING, WAITING).show(TICKED, WAITING)
    assert glass.left.picture().tobytes() == upside_down(draw(TICKED))
    assert seen(glass.right, WAITING)


@pytest.mark.parametrize("turns", [1, 3])
def test_a_panel_cannot_be_mounted_on_end(turns: int) -> None:
    with pytest.raises(ValueError, match=rf"rotate: found {turns}; allowed are 0 and 2"):
        Glass(rotate=(0, turns))


@pytest.mark.parametrize("driver", DRIVERS)
def test_the_light_alone_is_two_messages_of_commands_and_no_drawing(
    driver: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the first edge of a press, and back if it was a glitch: faces differ in nothing else."""
    glass, drawn = Glass(driver).show(RUNNING, WAITING), list[Face]()
    monkeypatch.setattr("hardware.display.panels.draw", drawn.append)
    lit = structs.replace(RUNNING, running=False), structs.replace(WAITING, running=True)
    for left, right in (lit, (RUNNING, WAITING)):
        sent = len(glass.bus.transfers)
        assert glass.show(left, right).shows(left, right)
        assert glass.bus.transfers[sent:] == [(LEFT_AT, 5), (RIGHT_AT, 5)]
    assert drawn == []


def test_the_end_of_a_turn_is_seen_before_anything_is_drawn() -> None:
    """Drawing takes time on a small computer; here one face cannot be drawn at all."""
    glass = Glass().show(RUNNING, WAITING)
    with pytest.raises(TypeError):
        glass.show(msgspec.structs.replace(WAITING, score=5), RUNNING)
    assert (glass.left.inverted, glass.right.inverted) == (False, True)


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize(("dark", "well"), [("left", "right"), ("right", "left")])
def test_a_lone_panel_shows_both_times(driver: str, dark: str, well: str) -> None:
    """A missing panel is one fault; once it is there, each shows its own time."""
    glass, faces = Glass(driver), {"left": RUNNING, "right": WAITING}
    getattr(glass, dark).plugged = False
    glass.show(RUNNING, WAITING)
    assert seen(getattr(glass, well), both_times(faces[well], faces[dark]))
    assert [what for _, what in glass.faults()] == [
        f"{dark}: I2C device not found on address: 0x3{'CD'[dark == 'right']}"
    ]
    getattr(glass, dark).plugged = True
    assert glass.wait(LAST_RETRY_NS).shows(RUNNING, WAITING)


def test_a_healthy_panel_does_not_wait_for_a_dead_one() -> None:
    glass = Glass()
    glass.left.plugged = False
    glass.show(RUNNING, WAITING).wait(FIRST_RETRY_NS - 1)
    asked: list[int] = []
    glass.bus.before = asked.append
    glass.ns += 1
    glass.show(TICKED, RUNNING)
    assert asked[0] == RIGHT_AT
    assert asked[-1] == LEFT_AT


def lit_of(picture: Image.Image) -> bytes:
    """Return the lit part of a picture, wherever it is."""
    return picture.crop(picture.getbbox()).tobytes()


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_picture_that_stands_still_moves_by_a_pixel(driver: str) -> None:
    """It moves every three minutes and loses no pixel; the next face is in place."""
    glass = Glass(driver).show(STOPPED, REVIEW)
    places = [glass.left.picture().getbbox()]
    for _ in range(4):
        glass.wait(SHIFT_NS)
        assert lit_of(glass.left.picture()) == lit_of(draw(STOPPED))
        places.append(glass.left.picture().getbbox())
    assert len(set(places)) > 1
    assert all(one != other for one, other in pairwise(places))
    assert glass.show(WAITING, REVIEW).shows(WAITING, REVIEW)


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_code_is_read_from_a_panel_that_is_dimmed_moved_or_upside_down(driver: str) -> None:
    """Burn-in protection moves its lit box to nine places, none of which spoils it."""
    glass = Glass(driver, (2, 0)).show(FINISHED, FINISHED)
    places = set()
    for _ in SHIFTS:
        for model in (glass.left, glass.right):
            code = photograph(model.picture(), 4, 0.4, light=32 + model.contrast // 2)
            assert read_codes(code) == [FINISHED.qr]
        places.add(glass.right.picture().getbbox())
        glass.wait(SHIFT_NS)
    assert len(places) == len(SHIFTS)
    assert glass.right.contrast == DIMMED


def test_panels_dim_after_five_minutes_until_the_next_face() -> None:
    glass = Glass().show(STOPPED, REVIEW).wait(DIM_NS - 1)
    assert (glass.left.contrast, glass.right.contrast) == (0xCF, 0xCF)
    glass.wait(1)
    assert (glass.left.contrast, glass.right.contrast) == (DIMMED, DIMMED)
    glass.show(STOPPED, WAITING)
    assert (glass.left.contrast, glass.right.contrast) == (0xCF, 0xCF)


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize(
    ("contrast", "dimmed"), [(0, 0), (5, 5), (DIMMED, DIMMED), (90, DIMMED), (255, DIMMED)]
)
def test_panels_have_the_configured_contrast(driver: str, contrast: int, dimmed: int) -> None:
    """After setup, inversion and refresh, too; dimming makes no panel brighter."""
    glass = Glass(driver, contrast=contrast).show(STOPPED, REVIEW)
    assert (glass.left.contrast, glass.right.contrast) == (contrast, contrast)
    glass.wait(DIM_NS)
    assert (glass.left.contrast, glass.right.contrast) == (dimmed, dimmed)
    glass.show(RUNNING, WAITING)
    assert (glass.left.contrast, glass.right.contrast) == (contrast, contrast)
    glass.left.power_on()
    glass.wait(CHECK_NS)
    assert (glass.left.contrast, glass.left.shines) == (contrast, True)


def test_nothing_is_moved_or_dimmed_while_a_clock_runs() -> None:
    glass = Glass().show(msgspec.structs.replace(RUNNING, reserve="0:00"), WAITING)
    glass.wait(DIM_NS + 2 * SHIFT_NS)
    assert glass.shows(*glass.faces)
    assert glass.left.contrast == 0xCF


@pytest.mark.parametrize(
    "idle_ns", [0, 1, SHIFT_NS - 1, SHIFT_NS + 7, DIM_NS - 1, DIM_NS + SHIFT_NS]
)
def test_burn_in_protection_changes_when_it_says(idle_ns: int) -> None:
    now = burn_in_protection(idle_ns, running=False)
    assert now.next_ns is not None
    just_before, then = (
        burn_in_protection(idle_ns + now.next_ns - before, running=False) for before in (1, 0)
    )
    assert just_before[:2] == now[:2] != then[:2]


def test_an_idle_hour_has_few_wakes() -> None:
    """There are checks of both panels at once, 20 moves and a dimming, but no polling."""
    glass = Glass().show(STOPPED, REVIEW)
    glass.turns = 0
    glass.wait(3600 * SECOND)
    assert glass.turns <= 3600 * SECOND // CHECK_NS + 20 + 1


@pytest.mark.parametrize("driver", DRIVERS)
def test_closing_leaves_dark_and_empty_panels(driver: str) -> None:
    """They are switched off, their memory is blank, and the bus is closed."""
    glass = Glass(driver).show(RUNNING, WAITING)
    glass.pair.close()
    for panel in (glass.left, glass.right):
        assert not panel.on
        assert panel.blank
    assert glass.bus.opened == 0


class Bus:
    """A bus whose time is a number."""

    def __init__(self) -> None:
        self.ns = 5 * SECOND
        self.traffic = Traffic(lambda: self.ns)

    def parts(self, seconds: int, rate: int) -> int:
        """Return how many parts are allowed while so many bytes a second are sent."""
        allowed = 0
        for _ in range(seconds):
            self.ns += SECOND
            self.traffic.add(rate)
            allowed += self.traffic.allows_part()
        return allowed


def test_a_quiet_bus_has_a_part_every_three_seconds() -> None:
    assert Bus().parts(60, rate=60) == 60 * SECOND // QUIET_PAUSE_NS


def test_a_busy_bus_has_a_part_a_minute() -> None:
    """Else a long turn would leave a disturbed picture as it is."""
    bus = Bus()
    bus.parts(10, rate=200)
    assert (
        bus.parts(600, rate=QUIET_BYTES * SECOND // RECENT_NS + 1) == 600 * SECOND // BUSY_PAUSE_NS
    )


def test_what_was_sent_long_ago_does_not_count() -> None:
    bus = Bus()
    bus.parts(30, rate=1_000)
    bus.ns += RECENT_NS
    assert bus.traffic.allows_part()
