"""The serial line: whether it is there, may be opened, and is nobody else's.

The one rule: nothing is sent.
"""

import errno
import termios

from serial import serial_for_url

from hardware.diagnostics.finding import Finding, Verdict

WRITE_S = 0.2  # 0 would never return (pyserial), None wait for ever

WHAT_TO_DO = {
    errno.ENOENT: "Plug it in, or set log.serial to one of /dev/serial/by-id/*, or to none.",
    errno.EACCES: "sudo usermod -aG dialout $USER, then log in again.",
    errno.EAGAIN: "Another program has it: end that, or give the clock a port of its own.",
    errno.EBUSY: "Another program has it: end that, or give the clock a port of its own.",
}
OTHERWISE = 'Set log.serial to a serial port, or to none with serial = "".'


def port(name: str, baud: int) -> Finding:
    """Whether the log's lines can go there.

    Args:
        name: of the device; "" for none.
        baud: its speed.
    """
    if not name:
        return Finding("serial", "none is configured")
    try:
        with serial_for_url(name, baud, exclusive=True, write_timeout=WRITE_S):
            return Finding("serial", f"{name}, {baud} baud")
    except (OSError, termios.error, ValueError) as error:
        advice = WHAT_TO_DO.get(_number(error), OTHERWISE)
        return Finding("serial", f"{name}: {_why(error)}", Verdict.FAULT, advice)


def _number(error: BaseException) -> int:
    """The system's number of an error; pyserial has it only in its text when a port is locked."""
    return getattr(error, "errno", None) or next(
        (number for number in WHAT_TO_DO if f"[Errno {number}]" in str(error)), 0
    )


def _why(error: BaseException) -> str:
    number = _number(error)
    return "another program has it" if number == errno.EAGAIN else str(error)
