"""Kill real programs again and again, and cut connections, while clocks write.

    python -m lab.kills             halls without a broker, and one watch that follows their hubs
    python -m lab.kills --broker    a room: its broker, hub, links and PostgreSQL
    python -m lab.kills --help      sizes, and the faults that can be put into each program

PostgreSQL is also stopped for a while, as if it hung. At some boards of the room the director
proposes rulings all the time, and a clock there loses its power.
In the end the one database must have each log byte for byte, and no line twice; the one list of
results has each match that is over, once. No ruling may have been carried out twice or at another
board, and what became of the latest one is known.
"""

import asyncio
import json
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from functools import partial
from http.client import HTTPException
from itertools import chain
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from urllib.error import HTTPError
from urllib.request import urlopen

import click

from clock.units import SECOND_NS
from lab.bench.closing import Closing
from lab.room_seeds.faults import FAULTS
from lab.support.boards import named
from lab.support.logs import monkey_logs, renamed, separate
from lab.support.mosquitto import Mosquitto, make_room
from lab.support.postgresql import PostgreSqlServer
from lab.support.programs import cpu_ns, memory_mb
from lab.support.room_hall import (
    PYTHON,
    AskedHub,
    LoggedClock,
    Probe,
    Program,
    allow_probe,
    link_program,
    log_name,
)
from lab.support.ruled_clock import ANSWERS, GOES_ON, RuledClock
from lab.support.watch_program import WatchProgram
from room.boards.rulings import OPEN
from room.cards.join import join_simulated
from room.hub.store.opening import open_database
from room.hub.store.store import Store
from room.settings.link import FILE_NAME
from room.simulation.broker import free_port
from room.sources.raw_clock import now_ns

CHANCE = 0.25  # that a clock writes a line or three between two kills
LASTING = 80  # kills during which a match goes on, at least
PATIENCE = 1200  # times that it is looked whether everything is there
LOOK_S = 0.5  # between them
OVER = b"FINISHED"
PROCESSES = 4  # for all links together
BOXES = 4  # at which rulings are proposed
HTTP_S = 5  # for an answer of the hub
HANGS_S = 1.0  # how long PostgreSQL is stopped
_PAUSE = threading.Event()  # is never set

Kinds = Mapping[str, tuple[int, Sequence[Callable[[], object]]]]  # weight, and what is done


def deal(random: Random, kinds: Kinds, kills: int) -> list[str]:
    """What to kill, in order: each kind at least once, if that is possible; the rest by weight."""
    weights = [weight for weight, _ in kinds.values()]
    rest = random.choices(list(kinds), weights, k=max(0, kills - len(kinds)))
    return random.sample([*kinds, *rest], kills)


def differ(found: Iterable[object], wanted: Iterable[object]) -> list[str]:
    """Say what is not there as often as it must be."""
    have, must = Counter(found), Counter(wanted)
    return [
        f"{have[each]} times, not {must[each]}: {each!r:.500}"
        for each in have | must
        if have[each] != must[each]
    ]


class CutProxy(Closing):
    """Passes bytes on to a port of this computer, in a thread; connections end in the middle."""

    def __init__(self, port: int) -> None:
        """Listen on a free port; `port` is where the bytes go."""
        self._to, self._ready = port, threading.Event()
        self._writers = set[asyncio.StreamWriter]()
        self._thread = threading.Thread(target=asyncio.run, args=(self._run(),))
        self._thread.start()
        self._ready.wait()

    def cut(self, random: Random, share: float) -> None:
        """Cut a share of the connections, at random."""
        self._loop.call_soon_threadsafe(self._cut, random, share)

    def close(self) -> None:
        """Cut all, and end the thread."""
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join()

    async def _run(self) -> None:
        self._loop, self._end = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(self._pass_on, "127.0.0.1", 0)
        self.port = int(server.sockets[0].getsockname()[1])
        self._ready.set()
        await self._end.wait()
        server.close()
        self._cut(Random(0), 1)

    def _cut(self, random: Random, share: float) -> None:
        for writer in list(self._writers):
            if random.random() < share:
                writer.transport.abort()

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            from_there, there = await asyncio.open_connection("127.0.0.1", self._to)
            await asyncio.gather(self._copy(reader, there), self._copy(from_there, writer))
        writer.transport.abort()

    async def _copy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass on until one side is gone; then the other side goes too."""
        self._writers.add(writer)
        with suppress(OSError):
            while data := await reader.read(1 << 16):
                writer.write(data)
                await writer.drain()
        self._writers.remove(writer)
        writer.transport.abort()


class Box(RuledClock):
    """A clock with a real link, at which rulings are proposed."""

    def __init__(self, folder: Path, name: str, key: Path) -> None:
        """Play a turn, and stop; `key` is the clock's file of the room."""
        self.name, self.directory = name, folder / "logs" / name
        self.directory.mkdir(parents=True)
        join_simulated(key, self.directory)
        names = (f"Anna {name}", f"Bob {name}")
        super().__init__(folder, names, self.directory, self.directory)

    @property
    def written(self) -> dict[str, list[bytes]]:
        """All lines, by match."""
        logs = separate(line.rstrip(b"\n") for line in self.all_lines)
        return {json.loads(log[0])["match"]: log for log in logs}


