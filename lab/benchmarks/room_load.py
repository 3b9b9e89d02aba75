"""Measure the hub of a room with 64, 500 and 2,000 clocks at a real broker, in about 4 minutes.

The clocks are `lab.benchmarks.fed_clocks`: their own cost is not measured, but they need a part of
this computer. An act is a line that a clock sends; it is seen when a page's tile shows it, or when
it comes to a reader of the events.
"""

import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from clock.units import SECOND_NS
from lab.benchmarks.fed_clocks import FedClock, connected
from lab.benchmarks.measure import Figure, at_most, at_most_99th_percentile
from lab.benchmarks.room import (
    BEGUN,
    LAPTOP,
    Act,
    Costs,
    Hall,
    acts_of,
    ahead_ns,
    browser,
    cpu_ns,
    has_browser,
    memory_mb,
    turns,
)
from lab.support.logs import renamed
from lab.support.mosquitto import Mosquitto, Peer, Room, make_room
from lab.support.paths import IN_MEMORY
from lab.support.room_hall import HubProgram
from room.broker.topics import hub_topic
from room.simulation.broker import PROGRAM_PATH

BEAT_NS = 10 * SECOND_NS
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
        """See `lab.benchmarks.room.Followed`."""
        return cpu_ns(self.program.id)

    def memory_mb(self) -> float:
        """See `lab.benchmarks.room.Followed`."""
        return memory_mb(self.program.id)


def figures() -> Iterator[Figure]:
    """Measure and yield each figure; the goals are for two idle cores."""
    if shutil.which("mosquitto", path=PROGRAM_PATH) is None:
        print("There is no broker: sudo apt install mosquitto")
        return
    yield from _load(64, percent=5, broker_percent=2, mb=80)
    yield from _load(500, percent=15, broker_percent=5, mb=120)
    yield from _load(2000, percent=25, broker_percent=10, mb=250)


def _load(clocks: int, percent: float, broker_percent: float, mb: float) -> Iterator[Figure]:
    where = IN_MEMORY if IN_MEMORY.is_dir() else None
    with TemporaryDirectory(dir=where) as folder, ExitStack() as opened:
        names = {f"clock-{number}": str(number) for number in range(1, clocks + 1)}
        room = make_room(Path(folder, "cards"), names)
        hub = _started(room, Path(folder), opened)
        lines = [line.rstrip() for line in turns(1)]
        fed = [
            FedClock(room.login(name), f"bench-{name}", renamed(lines, f"bench-{name}"), BEGUN)
            for name in names
        ]
        opened.enter_context(connected(room.hub, fed))
        hall = Hall(fed, list(_acts(clocks)), hub)
        broker_ns, begun_ns = cpu_ns(hub.broker.id), hub.cpu_ns()
        costs, late_ms = _measured(hall, hub, names, opened, has_page=clocks <= 500)
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


def _acts(clocks: int) -> Iterator[Act]:
    """Yield the presses of all clocks, and a heartbeat of each every 10 s."""
    due_ns: dict[int, int] = {}
    for act in acts_of(clocks, turns(1), 1):
        if act.press or act.at_ns >= due_ns.get(act.clock, 0):
            yield act
        if not act.press and act.at_ns >= due_ns.get(act.clock, 0):
            due_ns[act.clock] = act.at_ns + BEAT_NS


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
    hall: Hall, hub: Hub, names: dict[str, str], opened: ExitStack, *, has_page: bool
) -> tuple[Costs, list[float]]:
    """Return what the room costs, and how much later than an act the page shows it."""
    if not has_page or not has_browser():
        return hall.measure(), []
    page = opened.enter_context(browser()).new_page(viewport=LAPTOP)
    page.goto(hub.address)
    page.locator(".tile").nth(len(names) - 1).wait_for(state="attached")
    page.evaluate(WATCH)
    costs, shift_ns = hall.measure(), ahead_ns(page)
    shown: dict[str, list[float]] = {}
    for board, at_ms in page.evaluate("window.shown"):
        shown.setdefault(board, []).append(at_ms * 1e6 + shift_ns)
    pressed = hall.reader.pressed_ns.items()
    after = ((at_ns, shown.get(names[name], [])) for (name, _), at_ns in pressed)
    found = ((at_ns, [each for each in seen if each > at_ns]) for at_ns, seen in after)
    return costs, [(min(seen) - at_ns) / 1e6 for at_ns, seen in found if seen]
