"""Two simulated OLED panels under luma's real interface: what they show, whatever happens."""

import errno
import threading
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import count, pairwise
from queue import Empty, SimpleQueue
from typing import NoReturn

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from clock.match.inputs import Pressed
from clock.match.types import Pair
from clock.runtime.ports import Panels as PanelsPort
from clock.ui.dialogue import Dialogue
from clock.ui.face import Face, View
from clock.ui.i18n import sayer
from clock.ui.pages import faces as clock_faces
from hardware.display.controllers import DEVICES, controller
from hardware.display.face import FaceLike
from hardware.display.framebuffer import SHIFTS
from hardware.display.i2c import TIMEOUT_S
from hardware.display.layout import draw
from hardware.display.panel import (
    CHECK_NS,
    FIRST_RETRY_NS,
    LAST_RETRY_NS,
    STEADY_NS,
)
from hardware.display.panel_pair import DIM_NS, DIMMED, SHIFT_NS, PanelPair
from hardware.display.panels import CLOSING_S, Outside, Panels, on_this_computer
from hardware.display.widgets import WIDTH
from tests.support.camera import photograph, read_codes
from tests.support.panel_models import MODELS, Bus, Ssd1306, Trouble
from tests.support.world import World

SECOND = 1_000_000_000
LEFT_AT, RIGHT_AT = 0x3C, 0x3D
DRIVERS = tuple(MODELS)

RUNNING = Face(
    reserve="21:37", running=True, delay="9", delay_permille=750, status="Delay", score="3-5/11"
)
WAITING = Face(reserve="20:48", delay="12", delay_permille=1000, score="3-5/11")
TICKED = msgspec.structs.replace(RUNNING, delay="8", delay_permille=667)
STOPPED = Face(
    reserve="13:02", status="Stopped", score="3-5/11", lines=("Director called", "as it was"),
    keys=("<", "DO IT", ">"),
)  # fmt: skip
REVIEW = Face(reserve="22:00", lines=("ebf 11", "Time 22:00", "Delay 0:12", "Code K7QX"))
FINISHED = Face(
    reserve="11:46", lines=("Left WINS", "11-7 by score"), result=("WINS", "11-7"),
    head="7KHF-9MXT-4KSA", qr="GC2:1WWBSMXEH4YAN0R3NXEYMVG3V4:137:11-7",
)  # fmt: skip

Faces = tuple[Face, Face]


class Glass:
    """Both panels and their bus; time jumps from one deadline to the next."""

    def __init__(
        self,
        driver: str = "ssd1306",
        rotate: tuple[int, int] = (0, 0),
        contrast: int | None = None,
    ) -> None:
        self.ns = 1_000 * SECOND
        self.left, self.right = MODELS[driver](seed=1), MODELS[driver](seed=2)
        self.bus = Bus({LEFT_AT: self.left, RIGHT_AT: self.right})
        self.pair = PanelPair(
            driver,
            (LEFT_AT, RIGHT_AT),
            rotate,
            lambda at: self.bus.connect(1, at),
            lambda: self.ns,
            contrast=contrast,
        )
        self.faces: Faces = (WAITING, WAITING)
        self.due_ns: int
        self.turns = 0  # of the thread

    def show(self, left: Face, right: Face) -> "Glass":
        """Show new faces, with all that is due at once."""
        self.faces = left, right
        return self.wait(0, woken=True)

    def wait(self, duration_ns: int, *, woken: bool = False) -> "Glass":
        """Do what the thread does within a duration."""
        end_ns = self.ns + duration_ns
        while woken or self.due_ns <= end_ns:
            self.ns = self.ns if woken else max(self.ns, self.due_ns)
            self.due_ns, woken = self.pair.show(self.faces), False
            self.turns += 1
        self.ns = end_ns
        return self

    def faults(self) -> list[tuple[str, str | None]]:
        """Return the faults reported since the last call."""
        return self.pair.faults.drain()

    def shows(self, left: Face, right: Face) -> bool:
        """Return whether both panels show exactly these faces, upright."""
        return seen(self.left, left) and seen(self.right, right)


