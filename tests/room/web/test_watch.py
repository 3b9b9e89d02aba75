"""The program that serves the pages, in this process: its addresses, its start and its end.

Its pages are asked for as a director does who opens the address that is printed.
"""

import json
import queue
import socket
import ssl
import sys
import webbrowser
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from http.server import BaseHTTPRequestHandler
from itertools import product
from pathlib import Path
from socketserver import TCPServer
from typing import Any
from urllib.parse import urlsplit

import pytest
import segno

from lab.support.paths import DATA
from room.boards.effects import NewLine
from room.broker.lookout import Lookout, RoomTakenError
from room.broker.source import Mqtt
from room.broker.topics import HubState, decode
from room.cards.certificates import make_authority, make_pages
from room.hub.hub import Hub
from room.hub.room_event import RoomEvent
from room.hub.store.store import Store
from room.hub.store.tables import FIRST_DAY
from room.lines.backlog import Backlog
from room.lines.events import Emit, LinesRead, Place, RoomTaken, Source, SourceEvent
from room.lines.inbox import Verdict
from room.settings.hub import Broker, HubKeyFile
from room.settings.room import Names, PublishTable
from room.settings.tables import NotifyTable
from room.sources.hall import Hall
from room.sources.raw_clock import now_ns
from room.web import serve
from room.web.access import Access
from room.web.server import Tls
from room.web.watch import (
    SWITCH_S,
    Options,
    Watch,
    WatchError,
    access_of,
    listen,
    own_address,
    page_address,
)

LOG = tuple((DATA / "ebf.jsonl").read_bytes().splitlines())
MATCH = "play-1"
BOARD = Place("port", "/dev/ttyUSB0", is_file=False)
OTHER = "the hub on table-5 has this room"
NETWORK = "0.0.0.0"  # noqa: S104 (that is what is tested)
TOKEN = "kGq8fT2yVb1nLw0x"  # noqa: S105 (of tests)
WAIT_S, MOST_TICKS = 30, 6  # one each ten seconds
FLAG_FELL = 108  # lines of the log, until a player is asked whether they claim
DAY = FIRST_DAY + 100
NOW = datetime(2026, 5, 1, tzinfo=UTC)
KEYS = HubKeyFile(
    room="open-2026",
    token=TOKEN,
    master_key="00" * 32,
    broker=Broker(host="127.0.0.1", port=9, ca="-", password="p" * 16),
)


TRUSTING = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
TRUSTING.check_hostname, TRUSTING.verify_mode = False, ssl.CERT_NONE


class Reader:
    """A program that opens pages under an address, which may have the director's token."""

    def __init__(self, address: str) -> None:
        self.address, _, query = address.partition("?")
        self.token = query.removeprefix("token=")
        self._port = urlsplit(address).port

    def open(self, path: str, token: str = "", host: str = "localhost") -> HTTPResponse:
        """Begin to read a page that is asked for under a name."""
        connection: HTTPConnection
        if self.address.startswith("https"):
            connection = HTTPSConnection("127.0.0.1", self._port, timeout=WAIT_S, context=TRUSTING)
        else:
            connection = HTTPConnection("127.0.0.1", self._port, timeout=WAIT_S)
        headers = {"host": host, "connection": "close", "authorization": f"Bearer {token}"}
        connection.request("GET", f"/{path}", headers=headers)
        return connection.getresponse()

    def read(self, path: str) -> Any:
        """Return a JSON document, as the director."""
        with self.open(path, self.token) as answer:
            return json.load(answer)


Visit = Callable[[Reader, Emit], object]


class Visited:
    """A source whose lines come while somebody reads the pages; then another hub takes the room."""

    def __init__(self, visit: Visit, opened: "queue.Queue[str]") -> None:
        self._visit, self._opened = visit, opened
        self._reader = ThreadPoolExecutor(1)
        self.visited: Future[object] = Future()
        self.is_closed = False
        self.last: SourceEvent | None = None  # what comes while it is closed

    def start(self, emit: Emit) -> None:
        self._emit = emit
        self.visited = self._reader.submit(self._run, emit)

    def _run(self, emit: Emit) -> None:
        try:
            self._visit(Reader(self._opened.get(timeout=WAIT_S)), emit)
        finally:
            emit(RoomTaken(BOARD, OTHER))
            self._reader.shutdown(wait=False)

    def close(self) -> None:
        if self.last is not None:
            self._emit(self.last)
        self.is_closed = True


Serving = Callable[[Visit], Visited]


