"""The bench's I2C adapter as a kernel uses it: messages, the ring, and the bus behind it."""

import errno
import os
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from clock.units import SECOND_NS
from tests.bench.i2c import I2cServer
from tests.bench.i2c_bus import FAST_HZ, HANGS, I2cBus
from tests.bench.i2c_time import relate, related
from tests.bench.vhost import (
    ADDRESSES,
    BACKEND_REQUESTS,
    HEADER,
    IN_BAND,
    NEED_REPLY,
    NUMBER,
    PROTOCOL_FEATURES,
    REPLY,
    REPLY_ACK,
    STATE,
    VERSION,
    VERSION_1,
    VRING_CALL,
    Request,
)
from tests.bench.vhost_ring import DESCRIPTOR, NEXT, REGION, WRITABLE, Memory
from tests.support.panel_models import Ssd1306, Trouble

LEFT_AT, RIGHT_AT, NOBODY_AT = 0x3C, 0x3D, 0x22
BASE, SIZE = 0x10_0000, 0x8000  # the guest's memory
DESCRIPTORS, AVAILABLE, USED, BUFFERS = 0x0, 0x1000, 0x2000, 0x3000
RING = 8  # descriptors
GOOD, FAILED, UNWRITTEN = 0, 1, 0xEE
PATIENCE_S = 10


class Kernel:
    """The kernel's end of the socket, which behaves as Linux 6.1 does."""

    def __init__(self, option: str) -> None:
        path = option.removeprefix("virtio_uml.device=").removesuffix(":34")
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE_S)
        self.socket.connect(path)
        self.file = os.memfd_create("guest")
        os.ftruncate(self.file, SIZE)
        self.calls, self._channel = os.pipe()
        self._made = 0
        self.placed = 0  # the first descriptor of the latest transfer
        self.features = self.ask(Request.GET_FEATURES)
        self.protocol = self.ask(Request.GET_PROTOCOL_FEATURES)
        self.tell(Request.SET_OWNER)
        self.tell(Request.SET_PROTOCOL_FEATURES, NUMBER.pack(self.protocol))
        self.tell(Request.SET_BACKEND_CHANNEL, files=[self._channel])
        os.close(self._channel)
        table = struct.pack("<II", 1, 0) + REGION.pack(BASE, SIZE, BASE, 0)
        self.tell(Request.SET_MEMORY, table, files=[self.file])
        self.tell(Request.SET_RING_SIZE, STATE.pack(0, RING))
        self.tell(Request.SET_RING_BASE, STATE.pack(0, 0))
        places = (BASE + DESCRIPTORS, BASE + USED, BASE + AVAILABLE)
        self.tell(Request.SET_RING_ADDRESSES, ADDRESSES.pack(0, 0, *places, 0))
        self.tell(Request.SET_RING_ENABLED, STATE.pack(0, 1))

    def send(
        self, ask: Request, flags: int, payload: bytes = b"", files: list[int] | None = None
    ) -> None:
        """Send a message in two pieces, cut inside its header."""
        message = HEADER.pack(ask, VERSION | flags, len(payload)) + payload
        socket.send_fds(self.socket, [message[:5]], files or [])
        self.socket.sendall(message[5:])

    def reply(self, ask: Request) -> int:
        """Receive the reply to a request; return its number."""
        content = self.socket.recv(HEADER.size + NUMBER.size, socket.MSG_WAITALL)
        assert content[: HEADER.size] == HEADER.pack(ask, VERSION | REPLY, NUMBER.size)
        number: int
        [number] = NUMBER.unpack(content[HEADER.size :])
        return number

    def ask(self, ask: Request) -> int:
        """Send a question; return the reply."""
        self.send(ask, 0)
        return self.reply(ask)

    def tell(self, ask: Request, payload: bytes = b"", files: list[int] | None = None) -> None:
        """Send a message, and receive the acknowledgement."""
        self.send(ask, NEED_REPLY, payload, files)
        assert self.reply(ask) == 0

    # --- transfers --------------------------------------------------------------------------------

    def place(
        self, address: int, written: bytes = b"", read: int = 0, *, more: bool = False
    ) -> int:
        """Put a transfer into the ring; return where its status will be."""
        header = struct.pack("<HHI", address << 1, 0, more | (read > 0) << 1)
        first = self._made * 3 % (RING - 2)  # two transfers are in the ring at most
        buffer = BUFFERS + self._made % 2 * 0x1000
        self.write(buffer, header + written)
        answer = buffer + 0x800
        self.write(answer, bytes([UNWRITTEN] * (read + 1)))
        parts = [(buffer, len(header), 0)]
        parts += [(buffer + len(header), len(written), 0)] * bool(written)
        parts += [(answer, read, WRITABLE)] * bool(read)
        parts += [(answer + read, 1, WRITABLE)]
        for number, (at, size, flags) in enumerate(parts):
            follows = NEXT if number < len(parts) - 1 else 0
            entry = DESCRIPTOR.pack(BASE + at, size, flags | follows, first + number + 1)
            self.write(DESCRIPTORS + (first + number) * DESCRIPTOR.size, entry)
        self.write(AVAILABLE + 4 + self._made % RING * 2, struct.pack("<H", first))
        self._made += 1
        self.placed = first
        self.write(AVAILABLE + 2, struct.pack("<H", self._made % 65536))
        return answer + read

    def kick(self) -> None:
        """Tell the adapter that there are requests in the ring."""
        self.tell(Request.RING_KICK, STATE.pack(0, 0))

    def called(self) -> None:
        """Wait until the adapter notifies of answers."""
        call = os.read(self.calls, HEADER.size + STATE.size)
        assert call == HEADER.pack(VRING_CALL, VERSION, STATE.size) + STATE.pack(0, 0)

    @property
    def given(self) -> int:
        """The number of answers so far."""
        count: int
        [count] = struct.unpack("<H", self.read(USED + 2, 2))
        return count

    @property
    def used(self) -> tuple[int, int]:
        """The latest answer: its request's first descriptor, and the number of bytes written."""
        entry = USED + 4 + (self.given - 1) % RING * 8
        head, written = struct.unpack("<II", self.read(entry, 8))
        return head, written

    def transfer(self, address: int, written: bytes = b"", read: int = 0) -> int:
        """Make a transfer and wait for its end; return its status."""
        status = self.place(address, written, read)
        self.kick()
        self.called()
        return self.read(status, 1)[0]

    def read(self, at: int, size: int) -> bytes:
        """Read from the guest's memory."""
        return os.pread(self.file, size, at)

    def write(self, at: int, content: bytes) -> None:
        """Write into the guest's memory."""
        os.pwrite(self.file, content, at)

    def close(self) -> None:
        """Disconnect."""
        self.socket.close()
        os.close(self.file)
        os.close(self.calls)


