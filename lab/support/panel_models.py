"""Simulated panels with I2C under luma's and smbus2's real code, or with SPI.

A model takes the bytes of a transfer as its controller would, by the data sheet, and knows what its
glass shows: addressing, windows, scan directions, start line, inversion, charge pump and power. A
command that is not in the data sheet fails the test, except those that luma sends to all kinds and
that have no effect.

The glass is that of common modules: its columns are wired to the middle segments in reverse order,
its lowest row to COM0. So luma's settings, which reverse both, show a picture upright.
"""

import errno
import os
import random
from collections.abc import Callable, Sequence
from typing import NamedTuple

import pytest
import smbus2
from PIL import Image

from hardware.display.i2c import I2cConnection
from hardware.display.spi import SPEED_HZ, Device, SpiConnection

WIDTH, HEIGHT, PAGES = 128, 64, 8
COMMANDS, DATA = 0x00, 0x40  # control bytes: commands or data follow
MORE = 0x80  # added for one byte, which another control byte follows
LARGEST_SMBUS = 32  # bytes of an SMBus block
SPIDEV_BUFFER = 4096  # bytes of a transfer of spidev, by default
LIT = 0xFF  # a pixel

# By bit and inversion: the pixel that each byte of the memory makes.
PIXELS = {
    (bit, inverted): bytes(LIT * ((byte >> bit & 1) != inverted) for byte in range(256))
    for bit in range(8)
    for inverted in (False, True)
}


