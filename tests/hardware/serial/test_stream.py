"""The log on a serial line: real terminals (ptys) and sockets, real hang-ups, and no sleeping."""

import socket
import threading
from collections.abc import Callable, Iterable
from io import BytesIO
from pathlib import Path

import pytest
from serial import Serial

from hardware.serial.backlog import Backlog, OpenLog
from hardware.serial.port import open_port
from hardware.serial.stream import (
    FIRST_RETRY_S,
    HEARTBEAT_NS,
    LAST_RETRY_S,
    PART,
    UNREAD,
    SerialStream,
)
from lab.support.match_scripts import log_of
from lab.support.serial_wire import BAUD, SAFETY_S, Bench, WatchedWait, await_end
from lab.support.world import match_settings

SETTINGS = match_settings(length=5)
SCRIPT = """
1 press left
1 press right
1 press centre
2 press right
9 press left
30 press right
4 press centre
2 press centre
12 press left
"""
LONG = b"x" * 100_000 + b"\n"  # more than a pty holds
LOG = [line + b"\n" for line in log_of(SCRIPT, SETTINGS)]


def numbered(first: int, last: int) -> list[bytes]:
    """Return lines of a match, with the fields that a reader looks at."""
    return [b'{"v":1,"seq":%d,"match":"m"}\n' % seq for seq in range(first, last + 1)]


def on_disk(lines: Iterable[bytes]) -> OpenLog:
    return lambda: BytesIO(b"".join(lines))


def serial_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == PART]


def append(stream: SerialStream, lines: Iterable[bytes]) -> None:
    for line in lines:
        stream.append(line)


@pytest.mark.rule("R84")
def test_a_port_that_is_missing_at_the_start_is_a_fault_until_all_is_sent(bench: Bench) -> None:
    """The lines wait for it; the fault is reported once, after any number of attempts."""
    calls: list[int] = []
    stream = bench.stream(changed=lambda: calls.append(1))
    append(stream, LOG)
    bench.waiting.go_on()
    bench.waiting.until(lambda: bench.waiting.pausing)
    assert stream.faults() == [("serial", f"{bench.link}: No such file or directory")]
    wire = bench.plug()
    bench.waiting.go_on()
    wire.expect(LOG)
    bench.waiting.until_idle()
    assert stream.faults() == [("serial", None)]
    assert stream.faults() == []
    assert len(calls) == 2


def test_attempts_back_off(bench: Bench) -> None:
    """The pause doubles from 0.5 s to 2 s, and starts again once all was sent.

    So an adapter that is plugged in again is found within 2 s, however long it was away.
    """
    stream = bench.stream()
    for _ in range(6):
        bench.waiting.go_on()
    bench.waiting.until(lambda: bench.waiting.pausing)
    wire = bench.plug()
    bench.waiting.go_on()
    append(stream, LOG)
    wire.expect(LOG)
    bench.waiting.until_idle()
    bench.unplug(wire)
    assert max(bench.waiting.pauses) <= 2.0
    waits = [FIRST_RETRY_S, 1.0, *[LAST_RETRY_S] * 5]
    assert bench.waiting.pauses == [*waits, FIRST_RETRY_S]


@pytest.mark.rule("R84")
def test_after_unplugging_the_match_is_sent_from_its_beginning(bench: Bench) -> None:
    """It may be another reader at another port: each connection gets every line once."""
    first, stream = bench.plug(), bench.stream()
    append(stream, LOG[:4])
    first.expect(LOG[:4])
    bench.waiting.until_idle()
    bench.unplug(first)
    assert stream.faults() == [("serial", f"{bench.link}: disconnected")]
    append(stream, LOG[4:6])
    second = bench.plug()
    bench.waiting.go_on()
    second.expect(LOG[:6])
    append(stream, LOG[6:])
    second.expect(LOG[6:])
    bench.waiting.until_idle()
    assert second.is_empty()
    assert stream.faults() == [("serial", None)]


