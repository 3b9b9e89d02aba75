"""A clock, its serial line and the hub's end of it, with the cable pulled out in the middle."""

import os
import pty
import select
import tty
from io import BytesIO
from queue import Empty, SimpleQueue
from random import Random

import pytest
from serial import Serial, SerialException

from clock.eventlog.codec import Chain, heartbeat_line
from hardware.serial.backlog import Backlog
from hardware.serial.port import open_port
from hardware.serial.stream import SerialStream
from lab.support.logs import monkey_logs
from room.boards.register import Register
from room.hub.store.store import Store
from room.lines.events import ClockHeard, SourceEvent
from room.sources.serial_line import SerialLine

LOG = max(monkey_logs(3, 120), key=len)


class End(Serial):
    """The hub's end of a cable, which is torn after some bytes."""

    def __init__(self, descriptor: int, bytes_left: int) -> None:
        super().__init__()
        self.descriptor, self.bytes_left = descriptor, bytes_left

    def read(self, size: int = 1) -> bytes:
        if not select.select([self.descriptor], [], [], 0.01)[0]:
            return b""
        data = os.read(self.descriptor, max(1, min(size, self.bytes_left)))
        self.bytes_left -= len(data)
        if self.bytes_left <= 0:
            raise SerialException("unplugged")
        return data

    @property
    def in_waiting(self) -> int:
        """Some bytes, which may be fewer than there are."""
        return 100 if select.select([self.descriptor], [], [], 0)[0] else 0

    def close(self) -> None:
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1


@pytest.mark.parametrize("seed", range(3))
def test_nothing_is_lost_however_often_the_cable_is_pulled_out(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("room.sources.serial_line.FIRST_REOPEN_S", 0.001)
    monkeypatch.setattr("hardware.serial.stream.FIRST_RETRY_S", 0.001)
    random, cuts, plugged = Random(seed), [0, 1, 2], SimpleQueue[int]()
    told: SimpleQueue[SourceEvent] = SimpleQueue()

    def clock_end(_: str, baud: int) -> Serial:
        hub_end, clock_end = pty.openpty()
        tty.setraw(clock_end)
        opened = open_port(os.ttyname(clock_end), baud)
        os.close(clock_end)
        plugged.put(hub_end)
        return opened

    def hub_end(_: str, baud: int) -> Serial:
        try:
            found = plugged.get(timeout=0.01)
        except Empty:
            raise SerialException("not there") from None
        length = random.randrange(len(b"".join(LOG))) if cuts else 10**9
        cuts[:1] = []
        return End(found, length)

    backlog = Backlog(BytesIO, resumed=False, keep=10**6)
    stream = SerialStream("clock", 115200, backlog, opener=clock_end)
    line = SerialLine("hub", 115200, lambda: 0, hub_end)
    stream.send_heartbeats(
        lambda n: heartbeat_line(n, "boot", 0, Chain("play-1", "b", len(LOG)), ())
    )
    line.start(told.put)
    for each in LOG:
        stream.append(each + b"\n")
    register, store = Register(0), Store()
    while True:
        effects = register.handle(message := told.get(timeout=60))
        store.keep(effects.lines)
        complete = [len(store.lines("play-1")) == len(LOG), not cuts]
        if isinstance(message, ClockHeard) and message.boot and all(complete):
            break
    assert store.lines("play-1") == LOG
    (board,) = register.refresh(0).boards
    assert (board.seq, board.certain, board.damage) == (len(LOG), True, None)
    line.close()
    stream.close()
    store.close()
