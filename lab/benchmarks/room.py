"""Measure `gammonclock watch`: how soon readers see a press, and what the hub costs.

    python -m lab.benchmarks.room DATABASE    print the hub's memory over 8 h as JSON; "": no file

The clocks are logs that grow line by line, written here; the hub is the program itself, in a
process of its own. Lines are written as a clock writes them, at the instants that they name, and
each clock repeats its checkpoint twice a second. The logs are in memory where that is possible, as
the clocks of a hall do not share one disk.
"""

import asyncio
import gc
import heapq
import os
import random
import selectors
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import (
    AbstractContextManager,
    ExitStack,
    asynccontextmanager,
    closing,
    contextmanager,
    suppress,
)
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol
from urllib.parse import urlsplit
from urllib.request import urlopen

import msgspec
import uvicorn
from msgspec import structs

from clock.apps.playback import play
from clock.apps.script import parse
from clock.eventlog.codec import decode
from clock.eventlog.recovery import Checkpoint
from clock.eventlog.replay import replay
from clock.match.rules import MatchSettings
from clock.match.types import Side
from clock.storage.checkpoint import CHECKPOINT, encode_slot
from clock.storage.log_reader import CURRENT
from clock.ui.dialogue import Dialogue
from clock.ui.face import View, clock_face, next_face_ns
from clock.ui.i18n import sayer
from clock.units import MINUTE_NS, SECOND_NS
from lab.benchmarks.loads import UI_OPTIONS, script, settings
from lab.benchmarks.measure import Figure, at_most, at_most_99th_percentile
from lab.support.paths import IN_MEMORY
from lab.support.watch_program import WatchProgram
from room.boards.register import Register
from room.forecast.games import FURTHEST
from room.hub.hub import Hub
from room.sources.events import LinesRead, Place
from room.store.store import Store
from room.web.site import application

if TYPE_CHECKING:
    from playwright.sync_api import Browser, CDPSession, Page, ViewportSize

ROOT = Path(__file__).parents[2]
TURN_S = 8.0  # about the median of a turn
LONG_TURN_S = 40.0
SHORT_DELAY_NS = (
    SECOND_NS  # nearly all of a turn is in the reserve, whose digits change each second
)
CHECKPOINT_NS = SECOND_NS // 2
BEGUN = 4  # lines of a match whose first turn is about to begin
ROUNDS, ROUND_S, WARM_S = 5, 3.0, 2.0
PATIENCE_S = 30.0  # for what a hub shall tell; only a hub that fails takes so long
READERS = 1_000
STARTS = 5
HOURS, HALL, FANS = 8, 64, 8  # of matches, the boards on which they are played, their readers
SHUFFLE = 8  # different matches, each played on several boards at different times
HOUR_NS = 60 * MINUTE_NS
BEFORE_PRESS_NS = SECOND_NS // 10  # a page may not have drawn a change that was so short
SAMPLES = 50  # of how two clocks differ
LAPTOP: "ViewportSize" = {"width": 1366, "height": 768}
# Note each text of a time with the instant of the page's clock.
WATCH = """
window.shown = [];
const noted = (changes) => changes.map(({ target }) => {
  const time = (target instanceof Text ? target.parentElement : target).closest(".time");
  const tile = time.closest(".tile");
  const side = [...tile.querySelectorAll(".time")].indexOf(time);
  return [tile.querySelector(".id").textContent, side, time.textContent, performance.now()];
});
const observer = new MutationObserver((changes) => window.shown.push(...noted(changes)));
for (const time of document.querySelectorAll(".tile .time")) {
  observer.observe(time, { childList: true, characterData: true, subtree: true });
}
null
"""


Tasks = set[asyncio.Task[Any]]


class Told(msgspec.Struct):
    """What a reader needs of a board's event."""

    id: str
    source: str
    seq: int


class Press(NamedTuple):
    """A line that was written."""

    seq: int
    at_ns: int


class Hour(msgspec.Struct):
    """A process that watches, after an hour of matches."""

    mb: float  # resident memory
    matches: int  # that have ended


class Costs(NamedTuple):
    """What a room costs in each round."""

    delays_ms: list[float]
    percents: list[float]  # of a core
    behind: int  # boards of which the reader does not have the latest line in the end