def test_a_torn_line_is_ended_before_all_is_sent_again(bench: Bench) -> None:
    """A line feed comes first, so the first line of the new connection is whole."""
    first, stream = bench.plug(), bench.stream()
    append(stream, [*numbered(1, 2), LONG])
    bench.waiting.until_stuck()
    first.read(2000)
    bench.unplug(first)
    second = bench.plug()
    append(stream, numbered(4, 9))
    bench.waiting.go_on()
    second.expect([b"\n", *numbered(1, 2), LONG, *numbered(4, 9)])


@pytest.mark.rule("R84")
def test_a_reader_that_does_not_read_delays_no_append(bench: Bench) -> None:
    """The thread sleeps until there is room, whatever is appended; lost lines are counted."""
    wire, stream = bench.plug(), bench.stream(keep=100)
    stream.append(LONG)
    bench.waiting.until_stuck()
    calls = bench.waiting.calls
    append(stream, [*numbered(1, 10_150), LONG])
    assert bench.waiting.calls == calls
    wire.expect([LONG])
    wire.expect(numbered(10_052, 10_150))
    bench.waiting.until_stuck()
    assert stream.faults() == [("serial", "10051 lines lost")]
    wire.expect([LONG])
    bench.waiting.until_idle()
    assert wire.is_empty()
    assert stream.faults() == [("serial", None)]


def test_a_loss_that_was_cleared_is_reported_again(bench: Bench) -> None:
    """What was lost since the last report is reported before the fault is cleared."""
    wire, stream = bench.plug(), bench.stream()
    stream.append(LONG)
    bench.waiting.until_stuck()
    for lost in (5, 2):
        append(stream, numbered(1, lost))
        stream.begin()
    wire.expect([LONG])
    bench.waiting.until_idle()
    assert [what for _, what in stream.faults()] == ["5 lines lost", "7 lines lost", None]
    stream.append(LONG)
    bench.waiting.until_stuck()
    append(stream, numbered(1, 1))
    stream.begin()
    assert [what for _, what in stream.faults()] == ["1 line lost"]


@pytest.mark.parametrize(("baud", "patience_s"), [(163_840, 6), (4096, 45)])
def test_a_reader_that_does_not_read_is_a_fault(bench: Bench, baud: int, patience_s: int) -> None:
    """Reported once, when even a slow line would have sent its buffer; no further wake-ups."""
    wire, stream = bench.plug(), bench.stream(baud=baud)
    bench.waiting.impatient = True
    stream.append(LONG)
    bench.waiting.until_stuck()
    limits = {timeout_s for timeout_s in bench.waiting.limits if timeout_s is not None}
    assert limits == {patience_s}
    assert bench.waiting.limits[-1] is None
    assert stream.faults() == [("serial", UNREAD)]
    wire.expect([LONG])
    bench.waiting.until_idle()
    assert stream.faults() == [("serial", None)]


def test_after_a_restart_the_whole_match_is_sent(bench: Bench) -> None:
    """The last run may have ended in the middle of a line: a line feed comes first."""
    wire, stream = bench.plug(), bench.stream(log=on_disk(LOG[:5]), resumed=True)
    append(stream, LOG[5:])
    wire.expect([b"\n", *LOG])


@pytest.mark.rule("R84")
def test_bytes_from_the_other_end_are_ignored(bench: Bench) -> None:
    """Every byte, signals and XOFF among them, as many as a pty takes: none is even read."""
    wire, stream = bench.plug(), bench.stream()
    bench.waiting.until_idle()
    turns = bench.waiting.turns
    wire.flood(b"\x13" + bytes(range(256)))
    assert bench.waiting.turns == turns
    append(stream, LOG)
    wire.expect(LOG)
    bench.waiting.until_idle()
    assert wire.is_empty()
    assert stream.faults() == []


