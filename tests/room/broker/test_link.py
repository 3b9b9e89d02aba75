"""The link of a clock at a broker without a network, and a hub that says what a test wants."""

import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar

import msgspec
import pytest

from clock import __version__
from clock.config.offer import MAX_BYTES
from clock.match import inputs
from clock.match.types import Pair
from clock.storage.offer_file import OFFER
from hardware.system.clocks import boot_id
from lab.support.last_run import START, Written
from lab.support.logs import monkey_logs, renamed
from lab.support.virtual_broker import BASE, Said, Wire, at_a_wire
from room.broker.link import LONGEST_STATUS, Link, board_state, followed, put_offer
from room.broker.topics import (
    Ack,
    BoardState,
    HubState,
    Inventory,
    LinkHeartbeat,
    LinkState,
    OfferReceipt,
    State,
    encode,
)
from room.lines.events import ClockHeard, EarlierLinesRead, LinesRead, Place, TroubleChanged
from room.lines.inbox import Point, envelope_of
from room.lines.track import Track
from room.settings.link import LinkBroker, LinkSettings

LOG = renamed(max(monkey_logs(3, 60), key=len), "m")
NEXT, EARLIER = renamed(LOG, "next"), renamed(LOG[:9], "before")
PLACE = Place("card", "card", is_file=False)
SETTINGS = {"length": 5, "names": ["Left", "Right"]}  # as the first line says
BEAT_S = 10.0
NOTHING: list[Said] = []

wire = pytest.fixture(at_a_wire)
FoundT = TypeVar("FoundT")


class Clock:
    """A clock whose link is at the wire, and a hub that hears it."""

    def __init__(self, wire: Wire, directory: Path, *, board_topic: bool = False) -> None:
        broker = LinkBroker(host="sim", ca="", password="")
        settings = LinkSettings(
            room="test", clock="red-1", board="7", board_topic=board_topic, broker=broker
        )
        self.service = "active", "RUNNING"
        self.link = Link(settings, directory, wire.loop.now_ns, self._service)
        self.task = wire.loop.create_task(self.link.run())
        self.wire, self.hub = wire, wire.join("hub")

    async def _service(self) -> tuple[str, str]:
        return self.service

    def write(self, lines: Iterable[bytes]) -> None:
        read = tuple(lines)
        envelope = envelope_of(read[0])
        self.link.handle(LinesRead(PLACE, envelope.match if envelope else "m", read, 0, live=True))

    def come(self, state: State = "online", store: str = "s", session: int = 1) -> None:
        """The hub comes, or goes."""
        said = encode(HubState(state, store, session))
        self.wire.say(self.hub, "hub", said, retain=True)

    def answer(self, have: Point, ask: int = 0, store: str = "s", match: str = "m") -> None:
        self.wire.say(self.hub, "red-1/ack", encode(Ack(store, {match: have}, ask)))


@pytest.fixture
def clock(wire: Wire, tmp_path: Path) -> Clock:
    """A clock that has written three lines, as a hub comes."""
    found = Clock(wire, tmp_path)
    found.write(LOG[:3])
    found.come()
    return found


def of(said: Iterable[Said], topic: str, shape: type[FoundT]) -> list[FoundT]:
    """What a clock has said in a topic."""
    return [
        msgspec.json.decode(each.payload, type=shape)
        for each in said
        if (each.client, each.topic) == ("red-1", f"red-1/{topic}")
    ]


def lines(said: Iterable[Said]) -> list[bytes]:
    """The messages with lines."""
    return [each.payload for each in said if each.topic == "red-1/log"]


def test_a_clock_says_that_it_is_there(wire: Wire, tmp_path: Path) -> None:
    """Its state and its time at once; nothing of its log before a hub is there."""
    clock = Clock(wire, tmp_path)
    clock.write(LOG[:3])
    said = wire.run(2 * BEAT_S + 1)
    topics = [(each.s, each.topic) for each in said if each.client == "red-1"]
    assert topics == [(0, "red-1/link"), *((at, "red-1/heartbeat") for at in (0, 10, 20))]
    [state] = of(said, "link", LinkState)
    assert state == LinkState("online", state.session, __version__, *clock.service)
    for beat, at_ns in zip(of(said, "heartbeat", LinkHeartbeat), (0, 10, 20), strict=True):
        assert beat == LinkHeartbeat(boot_id(), beat.now_ns, "m", 3, alive=False)
        assert beat.now_ns // 10**9 == at_ns
    clock.task.cancel()
    [last] = of(wire.run(1), "link", LinkState)
    assert last == LinkState("off", state.session, __version__)
    assert wire.broker.retained == {f"{BASE}red-1/link": encode(last)}


