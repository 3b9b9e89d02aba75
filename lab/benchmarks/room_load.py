"""Measure the hub of a room with 64, 500 and 2,000 clocks at a real broker, in about 4 minutes.

The clocks are `lab.benchmarks.fed_clocks`: their own cost is not measured, but they need a part of
this computer. An act is a line that a clock sends; it is seen when a page's tile shows it, or when
it comes to a reader of the events.
"""

import random
import shutil
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple
from urllib.request import urlopen

import msgspec

from clock.apps.playback import play
from clock.apps.script import parse
from clock.eventlog.codec import decode
from clock.units import SECOND_NS
from lab.benchmarks.fed_clocks import FedClock, connected
from lab.benchmarks.loads import UI_OPTIONS, settings
from lab.benchmarks.measure import Figure, at_most, at_most_99th_percentile
from lab.support.logs import renamed
from lab.support.mosquitto import Mosquitto, Peer, Room, make_room
from lab.support.paths import IN_MEMORY
from lab.support.programs import cpu_ns, memory_mb
from lab.support.room_hall import HubProgram
from room.broker.topics import hub_topic
from room.forecast.games import FURTHEST
from room.simulation.broker import PROGRAM_PATH

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, ViewportSize

TURN_S = 8.0  # about the median of a turn
BEAT_NS = 10 * SECOND_NS
BEGUN = 4  # lines of a match whose first turn is about to begin
ROUNDS, ROUND_S, WARM_S = 5, 3.0, 2.0
PATIENCE_S = 30.0  # for what a hub shall tell; only a hub that fails takes so long
SAMPLES = 50  # of how two clocks differ
LAPTOP: "ViewportSize" = {"width": 1366, "height": 768}


class Told(msgspec.Struct):
    """What a reader needs of a board's event."""

    id: str
    source: str
    seq: int


class Press(NamedTuple):
    """A line that was written."""

    seq: int
    at_ns: int


class Costs(NamedTuple):
    """What a room costs in each round."""

    delays_ms: list[float]
    percents: list[float]  # of a core
    behind: int  # boards of which the reader does not have the latest line in the end


# --- a room ---------------------------------------------------------------------------------------


class Reader:
    """A reader of all boards, in a thread."""

    def __init__(self, address: str) -> None:
        self._told: dict[str, Told] = {}  # by source
        self._presses: dict[str, list[Press]] = {}  # those that were not seen yet, by source
        self._delays_ms: list[float] = []
        self.pressed_ns: dict[tuple[str, int], int] = {}  # when, by source and line
        self._changed = threading.Condition()
        self._events = urlopen(f"{address}api/1/events")  # noqa: S310 (an address of this program)
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


class Act(NamedTuple):
    """What a clock does at an instant."""

    at_ns: int
    clock: int
    own_ns: int  # the instant on that clock
    press: bool  # False: a heartbeat


class Hall:
    """Clocks, their hub and a reader."""

    def __init__(self, clocks: Sequence[FedClock], acts: list[Act], hub: "Hub") -> None:
        self.hub, self.reader = hub, Reader(hub.address)
        self._clocks, self._acts, self._waiting = clocks, acts, threading.Event()
        if self.reader.wait(self._written()):
            raise LookupError("the hub does not tell all boards")
        self._done, self._passed_ns = 0, 0
        self._begun_ns: int | None = None

    def measure(self) -> Costs:
        """Let the clocks go on for some rounds, after one that is not counted."""
        self._go_on(WARM_S)
        self.reader.take_delays()
        percents = [self._round() for _ in range(ROUNDS)]
        behind = self.reader.wait(self._written())
        return Costs(self.reader.take_delays(), percents, behind)

    def _round(self) -> float:
        """Return the share of a core that the hub takes."""
        begun_ns, used_ns = time.perf_counter_ns(), self.hub.cpu_ns()
        self._go_on(ROUND_S)
        passed_ns = time.perf_counter_ns() - begun_ns
        return (self.hub.cpu_ns() - used_ns) / passed_ns * 100

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


def _turns() -> list[bytes]:
    """Return the log of a match with turns enough for all rounds.

    It is as long as one can be whose end is forecast, which the director's page asks for.
    """
    dice = random.Random(1)
    count = int((WARM_S + ROUNDS * ROUND_S) / TURN_S * 2) + 20
    waits = [dice.lognormvariate(0, 0.6) * TURN_S for _ in range(count)]
    turns = [f"{wait:.3f} press {('left', 'right')[n % 2]}" for n, wait in enumerate(waits)]
    acts = ["0 press left", "1 press right", "1 press centre", "9 press right", *turns]
    lines: list[bytes] = []
    play(parse("\n".join(acts), "bench"), settings(FURTHEST), UI_OPTIONS, lines.append)
    return [line.rstrip() for line in lines]


def _acts_of(boards: int, lines: list[bytes]) -> list[Act]:
    """Return the presses of all clocks in their order, and a heartbeat of each every 10 s."""
    dice = random.Random(2)
    owns_ns = [decode(line, n).record.at_ns for n, line in enumerate(lines, 1)][BEGUN:]
    acts = []
    for clock in range(boards):
        base_ns = owns_ns[0] - int(dice.uniform(0, TURN_S) * SECOND_NS)
        repeated = range(base_ns + dice.randrange(BEAT_NS), owns_ns[-1], BEAT_NS)
        acts += [Act(own_ns - base_ns, clock, own_ns, press=True) for own_ns in owns_ns]
        acts += [Act(own_ns - base_ns, clock, own_ns, press=False) for own_ns in repeated]
    return sorted(acts)


