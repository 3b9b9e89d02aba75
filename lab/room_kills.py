"""Kill broker, hub, links and PostgreSQL again and again, and cut connections, while clocks write.

    python -m lab.room_kills KILLS [CLOCKS [SEED]]    6 kills at least; default: 1000, 100, 1

PostgreSQL is also stopped for a while, as if it hung.
In the end the database must have every log byte for byte, and no line twice.
"""

import sys
from collections import Counter
from collections.abc import Mapping
from contextlib import ExitStack, closing
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import click

from lab.support.cut_proxy import CutProxy
from lab.support.logs import monkey_logs, renamed
from lab.support.mosquitto import Mosquitto, make_room
from lab.support.postgresql import PostgreSqlServer
from lab.support.room_hall import (
    HubProgram,
    LoggedClock,
    Probe,
    allow_probe,
    link_program,
    stored,
)
from room.lines.inbox import Point
from room.store.database import Row
from room.store.opening import open_database

PROCESSES = 4  # for all links together
PATIENCE = 200  # times that an acknowledgement is waited for until everything must be there
ACKNOWLEDGED_S = 1.0  # how long at most each time
LAST_LINES = 5  # that each clock writes when the kills are over
KINDS = {"broker": 1, "hub": 3, "links": 3, "cut": 4}  # by weight
KINDS_WITH_SERVER = KINDS | {"database": 2, "database stopped": 1}


def deal(random: Random, kinds: Mapping[str, int], kills: int) -> list[str]:
    """What to kill, in order: each kind at least once, and the rest by weight."""
    rest = random.choices(list(kinds), list(kinds.values()), k=kills - len(kinds))
    return random.sample([*kinds, *rest], kills)


class KilledRoom:
    """Clocks that write, a room whose parts are killed, and what it must have in the end."""

    def __init__(
        self,
        folder: Path,
        clocks: int,
        seed: int,
        opened: ExitStack,
        server: PostgreSqlServer | None,
    ) -> None:
        """Start all of it; without a server the database is a file."""
        self.random, self.server = Random(seed), server
        self.database = folder / "room.sqlite" if server is None else server.new_url()
        names = [f"c{number}" for number in range(1, clocks + 1)]
        self.room = make_room(folder / "cards", {name: name for name in names})
        login = allow_probe(self.room)
        bases = [max(monkey_logs(each, 150), key=len) for each in range(4)]
        self.clocks = [LoggedClock(folder / name, self._logs(name, bases)) for name in names]
        self.broker = Mosquitto(self.room)
        opened.callback(self.close_broker)
        self.hub = opened.enter_context(HubProgram(self.room, self.database))
        assert self.hub.address()  # it has made its tables: a busy machine may kill it before
        self.proxy = opened.enter_context(CutProxy(self.room.hub.port))
        directories = [clock.directory for clock in self.clocks]
        parts = [directories[at::PROCESSES] for at in range(min(PROCESSES, clocks))]
        self.links = [
            opened.enter_context(link_program(self.room, part, self.proxy.port)) for part in parts
        ]
        self.probe = opened.enter_context(Probe(login, "test"))

    def _logs(self, name: str, bases: list[list[bytes]]) -> list[list[bytes]]:
        """Two matches."""
        chosen = self.random.sample(bases, 2)
        return [renamed(log, f"{name}-{at}") for at, log in enumerate(chosen)]

    def write(self, count: int) -> None:
        """Let so many clocks write some lines."""
        for clock in self.random.choices(self.clocks, k=count):
            clock.write(self.random.randrange(1, 4))

    def settle(self) -> None:
        """Disturb nothing any more, and wait until the hub has everything."""
        self.probe.wait_connected()
        for clock in self.clocks:
            clock.write(LAST_LINES)
        for _ in range(PATIENCE):
            if not self.lacks():
                return
            self.probe.wait_more(1, ACKNOWLEDGED_S)
        raise AssertionError(self.lacks())

    def lacks(self) -> list[tuple[str, str]]:
        """The logs of which the database does not have the latest line."""
        rows = self._rows("SELECT source, match, seq, hash FROM heads")
        have = {(source, match): Point(seq, hash_) for source, match, seq, hash_ in rows}
        return [
            (clock.name, match)
            for clock in self.clocks
            for match, head in clock.heads().items()
            if have.get((f"test/{clock.name}", match)) != head
        ]

    def check(self) -> int:
        """Compare byte for byte; return how many lines there are."""
        count = 0
        for clock in self.clocks:
            assert stored(self.database, clock) == clock.written
            count += sum(map(len, clock.written.values()))
        twice = "SELECT source FROM lines GROUP BY source, line HAVING count(*) > 1"
        assert self._rows(twice) == []
        return count

    def _rows(self, command: str) -> list[Row]:
        with closing(open_database(str(self.database))) as database:
            return database.rows(command)

    def close_broker(self) -> None:
        """End the broker that runs now."""
        self.broker.close()

    def disturb(self, kind: str) -> None:
        """Kill something, and start it again."""
        if kind == "broker":
            self.broker.close()
            self.write(len(self.clocks) // 10 + 1)
            self.broker = Mosquitto(self.room)
        elif kind == "hub":
            self.hub.restart()
        elif kind == "links":
            self.random.choice(self.links).restart()
        elif self.server is not None and kind == "database":
            self.server.stop()
            self.write(len(self.clocks) // 10 + 1)
            self.server.start()
        elif self.server is not None and kind == "database stopped":
            self.server.pause()
            self.write(len(self.clocks) // 10 + 1)
            self.probe.wait_more(1, ACKNOWLEDGED_S)
            self.server.resume()
        else:
            chances = Random(self.random.random())  # the proxy's thread has its own
            self.proxy.cut(chances, self.random.choice((0.1, 0.5, 1)))


def run(
    folder: Path, clocks: int, kills: int, seed: int, server: PostgreSqlServer | None = None
) -> tuple[Counter[str], int]:
    """Return how often each part was killed, and how many lines came through all of that."""
    kinds = KINDS if server is None else KINDS_WITH_SERVER
    with ExitStack() as opened:
        hall = KilledRoom(folder, clocks, seed, opened, server)
        done: Counter[str] = Counter()
        for number, kind in enumerate(deal(hall.random, kinds, kills), 1):
            hall.write(clocks // 5 + 1)
            hall.probe.wait_more(hall.random.randrange(1, clocks), hall.random.uniform(0.05, 1))
            hall.disturb(kind)
            done[kind] += 1
            if number % 50 == 0:
                click.echo(f"{number} {dict(done)}, {hall.probe.heard} acknowledgements")
        hall.settle()
        hall.hub.close()
        return done, hall.check()


def main() -> None:
    """Run, and say what was done."""
    kills, clocks, seed = (*map(int, sys.argv[1:]), *(1000, 100, 1)[len(sys.argv) - 1 :])
    with TemporaryDirectory() as folder, PostgreSqlServer() as server:
        done, lines = run(Path(folder), clocks, kills, seed, server)
    assert lines > clocks * LAST_LINES, "no clock has written during the kills"
    click.echo(f"{kills} kills {dict(done)}, {clocks} clocks, {lines} lines: bytes equal")


if __name__ == "__main__":
    main()
