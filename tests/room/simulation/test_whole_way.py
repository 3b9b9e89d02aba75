"""From log directories over the real broker into the database of the hub, byte for byte."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.request import urlopen

import msgspec
import pytest

from lab.support.logs import forged, monkey_logs, renamed
from lab.support.mosquitto import Mosquitto, Room, make_room
from lab.support.room_hall import (
    HubProgram,
    LoggedClock,
    Probe,
    allow_probe,
    link_program,
    stored,
)

pytestmark = pytest.mark.slow

LOGS = {at: max(monkey_logs(seed, 60), key=len) for at, seed in enumerate((3, 4))}


class Hall:
    """A room of two clocks with everything that belongs to it."""

    def __init__(self, folder: Path) -> None:
        self.room: Room = make_room(folder / "cards", {"red-1": "1", "red-2": "2"})
        login = allow_probe(self.room)
        self.database = folder / "room.sqlite"
        self.clocks = [
            LoggedClock(folder / name, [renamed(log, f"{name}-{at}") for at, log in LOGS.items()])
            for name in ("red-1", "red-2")
        ]
        for clock in self.clocks:
            clock.write(3)
        self.broker = Mosquitto(self.room)
        self.hub = HubProgram(self.room, self.database)
        self.links = link_program(self.room, [each.directory for each in self.clocks])
        self.probe = Probe(login, "test")

    def write(self, count: int) -> None:
        for clock in self.clocks:
            clock.write(count)

    def check(self) -> None:
        """Wait until the hub has all; compare what it has."""
        self.probe.wait_whole(self.clocks)
        for clock in self.clocks:
            assert stored(self.database, clock) == clock.written

    def close(self) -> None:
        """End everything, what depends on others first."""
        for each in (self.probe, self.links, self.hub, self.broker):
            each.close()


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    with closing(Hall(tmp_path)) as found:
        yield found


def test_two_matches_in_a_row(hall: Hall) -> None:
    """The boards have the names of the room's file; a new database gets everything once more."""
    hall.check()
    with urlopen(f"{hall.hub.address()}api/1/boards") as answer:  # noqa: S310 (the hub's own)
        boards = msgspec.json.decode(answer.read())["boards"]
    found = {board["source"]: (board["seq"], board["match"]) for board in boards}
    assert found == {"red-1": (3, "red-1-0"), "red-2": (3, "red-2-0")}
    hall.write(len(LOGS[0]) - 5)
    hall.check()
    hall.write(9)
    hall.check()
    hall.write(10_000)
    hall.check()
    assert [len(clock.written) for clock in hall.clocks] == [2, 2]
    hall.hub.close()
    hall.probe.forget()
    hall.database = hall.database.with_name("new.sqlite")
    hall.hub = HubProgram(hall.room, hall.database)
    hall.check()


def test_a_card_that_has_lost_lines(hall: Hall) -> None:
    """The clock goes on from there; the hub follows it, and keeps what it had."""
    hall.write(20)
    hall.check()
    clock = hall.clocks[0]
    before, count = list(clock.written["red-1-0"]), len(clock.written["red-1-0"])
    hall.links.kill()
    fork = forged(
        renamed(LOGS[0], "red-1-0"), count - 6, lambda fields: fields.update(wall="2030-01-01")
    )
    clock.lose(6, fork)
    clock.write(9)
    hall.links.restart()
    hall.check()
    with closing(sqlite3.connect(hall.database)) as database:
        rows = database.execute("SELECT line FROM lines WHERE source = 'test/red-1'")
        kept = {line for (line,) in rows}
    assert kept >= {*before, *clock.written["red-1-0"]}


def test_a_second_account_takes_no_match_from_the_first(hall: Hall, tmp_path: Path) -> None:
    """It sends the same match with another content; both are shown, also by the next hub."""
    hall.write(10_000)
    hall.check()
    hall.links.close()
    stolen = forged(renamed(LOGS[0], "red-1-0"), 4, lambda fields: fields.update(wall="2030"))
    thief = LoggedClock(tmp_path / "elsewhere" / "red-2", [stolen])
    thief.write(10_000)
    hall.clocks[1] = thief
    hall.links = link_program(hall.room, [each.directory for each in hall.clocks])
    for _ in range(2):
        hall.check()
        address = f"{hall.hub.address()}api/1/matches/red-1-0"
        for own in ("test/red-1", "test/red-2"):
            with urlopen(f"{address}?source={own}") as answer:  # noqa: S310 (the hub's own)
                heard = msgspec.json.decode(answer.read())["first_heard"]
            assert {each["source"]: each["agrees"] for each in heard} == {
                "test/red-1": own == "test/red-1",
                "test/red-2": own == "test/red-2",
            }
        hall.hub.kill()
        hall.hub = HubProgram(hall.room, hall.database)
