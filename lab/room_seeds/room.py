"""A room with everything in it, from one seed: it is played, disturbed, and judged by its laws."""

import asyncio
import os
import random as chance
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, chdir, contextmanager, suppress
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import NamedTuple
from unittest.mock import patch
from uuid import UUID

from clock.match.types import Pair
from clock.units import SECOND_NS
from hardware.face import Face
from lab.room_seeds import laws
from lab.room_seeds.broker import SimulatedBroker
from lab.room_seeds.clocks import BOOT, SimulatedClock
from lab.room_seeds.hub import HubComputer, SimulatedHub
from lab.room_seeds.observer import Observer, Violation
from lab.room_seeds.options import Options
from lab.room_seeds.truth import ROOM, Truth
from lab.room_seeds.virtual_time import AtOnceReader, IdleQueue, NoThread, VirtualLoop
from lab.support.paths import IN_MEMORY
from room.settings.room import HUB

QUIET_S = 60.0  # after the faults, until all must be well
LATEST_S = 2.0  # before that, no line may be written that is still on its way


class Played(NamedTuple):
    """What became of a room."""

    options: Options
    violation: Violation | None
    incidents: Counter[str]
    lines: int
    matches: int
    checks: int
    trace: int  # of all messages; equal if the same happened


class SimulatedRoom:
    """The room."""

    def __init__(self, options: Options, folder: Path, loop: VirtualLoop) -> None:
        self.options, self.loop = options, loop
        self.random = Random(f"incidents of {options.seed}")
        self.truth, self.incidents = Truth(), Counter[str]()
        self.trace = 0
        self.observer = Observer(self.truth, loop.now_ns, loop.stop)
        self.broker = SimulatedBroker(loop, options, Random(f"broker of {options.seed}"))
        self.broker.heard = self._hear
        numbers = range(1, options.boards + 1)
        self.clocks = [
            SimulatedClock(number, folder, loop, options, self.broker, self.observer)
            for number in numbers
        ]
        self.observer.boards = {clock.name: clock.board for clock in self.clocks}
        self.observer.cards = {clock.name: True for clock in self.clocks}
        computer = HubComputer(folder / "hub", Random(f"hub of {options.seed}"), self.observer)
        self.hub = SimulatedHub(computer, loop, self.broker, self.observer.boards)

    def _hear(self, client: str, message: object) -> None:
        self.trace = hash((self.trace, self.loop.ns, client, message))
        self.observer.heard(client, message)  # type: ignore[arg-type]

    def start(self) -> None:
        """Switch everything on."""
        self.hub.start()
        for clock in self.clocks:
            self.loop.call_later(self.random.uniform(0, 5), clock.switch_on)
        for name in self.options.incidents:
            self._later(name)

    def _later(self, name: str) -> None:
        mean_s = self.options.incidents[name]
        self.loop.call_later(self.random.expovariate(1 / mean_s), lambda: self._happen(name))

    def _happen(self, name: str) -> None:
        if not self.broker.is_faulty:
            return
        self.incidents[name] += 1
        self._incidents()[name]()
        self._later(name)

    def _incidents(self) -> dict[str, Callable[[], None]]:
        """Return what can happen, by its name."""
        random, broker, hub = self.random, self.broker, self.hub
        clock = random.choice(self.clocks)
        anybody = random.choice([HUB, *(each.name for each in self.clocks)])
        return {
            "broker restarts": lambda: broker.restart(random.uniform(0.1, 10)),
            "broker forgets what it retains": broker.forget_retained,
            "broker forgets a subscription": broker.forget_subscription,
            "connection lost": broker.lose_connection,
            "partition": lambda: broker.cut(anybody, random.uniform(1, 60)),
            "hub killed": lambda: hub.restart(random.uniform(0.5, 20)),
            "hub forgets an hour": lambda: hub.go_back(random.uniform(0.5, 20)),
            "database fails": lambda: self._for_a_while(hub.computer, "is_failing"),
            "power cut": clock.cut_power,
            "clock killed": clock.restart_program,
            "link killed": clock.restart_link,
            "card fails": lambda: self._spoil(clock, "is_failing"),
            "card is full": lambda: self._spoil(clock, "is_full"),
            "card lies": lambda: self._spoil(clock, "is_lying"),
        }

    def _spoil(self, clock: SimulatedClock, how: str) -> None:
        if clock.is_on:
            self.observer.cards[clock.name] = False
            if how == "is_lying":
                self.observer.liars.add(clock.name)
            self._for_a_while(clock.disk, how)

    def _for_a_while(self, what: object, how: str) -> None:
        setattr(what, how, True)
        self.loop.call_later(self.random.uniform(1, 30), lambda: setattr(what, how, False))

    def calm(self) -> None:
        """Let nothing fail any more."""
        self.broker.heal_all()
        self.hub.computer.is_failing = False
        for clock in self.clocks:
            clock.stop_playing()
            if clock.is_on:
                clock.disk.is_failing = clock.disk.is_full = clock.disk.is_lying = False

    def judge(self) -> None:
        """Ask the laws that hold when all is quiet."""
        hub, store, check = self.hub.hub, self.hub.store, self.observer.check
        if hub is None or store is None:
            self.observer.report("hub_has_every_log", "there is no hub")
            return
        boards = {board.source: board for board in hub.register.boards.values()}
        for clock in self.clocks:
            for match, card in clock.logs().items():
                key = (clock.name, match)
                stored = store.lines(match, f"{ROOM}/{clock.name}")
                whole = laws.whole_part(key, card, self.truth)
                check(laws.hub_has_every_log, key, whole, stored)
                if self.observer.cards[clock.name]:
                    check(laws.only_faulty_cards_lose, key, whole, stored)
                if clock.name not in self.observer.liars:
                    check(laws.logs_on_cards_are_whole, key, card, self.truth)
            latest, board = clock.latest(), boards.get(clock.name)
            if clock.runtime is None or latest is None:
                self.observer.report("boards_are_right", f"{clock.name} does not run")
                continue
            if clock.name in self.observer.liars:  # its log may end at a gap
                continue
            check(laws.boards_are_right, board, clock.runtime.state, latest)
            latency_ns = int(3 * self.options.latency_s * SECOND_NS) + SECOND_NS // 10
            if board is not None:
                check(laws.boards_are_on_time, board, self.hub.began_ns, self.truth, latency_ns)

    def end(self) -> None:
        """Switch everything off."""
        self.observer.let_end()
        if self.hub.store is not None:
            self.hub.look()
        self.hub.kill()
        for clock in self.clocks:
            clock.end()