Start = Callable[..., tuple[I2cBus, Kernel]]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Return a function that makes a bus with two panels, and a kernel that uses it."""
    kernels: list[Kernel] = []
    servers: list[I2cServer] = []

    def begin(hz: int | None = None, *, time_travel: bool = False) -> tuple[I2cBus, Kernel]:
        bus = I2cBus({LEFT_AT: Ssd1306(1), RIGHT_AT: Ssd1306(2)}, hz)
        servers.append(I2cServer(tmp_path / "i2c", bus, time_travel=time_travel))
        kernels.append(Kernel(servers[0].option))
        return bus, kernels[0]

    yield begin
    for kernel in kernels:
        kernel.close()
    for server in servers:
        server.close()


def test_it_offers_what_the_kernel_needs(start: Start) -> None:
    """The adapter offers the features that the kernel's driver and time travel need."""
    _, kernel = start()
    assert kernel.features == VERSION_1 | PROTOCOL_FEATURES | 1
    assert kernel.protocol == REPLY_ACK | BACKEND_REQUESTS | IN_BAND


@pytest.mark.parametrize("time_travel", [False, True])
def test_a_transfer_reaches_its_panel(start: Start, time_travel: bool) -> None:
    """Written bytes arrive at the panel with this address, and only there."""
    bus, kernel = start(time_travel=time_travel)
    assert kernel.transfer(RIGHT_AT, b"\x00\xaf\x81\x33") == GOOD
    assert (bus.panels[RIGHT_AT].on, bus.panels[RIGHT_AT].contrast) == (True, 0x33)
    assert not bus.panels[LEFT_AT].on
    assert (bus.count, bus.bytes) == (1, 5)


