"""The bounds of the pages' connections."""

import asyncio
import select
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from pathlib import Path
from resource import RLIMIT_NOFILE, getrlimit, setrlimit
from threading import Thread
from urllib.request import urlopen

import pytest
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route

from lab.bench.closing import Closing
from lab.support.logs import renamed
from lab.support.paths import DATA, ROOT
from room.cards.certificates import make_authority, make_pages
from room.web import connections
from room.web.server import PageServer, Tls

WAIT_S = 60
LOG = (DATA / "ebf.jsonl").read_bytes().splitlines()
BOARDS, NEVER_READ = 200, 60  # more to send than the system keeps for a connection
FEW = 20  # connections
MANY = 3000  # descriptors: one address may have half of what is left for connections
ASKS_FOR_EVENTS = b"GET /api/1/events HTTP/1.1\r\nHost: localhost\r\n\r\n"
NO_HEAD = b"GET / HTTP/1.1\r\n"
NO_BODY = b"POST /practice/clocks HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{"
WHOLE = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
HALF_SENT, ALLOWED, KEPT_FREE = 1200, 1024, 256  # connections; descriptors
START = """
import resource, room.web.connections, runpy, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (int(sys.argv[3]), int(sys.argv[4])))
room.web.connections.REQUEST_S = float(sys.argv[2])
room.web.connections.STALLED_S = 0.5
sys.argv = ["gammonclock", "watch", sys.argv[1], "--port", "0"]
runpy.run_module("gammonclock", run_name="__main__")
"""


class Pages(Closing):
    """A program that serves pages, with few descriptors."""

    def __init__(
        self, folder: Path, head_s: str, boards: int = 0, allowed: int = ALLOWED, begins: int = 0
    ) -> None:
        (folder / "logs").mkdir()
        for board in range(boards):
            log = folder / "logs" / f"2026-01-01T00-00-00-{board}.jsonl"
            log.write_bytes(b"".join(line + b"\n" for line in renamed(LOG, f"m{board}")))
        self._ending, self.said = ExitStack(), folder / "said"
        soft, hard = getrlimit(RLIMIT_NOFILE)
        setrlimit(RLIMIT_NOFILE, (min(4096, hard), hard))
        self._ending.callback(setrlimit, RLIMIT_NOFILE, (soft, hard))
        with self.said.open("wb") as said:
            limits = str(begins or allowed), str(allowed)
            command = [sys.executable, "-c", START, str(folder / "logs"), head_s, *limits]
            program = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=said)
        self._ending.callback(program.communicate)
        self._ending.callback(program.terminate)
        assert program.stdout is not None
        self.address = program.stdout.readline().decode().partition("room")[0]
        self.descriptors = Path(f"/proc/{program.pid}/fd")

    def send(self, request: bytes) -> socket.socket:
        """Send this over a connection of its own, whose system keeps little of the answer."""
        port = int(self.address.rpartition(":")[2].strip("/"))
        sender = socket.socket()
        self._ending.callback(sender.close)
        sender.settimeout(WAIT_S)
        sender.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        sender.connect(("127.0.0.1", port))
        sender.sendall(request)
        return sender

    def close(self) -> None:
        self._ending.close()


def test_a_request_that_has_come_whole_makes_no_room_for_another_connection() -> None:
    """Those that are half-sent do; what has ended makes room, too."""
    door, connection = connections.Door(2), asyncio.Transport()
    for address in "ab":
        assert door.enter(address)
        door.begin_request(address, connection)
        door.end_request(address, connection)
    assert not door.enter("c")
    door.leave("a")
    assert door.enter("c")


@pytest.mark.slow
def test_half_sent_requests_take_no_page_away(tmp_path: Path) -> None:
    with Pages(tmp_path, "3600") as pages:
        for _ in range(HALF_SENT):
            pages.send(NO_HEAD)
        with urlopen(f"{pages.address}api/1/boards", timeout=WAIT_S) as answer:  # noqa: S310
            assert answer.status == 200
        assert len(list(pages.descriptors.iterdir())) <= ALLOWED - KEPT_FREE
    assert pages.said.stat().st_size < 10_000


@pytest.mark.slow
def test_a_request_has_to_come_whole_in_time(tmp_path: Path) -> None:
    with Pages(tmp_path, "0.1") as pages:
        for half, begin in ((NO_HEAD, b""), (NO_BODY, b""), (WHOLE + NO_BODY, b"HTTP/1.1 200")):
            sender = pages.send(half)
            answer = b"".join(iter(partial(sender.recv, 4096), b""))
            assert answer.startswith(begin)
            assert b"\r\nHTTP/1.1" not in answer


