"""The event stream: which lines of the log a reader of the serial line gets."""

import os
import threading
import tty
from contextlib import ExitStack
from pathlib import Path

import pytest

from clock.apps.event_stream import serial_stream
from clock.config.schema import LogTable
from clock.eventlog.recovery import Recovery
from clock.eventlog.replay import Match
from clock.match.events import Origin
from clock.storage.log_reader import CURRENT
from lab.support.appliances import LIMIT_S
from lab.support.last_run import match_in

NEW = b'{"seq":1}\n'


def test_a_port_that_is_not_there_wakes_the_clock(tmp_path: Path) -> None:
    """So that the fault stands in the log and on the panels at once."""
    woken = threading.Event()
    with ExitStack() as parts:
        table = LogTable(serial=f"{tmp_path}/not-there")
        assert serial_stream(table, tmp_path, woken.set, None, parts) is not None
        assert woken.wait(LIMIT_S)


@pytest.mark.rule("R84")
@pytest.mark.parametrize("resumed", ["this clock's", "another clock's", "none"])
def test_a_resumed_match_is_sent_from_its_first_line(tmp_path: Path, resumed: str) -> None:
    """R84: another clock's match has a log of its own here, which begins with the next line."""
    match = match_in("RUNNING")
    lines = [line + b"\n" for line in match.lines]
    (tmp_path / "match.jsonl").write_bytes(b"".join(lines))
    (tmp_path / CURRENT).symlink_to("match.jsonl")
    origin = Origin("match", 1, "", "log", 0, None) if resumed == "another clock's" else None
    recovery = None
    if resumed != "none":
        recovery = Recovery(Match(match.state, match.chain), None, origin=origin)
    reader, port = os.openpty()
    tty.setraw(port)
    table = LogTable(serial=os.ttyname(port))
    with ExitStack() as parts, os.fdopen(reader, "rb") as wire:
        stream = serial_stream(table, tmp_path, lambda: None, recovery, parts)
        assert stream is not None
        stream.append(NEW)
        first = next(line for line in wire if line.strip())
    os.close(port)
    assert first == (lines[0] if resumed == "this clock's" else NEW)
