"""Measure a room with a broker: mosquitto, the hub, and the link of a clock.

The clocks are logs that grow, as in `lab.benchmarks.room`. Their links share a few processes here,
whose own cost is not measured; one more clock has a link of its own, as on a Raspberry Pi. The
usual way is a page that subscribes to the broker itself: it hears lines that no hub has kept yet.
"""

import shutil
import statistics
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from paho.mqtt.client import Client, MQTTMessage

from lab.benchmarks.measure import Figure, at_most, at_most_99th_percentile, percentile_99
from lab.benchmarks.room import Costs, cpu_ns, hall_of, memory_mb, turns
from lab.support.mosquitto import Mosquitto, Peer, Room, make_room
from lab.support.room_hall import HubProgram, Program, allow_probe, folder_links
from room.broker.topics import ROOT, Topic
from room.cards.toml_text import toml_text
from room.lines.inbox import envelope_of
from room.settings.clock import FILE_NAME, load_key_file
from room.settings.hub import Broker
from room.simulation.broker import PROGRAM_PATH

PROCESSES = 4  # for the links of all clocks but one


class Hub:
    """The hub of a room with all that it needs."""

    def __init__(self, room: Room, directories: tuple[Path, ...], open_: ExitStack) -> None:
        """Start broker, hub and links."""
        login = allow_probe(room)
        self.broker = open_.enter_context(Mosquitto(room))
        self.direct = open_.enter_context(Direct(login))
        self._hub = open_.enter_context(HubProgram(room, room.folder / "room.sqlite"))
        self.address = self._hub.address()
        first, *others = directories
        self.link = open_.enter_context(_own_link(room, first))
        for at in range(PROCESSES):
            if part := others[at::PROCESSES]:
                open_.enter_context(folder_links(room, part))

    def cpu_ns(self) -> int:
        """See `Followed`."""
        return cpu_ns(self._hub.id)

    def memory_mb(self) -> float:
        """See `Followed`."""
        return memory_mb(self._hub.id)


class Direct(Peer):
    """A client that subscribes to all clocks' lines, as a page on the broker would."""

    def __init__(self, login: Broker) -> None:
        """Connect and subscribe."""
        self._heard_ns: dict[tuple[str, int], int] = {}  # when, by clock and line
        super().__init__(login)
        self.subscribe(f"{ROOT}/+/+/{Topic.LOG}")

    def _take(self, _client: Client, _data: Any, message: MQTTMessage) -> None:
        now_ns, clock = time.perf_counter_ns(), message.topic.split("/")[3]
        for line in bytes(message.payload).split(b"\n"):
            envelope = envelope_of(line)
            if envelope is not None:
                self._heard_ns.setdefault((clock, envelope.seq), now_ns)

    def delays_ms(self, pressed_ns: dict[tuple[str, int], int]) -> list[float]:
        """Return by how much later than it was written each line came, of those that came."""
        return [
            (self._heard_ns[line] - at_ns) / 1e6
            for line, at_ns in pressed_ns.items()
            if line in self._heard_ns
        ]


def _own_link(room: Room, directory: Path) -> Program:
    """The link of one clock, as its service runs it."""
    card = load_key_file(room.folder / "clocks" / directory.name / FILE_NAME)
    file = room.folder / "link.toml"
    file.write_text(toml_text(card.link_settings), encoding="utf-8")
    command = (
        "-m",
        "gammonclock",
        "link",
        "--config",
        file,
        "--logs",
        directory,
        "--offers",
        directory,
    )
    return Program(*command)


def figures() -> Iterator[Figure]:
    """Measure and yield each figure; the goals are for two idle cores."""
    if shutil.which("mosquitto", path=PROGRAM_PATH) is None:
        print("There is no broker: sudo apt install mosquitto")
        return
    yield from _room("64 clocks", boards=64, pace=1, goals_ms=(50, 250), percents=(5, 15))
    yield from _room("500 clocks", boards=500, pace=1, goals_ms=(250, 250), percents=(5, 15))
    yield from _room("500, pace 10", boards=500, pace=10, goals_ms=(2000, 2000), percents=(50, 100))


def _room(
    name: str,
    boards: int,
    pace: float,
    goals_ms: tuple[float, float],
    percents: tuple[float, float],
) -> Iterator[Figure]:
    started: list[Hub] = []

    @contextmanager
    def follow(*directories: Path) -> Iterator[Hub]:
        with TemporaryDirectory() as folder, ExitStack() as open_:
            names = {each.name: each.name for each in directories}
            room = make_room(Path(folder, "cards"), names)
            started.append(Hub(room, directories, open_))
            yield started[-1]

    with hall_of(boards, pace, turns(pace), follow, source=lambda path: path.name) as hall:
        (hub,) = started
        shares = _Shares({"broker": hub.broker.id, "link": hub.link.id})
        costs = hall.measure()
        used = shares.percents()
        memory = memory_mb(hub.link.id)
        direct_ms = hub.direct.delays_ms(hall.reader.pressed_ns)
    yield from _latencies(name, costs, direct_ms, goals_ms)
    yield at_most(f"hub, {name} over a broker", costs.percents, "% of a core", percents[1])
    yield at_most(f"broker, {name}", [used["broker"]], "% of a core", percents[0])
    yield at_most("link of one clock", [used["link"]], "% of a core", 2)
    yield at_most("its memory", [memory], "MB", 40)


def _latencies(
    name: str, costs: Costs, direct_ms: list[float], goals_ms: tuple[float, float]
) -> Iterator[Figure]:
    median_ms, latest_ms = goals_ms
    figure = at_most(f"press to reader, {name} over a broker", costs.delays_ms, "ms", median_ms)
    yield figure._replace(usual=statistics.median(direct_ms))
    figure = at_most_99th_percentile(costs.delays_ms, "ms", latest_ms)
    yield figure._replace(usual=percentile_99(direct_ms))
    yield at_most("boards whose latest line did not come", [costs.behind], "", 0)


class _Shares:
    """The shares of a core that processes take from now on."""

    def __init__(self, processes: dict[str, int]) -> None:
        self._processes, self._begun_ns = processes, time.perf_counter_ns()
        self._used_ns = {name: cpu_ns(process) for name, process in processes.items()}

    def percents(self) -> dict[str, float]:
        """Return the shares, by name."""
        passed_ns = time.perf_counter_ns() - self._begun_ns
        return {
            name: (cpu_ns(process) - self._used_ns[name]) / passed_ns * 100
            for name, process in self._processes.items()
        }
