"""One panel on a bus that may fail: its picture, its retries, its resets, and what they cost."""

import errno
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import count, cycle, islice
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clock.match.types import Pair
from hardware.display.framebuffer import dirty_rectangles
from hardware.display.layout import draw
from hardware.display.panel import (
    CHECK_NS,
    FIRST_RETRY_NS,
    LAST_RETRY_NS,
    PARTS,
    STATUS_BYTES,
    STEADY_NS,
)
from hardware.display.panels import QUIET_PAUSE_NS
from hardware.face import Face
from lab.support.glass import (
    DRIVERS,
    LEFT_AT,
    REVIEW,
    RIGHT_AT,
    RUNNING,
    SECOND,
    STOPPED,
    TICKED,
    WAITING,
    Faces,
    Glass,
    both_times,
    seen,
    ticking,
)
from lab.support.panel_models import Trouble

ERRORS = (errno.EREMOTEIO, errno.EIO, errno.ETIMEDOUT)  # luma's own for commands, else the kernel's

STORY: tuple[Faces, ...] = ((RUNNING, WAITING), (TICKED, WAITING), (WAITING, RUNNING))

MS = SECOND // 1000
LIT_AGAIN_NS = 2_500 * MS
# What a panel needs after it was found: a picture at 100 kHz, and 0.1 s from the switch-on to the
# first light (data sheet of the SSD1306, t_AF).
LIGHTING_NS = 200 * MS
NOTICED_NS = 5 * SECOND
RESET = "it was reset, as by a dip of its supply, and is set up again"
STILL = ((STOPPED, REVIEW),)


REMEMBERED = {
    "panel.dirty_rectangles": lru_cache(5_000)(dirty_rectangles),
    "panels.draw": lru_cache(500)(draw),
}


@pytest.fixture(autouse=True, scope="module")
def remembered() -> Iterator[None]:
    """The same few faces are shown again and again: draw and compare each of them once."""
    with pytest.MonkeyPatch.context() as patch:
        for name, cached in REMEMBERED.items():
            patch.setattr(f"hardware.display.{name}", cached)
        yield


def no_answer() -> int:
    """Fail as a module that cannot be read."""
    raise OSError(errno.EREMOTEIO, "Remote I/O error")


# What modules answer whose status byte is of no use.
USELESS: dict[str, Callable[[], int]] = {
    "no answer": no_answer,
    "nobody drives the wire": lambda: 0xFF,
    "always on": lambda: 0x00,
    "always off": lambda: 0x46,
}


def with_status(glass: Glass, status: Callable[[], int]) -> Glass:
    """Make both panels answer something else than their status."""
    glass.left.status = glass.right.status = status
    return glass


def second_by_second(glass: Glass, faces: Iterable[Pair[Face] | Faces]) -> None:
    """Show a face a second."""
    for left, right in faces:
        glass.show(left, right).wait(SECOND - 1)
        glass.ns += 1


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


@pytest.mark.parametrize("driver", DRIVERS)
def test_every_kind_of_face_is_seen_pixel_by_pixel(driver: str) -> None:
    """From a panel just switched on, with noise in its memory, to the next faces and back."""
    glass = Glass(driver)
    assert not glass.left.shines or driver != "ssd1306"
    story = [(RUNNING, WAITING), (TICKED, WAITING), (WAITING, RUNNING), (STOPPED, REVIEW)]
    for left, right in [*story, *reversed(story)]:
        assert glass.show(left, right).shows(left, right)
    assert glass.faults() == []
    assert glass.pair.counts == {"bytes": glass.bus.sent, "frames": 7 + 5, "errors": 0}


@pytest.mark.slow
@pytest.mark.parametrize("driver", DRIVERS)
@given(faces=st.lists(st.tuples(ANY_FACE, ANY_FACE), min_size=1, max_size=6))
def test_any_faces_are_shown_in_any_order(driver: str, faces: list[tuple[Face, Face]]) -> None:
    glass = Glass(driver)
    for left, right in faces:
        assert glass.show(left, right).shows(left, right)


