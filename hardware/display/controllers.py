"""The commands of each kind of controller: setting it up, addressing its memory, its brightness.

A message is one I2C transfer without its address. It begins with a control byte, which says whether
commands or data follow. A rectangle of a frame is one message, so one system call: each byte of its
addressing commands after a control byte of its own, then one more control byte and the data (data
sheets, "Write mode for I2C"). It needs no repeated start. With one, the Raspberry Pi's driver
(i2c-bcm2835) sets the length of the second message while a short first one is still in the FIFO,
which then loses its own.

The commands of the setup come from luma.oled, whose devices send them once, when they are made, and
are then kept until the program ends. So one device of each kind is made without a bus, and its
commands are recorded, to be sent whenever a panel has to be set up.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final, NamedTuple

from luma.oled.device import sh1106, ssd1306, ssd1309

from hardware.display.framebuffer import Rectangle, crop
from hardware.display.widgets import HEIGHT, WIDTH

Command = tuple[int, ...]

# Commands that all kinds have (data sheets).
SET_CONTRAST: Final = 0x81
BRIGHTEST: Final = 0xFF  # contrast; the least is 0
NORMAL, INVERTED = 0xA6, 0xA7
DISPLAY_OFF, DISPLAY_ON = 0xAE, 0xAF
NOP: Final = 0xE3
# A transfer that broke off may have left a command waiting for its operands, at most two of the
# commands used here. These are taken for them, and do nothing otherwise.
RESYNC: Command = (NOP,) * 4

SET_COLUMNS, SET_PAGES = 0x21, 0x22  # SSD1306: the window that data goes into, page by page
SET_PAGE, COLUMN_HIGH, COLUMN_LOW = 0xB0, 0x10, 0x00  # SH1106: where data goes within one page

# What light needs and a reset takes away: charge pump, addressing, orientation. The other registers
# of the setup have about the same values after a reset (data sheets, "Command table").
CHARGE_PUMP, PUMP_ON = 0x8D, 0x14
ADDRESSING, HORIZONTAL = 0x20, 0x00
UPRIGHT: Command = (0xA1, 0xC8)  # segments and rows, as common modules are wired

# The status byte; its other bits are the chip's own and constant.
STATUS_OFF: Final = 0x40  # the display is off, as it is after a reset
STATUS_MASK: Final = 0x7F  # the highest bit of the SH1106 tells that it is busy

SPARE_COLUMNS = 4  # of the SH1106's memory, which has 132 columns

# Control bytes.
COMMANDS, DATA = 0x00, 0x40  # commands or data follow, to the end of the message
COMMAND = 0x80  # one byte of a command follows, then another control byte

ADDRESS_BYTES = 1  # on the wire, before each message
CALL_BYTES = 6  # what a system call and the wait for its end cost, as bytes: 0.14 ms at 400 kHz


class Chip(NamedTuple):
    """What is known of a driver: a panel of 128x64 pixels of one bit, in pages of eight rows."""

    luma: type  # its class in luma.oled, whose setup is used
    first_column: int = 0  # of the memory's columns, the one at the glass's left edge
    paged: bool = False  # data goes into one page at a time, not into a window of several

    def make(self, serial: object) -> Any:
        """Return a device of luma's, which sends its setup and a dark picture at once."""
        made = self.luma(serial, width=WIDTH, height=HEIGHT)
        made.persist = True  # it does not darken the panel when the program ends
        return made