class Ssd1306:
    """SSD1306, 128x64, its supply from its charge pump (data sheet rev. 1.5)."""

    COLUMNS = 128
    OPERANDS = {  # noqa: RUF012
        0x20: 1, 0x21: 2, 0x22: 2, 0x81: 1, 0x8D: 1, 0xA8: 1, 0xD3: 1, 0xD5: 1, 0xD9: 1,
        0xDA: 1, 0xDB: 1,
    }  # fmt: skip
    HARMLESS: frozenset[int] = frozenset()  # commands of other kinds, without effect on this one
    STATUS = (
        0x06  # but for the bit that tells whether the display is off; as read from such modules
    )

    def __init__(self, seed: int = 0) -> None:
        self._noise = random.Random(seed)
        self.plugged = True
        self.status: Callable[[], int] = self.true_status  # some modules answer something else
        self.power_on()

    def power_on(self) -> None:
        """Reset all registers; the memory holds noise."""
        self.memory = [bytearray(self._noise.randbytes(self.COLUMNS)) for _ in range(PAGES)]
        self.mode, self.lit_all, self.inverted, self.on = 0b10, False, False, False
        self.first_column, self.last_column, self.column = 0, self.COLUMNS - 1, 0
        self.first_page, self.last_page, self.page = 0, PAGES - 1, 0
        self.start_line = self.offset = 0
        self.rows = HEIGHT  # of the multiplex ratio
        self.segments_reversed = self.scan_reversed = False
        self.contrast, self.com_pins, self.supplied = 0x7F, 0x12, False
        self._pending: list[int] = []  # a command without all its operands
        self._took_data = True  # since the last control byte; which one a reset leaves is not known

    def unplug(self) -> None:
        """Disconnect the panel: it is dark and does not answer."""
        self.plugged = False

    def plug(self) -> None:
        """Connect the panel again; it has lost its setup."""
        self.power_on()
        self.plugged = True

    # --- from the bus ---------------------------------------------------------------------------

    def true_status(self) -> int:
        """Return the status byte, which may only be read after commands."""
        assert not self._took_data, "the data sheets do not say what is read after data"
        return self.STATUS | (0x00 if self.on else 0x40)

    def receive(self, payload: bytes) -> None:
        """Take a transfer without its address, or the part of it that arrived."""
        while payload:
            control, payload = payload[0], payload[1:]
            assert control & ~MORE in (COMMANDS, DATA)
            self._took_data = bool(control & DATA)
            count = 1 if control & MORE else len(payload)
            if control & DATA:
                self._take(payload[:count])
            else:
                for byte in payload[:count]:
                    self._command(byte)
            payload = payload[count:]

    def _command(self, byte: int) -> None:
        self._pending.append(byte)
        code, *operands = self._pending
        if len(operands) == self.OPERANDS.get(code, 0):
            self._pending = []
            if code not in self.HARMLESS:
                assert self._execute(code, operands), f"{code:#x} is no command"

    def _execute(self, code: int, operands: list[int]) -> bool:
        """Execute a command; return whether there is such a command."""
        return self._switch(code) or self._set(code, operands) or self._address(code, operands)

    def _switch(self, code: int) -> bool:
        """Execute a command that is register and value in one byte."""
        if 0x40 <= code <= 0x7F:
            self.start_line = code & 0x3F
        elif code in (0xA0, 0xA1):
            self.segments_reversed = code == 0xA1
        elif code in (0xA4, 0xA5):
            self.lit_all = code == 0xA5
        elif code in (0xA6, 0xA7):
            self.inverted = code == 0xA7
        elif code in (0xAE, 0xAF):
            self.on = code == 0xAF
        elif code in (0xC0, 0xC8):
            self.scan_reversed = code == 0xC8
        else:
            return code == 0xE3
        return True

    def _set(self, code: int, operands: list[int]) -> bool:
        """Execute a command with a value."""
        match code, operands:
            case 0x81, [value]:
                self.contrast = value
            case 0xA8, [value]:
                self.rows = (value & 0x3F) + 1
            case 0xD3, [value]:
                self.offset = value & 0x3F
            case 0xDA, [value]:
                self.com_pins = value
            case 0xD5 | 0xD9 | 0xDB, _:
                pass
            case _:
                return self._supply(code, operands)
        return True

    def _supply(self, code: int, operands: list[int]) -> bool:
        if code == 0x8D:
            self.supplied = bool(operands[0] & 0x04)
        return code == 0x8D

    def _address(self, code: int, operands: list[int]) -> bool:
        """Set where data goes; a new window starts at its first byte."""
        match code, operands:
            case 0x20, [mode]:
                self.mode = mode & 0b11
            case 0x21, [first, last]:
                self.first_column, self.last_column = first & 0x7F, last & 0x7F
                self.column = self.first_column
            case 0x22, [first, last]:
                self.first_page, self.last_page = first & 0b111, last & 0b111
                self.page = self.first_page
            case _:
                return self._place(code)
        return True

    def _place(self, code: int) -> bool:
        """Execute a command of page addressing; in other modes it has no effect."""
        if self.mode == 0b10:
            if code <= 0x0F:
                self.column = self.column & 0xF0 | code
            elif code <= 0x1F:
                self.column = self.column & 0x0F | (code & 0x0F) << 4
            elif 0xB0 <= code <= 0xB7:
                self.page = code & 0b111
        return code <= 0x1F or 0xB0 <= code <= 0xB7

    def _take(self, data: bytes) -> None:
        """Write data: in horizontal mode a row of the window at a time, else byte by byte."""
        while data:
            row = self.last_column + 1 - self.column if self.mode == 0b00 else 1
            count = max(1, row)
            self._data(data[:count])
            data = data[count:]

    def _data(self, run: bytes) -> None:
        """Write bytes side by side, and go on after the last of them."""
        end = self.column + len(run)
        if end <= self.COLUMNS:
            self.memory[self.page][self.column : end] = run
        self.column = end - 1
        match self.mode:
            case 0b00:
                if self._next_column():
                    self._next_page()
            case 0b01:
                if self._next_page():
                    self._next_column()
            case _:
                self.column = 0 if self.column >= self.COLUMNS - 1 else self.column + 1

    def _next_column(self) -> bool:
        """Advance; return whether it wrapped around."""
        anew = self.column == self.last_column
        self.column = self.first_column if anew else (self.column + 1) % self.COLUMNS
        return anew

    def _next_page(self) -> bool:
        """Advance; return whether it wrapped around."""
        anew = self.page == self.last_page
        self.page = self.first_page if anew else (self.page + 1) % PAGES
        return anew

    # --- what is seen ---------------------------------------------------------------------------

    @property
    def shines(self) -> bool:
        """Return whether anything can be seen at all."""
        return self.plugged and self.on and self.supplied

    def picture(self) -> Image.Image:
        """Return the picture on the glass, upright."""
        if not self.shines:
            return Image.new("1", (WIDTH, HEIGHT))
        assert self.com_pins == 0x12, "the rows of this glass are wired to alternate COM pins"
        pixels = b"".join(self._row(y) for y in range(HEIGHT))
        return Image.frombytes("1", (WIDTH, HEIGHT), pixels, "raw", "1;8")

    def _row(self, y: int) -> bytes:
        """Return the pixels of a row, from the left, each a byte."""
        com = (HEIGHT - 1 - y - self.offset) % HEIGHT
        line = self.rows - 1 - com if self.scan_reversed else com
        if not 0 <= line < self.rows:
            return bytes(WIDTH)
        if self.lit_all:
            return bytes([LIT]) * WIDTH
        page, bit = divmod((line + self.start_line) % HEIGHT, 8)
        first = (self.COLUMNS - WIDTH) // 2  # the glass has the middle segments, in reverse order
        columns = self.memory[page][first : first + WIDTH]
        upright = columns if self.segments_reversed else columns[::-1]
        return bytes(upright).translate(PIXELS[bit, self.inverted])

    @property
    def blank(self) -> bool:
        """Return whether nothing would be lit if it were switched on."""
        return not any(map(any, self.memory)) and not self.inverted