class Proposal(NamedTuple):
    """A ruling that the director has proposed."""

    box: Box
    id: str  # "": the hub was killed before it has answered
    run: int  # of the hub


def is_open(ruling: Any) -> bool:
    """Return whether nobody has answered a ruling."""
    return bool(ruling) and ruling["state"] in OPEN


class Killed:
    """Clocks that write, programs that are killed, and what there must be in the end."""

    database: Path | str  # the one that gets all logs
    address: str  # of the pages that list all results
    kinds: Kinds

    def __init__(self, folder: Path, random: Random, names: Sequence[str], matches: int) -> None:
        played = [log for each in range(60) for log in monkey_logs(each) if OVER in log[-1]]
        logs = {name: random.choices(sorted(played, key=len)[:4], k=matches) for name in names}
        self.random = random
        self.clocks = [
            LoggedClock(
                folder / name,
                [renamed(named(log, name), log_name(name, at)) for at, log in enumerate(bases)],
            )
            for name, bases in logs.items()
        ]
        self.writers: list[LoggedClock | Box] = [*self.clocks]

    def write(self, step_s: float = 0) -> None:
        """Wait so long, and let some clocks write some lines."""
        _PAUSE.wait(step_s)
        for clock in self.clocks:
            if self.random.random() < CHANCE:
                clock.write(self.random.randrange(1, 4))

    def play(self, kills: int, step_s: float) -> str:
        """Let the clocks play to the end, and kill meanwhile; return what is to be said of it.

        Raises:
            AssertionError: something is missing, twice or another one.
        """
        self.settle()
        dealt = deal(self.random, self.kinds, kills)
        for number, kind in enumerate(dealt, 1):
            self.write(step_s)
            self.meanwhile()
            for act in self.kinds[kind][1]:
                act()
            if number % 50 == 0:
                click.echo(f"{number} kills")
        assert any(clock.left for clock in self.clocks), "the clocks had played before"
        while any(clock.left for clock in self.clocks):
            self.write(step_s)
        ended_ns = now_ns()
        self.settle()
        settled_s = (now_ns() - ended_ns) / SECOND_NS
        lines = sum(len(log) for each in self.writers for log in each.written.values())
        return (
            f"{kills} kills and cuts {dict(Counter(dealt))}; {len(self.clocks)} clocks, {lines}"
            f" lines: each log and result once, bytes equal, {settled_s:.0f} s after the last line;"
            f" {self.end()}"
        )

    def meanwhile(self) -> None:
        """What happens before a kill, beside that clocks write."""

    def settle(self) -> None:
        """Disturb nothing; wait until everything is there."""
        left = PATIENCE
        while lacks := self.lacks():
            assert (left := left - 1), lacks[:9]
            _PAUSE.wait(LOOK_S)

    def lacks(self) -> list[str]:
        """Say what is missing, there twice or another one."""
        logs = {
            (each.name, match): log for each in self.writers for match, log in each.written.items()
        }
        try:
            with urlopen(f"{self.address}api/1/results") as answer:  # noqa: S310 (its own)
                results = json.load(answer)["results"]
        except OSError as error:
            return [str(error)]
        over = [(Path(each["source"]).name, each["match"]) for each in results if each["complete"]]
        with closing(open_database(str(self.database))) as database:
            lines = [line for (line,) in database.rows("SELECT line FROM lines")]
            for (log,) in database.rows("SELECT log FROM logs"):
                lines += log.splitlines()
        with closing(Store(self.database)) as store:
            have = [
                (Path(source).name, match, *store.lines(match, source))
                for source, match in store.latest_lines()
            ]
        return (
            differ(over, [key for key, log in logs.items() if OVER in log[-1]])
            or differ(lines, chain(*logs.values()))
            or differ(have, [(*key, *log) for key, log in logs.items()])
        )

    def end(self) -> str:
        """Check or measure what only this has; return what is to be said of it."""
        raise NotImplementedError


