"""A hub whose boards and clock a test invents; it serves the real pages over HTTP.

Its clock stands still until a test moves it.
"""

import json
import queue
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from clock.text import fields
from clock.units import SECOND_NS
from room.hub.words import page_words
from room.web.page_files import page_file
from room.web.site import qr_code

NAMES = {"": "room"}  # of pages, where they are not those of their addresses
CHART = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20"><path d="M0 2 40 18"/></svg>'

Board = dict[str, Any]


def make_board(name: str, **changes: Any) -> Board:
    """Return a board on which nothing runs and nothing is wrong, with some fields changed."""
    side: dict[str, Any] = {
        "reserve_ns": 660 * SECOND_NS,
        "delay_ns": 12 * SECOND_NS,
        "flagged": False,
        "flag": None,
        "note": "",
        "reserve_off": False,
    }
    board: Board = {
        "id": name,
        "source": "/dev/ttyUSB0",
        "board": name,
        "clock": "1a2b3c4d",
        "match": f"2026-05-01T10-00-00-{name}",
        "state": "READY",
        "players": {
            "left": {"name": "Anna", "points": 3},
            "right": {"name": "Bob", "points": 5},
        },
        "length": 11,
        "legs": [0, 0],
        "best_of_three": False,
        "crawford": "before",
        "game": 5,
        "method": "simple-delay",
        "limit": "flag",
        "delay_full_ns": 12 * SECOND_NS,
        "turn": None,
        "mover": None,
        "reserves": {"left": dict(side), "right": dict(side)},
        "until_ns": None,
        "late": None,
        "says": ["ready"],
        "attention": [],
        "attention_ns": None,
        "faults": [],
        "settings_code": "QCWQ",
        "settings_expected": "QCWQ",
        "heard_ns": 0,
        "conflicts": [],
        "certain": True,
        "seq": 210,
        "head": "7KQ2-M9XT-4WDA",
        "damage": None,
        "result": None,
        "winner": None,
        "taken_out": False,
    }
    return board | changes


def running(name: str, side: str = "left", *, since_ns: int = 0, **changes: Any) -> Board:
    """Return a board on which a side's clock runs."""
    turn = {"side": side, "since_ns": since_ns, "delay_ns": 12 * SECOND_NS}
    fields = {"state": "RUNNING", "turn": turn, "mover": side, "says": []}
    return make_board(name, **(fields | changes))


def called(name: str, at_ns: int = 0, **changes: Any) -> Board:
    """Return a board whose players have called the director."""
    fields: Board = {"state": "STOPPED", "says": ["call_director", "reason_illegal_move"]}
    asks = {"attention": ["call"], "attention_ns": at_ns}
    return make_board(name, **(fields | asks | changes))


def over(name: str, **changes: Any) -> Board:
    """Return a board whose match is over."""
    ended: Board = {"state": "FINISHED", "winner": "left", "says": ["finished", "end_time"]}
    return make_board(name, **(ended | changes))


def conflicts(what: str, *names: str, agrees: bool = False) -> list[dict[str, Any]]:
    """Return that these clocks have a conflict over a board or a match, the first one first."""

    def conflict(at: int, name: str) -> dict[str, Any]:
        said = {"what": what, "lines": 210, "agrees": agrees or not at}
        return {**said, "source": f"hall/{name}", "since": f"2026-05-01T10:0{at}:00.000"}

    return [conflict(at, name) for at, name in enumerate(names)]


def with_reserve(board: Board, side: str, **changes: Any) -> Board:
    reserves = board["reserves"]
    return board | {"reserves": reserves | {side: reserves[side] | changes}}


def make_result(match: str, **changes: Any) -> dict[str, Any]:
    """Return the result of a finished match, with some fields changed."""
    result: dict[str, Any] = {
        "match": match,
        "board": "7",
        "round": 1,
        "clock": "1a2b3c4d",
        "players": {"left": "Anna", "right": "Bob"},
        "score": [11, 7],
        "length": 11,
        "winner": "left",
        "begun": "2026-05-01T10:00:00.000+02:00",
        "duration_ns": 5025 * SECOND_NS,
        "flags": [],
        "restorations": 0,
        "corrections": 0,
        "head": "7KQ2-M9XT-4WDA",
        "complete": True,
        "forks": 0,
        "damage": None,
        "end": "score",
        "source": "hall/red-7",
        "assigned": "",
        "legs": [0, 0],
        "best_of_three": False,
        "event": "",
        "named_round": "",
        "is_other": False,
        "logs": [],
        "missing": "",
        "rivals": [],
        "conflicts": [],
    }
    result |= changes
    return {"day": result["begun"][:10], **result}


