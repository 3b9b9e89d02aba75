"""A serial port that is only written to: how it is set up, what it says of errors, its wait."""

import termios

import pytest
from serial import SerialException

from hardware.serial.port import PORT_ERRORS, PortWait, error_text
from lab.support.serial_wire import SAFETY_S, Bench


def test_a_wait_tells_a_wake_up_from_its_time_limit() -> None:
    """A wake-up before the wait ends it at once, and so do a hundred thousand."""
    waiting = PortWait()
    assert waiting.port(None, 0, 0) is None
    for _ in range(100_000):
        waiting.wake()
    assert waiting.port(None, 0, None) == 0
    waiting.stop()
    waiting.pause(SAFETY_S)
    waiting.close()


def test_a_board_is_not_reset_and_breaks_are_ignored(bench: Bench) -> None:
    """DTR stays on when the port is closed, so opening it again moves no line."""
    wire, stream = bench.plug(), bench.stream()
    bench.waiting.until_idle()
    iflag, _, cflag, _ = wire.attributes()
    assert iflag & termios.IGNBRK
    assert not iflag & (termios.IXON | termios.IXOFF | termios.ICRNL)
    assert not cflag & (termios.HUPCL | termios.CRTSCTS)
    stream.close()
    assert not wire.attributes()[2] & termios.HUPCL


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (OSError(5, "any"), "Input/output error"),
        (SerialException(13, "any"), "Permission denied"),
        (SerialException("write failed"), "write failed"),
        (termios.error(5, "Input/output error"), "Input/output error"),
        (ValueError("invalid URL"), "invalid URL"),
    ],
    ids=repr,
)
def test_every_kind_of_failure_is_said_in_the_systems_words(error: Exception, reason: str) -> None:
    """The libraries raise several families of errors, all of which a stream catches."""
    assert isinstance(error, PORT_ERRORS)
    assert error_text(error) == reason