def test_an_address_without_a_panel_does_not_answer(start: Start) -> None:
    """A transfer to an address without a panel is not acknowledged and not counted."""
    bus, kernel = start()
    assert kernel.transfer(NOBODY_AT, b"\x00\xaf") == FAILED
    assert bus.count == 0


def test_a_transfer_without_data(start: Start) -> None:
    """A transfer without data finds out whether there is a panel at an address."""
    _, kernel = start()
    assert [kernel.transfer(at) for at in (LEFT_AT, NOBODY_AT)] == [GOOD, FAILED]


def test_reading_gives_the_status_byte(start: Start) -> None:
    """A read gives the panel's status byte, however often, and the request's status after it."""
    _, kernel = start()
    assert kernel.transfer(LEFT_AT, bytes([0])) == GOOD
    assert kernel.transfer(LEFT_AT, read=3) == GOOD
    assert kernel.read(BUFFERS + 0x1800, 5) == bytes([0x46, 0x46, 0x46, GOOD, 0])
    assert kernel.transfer(NOBODY_AT, read=3) == FAILED


def test_the_ring_goes_round(start: Start) -> None:
    """The entries of the ring are used again and again."""
    bus, kernel = start(time_travel=True)
    for contrast in range(RING * 40):
        kernel.write(USED + 4, bytes(RING * 8))
        assert kernel.transfer(LEFT_AT, bytes([0, 0x81, contrast % 256])) == GOOD
        assert kernel.used == (kernel.placed, 1)
    assert (bus.count, bus.panels[LEFT_AT].contrast) == (RING * 40, RING * 40 % 256 - 1)


def test_two_transfers_in_one_kick(start: Start) -> None:
    """Two transfers that were put into the ring before one kick are both made."""
    bus, kernel = start(time_travel=True)
    places = [kernel.place(at, b"\x00\xaf") for at in (LEFT_AT, RIGHT_AT)]
    kernel.kick()
    assert [kernel.read(place, 1)[0] for place in places] == [GOOD, GOOD]
    assert bus.panels[LEFT_AT].on
    assert bus.panels[RIGHT_AT].on


def test_the_rest_of_a_failed_transfer_fails(start: Start) -> None:
    """After a part that was not acknowledged, the others are not sent; the next transfer is."""
    bus, kernel = start(time_travel=True)
    places = [kernel.place(NOBODY_AT, b"\x00\xaf", more=True), kernel.place(LEFT_AT, b"\x00\xaf")]
    kernel.kick()
    assert [kernel.read(place, 1)[0] for place in places] == [FAILED, FAILED]
    assert bus.count == 0
    assert [kernel.transfer(LEFT_AT, b"\x00\xaf"), bus.count] == [GOOD, 1]


def test_the_rest_of_a_transfer_that_hangs_hangs_too(start: Start) -> None:
    """If it were answered, the part that hangs would be returned as a success."""
    bus, kernel = start(time_travel=True)
    bus.fail(1, HANGS)
    places = [kernel.place(LEFT_AT, b"\x00\xaf", more=True), kernel.place(RIGHT_AT, b"\x00\xaf")]
    kernel.kick()
    assert [kernel.read(place, 1)[0] for place in places] == [UNWRITTEN, UNWRITTEN]
    assert (bus.count, kernel.given) == (0, 0)
    assert kernel.transfer(RIGHT_AT, b"\x00\xaf") == GOOD
    assert bus.count == 1


def test_in_time_travel_the_answer_is_there_before_the_kernel_goes_on(start: Start) -> None:
    """The answer comes before the acknowledgement, so that no time passes for the kernel."""
    _, kernel = start(FAST_HZ, time_travel=True)
    for number in range(1, 100):
        status = kernel.place(LEFT_AT, b"\x40" + bytes(1024))
        kernel.kick()
        assert (kernel.given, kernel.read(status, 1)[0]) == (number, GOOD)