def test_lines_are_sent_once_when_the_hub_has_said_what_it_has(wire: Wire, clock: Clock) -> None:
    """The inventory at once; then what is lacking, and each line as soon as it is written."""
    said = wire.run(1)
    clock.link.handle(EarlierLinesRead(PLACE, "before", tuple(EARLIER), is_whole=True))
    said += wire.run(2)
    assert [[log.match for log in each.logs] for each in of(said, "logs", Inventory)] == [
        ["m"],
        ["m", "before"],
    ]
    assert lines(said) == []
    clock.answer(Point(), 1)
    assert lines(wire.run(1)) == [b"\n".join(LOG[:3])]
    clock.write(LOG[3:5])
    [sent] = wire.run(0.01)
    assert sent.payload == b"\n".join(LOG[3:5])
    clock.write(LOG[:6])  # the file was read again
    assert lines(wire.run(1)) == [LOG[5]]
    clock.answer(Point(), 1, match="before")
    clock.answer(Point(), 1, store="other", match="before")
    assert lines(wire.run(1)) == [b"\n".join(EARLIER)]
    clock.answer(Point(9, msgspec.json.decode(EARLIER[8])["hash"]), match="before")
    clock.answer(Point(6, msgspec.json.decode(LOG[5])["hash"]))
    said = wire.run(70)
    assert lines(said) == []
    assert len(of(said, "logs", Inventory)) == 1  # which comes each minute


def test_lines_for_which_there_is_no_answer(wire: Wire, clock: Clock) -> None:
    """The inventory comes again each five seconds, and at that instant."""
    clock.answer(Point(), 1)
    wire.run(1)
    clock.write(LOG[3:4])
    times = [each.s for each in wire.run(17) if each.topic == "red-1/logs"]
    assert times == [pytest.approx(at, abs=0.02) for at in (5, 10, 15)]


def test_a_hub_that_repeats_itself(wire: Wire, clock: Clock) -> None:
    """Only another connection of it is news; the will of an earlier one may come late."""
    wire.run(1)

    def heard() -> list[str]:
        clock.answer(Point(3, msgspec.json.decode(LOG[2])["hash"]))
        return [each.topic for each in wire.run(1) if each.client == "red-1"]

    assert heard() == []
    clock.come()
    clock.come("lost", session=0)
    assert heard() == []
    clock.come(session=2)
    assert sorted(heard()) == ["red-1/heartbeat", "red-1/logs"]
    clock.come("lost", session=2)
    assert heard() == ["red-1/heartbeat"]
    clock.write(LOG[3:9])
    assert heard() == []  # as no hub is there
    clock.come("off", session=2)
    clock.come(store="other", session=2)
    assert heard().count("red-1/logs") == 1


def test_a_clock_lives_while_it_writes(wire: Wire, clock: Clock) -> None:
    """Each heartbeat says so, also those that a hub has at once when it comes."""
    wire.run(3)
    clock.link.handle(ClockHeard(PLACE, 0))  # its folder alone
    assert [each.alive for each in of(wire.run(8), "heartbeat", LinkHeartbeat)] == [False]
    clock.link.handle(ClockHeard(PLACE, 0, "boot", 5, "m", 3))
    clock.come(session=2)
    wire.run(0.1)
    clock.come(session=3)
    assert [each.alive for each in of(wire.run(21), "heartbeat", LinkHeartbeat)] == [
        *(True, True),
        False,
    ]


@pytest.mark.parametrize("topic", ["hub", "red-1/ack", "red-1/offer"])
@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"null",
        b"[" * 20_000,
        b'{"state":"online"',
        b'{"store":"s","have":{"m":{"seq":-1,"hash":""}},"ask":-1}',
        b'{"store":"s","have":{"m":{"seq":9,"hash":"x"}},"ask":1e99}',
        b'{"state":"lost","store":"\xff"}',
        bytes(100_000),
    ],
    ids=["empty", "null", "nested", "cut", "negative", "float", "no-utf-8", "large"],
)
def test_a_hub_that_talks_nonsense(
    wire: Wire, clock: Clock, tmp_path: Path, topic: str, payload: bytes
) -> None:
    wire.run(1)
    wire.say(clock.hub, topic, payload)
    clock.answer(Point(), 1)
    assert lines(wire.run(1)) == [b"\n".join(LOG[:3])]
    assert not (tmp_path / OFFER).exists() or topic == "red-1/offer"


def test_a_broker_that_may_lose_what_it_has(wire: Wire, clock: Clock) -> None:
    """The state and the subscriptions are repeated with each sixth heartbeat."""
    wire.run(1)
    wire.broker.forget_retained()
    wire.broker._there["red-1"].topics.clear()
    again = [(each.s, each.payload) for each in wire.run(111) if each.topic == "red-1/link"]
    assert again == [(at, wire.broker.retained[f"{BASE}red-1/link"]) for at in (50, 110)]
    clock.answer(Point(), 1)
    assert lines(wire.run(1)) == [b"\n".join(LOG[:3])]
    clock.service = "failed", "x" * 2 * LONGEST_STATUS
    clock.write([b"no line"])
    changed, repeated = of(wire.run(69), "link", LinkState)
    assert changed == repeated
    assert (changed.clock_unit, changed.damage) == ("failed", "m: line 4 is damaged")
    assert changed.status == "x" * LONGEST_STATUS