def seen(model: Ssd1306, face: Face) -> bool:
    """Return whether a panel shows exactly this face."""
    return model.shines and model.picture().tobytes() == pixels(face)


@lru_cache(16)
def pixels(face: Face) -> bytes:
    """Return the pixels of a face."""
    return draw(face).tobytes()


def both_times(face: Face, other: Face) -> Face:
    """Return a face with the other side's reserve."""
    return face.with_other_reserve(other.reserve)


def upside_down(picture: Image.Image) -> bytes:
    """Return the pixels of a picture turned upside down."""
    return picture.transpose(Image.Transpose.ROTATE_180).tobytes()


ANY_FACE = st.builds(
    Face,
    reserve=st.from_regex(r"([1-9]:)?[0-9]{1,2}:[0-5][0-9]", fullmatch=True),
    running=st.booleans(),
    delay=st.sampled_from(["", "0", "9", "12"]),
    delay_permille=st.integers(0, 1000),
    status=st.sampled_from(["", "Delay", "Time"]),
    flag=st.sampled_from(["", "FLAG 1"]),
    warnings=st.sampled_from([(), ("LOG NOT SAVED",)]),
    lines=st.sampled_from([(), ("one", "two"), ("one", "two", "three", "four")]),
    selected=st.none() | st.integers(0, 3),
)


# --- the picture ----------------------------------------------------------------------------------


@pytest.mark.parametrize("driver", DRIVERS)
def test_every_kind_of_face_is_seen_pixel_by_pixel(driver: str) -> None:
    """From a panel just switched on, with noise in its memory, to the next faces and back."""
    glass = Glass(driver)
    assert not glass.left.shines or driver != "ssd1306"
    story = [(RUNNING, WAITING), (TICKED, WAITING), (WAITING, RUNNING), (STOPPED, REVIEW)]
    for left, right in [*story, *reversed(story)]:
        assert glass.show(left, right).shows(left, right)
    assert glass.faults() == []


@pytest.mark.slow
@pytest.mark.parametrize("driver", DRIVERS)
@given(faces=st.lists(st.tuples(ANY_FACE, ANY_FACE), min_size=1, max_size=6))
def test_any_faces_are_shown_in_any_order(driver: str, faces: list[tuple[Face, Face]]) -> None:
    """The picture does not depend on what was shown before."""
    glass = Glass(driver)
    for left, right in faces:
        assert glass.show(left, right).shows(left, right)


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_panel_mounted_upside_down_is_read_upright(driver: str) -> None:
    """The left panel has two quarter turns, the right one none."""
    glass = Glass(driver, (2, 0)).show(RUNNING, WAITING).show(TICKED, WAITING)
    assert glass.left.picture().tobytes() == upside_down(draw(TICKED))
    assert seen(glass.right, WAITING)


@pytest.mark.parametrize("turns", [1, 3])
def test_a_panel_cannot_be_mounted_on_end(turns: int) -> None:
    """A picture does not fit 64 pixels of width."""
    with pytest.raises(ValueError, match=rf"rotate: found {turns}; allowed are 0 and 2"):
        Glass(rotate=(0, turns))


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("face", [RUNNING, WAITING, STOPPED])
def test_the_memory_is_what_luma_itself_would_write(driver: str, face: Face) -> None:
    """Memory and registers are as if luma had drawn the whole picture."""
    ours, theirs = Glass(driver).show(face, face), Glass(driver)
    device = DEVICES[driver].make(theirs.bus.connect(1, LEFT_AT))
    device.display(draw(msgspec.structs.replace(face, running=False)))
    first = DEVICES[driver].first_column
    glass = slice(first, first + WIDTH)
    written = [row[glass] for row in ours.left.memory], [row[glass] for row in theirs.left.memory]
    assert written[0] == written[1]
    for register in ("contrast", "on", "supplied", "start_line", "offset", "rows", "com_pins"):
        assert getattr(ours.left, register) == getattr(theirs.left, register), register


