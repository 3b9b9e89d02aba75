"""Check the serial port: that it exists and can be opened. Nothing is sent."""

import errno

from hardware.diagnostics.finding import Finding, Verdict, group_advice
from hardware.serial.port import PORT_ERRORS, open_port

IN_USE = "Stop the other program, or give the clock a port of its own."
ADVICE = {
    errno.ENOENT: 'Plug it in, or set log.serial to one of /dev/serial/by-id/*, or to "".',
    errno.EACCES: group_advice("dialout"),
    errno.EAGAIN: IN_USE,
    errno.EBUSY: IN_USE,
}
OTHER_ADVICE = 'Set log.serial to a serial port, or to "" for none.'


def port(name: str, baud: int) -> Finding:
    """Check that the log can be sent to a port; without a name none is configured."""
    if not name:
        return Finding("serial", "none is configured")
    try:
        with open_port(name, baud):
            return Finding("serial", f"{name}, {baud} baud")
    except PORT_ERRORS as error:
        number = _errno(error)
        why = "another program uses it" if number == errno.EAGAIN else str(error)
        advice = ADVICE.get(number, OTHER_ADVICE)
        return Finding("serial", f"{name}: {why}", Verdict.FAULT, advice)


def _errno(error: BaseException) -> int:
    """Return an error's number; for a locked port pyserial has it only in the error's text."""
    return getattr(error, "errno", None) or next(
        (number for number in ADVICE if f"[Errno {number}]" in str(error)), 0
    )
