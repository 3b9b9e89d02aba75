"""What each kind of panel has to be told: how to begin, where bytes belong, how bright to be.

A message is one transfer without its address. It begins with a control byte, which says what
follows; after the commands that say where a part of a picture belongs comes one more control byte,
and the part itself (data sheets, "Write mode for I2C"). So a part is one message, one system call,
and needs no repeated start: between two writes the driver of a Raspberry Pi (i2c-bcm2835) tells its
controller the length of a message as soon as the one before fits the FIFO, so a short one that
is still waiting there loses its own.

How a panel is set up is known to luma.oled. Its devices set up a panel when they are made, and only
then, and each that is made is kept until the program ends. So one is made of each kind, on no wire,
and what it would have sent is kept, to be sent whenever a panel has to be set up again.

The one rule: nothing here sends anything.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple

from luma.oled.device import sh1106, ssd1306, ssd1309

from hardware.display.framebuffer import Box, part

Command = tuple[int, ...]

# The commands that all of them know, from their data sheets.
SET_CONTRAST: Final = 0x81
BRIGHTEST: Final = 0xFF  # of the contrasts, which begin with 0
NORMAL, INVERTED = 0xA6, 0xA7
DISPLAY_OFF, DISPLAY_ON = 0xAE, 0xAF
# A transfer that broke off may have left a command waiting for its operands, of which those used
# here have two: they are fed to it, and mean nothing to a panel that was not waiting.
NOTHING: Final = 0xE3
RESYNC: Command = (NOTHING,) * 4

COLUMNS, PAGES = 0x21, 0x22  # of an SSD1306: the window that data goes into, row by row
PAGE, COLUMN_HIGH, COLUMN_LOW = 0xB0, 0x10, 0x00  # of an SH1106: where data goes, within one page
SH1106_LEFT = 2  # it has 132 columns, and its glass hangs on the middle ones

NS_PER_SECOND = 1_000_000_000
# How often everything is sent again: so that both panels and a clock that runs take less than 200
# bytes a second in any five minutes. A picture of pages takes more, and so does every change of it.
REFRESH_NS = 120 * NS_PER_SECOND
REFRESH_PAGED_NS = 300 * NS_PER_SECOND

# Control bytes.
COMMANDS, DATA = 0x00, 0x40  # what follows, to the end of the message
COMMAND = 0x80  # one byte of a command follows, and then another control byte

ADDRESS_BYTES = 1  # on the wire, before each message
CALL_BYTES = 2  # what a system call takes beside, as time: 45 us at 400 kHz


class Chip(NamedTuple):
    """A kind of panel."""

    setup: Command  # all registers but those of the look; nothing of it is seen on a lit panel
    contrast: int  # 0 to BRIGHTEST; as luma.oled sets it, or as wanted
    paged: bool  # data goes into one page at a time, not into a window of several

    @property
    def refresh_ns(self) -> int:
        """How often everything is sent again."""
        return REFRESH_PAGED_NS if self.paged else REFRESH_NS

    def lit(self, contrast: int | None) -> "Chip":
        """The same kind, so bright where nothing dims it.

        Args:
            contrast: 0 to 255; None: as luma.oled sets it.

        Raises:
            ValueError: it is not of these.
        """
        if contrast is None:
            return self
        if not 0 <= contrast <= BRIGHTEST:
            raise ValueError(f"contrast: found {contrast}; allowed are 0 to {BRIGHTEST}")
        return self._replace(contrast=contrast)

    def look(self, contrast: int, *, inverted: bool) -> Command:
        """How bright, and whether what is lit is dark."""
        return SET_CONTRAST, contrast, INVERTED if inverted else NORMAL

    def parts(self, boxes: Sequence[Box]) -> Sequence[Box]:
        """Boxes as they can be sent, each in a message."""
        if not self.paged:
            return boxes
        return [
            (left, page, right, page + 1)
            for left, top, right, bottom in boxes
            for page in range(top, bottom)
        ]

    def message(self, frame: bytes, box: Box, window: Box | None) -> bytes:
        """What sends the part of a frame within a box.

        Args:
            frame: the picture.
            box: one of `parts`.
            window: the box that was sent to this panel before; None: nobody knows.
        """
        place = (byte for code in self._place(box, window) for byte in (COMMAND, code))
        return bytes((*place, DATA)) + part(frame, box)

    def within(self, box: Box, window: Box | None) -> Box:
        """The box to send in place of one: as wide or as high as the window, if that is cheaper."""
        if window is None:
            return box
        left, top, right, bottom = box
        wide = min(left, window[0]), top, max(right, window[2]), bottom
        high = left, min(top, window[1]), right, max(bottom, window[3])
        return min(box, wide, high, key=lambda each: self.cost(each, window))

    def cost(self, box: Box, window: Box | None = None) -> int:
        """What sending a box takes, in bytes on the wire; a call counts as some, too."""
        left, top, right, bottom = box
        each = CALL_BYTES + ADDRESS_BYTES + 2 * len(self._place(box, window)) + 1
        calls = bottom - top if self.paged else 1
        return calls * each + (right - left) * (bottom - top)

    def _place(self, box: Box, window: Box | None) -> Command:
        """Where data goes, without what stays: the page; a window, back at its start."""
        left, top, right, bottom = box
        pages: Command = (PAGE | top,) if self.paged else (PAGES, top, bottom - 1)
        if window is not None and box[1::2] == window[1::2]:
            pages = ()
        if self.paged:
            high, low = divmod(left + SH1106_LEFT, 16)
            return *pages, COLUMN_HIGH | high, COLUMN_LOW | low
        if window is not None and box[::2] == window[::2]:
            return pages
        return COLUMNS, left, right - 1, *pages


def commands(*codes: int) -> bytes:
    """A message of nothing but commands."""
    return bytes((COMMANDS, *codes))


class _Listener:
    """In the place of a wire: keeps the commands."""

    def __init__(self) -> None:
        self.commands: list[Command] = []

    def command(self, *command: int) -> None:
        self.commands.append(command)

    def data(self, data: list[int]) -> None:
        """A picture without anything lit."""

    def cleanup(self) -> None:
        """There is nothing to close."""


DEVICES: Mapping[str, type] = {"ssd1306": ssd1306, "ssd1309": ssd1309, "sh1106": sh1106}


@cache
def chip(driver: str) -> Chip:
    """The kind of panel that luma.oled has a driver for, of 128x64 pixels."""
    listener = _Listener()
    DEVICES[driver](listener).persist = True  # it has nothing to darken when the program ends
    setup, (_, contrast), *_ = listener.commands
    unseen = tuple(code for code in setup if code not in (DISPLAY_OFF, NORMAL))  # no operand is one
    return Chip(unseen, contrast, paged=driver == "sh1106")
