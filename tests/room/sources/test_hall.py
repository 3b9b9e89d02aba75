"""Another hub as a source."""

import threading
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import SimpleQueue
from typing import TypeVar

import msgspec
import pytest

from clock.units import SECOND_NS
from room.lines.events import EarlierLinesRead, HallBoard, SourceEvent, TroubleChanged
from room.lines.inbox import Point
from room.sources import hall_logs
from room.sources.hall import SILENCE_NS, Hall
from room.sources.hall_client import HallClient, HallError, HallEvent
from room.sources.hall_logs import AGAIN_NS, UNDER_WAY_NS, HallLog

KindT = TypeVar("KindT")


class Hub(HallClient):
    """A hub of the test, which answers what it is given."""

    def __init__(self) -> None:
        super().__init__("https://hub-2:8037/?token=t")
        self.answers: dict[str, object] = {"/api/1/boards": {"boards": []}}
        self.sent: list[HallEvent] = []

    def get(self, path: str) -> bytes:
        found = self.answers[path]
        return found if isinstance(found, bytes) else msgspec.json.encode(found)

    def events(self, latest: str) -> Iterator[HallEvent]:  # noqa: ARG002
        yield from self.sent


class Kept:
    """What is kept of the logs."""

    def __init__(self) -> None:
        self.latest_lines: dict[tuple[str, str], Point] = {}
        self.results: set[tuple[str, str]] = set()

    def latest_line(self, match: str, source: str) -> Point:
        return self.latest_lines.get((source, match), Point())

    def has_result(self, match: str, source: str) -> bool:
        return (source, match) in self.results


class Followed:
    """A hall that is followed, with a time and what it emits."""

    def __init__(self) -> None:
        """Hear of it first at 1 s of the raw clock."""
        self.now_ns, self.hub, self.kept = 10**9, Hub(), Kept()
        self.emitted: list[SourceEvent] = []
        self.hall = Hall("https://hub-2:8037/", lambda: self.now_ns, self.hub)
        self.hall.keep_in(self.kept)
        self.hall._emit = self.emitted.append

    def hear(self, kind: str, store: str = "a", **data: object) -> list[HallBoard]:
        """Handle an event; return the boards that were emitted since the last call."""
        self.hall.handle(HallEvent(f"{store}-1", kind, msgspec.json.encode(data)))
        return self.drain()

    def drain(self) -> list[HallBoard]:
        """Return the boards that were emitted since the last call."""
        found = [each for each in self.emitted if isinstance(each, HallBoard)]
        self.emitted.clear()
        return found

    def missing(self, *logs: HallLog) -> list[HallLog]:
        """Return which of the logs of the hub are to be read now, and read them."""
        self.hub.answers["/api/1/logs"] = {"logs": logs}
        found = []
        for log in self.hall._logs.missing():
            path = f"/api/1/matches/{log.match}/log?source=r%2F{log.source.removeprefix('r/')}"
            self.hub.answers[path] = b"line\n"
            self.kept.latest_lines["@room/" + log.source, log.match] = Point(log.seq, log.hash)
            self.hall._logs._read(log, self.emitted.append)
            found.append(log)
        return found


@pytest.fixture
def followed(monkeypatch: pytest.MonkeyPatch) -> Followed:
    """A hall with the board 7, at which a match is played; what never comes is looked for once."""
    monkeypatch.setattr(hall_logs, "KEEP_S", hall_logs.LOOK_S)
    followed = Followed()
    followed.hear("hello", hub_ns=300, room="room", version="1")
    followed.hear("board", id="7", account="r/red-7", source="red-7")
    return followed


@pytest.mark.rule("R146")
def test_boards_are_those_of_the_hub_itself(followed: Followed) -> None:
    """With its time; what it shows of a third hall is not repeated. A new hub may lack some."""
    followed.hear("board", id="8", board="A8", account="r/red-8")
    (eight,) = followed.hear("board", id="8", board="A8", account="r/red-8")
    assert eight.place[:2] == ("@room/r/red-8", "room: r/red-8")
    assert (eight.place.hint, eight.place.hall) == ("A8", "room")
    assert eight.offset_ns == 10**9 - 300
    assert followed.hear("board", id="x-9", account="@x/r/9", hall="x") == []
    followed.hub.answers["/api/1/boards"] = {"boards": [{"id": "8"}]}
    (gone,) = followed.hear("hello", store="b", hub_ns=5, room="room")
    assert (gone.place.hint, gone.shown) == ("7", b"")
    gone, other = followed.hear("board", store="b", id="8", account="r/blue-8")
    assert (gone.place.key, gone.shown, other.place.key) == ("@room/r/red-8", b"", "@room/r/blue-8")
    assert other.offset_ns == 10**9 - 5
    followed.hear("hello", store="c", hub_ns=5)
    assert followed.hear("board", id="8")[0].place.key == "@hub-2:8037/8"


