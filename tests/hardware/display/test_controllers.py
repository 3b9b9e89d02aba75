"""Kinds of panels: what they are told, byte by byte, and where a box goes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from panel_models import MODELS

from hardware.display.controllers import ADDRESS_BYTES, CALL_BYTES, Chip, chip, commands
from hardware.display.framebuffer import BLANK, PAGES, WHOLE, Box
from hardware.display.pieces import WIDTH

DRIVERS = tuple(MODELS)
FRAME = bytes(at % 251 for at in range(WIDTH * PAGES))
BOX: Box = (18, 2, 21, 4)
LEFTS, TOPS = st.integers(0, WIDTH - 1), st.integers(0, PAGES - 1)
BOXES = st.builds(
    lambda left, top, width, height: (
        left, top, min(WIDTH, left + width), min(PAGES, top + height)
    ),
    LEFTS, TOPS, st.integers(1, 30), st.integers(1, PAGES),
)  # fmt: skip


def sent(kind: Chip, boxes: list[Box], window: Box | None = None) -> list[bytes]:
    """The messages of boxes one after the other."""
    messages = []
    for box in kind.parts(boxes):
        messages.append(kind.message(FRAME, box, window))
        window = box
    return messages


def test_commands_alone_have_one_control_byte() -> None:
    """All that follows are commands."""
    assert commands(0x81, 0x33, 0xA7).hex(" ") == "00 81 33 a7"


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("contrast", [0, 1, 0xFF])
def test_a_kind_is_as_bright_as_is_wanted(driver: str, contrast: int) -> None:
    """In nothing else is it another; unset it is itself."""
    kind = chip(driver)
    bright = kind.lit(contrast)
    assert bright == Chip(kind.setup, contrast, kind.paged)
    assert bright.look(bright.contrast, inverted=False) == (0x81, contrast, 0xA6)
    assert kind.lit(None) is kind


@pytest.mark.parametrize("contrast", [-1, 256])
def test_a_contrast_is_a_byte(contrast: int) -> None:
    """Another would be refused when it is sent, again and again."""
    text = f"^contrast: found {contrast}; allowed are 0 to 255$"
    with pytest.raises(ValueError, match=text):
        chip("ssd1306").lit(contrast)


def test_a_window_and_what_goes_into_it_are_one_message() -> None:
    """A control byte before each byte of a command, and one before the data."""
    begin = "80 21 80 12 80 14 80 22 80 02 80 03 40"
    rows = FRAME[2 * WIDTH + 18 : 2 * WIDTH + 21] + FRAME[3 * WIDTH + 18 : 3 * WIDTH + 21]
    assert sent(chip("ssd1306"), [BOX]) == [bytes.fromhex(begin) + rows]


def test_an_sh1106_is_told_page_by_page() -> None:
    """Each in a message; its glass begins two columns on the right."""
    first, second = sent(chip("sh1106"), [BOX])
    assert first == bytes.fromhex("80 b2 80 11 80 04 40") + FRAME[274:277]
    assert second == bytes.fromhex("80 b3 80 11 80 04 40") + FRAME[402:405]


@pytest.mark.parametrize(
    ("box", "begin"),
    [
        (BOX, "40"),
        ((18, 5, 21, 6), "80 22 80 05 80 05 40"),
        ((40, 2, 41, 4), "80 21 80 28 80 28 40"),
        ((40, 2, 41, 3), "80 21 80 28 80 28 80 22 80 02 80 02 40"),
    ],
)
def test_what_stays_is_not_said_again(box: Box, begin: str) -> None:
    """Of a window that was filled, what the next one has too."""
    [message] = sent(chip("ssd1306"), [box], BOX)
    assert message.startswith(bytes.fromhex(begin))
    data = (box[2] - box[0]) * (box[3] - box[1])
    assert len(message) == len(bytes.fromhex(begin)) + data


def test_the_page_of_an_sh1106_stays_but_not_its_column() -> None:
    """It counts on with each byte, and does not come back."""
    [message] = sent(chip("sh1106"), [(18, 2, 21, 3)], (18, 2, 21, 3))
    assert message == bytes.fromhex("80 11 80 04 40") + FRAME[274:277]


@pytest.mark.parametrize("driver", DRIVERS)
@given(boxes=st.lists(BOXES, min_size=1, max_size=6))
def test_whatever_is_left_out_a_panel_takes_all_to_its_place(driver: str, boxes: list[Box]) -> None:
    """Boxes in any order, each where the frame has it."""
    kind, panel = chip(driver), MODELS[driver]()
    panel.receive(commands(*kind.setup))
    for message in [*sent_from_blank(kind), *sent(kind, boxes, kind.parts([WHOLE])[-1])]:
        panel.receive(message)
    offset = 2 if driver == "sh1106" else 0
    wanted = [bytearray(WIDTH) for _ in range(PAGES)]
    for left, top, right, bottom in boxes:
        for page in range(top, bottom):
            wanted[page][left:right] = FRAME[page * WIDTH + left : page * WIDTH + right]
    assert [page[offset : offset + WIDTH] for page in panel.memory] == wanted


def sent_from_blank(kind: Chip) -> list[bytes]:
    """An empty picture, before which nobody knows anything."""
    return [kind.message(BLANK, box, None) for box in kind.parts([WHOLE])]


@pytest.mark.parametrize("driver", DRIVERS)
@given(box=BOXES)
def test_a_cost_is_what_is_sent(driver: str, box: Box) -> None:
    """Bytes on the wire, with addresses; each system call counts as some more."""
    kind = chip(driver)
    messages = [kind.message(FRAME, each, None) for each in kind.parts([box])]
    bytes_sent = sum(ADDRESS_BYTES + len(message) for message in messages)
    assert kind.cost(box) == bytes_sent + CALL_BYTES * len(messages)


@pytest.mark.parametrize("driver", DRIVERS)
@given(box=BOXES, window=BOXES)
def test_a_box_grows_only_if_that_is_cheaper(driver: str, box: Box, window: Box) -> None:
    """And what it was is within it."""
    kind = chip(driver)
    left, top, right, bottom = kind.within(box, window)
    assert left <= box[0]
    assert top <= box[1]
    assert right >= box[2]
    assert bottom >= box[3]
    assert kind.cost((left, top, right, bottom), window) <= kind.cost(box, window)
    assert kind.within(box, None) == box


def test_a_box_is_made_as_high_as_the_window_if_that_spares_a_command() -> None:
    """Three bytes more of a picture, six less of commands; not so if it is wide."""
    kind = chip("ssd1306")
    assert kind.within((40, 2, 43, 3), BOX) == (40, 2, 43, 4)
    assert kind.within((40, 2, 47, 3), BOX) == (40, 2, 47, 3)
    assert kind.within((19, 5, 20, 6), BOX) == (18, 5, 21, 6)
