"""`make room BROKER=1`: simulated clocks, links, broker, hub and pages on one computer."""

import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import msgspec
import pytest

from lab.support.needs import needs
from lab.support.paths import ROOT
from room.simulation import broker
from room.simulation.broker import MISSING, broker_room
from room.web.watch import WatchError


@pytest.mark.slow
def test_all_of_it_on_this_computer() -> None:
    needs("mosquitto")
    options = ("--broker", "--clocks", "2", "--port", "0")
    command = [sys.executable, "-m", "room.simulation", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout is not None
        address, _, token = process.stdout.readline().split()[0].partition("?token=")
        sources: set[str] = set()
        with urlopen(f"{address}api/1/events") as events:  # noqa: S310 (the hub's own)
            for line in events:
                if line.startswith(b"data: ") and b'"source"' in line:
                    board = msgspec.json.decode(line.removeprefix(b"data: "))
                    sources |= {board["source"]} if board["seq"] else set()
                if sources == {"clock-1", "clock-2"}:
                    break
        process.terminate()
    assert token
    assert sources == {"clock-1", "clock-2"}


def test_a_missing_broker_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(broker, "PROGRAM_PATH", str(tmp_path))
    with pytest.raises(WatchError, match="apt install mosquitto"), broker_room([tmp_path]):
        pass
    assert "apt install mosquitto" in MISSING
