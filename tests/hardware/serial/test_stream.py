"""The log on a serial line: real terminals (ptys) and sockets, real hang-ups, and no sleeping.

The stream's thread tells the test when it waits and for what, so a test acts only when nothing more
can happen by itself. The limits of waiting are for tests that fail.
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
from match_scripts import VERSION, log_of
from serial import Serial, SerialException
from world import match_settings

from clock.ui.i18n import sayer
from clock.apps.playback import play
from clock.runtime.loop import Manner
from clock.apps.script import parse
from hardware.serial.backlog import Backlog, Log
from hardware.serial.port import open_port
from hardware.serial.stream import FIRST_DELAY_S, HELD_BITS, LONGEST_DELAY_S, PATIENCE_S, UNREAD, SerialStream
from hardware.serial.waiting import Waiting

SAFETY_S = 20.0
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
    """Lines of a match, as far as a reader looks at them."""
    return [b'{"v":1,"seq":%d,"match":"m"}\n' % seq for seq in range(first, last + 1)]


def on_disk(lines: Iterable[bytes]) -> Log:
    """A log with these lines."""
    return lambda: BytesIO(b"".join(lines))


class Watched(Waiting):
    """All waiting of the thread, told to the test; a pause lasts until the test ends it."""

    def __init__(self) -> None:
        super().__init__()
        self.turns = 0
        self.calls = 0  # how many of them ended because somebody called
        self.limits: list[float | None] = []
        self.pauses: list[float] = []
        self.pausing = False
        self.asleep: int | None = None  # the events that it waits for and that have not come
        self.impatient = False  # every limit is over at once
        self._changed = threading.Condition()
        self._go = threading.Semaphore(0)

    def port(self, descriptor: int | None, events: int, limit_s: float | None) -> int | None:
        """Waits without a limit, unless it is impatient."""
        self.turns += 1
        self.limits.append(limit_s)
        ready = super().port(descriptor, events, 0)
        if ready is not None or limit_s == 0 or (limit_s is not None and self.impatient):
            return ready
        self._tell("asleep", events)
        try:
            ready = super().port(descriptor, events, None)
            self.calls += not ready
        finally:
            self._tell("asleep", None)
        return ready

    def pause(self, seconds: float) -> None:
        """Until `go_on` or `stop`."""
        self.pauses.append(seconds)
        self._tell("pausing", True)
        assert self._go.acquire(timeout=SAFETY_S)

    def go_on(self) -> None:
        """The pause is over."""
        self.until(lambda: self.pausing)
        self.pausing = False
        self._go.release()

    def stop(self) -> None:
        """Ends a pause, too."""
        super().stop()
        self._go.release()

    def until(self, reached: Callable[[], bool]) -> None:
        """Wait until the thread waits in the way that is meant."""
        with self._changed:
            assert self._changed.wait_for(reached, SAFETY_S)

    def until_idle(self) -> None:
        """All lines have been handed over."""
        self.until(lambda: self.asleep == 0)

    def until_stuck(self) -> None:
        """The port takes no more."""
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
        """So many bytes."""
        data = b""
        while len(data) < size:
            assert select.select([self.reader], [], [], SAFETY_S)[0], data
            data += os.read(self.reader, size - len(data))
        return data

    def expect(self, lines: Iterable[bytes]) -> None:
        """Exactly these bytes come next."""
        sent = b"".join(lines)
        assert self.read(len(sent)) == sent

    def flood(self, data: bytes) -> None:
        """Send as much of this as the wire takes."""
        with suppress(BlockingIOError):
            while True:
                os.write(self.reader, data)

    def nothing_waits(self) -> bool:
        """All that was sent has been read."""
        return not select.select([self.reader], [], [], 0)[0]

    def attributes(self) -> list[int]:
        """The terminal's settings."""
        return termios.tcgetattr(self._port)[:4]

    def unplug(self) -> None:
        """The reader's end goes away with all that is in the wire."""
        os.close(self.reader)
        os.close(self._port)