def test_the_setup_is_lumas() -> None:
    """Only power and inversion are left out: they would be seen on a lit panel."""
    assert bytes(controller("ssd1306").setup).hex(" ") == (
        "d5 80 a8 3f d3 00 40 8d 14 20 00 a1 c8 da 12 d9 f1 db 40 a4"
    )
    assert controller("ssd1309").setup == controller("ssd1306").setup
    assert bytes(controller("sh1106").setup).hex(" ") == (
        "20 10 b0 c8 00 10 40 a1 a8 3f a4 d3 00 d5 f0 d9 22 da 12 db 20 8d 14"
    )


def test_luma_devices_are_made_once_for_each_kind() -> None:
    """Luma keeps each device until the program ends, so errors must not make more."""
    kept = controller("ssd1306")
    glass = Glass().show(RUNNING, WAITING)
    glass.left.plugged = False
    glass.wait(60 * SECOND)
    assert controller("ssd1306") is kept


# --- what is sent ---------------------------------------------------------------------------------


def test_only_what_changed_is_sent() -> None:
    """When the delay ticks, the end of its bar and its digit are sent, to one panel."""
    glass = Glass().show(RUNNING, WAITING)
    glass.bus.transfers.clear()
    glass.show(TICKED, WAITING)
    assert glass.bus.transfers == [(LEFT_AT, 32), (LEFT_AT, 22)]
    glass.bus.transfers.clear()
    glass.show(TICKED, WAITING)
    assert glass.bus.transfers == []


def test_the_end_of_a_turn_inverts_both_panels_first() -> None:
    """That takes five bytes each, where a new picture would take over a thousand."""
    glass = Glass().show(RUNNING, WAITING)
    glass.bus.transfers.clear()
    glass.show(msgspec.structs.replace(RUNNING, running=False), WAITING)
    assert glass.bus.transfers == [(LEFT_AT, 5)]
    glass.show(WAITING, RUNNING)
    assert glass.bus.transfers[1] == (RIGHT_AT, 5)
    glass.bus.transfers.clear()
    glass.show(TICKED, WAITING)
    assert glass.bus.transfers[:2] == [(LEFT_AT, 5), (RIGHT_AT, 5)]
    assert [at for at, size in glass.bus.transfers[2:] if size == 5] == []