def test_two_programs_do_not_write_to_one_line(bench: Bench) -> None:
    wire, stream = bench.plug(), bench.stream()
    bench.waiting.until_idle()
    waiting = WatchedWait()
    second = SerialStream(wire.path, BAUD, Backlog(BytesIO, resumed=False), wait=waiting)
    waiting.until(lambda: waiting.pausing)
    assert second.faults() == [("serial", f"{wire.path}: Resource temporarily unavailable")]
    second.close()
    assert stream.faults() == []


def test_a_later_reader_gets_only_the_present_match(bench: Bench) -> None:
    first, stream = bench.plug(), bench.stream()
    stream.begin()
    append(stream, LOG)
    first.expect(LOG)
    bench.waiting.until_idle()
    stream.begin()
    append(stream, numbered(1, 3))
    first.expect(numbered(1, 3))
    bench.waiting.until_idle()
    assert stream.faults() == []
    bench.unplug(first)
    second = bench.plug()
    bench.waiting.go_on()
    second.expect(numbered(1, 3))
    bench.waiting.until_idle()
    assert second.is_empty()


def test_a_bug_in_the_thread_is_a_fault(bench: Bench) -> None:
    """The thread ends; the clock runs on. Of the lines lost the 1st, 10th, 100th are reported."""
    stopped = threading.Event()

    def opened(port: str, baud: int) -> Serial:
        stopped.set()
        raise RuntimeError("a bug")

    stream = bench.stream(opener=opened)
    assert stopped.wait(SAFETY_S)
    stream.close()
    for line in numbered(1, 100):
        stream.append(line)
        stream.begin()
    said = ("stopped by RuntimeError('a bug')", "1 line lost", "10 lines lost", "100 lines lost")
    assert stream.faults() == [("serial", what) for what in said]


def discarding(discarded: list[str]) -> Callable[[str, int], Serial]:
    """Return a kind of port that notes when its buffer is discarded."""

    class Noting(Serial):
        def reset_output_buffer(self) -> None:
            discarded.append(str(self.port))
            super().reset_output_buffer()

    return Noting


def test_closing_sends_the_waiting_lines(bench: Bench) -> None:
    discarded: list[str] = []
    wire, stream = bench.plug(), bench.stream(opener=discarding(discarded))
    append(stream, LOG)
    stream.close()
    wire.expect(LOG)
    await_end(serial_threads())
    assert discarded == []
    stream.append(LOG[0])
    stream.close()


@pytest.mark.rule("R84")
def test_closing_does_not_wait_for_a_reader(bench: Bench) -> None:
    """It neither reads nor is connected; no descriptor stays open."""
    before = len(list(Path("/proc/self/fd").iterdir())) - 2  # the pipe of the bench's own wait
    discarded: list[str] = []
    wire, stream = bench.plug(), bench.stream(opener=discarding(discarded))
    stream.append(LONG)
    bench.waiting.until_stuck()
    assert all(thread.daemon for thread in serial_threads())
    calls = bench.waiting.calls
    while bench.waiting.calls == calls:  # one may come as the pty makes a little room
        stream.send_heartbeats(beat)
        bench.waiting.until_stuck()
    stream.close()
    await_end(serial_threads())
    assert (discarded, stream.faults()) == ([str(bench.link)], [])
    stream.append(LOG[0])
    stream.begin()
    wire.unplug()
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_a_stream_that_is_closed_while_it_opens_its_port_waits_for_nothing(bench: Bench) -> None:
    opening = threading.Event()

    def opened(port: str, baud: int) -> Serial:
        opening.set()
        bench.waiting.until(lambda: bench.waiting.stopped)
        return open_port(port, baud)

    bench.plug()
    stream = bench.stream(opener=opened)
    stream.append(LONG)
    assert opening.wait(SAFETY_S)
    stream.close()
    await_end(serial_threads())
    assert set(bench.waiting.limits) == {0}