class Halls(Killed):
    """Halls, each with a hub and a way to it that can be cut, and one watch that follows all."""

    def __init__(
        self, folder: Path, random: Random, halls: int, clocks: int, matches: int, opened: ExitStack
    ) -> None:
        """Start all of it."""
        names = [f"h{hall}-{at}" for hall in range(halls) for at in range(1, clocks + 1)]
        super().__init__(folder, random, names, matches)
        self.hubs, proxies = list[Program](), list[CutProxy]()
        for hall in range(halls):
            directories = [each.directory for each in self.clocks[hall * clocks :][:clocks]]
            options = ("--port", port := free_port(), "--database", folder / f"h{hall}.sqlite")
            command = ("-m", "gammonclock", "watch", *directories, *options)
            self.hubs.append(opened.enter_context(Program(*command)))
            proxies.append(opened.enter_context(CutProxy(port)))
        self.kinds = {
            "hub": (1, [lambda: random.choice(self.hubs).restart()]),
            "cut": (1, [lambda: random.choice(proxies).cut(Random(random.random()), 1)]),
        }
        self.database, self._begun_ns = folder / "all.sqlite", now_ns()
        addresses = [f"http://127.0.0.1:{proxy.port}/" for proxy in proxies]
        program = (*PYTHON, "-m", "gammonclock")
        watch = WatchProgram(*addresses, "--database", self.database, program=program)
        self.watch = opened.enter_context(watch)
        self.address = self.watch.address

    def end(self) -> str:
        """Measure the watch."""
        share = cpu_ns(self.watch.process) / (now_ns() - self._begun_ns)
        used = memory_mb(self.watch.process)
        return f"the one watch used {share:.0%} of a core and {used:.0f} MB"


