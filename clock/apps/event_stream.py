"""The event stream on a serial line: the same from a clock on a Pi and from one on a terminal."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from clock.config.schema import LogTable
from clock.eventlog.recovery import Recovery
from clock.storage.log_reader import CURRENT, open_log
from hardware.serial.backlog import Backlog
from hardware.serial.stream import SerialStream


def serial_stream(
    table: LogTable, directory: Path, wake: Callable[[], None], recovery: Recovery | None
) -> SerialStream:
    """Open the serial line of [log] in a thread of its own.

    Args:
        table: with the port.
        directory: of the logs; the table's need not be the one in use.
        wake: called when the line fails or recovers.
        recovery: the match that is resumed; its log is sent from the first line, unless it was
            another clock's.
    """
    resumed = recovery is not None and recovery.origin is None
    backlog = Backlog(partial(open_log, directory / CURRENT), resumed=resumed)
    return SerialStream(table.serial, table.baud, backlog, changed=wake)