@pytest.mark.slow
def test_readers_that_never_read_are_dropped(tmp_path: Path) -> None:
    with Pages(tmp_path, "3600", boards=BOARDS, allowed=MANY) as pages:
        silent = [pages.send(ASKS_FOR_EVENTS) for _ in range(NEVER_READ)]
        with urlopen(f"{pages.address}api/1/events", timeout=WAIT_S) as events:  # noqa: S310
            told = (line for line in events if line == b"event: board\n")
            assert len(list(islice(told, BOARDS))) == BOARDS
        with urlopen(f"{pages.address}api/1/boards", timeout=WAIT_S) as answer:  # noqa: S310
            assert answer.status == 200
        for reader in silent:
            ended = select.poll()
            ended.register(reader, 0)
            assert ended.poll(WAIT_S * 1000), "it stays"


@pytest.mark.slow
@pytest.mark.parametrize(("allowed", "streams"), [(ALLOWED, 160), (MANY, 500)])
def test_an_address_that_has_many_event_streams_is_told_so(
    tmp_path: Path, allowed: int, streams: int
) -> None:
    """And its other pages go on: a program takes the descriptors that it may have."""
    with Pages(tmp_path, "3600", allowed=allowed, begins=ALLOWED) as pages:
        answers = [pages.send(ASKS_FOR_EVENTS).recv(12) for _ in range(streams + 1)]
        assert answers == [b"HTTP/1.1 200"] * streams + [b"HTTP/1.1 429"]
        with urlopen(f"{pages.address}api/1/boards", timeout=WAIT_S) as answer:  # noqa: S310
            assert answer.status == 200


# --- https --------------------------------------------------------------------------------------


class Secure:
    """Pages under https, of which one address may have two connections that are not secure yet."""

    def __init__(self, folder: Path) -> None:
        authority = make_authority("open-2026")
        tls = Tls(folder / "hub.crt", folder / "hub.key")
        for path, text in zip(
            tls, make_pages(authority, "localhost", datetime.now(UTC)), strict=True
        ):
            path.write_text(text, encoding="ascii")
        self.trusting = ssl.create_default_context(cadata=authority.certificate)
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.port = int(self.listening.getsockname()[1])
        page = Route("/", lambda _: Response("secure"))
        self.server = PageServer(Starlette(routes=[page]), ending_s=1, lifespan=False, tls=tls)
        self.thread = Thread(target=self.server.run, args=([self.listening],))
        self.thread.start()

    def silent(self, own: str = "127.0.0.1") -> socket.socket:
        connection = socket.create_connection(("127.0.0.1", self.port), source_address=(own, 0))
        connection.settimeout(WAIT_S)
        return connection

    def close(self) -> None:
        self.server.should_exit = True
        self.thread.join()


@pytest.fixture
def secure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Secure]:
    """Pages under https, which wait for a long time."""
    monkeypatch.setattr(connections, "HALF_SENT", 2)
    monkeypatch.setattr(connections, "REQUEST_S", 3600.0)
    monkeypatch.setattr("room.web.server.most_connections", lambda: FEW)
    served = Secure(tmp_path)
    yield served
    served.close()


def test_connections_that_are_not_secure_yet_are_counted(secure: Secure) -> None:
    other = secure.silent("127.0.0.2")
    with other, secure.silent() as oldest, secure.silent(), secure.silent():
        assert oldest.recv(1) == b""
        assert not select.select([other], [], [], 0)[0]  # another address has its own
        with urlopen(f"https://localhost:{secure.port}/", context=secure.trusting) as answer:
            assert answer.read() == b"secure"


def test_a_connection_has_to_be_secure_in_time(
    secure: Secure, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the head of a request has to come in time; http is no TLS, ends at once and frees all."""
    for _ in range(FEW):
        with secure.silent() as plain:
            plain.sendall(b"GET / HTTP/1.1\r\n\r\n")
            assert plain.recv(64)[:1] != b"H"
    with urlopen(f"https://localhost:{secure.port}/", context=secure.trusting) as answer:
        assert answer.read() == b"secure"
    monkeypatch.setattr(connections, "REQUEST_S", 0.1)
    with secure.silent() as late:
        assert late.recv(1) == b""
