"""The command: its messages and its end."""

import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import click.testing
import pytest
from starlette.testclient import TestClient

from gammonclock.__main__ import main
from room.boards.register import Register
from room.hub.hub import Hub
from room.store.store import Store
from room.watch.watch import Options
from room.web.site import ForDirector, application
from tests.support.paths import DATA
from tests.support.programs import running

LOG = DATA / "ebf.jsonl"
NETWORK = "0.0.0.0"  # noqa: S104 (that is what is tested)


def failed(*arguments: str) -> str:
    """The message of a command that fails."""
    result = click.testing.CliRunner().invoke(main, ["watch", *arguments])
    assert isinstance(result.exception, SystemExit)
    assert (result.exit_code, result.stdout) == (2, "")
    return result.stderr


def test_others_in_the_network_are_not_the_director() -> None:
    """The terminal says the address that makes one; the others are open."""
    with running("-m", "gammonclock", "watch", str(LOG), "--host", NETWORK, "--port", "0") as said:
        director = said.readline().split()[0]
        wall = next(line.split()[0] for line in said if "/wall " in line)
        port = urlsplit(wall).port
        address, query = f"http://127.0.0.1:{port}", urlsplit(director).query
        assert status(f"{address}/wall") == status(f"{address}/room?{query}") == 200
        assert status(f"{address}/room") == 403
    assert query.startswith("token=")


def status(address: str) -> int:
    """What an address answers."""
    try:
        with urllib.request.urlopen(address) as answer:  # noqa: S310 (its own address)
            return int(answer.status)
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code


def test_ctrl_c_ends_it_without_a_word() -> None:
    """And with success, also while somebody reads events."""
    program = subprocess.Popen(
        [sys.executable, "-m", "gammonclock", "watch", str(LOG), "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert program.stdout is not None
    address, _, _ = program.stdout.readline().partition("room ")
    with urllib.request.urlopen(f"{address}api/events") as events:  # noqa: S310 (its own address)
        assert events.readline().startswith(b"id: ")
        program.send_signal(signal.SIGINT)
        events.read()
    _, said = program.communicate()
    assert (program.returncode, said) == (0, "")


def test_a_source_that_is_missing_is_refused(tmp_path: Path) -> None:
    """The message says what a source is."""
    missing = tmp_path / "missing"
    assert failed(str(missing)) == (
        f"gammonclock: {missing}: there is no such file;"
        " a source is a log directory, a log, a serial port or the address of a hub\n"
    )


def test_the_time_by_which_the_round_should_end_is_served(monkeypatch: pytest.MonkeyPatch) -> None:
    """To the page of the director; what is no time of the day is refused."""
    served: list[object] = []
    store = Store()

    def watch_sources(_: object, options: Options, *, opens: bool) -> None:
        pages = TestClient(
            application(Hub(Register(0), store, lambda: 5), director=ForDirector(options.round_by))
        )
        served.append((pages.get("/api/forecast").json()["round_by"], opens))

    monkeypatch.setattr("room.watch.serve.watch_sources", watch_sources)
    click.testing.CliRunner().invoke(main, ["watch", str(LOG), "--round-by", "9:05"])
    store.close()
    assert served == [("09:05", False)]
    assert "25:00" in failed(str(LOG), "--round-by", "25:00")


def test_an_address_in_use_is_refused() -> None:
    """The message says what to do."""
    with closing(socket.create_server(("127.0.0.1", 0))) as other:
        port = other.getsockname()[1]
        message = failed(str(LOG), "--port", str(port))
    assert f"127.0.0.1 port {port}: " in message
    assert "choose another with --port or --host" in message


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    """And left as it is."""
    path = tmp_path / "notes.txt"
    path.write_text("notes" * 1000, encoding="utf-8")
    assert "--database: " in failed(str(LOG), "--port", "0", "--database", str(path))
    assert path.read_text(encoding="utf-8") == "notes" * 1000


@pytest.mark.parametrize("module", ["starlette", "uvicorn", "segno"])
def test_without_the_extra_it_says_what_to_install(module: str) -> None:
    """A clock is installed without it."""
    program = f"import sys; sys.modules[{module!r}] = None; from gammonclock.__main__ import main"
    command = [sys.executable, "-c", f"{program}; main(['watch', {str(LOG)!r}])"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert 'watch needs the extra "room": pip install ".[room]" in the folder' in done.stderr