@pytest.mark.rule("R146")
def test_what_could_not_be_handled_is_as_new_when_it_comes_again(followed: Followed) -> None:
    """R146: a new hub is asked for its boards until it answers; those that it lacks are gone."""
    latest, followed.hub.answers["/api/1/boards"] = followed.hall._latest, b"{"
    for kind in ("hello", "board", "gone"):  # the last two lack what they tell of
        with pytest.raises(msgspec.DecodeError):
            followed.hear(kind, store="b", hub_ns=5, room="room")
        assert (followed.hall._latest, followed.drain()) == (latest, [])
    followed.hub.answers["/api/1/boards"] = {"boards": []}
    (gone,) = followed.hear("hello", store="b", hub_ns=5, room="room")
    assert (gone.place.hint, gone.shown) == ("7", b"")


@pytest.mark.rule("R146")
def test_what_is_wrong_with_a_hub_is_what_it_says_last(followed: Followed) -> None:
    """R146: also if it, or the next one, says so with its greeting alone."""
    told = list[str]()
    for kind, troubles in (
        ("troubles", ["disk", "card"]),
        ("hello", []),
        ("hello", ["disk"]),
        ("troubles", []),
    ):
        data = msgspec.json.encode({"hub_ns": 5, "room": "room", "troubles": troubles})
        followed.hall.handle(HallEvent("b-1", kind, data))
        (changed,) = [each for each in followed.emitted if isinstance(each, TroubleChanged)]
        told.append(changed.what)
        followed.emitted.clear()
    assert told == ["room: disk; room: card", "", "room: disk", ""]


@pytest.mark.rule("R146")
def test_a_hall_that_is_not_heard_says_so_until_it_is(followed: Followed) -> None:
    followed.now_ns += 15 * SECOND_NS - 1
    followed.hall.notice_silence()
    assert followed.drain() == []
    followed.now_ns += 1
    followed.hall.notice_silence()
    followed.hall.notice_silence()
    assert [each.silent_ns for each in followed.drain()] == [10**9]
    assert [each.silent_ns for each in followed.hear("tick", hub_ns=10**9)] == [None]
    followed.now_ns += 10 * SECOND_NS
    assert followed.hear("tick", hub_ns=10**9) == []
    followed.now_ns += 10 * SECOND_NS
    followed.hall.notice_silence()
    assert followed.drain() == []
    assert followed.hear("tick", hub_ns=10**9) == []
    heard_ns, followed.now_ns = followed.now_ns, followed.now_ns + 15 * SECOND_NS
    followed.hall.notice_silence()
    assert [each.silent_ns for each in followed.drain()] == [heard_ns]


@pytest.mark.rule("R146")
def test_a_log_is_read_until_it_is_kept_with_its_result(followed: Followed) -> None:
    """At once when its match is over, now and then before; none that cannot be kept, for ever."""
    playing = HallLog("r/red-7", "m", 3, "h3")
    assert followed.missing(playing) == [playing]
    longer = HallLog("r/red-7", "m", 4, "h4")
    assert followed.missing(longer) == []
    followed.now_ns += UNDER_WAY_NS
    assert followed.missing(longer) == [longer]
    followed.now_ns += UNDER_WAY_NS
    assert followed.missing(longer) == []  # it is kept as far as it goes
    followed.emitted.clear()
    over = HallLog("r/red-7", "m", 4, "h4", "7", has_result=True)
    assert followed.missing(over) == [over]
    (read,) = [each for each in followed.emitted if isinstance(each, EarlierLinesRead)]
    assert (read.is_whole, read.lines, read.place.hint) == (True, (b"line",), "7")
    assert followed.missing(over) == []
    followed.now_ns += AGAIN_NS
    assert followed.missing(over) == [over]  # still without a result here
    followed.kept.results.add(("@room/r/red-7", "m"))
    followed.now_ns += AGAIN_NS
    assert followed.missing(over) == []
    followed.hear("board", id="6", board="six", account="r/red-6")
    logs = [HallLog(f"r/red-{n}", "m", 1, "h", "of its result") for n in (6, 7, 8)]
    assert [followed.hall.place(log).hint for log in logs] == ["six", "7", "of its result"]


