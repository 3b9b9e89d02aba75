"""The pair of panels: whose face is where, one panel for two, burn-in protection, the end."""

from itertools import pairwise

import msgspec
import pytest
from msgspec import structs
from PIL import Image

from hardware.display.framebuffer import SHIFTS
from hardware.display.layout import draw
from hardware.display.panel import CHECK_NS, FIRST_RETRY_NS, LAST_RETRY_NS
from hardware.display.panel_pair import (
    BUSY_PAUSE_NS,
    DIM_NS,
    DIMMED,
    QUIET_BYTES,
    QUIET_PAUSE_NS,
    RECENT_NS,
    SHIFT_NS,
    Traffic,
)
from hardware.face import Face
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
    upside_down,
)


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
    monkeypatch.setattr("hardware.display.panel_pair.draw", drawn.append)
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
