"""The hub of the room: the real hub, its real store in SQLite, and the way from the broker."""

import asyncio
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from typing import Any

from lab.room_seeds.broker import SimulatedBroker
from lab.room_seeds.observer import Observer
from lab.room_seeds.truth import ROOM
from lab.room_seeds.virtual_time import LoopWriteQueue, VirtualLoop
from room.boards.board import Board
from room.boards.register import Register
from room.broker.source import ClockList, Mqtt
from room.hub.hub import Hub
from room.hub.store.database import DatabaseError, Row, Sqlite
from room.hub.store.opening import StoreError
from room.hub.store.store import Store
from room.lines.events import Emit, SourceEvent
from room.lines.quota import Quota
from room.settings.hub import Broker
from room.settings.room import HUB

PLENTY = Quota(100_000, 1_000_000)
AGAIN_S = 2.0  # until the hub tries again to open its database
DAY = 20_574  # 2026-05-01
LINES = "INSERT INTO lines (source, match, seq, verdict, line)"


class HubComputer:
    """What outlives the hub's program: its disk."""

    def __init__(self, folder: Path, random: Random, observer: Observer) -> None:
        folder.mkdir()
        self.file, self.random, self.observer = folder / "room.sqlite", random, observer
        self._earlier = folder / "earlier"
        self.is_failing = self.has_gone_back = False

    def remember(self) -> None:
        """Copy the database as it is now."""
        shutil.rmtree(self._earlier, ignore_errors=True)
        self._earlier.mkdir()
        for each in self._files():
            shutil.copy(each, self._earlier)

    def go_back(self) -> None:
        """Put the copy in the place of the database: a disk that lied has lost the rest."""
        if not self._earlier.exists():
            return
        self.has_gone_back = True
        for each in self.file.parent.glob("room.sqlite*"):
            each.unlink()
        for each in self._earlier.iterdir():
            shutil.copy(each, self.file.parent)

    def _files(self) -> list[Path]:
        return [
            each for each in self.file.parent.glob("room.sqlite*") if not each.name.endswith("-shm")
        ]


class SimulatedDatabase(Sqlite):
    """A database on a disk that fails now and then."""

    def __init__(self, computer: HubComputer) -> None:
        self._computer = computer
        self._new: list[Row] = []
        super().__init__(str(computer.file))

    def rows(self, command: str, *values: object) -> list[Row]:
        """See `Database`."""
        self._require(0.1)
        return super().rows(command, *values)

    def run(self, command: str, values: Iterable[Row] = ((),)) -> None:
        """See `Database`."""
        self._require(0.1)
        values = list(values)
        super().run(command, values)
        if command.startswith(LINES):
            self._new += values

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """See `Database`; sometimes it is committed, and nobody is told."""
        self._new = []
        with super().transaction():
            yield
            self._require(0.3)
        self._computer.observer.committed(self._new)
        self._require(0.2)

    def _require(self, chance: float) -> None:
        if self._computer.is_failing and self._computer.random.random() < chance:
            raise DatabaseError("disk I/O error")


class VirtualMqtt(Mqtt):
    """The way from the broker, in the event loop of the room."""

    task: asyncio.Task[None] | None = None

    def start(self, emit: Emit) -> None:
        """See `Source`."""
        self._emit = emit
        self.task = asyncio.get_event_loop().create_task(self._run())

    def close(self) -> None:
        """See `Source`."""
        if self.task is not None:
            self.task.cancel()


class SimulatedHub:
    """The hub's program, which may be killed and started again."""

    def __init__(
        self,
        computer: HubComputer,
        loop: VirtualLoop,
        broker: SimulatedBroker,
        boards: dict[str, str],
    ) -> None:
        self.computer, self._loop = computer, loop
        self._broker, self._boards = broker, boards
        self._queues: list[LoopWriteQueue] = []
        self._keeping: asyncio.Task[None] | None = None
        self._mqtt: VirtualMqtt | None = None
        self._database: SimulatedDatabase | None = None
        self.hub: Hub | None = None
        self.store: Store | None = None
        self.began_ns = 0

    def make_queue(self, write: Any) -> LoopWriteQueue:
        """Stand for the store's write queue."""
        self._queues.append(LoopWriteQueue(self._loop, self.computer.random, write))
        return self._queues[-1]

    def open_database(self, _where: object) -> SimulatedDatabase:
        """Stand for `room.hub.store.opening.open_database`."""
        self._database = SimulatedDatabase(self.computer)
        return self._database

    def start(self) -> None:
        """Start the program; it waits for its database."""
        if self.hub is not None:
            return
        loop, now_ns = self._loop, self._loop.now_ns
        try:
            store = Store(self.computer.file, lambda: DAY, lambda: "2026-05-01", holds="desk")
        except StoreError:
            loop.call_later(AGAIN_S, self.start)
            return
        self.began_ns = now_ns()
        register = Register(now_ns(), "the hub's boot", None, store.known, store.conflicts)
        hub = self.hub = Hub(register, store, now_ns)
        self.store = store
        put = hub.feed.put_board

        def put_board(board: Board) -> None:
            self.computer.observer.shown(board, self.began_ns)
            put(board)

        hub.feed.put_board = put_board  # type: ignore[method-assign]
        self.look()
        broker = Broker(host="sim", port=1, ca="", username=HUB, password="")
        self._mqtt = VirtualMqtt(ROOM, broker, ClockList(self._boards, PLENTY), now_ns, store)
        hub.upstream = self._mqtt.backlog
        self._mqtt.takes = hub.takes

        def emit(event: SourceEvent) -> None:
            if hub.put(event):
                loop.call_soon(hub.update_soon)

        self._keeping = loop.create_task(hub.keep_current())
        self._mqtt.start(emit)

    def look(self) -> None:
        """Have the whole database looked at; its disk does not fail meanwhile."""
        computer, failing = self.computer, self.computer.is_failing
        if self.store is None or self._database is None:
            return
        computer.is_failing = False
        if computer.has_gone_back:
            computer.has_gone_back = False
            computer.observer.went_back(self._database)
        computer.observer.opened(self.store, self._database)
        computer.is_failing = failing

    def go_back(self, seconds: float) -> None:
        """Cut the power of a disk that lied; the next time, it goes back to now."""
        self.kill()
        self.computer.go_back()
        self.computer.remember()
        self._loop.call_later(seconds, self.start)

    def kill(self) -> None:
        """End the program without a word."""
        self._broker.kill(HUB)
        if self._mqtt is not None:
            self._mqtt.close()
        if self._keeping is not None:
            self._keeping.cancel()
        for queue in self._queues:
            queue.kill()
        self._queues.clear()
        if self._database is not None:
            with suppress(DatabaseError):
                self._database.close()
        self.hub = self.store = self._mqtt = self._keeping = self._database = None

    def restart(self, seconds: float) -> None:
        """Kill the program, and start it again after a while."""
        self.kill()
        self._loop.call_later(seconds, self.start)