@pytest.mark.rule("R146")
@pytest.mark.parametrize(
    ("seq", "has_result", "waits"),
    [(4, True, 0), (3, True, 0), (2, True, 1), (3, False, 1)],
)
def test_a_log_that_grows_meanwhile_holds_up_no_other(
    followed: Followed, monkeypatch: pytest.MonkeyPatch, seq: int, has_result: bool, waits: int
) -> None:
    """R146: the next one is read as soon as this one is kept, not two seconds later."""
    waited: list[float] = []
    monkeypatch.setattr(followed.hall._logs._stopping, "wait", waited.append)
    followed.hub.answers["/api/1/matches/m/log?source=r%2Fred-7"] = b"line\n"
    followed.kept.latest_lines["@room/r/red-7", "m"] = Point(seq, "h")
    followed.kept.results |= {("@room/r/red-7", "m")} if has_result else set()
    log = HallLog("r/red-7", "m", 3, "h3", has_result=True)
    followed.hall._logs._read(log, followed.emitted.append)
    assert (len(followed.emitted), len(waited)) == (1, waits)


@pytest.mark.rule("R146")
def test_a_log_is_whole_when_its_own_hub_has_the_result(followed: Followed) -> None:
    """R146: not when a hub that has just started shows no board: that would end a match too soon.

    With a result that is not that of the end, the end would never be read.
    """
    followed.hear("hello", store="b", hub_ns=5, room="room")
    followed.missing(HallLog("r/red-7", "m", 3, "h3"))
    (read,) = followed.emitted
    assert isinstance(read, EarlierLinesRead)
    assert not read.is_whole


class Site(ThreadingHTTPServer):
    """Another hub's pages: answers by path, and a stream of events that the test lets go on."""

    def __init__(self) -> None:
        """Listen; nothing is there yet."""
        super().__init__(("127.0.0.1", 0), _Answering)
        self.address = f"127.0.0.1:{self.server_port}"
        self.answers: dict[str, tuple[int, bytes]] = {}
        self.asked: SimpleQueue[tuple[str, str | None, str | None]] = SimpleQueue()
        self.stream: SimpleQueue[bytes] = SimpleQueue()  # an empty part ends the connection
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def send(self, *events: tuple[str, str, object]) -> None:
        """Send events in the stream."""
        for id_, kind, data in events:
            text = msgspec.json.encode(data).decode()
            self.stream.put(f"id: {id_}\nevent: {kind}\ndata: {text}\n\n".encode())


class _Answering(BaseHTTPRequestHandler):
    server: Site

    def do_GET(self) -> None:
        """Answer with what the test has put there; the stream is the rest."""
        latest, token = self.headers["Last-Event-ID"], self.headers["Authorization"]
        found = self.server.answers.get(self.path)
        self.server.asked.put((self.path, latest, token))
        self.send_response(found[0] if found else 200)
        if found:
            self.send_header("Content-Length", str(len(found[1])))
        self.end_headers()
        if found:
            self.wfile.write(found[1].removesuffix(b"CUT"))
            return
        while part := self.server.stream.get():
            self.wfile.write(part)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as listening:
        yield listening
        listening.stream.put(b"")
        listening.shutdown()


