"""Two hubs with one key file at the real broker: the second is refused until the first has gone."""

import subprocess
import sys
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from gammonclock.console import WRONG_USAGE
from lab.support.mosquitto import WAIT_S, Mosquitto, Peer, make_room
from lab.support.paths import ROOT
from lab.support.postgresql import PostgreSqlServer
from lab.support.room_hall import HubProgram, room_file
from room.broker.topics import hub_topic

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("shares", [False, True], ids=["own databases", "one PostgreSQL"])
def test_a_second_hub_is_refused_until_the_first_is_killed(tmp_path: Path, *, shares: bool) -> None:
    with ExitStack() as opened:
        room = make_room(tmp_path / "cards", {"red-1": "1"})
        opened.enter_context(closing(Mosquitto(room)))
        url = opened.enter_context(PostgreSqlServer()).new_url() if shares else ""
        databases = [url or tmp_path / f"{name}.sqlite" for name in "ab"]
        first = opened.enter_context(closing(HubProgram(room, databases[0])))
        assert first.address()
        with Peer(room.login("red-1")) as peer:
            peer.subscribe(hub_topic("test"))
            while b'"online"' not in peer.next()[1]:
                pass  # it has the room soon
        options = ("--config", room_file(room), "--database", databases[1], "--port", "0")
        command = [sys.executable, "-m", "gammonclock", "hub", *map(str, options)]
        second = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, timeout=WAIT_S, check=False
        )
        assert second.returncode == WRONG_USAGE
        assert "; end that one, or" in second.stderr  # by the broker, or by the database
        first.kill()
        assert opened.enter_context(closing(HubProgram(room, databases[1]))).address()