class Ssd1309(Ssd1306):
    """SSD1309, 128x64: the same with an external supply, without a charge pump."""

    OPERANDS = {code: count for code, count in Ssd1306.OPERANDS.items() if code != 0x8D}  # noqa: RUF012
    HARMLESS = frozenset({0x8D})  # its operand is a high column, which only page addressing has
    STATUS = 0x01

    def power_on(self) -> None:
        """See `Ssd1306.power_on`."""
        super().power_on()
        self.supplied = True


class Sh1106(Ssd1306):
    """SH1106, 132x64: page addressing only, and a converter that is on after a reset."""

    COLUMNS = 132
    OPERANDS = {  # noqa: RUF012
        0x81: 1, 0xA8: 1, 0xAD: 1, 0xD3: 1, 0xD5: 1, 0xD9: 1, 0xDA: 1, 0xDB: 1,
    }  # fmt: skip
    HARMLESS = frozenset({0x20, 0x8D})  # the operand of each is a high column
    STATUS = 0x08

    def power_on(self) -> None:
        """See `Ssd1306.power_on`."""
        super().power_on()
        self.supplied = True

    def _supply(self, code: int, operands: list[int]) -> bool:
        if code == 0xAD:
            self.supplied = bool(operands[0] & 1)
        return code == 0xAD

    def _take(self, data: bytes) -> None:
        """Write data; the column stays at the last one instead of wrapping around."""
        written = data[: max(0, self.COLUMNS - self.column)]
        self.memory[self.page][self.column : self.column + len(written)] = written
        self.column += len(written)

    @property
    def blank(self) -> bool:
        """Return whether the columns of the glass would be dark."""
        return not any(any(row[2:130]) for row in self.memory) and not self.inverted


MODELS: dict[str, type[Ssd1306]] = {"ssd1306": Ssd1306, "ssd1309": Ssd1309, "sh1106": Sh1106}


# --- the bus --------------------------------------------------------------------------------------


class Trouble(NamedTuple):
    """How a transfer fails."""

    number: int  # of errno
    arrived: int = 0  # bytes that the panel took before that


class Bus:
    """An I2C bus, its panels, and the transfers that fail."""

    def __init__(self, panels: dict[int, Ssd1306]) -> None:
        self.panels = panels
        self.there = True  # whether its device file exists
        self.opened = 0  # connections that are not closed
        self.transfers: list[tuple[int, int]] = []  # address and bytes on the wire of each
        self.troubles: dict[int, Trouble] = {}  # by the number of the transfer
        self.before: Callable[[int], None] = lambda address: None  # may wait, or raise
        self.attempts = 0
        self.reads: set[int] = set()  # the numbers of the transfers that read

    @property
    def sent(self) -> int:
        """Return the number of bytes sent, with addresses and control bytes."""
        return sum(size for _, size in self.transfers)

    def connect(self, bus: int, address: int) -> I2cConnection:
        """Return luma's real interface on this bus."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(smbus2, "SMBus", lambda port: _KernelBus(self, port))
            return I2cConnection(port=bus, address=address)

    def transfer(self, address: int, *messages: bytes, reads: int = 0) -> None:
        """Carry out a transfer as the kernel would; `reads` bytes follow, read elsewhere."""
        self.before(address)
        self.attempts += 1
        self.reads |= {self.attempts} if reads else set()
        panel = self.panels.get(address)
        if panel is None or not panel.plugged:
            raise OSError(errno.EREMOTEIO, os.strerror(errno.EREMOTEIO))
        trouble = self.troubles.get(self.attempts)
        if trouble is not None:
            panel.receive(messages[0][: trouble.arrived] if messages else b"")
            raise OSError(trouble.number, os.strerror(trouble.number))
        for message in messages:
            panel.receive(message)
        self.record(address, sum(len(each) + 1 for each in messages) + reads + bool(reads))

    def read(self, address: int, *messages: bytes) -> int:
        """Send messages, and read a panel's status byte in the same transfer."""
        self.transfer(address, *messages, reads=1)
        return self.panels[address].status()

    def record(self, address: int, size: int) -> None:
        """Record that so many bytes were acknowledged."""
        self.transfers.append((address, size))


