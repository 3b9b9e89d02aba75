"""`make room`: simulated clocks and pages on one computer; with BROKER=1 links, broker and hub."""

import os
import queue
import signal
import webbrowser
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.request import urlopen

import msgspec
import pytest
from click.testing import CliRunner

from lab.support.needs import needs
from room.simulation import broker
from room.simulation.__main__ import main
from room.simulation.broker import MISSING, broker_room
from room.web.watch import WatchError

WAIT_S, MOST_TICKS = 60, 6


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Iterator["queue.Queue[str]"]:
    """The addresses that are opened in a browser; signals are as before afterwards."""
    addresses: queue.Queue[str] = queue.Queue()
    monkeypatch.setattr(webbrowser, "open", addresses.put)
    before = signal.getsignal(signal.SIGTERM)
    yield addresses
    signal.signal(signal.SIGTERM, before)


def run_until(opened: "queue.Queue[str]", wanted: set[tuple[str, str]], *options: str) -> str:
    """Run a room until the boards of some clocks have shown turns, then end it with Ctrl-C.

    Return the token of the address that was opened.
    """

    def visit() -> str:
        address, _, token = opened.get(timeout=WAIT_S).partition("?token=")
        try:
            missing, ticks = set(wanted), 0  # one each ten seconds
            with urlopen(f"{address}api/1/events", timeout=WAIT_S) as events:  # noqa: S310
                while missing and ticks < MOST_TICKS:
                    line = events.readline()
                    ticks += line.startswith(b"event: tick")
                    if line.startswith(b"data: ") and b'"source"' in line:
                        board = msgspec.json.decode(line.removeprefix(b"data: "))
                        if board.get("turn"):  # results have a source, too
                            missing.discard((board["id"], Path(board["source"]).name))
        finally:
            os.kill(os.getpid(), signal.SIGTERM)  # as a service is ended: everything in its order
        assert not missing
        return token

    with ThreadPoolExecutor(1) as visitor:
        visited = visitor.submit(visit)
        ran = CliRunner().invoke(main, [*options, "--port", "0", "--open", "--pace", "50"])
        assert (ran.exit_code, ran.exception) == (0, None)
        return visited.result()


def test_a_room_plays_on_pages(opened: "queue.Queue[str]") -> None:
    """Each board has the name of its clock; nobody needs a token."""
    assert run_until(opened, {("1", "1"), ("2", "2")}, "--clocks", "2") == ""


@pytest.mark.slow
def test_all_of_it_on_this_computer(opened: "queue.Queue[str]") -> None:
    """The clocks come by their broker; the director has a token."""
    needs("mosquitto")
    wanted = {("1", "clock-1"), ("2", "clock-2")}
    assert run_until(opened, wanted, "--clocks", "2", "--broker") != ""


def test_a_missing_broker_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(broker, "PROGRAM_PATH", str(tmp_path))
    with pytest.raises(WatchError, match="apt install mosquitto"), broker_room([tmp_path]):
        pass
    assert "apt install mosquitto" in MISSING
    ended = CliRunner().invoke(main, ["--broker", "--port", "0"])
    assert (ended.exit_code, ended.output) == (1, f"Error: {MISSING}\n")
