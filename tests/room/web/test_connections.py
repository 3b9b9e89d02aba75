"""The bounds of the pages' connections."""

import asyncio
import select
import socket
import ssl
import struct
import subprocess
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from pathlib import Path
from resource import RLIM_INFINITY, RLIMIT_NOFILE, getrlimit, setrlimit
from threading import Thread
from typing import Any, TypeVar
from urllib.request import urlopen

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from lab.bench.closing import Closing
from lab.room_seeds.virtual_time import VirtualLoop
from lab.support.logs import renamed
from lab.support.paths import DATA, ROOT
from room.cards.certificates import make_authority, make_pages
from room.web import connections
from room.web.server import PageServer, Tls

T = TypeVar("T")
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
RESET = struct.pack("ii", 1, 0)  # what still waits in the system is dropped, too
SEND_BUFFER = (connections.SEND_BYTES, 2 * connections.SEND_BYTES)  # Linux tells twice as much
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


@pytest.mark.parametrize(
    ("soft", "hard", "most", "taken"),
    [
        (1024, RLIM_INFINITY, 4000, [(4384, RLIM_INFINITY)]),
        (1024, 4096, 3712, [(4096, 4096)]),
        (1024, 1024, 640, []),
        (100, 400, 64, [(400, 400)]),  # some there have to be
        (8192, 8192, 4000, []),
        (RLIM_INFINITY, RLIM_INFINITY, 4000, []),
    ],
)
def test_descriptors_are_taken_for_connections(
    soft: int,
    hard: int,
    most: int,
    taken: list[tuple[int, int]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As many as the system allows; a program that may have more keeps them."""
    sets = list[tuple[int, int]]()
    monkeypatch.setattr("resource.getrlimit", lambda _: (soft, hard))
    monkeypatch.setattr("resource.setrlimit", lambda _, limits: sets.append(limits))
    assert (connections.most_connections(), sets) == (most, taken)


class Line(asyncio.Transport):
    """The server's end of a client's connection: what asyncio makes of all that a client does."""

    def __init__(self, server: uvicorn.Server, address: str) -> None:
        self.socket = socket.socket()
        super().__init__({"peername": (address, 1), "socket": self.socket})
        self._loop = asyncio.get_running_loop()
        self._begun_s, self._is_stalled = self._loop.time(), False
        self.parts, self.ended = 0, self._loop.create_future()
        self._protocol = connections.Connection(server.config, server.server_state, {})
        self._protocol.connection_made(self)

    def do(self, deed: bytes | str) -> None:
        """Do what a client does: send bytes, or what a word says."""
        if self.is_closing():
            return
        if isinstance(deed, bytes):
            self._protocol.data_received(deed)
        elif deed == "goes":
            self.abort()
        else:
            self._is_stalled = deed == "stalls"
            (self._protocol.pause_writing if self._is_stalled else self._protocol.resume_writing)()

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.parts += bytes(data).count(b"part")

    def is_closing(self) -> bool:
        return self.ended.done()

    def close(self) -> None:
        if not self._is_stalled:  # else it waits for its reader
            self.abort()

    def abort(self) -> None:
        if self.ended.done():
            return
        is_reset = self.socket.getsockopt(socket.SOL_SOCKET, socket.SO_LINGER, 8) == RESET
        self.ended.set_result((round(self._loop.time() - self._begun_s, 3), is_reset))
        self._loop.call_soon(self._lose)

    def _lose(self) -> None:
        self._protocol.connection_lost(None)
        self.socket.close()

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...


async def answer_in_parts(scope: Scope, receive: Receive, send: Send) -> None:
    """Ten parts in a hundred seconds, or one when the request has come, or one before that."""
    while scope["path"] != "/early" and (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200})
    for _ in range(10 if scope["path"] == "/events" else 0):
        await send({"type": "http.response.body", "body": b"part", "more_body": True})
        await asyncio.sleep(10)
    await send({"type": "http.response.body", "body": b"part"})


def at_the_door(test: Callable[[uvicorn.Server], Coroutine[Any, Any, None]], most: int) -> None:
    """Run a test in virtual time; all who came have to have gone in the end."""
    config = connections.Config(answer_in_parts, log_config=None, lifespan="off")
    config.door = connections.Door(most)
    server = uvicorn.Server(config)
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        runner.run(test(server))
        loop = runner.get_loop()
        assert isinstance(loop, VirtualLoop)
        assert not loop.errors
    assert (config.door._open, config.door._half) == ({}, {})
    assert not server.server_state.connections


CLOSES = b"Connection: close\r\n"
BAD_CHUNK = b"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nno\r\n"
EARLY = NO_BODY.replace(b"/practice/clocks", b"/early")
EVENTS = WHOLE.replace(b"/health", b"/events")
EVENTS_S = 100 + 5  # until a connection on which nothing is asked any more is closed


@pytest.mark.parametrize(
    ("deeds", "ended_s", "parts", "is_reset"),
    [
        # What a client does at which second; when it is closed, what it got, and if that was all.
        ([], 10, 0, False),
        ([(1, NO_HEAD)], 10, 0, False),
        ([(0, b"G"), (4, b"E"), (8, b"T")], 10, 0, False),
        ([(2, NO_BODY)], 10, 0, False),
        ([(2, b"no HTTP\r\n\r\n")], 2, 0, False),
        ([(9, WHOLE)], 14, 1, False),
        ([(1, NO_BODY), (9, b"       }")], 14, 1, False),
        ([(0, WHOLE), (4, NO_HEAD)], 14, 1, False),
        ([(0, WHOLE), (4, WHOLE), (8, NO_BODY), (17, b"       }")], 22, 3, False),
        ([(3, WHOLE + NO_HEAD)], 8, 1, False),
        ([(3, WHOLE + NO_BODY)], 13, 1, False),
        ([(3, WHOLE + NO_BODY), (12, b"       }")], 17, 2, False),
        ([(3, WHOLE + BAD_CHUNK)], 3, 1, False),
        ([(3, EARLY)], 8, 1, False),
        ([(3, EARLY), (7, b" "), (9, b" ")], 10, 1, False),
        ([(3, EARLY.replace(b"Host", CLOSES + b"Host"))], 3, 1, False),
        ([(0, EVENTS)], EVENTS_S, 11, False),
        ([(0, EVENTS), (5, NO_HEAD)], EVENTS_S, 11, False),
        ([(1, "goes")], 1, 0, False),
        ([(0, EVENTS), (12, "goes")], 12, 2, False),
        ([(0, EVENTS), (1, "stalls")], 31, 1, True),
        ([(0, EVENTS), (1, "stalls"), (30, "takes")], EVENTS_S + 20, 11, False),
        ([(0, EVENTS), (1, "stalls"), (30, "takes"), (35, "stalls")], 65, 2, True),
        ([(0, EVENTS), (1, "stalls"), (2, "goes")], 2, 1, False),
    ],
)
def test_a_client_is_closed_when_it_is_too_slow(
    deeds: list[tuple[float, bytes | str]], ended_s: float, parts: int, is_reset: bool
) -> None:
    """One that comes after it has gone is treated as it was; one beside it is refused."""

    async def run(server: uvicorn.Server) -> None:
        loop = asyncio.get_running_loop()
        for _ in range(2):
            line, refused = Line(server, "a"), Line(server, "a")
            for at_s, deed in deeds:
                loop.call_at(loop.time() + at_s, line.do, deed)
            assert await refused.ended == (0, False)
            assert (*await line.ended, line.parts) == (ended_s, is_reset, parts)
            await asyncio.sleep(3600)  # nothing is left that happens later

    at_the_door(run, most=2)


def test_a_half_sent_request_makes_room_for_another_connection() -> None:
    """One that has come whole does not, and none does for an address that has half of all."""

    async def run(server: uvicorn.Server) -> None:
        oldest, reader, half = (Line(server, address) for address in "aab")
        reader.do(EVENTS)
        assert reader.socket.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF) in SEND_BUFFER
        others = [Line(server, address) for address in "bab"]
        closed = [line.is_closing() for line in (oldest, reader, half, *others)]
        assert closed == [False, False, False, False, True, True]
        newest = Line(server, "c")
        closed = [line.is_closing() for line in (oldest, reader, half, *others, newest)]
        assert closed == [True, False, False, False, True, True, False]
        for line in (half, others[0], newest, reader):
            line.do(WHOLE)
        assert Line(server, "c").is_closing()
        assert await reader.ended == (EVENTS_S, False)
        last = Line(server, "c")
        assert await last.ended == (10, False)

    at_the_door(run, most=4)


def test_the_oldest_half_sent_requests_of_an_address_make_room() -> None:
    """Those of another address stay, and each makes room once."""

    async def run(server: uvicorn.Server) -> None:
        other = Line(server, "b")
        lines = [Line(server, "a") for _ in range(connections.HALF_SENT + 3)]
        assert [line.is_closing() for line in lines] == [True] * 3 + [False] * connections.HALF_SENT
        assert await other.ended == (10, False)

    at_the_door(run, most=1000)


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
        self.server.config.timeout_keep_alive = WAIT_S
        self.thread = Thread(target=self.server.run, args=([self.listening],))
        self.thread.start()

    def silent(self, own: str = "127.0.0.1") -> socket.socket:
        connection = socket.create_connection(("127.0.0.1", self.port), source_address=(own, 0))
        connection.settimeout(WAIT_S)
        return connection

    @contextmanager
    def asking(self) -> Iterator[Callable[[], None]]:
        """What asks over a connection; it has asked once, with the end of the handshake."""
        coming, going = ssl.MemoryBIO(), ssl.MemoryBIO()
        tls = self.trusting.wrap_bio(coming, going, server_hostname="localhost")
        with self.silent() as connection:

            def until_done(work: Callable[[], T]) -> T:
                while True:
                    with suppress(ssl.SSLWantReadError):
                        return work()
                    connection.sendall(going.read())
                    came = connection.recv(4096)
                    assert came
                    coming.write(came)

            def ask() -> None:
                tls.write(WHOLE.replace(b"/health", b"/"))
                while not until_done(partial(tls.read, 4096)).endswith(b"secure"):
                    pass

            until_done(tls.do_handshake)
            ask()
            yield ask

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


def test_connections_that_are_secure_stay(secure: Secure) -> None:
    """One address may have half of all, and more than those that may be half-sent."""
    with ExitStack() as ending:
        asking = [ending.enter_context(secure.asking()) for _ in range(FEW // 2)]
        for ask in asking:
            ask()
        assert ending.enter_context(secure.silent()).recv(1) == b""


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