def test_a_socket_is_a_port_too(bench: Bench) -> None:
    """With socket:// too, the other end may disconnect and come back."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(SAFETY_S)
        stream = bench.stream(f"socket://127.0.0.1:{server.getsockname()[1]}")
        append(stream, LOG[:5])
        with server.accept()[0] as reader, reader.makefile("rb") as lines:
            reader.sendall(b"garbage")
            assert [lines.readline() for _ in LOG[:5]] == LOG[:5]
            bench.waiting.until_idle()
        bench.waiting.go_on()
        append(stream, LOG[5:])
        with server.accept()[0] as reader, reader.makefile("rb") as lines:
            assert [lines.readline() for _ in LOG] == LOG
            bench.waiting.until_idle()
    assert [what is None for _, what in stream.faults()] == [False, True]


def test_a_port_without_a_descriptor_works_too(bench: Bench) -> None:
    """loop:// has none, so it is written to without waiting."""
    ports: list[Serial] = []

    def opened(port: str, baud: int) -> Serial:
        ports.append(open_port(port, baud))
        return ports[0]

    stream = bench.stream("loop://", opener=opened)
    append(stream, LOG[:5])  # it takes 4 KiB
    bench.waiting.until_idle()
    ports[0].timeout = SAFETY_S
    assert ports[0].read(len(b"".join(LOG[:5]))) == b"".join(LOG[:5])


def beat(number: int) -> bytes:
    """Return a heartbeat as short as can be."""
    return b'{"heartbeat":%d}\n' % number


@pytest.mark.rule("R84")
def test_a_heartbeat_follows_the_backlog_and_comes_again_every_ten_seconds(bench: Bench) -> None:
    wire, stream = bench.plug(), bench.stream()
    append(stream, LOG[:3])
    wire.expect(LOG[:3])
    stream.send_heartbeats(beat)
    wire.expect([beat(1)])
    bench.waiting.pass_time(HEARTBEAT_NS - 1)
    append(stream, LOG[3:5])
    wire.expect(LOG[3:5])
    bench.waiting.until_idle()
    assert wire.is_empty()
    bench.waiting.pass_time(1)
    wire.expect([beat(2)])
    bench.waiting.pass_time(3 * HEARTBEAT_NS)  # the computer slept
    wire.expect([beat(3)])
    assert wire.is_empty()
    bench.unplug(wire)
    wire = bench.plug()
    bench.waiting.go_on()
    wire.expect([*LOG[:5], beat(1)])
    bench.waiting.until_idle()
    bench.waiting.ns += HEARTBEAT_NS
    stream.close()
    await_end(serial_threads())
    assert wire.is_empty()


def test_a_heartbeat_that_falls_due_while_others_are_sent_is_not_waited_for(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    wire, stream = bench.plug(), bench.stream()
    stream.send_heartbeats(beat)
    wire.expect([beat(1)])
    bench.waiting.until_idle()
    due_ns = bench.waiting.ns + HEARTBEAT_NS
    instants = iter([due_ns - 1])
    monkeypatch.setattr(bench.waiting, "now_ns", lambda: next(instants, due_ns + 1))
    bench.waiting.wake()
    wire.expect([beat(2)])


def test_an_idle_line_wakes_its_thread_for_heartbeats_only(bench: Bench) -> None:
    """Every ten seconds with a port, never without."""
    wire, stream = bench.plug(), bench.stream()
    bench.waiting.until_idle()
    assert bench.waiting.limits[-1] is None
    stream.send_heartbeats(beat)
    wire.expect([beat(1)])
    bench.waiting.until(lambda: bench.waiting.asleep == 0 and bench.waiting.limits[-1] == 10.0)
    turns = bench.waiting.turns
    bench.unplug(wire)
    bench.waiting.ns += 5 * HEARTBEAT_NS
    for _ in range(3):
        bench.waiting.go_on()
    bench.waiting.until(lambda: bench.waiting.pausing)
    assert bench.waiting.turns == turns
