"""Two hubs with one key file at the real broker: one has the room, the other stands by."""

import json
import signal
import urllib.error
from contextlib import ExitStack, closing
from pathlib import Path
from urllib.request import urlopen

import pytest

from lab.support.logs import monkey_logs
from lab.support.mosquitto import WAIT_S, Mosquitto, make_room
from lab.support.postgresql import PostgreSqlServer
from lab.support.room_hall import HubProgram, LoggedClock, Probe, allow_probe, link_program
from room.simulation.broker import free_port

pytestmark = pytest.mark.slow

LOG = max(monkey_logs(3, 60), key=len)


class Hubs:
    """A room with a clock and two hubs."""

    def __init__(self, folder: Path, databases: list[Path | str]) -> None:
        room = make_room(folder / "cards", {"red-1": "1"})
        login = allow_probe(room)
        self.broker = Mosquitto(room)
        self.probe = Probe(login, "test")
        self.ports = [free_port() for _ in databases]
        self.clock = LoggedClock(folder / "red-1", [LOG])
        self.link = link_program(room, [self.clock])
        self.first = HubProgram(room, databases[0], self.ports[0])
        assert self.first.address()
        self.write()  # so it has the room
        self.second = HubProgram(room, databases[1], self.ports[1])

    def write(self) -> None:
        """Let the clock write, and wait until a hub has kept that."""
        self.clock.write(5)
        self.probe.wait_whole([self.clock])

    def close(self) -> None:
        """End everything."""
        self.probe.close()
        self.link.close()
        self.first.close()
        self.second.close()
        self.broker.close()


def standing_by(port: int) -> str:
    """Wait until a hub that has the room says which hub stands by."""
    with urlopen(f"http://127.0.0.1:{port}/api/events", timeout=WAIT_S) as events:
        for line in events:
            _, _, data = line.decode().partition("data: ")
            found = json.loads(data).get("standing_by") if data else None
            if found:
                return str(found[0])
    raise LookupError("no hub stands by")


def said_by(port: int) -> str:
    """What stands on the pages of a hub that stands by."""
    with pytest.raises(urllib.error.HTTPError) as refused:
        urlopen(f"http://127.0.0.1:{port}/", timeout=WAIT_S)
    with refused.value as answer:
        assert answer.code == 503
        return answer.read().decode()


@pytest.mark.parametrize(
    ("gone", "shared"),
    [(signal.SIGTERM, False), (signal.SIGKILL, False), (signal.SIGSTOP, True)],
)
def test_the_second_hub_stands_by_and_takes_over(
    tmp_path: Path, gone: signal.Signals, *, shared: bool
) -> None:
    """Both name the other; nothing is lost; each logs in as the hub once."""
    with ExitStack() as opened:
        databases: list[Path | str] = [tmp_path / "1.sqlite", tmp_path / "2.sqlite"]
        if shared:
            databases = [opened.enter_context(PostgreSqlServer()).new_url()] * 2
        hubs = opened.enter_context(closing(Hubs(tmp_path, databases)))
        first, second = hubs.ports
        assert f"port {second}" in standing_by(first)
        assert f"port {first}" in said_by(second)
        hubs.first.signal(gone)
        assert hubs.second.address()
        hubs.write()
        if gone is signal.SIGSTOP:
            hubs.first.signal(signal.SIGCONT)
            assert f"port {first}" in standing_by(second)
            assert f"port {second}" in said_by(first)
        assert sum(" as hub (" in line for line in hubs.broker.said) == 2