class Room(Killed):
    """A room whose parts are killed, with boards at which a director proposes rulings."""

    def __init__(
        self, folder: Path, random: Random, clocks: int, matches: int, opened: ExitStack
    ) -> None:
        """Start all of it."""
        super().__init__(folder, random, [f"c{at}" for at in range(1, clocks + 1)], matches)
        ruled = [f"b{at}" for at in range(1, BOXES + 1)]
        names = (*(clock.name for clock in self.clocks), *ruled)
        self.room = make_room(folder / "cards", {name: name for name in names})
        login = allow_probe(self.room)
        keys = {name: self.room.folder / "clocks" / name / FILE_NAME for name in ruled}
        self.boxes = [Box(folder / name, name, key) for name, key in keys.items()]
        self.writers += self.boxes
        for box in self.boxes:
            opened.callback(box.close)
        server = opened.enter_context(PostgreSqlServer())
        self.database = server.new_url()
        broker = opened.enter_context(Mosquitto(self.room))
        self.hub = opened.enter_context(AskedHub(self.room, self.database))
        self.address, self.proposals = self.hub.url, list[Proposal]()
        proxy = opened.enter_context(CutProxy(self.room.hub.port))
        cards = [each.directory for each in self.writers]
        links = [
            opened.enter_context(link_program(self.room, cards[at::PROCESSES], proxy.port))
            for at in range(PROCESSES)
        ]
        self.probe = opened.enter_context(Probe(login, "test"))
        hang = partial(self.probe.wait_more, 1, HANGS_S)
        self.kinds = {
            "broker": (1, [broker.close, self.write, broker.start]),
            "hub": (3, [self.hub.restart]),
            "links": (3, [lambda: random.choice(links).restart()]),
            "cut": (4, [lambda: proxy.cut(Random(random.random()), random.choice((0.1, 0.5, 1)))]),
            "box": (2, [lambda: random.choice(self.boxes).cut()]),
            "database": (2, [server.stop, self.write, server.start]),
            "database stopped": (1, [server.pause, self.write, hang, server.resume]),
        }

    def meanwhile(self) -> None:
        """Answer some of the rulings on the panels; the director proposes some; wait a little."""
        for box in self.boxes:
            if box.look() and self.random.random() < 0.5:
                box.do(self.random.choice((*ANSWERS, ANSWERS[0], GOES_ON)))
            if self.random.random() < 0.5:
                self.propose(box)
        some = self.random.randint(1, len(self.clocks))
        self.probe.wait_more(some, self.random.uniform(0.05, 1))

    def propose(self, box: Box) -> None:
        """Propose more time for a player, in place of what is pending, if the hub takes it now.

        The first ruling gives a second more, the next one two, and so on.
        """
        if not (found := self.look(box)):
            return
        pending = found["ruling"] if is_open(found["ruling"]) else found["standing"]
        wanted = {
            "after": found["after"],
            "item": "add_time",
            "answers": ["left", (len(self.proposals) + 1) * SECOND_NS, ["restored", None]],
            "replaces": pending["id"] if pending else "",
        }
        answer = self._ask(box, json.dumps(wanted).encode())
        if answer is None or "ruling" in answer:
            self.proposals.append(
                Proposal(box, answer["ruling"]["id"] if answer else "", self.hub.starts)
            )

    def look(self, box: Box) -> dict[str, Any] | None:
        """Return what the hub knows of a board; None: it gives no answer, or knows nothing yet."""
        found: dict[str, Any] | None = self._ask(box)
        return found if found and found.get("after") else None

    def _ask(self, box: Box, body: bytes | None = None) -> Any:
        try:
            return json.loads(self.hub.read(f"api/1/rulings/{box.name}", body, HTTP_S))
        except HTTPError as refused:
            return json.load(refused)
        except (OSError, HTTPException):
            return None

    def lacks(self) -> list[str]:
        """Carry out the rulings on the panels, too: each must have an end."""
        for box in self.boxes:
            if box.look():
                box.do(ANSWERS[0])
        looks = [self.look(box) for box in self.boxes]
        return super().lacks() or [
            f"no answer: {look}"
            for look in looks
            if look is None or look["standing"] or is_open(look["ruling"])
        ]

    def end(self) -> str:
        """Propose once more, and check all rulings."""
        for box in self.boxes:
            self.propose(box)
        self.settle()
        return f"rulings at {BOXES} boards more: {dict(self.check_rulings())}, none twice or lost"

    def check_rulings(self) -> Counter[str]:
        """Compare what was proposed with the logs, and these with what the hub says."""
        ends, ids = Counter[str](), [each.id for each in self.proposals if each.id]
        assert not differ(ids, set(ids)), "a ruling was lost: the hub has named an earlier one"
        for box in self.boxes:
            box.prove()
            rulings, own = box.carried_out(), [each for each in self.proposals if each.box is box]
            shown = {line["proposal"]: line for line in box.logged("proposed")}
            assert len(shown) == len(box.logged("proposed")), "a ruling was shown twice"
            for id_, line in shown.items():
                more_ns = line["answers"][1]
                proposal = self.proposals[more_ns // SECOND_NS - 1]
                assert proposal in own, "at a wrong board"
                assert proposal.id in ("", id_)
                if id_ in rulings:
                    assert rulings[id_]["new_ns"] - rulings[id_]["old_ns"] == more_ns
            refused = {line["offer"] for line in box.logged("offer_refused")}
            look = self.look(box)
            assert look is not None
            latest = look["ruling"]
            if own and own[-1].id and own[-1].run == self.hub.starts:
                assert latest is not None
                assert latest["id"] == own[-1].id, "a ruling was lost without a word"
            if latest is not None:
                assert (latest["state"] == "done") == (latest["id"] in rulings)
                assert (latest["state"] == "refused") == (latest["id"] in refused)
            ends.update(
                proposed=len(own), shown=len(shown), done=len(rulings), refused=len(refused)
            )
        return ends


@click.command(help=__doc__.replace("\n\n", "\n\n\b\n"))  # its lines as they are
@click.option("--broker", is_flag=True, help="A room.")
@click.option("--halls", default=10, help="Without a broker.")
@click.option("--clocks", default=100, help="Of a room, or of each hall.")
@click.option("--kills", default=60, help="Of programs and connections.")
@click.option("--seed", default=1, help="Of what happens.")
@click.option("--step", default=1.0, help="Seconds between two kills; a room waits longer.")
@click.option(
    "--fault", type=click.Choice([each.name for each in FAULTS]), help="Put into each program."
)
def main(
    *, broker: bool, halls: int, clocks: int, kills: int, seed: int, step: float, fault: str | None
) -> None:
    """Play, and say what was done."""
    PYTHON[1:] = ["-m", "lab.room_seeds.faults", fault] if fault else []
    random, matches = Random(seed), 2 + kills // LASTING
    with TemporaryDirectory() as name, ExitStack() as opened:
        folder = Path(name)
        killed = (
            Room(folder, random, clocks, matches, opened)
            if broker
            else Halls(folder, random, halls, clocks, matches, opened)
        )
        click.echo(killed.play(kills, step))


if __name__ == "__main__":
    main()