@pytest.mark.rule("R146")
def test_a_hall_is_followed_over_the_network(
    site: Site, followed: Followed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R146: its boards and logs come, also after a silence, a refusal and another hub."""
    monkeypatch.setattr(hall_logs, "SOON_S", 0)
    monkeypatch.setattr(hall_logs, "RETRY_S", 0.01)
    monkeypatch.setattr("room.sources.hall.FIRST_RETRY_S", 0.001)
    told: SimpleQueue[SourceEvent] = SimpleQueue()

    def next_of(kind: type[KindT]) -> KindT:
        while not isinstance(found := told.get(timeout=60), kind):
            pass
        return found

    logs = [{"source": "r/7", "match": "m n", "seq": 1, "hash": "h"}]
    site.answers["/api/1/logs"] = 200, msgspec.json.encode({"logs": logs})
    site.answers["/api/1/matches/m%20n/log?source=r%2F7"] = 200, b"one\ntwo\nhalf"
    hall = Hall(f"http://{site.address}/?token=t", lambda: followed.now_ns)
    hall.keep_in(followed.kept)
    hall._logs.look_soon()  # in vain, before it is known
    hall.start(told.put)
    assert site.asked.get(timeout=60) == ("/api/1/events", "", "Bearer t")
    site.send(("a-1", "hello", {"hub_ns": 5, "room": "x"}), ("a-2", "board", {"id": "7"}))
    assert next_of(HallBoard).place.key == "@x/7"
    assert next_of(EarlierLinesRead).lines == (b"one", b"two")
    followed.now_ns += SILENCE_NS
    site.answers["/api/1/events"] = 503, b'{"error": "full"}'
    site.stream.put(b"")
    trouble, silent = next_of(TroubleChanged), next_of(HallBoard)
    assert (trouble.what, trouble.place.is_way) == (
        f"{site.address}: the connection has ended",
        True,
    )
    assert silent.silent_ns == followed.now_ns - SILENCE_NS
    assert next_of(TroubleChanged).what == f"{site.address}: full"
    del site.answers["/api/1/events"]
    site.send(("a-3", "hello", {"hub_ns": 6, "room": "x"}), ("a-4", "gone", {"id": "7"}))
    assert next_of(TroubleChanged).what == ""  # it was asked again and again, and told once
    assert [next_of(HallBoard).silent_ns, next_of(HallBoard).shown] == [None, b""]
    site.send(("a-5", "troubles", {"troubles": ["disk", "card"]}))
    assert next_of(TroubleChanged).what == "x: disk; x: card"
    asked: list[tuple[str, str | None, str | None]] = [("/api/1/events", "a-2", "Bearer t")]
    while [path for path, *_ in asked].count("/api/1/logs") < 2:  # once for each hello
        asked.append(site.asked.get(timeout=60))
    site.answers["/api/1/logs"] = 404, b"[]"
    site.send(("a-6", "result", {}))
    assert next_of(TroubleChanged).what.endswith(f"card; {site.address}: 404 Not Found")
    site.answers["/api/1/logs"] = 200, b'{"logs": []}'
    assert next_of(TroubleChanged).what == "x: disk; x: card"
    assert asked.count(("/api/1/events", "a-2", "Bearer t")) > 1
    assert {token for _, _, token in asked} == {"Bearer t"}
    threads = [each for each in threading.enumerate() if each.name == site.address]
    assert [each.daemon for each in threads] == [True, True]
    hall.close()
    assert not any(each.is_alive() for each in threads)


@pytest.mark.rule("R146")
def test_a_log_that_was_cut_off_on_the_way_is_no_answer(site: Site) -> None:
    """R146: its last lines are missing, and what is there would count as the whole."""
    site.answers["/api/1/matches/m/log"] = 200, b"line\nCUT"
    with pytest.raises(HallError, match="3 more expected"):
        HallClient(f"http://{site.address}/").get("/api/1/matches/m/log")
    with closing(HallClient(f"http://{site.address}/")._connected()) as connection:
        assert connection.timeout == 15
    for ask in (HallClient("http://hub:x/").get, HallClient("http://hub:x/").events):
        with pytest.raises(HallError, match=r"hub:x: nonnumeric port: 'x'"):
            list(ask("/"))


def test_a_hub_that_is_not_there_is_asked_less_and_less(
    followed: Followed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is asked soon again once it was there."""
    waited: list[float] = []
    hall, tick = Hall("https://hub-2:8037/", lambda: followed.now_ns, followed.hub), b'{"hub_ns":5}'

    def wait(seconds: float) -> None:
        waited.append(seconds)
        followed.hub.sent = [HallEvent("a-1", "tick", tick)] * (len(waited) == 6)

    monkeypatch.setattr(hall._stopping, "wait", wait)
    monkeypatch.setattr(hall._stopping, "is_set", lambda: len(waited) == 9)
    hall._follow()
    assert waited == [0.5, 1, 2, 4, 5, 5, 0.5, 1, 2]


def test_the_logs_are_looked_for_once_when_that_is_wanted(
    followed: Followed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then again after a minute, or when it is wanted again."""
    logs, wanted, ends = followed.hall._logs, list[bool](), iter((False, False, True))
    followed.hub.answers["/api/1/logs"] = {"logs": []}
    monkeypatch.setattr(logs._wanted, "wait", lambda _: wanted.append(logs._wanted.is_set()))
    monkeypatch.setattr(logs._stopping, "wait", lambda _: None)
    monkeypatch.setattr(logs._stopping, "is_set", lambda: next(ends))
    logs.look_soon()
    logs.run(followed.emitted.append)
    assert wanted == [True, False]


@pytest.mark.parametrize("sent", [b'{"more":', b'{"more":' + b"[" * 100_000, b'{"id":"\xff"}'])
def test_a_hub_that_sends_what_nobody_can_read_is_asked_again(
    followed: Followed, sent: bytes
) -> None:
    followed.hub.sent = [HallEvent("a-2", "board", sent)]
    emit, told = followed.emitted.append, list[str]()

    def note(event: SourceEvent) -> None:
        emit(event)
        if isinstance(event, TroubleChanged):
            told.append(event.what)
            followed.hall._stopping.set()  # before it waits to ask again

    followed.hall._emit = note
    followed.hall._follow()
    assert "".join(told)