def test_an_offer_is_put_where_the_clock_finds_it(wire: Wire, clock: Clock, tmp_path: Path) -> None:
    """Byte for byte, readable for the clock's user, and answered; a large one is refused."""
    offer = b'{"names":["Ada","Ben"]}'
    offers = (offer, bytes(MAX_BYTES), bytes(MAX_BYTES + 1), offer)
    for each in offers:
        wire.say(clock.hub, "red-1/offer", each)
    put, largest, refused, again = of(wire.run(1), "offered", OfferReceipt)
    assert put == again == OfferReceipt(len(offer), put=True)
    assert largest == OfferReceipt(MAX_BYTES, put=True)
    why = f"the offer has {MAX_BYTES + 1} bytes; at most {MAX_BYTES} are allowed"
    assert refused == OfferReceipt(MAX_BYTES + 1, put=False, why=why)
    found = tmp_path / OFFER
    assert (found.read_bytes(), found.stat().st_mode & 0o777) == (offer, 0o644)
    missing = tmp_path / "missing"
    assert put_offer(missing, b"{}") == f"{missing}: No such file or directory"
    assert [*tmp_path.iterdir()] == [found]


def test_the_board_for_other_programs(wire: Wire, tmp_path: Path) -> None:
    """Retained, after each line, for whoever comes later; its numbers are those of the line."""
    clock = Clock(wire, tmp_path, board_topic=True)
    assert of(wire.run(1), "board", BoardState) == []
    for log, begin, end in ((LOG, 0, 3), (LOG, 3, 8), (NEXT, 0, 1), (NEXT, 0, 9)):
        clock.write(log[begin:end])
        [found] = of(wire.run(0.01), "board", BoardState)
        assert wire.broker.retained[f"{BASE}red-1/board"] == encode(found)
        line, shown = msgspec.json.decode(log[end - 1]), msgspec.to_builtins(found)
        fields = ("match", "seq", "score", "left_ns", "right_ns", "delay_ns", "running", "boot")
        wanted = {name: line[name] for name in (*fields, "at_ns")}
        wanted |= {"board": "7", "state": line["phase"]} | SETTINGS
        assert {name: shown[name] for name in wanted} == wanted
    assert wire.run(5) == NOTHING
    assert board_state("7", Track()) is None


def test_a_line_that_comes_while_the_board_is_published_is_on_the_next_one(
    wire: Wire, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock(wire, tmp_path, board_topic=True)
    publish, rest = clock.link._session.publish, [LOG[3:8]]

    async def busy(topic: str, payload: bytes, *, retain: bool = False) -> None:
        if topic.endswith("board") and rest:
            clock.write(rest.pop())
        await publish(topic, payload, retain=retain)

    monkeypatch.setattr(clock.link._session, "publish", busy)
    clock.write(LOG[:3])
    assert [each.seq for each in of(wire.run(1), "board", BoardState)] == [3, 8]


def test_a_log_that_is_read_again_is_the_same_board() -> None:
    """A card that failed, or a file that was copied: names that are corrected later still count."""
    match, track = Written().give(*START), ("m", Track())
    before, names = tuple(match.lines), Pair("Ada", "Bodil")
    rest = tuple(match.give(inputs.NamesSet(5, names=names)).lines[len(before) :])
    for read, first in ((before, 0), (before, 0), (rest, len(before))):
        track = followed(track, LinesRead(PLACE, "m", read, 0, live=True, first=first))
    board = board_state("7", track[1])
    assert board is not None
    assert (board.names, board.seq) == (names, len(before + rest))


def test_a_clock_without_that_topic_keeps_no_board(wire: Wire, clock: Clock) -> None:
    assert of(wire.run(1), "board", BoardState) == []
    assert clock.link._track == ("", Track())


def test_what_happens_is_said_once(
    wire: Wire, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A wrong password, a broker that is not there, and what is wrong with the log."""
    wire.broker.refused.add("red-1")
    clock = Clock(wire, tmp_path)
    wire.run(60)
    wire.broker.refused.clear()
    wire.run(60)
    wire.broker.refused.add("red-1")
    wire.broker.lose_connection("red-1")
    wire.run(60)
    wire.broker.refused.clear()
    wire.run(60)
    for what in ("the log cannot be read", ""):
        clock.link.handle(TroubleChanged(PLACE, what))
    lost = "sim: no connection to the broker: {}; trying again"
    assert caplog.messages == [
        lost.format("[code:135] Not authorized"),
        "sim: connected to the broker",
        lost.format("Disconnected"),
        lost.format("[code:135] Not authorized"),
        "sim: connected to the broker",
        "the log cannot be read",
    ]


def test_a_broker_that_goes(wire: Wire, clock: Clock) -> None:
    """Whether the hub is still there is not known, until the broker says it of the present one."""
    wire.run(1)
    clock.link.disconnected(OSError("refused"))
    assert clock.link._sender.due_ns() is None
    asyncio.run_coroutine_threadsafe(
        clock.link.receive(f"{BASE}hub", encode(HubState("online", "s", 1))), wire.loop
    )
    assert [len(each.logs) for each in of(wire.run(1), "logs", Inventory)] == [1]