def figures() -> Iterator[Figure]:
    """Measure and yield each figure; the goals are for two idle cores."""
    yield from _room("1 board", boards=1, pace=40, goals_ms=(50, 50))
    yield from _room("64 boards", boards=64, pace=1, goals_ms=(50, 50), percent=15, mb=80)
    yield from _room("500 boards", boards=500, pace=1, goals_ms=(250, 250), percent=15, mb=120)
    yield from _room("500, pace 10", boards=500, pace=10, goals_ms=(2000, 2000), percent=100)
    yield from _readers()
    yield from _pages()
    yield from _memory()
    yield _first_picture()


def _room(
    name: str,
    boards: int,
    pace: float,
    goals_ms: tuple[float, float],
    percent: float | None = None,
    mb: float | None = None,
) -> Iterator[Figure]:
    with _hall(boards, pace) as hall:
        memory = hall.hub.memory_mb()
        costs = hall.measure()
    usual, latest = goals_ms
    yield at_most(f"press to reader, {name}", costs.delays_ms, "ms", usual)
    yield at_most_99th_percentile(costs.delays_ms, "ms", latest)
    yield at_most("boards whose latest line did not come", [costs.behind], "", 0)
    if percent is not None:
        yield at_most(f"hub, {name}", costs.percents, "% of a core", percent)
    if mb is not None:
        yield at_most(f"memory of the hub, {name} (RSS)", [memory], "MB", mb)


def _readers() -> Iterator[Figure]:
    """Measure many readers, each of one board."""
    with _hall(64, 1) as hall:
        before = hall.hub.memory_mb()
        with _spectators(hall.hub.address, hall.reader.ids(), READERS):
            costs = hall.measure()
            after = hall.hub.memory_mb()
    yield at_most(f"hub, 64 boards, {READERS:,} readers", costs.percents, "% of a core", 20)
    yield at_most("press to reader meanwhile", costs.delays_ms, "ms", 250)
    yield at_most(f"memory for {READERS:,} readers", [after - before], "MB", 100)


# --- a room ---------------------------------------------------------------------------------------


class Followed(Protocol):
    """A running hub."""

    @property
    def address(self) -> str:
        """The address of its pages; it ends with a slash."""

    def cpu_ns(self) -> int:
        """Return the processor time that it has used."""

    def memory_mb(self) -> float:
        """Return its resident memory."""


class HubProcess(WatchProgram):
    """`gammonclock watch`, and what it uses of the computer."""

    def cpu_ns(self) -> int:
        """Return the processor time that it has used."""
        return cpu_ns(self.process)

    def memory_mb(self) -> float:
        """Return its resident memory."""
        return memory_mb(self.process)


def cpu_ns(process: int) -> int:
    """Return the processor time that a process has used (clock_getcpuclockid(3))."""
    return time.clock_gettime_ns(~process << 3 | 2)