def test_only_what_changed_is_sent() -> None:
    """When the delay ticks, the end of its bar and its digit are sent, to one panel."""
    glass = Glass().show(RUNNING, WAITING)
    glass.bus.transfers.clear()
    glass.show(TICKED, WAITING)
    assert {at for at, _ in glass.bus.transfers} == {LEFT_AT}
    first = glass.bus.sent
    assert first <= 60
    assert (LEFT_AT, 5) not in glass.bus.transfers  # its light is the same
    glass.bus.transfers.clear()
    glass.show(TICKED, WAITING)
    assert glass.bus.transfers == []
    assert 0 < glass.show(RUNNING, WAITING).bus.sent < first  # in the same columns and pages


def show_story(glass: Glass) -> Glass:
    """Show a few faces, one a second."""
    for left, right in STORY:
        glass.show(left, right).wait(SECOND)
    return glass


def messages_of(driver: str) -> set[int]:
    """Return the numbers of the transfers that the story takes, but for the first reads."""
    bus = show_story(Glass(driver)).bus
    return set(range(1, bus.attempts + 1)) - set(sorted(bus.reads)[:4])


@pytest.mark.slow
@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize(("number", "arrived"), [*zip(ERRORS, (0, 2, 7), strict=True)])
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
    glass = Glass()
    glass.bus.troubles = troubles
    for left, right in faces:
        glass.show(left, right).wait(SECOND)
    glass.wait(90 * SECOND)
    assert glass.shows(*glass.faces)
    news = glass.faults()
    assert [what for _, what in news[-1:]] in ([], [None])


def test_a_dark_panel_is_filled_before_it_is_switched_on() -> None:
    glass = Glass()
    lit: list[bool] = []
    glass.bus.before = lambda address: lit.append(glass.left.shines)
    glass.show(RUNNING, WAITING)
    assert not any(lit[:5])  # until the last of its messages
    assert glass.bus.transfers[4] == (LEFT_AT, 3)


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
    assert 20 <= glass.pair.counts["errors"] <= 40
    assert faults <= 2 * glass.pair.counts["errors"]


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


@pytest.mark.parametrize("number", ERRORS)
def test_closing_with_a_dead_panel_darkens_the_other(number: int) -> None:
    glass = Glass().show(RUNNING, WAITING)
    glass.bus.troubles = {glass.bus.attempts + 1: Trouble(number, 2)}
    glass.pair.close()
    assert glass.right.blank
    assert not glass.right.on
    assert glass.bus.opened == 0


@pytest.mark.parametrize("number", ERRORS)
def test_closing_darkens_a_panel_that_holds_half_a_command(number: int) -> None:
    glass = Glass().show(RUNNING, WAITING)
    glass.bus.troubles = {glass.bus.attempts + 1: Trouble(number, 2)}
    glass.show(TICKED, WAITING)
    glass.pair.close()
    assert (glass.left.on, glass.left.blank) == (False, True)