@pytest.mark.parametrize("driver", DRIVERS)
def test_the_light_alone_is_two_messages_of_commands_and_no_drawing(
    driver: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the first edge of a press, and back if it was a glitch: faces differ in nothing else."""
    glass, drawn = Glass(driver).show(RUNNING, WAITING), list[FaceLike]()
    monkeypatch.setattr("hardware.display.panel_pair.draw", drawn.append)
    lit = RUNNING.with_light(running=False), WAITING.with_light(running=True)
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


def ticking(running_s: int, turn_s: int | None = None) -> Iterator[Pair[Face]]:
    """Yield the faces of a real match, second by second; with `turn_s`, the sides take turns."""
    world = World.running()
    say = sayer("en")
    for second in range(running_s):
        if turn_s and second and second % turn_s == 0:
            mover = world.state.running
            assert mover is not None
            world.give(Pressed(world.now_ns, mover))
        yield clock_faces(View(world.state, Dialogue(), say), world.now_ns)
        world.wait(SECOND)


def sent_over(driver: str, seconds: int, turn_s: int | None = None) -> int:
    """Return the number of bytes sent, from switching on."""
    glass = Glass(driver)
    for left, right in ticking(seconds, turn_s):
        glass.show(left, right)
        assert glass.shows(left, right)
        glass.wait(SECOND - 1)
        glass.ns += 1
    assert glass.pair.counts["bytes"] == glass.bus.sent
    return glass.bus.sent


FIVE_MINUTES = 300


@pytest.mark.slow
@pytest.mark.parametrize(
    ("driver", "turn_s", "sent"),
    [
        ("ssd1306", None, 56_172),
        ("ssd1309", None, 56_172),
        ("sh1106", None, 61_094),
        ("ssd1306", 15, 43_431),
        ("sh1106", 15, 44_280),
    ],
)
def test_five_minutes_of_a_running_clock(driver: str, turn_s: int | None, sent: int) -> None:
    """Most of it are pictures; checks and what is refreshed fill the pauses."""
    assert sent_over(driver, FIVE_MINUTES, turn_s) == sent


@pytest.mark.parametrize(("driver", "frame"), [("ssd1306", 1034), ("sh1106", 1080)])
def test_luma_alone_would_send_ten_times_as_much(driver: str, frame: int) -> None:
    """It sends a whole frame to each panel every second: 2,068 bytes."""
    glass = Glass(driver)
    devices = [DEVICES[driver].make(glass.bus.connect(1, at)) for at in (LEFT_AT, RIGHT_AT)]
    glass.bus.transfers.clear()
    for faces in ticking(3):
        for device, face in zip(devices, faces, strict=True):
            device.display(draw(face))
    assert glass.bus.sent == 3 * 2 * frame


# --- what goes wrong ------------------------------------------------------------------------------

ERRORS = (errno.EREMOTEIO, errno.EIO, errno.ETIMEDOUT)  # luma's own for commands, else the kernel's
STORY: tuple[Faces, ...] = ((RUNNING, WAITING), (TICKED, WAITING), (WAITING, RUNNING))


def show_story(glass: Glass) -> Glass:
    """Show a few faces, one a second."""
    for left, right in STORY:
        glass.show(left, right).wait(SECOND)
    return glass


def messages_of(driver: str) -> set[int]:
    """Return the numbers of the transfers that the story takes, but for those that only read."""
    bus = show_story(Glass(driver)).bus
    return set(range(1, bus.attempts + 1)) - bus.reads


@pytest.mark.slow
@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("number", ERRORS)
@pytest.mark.parametrize("arrived", [0, 2, 7])
def test_the_picture_is_right_again_after_an_error_in_any_transfer(
    driver: str, number: int, arrived: int
) -> None:
    """The panel may have taken a part of the transfer, even half a command."""
    for transfer in messages_of(driver):
        glass = Glass(driver)
        glass.bus.troubles[transfer] = Trouble(number, arrived)
        show_story(glass).wait(LAST_RETRY_NS)
        assert glass.shows(*STORY[-1]), transfer
        [(part, what), cleared] = glass.faults()
        assert part == "display"
        assert what is not None
        assert what.startswith(("left: ", "right: "))
        assert cleared == ("display", None)
        assert glass.pair.counts["errors"] == 1


@pytest.mark.parametrize("arrived", range(1, 31))
def test_a_setup_that_breaks_off_at_any_byte_is_sent_again(arrived: int) -> None:
    """Half a command left in the panel does not swallow the next one."""
    glass = Glass("sh1106")
    glass.bus.troubles = {1: Trouble(errno.EREMOTEIO, arrived)}
    glass.show(RUNNING, WAITING).wait(FIRST_RETRY_NS)
    assert glass.shows(RUNNING, WAITING)


@pytest.mark.slow
@given(
    troubles=st.dictionaries(
        st.integers(1, 60),
        st.builds(Trouble, st.sampled_from(ERRORS), st.integers(0, 40)),
        max_size=20,
    ),
    faces=st.lists(st.tuples(ANY_FACE, ANY_FACE), min_size=1, max_size=5),
)
def test_panels_recover_from_any_errors(
    troubles: dict[int, Trouble], faces: list[tuple[Face, Face]]
) -> None:
    """Any number of errors, on either panel, with any faces."""
    glass = Glass()
    glass.bus.troubles = troubles
    for left, right in faces:
        glass.show(left, right).wait(SECOND)
    glass.wait(90 * SECOND)
    assert glass.shows(*glass.faces)
    news = glass.faults()
    assert [what for _, what in news[-1:]] in ([], [None])


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_panel_that_comes_back_is_set_up_again(driver: str) -> None:
    """After being unplugged its registers are reset, and its memory holds noise."""
    glass = Glass(driver).show(RUNNING, WAITING)
    glass.left.plugged = False
    glass.show(TICKED, WAITING).wait(5 * SECOND)
    assert glass.faults() == [("display", "left: I2C device not found on address: 0x3C")]
    glass.left.power_on()
    glass.left.plugged = True
    glass.wait(LAST_RETRY_NS)
    assert glass.faults() == [("display", None)]
    assert glass.shows(TICKED, WAITING)


def test_a_dark_panel_is_filled_before_it_is_switched_on() -> None:
    """The noise in its memory is never seen."""
    glass = Glass()
    lit: list[bool] = []
    glass.bus.before = lambda address: lit.append(glass.left.shines)
    glass.show(RUNNING, WAITING)
    assert not any(lit[:5])  # until the last of its messages
    assert glass.bus.transfers[4] == (LEFT_AT, 3)


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


def test_a_lone_panel_shows_every_new_face() -> None:
    """The other side's reserve keeps up, too."""
    glass = Glass()
    glass.right.plugged = False
    for left, right in ticking(20):
        glass.show(left, right)
        assert seen(glass.left, both_times(left, right))
        glass.wait(SECOND)


def test_a_missing_bus_is_a_fault_too() -> None:
    """Without /dev/i2c-1 both panels are retried, and a bus that is gone is not held open."""
    glass = Glass()
    glass.bus.there = False
    glass.show(RUNNING, WAITING)
    missing = "I2C device not found: /dev/i2c-1"
    assert glass.faults() == [("display", f"{name}: {missing}") for name in ("left", "right")]
    glass.bus.there = True
    glass.wait(LAST_RETRY_NS)
    assert glass.shows(RUNNING, WAITING)
    assert glass.faults() == [("display", None)]
    glass.left.plugged = glass.right.plugged = False
    glass.show(TICKED, WAITING)
    assert glass.bus.opened == 0


def test_a_dead_panel_is_retried_with_back_off() -> None:
    """The pauses are 0.5, 1 and then 2 seconds; a retry is one transfer."""
    glass, tried = Glass(), list[int]()
    glass.left.plugged = False
    glass.bus.before = lambda address: tried.append(glass.ns) if address == LEFT_AT else None
    begin_ns = glass.ns
    glass.show(RUNNING, WAITING).wait(8 * SECOND)
    assert [(at_ns - begin_ns) / SECOND for at_ns in tried] == [0, 0.5, 1.5, 3.5, 5.5, 7.5]
    assert glass.pair.counts["errors"] == 6


def test_a_loose_contact_does_not_flood_the_log() -> None:
    """It holds for a setup and fails with the next change: a fault every two seconds."""
    glass, left_transfers, faults = Glass(), count(1), 0

    def loosen(address: int) -> None:
        if address == LEFT_AT and next(left_transfers) % 7 == 0:
            raise OSError(errno.EREMOTEIO, "Remote I/O error")

    glass.bus.before = loosen
    for left, right in ticking(60):
        glass.show(left, right).wait(SECOND)
        faults += len(glass.faults())
    assert glass.pair.counts["errors"] == 31
    assert faults == 61


def test_a_panel_that_was_steady_is_retried_soon() -> None:
    """After `STEADY_NS` without errors the back-off starts again."""
    glass = Glass()
    glass.left.plugged = False
    glass.show(RUNNING, WAITING).wait(20 * SECOND)
    glass.left.plugged = True
    glass.wait(LAST_RETRY_NS + STEADY_NS)
    glass.bus.troubles = {glass.bus.attempts + 1: Trouble(errno.ETIMEDOUT)}
    glass.show(TICKED, WAITING).wait(FIRST_RETRY_NS)
    assert glass.shows(TICKED, WAITING)


def test_a_healthy_panel_does_not_wait_for_a_dead_one() -> None:
    """Its picture is sent first."""
    glass = Glass()
    glass.left.plugged = False
    glass.show(RUNNING, WAITING).wait(FIRST_RETRY_NS - 1)
    asked: list[int] = []
    glass.bus.before = asked.append
    glass.ns += 1
    glass.show(TICKED, RUNNING)
    assert asked[0] == RIGHT_AT
    assert asked[-1] == LEFT_AT


# --- burn-in protection ---------------------------------------------------------------------------


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
    """This holds while no clock runs."""
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


@pytest.mark.parametrize("contrast", [-1, 256])
def test_panels_have_no_other_contrast_than_a_byte(contrast: int) -> None:
    """That is found when they are made, not when it is sent."""
    with pytest.raises(ValueError, match=rf"contrast: found {contrast}; allowed are 0 to 255"):
        Glass(contrast=contrast)


def test_a_panel_that_comes_back_dimmed_is_as_dim_as_the_other() -> None:
    """All registers are sent again."""
    glass = Glass().show(STOPPED, REVIEW)
    glass.left.plugged = False
    glass.wait(DIM_NS + 10 * SECOND)
    glass.left.power_on()
    glass.left.plugged = True
    glass.wait(LAST_RETRY_NS)
    assert (glass.left.contrast, glass.left.shines) == (DIMMED, True)


def test_nothing_is_moved_or_dimmed_while_a_clock_runs() -> None:
    """Even if its face does not change, as after a flag."""
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


@pytest.mark.parametrize("number", ERRORS)
def test_closing_with_a_dead_panel_darkens_the_other(number: int) -> None:
    """The error is not raised."""
    glass = Glass().show(RUNNING, WAITING)
    glass.bus.troubles = {glass.bus.attempts + 1: Trouble(number, 2)}
    glass.pair.close()
    assert glass.right.blank
    assert not glass.right.on
    assert glass.bus.opened == 0


@pytest.mark.parametrize("number", ERRORS)
def test_closing_darkens_a_panel_that_holds_half_a_command(number: int) -> None:
    """It does not take the switch-off for the missing operand."""
    glass = Glass().show(RUNNING, WAITING)
    glass.bus.troubles = {glass.bus.attempts + 1: Trouble(number, 2)}
    glass.show(TICKED, WAITING)
    glass.pair.close()
    assert (glass.left.on, glass.left.blank) == (False, True)


def test_closing_on_a_bus_that_hangs_ends_in_time() -> None:
    """Each transfer, from that of a new face on, lasts until its timeout."""
    glass = Glass().show(RUNNING, WAITING)
    first = glass.bus.attempts
    glass.bus.troubles = {first + nth: Trouble(errno.ETIMEDOUT) for nth in range(1, 100)}
    glass.pair.show((TICKED, RUNNING))
    glass.pair.close()
    assert (glass.bus.attempts - first) * TIMEOUT_S < CLOSING_S


# --- the thread -----------------------------------------------------------------------------------


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


class Naps:
    """The thread's queue, which also reports when it begins to wait, and for how long."""

    def __init__(self) -> None:
        self.begun: SimpleQueue[float | None] = SimpleQueue()
        self._wakes: SimpleQueue[bool] = SimpleQueue()

    def put(self, _: None, /) -> None:
        """Wake it."""
        self._wakes.put(True)

    def over(self) -> None:
        """End the wait as if its time were over."""
        self._wakes.put(False)

    def get(self, block: bool = True, timeout: float | None = None) -> None:
        """Wait until woken, or until the time is over."""
        assert block
        self.begun.put(timeout)
        if not self._wakes.get(timeout=60):
            raise Empty


class Running:
    """The panels with their thread."""

    def __init__(self, changed: Callable[[], None] = lambda: None) -> None:
        self.glass, self.naps, self.gate = Glass(), Naps(), Gate()
        self.glass.bus.before = self.gate.pass_through
        outside = Outside(self.glass.bus.connect, lambda: self.glass.ns, self.naps)
        self.panels = Panels(
            "ssd1306", 1, (LEFT_AT, RIGHT_AT), (0, 0), changed=changed, outside=outside
        )
        assert self.nap() is None

    def nap(self) -> float | None:
        """Wait until the thread has nothing left to do; return how long it would sleep."""
        return self.naps.begun.get(timeout=60)

    def show(self, left: FaceLike, right: FaceLike) -> float | None:
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
    running.naps.over()
    assert running.nap() == CHECK_NS / SECOND
    assert running.panels.counts == {"bytes": 2 * (1076 + 4), "frames": 2, "errors": 0}


def test_nothing_waits_between_a_face_and_its_picture(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The caller wakes the thread itself, which then waits for the bus and for nothing else."""

    def waits(*_: object, **__: object) -> NoReturn:
        raise AssertionError("a picture waits")

    running.show(RUNNING, WAITING)
    woken: list[threading.Thread] = []
    put = running.naps.put
    monkeypatch.setattr(running.naps, "put", lambda _: woken.append(threading.current_thread()))
    monkeypatch.setattr("time.sleep", waits)
    monkeypatch.setattr(threading, "Timer", waits)
    running.panels.show((TICKED, WAITING))
    assert woken == [threading.current_thread()]
    put(None)
    running.nap()
    assert running.glass.shows(TICKED, WAITING)


def test_panels_pass_on_the_contrast() -> None:
    """Both panels get it."""
    glass, naps = Glass(), Naps()
    outside = Outside(glass.bus.connect, lambda: glass.ns, naps)
    panels = Panels("ssd1306", 1, (LEFT_AT, RIGHT_AT), contrast=90, outside=outside)
    naps.begun.get(timeout=60)
    panels.show((RUNNING, WAITING))
    naps.begun.get(timeout=60)
    assert (glass.left.contrast, glass.right.contrast) == (90, 90)
    panels.close()


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


@pytest.mark.rule("T13")
def test_t13_a_panel_that_hangs_delays_the_other_by_its_own_time_only(running: Running) -> None:
    """T13: they share a bus, so the other one follows after the timeout."""
    running.show(RUNNING, WAITING)
    running.glass.bus.troubles = {running.glass.bus.attempts + 1: Trouble(errno.ETIMEDOUT)}
    running.show(TICKED, WAITING)
    assert seen(running.glass.right, both_times(WAITING, TICKED))
    assert running.panels.faults() == [("display", "left: [Errno 110] Connection timed out")]


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
    """The picture may have been half sent."""
    running.show(RUNNING, WAITING)

    def fail(_: int) -> None:
        running.glass.bus.before = running.gate.pass_through
        running.glass.left.power_on()
        raise RuntimeError("unforeseen")

    running.glass.bus.before = fail
    running.show(TICKED, WAITING)
    assert running.panels.faults() == [("display", "drawing: RuntimeError('unforeseen')")]
    running.naps.over()
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


def test_without_a_bus_the_panels_of_this_computer_are_a_fault() -> None:
    """The real kernel has no such bus here; nothing is raised."""
    connect, now_ns, _ = on_this_computer()
    naps = Naps()
    panels = Panels("sh1106", 98, (LEFT_AT, RIGHT_AT), outside=Outside(connect, now_ns, naps))
    naps.begun.get(timeout=60)
    panels.show((RUNNING, WAITING))
    naps.begun.get(timeout=60)
    assert panels.faults() == [
        ("display", f"{name}: I2C device not found: /dev/i2c-98") for name in ("left", "right")
    ]
    panels.close()
