"""The event stream on a serial line: the same from a clock on a Pi and from one on a terminal."""

from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from clock.config.schema import LogTable
from clock.eventlog.recovery import Recovery
from clock.storage.log_reader import CURRENT, open_log

if TYPE_CHECKING:
    from hardware.serial.stream import SerialStream


def serial_stream(
    table: LogTable,
    directory: Path,
    wake: Callable[[], None],
    recovery: Recovery | None,
    parts: ExitStack,
) -> "SerialStream | None":
    """Open the serial line of [log] in a thread of its own, if one is named; `parts` close it.

    A log that goes on is sent from its first line, unless it was another clock's.
    """
    if not table.serial:
        return None
    # Most clocks have no serial line, and show their first picture sooner without these.
    from hardware.serial.backlog import Backlog  # noqa: PLC0415
    from hardware.serial.stream import SerialStream  # noqa: PLC0415

    resumed = recovery is not None and recovery.origin is None
    backlog = Backlog(partial(open_log, directory / CURRENT), resumed=resumed)
    stream = SerialStream(table.serial, table.baud, backlog, changed=wake)
    parts.callback(stream.close)
    return stream