@pytest.mark.rule("R84")
@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("tenths", range(0, 23, 2))
@pytest.mark.parametrize("story", [STILL, ((RUNNING, WAITING), (TICKED, WAITING))])
def test_a_panel_that_was_reset_is_lit_again_soon(
    driver: str, tenths: int, story: tuple[Faces, ...]
) -> None:
    """Whenever its supply failed, running or not: the whole picture within 2.5 s."""
    glass = Glass(driver).show(*story[0])
    second_by_second(glass, islice(cycle(story), 4))
    glass.wait(tenths * SECOND // 10)
    glass.left.power_on()
    dark_ns = glass.ns
    for left, right in islice(cycle(story), 30):
        glass.show(left, right)
        if seen(glass.left, left):
            break
        glass.wait(100 * MS)
    assert glass.ns - dark_ns + LIGHTING_NS <= LIT_AGAIN_NS
    assert glass.shows(*glass.faces)


@pytest.mark.rule("R140")
@pytest.mark.parametrize("driver", DRIVERS)
def test_panels_on_spi_show_what_panels_on_i2c_show(driver: str) -> None:
    """Every face pixel by pixel; a whole picture takes at most 5 ms of the bus."""
    glass = Glass(driver, spi=True)
    story = [(RUNNING, WAITING), (TICKED, WAITING), (WAITING, RUNNING), (STOPPED, REVIEW)]
    before_ns = glass.spi.time_ns()
    assert glass.show(*story[0]).shows(*story[0])
    assert glass.spi.time_ns() - before_ns <= 2 * 5 * MS
    for left, right in [*story[1:], *reversed(story)]:
        assert glass.show(left, right).shows(left, right)
    glass.pair.close()
    assert (glass.left.on, glass.left.blank, glass.right.on, glass.spi.opened) == (
        False,
        True,
        False,
        0,
    )


@pytest.mark.rule("R140")
@pytest.mark.parametrize("driver", DRIVERS)
def test_a_panel_on_spi_that_was_reset_is_whole_again_within_2_5_s(driver: str) -> None:
    """At 100 random instants; the other panel is never dark, and RES is left alone."""
    instants, glass = Random(140), Glass(driver, spi=True).show(RUNNING, WAITING)
    for _ in range(100):
        glass.wait(instants.randrange(5 * SECOND))
        glass.left.power_on()
        glass.wait(LIT_AGAIN_NS - LIGHTING_NS)
        assert glass.shows(RUNNING, WAITING)
    assert (glass.faults(), glass.spi.resets) == ([], 0)


def test_a_reset_is_logged_once() -> None:
    """The fault is over when the panel has been steady for a while; the next one is another."""
    glass = Glass().show(*STILL[0])
    for _ in range(2):
        glass.left.power_on()
        glass.wait(CHECK_NS)
        assert glass.faults() == [("display", f"left: {RESET}")]
        assert glass.shows(*STILL[0])
        glass.wait(STEADY_NS - CHECK_NS)
        assert glass.faults() == []
        glass.wait(2 * CHECK_NS)
        assert glass.faults() == [("display", None)]


@pytest.mark.parametrize("useless", USELESS)
@pytest.mark.parametrize("driver", DRIVERS)
def test_a_panel_that_cannot_be_read_is_lit_again_blindly(driver: str, useless: str) -> None:
    """It is lit and upright within 2.5 s; the picture is whole when all of it was refreshed."""
    glass = with_status(Glass(driver), USELESS[useless]).show(*STILL[0]).wait(7 * SECOND)
    glass.left.power_on()
    glass.wait(LIT_AGAIN_NS - LIGHTING_NS)
    assert glass.left.shines
    assert (glass.left.segments_reversed, glass.left.scan_reversed) == (True, True)
    glass.wait(2 * PARTS * (QUIET_PAUSE_NS + CHECK_NS))
    assert glass.shows(*STILL[0])
    second_by_second(glass, ticking(5))
    assert glass.shows(*glass.faces)
    assert glass.faults() == []


@pytest.mark.parametrize("useless", [each for each in USELESS if each != "always on"])
def test_a_panel_in_place_of_another_is_judged_by_itself(useless: str) -> None:
    """One that cannot be read after one that could, and the other way round.

    One that always says that it is on looks like the one before that failed for a moment.
    """
    glass = Glass()
    glass.left.on = True  # as the run before has left it: it does not tell that it is off
    glass.show(*STILL[0])
    for status in (glass.left.true_status, USELESS[useless], glass.left.true_status):
        glass.left.unplug()
        glass.wait(NOTICED_NS)
        glass.left.status = status
        glass.left.plug()
        glass.wait(NOTICED_NS)
        glass.faults()
        glass.bus.transfers.clear()
        glass.wait(CHECK_NS)
        is_short = glass.bus.transfers[:2] == [(LEFT_AT, STATUS_BYTES), (RIGHT_AT, STATUS_BYTES)]
        assert is_short is (status == glass.left.true_status)
        glass.left.power_on()
        glass.wait(LIT_AGAIN_NS - LIGHTING_NS)
        assert glass.left.shines


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_status_that_is_wrong_once_does_no_harm(driver: str) -> None:
    glass = Glass(driver).show(*STILL[0])
    for wrong in (0x00, 0x55, 0xFF, 0x80):
        with_status(glass, lambda wrong=wrong: wrong).wait(CHECK_NS)  # type: ignore[misc]
        assert glass.shows(*STILL[0])
    assert glass.faults() == []
    glass.left.power_on()
    assert glass.wait(CHECK_NS).left.shines
    glass.left.status = glass.left.true_status
    glass.left.power_on()
    glass.wait(CHECK_NS)
    assert glass.shows(*STILL[0])
    assert glass.faults() == [("display", f"left: {RESET}")]


def test_a_busy_panel_is_not_a_wrong_one() -> None:
    glass = Glass("sh1106").show(*STILL[0])
    busy = glass.left
    busy.status = lambda: busy.true_status() | 0x80
    glass.bus.transfers.clear()
    glass.wait(CHECK_NS)
    assert glass.bus.transfers == [(LEFT_AT, STATUS_BYTES), (RIGHT_AT, STATUS_BYTES)]


def test_a_panel_that_failed_for_a_moment_is_believed_as_before() -> None:
    """It told once when it was off: its check stays as short."""
    glass = Glass().show(*STILL[0])
    glass.bus.troubles = {glass.bus.attempts + 1: Trouble(errno.EREMOTEIO)}
    glass.wait(10 * SECOND)
    assert glass.faults() != []
    glass.bus.transfers.clear()
    glass.wait(CHECK_NS)
    assert glass.bus.transfers[:2] == [(LEFT_AT, STATUS_BYTES), (RIGHT_AT, STATUS_BYTES)]


@pytest.mark.parametrize("transfer", [0, 1, 2, 3])
def test_a_read_that_fails_is_no_fault(transfer: int) -> None:
    """Only messages tell whether a panel is there: not all modules can be read."""
    glass = Glass().show(*STILL[0])
    reads = [number for number in glass.bus.reads if number <= glass.bus.attempts]
    again = Glass()
    again.bus.troubles = {sorted(reads)[transfer]: Trouble(errno.EREMOTEIO)}
    again.show(*STILL[0]).wait(90 * SECOND)  # both setups are sent again
    assert again.shows(*STILL[0])
    assert again.faults() == []
    again.bus.transfers.clear()
    again.wait(CHECK_NS)
    asked = {at for at, size in again.bus.transfers if size == STATUS_BYTES}
    assert asked == {LEFT_AT, RIGHT_AT}


@pytest.mark.rule("R84")
@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("useless", [None, *USELESS])
def test_a_pulled_panel_is_noticed_while_its_picture_stands_still(
    driver: str, useless: str | None
) -> None:
    """Within 5 s there is a fault, and the other panel shows both times."""
    glass = Glass(driver)
    if useless is not None:
        with_status(glass, USELESS[useless])
    glass.show(WAITING, STOPPED).wait(11 * SECOND)
    glass.left.unplug()
    glass.wait(NOTICED_NS)
    assert glass.faults() == [("display", "left: I2C device not found on address: 0x3C")]
    assert seen(glass.right, both_times(STOPPED, WAITING))


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("nth", range(1, 16))
def test_a_panel_that_is_reset_as_a_transfer_fails_is_filled_again(driver: str, nth: int) -> None:
    """Whichever transfer of a still picture that is, and though its status is of no use."""
    glass = with_status(Glass(driver), USELESS["always on"]).show(*STILL[0]).wait(11 * SECOND)
    failing = glass.bus.attempts + nth

    def fail(address: int) -> None:
        if glass.bus.attempts + 1 == failing:
            glass.bus.panels[address].power_on()

    glass.bus.before, glass.bus.troubles = fail, {failing: Trouble(errno.EREMOTEIO)}
    while glass.bus.attempts < failing:
        glass.wait(SECOND // 10)
    assert glass.wait(LAST_RETRY_NS).shows(*STILL[0])


def test_a_panel_whose_clock_runs_is_checked_with_its_picture() -> None:
    """In one transfer; a reset is found as in a check of its own."""
    glass = Glass().show(RUNNING, WAITING)
    glass.ns += CHECK_NS
    glass.bus.transfers.clear()
    before, counted = len(glass.bus.reads), glass.pair.counts["bytes"]
    glass.show(TICKED, WAITING)
    assert len(glass.bus.reads) == before + 2
    assert glass.pair.counts["bytes"] == counted + glass.bus.sent
    assert [at for at, size in glass.bus.transfers if size == STATUS_BYTES] == [RIGHT_AT]
    glass.ns += CHECK_NS
    glass.left.power_on()
    glass.show(RUNNING, WAITING)
    assert glass.shows(RUNNING, WAITING)


def test_the_light_of_a_press_comes_before_a_check() -> None:
    glass = Glass().show(RUNNING, WAITING)
    glass.ns += CHECK_NS
    glass.bus.transfers.clear()
    before = glass.bus.attempts
    glass.show(WAITING, RUNNING)
    assert glass.bus.transfers[:2] == [(LEFT_AT, 5), (RIGHT_AT, 5)]
    assert len([number for number in glass.bus.reads if number > before + 2]) == 2
    assert glass.shows(WAITING, RUNNING)


def worst_minute(driver: str, turn_s: int | None, minutes: int) -> float:
    """Return the bytes a second of the worst minute of a running clock."""
    glass, sent = Glass(driver), list[tuple[int, int]]()
    glass.show(*STILL[0]).wait(2 * SECOND)

    def record(address: int, size: int) -> None:
        assert address in {LEFT_AT, RIGHT_AT}
        sent.append((glass.ns, size))

    glass.bus.record = record  # type: ignore[method-assign]
    second_by_second(glass, ticking(60 * minutes, turn_s))
    begin = total = worst = 0
    for at_ns, size in sent:
        total += size
        while sent[begin][0] <= at_ns - 60 * SECOND:
            total -= sent[begin][1]
            begin += 1
        worst = max(worst, total)
    return worst / 60


@pytest.mark.slow
@pytest.mark.parametrize("turn_s", [None, 15, 40])
@pytest.mark.parametrize(("driver", "most"), [("ssd1306", 200), ("ssd1309", 200), ("sh1106", 210)])
def test_any_minute_of_a_running_clock(driver: str, most: int, turn_s: int | None) -> None:
    """Both panels take at most 200 bytes a second; an SH1106 more, as its pages go singly."""
    minutes = 15 if driver == "sh1106" else 3  # longer ones of the others are not worse
    assert worst_minute(driver, turn_s, minutes) <= most


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_refresh_is_invisible(driver: str) -> None:
    glass = Glass(driver).show(*STILL[0])
    pictures: list[bool] = []
    glass.bus.before = lambda address: pictures.append(glass.shows(*STILL[0]))
    glass.wait(2 * PARTS * (QUIET_PAUSE_NS + CHECK_NS))
    assert len(pictures) > 2 * PARTS
    assert all(pictures)
    glass.show(RUNNING, WAITING)
    for _ in range(2):
        glass.left.memory = [bytearray(len(row)) for row in glass.left.memory]
        for _ in range(PARTS):  # the setup has moved an SH1106 to another page
            glass.pair._sides["left"].panel.refresh()
        assert seen(glass.left, RUNNING)
    assert glass.show(TICKED, WAITING).shows(TICKED, WAITING)


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("turn_s", [15, pytest.param(None, marks=pytest.mark.slow)])
def test_what_a_disturbance_has_changed_is_replaced(driver: str, turn_s: int | None) -> None:
    """Every register and pixel, in the pauses of a running clock; without pauses more slowly."""
    glass = Glass(driver)
    wanted = ticking(2_000, turn_s)
    second_by_second(glass, islice(wanted, 5))
    for panel in (glass.left, glass.right):
        panel.memory = [bytearray(byte ^ 0x10 for byte in row) for row in panel.memory]
        panel.offset, panel.start_line = 3, 5
    second_by_second(glass, islice(wanted, 300 if turn_s else 1_300))
    assert glass.shows(*glass.faces)
