"""The log on a serial line: real terminals (ptys) and sockets, real hang-ups, and no sleeping.

The stream's thread tells the test when it waits and for what, so a test acts only when nothing more
can happen by itself. Time limits end tests that fail.
"""

import json
import os
import select
import socket
import termios
import threading
import tty
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, suppress
from io import BytesIO
from pathlib import Path

import pytest
from serial import Serial, SerialException

from clock.apps.playback import play
from clock.apps.script import parse
from clock.runtime.loop import UiOptions
from clock.ui.i18n import sayer
from hardware.serial.backlog import Backlog, OpenLog
from hardware.serial.port import PortWait, open_port
from hardware.serial.stream import (
    BUFFERED_BITS,
    FIRST_RETRY_S,
    HEARTBEAT_NS,
    LAST_RETRY_S,
    PART,
    UNREAD,
    UNREAD_S,
    Opener,
    SerialStream,
)
from tests.support.match_scripts import VERSION, log_of
from tests.support.world import match_settings

SAFETY_S = 60.0
BAUD = 115_200
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
    """Return what opens a log with these lines."""
    return lambda: BytesIO(b"".join(lines))


class WatchedWait(PortWait):
    """A wait that the test can watch; a pause lasts until the test ends it."""

    def __init__(self) -> None:
        super().__init__()
        self.turns = 0
        self.calls = 0  # how many waits ended because the thread was woken
        self.limits: list[float | None] = []
        self.pauses: list[float] = []
        self.pausing = False
        self.asleep: int | None = None  # the events that it sleeps for
        self.impatient = False  # every time limit is over at once
        self.ns = 5  # the time, which stands still
        self._changed = threading.Condition()
        self._go = threading.Semaphore(0)

    def port(self, descriptor: int | None, events: int, timeout_s: float | None) -> int | None:
        """Wait without a time limit, unless impatient."""
        self.turns += 1
        self.limits.append(timeout_s)
        ready = super().port(descriptor, events, 0)
        if ready is not None or timeout_s == 0 or (timeout_s is not None and self.impatient):
            return ready
        self._tell("asleep", events)
        try:
            ready = super().port(descriptor, events, None)
            self.calls += not ready
        finally:
            self._tell("asleep", None)
        return ready

    def now_ns(self) -> int:
        """Return what the test has set."""
        return self.ns

    def pass_time(self, duration_ns: int) -> None:
        """Let time pass while the thread is idle, and return when it is idle again."""
        self.until_idle()
        turns, self.ns = self.turns, self.ns + duration_ns
        self.wake()
        self.until(lambda: self.turns > turns and self.asleep == 0)

    def pause(self, seconds: float) -> None:
        """Pause until `go_on` or `stop`."""
        self.pauses.append(seconds)
        self._tell("pausing", True)
        assert self._go.acquire(timeout=SAFETY_S)

    def go_on(self) -> None:
        """End the pause."""
        self.until(lambda: self.pausing)
        self.pausing = False
        self._go.release()

    def stop(self) -> None:
        """End a pause, too."""
        super().stop()
        self._go.release()

    def until(self, reached: Callable[[], bool]) -> None:
        """Wait until the thread has reached a state."""
        with self._changed:
            assert self._changed.wait_for(reached, SAFETY_S)

    def until_idle(self) -> None:
        """Wait until all lines have been sent."""
        self.until(lambda: self.asleep == 0)

    def until_stuck(self) -> None:
        """Wait until the port takes no more."""
        self.until(lambda: self.asleep == select.POLLOUT)

    def _tell(self, name: str, value: int | None) -> None:
        with self._changed:
            setattr(self, name, value)
            self._changed.notify_all()