def play(options: Options) -> Played:
    """Play a room to its end, or to the first law that does not hold."""
    chance.seed(options.seed)
    loop = VirtualLoop()
    # Paths stand in some messages of clocks: they must be the same each time.
    with tempfile.TemporaryDirectory(dir=IN_MEMORY) as folder, chdir(folder):
        room = SimulatedRoom(options, Path(), loop)
        with in_one_thread(room):
            asyncio.set_event_loop(loop)
            try:
                _run(room)
            finally:
                room.end()
                _finish(loop)
                asyncio.set_event_loop(None)
                loop.close()
    matches = len(room.truth.lines)
    return Played(
        options, room.observer.violation, room.incidents, room.truth.count, matches,
        room.observer.checks, room.trace,
    )  # fmt: skip


def _run(room: SimulatedRoom) -> None:
    loop, options = room.loop, room.options
    room.start()
    loop.call_later(60 * options.minutes, loop.stop)
    loop.run_forever()
    if options.mode == "liveness" and room.observer.violation is None:
        room.calm()
        lines, wait_s = -1, QUIET_S
        while lines != room.truth.count and room.observer.violation is None:
            lines = room.truth.count if wait_s < QUIET_S else -1
            loop.call_later(wait_s, loop.stop)
            loop.run_forever()
            wait_s = LATEST_S
        room.observer.let_end()
        if room.observer.violation is None:
            room.judge()
    for context in loop.errors:
        room.observer.report("nothing_raises", repr(context))


def _finish(loop: VirtualLoop) -> None:
    """Let what was cancelled end."""
    tasks = asyncio.all_tasks(loop)
    for task in tasks:
        task.cancel()
    with suppress(asyncio.CancelledError):
        loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))


@contextmanager
def in_one_thread(room: SimulatedRoom) -> Iterator[None]:
    """Replace what waits, what reads this computer's clock, and what draws."""
    seeded = Random(f"names of {room.options.seed}")
    virtual = SimpleNamespace(monotonic_ns=room.loop.now_ns)
    nobody = Pair(Face(reserve=""), Face(reserve=""))

    def sync(file: int) -> None:
        inode = os.fstat(file).st_ino
        for clock in room.clocks:
            if clock.is_on:
                clock.disk.sync_inode(inode)

    replaced = {
        "room.broker.session.connect": room.broker.connect,
        "room.broker.link.boot_id": BOOT.get,
        "room.sources.directory.boot_id": BOOT.get,
        "room.hub.store.tables.uuid4": lambda: UUID(int=seeded.getrandbits(128)),
        "room.hub.store.logs.Reader": AtOnceReader,
        "room.hub.store.store.WriteQueue": room.hub.make_queue,
        "room.hub.store.store.open_database": room.hub.open_database,
        "room.hub.store.store.time": virtual,
        "room.hub.store.write_queue.time": virtual,
        "clock.storage.journal.Thread": NoThread,
        "clock.storage.writer_queue.SimpleQueue": IdleQueue,
        "clock.runtime.loop.faces": lambda view, now_ns: nobody,
        "clock.runtime.loop.next_face_ns": lambda view, shown_ns: None,
        "os.fdatasync": sync,
    }
    with ExitStack() as opened:
        for name, stand_in in replaced.items():
            opened.enter_context(patch(name, stand_in))
        yield
