"""Slew CLOCK_MONOTONIC, as NTP does: the raw clock is not touched."""

import ctypes
import os

ADJ_TICK = 0x4000  # of adjtimex(2): the microseconds between two ticks, of 100 a second
NORMAL_TICK = 10_000  # the kernel takes 9,000 to 11,000


class _Timex(ctypes.Structure):
    """The first fields of struct timex, with room for the others."""

    _fields_ = (
        ("modes", ctypes.c_uint),
        ("offset_to_status", ctypes.c_long * 5),
        ("constant_to_time", ctypes.c_long * 5),
        ("tick", ctypes.c_long),
        ("rest", ctypes.c_long * 32),
    )


def slew_monotonic(parts: int) -> None:
    """Let CLOCK_MONOTONIC gain so many of 10,000 parts; negative: lose.

    Raises:
        OSError: the kernel refuses that.
    """
    request = _Timex(modes=ADJ_TICK, tick=NORMAL_TICK + parts)
    if ctypes.CDLL(None, use_errno=True).adjtimex(ctypes.byref(request)) < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