class Wire:
    """A pty: the stream opens its path, the reader is at the other end."""

    def __init__(self) -> None:
        self.reader, self._port = os.openpty()
        tty.setraw(self._port)
        attributes = termios.tcgetattr(self._port)
        attributes[2] |= termios.HUPCL  # as real ports have it when they are plugged in
        termios.tcsetattr(self._port, termios.TCSANOW, attributes)
        os.set_blocking(self.reader, False)
        self.path = os.ttyname(self._port)

    def read(self, size: int) -> bytes:
        """Read so many bytes."""
        data = b""
        while len(data) < size:
            assert select.select([self.reader], [], [], SAFETY_S)[0], data
            data += os.read(self.reader, size - len(data))
        return data

    def expect(self, lines: Iterable[bytes]) -> None:
        """Check that exactly these lines come next."""
        sent = b"".join(lines)
        assert self.read(len(sent)) == sent

    def flood(self, data: bytes) -> None:
        """Send as much of this as the wire takes."""
        with suppress(BlockingIOError):
            while True:
                os.write(self.reader, data)

    def is_empty(self) -> bool:
        """Return whether all that was sent has been read."""
        return not select.select([self.reader], [], [], 0)[0]

    def attributes(self) -> list[int]:
        """Return the terminal's settings."""
        return termios.tcgetattr(self._port)[:4]

    def unplug(self) -> None:
        """Close the reader's end, with all that is in the wire."""
        os.close(self.reader)
        os.close(self._port)