@pytest.fixture
def visited(monkeypatch: pytest.MonkeyPatch) -> Iterator[Serving]:
    """Makes the source of a hub, whose pages are opened in a browser that tells the address."""
    opened: queue.Queue[str] = queue.Queue()
    monkeypatch.setattr(webbrowser, "open", opened.put)
    interval = sys.getswitchinterval()
    yield lambda visit: Visited(visit, opened)
    sys.setswitchinterval(interval)


def serve_until_taken(source: Visited, options: Options, *others: Source) -> None:
    """Serve until another hub takes the room, and say whether the visit found what it should."""
    with pytest.raises(WatchError, match=OTHER):
        serve.watch_sources([*others, source], options, opens=True)
    source.visited.result(WAIT_S)
    assert source.is_closed


def lines(first: int, end: int) -> SourceEvent:
    return LinesRead(BOARD, MATCH, LOG[first:end], now_ns(), live=True)


def test_a_hub_follows_its_sources_until_it_ends(
    visited: Serving,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Its pages show what comes, files are published; at the end it keeps what has just come."""
    monkeypatch.setattr("room.hub.hub.REFRESH_S", 3600)  # each line wakes it
    database, folder = tmp_path / "hub.sqlite", tmp_path / "pages"
    (tmp_path / "files.json").touch()  # of the browser's pages: they are made
    options = Options(
        port=0,
        browser=tmp_path,
        database=database,
        event=RoomEvent("Club night"),
        room="club",
        round_by="17:00",
        publish=PublishTable(folder=str(folder)),
    )

    def visit(pages: Reader, emit: Emit) -> None:
        with pages.open("api/1/events") as events:
            emit(lines(0, 9))
            said = b""
            while MATCH.encode() not in said and said.count(b"event: tick") < MOST_TICKS:
                said += events.readline()
            assert b'"room":"club"' in said
            assert MATCH in [each["match"] for each in pages.read("api/1/boards")["boards"]]
            assert pages.read("api/1/results")["event"]["name"] == "Club night"
            assert pages.read("api/1/forecast")["round_by"] == "17:00"
            assert pages.open("wall", host="club.example").status == 400
            assert pages.read("api/1/address") == {"address": "http://localhost/"}  # as asked for
            assert pages.open("practice").headers["location"] == "/browser/practice.html"
            while not (folder / "index.html").exists():
                pages.read("health")
            assert sys.getswitchinterval() == pytest.approx(SWITCH_S)
            assert "server" not in pages.open("wall").headers
            emit(RoomTaken(BOARD, OTHER))
            events.read()  # it ends

    hall = Hall("http://127.0.0.1:9/", now_ns)
    source = visited(visit)
    source.last = lines(9, 12)
    serve_until_taken(source, options, hall)
    assert isinstance(hall._logs.store, Store)
    out, err = capsys.readouterr()
    assert (out.splitlines()[-1], "INFO" in err) == (ENDS, False)
    with closing(Store(database)) as store:
        assert store.lines(MATCH) == list(LOG[:12])


class Phone(BaseHTTPRequestHandler):
    """Takes a notice."""

    sent: Any = None

    def do_POST(self) -> None:
        type(self).sent = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.mark.parametrize("names", ["full", "initials"])
def test_notices_are_sent_and_old_matches_deleted(
    visited: Serving, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, names: Names
) -> None:
    """A notice has the name of the room and the address of its page; players if all may know."""
    monkeypatch.setattr("room.web.watch.today", lambda: DAY)
    monkeypatch.setattr("room.hub.outbox.GATHER_NS", 0)
    monkeypatch.setattr("room.hub.notifier.LOOK_S", 0.01)
    database = tmp_path / "hub.sqlite"
    with closing(Store(database, lambda: FIRST_DAY)) as store:
        store.keep([NewLine("here", "old", 1, Verdict.STORED, LOG[0])])
    with TCPServer(("127.0.0.1", 0), Phone) as phone:
        phone.timeout = WAIT_S
        notify = NotifyTable(url=f"http://127.0.0.1:{phone.server_address[1]}/")
        options = Options(port=0, database=database, days=7, room="club", names=names)

        def visit(pages: Reader, emit: Emit) -> None:
            emit(lines(0, FLAG_FELL))
            phone.handle_request()
            sent = Phone.sent
            assert (sent["room"], sent["page"]) == ("club", f"{pages.address}room")
            assert bool(sent["notices"][0]["players"]) == (names == "full")

        serve_until_taken(visited(visit), options._replace(notify=notify))
    with closing(Store(database)) as store:
        assert (store.lines("old"), store.lines(MATCH)) == ([], list(LOG[:FLAG_FELL]))


def test_a_source_that_cannot_start_ends_the_program() -> None:
    """Rather than show pages on which nothing changes."""

    class Broken(Visited):
        def start(self, emit: Emit) -> None:
            raise RuntimeError(emit)

    with pytest.raises(SystemExit, match="3"):
        serve.watch_sources([Broken(print, queue.Queue())], Options(port=0), opens=False)


# --- addresses ---------------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["room.local", "192.168.8.9"])
def test_addresses_have_the_host_and_the_port_of_the_options(host: str) -> None:
    with listen("127.0.0.1", 0) as listening:
        port = listening.getsockname()[1]
        assert page_address(Options(host, port), listening) == f"http://{host}:{port}/"


def test_a_hub_for_the_network_has_an_address_of_this_computer() -> None:
    with listen("127.0.0.1", 0) as listening:
        host = urlsplit(page_address(Options(NETWORK, 0), listening)).hostname
    assert host not in (None, NETWORK)


def test_a_hub_without_a_network_has_the_address_that_this_computer_has(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Alone(socket.socket):
        def connect(self, _: object) -> None:
            raise OSError("Network is unreachable")

    monkeypatch.setattr(socket, "socket", Alone)
    assert own_address() == "127.0.0.1"


def test_an_address_of_ipv6_is_listened_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without asking the system for it: not each computer has one."""
    asked: list[object] = []
    monkeypatch.setattr(
        socket, "create_server", lambda *place, family: asked.extend((*place, family))
    )
    listen("::1", 8037)
    assert asked == [("::1", 8037), socket.AF_INET6]


@pytest.mark.parametrize(
    ("host", "named", "needs_token"),
    [
        ("localhost", "", False),
        ("localhost", "https://club.example/", False),
        (NETWORK, "https://club.example/", True),
    ],
)
def test_the_directors_address_has_the_token_where_it_is_needed(
    host: str, named: str, *, needs_token: bool
) -> None:
    """Where others can open the pages, and where matches are offered."""
    options = Options(host, 0, token=TOKEN, address=named)
    with listen("127.0.0.1", 0) as listening:
        watch = Watch(options, listening)
        own = f"http://localhost:{listening.getsockname()[1]}/"
        assert watch.address == (named if needs_token else own)
        secret = f"{watch.address}?token={TOKEN}"
        assert watch.director_address == (secret if needs_token else watch.address)
        watch.enable_offers(bytes(32), lambda *_: None)
        assert watch.director_address == secret
        watch.store.close()


def test_access_is_as_the_options_say(monkeypatch: pytest.MonkeyPatch) -> None:
    """One address may have a quarter of all connections as event streams, and 500 at most."""
    for most, streams in ((64, 16), (100_000, 500)):
        monkeypatch.setattr("room.web.watch.most_connections", lambda most=most: most)
        given = access_of(Options(NETWORK, token=TOKEN, public=False, other_sites=True))
        assert given == Access(
            TOKEN, public=False, other_sites=True, guarded=True, most_streams=streams
        )
    local, other = access_of(Options()), access_of(Options())
    assert not local.guarded
    assert len({local.token, other.token, ""}) == 3


# --- what the terminal says -----------------------------------------------------------------------

IS_LOCAL = "Only this computer can open them; --host 0.0.0.0 lets others in its network."
IN_MEMORY = "Lines and results are kept in memory; --database FILE keeps them."
LIGHT = {"█": (1, 1), "▀": (1, 0), "▄": (0, 1), " ": (0, 0)}  # the upper and the lower half
ENDS = "The clock at the board counts. Ctrl-C ends."


@pytest.mark.parametrize("token", ["", TOKEN])
@pytest.mark.parametrize("host", ["127.0.0.1", NETWORK])
def test_the_terminal_says_who_opens_which_page(tmp_path: Path, host: str, token: str) -> None:
    """A token that is on paper stays out of what may be a journal, unless it is needed here."""
    is_local = host != NETWORK
    for is_public, has_offers in product((False, True), repeat=2):
        database = tmp_path / "hub.sqlite" if is_public else None
        options = Options(host, 0, token=token, public=is_public, database=database)
        with listen(host, 0) as listening:
            watch = Watch(options, listening)
            if has_offers:
                watch.enable_offers(bytes(32), lambda *_: None)
            said = iter(serve._introduction(watch, options))
            address, secret = watch.address, watch.director_address
            watch.store.close()
        room = secret if (has_offers if is_local else not token) else f"{address}room"
        pages = [next(said).split("  ", 1) for _ in serve.PAGES]
        places = [f"{address}{page}" for page, _ in serve.PAGES[1:]]
        assert [place for place, _ in pages] == [room, *places]
        assert [what.strip() for _, what in pages] == [what for _, what in serve.PAGES]
        assert len({len("  ".join(page)) - len(page[1].strip()) for page in pages}) == 1  # a column
        if not is_local and token:
            assert next(said) == serve.ON_LABELS
        elif not is_local:
            assert is_code_of(next(said), secret)
            assert next(said) == serve.IN_CODE
        who = IS_LOCAL if is_local else serve.OPEN if is_public else serve.CLOSED
        assert [*said] == [who, *([] if database else [IN_MEMORY]), ENDS]


def is_code_of(drawn: str, text: str) -> bool:
    """Whether a QR code that fits a terminal has a light edge, and is that of a text."""
    rows = drawn.split("\n")
    assert len(rows) <= 24
    bits = [[LIGHT[each][half] for each in row] for row in rows for half in (0, 1)]
    edge = next(n for n, row in enumerate(bits) if not all(row))
    size = len(bits[0]) - 2 * edge
    code = [bytes(not bit for bit in row[edge : edge + size]) for row in bits[edge : edge + size]]
    assert edge > 1
    return code == [bytes(row) for row in segno.make(text, error="l").matrix]


# --- a room with a broker -------------------------------------------------------------------------


def certified(folder: Path) -> Tls:
    tls = Tls(folder / "hub.crt", folder / "hub.key")
    for path, text in zip(tls, make_pages(make_authority("open"), "localhost", NOW), strict=True):
        path.write_text(text)
    return tls


@pytest.mark.parametrize("has_certificate", [False, True])
def test_a_room_is_served_without_its_broker(
    visited: Serving, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, has_certificate: bool
) -> None:
    """With the token of the room's files; the pages say what is wrong, and what waits there."""
    tls = certified(tmp_path) if has_certificate else None
    start, rooms = Mqtt.start, list[Mqtt]()

    def visit(pages: Reader, emit: Emit) -> None:
        assert pages.token == TOKEN
        assert [pages.open("room", token).status for token in ("", TOKEN)] == [403, 200]
        while not (health := pages.read("health"))["troubles"]:
            pass
        assert "no connection to the broker" in health["troubles"][0]
        assert health["lines_waiting"] == 3
        assert pages.read("api/1/offers")["offers"] == []
        assert pages.read("api/1/address") == {"address": pages.address}
        [room] = rooms
        assert (own := decode(room.state("online"), HubState))
        assert own.address == pages.address
        assert own.name.endswith(f", port {urlsplit(own.address).port}")
        assert isinstance(getattr(room.takes, "__self__", None), Hub)

    visits = visited(visit)

    def start_and_visit(room: Mqtt, emit: Emit) -> None:
        start(room, emit)
        rooms.append(room)
        visits.start(emit)

    monkeypatch.setattr(Mqtt, "start", start_and_visit)
    monkeypatch.setattr(Mqtt, "backlog", lambda _: Backlog(3, 0))
    with pytest.raises(WatchError, match=OTHER):
        serve.serve_room(KEYS, {"red-1": "1"}, Options(NETWORK, 0, tls=tls), opens=True)
    visits.visited.result(WAIT_S)


def test_a_room_that_another_hub_has_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before a page can be opened; as are a certificate and a key that cannot be used."""

    async def look(_: Lookout) -> None:
        raise RoomTakenError(HubState("online", name="table-5"))

    monkeypatch.setattr(Lookout, "look", look)
    tls = Tls(tmp_path / "hub.crt", tmp_path / "hub.key")
    with pytest.raises(WatchError, match=r"web.*hub\.crt.*No such file"):
        serve.serve_room(KEYS, {}, Options(port=0, tls=tls), opens=False)
    for path in tls:
        path.write_text("a note")
    with pytest.raises(WatchError, match="are no certificate and its key"):
        serve.serve_room(KEYS, {}, Options(port=0, tls=tls), opens=False)
    tls = certified(tmp_path)
    with pytest.raises(WatchError, match=OTHER):
        serve.serve_room(KEYS, {}, Options(port=0, tls=tls), opens=False)
    assert capsys.readouterr().out == ""