def test_in_real_time_the_kernel_goes_on_while_the_bus_works(start: Start) -> None:
    """In real time the acknowledgement comes before the transfer."""
    bus, kernel = start()
    going = threading.Event()
    bus.before = lambda address: assert_true(going.wait(PATIENCE_S))
    status = kernel.place(LEFT_AT, b"\x00\xaf")
    kernel.kick()
    assert (kernel.given, kernel.read(status, 1)[0]) == (0, UNWRITTEN)
    going.set()
    kernel.called()
    assert (kernel.given, kernel.read(status, 1)[0]) == (1, GOOD)


def assert_true(fact: bool) -> None:
    """Assert a fact, inside a lambda."""
    assert fact


def test_a_byte_takes_nine_bits(start: Start) -> None:
    """At 400 kHz a picture takes 23 ms, both on the bus and for the sender."""
    bus, kernel = start(FAST_HZ)
    assert kernel.transfer(LEFT_AT, b"\x40" + bytes(1024)) == GOOD
    bits = 1026 * 9 + 2
    assert bus.busy_ns == bits * SECOND_NS // FAST_HZ == 23_090_000
    [transfer] = bus.latest
    assert transfer.ended_ns - transfer.begun_ns >= bus.busy_ns


def test_one_transfer_is_not_acknowledged(start: Start) -> None:
    """Only the chosen transfer fails, and none after it."""
    bus, kernel = start()
    bus.fail(2)
    assert [kernel.transfer(LEFT_AT, b"\x00\xaf") for _ in range(3)] == [GOOD, FAILED, GOOD]


def test_a_panel_refuses(start: Start) -> None:
    """All transfers to a panel that refuses fail until `mend`; the other panel works."""
    bus, kernel = start()
    bus.refuse(LEFT_AT)
    both = [kernel.transfer(at, b"\x00\xaf") for at in (LEFT_AT, RIGHT_AT, LEFT_AT)]
    assert both == [FAILED, GOOD, FAILED]
    bus.mend()
    assert kernel.transfer(LEFT_AT, b"\x00\xaf") == GOOD


def test_part_of_a_transfer_arrives(start: Start) -> None:
    """A panel has received the bytes before the fault."""
    bus, kernel = start()
    bus.fail(1, Trouble(errno.EREMOTEIO, arrived=2))
    assert kernel.transfer(LEFT_AT, b"\x00\xaf\x81\x33") == FAILED
    assert (bus.panels[LEFT_AT].on, bus.panels[LEFT_AT].contrast) == (True, 0x7F)


@pytest.mark.parametrize("time_travel", [False, True])
def test_a_bus_that_hangs(start: Start, time_travel: bool) -> None:
    """A transfer on a hanging bus is returned only before the next one, after `mend`."""
    bus, kernel = start(time_travel=time_travel)
    bus.hang()
    left = kernel.place(LEFT_AT, b"\x00\xaf")
    kernel.kick()
    kernel.tell(Request.SET_FEATURES, NUMBER.pack(0))  # the adapter still reads messages
    assert (kernel.given, kernel.read(left, 1)[0]) == (0, UNWRITTEN)
    bus.mend()
    assert kernel.transfer(RIGHT_AT, b"\x00\xaf") == GOOD
    assert kernel.given == 2
    assert [panel.on for panel in bus.panels.values()] == [False, True]


def test_one_transfer_hangs(start: Start) -> None:
    """Only one transfer hangs, and the next one is answered."""
    bus, kernel = start()
    bus.fail(1, HANGS)
    kernel.place(LEFT_AT, b"\x00\xaf")
    kernel.kick()
    assert kernel.transfer(LEFT_AT, b"\x00\xae") == GOOD


def test_a_panel_that_was_unplugged_has_lost_its_state(start: Start) -> None:
    """An unplugged panel does not answer; when it is plugged in, it is off, its memory noise."""
    bus, kernel = start()
    panel = bus.panels[LEFT_AT]
    assert kernel.transfer(LEFT_AT, b"\x00\xaf\x8d\x14") == GOOD
    memory = [bytes(page) for page in panel.memory]
    panel.unplug()
    assert (kernel.transfer(LEFT_AT, b"\x00\xaf"), panel.shines) == (FAILED, False)
    panel.plug()
    assert (kernel.transfer(LEFT_AT), panel.on) == (GOOD, False)
    assert all(now != before for now, before in zip(panel.memory, memory, strict=True))