class FixtureHub:
    """The state that the pages see, and the readers of its events."""

    def __init__(self) -> None:
        self.boards: dict[str, Board] = {}
        self.matches: dict[str, dict[str, Any]] = {}
        self.results: list[dict[str, Any]] = []
        self.director = False  # whether the results are read by the director
        self.event = {"name": "", "begins": ""}
        self.troubles: list[str] = []
        self.forecast: dict[str, Any] = {"ends": None, "round_by": "", "room": {}} | {
            name: [] for name in ("boards", "last", "without", "too_far")
        }
        self.files: dict[str, tuple[str, bytes]] = {}  # types and contents, instead of the pages'
        self.now_ns = 0
        self.version = "1"
        self.store = "store1"
        self.reachable = True
        self.address = ""
        self.public = "http://192.168.1.7:8037/"  # the address for other devices
        self._number = 0
        self._readers: list[queue.SimpleQueue[bytes | None]] = []
        self._lock = threading.Lock()
        self._has_reader = threading.Event()

    def put(self, *boards: Board) -> None:
        """Change boards, and tell the readers."""
        for board in boards:
            self.boards[board["id"]] = board
            self.send("board", board)

    def remove(self, name: str) -> None:
        """Forget a board, and tell the readers."""
        del self.boards[name]
        self.send("gone", {"id": name})

    def tick(self, seconds: float = 0) -> None:
        """Move the hub's clock and say it to the readers."""
        self.now_ns += round(seconds * SECOND_NS)
        self.send("tick", {"hub_ns": self.now_ns})

    def send(self, kind: str, data: Mapping[str, Any]) -> None:
        """Send an event to all readers."""
        with self._lock:
            for reader in self._readers:
                reader.put(self._event(kind, data))

    def hang_up(self) -> None:
        """Cut all connections of readers."""
        with self._lock:
            for reader in self._readers:
                reader.put(None)

    def replace(self, version: str) -> None:
        """Become another hub process, of this version, whose clock begins anew."""
        self.version, self.store, self.now_ns = version, self.store + "x", 0
        self.hang_up()

    def wait_for_reader(self) -> None:
        """Wait until a page follows the events: what is sent before reaches nobody."""
        self._has_reader.wait()

    def events(self) -> Iterator[bytes]:
        """Return what a new reader gets, until it is cut off."""
        mine: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        hello = {"version": self.version, "hub_ns": self.now_ns}
        hello |= {"said": [fields("text", each) for each in self.troubles]}
        hello |= {"troubles": [*map(str, self.troubles)]}
        with self._lock:
            mine.put(self._event("hello", hello))
            for board in self.boards.values():
                mine.put(self._event("board", board))
            self._readers.append(mine)
        self._has_reader.set()
        while (event := mine.get()) is not None:
            yield event

    def _event(self, kind: str, data: Mapping[str, Any]) -> bytes:
        self._number += 1
        name = f"{self.store}-{self._number}"
        return f"id: {name}\nevent: {kind}\ndata: {json.dumps(data)}\nretry: 50\n\n".encode()

    def answer(self, path: str, query: Mapping[str, list[str]]) -> tuple[str, bytes] | None:
        """Return the type and content of an address; None if there is none."""
        if path in self.files:
            return self.files[path]
        match path.strip("/").split("/"):
            case ["" | "room" | "wall" | "results" | "addresses" as page]:
                return _file(f"{NAMES.get(page, page)}.html")
            case ["qr", "board", name]:
                return "image/svg+xml", qr_code(f"{self.public}board/{name.removesuffix('.svg')}")
            case ["board" | "overlay" | "match" as page, _]:
                return _file(f"{page}.html")
            case ["static", *parts]:
                return _file("/".join(parts))
            case ["api", "1", *parts]:
                return self._api(parts, query)
            case _:
                return None

    def _api(self, parts: list[str], query: Mapping[str, list[str]]) -> tuple[str, bytes] | None:
        match parts:
            case ["boards"]:
                return _json({"version": self.version, "boards": list(self.boards.values())})
            case ["forecast"]:
                return _json(self.forecast)
            case ["address"]:
                return _json({"address": self.public})
            case ["clock"]:
                return _json({"hub_ns": self.now_ns})
            case ["words"]:
                return _json(page_words(query.get("lang", ["en"])[0]))
            case ["results"]:
                told = {"event": self.event, "results": self.results}
                return _json(told | {"director": self.director})
            case ["matches", match, "chart.svg"] if match in self.matches:
                return "image/svg+xml", CHART
            case ["matches", match] if match in self.matches:
                return _json(self.matches[match])
            case _:
                return None


def _file(name: str) -> tuple[str, bytes] | None:
    found = page_file(name)
    return found and (found[1], found[0])


def _json(data: object) -> tuple[str, bytes]:
    return "application/json", json.dumps(data).encode()


class _Handler(BaseHTTPRequestHandler):
    """Answers with what the hub says, under the real hub's headers."""

    hub: FixtureHub

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        path = unquote(address.path)
        if not self.hub.reachable:
            self._reply(503, "text/plain", b"")
        elif path == "/api/1/events":
            self._stream()
        elif (found := self.hub.answer(path, parse_qs(address.query))) is None:
            self._reply(404, "application/json", b"{}")
        else:
            self._reply(200, *found)

    def _reply(self, status: int, kind: str, content: bytes) -> None:
        self._headers(status, kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _stream(self) -> None:
        self._headers(200, "text/event-stream")
        self.end_headers()
        try:
            for event in self.hub.events():
                self.wfile.write(event)
        except OSError:  # the browser has gone
            return

    def _headers(self, status: int, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Cache-Control", "no-store")
        self.send_header("Content-Security-Policy", "default-src 'self'")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing: requests are no news."""


@contextmanager
def serving(hub: FixtureHub, port: int = 0) -> Iterator[FixtureHub]:
    """Serve a hub on this machine until the block ends."""
    handler = type("Handler", (_Handler,), {"hub": hub})
    server = ThreadingHTTPServer(("127.0.0.1", port), handler)
    server.daemon_threads = True
    hub.address = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        hub.hang_up()
        server.shutdown()
        server.server_close()
        thread.join()
