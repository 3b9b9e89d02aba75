"""What each kind of panel has to be told: how to begin, where bytes belong, how bright to be.

How a panel is set up is known to luma.oled. Its devices set up a panel when they are made, and only
then, and each that is made is kept until the program ends. So one is made of each kind, on no wire,
and what it would have sent is kept, to be sent whenever a panel has to be set up again.

The one rule: nothing here sends anything.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final, NamedTuple

from luma.oled.device import sh1106, ssd1306, ssd1309
from PIL import Image

from hardware.frames import Box

Command = tuple[int, ...]

# The commands that all of them know, from their data sheets.
SET_CONTRAST: Final = 0x81
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

TRANSFER_BYTES = 2  # beside what is sent: the address, and whether commands or data follow


class Chip(NamedTuple):
    """A kind of panel."""

    setup: Command  # all registers but those of the look; nothing of it is seen on a lit panel
    contrast: int  # as luma.oled sets it, 0 to 255
    paged: bool  # data goes into one page at a time, not into a window of several

    @property
    def refresh_ns(self) -> int:
        """How often everything is sent again."""
        return REFRESH_PAGED_NS if self.paged else REFRESH_NS

    def look(self, contrast: int, *, inverted: bool) -> Command:
        """How bright, and whether what is lit is dark."""
        return SET_CONTRAST, contrast, INVERTED if inverted else NORMAL

    def transfers(self, frame: Image.Image, box: Box) -> Iterator[tuple[Command, bytes]]:
        """The part of a frame within a box: commands, each with the data that follow it."""
        left, top, right, bottom = box
        if not self.paged:
            yield (COLUMNS, left, right - 1, PAGES, top, bottom - 1), frame.crop(box).tobytes()
            return
        high, low = divmod(left + SH1106_LEFT, 16)
        for page in range(top, bottom):
            row = frame.crop((left, page, right, page + 1)).tobytes()
            yield (PAGE | page, COLUMN_HIGH | high, COLUMN_LOW | low), row

    def cost(self, box: Box) -> int:
        """What sending a box takes, in bytes on the wire."""
        left, top, right, bottom = box
        places, command = (bottom - top, 3) if self.paged else (1, 6)
        return places * (command + 2 * TRANSFER_BYTES) + (right - left) * (bottom - top)


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
