"""From log directories over the real broker into the database of the hub, byte for byte."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.logs import forged, monkey_logs
from tests.support.mosquitto import Mosquitto, Room, make_room
from tests.support.room_hall import (
    LoggedClock,
    Probe,
    Program,
    allow_probe,
    hub_program,
    link_program,
    stored,
)

LOGS = [max(monkey_logs(seed, 60), key=len) for seed in (3, 4)]


def named(log: list[bytes], name: str) -> list[bytes]:
    """A log of another match."""
    from tests.support.logs import body, sealed

    return sealed(
        body(line).replace(b'"match":"play-', f'"match":"{name}-'.encode()) for line in log
    )


class Hall:
    """A room of two clocks with everything that belongs to it."""

    def __init__(self, folder: Path) -> None:
        self.room: Room = make_room(folder / "cards", {"red-1": "1", "red-2": "2"})
        login = allow_probe(self.room)
        self.database = folder / "room.sqlite"
        self.clocks = [
            LoggedClock(folder / name, [named(log, f"{name}-{at}") for at, log in enumerate(LOGS)])
            for name in ("red-1", "red-2")
        ]
        for clock in self.clocks:
            clock.write(3)
        self.broker = Mosquitto(self.room)
        self.hub: Program = hub_program(self.room, self.database)
        self.links: Program = link_program(self.room, self.clocks)
        self.probe = Probe(login, "test")

    def restart_broker(self) -> None:
        """Kill it; the next one knows nothing."""
        self.broker.close()
        self.broker = Mosquitto(self.room)

    def write(self, count: int) -> None:
        """Let all clocks write."""
        for clock in self.clocks:
            clock.write(count)

    def check(self) -> None:
        """Wait until the hub has all; compare what it has."""
        self.probe.wait_whole(self.clocks)
        for clock in self.clocks:
            assert stored(self.database, clock) == clock.written

    def close(self) -> None:
        """End everything."""
        self.probe.close()
        self.links.close()
        self.hub.close()
        self.broker.close()


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    """A room that runs."""
    found = Hall(tmp_path)
    yield found
    found.close()


def test_two_matches_in_a_row(hall: Hall) -> None:
    """Live lines, the end of a match, and the next one."""
    hall.check()
    hall.write(len(LOGS[0]) - 5)
    hall.check()
    hall.write(9)
    hall.check()
    hall.write(10_000)
    hall.check()
    assert [len(clock.written) for clock in hall.clocks] == [2, 2]
