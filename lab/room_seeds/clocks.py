"""A clock of the room: the real loop and machine, journal and link, with players and a card.

Only the pictures are left out, and with them the turns of the loop that change a digit.
"""

import asyncio
from contextvars import Context, ContextVar
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

from clock import __version__
from clock.apps.playback import NullPanels
from clock.eventlog.codec import stated_hash
from clock.match.inputs import MatchWanted
from clock.match.rules import MatchSettings
from clock.match.state import MatchState
from clock.match.types import Phase
from clock.runtime.adapters import HealthAggregator, TeeLog
from clock.runtime.loop import Runtime, UiOptions
from clock.runtime.ports import Drained
from clock.runtime.startup import find_match
from clock.storage.journal import Journal, JournalError
from clock.storage.log_reader import CURRENT, read_log
from clock.ui.i18n import sayer
from clock.units import SECOND_NS
from lab.room_seeds import laws
from lab.room_seeds.broker import SimulatedBroker
from lab.room_seeds.disk import SimulatedDisk
from lab.room_seeds.observer import Observer
from lab.room_seeds.options import Options
from lab.room_seeds.truth import ROOM, Written
from lab.room_seeds.virtual_time import IdleError, VirtualLoop
from lab.support.faulty_disk import Image
from lab.support.loops import make_loop
from room.broker.link import Link
from room.broker.topics import MAX_LOGS
from room.settings.link import LinkBroker, LinkSettings
from room.simulation.players import Players, random_settings
from room.sources.directory import DirectoryFollower

BEGINNING = datetime(2026, 5, 1, 12, tzinfo=UTC)
BOOT = ContextVar[str]("BOOT", default="")  # of the computer on which a task runs
RESTART_S = 0.5  # of a program that has ended
BOOT_S = (2.0, 20.0)  # from power on to the program
NO_NAME = CURRENT.partition(".")[0]
NEXT_MATCH_S = 60.0  # after a match, before the next one
AGAIN_S = 5.0  # until a clock that cannot start tries again