def memory_mb(process: int | str) -> float:
    """Return the resident memory of a process."""
    pages = int(Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


class Reader:
    """A reader of all boards, in a thread."""

    def __init__(self, address: str) -> None:
        """Begin to read."""
        self._told: dict[str, Told] = {}  # by source
        self._presses: dict[str, list[Press]] = {}  # those that were not seen yet, by source
        self._delays_ms: list[float] = []
        self.pressed_ns: dict[tuple[str, int], int] = {}  # when, by source and line
        self._changed = threading.Condition()
        self._events = urlopen(f"{address}api/events")  # noqa: S310 (an address of this program)
        threading.Thread(target=self._read, daemon=True).start()

    def pressed(self, source: str, seq: int) -> None:
        """Note that a line is written now."""
        with self._changed:
            press = Press(seq, time.perf_counter_ns())
            self.pressed_ns[source, seq] = press.at_ns
            self._presses.setdefault(source, []).append(press)

    def wait(self, seqs: dict[str, int]) -> int:
        """Wait until boards are known up to these lines; return how many are not."""
        with self._changed:
            self._changed.wait_for(lambda: not self._behind(seqs), PATIENCE_S)
            return self._behind(seqs)

    def take_delays(self) -> list[float]:
        """Return by how much later than a line its event came, since the last call."""
        with self._changed:
            delays, self._delays_ms = self._delays_ms, []
            return delays

    def ids(self) -> list[str]:
        """Return the ids of all boards."""
        with self._changed:
            return [told.id for told in self._told.values()]

    def id_of(self, source: str) -> str:
        """Return the id of the board of a source."""
        with self._changed:
            return self._told[source].id

    def _behind(self, seqs: dict[str, int]) -> int:
        known = self._told
        return sum(name not in known or known[name].seq < seq for name, seq in seqs.items())

    def _read(self) -> None:
        event = b""
        with suppress(OSError):  # the hub has ended
            for line in self._events:
                name, _, value = line.strip().partition(b": ")
                if name == b"event":
                    event = value
                elif name == b"data" and event == b"board":
                    self._take(msgspec.json.decode(value, type=Told))

    def _take(self, told: Told) -> None:
        now_ns = time.perf_counter_ns()
        with self._changed:
            self._told[told.source] = told
            waiting = self._presses.get(told.source, [])
            seen = [press for press in waiting if press.seq <= told.seq]
            self._presses[told.source] = waiting[len(seen) :]
            self._delays_ms += [(now_ns - press.at_ns) / 1e6 for press in seen]
            self._changed.notify_all()


class Clock:
    """A log directory with a log that grows."""

    def __init__(
        self, directory: Path, source: str, lines: list[bytes], checkpoint: Checkpoint
    ) -> None:
        """Write the beginning of the log."""
        directory.mkdir()
        self.source, self.written = source, BEGUN
        self._lines, self._saved, self._generation = lines, checkpoint, 0
        (directory / CURRENT).symlink_to("bench.jsonl")
        self._log = (directory / "bench.jsonl").open("wb", buffering=0)
        self._log.write(b"".join(lines[:BEGUN]))
        self._checkpoint = (directory / CHECKPOINT).open("wb", buffering=0)

    def press(self) -> None:
        """Write the next line."""
        self._log.write(self._lines[self.written])
        self.written += 1

    def checkpoint(self, at_ns: int) -> None:
        """Write a checkpoint of an instant of the clock."""
        self._generation += 1
        self._saved = structs.replace(self._saved, seq=self.written, at_ns=at_ns)
        offset, slot = encode_slot(self._generation, self._saved)
        os.pwrite(self._checkpoint.fileno(), slot, offset)

    def close(self) -> None:
        """Close the files."""
        self._log.close()
        self._checkpoint.close()


class Pressed(Protocol):
    """A clock whose log grows."""

    source: str
    """What pages name as the source of its board."""
    written: int
    """Lines."""

    def press(self) -> None:
        """Write the next line."""

    def checkpoint(self, at_ns: int, /) -> None:
        """Write a checkpoint of an instant of the clock."""


class Act(NamedTuple):
    """What a clock does at an instant."""

    at_ns: int
    clock: int
    own_ns: int  # the instant on that clock
    press: bool  # False: a checkpoint


class Hall:
    """Clocks, their hub and a reader."""

    def __init__(self, clocks: Sequence[Pressed], acts: list[Act], hub: Followed) -> None:
        """Wait until the reader knows all clocks."""
        self.hub, self.reader = hub, Reader(hub.address)
        self._clocks, self._acts, self._waiting = clocks, acts, threading.Event()
        if self.reader.wait(self._written()):
            raise LookupError("the hub does not tell all boards")
        self._done, self._passed_ns = 0, 0
        self._begun_ns: int | None = None

    def measure(self, cpu_ns: Callable[[], int] | None = None) -> Costs:
        """Let the clocks go on for some rounds, after one that is not counted.

        Args:
            cpu_ns: returns the processor time used by what is measured; None: that of the hub.
        """
        self._go_on(WARM_S)
        self.reader.take_delays()
        percents = [self._round(cpu_ns or self.hub.cpu_ns) for _ in range(ROUNDS)]
        behind = self.reader.wait(self._written())
        return Costs(self.reader.take_delays(), percents, behind)

    def due(self, changes: list["Change"]) -> list[tuple[tuple[str, int, str], int]]:
        """Return what each board's panels showed meanwhile, and when by `perf_counter`."""
        if self._begun_ns is None:
            return []
        shifts = {act.clock: self._begun_ns + act.at_ns - act.own_ns for act in self._acts}
        first_ns = self._begun_ns + int(WARM_S * SECOND_NS)
        last_ns = self._begun_ns + self._passed_ns - SECOND_NS
        return [
            ((self.reader.id_of(clock.source), each.side, each.text), each.at_ns + shifts[number])
            for number, clock in enumerate(self._clocks)
            for each in changes
            if first_ns <= each.at_ns + shifts[number] < last_ns
        ]

    def _round(self, cpu_ns: Callable[[], int]) -> float:
        """Return the share of a core that something takes."""
        begun_ns, used_ns = time.perf_counter_ns(), cpu_ns()
        self._go_on(ROUND_S)
        passed_ns = time.perf_counter_ns() - begun_ns
        return (cpu_ns() - used_ns) / passed_ns * 100

    def _go_on(self, seconds: float) -> None:
        """Do what is due within so many seconds."""
        if self._begun_ns is None:
            self._begun_ns = time.perf_counter_ns()
        offset_ns = self._begun_ns
        self._passed_ns += int(seconds * SECOND_NS)
        while self._done < len(self._acts) and self._acts[self._done].at_ns < self._passed_ns:
            act = self._acts[self._done]
            self._wait_until(offset_ns + act.at_ns)
            self._act(act)
            self._done += 1
        self._wait_until(offset_ns + self._passed_ns)

    def _act(self, act: Act) -> None:
        clock = self._clocks[act.clock]
        if act.press:
            self.reader.pressed(clock.source, clock.written + 1)
            clock.press()
        else:
            clock.checkpoint(act.own_ns)

    def _wait_until(self, at_ns: int) -> None:
        self._waiting.wait(max(0, at_ns - time.perf_counter_ns()) / SECOND_NS)

    def _written(self) -> dict[str, int]:
        return {clock.source: clock.written for clock in self._clocks}


@contextmanager
def _hall(boards: int, pace: float) -> Iterator[Hall]:
    """Yield a room of clocks at a pace; all of them have the same match, at different times."""
    with hall_of(boards, pace, turns(pace)) as hall:
        yield hall


class Follow(Protocol):
    """What follows log directories."""

    def __call__(self, *directories: Path) -> AbstractContextManager[Followed]:
        """Start it, and end it in the end."""


@contextmanager
def hall_of(
    boards: int,
    pace: float,
    lines: list[bytes],
    follow: Follow = HubProcess,
    source: Callable[[Path], str] = str,
) -> Iterator[Hall]:
    """Yield a room of clocks which have this match, at different times.

    Args:
        boards: how many.
        pace: of the players; 2: twice as fast as people.
        lines: of the match.
        follow: follows the log directories.
        source: returns what pages name as the source of a directory's board.
    """
    state = replay([line.rstrip() for line in lines[:BEGUN]]).match.state
    where = IN_MEMORY if IN_MEMORY.is_dir() else None
    with TemporaryDirectory(dir=where) as folder, ExitStack() as open_:
        directories = [Path(folder, str(number)) for number in range(1, boards + 1)]
        saved = Checkpoint("bench", BEGUN, 0, decode(lines[0].rstrip(), 1).envelope.boot, state)
        clocks = [Clock(directory, source(directory), lines, saved) for directory in directories]
        for clock in clocks:
            open_.callback(clock.close)
        hub = open_.enter_context(follow(*directories))
        yield Hall(clocks, acts_of(boards, lines, pace), hub)


def turns(pace: float) -> list[bytes]:
    """Return the log of a match with turns enough for all rounds.

    It is as long as one can be whose end is forecast, which the director's page asks for.
    """
    return _log_of_turns(TURN_S / pace, settings(FURTHEST))


def _turns_in_reserve() -> list[bytes]:
    """Return the log of a match of which nearly all is played in the reserve."""
    usual = settings(99)
    rules = structs.replace(usual.rules, delay_ns=SHORT_DELAY_NS)
    return _log_of_turns(LONG_TURN_S, structs.replace(usual, rules=rules))


def _log_of_turns(median_s: float, played: MatchSettings) -> list[bytes]:
    dice = random.Random(1)
    count = int((WARM_S + ROUNDS * ROUND_S) / median_s * 2) + 20
    waits = [dice.lognormvariate(0, 0.6) * median_s for _ in range(count)]
    turns = [f"{wait:.3f} press {('left', 'right')[n % 2]}" for n, wait in enumerate(waits)]
    acts = ["0 press left", "1 press right", "1 press centre", "9 press right", *turns]
    lines: list[bytes] = []
    play(parse("\n".join(acts), "bench"), played, UI_OPTIONS, lines.append)
    return lines


def acts_of(boards: int, lines: list[bytes], pace: float) -> list[Act]:
    """Return the presses and checkpoints of all clocks in their order."""
    dice = random.Random(2)
    owns_ns = [decode(line.rstrip(), n).record.at_ns for n, line in enumerate(lines, 1)][BEGUN:]
    acts = []
    for clock in range(boards):
        base_ns = owns_ns[0] - int(dice.uniform(0, TURN_S / pace) * SECOND_NS)
        repeated = range(base_ns + dice.randrange(CHECKPOINT_NS), owns_ns[-1], CHECKPOINT_NS)
        acts += [Act(own_ns - base_ns, clock, own_ns, press=True) for own_ns in owns_ns]
        acts += [Act(own_ns - base_ns, clock, own_ns, press=False) for own_ns in repeated]
    return sorted(acts)


@contextmanager
def _spectators(address: str, ids: list[str], count: int) -> Iterator[None]:
    """Let readers of one board each read, in a thread."""
    host, port = urlsplit(address).hostname or "", urlsplit(address).port or 0
    stopping = threading.Event()
    with selectors.DefaultSelector() as ready, ExitStack() as open_:
        for number in range(count):
            reader = open_.enter_context(socket.create_connection((host, port)))
            path = f"/api/events?board={ids[number % len(ids)]}"
            reader.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
            if not reader.recv(1):
                raise LookupError("the hub does not answer a reader")
            ready.register(reader, selectors.EVENT_READ, reader)

        def read() -> None:
            while not stopping.is_set():
                for key, _ in ready.select(0.5):
                    key.data.recv(1 << 16)

        thread = threading.Thread(target=read)
        thread.start()
        try:
            yield
        finally:
            stopping.set()
            thread.join()


# --- the room's page ------------------------------------------------------------------------------


class Change(NamedTuple):
    """A text of a reserve on a panel that changes."""

    at_ns: int  # on the clock
    side: int  # 0: left
    text: str


class Seen(NamedTuple):
    """What a page did."""

    late_ms: list[float]  # after the panels
    missed: int  # changes that it did not show
    percents: list[float]  # of a core


def _pages() -> Iterator[Figure]:
    """Measure the room's page: when its times change, and what it costs."""
    if not has_browser():
        print("There is no browser: the room's page is not measured")
        return
    for boards, latest_ms in ((64, 50), (500, 250)):
        seen = _page(boards)
        yield at_most(f"page after panel, {boards} boards", seen.late_ms, "ms", 50)
        yield at_most_99th_percentile(seen.late_ms, "ms", latest_ms)
        yield at_most("changes that the page did not show", [seen.missed], "", 0)
        yield at_most(f"page, {boards} boards", seen.percents, "% of a core", 35)


def _page(boards: int) -> Seen:
    """Let a browser show a room; compare its texts with those of the panels."""
    lines = _turns_in_reserve()
    with hall_of(boards, 1, lines) as hall, browser() as chromium:
        page = chromium.new_page(viewport=LAPTOP)
        page.goto(hall.hub.address)
        page.locator(".tile").nth(boards - 1).wait_for(state="attached")
        page.evaluate(WATCH)
        session = chromium.new_browser_cdp_session()
        costs = hall.measure(lambda: _renderer_ns(session))
        shift_ns = ahead_ns(page)
        shown = page.evaluate("window.shown")
    instants = {(name, side, text): at_ms * 1e6 + shift_ns for name, side, text, at_ms in shown}
    due = hall.due(_panel_changes(lines))
    late = [(instants[change] - at_ns) / 1e6 for change, at_ns in due if change in instants]
    return Seen(late, len(due) - len(late), costs.percents)


def _panel_changes(lines: list[bytes]) -> list[Change]:
    """Return the changes of the reserves on both panels, while no line of the log comes."""
    bare = [line.rstrip() for line in lines]
    ends_ns = [decode(line, number).record.at_ns for number, line in enumerate(bare, 1)]
    changes = list[Change]()
    for number in range(BEGUN + 1, len(bare)):
        state = replay(bare[:number]).match.state
        until_ns = ends_ns[number] - BEFORE_PRESS_NS
        changes += _until(View(state, Dialogue(), sayer("en")), until_ns)
    return changes


def _until(view: View, end_ns: int) -> Iterator[Change]:
    """Yield the changes from a state of the match until an instant."""
    now_ns = view.state.at_ns
    shown = [clock_face(view, side, now_ns).reserve for side in Side]
    while (next_ns := next_face_ns(view, now_ns)) is not None and next_ns < end_ns:
        now_ns, before = next_ns, shown
        shown = [clock_face(view, side, now_ns).reserve for side in Side]
        for side, (old, new) in enumerate(zip(before, shown, strict=True)):
            if old != new:
                yield Change(now_ns, side, new)


def _renderer_ns(session: "CDPSession") -> int:
    """Return the processor time that the browser's pages have used."""
    found = session.send("SystemInfo.getProcessInfo")["processInfo"]
    return int(sum(each["cpuTime"] for each in found if each["type"] == "renderer") * SECOND_NS)


def ahead_ns(page: "Page") -> float:
    """Return by how much `perf_counter` is ahead of the page's clock."""
    samples = list[tuple[int, float]]()
    for _ in range(SAMPLES):
        before_ns = time.perf_counter_ns()
        page_ms = page.evaluate("performance.now()")
        after_ns = time.perf_counter_ns()
        samples.append((after_ns - before_ns, (before_ns + after_ns) / 2 - page_ms * 1e6))
    return min(samples)[1]


def has_browser() -> bool:
    """Return whether pages can be measured."""
    return shutil.which("chromium") is not None and find_spec("playwright") is not None


@contextmanager
def browser() -> "Iterator[Browser]":
    """Run a browser without a window."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=shutil.which("chromium"))
        yield launched
        launched.close()


# --- memory ---------------------------------------------------------------------------------------


def _memory() -> Iterator[Figure]:
    """Measure how the memory grows from the first hour to the last."""
    with TemporaryDirectory() as folder:
        kept = _grown(str(Path(folder, "database.sqlite")))
    name = f"memory grown over {HOURS - 1} h of {HALL} boards with {FANS} readers"
    yield from _growth(f"{name}, --database", kept, mb=15, kb=40)
    yield from _growth(f"{name}, none", _grown(""), mb=80, kb=200)


def _growth(name: str, hours: list[Hour], mb: float, kb: float) -> Iterator[Figure]:
    first, last = hours[0], hours[HOURS - 1]
    grown_mb, matches = last.mb - first.mb, last.matches - first.matches
    yield at_most(name, [grown_mb], "MB", mb)
    yield at_most("the same, of each match that ended", [grown_mb * 1000 / matches], "kB", kb)


def _grown(database: str) -> list[Hour]:
    command = [sys.executable, "-m", "lab.benchmarks.room", database]
    said = subprocess.run(command, check=True, stdout=subprocess.PIPE, cwd=ROOT).stdout
    return msgspec.json.decode(said, type=list[Hour])


async def _long_day(database: Path | None) -> list[Hour]:
    """Return this process after each hour of matches, played and read as fast as possible."""
    now_ns, hours = 0, list[Hour]()
    with closing(Store(database)) as store:
        hub = Hub(Register(0), store, lambda: now_ns)
        async with _served(hub) as standing:
            for told in heapq.merge(*(_day(number) for number in range(HALL)), key=_arrival):
                if told.arrived_ns - now_ns > SECOND_NS:  # what comes in a second is told at once
                    now_ns = told.arrived_ns
                    hub.update()
                    await asyncio.sleep(0)
                hub.put(told)
                if now_ns > (len(hours) + 1) * HOUR_NS:
                    hours.append(await _settled(hub, standing))
    return hours


@asynccontextmanager
async def _served(hub: Hub) -> AsyncIterator[Tasks]:
    """Serve a hub's pages while readers of all boards follow its events; yield what does that."""
    listening = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(application(hub), log_level="warning", lifespan="off")
    server = uvicorn.Server(config)
    serving = asyncio.ensure_future(server.serve([listening]))
    readers = await asyncio.to_thread(_fans, *listening.getsockname())
    try:
        yield asyncio.all_tasks()
    finally:
        hub.feed.end()
        server.should_exit = True
        await serving
        await asyncio.to_thread(readers.join)


def _fans(host: str, port: int) -> threading.Thread:
    """Return a thread that reads events as many readers do, until they end."""
    connected = [socket.create_connection((host, port)) for _ in range(FANS)]
    for reader in connected:
        reader.sendall(b"GET /api/events HTTP/1.1\r\nHost: hub\r\n\r\n")
        if not reader.recv(1):
            raise LookupError("the hub does not answer a reader")

    def read() -> None:
        with selectors.DefaultSelector() as ready:
            for reader in connected:
                ready.register(reader, selectors.EVENT_READ, reader)
            while ready.get_map():
                for key, _ in ready.select():
                    if not key.data.recv(1 << 16):
                        ready.unregister(key.data)
                        key.data.close()

    thread = threading.Thread(target=read)
    thread.start()
    return thread


async def _settled(hub: Hub, standing: Tasks) -> Hour:
    """Return this process when all results are computed and kept."""
    await asyncio.gather(*asyncio.all_tasks() - standing)
    await asyncio.to_thread(hub.store.flush)
    gc.collect()
    return Hour(memory_mb("self"), len(hub.store.results()))


@cache
def _match(seed: int) -> list[tuple[int, bytes]]:
    """Return the lines of a match and their instants."""
    lines: list[bytes] = []
    play(script(7, seed=seed), settings(7), UI_OPTIONS, lines.append)
    return [
        (decode(line.rstrip(), n).record.at_ns, line.rstrip()) for n, line in enumerate(lines, 1)
    ]


def _day(number: int) -> Iterator[LinesRead]:
    """Yield what a board tells: one match after another."""
    place, match = Place(f"clock {number}", f"/logs/{number}"), 1
    begun_ns = number * MINUTE_NS
    while begun_ns < HOURS * HOUR_NS:
        for own_ns, line in _match(number % SHUFFLE):
            yield LinesRead(place, f"{number}-{match}", (line,), begun_ns + own_ns, live=True)
        begun_ns, match = begun_ns + own_ns + 5 * MINUTE_NS, match + 1


def _arrival(told: LinesRead) -> int:
    return told.arrived_ns


# --- the beginning --------------------------------------------------------------------------------


def _first_picture() -> Figure:
    """Measure from the command to a board in a browser that is open, or else to its first event."""
    with TemporaryDirectory() as folder:
        shutil.copy(ROOT / "tests" / "data" / "ebf.jsonl", folder)
        if not has_browser():
            print(
                "There is no browser: the first picture is taken to be the first event of a board"
            )
            return at_most("command to the first board", _events(Path(folder)), "s", 1.5)
        return at_most("command to the first picture", _pictures(Path(folder)), "s", 1.5)


def _events(directory: Path) -> list[float]:
    taken = []
    for _ in range(STARTS):
        begun_ns = time.perf_counter_ns()
        with HubProcess(directory) as hub:
            Reader(hub.address).wait({str(directory): 1})
            taken.append((time.perf_counter_ns() - begun_ns) / SECOND_NS)
    return taken


def _pictures(directory: Path) -> list[float]:
    taken = []
    with browser() as chromium:
        for _ in range(STARTS):
            page = chromium.new_page()
            begun_ns = time.perf_counter_ns()
            with HubProcess(directory) as hub:
                page.goto(hub.address)
                page.locator(".tile").first.wait_for()
                taken.append((time.perf_counter_ns() - begun_ns) / SECOND_NS)
                page.close()
    return taken


def main() -> None:
    """Play a long day here."""
    database = Path(sys.argv[1]) if sys.argv[1] else None
    print(msgspec.json.encode(asyncio.run(_long_day(database))).decode())


if __name__ == "__main__":
    main()