# --- the room's page ------------------------------------------------------------------------------


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


# --- the beginning --------------------------------------------------------------------------------


# Note when a side of a board begins to run, by the page's clock.
WATCH = """
window.shown = [];
new MutationObserver((changes) => {
  for (const { target } of changes) {
    const id = target.closest(".tile")?.querySelector(".id").textContent;
    if (id && target.dataset.running === "true") window.shown.push([id, performance.now()]);
  }
}).observe(document.body, { attributes: true, attributeFilter: ["data-running"], subtree: true });
null
"""


class Hub(NamedTuple):
    """The hub and the broker of a room."""

    program: HubProgram
    broker: Mosquitto
    address: str

    def cpu_ns(self) -> int:
        """Return the processor time that the hub has used."""
        return cpu_ns(self.program.id)

    def memory_mb(self) -> float:
        """Return its resident memory."""
        return memory_mb(self.program.id)


def figures() -> Iterator[Figure]:
    """Measure and yield each figure; the goals are for two idle cores."""
    if shutil.which("mosquitto", path=PROGRAM_PATH) is None:
        print("There is no broker: sudo apt install mosquitto")
        return
    yield from _load(64, percent=5, broker_percent=2, mb=80)
    yield from _load(500, percent=10, broker_percent=5, mb=120)
    yield from _load(2000, percent=25, broker_percent=10, mb=250)


def _load(clocks: int, percent: float, broker_percent: float, mb: float) -> Iterator[Figure]:
    with ExitStack() as opened:
        hall, room = opened_hall(clocks, opened)
        hub, boards = hall.hub, room.settings.clocks
        broker_ns, begun_ns = cpu_ns(hub.broker.id), hub.cpu_ns()
        costs, late_ms = _measured(hall, boards, opened, has_page=clocks <= 500)
        share = (cpu_ns(hub.broker.id) - broker_ns) / (hub.cpu_ns() - begun_ns)
        memory = hub.memory_mb()
    yield at_most(f"hub, {clocks} clocks", costs.percents, "% of a core", percent)
    broker = [share * each for each in costs.percents]
    yield at_most("broker", broker, "% of a core", broker_percent)
    yield at_most("memory of the hub (RSS)", [memory], "MB", mb)
    yield at_most("act to reader", costs.delays_ms, "ms", 50)
    yield at_most_99th_percentile(costs.delays_ms, "ms", 250)
    if late_ms:
        yield at_most("act to page (DOM)", late_ms, "ms", 50)
        yield at_most_99th_percentile(late_ms, "ms", 250)
    yield at_most("boards whose latest line did not come", [costs.behind], "", 0)


def opened_hall(clocks: int, opened: ExitStack, *others: str) -> tuple[Hall, Room]:
    """Return a hall with so many clocks, and its room, in which others may log in, too."""
    folder = Path(opened.enter_context(TemporaryDirectory(dir=IN_MEMORY)))
    names = {f"clock-{number}": str(number) for number in range(1, clocks + 1)}
    room = make_room(folder / "cards", names | dict.fromkeys(others, "999"))
    hub = _started(room, folder, opened)
    lines = _turns()
    fed = [
        FedClock(room.login(name), f"bench-{name}", renamed(lines, f"bench-{name}"), BEGUN)
        for name in names
    ]
    opened.enter_context(connected(room.hub, fed))
    return Hall(fed, _acts_of(clocks, lines), hub), room


def _started(room: Room, folder: Path, opened: ExitStack) -> Hub:
    """Return broker and hub, when the hub hears the clocks."""
    broker = opened.enter_context(Mosquitto(room))
    program = opened.enter_context(HubProgram(room, folder / "room.sqlite"))
    address = program.address().partition("room")[0]
    with Peer(room.login("clock-1")) as peer:
        peer.subscribe(hub_topic("test"))
        while b'"online"' not in peer.next()[1]:
            pass
    return Hub(program, broker, address)


def _measured(
    hall: Hall, boards: Mapping[str, str], opened: ExitStack, *, has_page: bool
) -> tuple[Costs, list[float]]:
    """Return what the room costs, and how much later than an act the page shows it."""
    if not has_page or not has_browser():
        return hall.measure(), []
    page = opened.enter_context(browser()).new_page(viewport=LAPTOP)
    page.goto(hall.hub.address)
    page.locator(".tile").nth(len(boards) - 1).wait_for(state="attached")
    page.evaluate(WATCH)
    costs, shift_ns = hall.measure(), ahead_ns(page)
    shown: dict[str, list[float]] = {}
    for board, at_ms in page.evaluate("window.shown"):
        shown.setdefault(board, []).append(at_ms * 1e6 + shift_ns)
    pressed = hall.reader.pressed_ns.items()
    after = ((at_ns, shown.get(boards[name], [])) for (name, _), at_ns in pressed)
    found = ((at_ns, [each for each in seen if each > at_ns]) for at_ns, seen in after)
    return costs, [(min(seen) - at_ns) / 1e6 for at_ns, seen in found if seen]
