"""The 28 lines of a simulated GPIO bank, moved as buttons would move them.

gpio-sim takes "pull-up" or "pull-down" for each of its lines. On the bench's kernel (see
irq-work.patch) the interrupt comes during that write: the stamp of an edge lies between the
instants before and after the write, and edges that are close together do not hide one another.
"""

import ctypes
import fcntl
import gc
import os
import struct
import time
from pathlib import Path
from typing import NamedTuple

CONFIGFS = Path("/sys/kernel/config/gpio-sim/pi")
COUNT = 28
LABEL = "pinctrl-bcm2711"

SPIN_NS = 500_000  # before an instant, poll the clock: a thread that sleeps may wake too late
HELD_UP_NS = 10_000_000  # a move that is later than this means that the whole guest was held up
# The real-time priority while lines are moved: above all load, but below the kernel's interrupt
# threads (50). An interrupt thread that had to wait would take the next edge's stamp for its own.
PRIORITY = 1

GET_LINE_INFO = 0xC100B405  # GPIO_V2_GET_LINEINFO_IOCTL
LINE_INFO = struct.Struct("=64xI4xQ176x")  # offset, flags
USED = 1 << 0  # GPIO_V2_LINE_FLAG_USED

NS_PER_SECOND = 1_000_000_000
TIMER_ABSTIME = 1


class LineMove(NamedTuple):
    """A move of a line to high or low, some time after the first move."""

    after_ns: int
    line: int
    high: bool


class MovedLine(NamedTuple):
    """The instants of the raw clock before and after a move."""

    before_ns: int
    after_ns: int


class GpioBank:
    """The simulated bank; at first all lines are high, as with pull-ups."""

    def __init__(self, *, travels: bool) -> None:
        """Create the bank in the kernel.

        Args:
            travels: whether time travels; then nothing polls the clock.
        """
        self._spin_ns = 0 if travels else SPIN_NS
        bank = CONFIGFS / "bank"
        bank.mkdir(parents=True)
        (bank / "num_lines").write_text(str(COUNT))
        (bank / "label").write_text(LABEL)
        (CONFIGFS / "live").write_text("1")
        device = (CONFIGFS / "dev_name").read_text().strip()
        chip = (bank / "chip_name").read_text().strip()
        lines = Path("/sys/devices/platform") / device / chip
        self._pulls = [
            os.open(lines / f"sim_gpio{number}" / "pull", os.O_WRONLY) for number in range(COUNT)
        ]
        self._chip = os.open(f"/dev/{chip}", os.O_RDWR)
        for number in range(COUNT):
            self.move(number, high=True)

    @property
    def claimed(self) -> int:
        """The number of lines that a program has claimed."""
        return sum(map(self._is_claimed, range(COUNT)))

    def _is_claimed(self, line: int) -> bool:
        """Return whether struct gpio_v2_line_info of linux/gpio.h has the flag "used"."""
        info = bytearray(LINE_INFO.size)
        LINE_INFO.pack_into(info, 0, line, 0)
        fcntl.ioctl(self._chip, GET_LINE_INFO, info)
        _, flags = LINE_INFO.unpack(info)
        return bool(flags & USED)

    def move(self, line: int, *, high: bool) -> MovedLine:
        """Move one line now."""
        pull = b"pull-up" if high else b"pull-down"
        before_ns = raw_ns()
        os.pwrite(self._pulls[line], pull, 0)
        return MovedLine(before_ns, raw_ns())

    def play(self, moves: list[LineMove], *, polls: bool = True) -> list[MovedLine]:
        """Move lines at their instants, counted from now; return when each one moved.

        If the guest is held up in between, all later moves are late by as much.

        Args:
            moves: what to move and when.
            polls: whether to poll the clock before each move. Without it moves are some 0.1 ms
                late, but the guest's only processor is free for other programs between them.
        """
        spin_ns = self._spin_ns if polls else 0
        gc.disable()
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
        try:
            begin_ns, begin_raw_ns = time.monotonic_ns(), raw_ns()
            moved = []
            for after_ns, line, high in moves:
                wait_until(begin_ns + after_ns, spin_ns)
                moved.append(self.move(line, high=high))
                late_ns = moved[-1].before_ns - begin_raw_ns - after_ns
                if late_ns > HELD_UP_NS:
                    begin_ns, begin_raw_ns = begin_ns + late_ns, begin_raw_ns + late_ns
            return moved
        finally:
            os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
            gc.enable()


def raw_ns() -> int:
    """Return the instant on the raw clock."""
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)


class _TimeSpec(ctypes.Structure):
    _fields_ = (("tv_sec", ctypes.c_long), ("tv_nsec", ctypes.c_long))


_libc = ctypes.CDLL(None, use_errno=True)


def wait_until(at_ns: int, spin_ns: int) -> None:
    """Sleep until shortly before an instant of CLOCK_MONOTONIC, then poll the clock."""
    sleep_until(at_ns - spin_ns)
    while spin_ns and time.monotonic_ns() < at_ns:
        pass


def sleep_until(at_ns: int) -> None:
    """Sleep until an instant of CLOCK_MONOTONIC; return at once if it has passed.

    Python's own sleep reads the clock first, which takes time in time travel.
    """
    until = _TimeSpec(*divmod(at_ns, NS_PER_SECOND))
    flags = ctypes.c_int(TIMER_ABSTIME)
    while _libc.clock_nanosleep(time.CLOCK_MONOTONIC, flags, ctypes.byref(until), None):
        pass  # interrupted