class Controller(NamedTuple):
    """A kind of panel."""

    setup: Command  # all registers but power, inversion and contrast; invisible on a lit panel
    contrast: int  # 0 to BRIGHTEST, while the panel is not dimmed
    device: Chip

    @property
    def paged(self) -> bool:
        """Whether data goes into one page at a time, not into a window of several."""
        return self.device.paged

    @property
    def waking(self) -> Command:
        """The shortest setup after which a panel that was reset is lit and upright."""
        return UPRIGHT if self.paged else (CHARGE_PUMP, PUMP_ON, ADDRESSING, HORIZONTAL, *UPRIGHT)

    def with_contrast(self, contrast: int | None) -> "Controller":
        """Return this kind with a contrast of 0 to 255; None keeps that of luma.oled.

        Raises:
            ValueError: the contrast is out of range.
        """
        if contrast is None:
            return self
        if not 0 <= contrast <= BRIGHTEST:
            raise ValueError(f"contrast: found {contrast}; allowed are 0 to {BRIGHTEST}")
        return self._replace(contrast=contrast)

    def with_column_offset(self, offset: int | None) -> "Controller":
        """Return this kind with another first column of its memory; None keeps the driver's.

        Raises:
            ValueError: the memory has no such columns.
        """
        if offset is None:
            return self
        if offset not in (range(SPARE_COLUMNS + 1) if self.device.paged else (0,)):
            raise ValueError(f"column_offset: found {offset}; this driver has no such columns")
        return self._replace(device=self.device._replace(first_column=offset))

    def light_commands(self, contrast: int, *, inverted: bool) -> Command:
        """Return the commands that set contrast and inversion."""
        return SET_CONTRAST, contrast, INVERTED if inverted else NORMAL

    def split(self, rectangles: Sequence[Rectangle]) -> Sequence[Rectangle]:
        """Cut rectangles into ones that one message can send."""
        if not self.paged:
            return rectangles
        return [
            (left, page, right, page + 1)
            for left, top, right, bottom in rectangles
            for page in range(top, bottom)
        ]

    def message(self, frame: bytes, rectangle: Rectangle, window: Rectangle | None) -> bytes:
        """Return the message that sends one of the rectangles of `split` out of a whole frame.

        The window is the rectangle that was sent before it; None if that is not known.
        """
        codes = self._addressing(rectangle, window)
        addressing = (byte for code in codes for byte in (COMMAND, code))
        return bytes((*addressing, DATA)) + crop(frame, rectangle)

    def grow(self, rectangle: Rectangle, window: Rectangle | None) -> Rectangle:
        """Return a rectangle as wide or as high as the window, if that is cheaper to send."""
        if window is None:
            return rectangle
        left, top, right, bottom = rectangle
        wide = min(left, window[0]), top, max(right, window[2]), bottom
        high = left, min(top, window[1]), right, max(bottom, window[3])
        return min(rectangle, wide, high, key=lambda each: self.cost(each, window))

    def cost(self, rectangle: Rectangle, window: Rectangle | None = None) -> int:
        """Return the cost of sending a rectangle: bytes, and `CALL_BYTES` for each system call."""
        left, top, right, bottom = rectangle
        addressing = 2 * len(self._addressing(rectangle, window))
        message = CALL_BYTES + ADDRESS_BYTES + addressing + 1
        messages = bottom - top if self.paged else 1
        return messages * message + (right - left) * (bottom - top)

    def _addressing(self, rectangle: Rectangle, window: Rectangle | None) -> Command:
        """Return the commands that address a rectangle, without what the window has already."""
        left, top, right, bottom = rectangle
        pages: Command = (SET_PAGE | top,) if self.paged else (SET_PAGES, top, bottom - 1)
        if window is not None and rectangle[1::2] == window[1::2]:
            pages = ()
        if self.paged:
            high, low = divmod(left + self.device.first_column, 16)
            return *pages, COLUMN_HIGH | high, COLUMN_LOW | low
        if window is not None and rectangle[::2] == window[::2]:
            return pages
        first = self.device.first_column
        return SET_COLUMNS, first + left, first + right - 1, *pages


def commands(*codes: int) -> bytes:
    """Return a message of commands alone."""
    return bytes((COMMANDS, *codes))


class _Recorder:
    """Records the commands of a luma device, in place of a bus."""

    def __init__(self) -> None:
        self.commands: list[Command] = []

    def command(self, *command: int) -> None:
        self.commands.append(command)

    def data(self, data: list[int]) -> None:
        """Ignore a dark picture."""

    def cleanup(self) -> None:
        """Close nothing."""


DEVICES: Mapping[str, Chip] = {
    "ssd1306": Chip(ssd1306),
    "ssd1309": Chip(ssd1309),
    "sh1106": Chip(sh1106, first_column=2, paged=True),  # the glass has the middle of 132 columns
}


@cache
def controller(
    driver: str, contrast: int | None = None, column_offset: int | None = None
) -> Controller:
    """Return the kind of panel that a driver, one of `DEVICES`, is for, as it is set up.

    Without a contrast or a column it has luma.oled's own.
    """
    device, recorder = DEVICES[driver], _Recorder()
    device.make(recorder)
    setup, (_, own_contrast), *_ = recorder.commands
    invisible = tuple(code for code in setup if code not in (DISPLAY_OFF, NORMAL))  # no operands
    kind = Controller(invisible, own_contrast, device)
    return kind.with_contrast(contrast).with_column_offset(column_offset)
