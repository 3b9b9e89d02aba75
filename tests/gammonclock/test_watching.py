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
from lab.support.commands import refused, said
from lab.support.paths import DATA
from lab.support.programs import running
from lab.support.rows import rest_slow
from room.boards.register import Register
from room.hub.hub import Hub
from room.hub.room_event import RoomEvent
from room.hub.store.store import Store
from room.settings.room import PublishTable, QuotaTable
from room.settings.tables import NotifyTable
from room.web import serve
from room.web.server import Tls
from room.web.site import ForDirector, application
from room.web.watch import (
    Options,
    WatchError,
)

LOG = DATA / "ebf.jsonl"
NETWORK = "0.0.0.0"  # noqa: S104 (that is what is tested)


@pytest.mark.slow
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
    try:
        with urllib.request.urlopen(address) as answer:  # noqa: S310 (its own address)
            return int(answer.status)
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code


@pytest.mark.slow
def test_ctrl_c_ends_it_without_a_word() -> None:
    program = subprocess.Popen(
        [sys.executable, "-m", "gammonclock", "watch", str(LOG), "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert program.stdout is not None
    address, _, _ = program.stdout.readline().partition("room ")
    with urllib.request.urlopen(f"{address}api/1/events") as events:  # noqa: S310 (its own address)
        assert events.readline().startswith(b"id: ")
        program.send_signal(signal.SIGINT)
        events.read()
    _, said = program.communicate()
    assert (program.returncode, said) == (0, "")


def test_a_source_that_is_missing_is_refused(tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    assert refused("watch", str(missing)) == (
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
        served.append((pages.get("/api/1/forecast").json()["round_by"], opens))

    monkeypatch.setattr("room.web.serve.watch_sources", watch_sources)
    click.testing.CliRunner().invoke(main, ["watch", str(LOG), "--round-by", "9:05"])
    store.close()
    assert served == [("09:05", False)]
    assert "25:00" in refused("watch", str(LOG), "--round-by", "25:00")


def test_an_address_in_use_is_refused() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as other:
        port = other.getsockname()[1]
        message = refused("watch", str(LOG), "--port", str(port))
    assert f"127.0.0.1 port {port}: " in message
    assert "choose another with --port or --host" in message


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("notes" * 1000, encoding="utf-8")
    assert "--database: " in refused("watch", str(LOG), "--port", "0", "--database", str(path))
    assert path.read_text(encoding="utf-8") == "notes" * 1000


@pytest.mark.parametrize("module", rest_slow(["starlette", "uvicorn", "segno"]))
def test_without_the_extra_it_says_what_to_install(module: str) -> None:
    """A clock is installed without it."""
    program = f"import sys; sys.modules[{module!r}] = None; from gammonclock.__main__ import main"
    command = [sys.executable, "-c", f"{program}; main(['watch', {str(LOG)!r}])"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert 'watch needs the extra "room": pip install ".[room]" in the folder' in done.stderr


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> list[tuple[object, Options, bool]]:
    """What `watch` would show: the names and settings of its sources, the options, and --open."""
    seen: list[tuple[object, Options, bool]] = []
    monkeypatch.setattr("room.sources.named.named_sources", lambda *given: given)
    monkeypatch.setattr(
        serve,
        "watch_sources",
        lambda found, options, *, opens: seen.append((found, options, opens)),
    )
    return seen


def test_without_options_watch_is_for_this_computer(
    watched: list[tuple[object, Options, bool]],
) -> None:
    assert said("watch", LOG).exit_code == 0
    assert watched == [(((str(LOG),), None, 115200), Options("127.0.0.1", 8037), False)]


def test_each_option_of_watch_is_passed_on(watched: list[tuple[object, Options, bool]]) -> None:
    place = ("--port", "0", "--host", NETWORK, "--database", "club.sqlite")
    pages = ("--open", "--code", "7kq2", "--round-by", "17:00")
    assert (
        said("watch", LOG, "COM3", *place, *pages, "--pace", "0.1", "--baud", "9600").stderr == ""
    )
    options = Options(NETWORK, 0, "club.sqlite", "7KQ2", round_by="17:00")
    assert watched == [(((str(LOG), "COM3"), 0.1, 9600), options, True)]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ((), "Missing argument 'SOURCE...'"),
        ((LOG, "--pace", "0"), "0.1<=x<=1000"),
        ((LOG, "--pace", "1001"), "0.1<=x<=1000"),
        ((LOG, "--port", "65536"), "0<=x<=65535"),
        ((LOG, "--port", "-1"), "0<=x<=65535"),
        ((LOG, "--baud", "fast"), "not a valid integer"),
    ],
)
def test_options_of_watch_that_cannot_be(arguments: tuple[str | Path, ...], why: str) -> None:
    assert why in refused("watch", *arguments)


ROOM_FILE = """
[room]
name = "open-2026"
[broker]
host = "192.168.8.2"
[database]
url = "lines.sqlite"
days = 7
[pages]
host = "0.0.0.0"
port = 8100
address = "http://192.168.8.2:8100/"
public = false
other_sites = true
delay = 60
names = "initials"
browser = "/srv/pages"
[event]
name = "Open"
begins = "2026-05-01"
[quota]
matches_per_hour = 5
[notify]
language = "da"
[publish]
language = "da"
[clocks]
red-1 = "1"
"""


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Options]:
    """What `hub` would show: the options of the room of `ROOM_FILE`, in `tmp_path`."""
    seen: list[Options] = []

    def serve_room(login: object, clocks: object, options: Options, *, opens: bool) -> None:
        assert (login, clocks, opens) == (tmp_path / "hub.toml", {"red-1": "1"}, False)
        seen.append(options)

    monkeypatch.setattr(serve, "serve_room", serve_room)
    monkeypatch.setattr("room.settings.hub.load_hub_key_file", lambda file: file)
    monkeypatch.delenv("STATE_DIRECTORY", raising=False)
    (tmp_path / "room.toml").write_text(ROOM_FILE)
    return seen


def test_a_hub_does_what_the_file_of_its_room_says(served: list[Options], tmp_path: Path) -> None:
    """Each key of it; the login lies beside it."""
    assert said("hub", "--config", tmp_path / "room.toml").stderr == ""
    assert served == [
        Options(
            NETWORK,
            8100,
            str(tmp_path / "lines.sqlite"),
            address="http://192.168.8.2:8100/",
            other_sites=True,
            public=False,
            names="initials",
            delay_s=60,
            days=7,
            quota=QuotaTable(matches_per_hour=5),
            event=RoomEvent("Open", "2026-05-01"),
            browser=Path("/srv/pages"),
            notify=NotifyTable(language="da"),
            publish=PublishTable(language="da"),
            room="open-2026",
        )
    ]


def test_the_options_of_a_hub_take_the_place_of_its_file(
    served: list[Options], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A service keeps the database in its own folder, and gives the pages their certificate."""
    (tmp_path / "cards").mkdir()
    config = (tmp_path / "room.toml").rename(tmp_path / "cards" / "other.toml")
    place = ("--config", config, "--keys", tmp_path / "hub.toml")
    options = ("--port", "0", "--host", "127.0.0.1", "--round-by", "17:00")
    monkeypatch.setenv("STATE_DIRECTORY", str(tmp_path / "state"))
    assert said("hub", *place, *options).stderr == ""
    with config.open("a") as file:
        file.write('[web]\ncertificate = "a.pem"\nkey = "b.pem"\n')
    assert said("hub", *place, *options, "--database", "my.sqlite").stderr == ""
    for option in (options[:2], options[2:4]):
        assert said("hub", *place, *option).stderr == ""
    first, second, *others = served
    assert [each.address for each in others] == ["", ""]
    assert first[:2] == second[:2] == ("127.0.0.1", 0)
    assert [first.database, second.database] == [f"{tmp_path}/state/lines.sqlite", "my.sqlite"]
    assert first.round_by == second.round_by == "17:00"
    assert first.address == second.address == ""  # that of --host and --port
    assert first.tls is None
    assert isinstance(second.tls, Tls)
    assert second.tls == (config.parent / "a.pem", config.parent / "b.pem")


def test_a_hub_that_cannot_begin_says_why(
    served: list[Options], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit code 2; a port that is none is refused at once."""

    def refuses(*_: object, opens: bool) -> None:
        raise WatchError("the address is in use")

    monkeypatch.setattr(serve, "serve_room", refuses)
    config = ("hub", "--config", tmp_path / "room.toml")
    assert refused(*config) == "gammonclock: the address is in use\n"
    assert "0<=x<=65535" in refused(*config, "--port", "65536")
    assert not served