class Bench:
    """Wires and streams, and a path that leads to the wire plugged in last."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.waiting = WatchedWait()
        self.link = folder / "usb-log"
        self._stack = stack

    def plug(self) -> Wire:
        """Plug in a new wire at the path."""
        wire = Wire()
        self.link.unlink(missing_ok=True)
        self.link.symlink_to(wire.path)
        return wire

    def unplug(self, wire: Wire) -> None:
        """Remove the wire and its path; return when the stream knows."""
        self.link.unlink()
        wire.unplug()
        self.waiting.until(lambda: self.waiting.pausing)

    def stream(
        self,
        port: str = "",
        baud: int = BAUD,
        log: OpenLog = BytesIO,
        keep: int = 1000,
        opener: Opener = open_port,
        resumed: bool = False,
        changed: Callable[[], object] = lambda: None,
    ) -> SerialStream:
        """Start a stream at the path; by default the log is empty."""
        stream = SerialStream(
            port or str(self.link),
            baud,
            Backlog(log, resumed=resumed, keep=keep),
            changed=changed,
            wait=self.waiting,
            opener=opener,
        )
        self._stack.callback(stream.close)
        return stream


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    """Yield a bench; its streams are closed in the end, and their threads end."""
    before = set(threading.enumerate())
    with ExitStack() as stack:
        yield Bench(tmp_path, stack)
    await_end(set(threading.enumerate()) - before)


def await_end(threads: Iterable[threading.Thread]) -> None:
    """Wait for threads whose stream was closed: on a busy machine they may outlast `CLOSE_S`."""
    for thread in threads:
        thread.join(SAFETY_S)
        assert not thread.is_alive()


def serial_threads() -> list[threading.Thread]:
    """Return the threads of all streams."""
    return [thread for thread in threading.enumerate() if thread.name == PART]


def append(stream: SerialStream, lines: Iterable[bytes]) -> None:
    """Append lines one by one."""
    for line in lines:
        stream.append(line)


@pytest.mark.rule("R84")
def test_the_bytes_are_those_of_the_log(bench: Bench) -> None:
    """A match is sent from its first line on, in order, and nothing else."""
    wire, stream = bench.plug(), bench.stream()
    stream.begin()
    append(stream, LOG)
    wire.expect(LOG)
    bench.waiting.until_idle()
    assert wire.is_empty()
    assert stream.faults() == []


@pytest.mark.rule("R84")
def test_a_port_that_is_missing_at_the_start_is_a_fault_until_all_is_sent(bench: Bench) -> None:
    """The lines wait for it; the fault is reported once, after any number of attempts."""
    stream = bench.stream()
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


def test_an_idle_line_is_not_polled(bench: Bench) -> None:
    """The thread waits once for each line and once for the next; unplugging ends the wait."""
    wire, stream = bench.plug(), bench.stream()
    bench.waiting.until_idle()
    for line in LOG:
        before = bench.waiting.turns
        stream.append(line)
        wire.expect([line])
        bench.waiting.until(lambda turns=before + 2: bench.waiting.turns >= turns)  # type: ignore[misc]
        bench.waiting.until_idle()
        assert bench.waiting.turns == before + 2
    bench.unplug(wire)


@pytest.mark.rule("R84")
def test_a_reader_that_does_not_read_delays_no_append(bench: Bench) -> None:
    """The thread sleeps until there is room, whatever is appended; lost lines are counted."""
    wire, stream = bench.plug(), bench.stream(keep=100)
    stream.append(LONG)
    bench.waiting.until_stuck()
    calls = bench.waiting.calls
    append(stream, numbered(1, 10_150))
    assert bench.waiting.calls == calls
    wire.expect([LONG, *numbered(10_051, 10_150)])
    bench.waiting.until_idle()
    assert wire.is_empty()
    assert stream.faults() == [("serial", "10050 lines lost"), ("serial", None)]


def test_a_reader_that_reads_again_gets_the_waiting_lines(bench: Bench) -> None:
    """Waiting tears no line, and no line in memory is lost."""
    wire, stream = bench.plug(), bench.stream()
    lines = [b"%d" % number * 50_000 + b"\n" for number in range(4)]
    append(stream, lines)
    bench.waiting.until_stuck()
    wire.expect(lines)
    bench.waiting.until_idle()
    assert stream.faults() == []


@pytest.mark.parametrize(("baud", "patience_s"), [(115_200, 7), (1200, 142)])
def test_a_reader_that_does_not_read_is_a_fault(bench: Bench, baud: int, patience_s: int) -> None:
    """Reported once, when even a slow line would have sent its buffer; no further wake-ups."""
    wire, stream = bench.plug(), bench.stream(baud=baud)
    bench.waiting.impatient = True
    stream.append(LONG)
    bench.waiting.until_stuck()
    limits = {timeout_s for timeout_s in bench.waiting.limits if timeout_s is not None}
    assert limits == {UNREAD_S + BUFFERED_BITS / baud}
    assert min(limits) < patience_s
    assert bench.waiting.limits[-1] is None
    assert stream.faults() == [("serial", UNREAD)]
    wire.expect([LONG])
    bench.waiting.until_idle()
    assert stream.faults() == [("serial", None)]


class Reader:
    """A reader as other programs have it: takes whole records, each number once."""

    def __init__(self) -> None:
        self._data = b""

    def take(self, data: bytes) -> None:
        """Take bytes as they come."""
        self._data += data

    @property
    def seen(self) -> list[int]:
        """Return the numbers of the records, as they came."""
        seen: list[int] = []
        for line in self._data.splitlines():
            try:
                seq = json.loads(line)["seq"]
            except ValueError:
                continue
            if not seen or seq > seen[-1]:
                seen.append(seq)
        return seen


def test_a_reader_resumes_by_number_even_after_a_torn_line(bench: Bench) -> None:
    """A line feed ends the torn line, so the first line of the new connection is whole."""
    first, stream = bench.plug(), bench.stream()
    reader = Reader()
    begun = numbered(1, 2)
    torn = b'{"v":1,"seq":3,"long":"%b"}\n' % (b"x" * 100_000)
    append(stream, [*begun, torn])
    bench.waiting.until_stuck()
    reader.take(first.read(2000))
    bench.unplug(first)
    second = bench.plug()
    append(stream, numbered(4, 9))
    bench.waiting.go_on()
    again = second.read(1 + len(b"".join([*begun, torn, *numbered(4, 9)])))
    assert again == b"".join([b"\n", *begun, torn, *numbered(4, 9)])
    reader.take(again)
    assert reader.seen == list(range(1, 10))


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


def test_two_programs_do_not_write_to_one_line(bench: Bench) -> None:
    """The second one reports a fault."""
    wire, stream = bench.plug(), bench.stream()
    bench.waiting.until_idle()
    waiting = WatchedWait()
    second = SerialStream(wire.path, BAUD, Backlog(BytesIO, resumed=False), wait=waiting)
    waiting.until(lambda: waiting.pausing)
    assert second.faults() == [("serial", f"{wire.path}: Resource temporarily unavailable")]
    second.close()
    assert stream.faults() == []


def test_a_later_reader_gets_only_the_present_match(bench: Bench) -> None:
    """A reader that was connected gets both matches, one after the other."""
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


def test_a_new_match_reports_the_lines_that_were_not_sent(bench: Bench) -> None:
    """The line under way is sent to its end; those after it are lost."""
    wire, stream = bench.plug(), bench.stream()
    append(stream, [LONG, *numbered(1, 12)])
    bench.waiting.until_stuck()
    stream.begin()
    append(stream, LOG)
    assert stream.faults() == [("serial", "12 lines lost")]
    wire.expect([LONG, *LOG])
    bench.waiting.until_idle()
    assert stream.faults() == [("serial", None)]


@pytest.mark.rule("R84")
def test_a_late_reader_gets_older_lines_from_the_log(bench: Bench) -> None:
    """The whole match in order, though only the last three lines are in memory."""
    written: list[bytes] = []
    stream = bench.stream(log=lambda: BytesIO(b"".join(written)), keep=3)
    bench.waiting.until(lambda: bench.waiting.pausing)
    for line in LOG:
        written.append(line)
        stream.append(line)
    wire = bench.plug()
    bench.waiting.go_on()
    wire.expect(LOG)
    bench.waiting.until_idle()
    assert [what is None for _, what in stream.faults()] == [False, True]


def test_every_fault_calls_back_at_once(bench: Bench) -> None:
    """The clock need not ask for faults again and again."""
    calls: list[int] = []
    stream = bench.stream(changed=lambda: calls.append(1))
    bench.waiting.until(lambda: bench.waiting.pausing)
    assert len(calls) == 1
    bench.plug()
    bench.waiting.go_on()
    bench.waiting.until_idle()
    assert len(calls) == len(stream.faults()) == 2


def test_lines_that_had_been_sent_before_are_not_lost(bench: Bench) -> None:
    """They are dropped to keep the newest; a new reader begins with those."""
    first, stream = bench.plug(), bench.stream(keep=3)
    for line in LOG:
        stream.append(line)
        first.expect([line])
        bench.waiting.until_idle()
    bench.unplug(first)
    stream.faults()
    second = bench.plug()
    bench.waiting.go_on()
    second.expect(LOG[-3:])
    bench.waiting.until_idle()
    assert stream.faults() == [("serial", None)]


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
@pytest.mark.rule("R84")
def test_every_kind_of_failure_is_a_fault_and_is_tried_again(
    bench: Bench, error: Exception, reason: str
) -> None:
    """The libraries raise several families of errors."""
    failures = [error]

    def opened(port: str, baud: int) -> Serial:
        if failures:
            raise failures.pop()
        return open_port(port, baud)

    wire, stream = bench.plug(), bench.stream(opener=opened)
    bench.waiting.until(lambda: bench.waiting.pausing)
    assert stream.faults() == [("serial", f"{bench.link}: {reason}")]
    append(stream, LOG)
    bench.waiting.go_on()
    wire.expect(LOG)


def test_a_port_of_no_known_kind_is_a_fault(bench: Bench) -> None:
    """The configuration cannot check every kind of URL."""
    stream = bench.stream("nosuch://here")
    bench.waiting.until(lambda: bench.waiting.pausing)
    (fault,) = stream.faults()
    assert fault[0] == "serial"
    assert "'nosuch'" in str(fault[1])


def test_a_bug_in_the_thread_is_a_fault(bench: Bench) -> None:
    """The thread ends; the clock runs on."""
    stopped = threading.Event()

    def opened(port: str, baud: int) -> Serial:
        stopped.set()
        raise RuntimeError("a bug")

    stream = bench.stream(opener=opened)
    assert stopped.wait(SAFETY_S)
    stream.close()
    append(stream, LOG)
    assert stream.faults() == [("serial", "stopped by RuntimeError('a bug')")]


def discarding(discarded: list[str]) -> Callable[[str, int], Serial]:
    """Return a kind of port that notes when its buffer is discarded."""

    class Noting(Serial):
        def reset_output_buffer(self) -> None:
            discarded.append(str(self.port))
            super().reset_output_buffer()

    return Noting


def test_closing_sends_the_waiting_lines(bench: Bench) -> None:
    """The last line of a match is not lost by switching off."""
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
    stream.close()
    await_end(serial_threads())
    assert discarded == [str(bench.link)]
    stream.append(LOG[0])
    stream.begin()
    wire.unplug()
    assert len(list(Path("/proc/self/fd").iterdir())) == before


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


@pytest.mark.rule("R84")
def test_r84_the_loss_of_the_line_never_stops_the_clock(bench: Bench) -> None:
    """A match played with the line unplugged in the middle has the same log, all of it sent."""
    wire, stream = bench.plug(), bench.stream()
    written: list[bytes] = []

    def write(line: bytes) -> None:
        written.append(line)
        stream.append(line)
        if len(written) == 4:
            wire.expect(LOG[:4])
            bench.waiting.until_idle()
            bench.unplug(wire)

    play(parse(SCRIPT, "script"), SETTINGS, UiOptions(sayer("en"), VERSION), write)
    assert written == LOG
    second = bench.plug()
    bench.waiting.go_on()
    second.expect(LOG)


# --- the heartbeat ----------------------------------------------------------------------------


def beat(number: int) -> bytes:
    """Return a heartbeat as short as can be."""
    return b'{"heartbeat":%d}\n' % number


@pytest.mark.rule("R84")
def test_a_heartbeat_follows_the_backlog_and_comes_again_every_ten_seconds(bench: Bench) -> None:
    """Not sooner, whatever lines are sent meanwhile, and never within one."""
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


def test_a_new_reader_has_the_backlog_and_then_the_first_heartbeat(bench: Bench) -> None:
    """They are counted from the opening of the port."""
    first, stream = bench.plug(), bench.stream()
    append(stream, LOG[:2])
    stream.send_heartbeats(beat)
    first.read(len(b"".join(LOG[:2]) + beat(1)))
    bench.waiting.pass_time(HEARTBEAT_NS)
    first.expect([beat(2)])
    bench.unplug(first)
    second = bench.plug()
    bench.waiting.go_on()
    second.expect([*LOG[:2], beat(1)])


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


def test_a_time_limit_that_is_over_sends_the_next_heartbeat(bench: Bench) -> None:
    """The real wait ends by itself: here at once, because it was told to wait for 0 s."""
    wire, stream = bench.plug(), bench.stream()
    stream.send_heartbeats(beat)
    wire.expect([beat(1)])
    bench.waiting.until_idle()
    bench.waiting.impatient = True
    bench.waiting.ns += HEARTBEAT_NS
    bench.waiting.wake()
    wire.expect([beat(2)])
    bench.waiting.impatient = False


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


def test_the_real_wait_works(bench: Bench) -> None:
    """A stream sends a match without a test's control of its wait."""
    wire = bench.plug()
    stream = SerialStream(str(bench.link), BAUD, Backlog(on_disk(LOG[:1]), resumed=True))
    append(stream, LOG[1:])
    wire.expect([b"\n", *LOG])
    stream.close()
