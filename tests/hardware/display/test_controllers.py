"""Controllers: their commands byte by byte, and where a rectangle goes."""

from typing import get_args, get_type_hints

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from clock.config.schema import DisplayTable
from hardware.display.controllers import (
    ADDRESS_BYTES,
    CALL_BYTES,
    DEVICES,
    Controller,
    commands,
    controller,
)
from hardware.display.framebuffer import BLANK, PAGES, WHOLE, Rectangle
from hardware.display.layout import draw
from hardware.display.widgets import HEIGHT, WIDTH
from hardware.face import Face
from lab.support.glass import LEFT_AT, RUNNING, SECOND, STOPPED, WAITING, Glass
from lab.support.panel_models import MODELS, Bus

DRIVERS = tuple(MODELS)
FRAME = bytes(at % 251 for at in range(WIDTH * PAGES))
LEFTS, TOPS = st.integers(0, WIDTH - 1), st.integers(0, PAGES - 1)
RECTANGLES = st.builds(
    lambda left, top, width, height: (
        left, top, min(WIDTH, left + width), min(PAGES, top + height)
    ),
    LEFTS, TOPS, st.integers(1, 30), st.integers(1, PAGES),
)  # fmt: skip


def sent(
    kind: Controller, rectangles: list[Rectangle], window: Rectangle | None = None
) -> list[bytes]:
    """Return the messages that send rectangles one after the other."""
    messages = []
    for rectangle in kind.split(rectangles):
        messages.append(kind.message(FRAME, rectangle, window))
        window = rectangle
    return messages


def test_each_driver_has_a_model_and_can_be_configured() -> None:
    """A driver of the settings file, its row in `DEVICES` and its model come together."""
    configured = get_args(get_type_hints(DisplayTable)["driver"])
    assert list(DEVICES) == list(MODELS) == list(configured)


@pytest.mark.parametrize("driver", DRIVERS)
def test_each_device_has_128_by_64_pixels_of_one_bit(driver: str) -> None:
    """Luma draws no other size or depth on it, and its glass has all rows and columns."""
    panel = MODELS[driver]()
    made = DEVICES[driver].make(Bus({0x3C: panel}).connect(1, 0x3C))
    assert (made.width, made.height, made.mode) == (WIDTH, HEIGHT, "1")
    assert (panel.rows, panel.COLUMNS) == (HEIGHT, WIDTH + 2 * DEVICES[driver].first_column)


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("contrast", [0, 1, 0xFF])
def test_the_contrast_can_be_set(driver: str, contrast: int) -> None:
    """Nothing else changes, and without a contrast nothing at all."""
    kind = controller(driver)
    bright = kind.with_contrast(contrast)
    assert bright == kind._replace(contrast=contrast)
    assert bright.light_commands(bright.contrast, inverted=False) == (0x81, contrast, 0xA6)
    assert kind.with_contrast(None) is kind


@pytest.mark.parametrize("contrast", [-1, 256])
def test_a_contrast_is_a_byte(contrast: int) -> None:
    text = f"^contrast: found {contrast}; allowed are 0 to 255$"
    with pytest.raises(ValueError, match=text):
        controller("ssd1306").with_contrast(contrast)


@pytest.mark.parametrize("driver", DRIVERS)
@given(rectangles=st.lists(RECTANGLES, min_size=1, max_size=6))
def test_all_data_arrive_in_their_place(driver: str, rectangles: list[Rectangle]) -> None:
    kind, panel = controller(driver), MODELS[driver]()
    panel.receive(commands(*kind.setup))
    for message in [*sent_from_blank(kind), *sent(kind, rectangles, kind.split([WHOLE])[-1])]:
        panel.receive(message)
    offset = kind.device.first_column
    wanted = [bytearray(WIDTH) for _ in range(PAGES)]
    for left, top, right, bottom in rectangles:
        for page in range(top, bottom):
            wanted[page][left:right] = FRAME[page * WIDTH + left : page * WIDTH + right]
    assert [page[offset : offset + WIDTH] for page in panel.memory] == wanted


def sent_from_blank(kind: Controller) -> list[bytes]:
    """Return the messages of a dark picture, on a panel in an unknown state."""
    return [kind.message(BLANK, rectangle, None) for rectangle in kind.split([WHOLE])]


@pytest.mark.parametrize("driver", DRIVERS)
@given(rectangle=RECTANGLES)
def test_the_cost_is_the_number_of_bytes_sent(driver: str, rectangle: Rectangle) -> None:
    kind = controller(driver)
    messages = [kind.message(FRAME, each, None) for each in kind.split([rectangle])]
    bytes_sent = sum(ADDRESS_BYTES + len(message) for message in messages)
    assert kind.cost(rectangle) == bytes_sent + CALL_BYTES * len(messages)


@pytest.mark.parametrize("driver", DRIVERS)
@example(rectangle=(3, 4, 4, 5), window=(3, 3, 4, 6))
@example(rectangle=(4, 1, 8, 2), window=(3, 1, 9, 2))
@given(rectangle=RECTANGLES, window=RECTANGLES)
def test_a_rectangle_grows_only_if_that_is_cheaper(
    driver: str, rectangle: Rectangle, window: Rectangle
) -> None:
    kind = controller(driver)
    left, top, right, bottom = kind.grow(rectangle, window)
    assert left <= rectangle[0]
    assert top <= rectangle[1]
    assert right >= rectangle[2]
    assert bottom >= rectangle[3]
    union = tuple(map(min, rectangle, window))[:2] + tuple(map(max, rectangle, window))[2:]
    as_wide = union[0], rectangle[1], union[2], rectangle[3]
    as_high = rectangle[0], union[1], rectangle[2], union[3]
    ways = [kind.cost(each, window) for each in (rectangle, as_wide, as_high)]
    assert kind.cost((left, top, right, bottom), window) == min(ways)
    assert kind.grow(rectangle, None) == rectangle


@pytest.mark.parametrize(("driver", "codes"), [("ssd1306", (0, 3, 3, 6)), ("sh1106", (2, 3, 2, 3))])
def test_what_the_window_has_is_not_sent_again(driver: str, codes: tuple[int, ...]) -> None:
    """Columns and page, columns, page, or neither; an SH1106 has always moved on in its columns."""
    kind, window = controller(driver), (3, 1, 9, 2)
    for rectangle, number in zip(
        (window, (3, 2, 9, 3), (4, 1, 9, 2), (4, 2, 9, 3)), codes, strict=True
    ):
        left, _, right, _ = rectangle
        assert len(kind.message(FRAME, rectangle, window)) == 2 * number + 1 + right - left


# --- luma's own devices ------------------------------------------------------------------------


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("face", [RUNNING, WAITING, STOPPED])
def test_the_memory_is_what_luma_itself_would_write(driver: str, face: Face) -> None:
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
    assert controller("ssd1306").waking[:2] == (0x8D, 0x14)  # "Charge Pump Setting", enabled
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


@pytest.mark.parametrize(("driver", "offset"), [("sh1106", 0), ("sh1106", 4), ("ssd1306", 0)])
def test_the_glass_may_begin_at_another_column(driver: str, offset: int) -> None:
    """Some SH1106 begin at column 0; only their memory is wider than the glass."""
    kind = controller(driver)
    assert kind.with_column_offset(None) == kind
    at_left = kind.with_column_offset(offset)
    assert at_left.device.first_column == offset
    with pytest.raises(ValueError, match="column_offset"):
        kind.with_column_offset(5)