class Bench:
    """Wires and streams, and a path that finds a wire wherever it is plugged in."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.waiting = Watched()
        self.link = folder / "usb-log"
        self._stack = stack

    def plug(self) -> Wire:
        """A new wire at the path."""
        wire = Wire()
        self.link.unlink(missing_ok=True)
        self.link.symlink_to(wire.path)
        return wire

    def unplug(self, wire: Wire) -> None:
        """The wire and its path are gone, and the stream knows."""
        self.link.unlink()
        wire.unplug()
        self.waiting.until(lambda: self.waiting.pausing)

    def stream(
        self,
        port: str = "",
        baud: int = BAUD,
        log: Log = BytesIO,
        keep: int = 1000,
        opened: Callable[[str, int], Serial] = open_port,
        resumed: bool = False,
        changed: Callable[[], object] = lambda: None,
    ) -> SerialStream:
        """A stream at the path; by default the disk has nothing of the match."""
        stream = SerialStream(
            port or str(self.link),
            baud,
            Backlog(log, resumed=resumed, keep=keep),
            changed=changed,
            waiting=self.waiting,
            opened=opened,
        )
        self._stack.callback(stream.close)
        return stream


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    """A bench; its streams are closed, and their threads have ended."""
    before = threading.active_count()
    with ExitStack() as stack:
        yield Bench(tmp_path, stack)
    assert threading.active_count() == before


def append(stream: SerialStream, lines: Iterable[bytes]) -> None:
    """Each line as the clock brings it."""
    for line in lines:
        stream.append(line)


@pytest.mark.rule("R84")
def test_the_bytes_are_those_of_the_log(bench: Bench) -> None:
    """A match from its first line on: the same bytes in the same order, and nothing else."""
    wire, stream = bench.plug(), bench.stream()
    stream.begin()
    append(stream, LOG)
    wire.expect(LOG)
    bench.waiting.until_idle()
    assert wire.nothing_waits()
    assert stream.faults() == []


@pytest.mark.rule("R84")
def test_a_port_that_is_missing_at_the_start_is_a_fault_until_all_is_sent(bench: Bench) -> None:
    """The lines wait for it; it is told once, however often it is tried."""
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


def test_attempts_become_rarer(bench: Bench) -> None:
    """0.5 s, doubling to 8 s; anew once all was sent."""
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
    waits = [FIRST_DELAY_S, 1.0, 2.0, 4.0, LONGEST_DELAY_S, LONGEST_DELAY_S, LONGEST_DELAY_S]
    assert bench.waiting.pauses == [*waits, FIRST_DELAY_S]


@pytest.mark.rule("R84")
def test_after_unplugging_the_match_is_sent_from_its_beginning(bench: Bench) -> None:
    """It may be another reader, at another port: no gap and no line twice in one connection."""
    first, stream = bench.plug(), bench.stream()
    append(stream, LOG[:4])
    first.expect(LOG[:4])
    bench.waiting.until_idle()
    bench.unplug(first)
    assert stream.faults() == [("serial", f"{bench.link}: the other end has gone")]
    append(stream, LOG[4:6])
    second = bench.plug()
    bench.waiting.go_on()
    second.expect(LOG[:6])
    append(stream, LOG[6:])
    second.expect(LOG[6:])
    bench.waiting.until_idle()
    assert second.nothing_waits()
    assert stream.faults() == [("serial", None)]


def test_an_idle_line_is_not_looked_at(bench: Bench) -> None:
    """One wait for each line and one for the next: unplugging is noticed without asking."""
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
def test_a_reader_that_does_not_read_holds_up_nobody(bench: Bench) -> None:
    """The thread sleeps until there is room, whatever is appended; what is lost is counted."""
    wire, stream = bench.plug(), bench.stream(keep=100)
    stream.append(LONG)
    bench.waiting.until_stuck()
    calls = bench.waiting.calls
    append(stream, numbered(1, 10_150))
    assert bench.waiting.calls == calls
    wire.expect([LONG, *numbered(10_051, 10_150)])
    bench.waiting.until_idle()
    assert wire.nothing_waits()
    assert stream.faults() == [("serial", "10050 lines lost"), ("serial", None)]


def test_a_reader_that_reads_again_gets_what_waited(bench: Bench) -> None:
    """A line is never torn by waiting, and nothing that is kept is lost."""
    wire, stream = bench.plug(), bench.stream()
    lines = [b"%d" % number * 50_000 + b"\n" for number in range(4)]
    append(stream, lines)
    bench.waiting.until_stuck()
    wire.expect(lines)
    bench.waiting.until_idle()
    assert stream.faults() == []


@pytest.mark.parametrize(("baud", "patience_s"), [(115_200, 7), (1200, 142)])
def test_a_reader_that_does_not_read_is_a_fault(bench: Bench, baud: int, patience_s: int) -> None:
    """Told once, when even a slow line would have sent what it holds; then nothing wakes."""
    wire, stream = bench.plug(), bench.stream(baud=baud)
    bench.waiting.impatient = True
    stream.append(LONG)
    bench.waiting.until_stuck()
    limits = {limit_s for limit_s in bench.waiting.limits if limit_s is not None}
    assert limits == {PATIENCE_S + HELD_BITS / baud}
    assert min(limits) < patience_s
    assert bench.waiting.limits[-1] is None
    assert stream.faults() == [("serial", UNREAD)]
    wire.expect([LONG])
    bench.waiting.until_idle()
    assert stream.faults() == [("serial", None)]


class Reader:
    """A reader as others write it: takes whole records, each number once."""

    def __init__(self) -> None:
        self._data = b""

    def take(self, data: bytes) -> None:
        """Bytes as they come."""
        self._data += data

    @property
    def seen(self) -> list[int]:
        """The numbers of the records, as they came."""
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
    """What had been begun is ended by a line feed, so the first line again is whole."""
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


def test_after_a_restart_the_match_comes_whole(bench: Bench) -> None:
    """The last run may have ended in the middle of a line: a line feed first, then all."""
    wire, stream = bench.plug(), bench.stream(log=on_disk(LOG[:5]), resumed=True)
    append(stream, LOG[5:])
    wire.expect([b"\n", *LOG])


@pytest.mark.rule("R84")
def test_what_the_other_end_sends_can_do_nothing(bench: Bench) -> None:
    """Every byte there is, signals and XOFF among them, as much as a pty takes: not even read."""
    wire, stream = bench.plug(), bench.stream()
    bench.waiting.until_idle()
    turns = bench.waiting.turns
    wire.flood(b"\x13" + bytes(range(256)))
    assert bench.waiting.turns == turns
    append(stream, LOG)
    wire.expect(LOG)
    bench.waiting.until_idle()
    assert wire.nothing_waits()
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


def test_two_programs_do_not_write_to_one_line(bench: Bench, tmp_path: Path) -> None:
    """The second is told so."""
    wire, stream = bench.plug(), bench.stream()
    bench.waiting.until_idle()
    waiting = Watched()
    second = SerialStream(wire.path, BAUD, Backlog(BytesIO, resumed=False), waiting=waiting)
    waiting.until(lambda: waiting.pausing)
    assert second.faults() == [("serial", f"{wire.path}: Resource temporarily unavailable")]
    second.close()
    assert stream.faults() == []


def test_two_matches_in_turn(bench: Bench) -> None:
    """One after the other to who is there; to who comes later only the present one."""
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
    assert second.nothing_waits()


def test_a_new_match_forgets_lines_that_nobody_got_and_says_so(bench: Bench) -> None:
    """A line that is being sent is sent to its end; those after it are lost."""
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
def test_a_reader_who_comes_late_gets_what_is_no_longer_in_memory_from_the_log(
    bench: Bench,
) -> None:
    """All of the match in order, though only the last three lines are kept."""
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


def test_faults_are_told_at_once(bench: Bench) -> None:
    """Whoever wants to know is called for each; it need not ask again and again."""
    calls: list[int] = []
    stream = bench.stream(changed=lambda: calls.append(1))
    bench.waiting.until(lambda: bench.waiting.pausing)
    assert len(calls) == 1
    bench.plug()
    bench.waiting.go_on()
    bench.waiting.until_idle()
    assert len(calls) == len(stream.faults()) == 2


def test_lines_that_had_been_sent_before_are_not_lost(bench: Bench) -> None:
    """They are dropped to keep the newest; a new reader begins later."""
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
    """The libraries have several families of errors."""
    failures = [error]

    def opened(port: str, baud: int) -> Serial:
        if failures:
            raise failures.pop()
        return open_port(port, baud)

    wire, stream = bench.plug(), bench.stream(opened=opened)
    bench.waiting.until(lambda: bench.waiting.pausing)
    assert stream.faults() == [("serial", f"{bench.link}: {reason}")]
    append(stream, LOG)
    bench.waiting.go_on()
    wire.expect(LOG)


def test_a_port_of_no_known_kind_is_a_fault(bench: Bench) -> None:
    """The configuration cannot know all kinds of URL."""
    stream = bench.stream("nosuch://here")
    bench.waiting.until(lambda: bench.waiting.pausing)
    (fault,) = stream.faults()
    assert fault[0] == "serial"
    assert "'nosuch'" in str(fault[1])


def test_a_fault_of_the_program_is_told(bench: Bench) -> None:
    """The thread ends; the clock goes on."""
    stopped = threading.Event()

    def opened(port: str, baud: int) -> Serial:
        stopped.set()
        raise RuntimeError("a bug")

    stream = bench.stream(opened=opened)
    assert stopped.wait(SAFETY_S)
    stream.close()
    append(stream, LOG)
    assert stream.faults() == [("serial", "stopped by RuntimeError('a bug')")]


def discarding(discarded: list[str]) -> Callable[[str, int], Serial]:
    """Ports that note when they are told to forget what they hold."""

    class Noting(Serial):
        def reset_output_buffer(self) -> None:
            discarded.append(str(self.port))
            super().reset_output_buffer()

    return Noting


def test_closing_sends_what_is_waiting(bench: Bench) -> None:
    """The last line of a match is not lost by switching off."""
    discarded: list[str] = []
    wire, stream = bench.plug(), bench.stream(opened=discarding(discarded))
    append(stream, LOG)
    stream.close()
    assert discarded == []
    wire.expect(LOG)
    stream.append(LOG[0])
    stream.close()


@pytest.mark.rule("R84")
def test_closing_does_not_wait_for_a_reader(bench: Bench) -> None:
    """Neither for one that does not read nor for one that is not there; nothing stays open."""
    before = len(list(Path("/proc/self/fd").iterdir())) - 2  # the bench's own pipe
    discarded: list[str] = []
    wire, stream = bench.plug(), bench.stream(opened=discarding(discarded))
    stream.append(LONG)
    bench.waiting.until_stuck()
    stream.close()
    assert discarded == [str(bench.link)]
    stream.append(LOG[0])
    stream.begin()
    wire.unplug()
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_a_socket_is_a_port_too(bench: Bench) -> None:
    """socket://: the other end goes away and comes back."""
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
    """loop:// has none: nothing can be waited for, so it is written to."""
    ports: list[Serial] = []

    def opened(port: str, baud: int) -> Serial:
        ports.append(open_port(port, baud))
        return ports[0]

    stream = bench.stream("loop://", opened=opened)
    append(stream, LOG)
    bench.waiting.until_idle()
    ports[0].timeout = SAFETY_S
    assert ports[0].read(len(b"".join(LOG))) == b"".join(LOG)


