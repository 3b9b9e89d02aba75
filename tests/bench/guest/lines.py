"""The 28 lines of a simulated GPIO bank, as fingers and springs move them.

gpio-sim takes "pull-up" or "pull-down" for each of its lines. With the bench's kernel (see
irq-work.patch) the interrupt comes while that is written: the stamp of an edge lies between the
instants before and after the writing, and no edge hides another, however close they are. What
limits how close is the writing itself: see `play`.

The one rule: an instant is waited for on the guest's own clock, for only there does it exist when
time travels.
"""

import ctypes
import fcntl
import gc
import os
import struct
import time
from pathlib import Path
from typing import NamedTuple

CONFIG = Path("/sys/kernel/config/gpio-sim/pi")
COUNT = 28
LABEL = "pinctrl-bcm2711"

SPIN_NS = 500_000  # before an instant it is waited for awake: a sleeper may wake a little too late
HELD_UP_NS = 10_000_000  # later than that, the whole guest was
# Of whoever moves lines: above all load, below the kernel's interrupt threads (50), for one that
# must wait takes the next edge's stamp for its own.
PRIORITY = 1

GET_LINE_INFO = 0xC100B405  # GPIO_V2_GET_LINEINFO_IOCTL
LINE_INFO = struct.Struct("=64xI4xQ176x")  # offset, flags
USED = 1 << 0  # GPIO_V2_LINE_FLAG_USED

NS_PER_SECOND = 1_000_000_000
TIMER_ABSTIME = 1


class Move(NamedTuple):
    """A line goes high or low, some time after the moves began."""

    after_ns: int
    line: int
    high: bool


class Moved(NamedTuple):
    """Between which instants of the raw clock a line moved."""

    before_ns: int
    after_ns: int


class Lines:
    """The bank; all lines high, as pull-ups have them."""

    def __init__(self, *, travels: bool) -> None:
        """Make it.

        Args:
            travels: whether time does; then nothing is waited for awake.
        """
        self._spin_ns = 0 if travels else SPIN_NS
        bank = CONFIG / "bank"
        bank.mkdir(parents=True)
        (bank / "num_lines").write_text(str(COUNT))
        (bank / "label").write_text(LABEL)
        (CONFIG / "live").write_text("1")
        device = (CONFIG / "dev_name").read_text().strip()
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
        """How many lines a program has in use."""
        return sum(map(self._is_claimed, range(COUNT)))

    def _is_claimed(self, line: int) -> bool:
        """Whether linux/gpio.h's struct gpio_v2_line_info has the flag "used"."""
        info = bytearray(LINE_INFO.size)
        LINE_INFO.pack_into(info, 0, line, 0)
        fcntl.ioctl(self._chip, GET_LINE_INFO, info)
        _, flags = LINE_INFO.unpack(info)
        return bool(flags & USED)

    def move(self, line: int, *, high: bool) -> Moved:
        """Move one line now."""
        pull = b"pull-up" if high else b"pull-down"
        before_ns = raw_ns()
        os.pwrite(self._pulls[line], pull, 0)
        return Moved(before_ns, raw_ns())

    def play(self, moves: list[Move]) -> list[Moved]:
        """Move lines at their instants, counted from now; returns when they did.

        A hand that is held up is as late with all that follows.
        """
        gc.disable()
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
        try:
            begin_ns, begin_raw_ns = time.monotonic_ns(), raw_ns()
            moved = []
            for after_ns, line, high in moves:
                self._wait_until(begin_ns + after_ns)
                moved.append(self.move(line, high=high))
                late_ns = moved[-1].before_ns - begin_raw_ns - after_ns
                if late_ns > HELD_UP_NS:
                    begin_ns, begin_raw_ns = begin_ns + late_ns, begin_raw_ns + late_ns
            return moved
        finally:
            os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
            gc.enable()

    def _wait_until(self, at_ns: int) -> None:
        sleep_until(at_ns - self._spin_ns)
        while self._spin_ns and time.monotonic_ns() < at_ns:
            pass


def raw_ns() -> int:
    """The instant on the raw clock."""
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)


class _TimeSpec(ctypes.Structure):
    _fields_ = (("tv_sec", ctypes.c_long), ("tv_nsec", ctypes.c_long))


_libc = ctypes.CDLL(None, use_errno=True)


def sleep_until(at_ns: int) -> None:
    """Sleep until an instant of CLOCK_MONOTONIC; not at all if it has passed.

    Python's own sleep reads the clock first, which costs time when time travels.
    """
    until = _TimeSpec(*divmod(at_ns, NS_PER_SECOND))
    flags = ctypes.c_int(TIMER_ABSTIME)
    while _libc.clock_nanosleep(time.CLOCK_MONOTONIC, flags, ctypes.byref(until), None):
        pass  # interrupted