def test_the_first_transfer_after_an_instant(start: Start) -> None:
    """`first_after` finds the first transfer to a panel since an instant, or None."""
    bus, kernel = start()
    for at in (LEFT_AT, RIGHT_AT, LEFT_AT):
        assert kernel.transfer(at, b"\x00\xaf") == GOOD
    assert bus.wait(lambda: len(bus.latest) == 3, PATIENCE_S)
    first, right, last = bus.latest
    assert bus.first_after(0, LEFT_AT) == first
    assert bus.first_after(first.begun_ns + 1, LEFT_AT) == last
    assert bus.first_after(first.begun_ns, RIGHT_AT) == right
    assert bus.first_after(last.begun_ns + 1, LEFT_AT) is None


def test_the_next_kernel_finds_panels_that_were_without_power(start: Start) -> None:
    """When a kernel disconnects, its panels are switched off until the next one uses them."""
    bus, kernel = start()
    assert kernel.transfer(LEFT_AT, b"\x00\xaf") == GOOD
    path = kernel.socket.getpeername()
    kernel.socket.close()
    assert bus.wait(lambda: not bus.panels[LEFT_AT].on, PATIENCE_S)
    following = Kernel(f"virtio_uml.device={path}:34")
    assert following.transfer(LEFT_AT, b"\x00\xaf") == GOOD
    following.close()


def test_an_unknown_command_ends_the_server(tmp_path: Path) -> None:
    """A command that the panel does not know ends the server; `close` raises the error."""
    bus = I2cBus({LEFT_AT: Ssd1306()})
    server = I2cServer(tmp_path / "i2c", bus)
    kernel = Kernel(server.option)
    kernel.place(LEFT_AT, b"\x00\xf7")
    kernel.kick()
    assert kernel.socket.recv(1) == b""
    kernel.close()
    with pytest.raises(AssertionError, match="0xf7 is no command"):
        server.close()


def test_the_server_ends_during_a_transfer(start: Start) -> None:
    """Closing the server ends a very slow transfer of a running kernel."""
    bus, kernel = start(hz=1)
    kernel.place(LEFT_AT, b"\x00\xaf")
    kernel.kick()
    assert bus.wait(lambda: bus.count == 1, PATIENCE_S)


def test_the_server_ends_without_any_kernel(tmp_path: Path) -> None:
    """Closing the server ends its thread and removes its socket."""
    I2cServer(tmp_path / "i2c", I2cBus({})).close()
    assert not (tmp_path / "i2c").exists()
    assert "i2c" not in [thread.name for thread in threading.enumerate()]


def test_an_address_outside_the_memory() -> None:
    """The error names the address that is not in the guest's memory."""
    file = os.memfd_create("guest")
    os.ftruncate(file, SIZE)
    memory = Memory(struct.pack("<II", 1, 0) + REGION.pack(BASE, SIZE, BASE, 0), [file])
    with pytest.raises(ValueError, match=r"2 bytes at 0x107fff are not in"):
        memory.read(BASE + SIZE - 1, 2)
    memory.close()


def test_the_relation_of_clocks_has_the_narrowest_bounds() -> None:
    """The bounds are the narrowest of all rounds, widened by the step of the guest's clock."""
    reads, times = iter([0, 1024, 2048]), iter([5_000, 5_900, 6_400, 7_500, 7_100, 8_000])
    relation = relate(lambda: next(reads), lambda: next(times), rounds=3)
    assert relation == (5_376 - 255, 5_900)
    assert (relation.host_ns(100), relation.error_ns) == (5_610, 390)


def test_clocks_that_move_against_each_other() -> None:
    """Clocks that do not run alike are an error."""
    reads, times = iter([0, 0]), iter([5_000, 5_100, 6_000, 6_100])
    with pytest.raises(ValueError, match="by 645 ns or more"):
        relate(lambda: next(reads), lambda: next(times), rounds=2)


def test_the_relation_of_clocks_from_transfers() -> None:
    """Each transfer began between the guest's two stamps."""
    relation = related([(0, 1_024), (2_048, 2_560)], [5_500, 7_400])
    assert relation == (7_400 - 2_560 - 255, 7_400 - 2_048)
    assert relation.error_ns == 384
