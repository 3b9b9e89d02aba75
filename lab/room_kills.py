"""Kill broker, hub, links and PostgreSQL again and again, and cut connections, while clocks write.

    python -m lab.room_kills KILLS [CLOCKS [SEED]]    7 kills at least; default: 1000, 100, 1

PostgreSQL is also stopped for a while, as if it hung. At some boards the director proposes rulings
all the time, and a clock there loses its power.
In the end the database must have every log byte for byte, and no line twice; no ruling may have
been carried out twice or at another board, and what became of the latest one is known.
"""

import json
import sys
from collections import Counter
from collections.abc import Mapping
from contextlib import ExitStack, closing
from http.client import HTTPException
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from urllib.error import HTTPError

import click

from clock.units import SECOND_NS
from lab.support.cut_proxy import CutProxy
from lab.support.logs import monkey_logs, renamed
from lab.support.mosquitto import Mosquitto, make_room
from lab.support.postgresql import PostgreSqlServer
from lab.support.room_hall import (
    AskedHub,
    LoggedClock,
    Probe,
    allow_probe,
    heads,
    link_program,
    stored,
)
from lab.support.ruled_clock import ANSWERS, GOES_ON, RuledClock
from room.boards.rulings import OPEN
from room.cards.join import join_simulated
from room.hub.store.database import Row
from room.hub.store.opening import open_database
from room.lines.inbox import Point
from room.settings.link import FILE_NAME

PROCESSES = 4  # for all links together
PATIENCE = 200  # times that an acknowledgement is waited for until everything must be there
ACKNOWLEDGED_S = 1.0  # how long at most each time
LAST_LINES = 5  # that each clock writes when the kills are over
KINDS = {"broker": 1, "hub": 3, "links": 3, "cut": 4, "box": 2}  # by weight
BOXES = 4  # at which rulings are proposed
HTTP_S = 5  # for an answer of the hub
KINDS_WITH_SERVER = KINDS | {"database": 2, "database stopped": 1}


def deal(random: Random, kinds: Mapping[str, int], kills: int) -> list[str]:
    """What to kill, in order: each kind at least once, and the rest by weight."""
    rest = random.choices(list(kinds), list(kinds.values()), k=kills - len(kinds))
    return random.sample([*kinds, *rest], kills)


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
        found: dict[str, list[bytes]] = {}
        for line in self.all_lines:
            found.setdefault(json.loads(line)["match"], []).append(line.rstrip(b"\n"))
        return found


class Proposal(NamedTuple):
    """A ruling that a director has proposed."""

    box: Box
    id: str  # "": the hub was killed before it has answered
    run: int  # of the hub

    def is_certain(self, run: int) -> bool:
        """Return whether the hub knows of it in a run."""
        return self.run == run and self.id != ""


class Director:
    """A director who proposes rulings at the addresses of the page."""

    def __init__(self, hub: AskedHub) -> None:
        self._hub = hub
        self.proposals: list[Proposal] = []  # the first gives a second, the next one two, and so on

    def propose(self, box: Box) -> None:
        """Propose more time for a player, in place of what is pending, if the hub takes it now."""
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
                Proposal(box, answer["ruling"]["id"] if answer else "", self._hub.starts)
            )

    def look(self, box: Box) -> dict[str, Any] | None:
        """Return what the hub knows of a board; None: it gives no answer, or knows nothing yet."""
        found = self._ask(box)
        return found if found and found.get("after") else None

    def _ask(self, box: Box, body: bytes | None = None) -> dict[str, Any] | None:
        found: dict[str, Any]
        try:
            found = json.loads(self._hub.read(f"api/1/rulings/{box.name}", body, HTTP_S))
        except HTTPError as refused:
            found = json.load(refused)
        except (OSError, HTTPException):
            return None
        return found


