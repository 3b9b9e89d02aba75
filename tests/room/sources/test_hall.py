"""Another hub as a source."""

import socket
import threading
from collections.abc import Iterator

import msgspec
import pytest

from room.lines.events import EarlierLinesRead, HallBoard, SourceEvent, TroubleChanged
from room.lines.inbox import Point
from room.sources import hall_logs
from room.sources.hall import SILENCE_NS, Hall
from room.sources.hall_client import HallClient, HallError, HallEvent
from room.sources.hall_logs import AGAIN_NS, UNDER_WAY_NS, HallLog


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
        self.heads: dict[tuple[str, str], Point] = {}
        self.results: set[tuple[str, str]] = set()

    def head(self, match: str, source: str) -> Point:
        return self.heads.get((source, match), Point())

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
            self.kept.heads["@room/" + log.source, log.match] = Point(log.seq, log.hash)
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
    (eight,) = followed.hear("board", id="8", account="r/red-8")
    assert (eight.place.key, eight.place.hint, eight.place.hall) == ("@room/r/red-8", "8", "room")
    assert eight.offset_ns == 10**9 - 300
    assert followed.hear("board", id="x-9", account="@x/r/9", hall="x") == []
    followed.hub.answers["/api/1/boards"] = {"boards": [{"id": "8"}]}
    (gone,) = followed.hear("hello", store="b", hub_ns=5, room="room")
    assert (gone.place.hint, gone.shown) == ("7", b"")


@pytest.mark.rule("R146")
def test_a_hall_that_is_not_heard_says_so_until_it_is(followed: Followed) -> None:
    followed.now_ns += SILENCE_NS - 1
    followed.hall.notice_silence()
    assert followed.drain() == []
    followed.now_ns += 1
    followed.hall.notice_silence()
    followed.hall.notice_silence()
    assert [each.silent_ns for each in followed.drain()] == [10**9]
    assert [each.silent_ns for each in followed.hear("tick", hub_ns=10**9)] == [None]


@pytest.mark.rule("R146")
def test_a_log_is_read_until_it_is_kept_with_its_result(followed: Followed) -> None:
    """At once when its match is over, now and then before; none that cannot be kept, for ever."""
    playing = HallLog("r/red-7", "m", 3, "h3")
    assert followed.missing(playing) == [playing]
    longer = HallLog("r/red-7", "m", 4, "h4")
    assert followed.missing(longer) == []
    followed.now_ns += UNDER_WAY_NS
    assert followed.missing(longer) == [longer]
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


@pytest.mark.rule("R146")
def test_a_log_that_grows_meanwhile_holds_up_no_other(
    followed: Followed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R146: the next one is read as soon as this one is kept, not two seconds later."""
    monkeypatch.setattr(followed.hall._logs._stopping, "wait", lambda _: pytest.fail("it waits"))
    followed.hub.answers["/api/1/matches/m/log?source=r%2Fred-7"] = b"line\n"
    followed.kept.heads["@room/r/red-7", "m"] = Point(4, "h4")
    followed.hall._logs._read(HallLog("r/red-7", "m", 3, "h3"), followed.emitted.append)
    assert len(followed.emitted) == 1


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


@pytest.mark.rule("R146")
def test_a_log_that_was_cut_off_on_the_way_is_no_answer() -> None:
    """R146: its last lines are missing, and what is there would count as the whole."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        client = HallClient(f"http://127.0.0.1:{listening.getsockname()[1]}/")
        answering = threading.Thread(target=_answer_half, args=(listening,))
        answering.start()
        with pytest.raises(HallError, match="5 more expected"):
            client.get("/api/1/matches/m/log")
        answering.join()


def _answer_half(listening: socket.socket) -> None:
    connection, _ = listening.accept()
    with connection:
        connection.recv(4096)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nline\n")


def test_what_is_wrong_is_told_once(followed: Followed) -> None:
    for trouble in ("no connection", "no connection", ""):
        followed.hall.tell("", trouble)
    found = [each.what for each in followed.emitted if isinstance(each, TroubleChanged)]
    assert found == ["no connection", ""]


@pytest.mark.parametrize("depth", [0, 100_000])
def test_a_hub_that_sends_what_nobody_can_read_is_asked_again(
    followed: Followed, depth: int
) -> None:
    followed.hub.sent = [HallEvent("a-2", "board", b'{"more":' + b"[" * depth)]
    emit, told = followed.emitted.append, list[str]()

    def note(event: SourceEvent) -> None:
        emit(event)
        if isinstance(event, TroubleChanged):
            told.append(event.what)
            followed.hall._stopping.set()  # before it waits to ask again

    followed.hall._emit = note
    followed.hall._follow()
    assert "".join(told)