class BootTime:
    """The time of a computer since it was switched on."""

    def __init__(self, loop: VirtualLoop, boot: str, zero_ns: int) -> None:
        """Begin a boot whose raw clock shows 0 at an instant of the room."""
        self.boot, self.zero_ns, self._loop = boot, zero_ns, loop

    def now_ns(self) -> int:
        """See `TimeSource`."""
        return self._loop.ns - self.zero_ns

    def wall(self) -> str:
        """See `TimeSource`."""
        passed = timedelta(microseconds=self._loop.ns // 1000)
        return (BEGINNING + passed).isoformat(timespec="milliseconds")


class VirtualPlayers(Players):
    """Two players whom nobody waits for."""

    plays = True

    def wait(self, until_ns: int | None) -> None:
        """Return at once."""

    def due_ns(self, state: MatchState) -> int | None:
        """Return when they press next, in a state of the match; None: never."""
        self.state = state
        if not self.plays or state.phase is Phase.FINISHED:
            return None
        if self._planned is None:
            self._planned = self._plan(state)
        return self._planned and self._planned.at_ns

    def drain(self, now_ns: int) -> Drained:
        """See `Buttons`."""
        return super().drain(now_ns) if self.plays else Drained((), now_ns)


class Parts(NullPanels):
    """What a clock has beside its buttons; the next match is another one each time."""

    def __init__(self, random: Random, board: str) -> None:
        super().__init__(random_settings(random))
        self.board, self._random = board, random

    def settings(self) -> MatchSettings:
        """See `NextMatch`."""
        return self._settings

    def change(self) -> None:
        """Let two other players come."""
        self._settings = random_settings(self._random)


class VirtualJournal(Journal):
    """A journal that writes when it is told to."""

    def work(self) -> float | None:
        """Write what is to be written; return in how many seconds the next write is due."""
        try:
            while (request := self._queue.next()) is not None:
                self._attempt(request)
        except IdleError as idle:
            return idle.seconds
        return None

    @property
    def is_well(self) -> bool:
        """Whether all is on the card, as far as the journal knows."""
        return self._put_bytes == self._saved_bytes and self._all_saved()


class SimulatedClock:
    """A clock with its players, its card and its link."""

    def __init__(
        self,
        number: int,
        folder: Path,
        loop: VirtualLoop,
        options: Options,
        broker: SimulatedBroker,
        observer: Observer,
    ) -> None:
        self.name, self.board = f"c{number}", str(number)
        self._random = Random(f"{options.seed} {self.name}")
        self._folder, self._loop, self._options = folder / self.name, loop, options
        self._broker, self._observer, self._truth = broker, observer, observer.truth
        self._image: Image = {}
        self._boots = 0
        self._parts = Parts(self._random, self.board)
        self._next_turn: asyncio.TimerHandle | None = None
        self._next_work: asyncio.TimerHandle | None = None
        self._next_scan: asyncio.TimerHandle | None = None
        self._plays = True
        self._over_ns: int | None = None  # since when the match is over
        self._latest: Written | None = None
        self._saved: Written | None = None  # the latest line that the journal takes for saved
        self.is_on = False
        self.runtime: Runtime | None = None
        self.journal: VirtualJournal | None = None
        self.link: asyncio.Task[None] | None = None

    # --- power --------------------------------------------------------------------------------

    def switch_on(self) -> None:
        """Begin a boot."""
        self._boots += 1
        random, loop = self._random, self._loop
        boot = f"{self.board:0>8}-0000-4000-8000-{self._boots:012}"
        zero_ns = loop.ns - random.randrange(SECOND_NS, 100 * SECOND_NS)
        self.time, self._truth.began_ns[boot] = BootTime(loop, boot, zero_ns), zero_ns
        self.directory = self._folder / f"boot-{self._boots}"
        self.disk = SimulatedDisk(self.directory, random, self._image)
        self._check_card()
        self._context = Context()
        self._context.run(BOOT.set, boot)
        self._broker.heal(self.name)
        self.is_on = True
        self.start_program()
        self.start_link()

    def _check_card(self) -> None:
        """See that an honest card has what the journal has left there."""
        if not self._observer.cards[self.name]:
            return
        logs, check = self.logs(), self._observer.check
        for match, lines in logs.items():
            check(laws.logs_on_cards_are_whole, (self.name, match), lines, self._truth)
        own = logs.get(self._saved.says.match, []) if self._saved else []
        check(laws.cards_keep_what_they_have, self._saved, own)

    def cut_power(self) -> None:
        """Pull the plug; it is put in again after a while."""
        if not self.is_on:
            return
        self.is_on = False
        self._image = self.disk.cut_power()
        self.kill_program()
        self.kill_link(power=True)
        self._loop.call_later(self._random.uniform(*BOOT_S), self.switch_on)

    def end(self) -> None:
        """Switch it off for good."""
        self.is_on = False
        self.kill_program()
        self.kill_link()

    def logs(self) -> dict[str, list[bytes]]:
        """Return the logs on its card, by match."""
        names = sorted({path.name.partition(".")[0] for path in self.directory.glob("*.jsonl")})
        found = [read_log(self.directory / f"{name}.jsonl") for name in names if name != NO_NAME]
        return {log.match: list(log.lines) for log in found if log is not None}

    def latest(self) -> Written | None:
        """Return the latest line of its present match that is on its card."""
        match = self._latest.says.match if self._latest else ""
        lines = self.logs().get(match, [b""])
        return self._truth.find(self.name, match, stated_hash(lines[-1]) or "")

    # --- the program --------------------------------------------------------------------------

    def start_program(self) -> None:
        """Start the clock's program, which resumes the match that the card shows."""
        if not self.is_on or self.runtime is not None:
            return
        try:
            journal = VirtualJournal(self.directory, self.time.now_ns, disk=self.disk)
            try:
                startup = find_match(journal, self.time)
                if startup.recovery is None:
                    journal.require_room()
            except JournalError:
                journal.close()
                raise
        except JournalError:  # the clock says so on its panels
            self._loop.call_later(AGAIN_S, self.start_program)
            return
        self.journal = journal
        self._players = VirtualPlayers(self._random, self.time, self._options.pace)
        self._players.plays = self._plays
        log = TeeLog(journal, self._write)
        health = HealthAggregator(startup.faults, journal.drain)
        parts = (self.time, self._players, self._parts, log)
        options = UiOptions(sayer("en"), __version__, clock=f"{int(self.board):08x}")
        begin = (startup.recovery, startup.preset, startup.offer)
        self.runtime = make_loop(*parts, options, begin, health=health)
        self._turn()

    def _write(self, line: bytes) -> None:
        self._latest = self._truth.write(self.name, line[:-1])

    def kill_program(self) -> None:
        """End the clock's program without a word."""
        for each in (self._next_turn, self._next_work):
            if each is not None:
                each.cancel()
        if self.journal is not None:
            self.journal.close()
            self._latest = self._saved  # what the journal had not written is gone
        self.runtime = self.journal = None

    def restart_program(self) -> None:
        """Kill the program; the service manager starts it again."""
        self.kill_program()
        self._loop.call_later(RESTART_S, self.start_program)

    def stop_playing(self) -> None:
        """Let nobody press a button any more."""
        self._plays = False
        if self.runtime is not None:
            self._players.plays = False
            self._plan()

    def _turn(self) -> None:
        """Do a turn of the clock's loop, and write."""
        if self.runtime is None:
            return
        self.runtime.turn()
        self._begin_next_match(self.runtime)
        self._plan()
        if self._random.random() < 0.8:
            self._work()
        else:
            self._work_in(self._random.uniform(0, 0.3))

    def _begin_next_match(self, runtime: Runtime) -> None:
        """Let the next players come a while after a match is over."""
        now_ns, over = self.time.now_ns(), runtime.state.phase is Phase.FINISHED
        if not (over and self._plays):
            self._over_ns = None
        elif self._over_ns is None:
            self._over_ns = now_ns
            self._loop.call_later(NEXT_MATCH_S / self._options.pace, self._turn)
        elif now_ns - self._over_ns >= NEXT_MATCH_S / self._options.pace * SECOND_NS:
            self._parts.change()
            runtime.apply_input(MatchWanted(now_ns))
            self._over_ns = None

    def _plan(self) -> None:
        """Have the next turn done when it is due."""
        if self.runtime is None:
            return
        dues = (self.runtime.due_ns(), self._players.due_ns(self.runtime.state))
        due_ns = min((each for each in dues if each is not None), default=None)
        if self._next_turn is not None:
            self._next_turn.cancel()
        if due_ns is not None:
            self._next_turn = self._loop.call_at_ns(due_ns + self.time.zero_ns, self._turn)

    def _work(self) -> None:
        """Let the journal write what waits."""
        if self.journal is None:
            return
        self.journal.work()
        if self.journal.is_well:
            self._saved = self._latest
        else:
            self._work_in(AGAIN_S)
        if self.runtime is not None and self.journal.late_ns() is not None:
            self._plan()
        self._scan_in(self._random.uniform(0.001, 0.02))

    def _work_in(self, seconds: float) -> None:
        if self._next_work is not None:
            self._next_work.cancel()
        self._next_work = self._loop.call_later(seconds, self._work)

    # --- the link -----------------------------------------------------------------------------

    def start_link(self) -> None:
        """Start the link's program."""
        if not self.is_on or self.link is not None:
            return
        broker = LinkBroker(host="sim", ca="", password="")
        settings = LinkSettings(room=ROOM, clock=self.name, board=self.board, broker=broker)
        link = Link(settings, self.directory, self.time.now_ns, _no_service)
        self._follower = DirectoryFollower(self.directory, link.handle, self.time.now_ns, MAX_LOGS)
        self._scan()
        while self._context.run(self._follower.read_earlier):
            pass
        self.link = self._loop.create_task(link.run(), context=self._context)

    def kill_link(self, *, power: bool = False) -> None:
        """End the link's program without a word."""
        if self._next_scan is not None:
            self._next_scan.cancel()
        if self.link is None:
            return
        self._broker.kill(self.name, power=power)
        self.link.cancel()
        self._follower.close()
        self.link = None

    def restart_link(self) -> None:
        """Kill the link; the service manager starts it again."""
        self.kill_link()
        self._loop.call_later(RESTART_S, self.start_link)

    def _scan_in(self, seconds: float) -> None:
        if self._next_scan is not None:
            self._next_scan.cancel()
        self._next_scan = self._loop.call_later(seconds, self._look)

    def _look(self) -> None:
        """Look at the logs, after the checkpoint was written that is due."""
        if self.journal is not None:
            self.journal.work()
        if self.link is not None:
            self._scan()

    def _scan(self) -> None:
        self._context.run(self._follower.scan)
        self._scan_in(self._options.scan_s)


async def _no_service() -> tuple[str, str]:
    return "active", ""