def is_open(ruling: dict[str, Any] | None) -> bool:
    """Return whether nobody has answered a ruling."""
    return bool(ruling) and ruling["state"] in OPEN  # type: ignore[index]


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
        ruled = [f"b{number}" for number in range(1, BOXES + 1)]
        self.room = make_room(folder / "cards", {name: name for name in (*names, *ruled)})
        login = allow_probe(self.room)
        bases = [max(monkey_logs(each, 150), key=len) for each in range(4)]
        self.clocks = [LoggedClock(folder / name, self._logs(name, bases)) for name in names]
        keys = {name: self.room.folder / "clocks" / name / FILE_NAME for name in ruled}
        self.boxes = [Box(folder / name, name, key) for name, key in keys.items()]
        for box in self.boxes:
            opened.callback(box.close)
        self.broker = Mosquitto(self.room)
        opened.callback(self.close_broker)
        self.hub = opened.enter_context(AskedHub(self.room, self.database))
        self.director = Director(self.hub)
        self.proxy = opened.enter_context(CutProxy(self.room.hub.port))
        self.writers: tuple[LoggedClock | Box, ...] = (*self.clocks, *self.boxes)
        directories = [each.directory for each in self.writers]
        parts = [directories[at::PROCESSES] for at in range(PROCESSES)]
        self.links = [
            opened.enter_context(link_program(self.room, part, self.proxy.port)) for part in parts
        ]
        self.probe = opened.enter_context(Probe(login, "test"))

    def _logs(self, name: str, bases: list[list[bytes]]) -> list[list[bytes]]:
        chosen = self.random.sample(bases, 2)
        return [renamed(log, f"{name}-{at}") for at, log in enumerate(chosen)]

    def write(self, count: int) -> None:
        """Let so many clocks write some lines."""
        for clock in self.random.choices(self.clocks, k=count):
            clock.write(self.random.randrange(1, 4))

    def rule(self) -> None:
        """Answer some of the rulings on the panels, or go on; and let the director propose some."""
        for box in self.boxes:
            if box.look() and self.random.random() < 0.5:
                box.do(self.random.choice((*ANSWERS, ANSWERS[0], GOES_ON)))
            if self.random.random() < 0.5:
                self.director.propose(box)

    def settle(self) -> None:
        """Disturb nothing; wait until the hub has everything and each ruling an end."""
        self.probe.wait_connected()
        for _ in range(PATIENCE):
            for box in self.boxes:
                if box.look():
                    box.do(ANSWERS[0])
            if not (self.lacks() or self.unanswered()):
                return
            self.probe.wait_more(1, ACKNOWLEDGED_S)
        raise AssertionError(self.lacks() or self.unanswered())

    def unanswered(self) -> list[str]:
        """The boards of which the hub does not say what has become of the latest ruling."""
        looks = {box.name: self.director.look(box) for box in self.boxes}
        return [
            name
            for name, look in looks.items()
            if look is None or look["standing"] or is_open(look["ruling"])
        ]

    def lacks(self) -> list[tuple[str, str]]:
        """The logs of which the database does not have the latest line."""
        rows = self._rows("SELECT source, match, seq, hash FROM heads")
        have = {(source, match): Point(seq, hash_) for source, match, seq, hash_ in rows}
        return [
            (clock.name, match)
            for clock in self.writers
            for match, head in heads(clock.written).items()
            if have.get((f"test/{clock.name}", match)) != head
        ]

    def check(self) -> int:
        """Compare byte for byte; return how many lines there are."""
        count = 0
        for clock in self.writers:
            assert stored(self.database, clock) == clock.written
            count += sum(map(len, clock.written.values()))
        twice = "SELECT source FROM lines GROUP BY source, line HAVING count(*) > 1"
        assert self._rows(twice) == []
        return count

    def check_rulings(self) -> Counter[str]:
        """Compare what was proposed with the logs, and these with what the hub says."""
        ends: Counter[str] = Counter()
        proposals = self.director.proposals
        for box in self.boxes:
            box.prove()
            acts, own = box.carried_out(), [each for each in proposals if each.box is box]
            shown = {line["proposal"]: line for line in box.logged("proposed")}
            assert len(shown) == len(box.logged("proposed")), "a ruling was shown twice"
            for id_, line in shown.items():
                more_ns = line["answers"][1]
                proposal = proposals[more_ns // SECOND_NS - 1]
                assert proposal in own, "at a wrong board"
                assert proposal.id in ("", id_)
                if id_ in acts:
                    assert acts[id_]["new_ns"] - acts[id_]["old_ns"] == more_ns
            refused = {line["offer"] for line in box.logged("offer_refused")}
            look = self.director.look(box)
            assert look is not None
            latest = look["ruling"]
            if own and own[-1].is_certain(self.hub.starts):
                assert latest is not None
                assert latest["id"] == own[-1].id, "a ruling was lost without a word"
            if latest is not None:
                assert (latest["state"] == "done") == (latest["id"] in acts)
                assert (latest["state"] == "refused") == (latest["id"] in refused)
            ends.update(proposed=len(own), shown=len(shown), done=len(acts), refused=len(refused))
        return ends

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
        elif kind == "box":
            self.random.choice(self.boxes).cut()
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
) -> tuple[Counter[str], Counter[str], int]:
    """Return how often each part was killed, what became of rulings, and how many lines came."""
    kinds = KINDS if server is None else KINDS_WITH_SERVER
    with ExitStack() as opened:
        hall = KilledRoom(folder, clocks, seed, opened, server)
        hall.settle()  # or the hub takes no rulings yet
        done: Counter[str] = Counter()
        for number, kind in enumerate(deal(hall.random, kinds, kills), 1):
            hall.write(clocks // 5 + 1)
            hall.rule()
            hall.probe.wait_more(hall.random.randrange(1, clocks), hall.random.uniform(0.05, 1))
            hall.disturb(kind)
            done[kind] += 1
            if number % 50 == 0:
                click.echo(f"{number} {dict(done)}, {hall.probe.heard} acknowledgements")
        for clock in hall.clocks:
            clock.write(LAST_LINES)
        hall.settle()
        for box in hall.boxes:
            hall.director.propose(box)
        hall.settle()
        rulings = hall.check_rulings()
        hall.hub.close()
        return done, rulings, hall.check()


def main() -> None:
    """Run, and say what was done."""
    kills, clocks, seed = (*map(int, sys.argv[1:]), *(1000, 100, 1)[len(sys.argv) - 1 :])
    with TemporaryDirectory() as folder, PostgreSqlServer() as server:
        done, rulings, lines = run(Path(folder), clocks, kills, seed, server)
    assert lines > clocks * LAST_LINES, "no clock has written during the kills"
    click.echo(f"{kills} kills {dict(done)}, {clocks} clocks, {lines} lines: bytes equal")
    click.echo(f"rulings at {BOXES} boards more: {dict(rulings)}, none twice or lost")


if __name__ == "__main__":
    main()