@pytest.mark.rule("R84")
def test_r84_the_loss_of_the_line_never_stops_the_clock(bench: Bench) -> None:
    """A whole match, played with the line pulled out in the middle: the same log, and all sent."""
    wire, stream = bench.plug(), bench.stream()
    written: list[bytes] = []

    def write(line: bytes) -> None:
        written.append(line)
        stream.append(line)
        if len(written) == 4:
            wire.expect(LOG[:4])
            bench.waiting.until_idle()
            bench.unplug(wire)

    play(parse(SCRIPT, "script"), SETTINGS, Manner(sayer("en"), VERSION), write)
    assert written == LOG
    second = bench.plug()
    bench.waiting.go_on()
    second.expect(LOG)


def test_waiting_knows_a_call_from_the_end_of_time() -> None:
    """And a call that nobody heard yet is none too many, nor are a hundred thousand."""
    waiting = Waiting()
    assert waiting.port(None, 0, 0) is None
    for _ in range(100_000):
        waiting.wake()
    assert waiting.port(None, 0, None) == 0
    waiting.stop()
    waiting.pause(SAFETY_S)
    waiting.close()


def test_its_own_waiting_is_enough(bench: Bench) -> None:
    """Nothing of the above needs a test's hand."""
    wire = bench.plug()
    stream = SerialStream(str(bench.link), BAUD, Backlog(on_disk(LOG[:1]), resumed=True))
    append(stream, LOG[1:])
    wire.expect([b"\n", *LOG])
    stream.close()