class _KernelBus(smbus2.SMBus):
    """A bus of smbus2's, with simulated system calls."""

    def __init__(self, wires: Bus, port: int) -> None:
        self._wires = wires
        super().__init__(port)

    def open(self, bus: int | str) -> None:
        """Open the device as the kernel would."""
        if not self._wires.there:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), f"/dev/i2c-{bus}")
        self._wires.opened += 1
        self._open = True

    def close(self) -> None:
        """Close the device; it must be open."""
        assert self._open
        self._open = False
        self._wires.opened -= 1

    def write_i2c_block_data(
        self, i2c_addr: int, register: int, data: Sequence[int], force: bool | None = None
    ) -> None:
        """Send a block of at most 32 bytes after the first."""
        assert force is None
        assert self._open
        assert len(data) <= LARGEST_SMBUS
        self._wires.transfer(i2c_addr, bytes([register, *data]))

    def i2c_rdwr(self, *i2c_msgs: smbus2.i2c_msg) -> None:
        """Send a message, and read a byte if there is a second one to be filled."""
        assert self._open
        *sent, last = i2c_msgs
        if last.flags & smbus2.smbus2.I2C_M_RD:
            assert last.len == 1, "what follows the status byte is none"
            last.buf[0] = self._wires.read(last.addr, *map(bytes, sent))
        else:
            self._wires.transfer(last.addr, bytes(last))


# --- SPI ------------------------------------------------------------------------------------------


class SpiBus:
    """Panels on SPI with the lines DC and RES, which they share. Nothing ever answers."""

    def __init__(self, panels: dict[int, Ssd1306]) -> None:
        self.panels = panels  # by chip select
        self.dc = False
        self.opened = 0  # devices that are not closed
        self.sent = 0  # bytes
        self.resets = 0

    def connect(self, bus: int, select: int) -> SpiConnection:
        """Return the real connection on this bus."""
        return SpiConnection(self.device(bus, select, lambda: self.dc), self.set_dc)

    def device(self, bus: int, select: int, dc: Callable[[], bool]) -> Device:
        """Return what spidev is for one panel; `dc` returns the level of DC."""
        assert bus == 0
        self.opened += 1
        return _Select(self, self.panels[select], dc)

    def set_dc(self, high: bool) -> None:
        """Set the level of DC."""
        self.dc = high

    def reset(self) -> None:
        """Pulse RES: all panels are reset."""
        self.resets += 1
        for panel in self.panels.values():
            panel.power_on()

    def time_ns(self, hz: int = SPEED_HZ) -> int:
        """Return how long the bytes sent so far take on the wire."""
        return self.sent * 8 * 1_000_000_000 // hz


class _Select(NamedTuple):
    """A `spi.Device`."""

    bus: SpiBus
    panel: Ssd1306
    dc: Callable[[], bool]

    def write(self, data: bytes) -> None:
        """Let the panel take commands or data, as DC says; a panel that is gone is no error."""
        assert 0 < len(data) <= SPIDEV_BUFFER
        self.bus.sent += len(data)
        if self.panel.plugged:
            self.panel.receive(bytes([DATA if self.dc() else COMMANDS]) + data)

    def close(self) -> None:
        """Close the device."""
        self.bus.opened -= 1
