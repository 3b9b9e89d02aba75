"""What the hub makes of a clock's messages, and what it answers."""

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import msgspec
import pytest

from clock.eventlog.codec import stated_hash
from lab.support.boards import finished_log
from lab.support.logs import body, forged, monkey_logs, renamed, sealed
from room.broker.delivery.receiver import MAX_LINES, MAX_PARTS
from room.broker.source_clock import ClockAtBroker
from room.broker.topics import (
    Ack,
    Inventory,
    LinkHeartbeat,
    LinkState,
    LoggedLines,
    OfferReceipt,
    Topic,
    encode,
)
from room.lines.events import (
    ClockHeard,
    EarlierLinesRead,
    LinesRead,
    MatchBegan,
    OfferDelivered,
    Place,
    SourceEvent,
    TroubleChanged,
)
from room.lines.inbox import Point, UnreadableError
from room.lines.quota import HOUR_NS, TOLD_NS, Bucket, Quota

LOG = renamed(max(monkey_logs(3, 60), key=len), "m")
EARLIER = renamed(LOG, "before")
PLACE = Place("test/red-1", "red-1", is_file=False, hint="7", clock="red-1")


class Memory:
    """A database that has a few lines."""

    uuid = "s"

    def __init__(self, **logs: list[bytes]) -> None:
        self.logs = logs

    def latest_line(self, match: str, source: str) -> Point:
        lines = self.lines(match, source, 0)
        return point(lines) if lines else Point()

    def lines(self, match: str, source: str | None, _patience_s: float) -> list[bytes]:
        return self.logs.get(match, []) if source in (None, PLACE.key) else []

    def listen(self, told: Callable[[Any], object]) -> None:
        """See `Database`."""


class Hub:
    """A clock as the hub sees it."""

    def __init__(self, **logs: list[bytes]) -> None:
        self.clock = ClockAtBroker(PLACE, Memory(**logs), Quota(2, 1))
        self.told: list[SourceEvent] = []

    def take(self, topic: Topic, payload: bytes | msgspec.Struct, now_ns: int = 9) -> list[Ack]:
        """Take a message; return the answers."""
        given = payload if isinstance(payload, bytes) else encode(payload)
        return self.clock.handle(topic, given, now_ns, self.told.append)

    def troubles(self) -> list[str]:
        """What was told to be wrong, in its order."""
        return [each.what for each in self.told if isinstance(each, TroubleChanged)]


def point(lines: list[bytes]) -> Point:
    """The latest line of a log."""
    return Point(len(lines), stated_hash(lines[-1]) or "")


def inventory(*logs: list[bytes]) -> Inventory:
    """An inventory of logs, the present one first."""
    told = []
    for log in logs:
        match = msgspec.json.decode(log[0])["match"]
        told.append(LoggedLines(match, len(log), point(log).hash))
    return Inventory(tuple(told))


def state(name: Any, session: int = 1, **fields: str) -> LinkState:
    return LinkState(name, session, **fields)


def test_lines_of_the_present_match_and_of_an_earlier_one() -> None:
    """Each as what it is, and live only after what the inventory told."""
    hub = Hub()
    acks = hub.take(Topic.LOGS, inventory(LOG[:2], EARLIER))
    assert acks == [Ack("s", {"m": Point()}, 1), Ack("s", {"before": Point()}, 1)]
    hub.take(Topic.LOG, b"\n".join(LOG[:2]))
    hub.take(Topic.LOG, b"\n".join(EARLIER))
    hub.take(Topic.LOG, LOG[2])
    assert hub.told == [
        LinesRead(PLACE, "m", tuple(LOG[:2]), 9, live=False),
        EarlierLinesRead(PLACE, "before", tuple(EARLIER), is_whole=True),
        LinesRead(PLACE, "m", (LOG[2],), 9, live=True),
    ]


def test_a_message_is_dropped_while_the_database_cannot_be_read() -> None:
    hub = Hub(m=LOG[:2])
    hub.clock.receiver._recall = _unreadable
    asks = [Ack("s", {"m": point(LOG[:2])}, 3)]  # for which nothing is read
    assert (hub.take(Topic.LOGS, inventory(LOG)), hub.take(Topic.LOG, LOG[2])) == (asks, [])
    assert hub.take(Topic.LOGS, inventory(LOG[:1])) == []
    assert hub.told == [MatchBegan(PLACE, "m")] * 2
    hub.clock.receiver._recall = lambda match: LOG[:2]
    assert hub.take(Topic.LOGS, inventory(LOG[:1])) == [Ack("s", {"m": point(LOG[:1])})]


def test_nothing_is_read_for_a_new_match() -> None:
    """A database that is slow delays its first line by nothing."""
    hub = Hub()
    hub.clock.receiver._recall = _unreadable
    hub.take(Topic.LOG, b"\n".join(LOG[:2]))
    assert [each.lines for each in hub.told if isinstance(each, EarlierLinesRead)] == [
        tuple(LOG[:2])
    ]


def test_what_could_not_be_read_is_not_counted() -> None:
    """The clock sends its lines again, and again, until there is an answer."""
    hub = Hub(m=LOG[:2])
    hub.clock._allowance._rereads = Bucket(len(LOG), HOUR_NS)
    recall, hub.clock.receiver._recall = hub.clock.receiver._recall, _unreadable
    for _ in range(2 * len(LOG)):
        hub.take(Topic.LOG, LOG[2])
    hub.clock.receiver._recall = recall
    hub.take(Topic.LOG, LOG[2])
    assert [each.lines for each in hub.told if isinstance(each, EarlierLinesRead)] == [(LOG[2],)]


def _unreadable(*_given: object) -> list[bytes]:
    raise UnreadableError


def test_a_match_that_the_hub_has_is_shown_without_a_new_line() -> None:
    hub = Hub(m=LOG)
    hub.clock._allowance._rereads = Bucket(2 * len(LOG), HOUR_NS)
    for _ in range(9):  # it is read once, and once more for a new line
        assert hub.take(Topic.LOGS, inventory(LOG)) == [Ack("s", {"m": point(LOG)})]
    assert hub.told == [MatchBegan(PLACE, "m")] * 9
    ended = LOG + after_the_end(LOG, 1)
    hub.take(Topic.LOG, ended[-1])
    assert hub.told[9:] == [LinesRead(PLACE, "m", (ended[-1],), 9, live=True)]


def test_a_heartbeat_is_the_clocks_if_that_lives() -> None:
    hub = Hub()
    hub.take(Topic.HEARTBEAT, LinkHeartbeat("boot", 5, "m", 0))
    hub.take(Topic.HEARTBEAT, LinkHeartbeat("boot", 6, "m", 0, alive=False))
    assert hub.told == [
        ClockHeard(PLACE, 9, "boot", 5, "m", 0),
        ClockHeard(PLACE, 9, "boot", None, "m", 0),
    ]


def test_two_clocks_with_one_key_file_are_told_to_the_director() -> None:
    """Each logs in in turn; a clock that was started again is one."""
    hub = Hub()
    for at, boot in enumerate("xyaababb" + 12 * "b"):
        hub.take(Topic.HEARTBEAT, LinkHeartbeat(boot, 5 + at, "m", 0))
        assert len(hub.troubles()) == (0 if at < 6 else 1 if at < 15 else 2)
    what = "two clocks use the key file of red-1: each card needs that of its own clock"
    assert hub.troubles() == [what, ""]


def test_a_fork_is_told_to_the_director_until_the_next_match() -> None:
    hub = Hub(m=LOG[:9])
    fork = forged(LOG, 5, lambda fields: fields.update(wall="2030"))
    hub.take(Topic.LOGS, inventory(fork))
    hub.take(Topic.LOG, b"\n".join(fork[:-1]))
    (what,) = hub.troubles()
    assert "lines contradict earlier ones" in what
    hub.take(Topic.LOG, EARLIER[0])  # of no present match
    hub.take(Topic.LOG, fork[-1])
    assert hub.troubles() == [what]
    hub.take(Topic.LOGS, inventory(EARLIER[:1], fork))
    hub.take(Topic.LOG, EARLIER[1])
    assert hub.troubles() == [what, ""]


def test_a_clock_that_has_failed_is_told_to_the_director() -> None:
    """The link lives on, and says so; and what cannot be sent."""
    hub = Hub()
    hub.take(Topic.LINK, state("online", clock_unit="active"))
    hub.take(Topic.LINK, state("online", clock_unit="failed", damage="m: line 7 is damaged"))
    hub.take(Topic.LINK, state("online", clock_unit="active"))
    what, end = hub.troubles()
    assert "the clock's program is failed" in what
    assert "line 7 is damaged" in what
    assert end == ""


def test_the_will_of_an_earlier_connection_comes_late() -> None:
    hub = Hub()
    for found in (state("lost", 1), state("online", 1), b"", state("online", 2)):
        hub.take(Topic.LINK, found)
    assert hub.clock.state == state("online", 2)
    hub.take(Topic.LINK, state("online", 2, clock_unit="active"))
    for ignored in (state("lost", 1), b""):
        hub.take(Topic.LINK, ignored)
    assert hub.clock.state == state("online", 2, clock_unit="active")
    hub.take(Topic.LINK, state("lost", 2))
    assert hub.clock.state == state("lost", 2)


def test_what_became_of_an_offer_is_told_on() -> None:
    hub = Hub()
    hub.take(Topic.OFFERED, OfferReceipt(5000, put=False, why="too large"))
    assert hub.told == [OfferDelivered(PLACE, 5000, put=False, why="too large")]


def test_a_quota_bounds_one_account_and_loses_nothing(caplog: pytest.LogCaptureFixture) -> None:
    """Two matches an hour: invented ones are neither kept nor asked for; the clock's come later."""
    hub, third = Hub(), renamed(LOG, "third")
    for log in (*(renamed(LOG[:1], f"invented-{at}") for at in range(2)), third):
        hub.take(Topic.LOG, b"\n".join(log))
    assert hub.take(Topic.LOGS, inventory(third)) == []
    assert hub.take(Topic.HEARTBEAT, LinkHeartbeat("b", 5, "third", 9)) == []
    assert hub.take(Topic.HEARTBEAT, LinkHeartbeat("b", 6, "third", 9)) == []
    assert [each.match for each in hub.told if isinstance(each, EarlierLinesRead)] == [
        "invented-0",
        "invented-1",
    ]
    [told] = hub.troubles()
    assert told.startswith("red-1: more than 2 matches an hour; the rest stays on the clock")
    assert [each.message for each in caplog.records] == [f"test/{told.replace(': ', ': ', 1)}"]
    later_ns = HOUR_NS // 2 + 9
    [ask] = hub.take(Topic.LOGS, inventory(third), later_ns)
    assert ask == Ack("s", {"third": Point()}, 1)
    hub.take(Topic.LOG, b"\n".join(third), later_ns)
    assert hub.told[-2:] == [
        TroubleChanged(PLACE, ""),
        LinesRead(PLACE, "third", tuple(third), later_ns, live=False),
    ]
    hub.take(Topic.LOG, renamed(LOG[:1], "invented-2")[0], later_ns)
    assert [each.message for each in caplog.records] == [f"test/{told}"] * 2


def _update(fields: dict[str, Any], changes: dict[str, str]) -> None:
    fields |= changes


def test_a_quota_of_bytes_stops_within_a_match() -> None:
    """1 MB a day: also lines that come in place of others, as often as they like."""
    hub = Hub()
    hub.take(Topic.LOG, b"\n".join(LOG[:5]))
    for at in range(12):
        wall = {"wall": f"{at} {'x' * 99_000}"}
        hub.take(Topic.LOG, forged(LOG[:6], 5, partial(_update, changes=wall))[5])
    sent = [line for each in hub.told if isinstance(each, EarlierLinesRead) for line in each.lines]
    assert 900_000 < sum(map(len, sent)) <= 1_000_000
    assert "more than 1 MB a day" in hub.troubles()[-1]


FLOODS: dict[str, list[tuple[Topic, msgspec.Struct]]] = {
    "in turn": [(Topic.LOGS, inventory(LOG, EARLIER)), (Topic.LOGS, inventory(EARLIER, LOG))],
    "other lines": [
        (Topic.LOGS, Inventory((LoggedLines(name, 5, "0" * 32),))) for name in "abcdef"
    ],
    "heartbeats": [
        (Topic.HEARTBEAT, LinkHeartbeat("b", 1, name, 99)) for name in (*"abcdef", *"abcdef")
    ],
}


def test_forks_of_a_whole_log_are_bounded() -> None:
    """Each may have the result of the match computed again."""
    hub = Hub(m=LOG)
    hub.clock._allowance._rereads = Bucket(5 * len(LOG), HOUR_NS)
    hub.take(Topic.LOGS, inventory(LOG))
    for at in range(100):
        changed = partial(_update, changes={"wall": str(at)})
        hub.take(Topic.LOG, forged(LOG, len(LOG) - 1, changed)[-1])
    assert sum(isinstance(each, LinesRead) for each in hub.told) == 3  # and the board, and its log
    assert "lines read again an hour" in hub.troubles()[-1]
    two = forged(LOG, len(LOG) - 2, partial(_update, changes={"wall": ""}))[-2:]
    assert hub.take(Topic.LOG, b"\n".join(two)) == []  # nor is more asked for


def test_new_lines_of_two_matches_in_turn_are_bounded() -> None:
    """The board would follow now this one, now that one; the one that it follows goes on."""
    hub = Hub(m=LOG[:20], before=EARLIER[:20])
    hub.clock._allowance._rereads = Bucket(140, HOUR_NS)
    for log in (LOG, EARLIER):
        hub.take(Topic.LOG, log[20])  # of an earlier match, as far as is known
    for at in range(21, 41):
        for log in (LOG, EARLIER):
            match = msgspec.json.decode(log[0])["match"]
            hub.take(Topic.HEARTBEAT, LinkHeartbeat("b", 1, match, 0))
            hub.take(Topic.LOG, log[at])
    read = [each.match for each in hub.told if isinstance(each, LinesRead)]
    assert 3 <= sum(one != other for one, other in pairwise(["", *read])) <= 6
    assert len(read) > 10


def after_the_end(log: list[bytes], count: int, phase: bytes = b"FINISHED") -> list[bytes]:
    """Lines that a match may have after its last one, which they repeat."""
    last = body(log[-1]).replace(b'"phase":"FINISHED"', b'"phase":"%b"' % phase)
    bodies = [
        last.replace(b'"seq":%d,' % len(log), b'"seq":%d,' % (len(log) + at))
        for at in range(1, count + 1)
    ]
    return sealed(bodies, point(log).hash)


@pytest.mark.parametrize(("phase", "most"), [(b"FINISHED", 5), (b"READY", 100)])
def test_lines_after_the_end_of_a_match_are_bounded(phase: bytes, most: int) -> None:
    """For each of them the result of the whole match is computed again, unless it goes on."""
    log = finished_log()
    match = msgspec.json.decode(log[0])["match"]
    hub = Hub()
    hub.clock._allowance._rereads = Bucket(5 * len(log), HOUR_NS)
    hub.take(Topic.LOGS, inventory(log))
    for at in range(0, len(log), MAX_LINES):
        hub.take(Topic.LOG, b"\n".join(log[at : at + MAX_LINES]))
    hub.told.clear()
    for line in after_the_end(log, 100, phase):
        hub.take(Topic.LOG, line)
    assert [each.match for each in hub.told if isinstance(each, LinesRead)] == [match] * most
    assert ["lines read again an hour" in each for each in hub.troubles()] == [True] * (most < 100)


@pytest.mark.parametrize(("names", "most"), [("abcd", 4), ("abcdef", 20)])
def test_new_lines_of_many_earlier_matches_in_turn_are_bounded(names: str, most: int) -> None:
    """The hub keeps four of them in memory, and reads each other one again."""
    logs = {name: renamed(LOG, name) for name in names}
    hub = Hub(**{name: log[:20] for name, log in logs.items()})
    hub.clock._allowance._rereads = Bucket(400, HOUR_NS)
    recall, read = hub.clock.receiver._recall, list[str]()

    def noted(match: str) -> list[bytes]:
        read.append(match)
        return [*recall(match)]

    hub.clock.receiver._recall = noted
    hub.take(Topic.LOGS, inventory(LOG[:1]))
    for at in range(20, 60):
        for log in logs.values():
            hub.take(Topic.LOG, log[at])
    assert len(names) <= len(read) <= most
    assert len(hub.clock.receiver._parts) == MAX_PARTS
    assert bool(hub.troubles()) is (most > 4)


def test_a_log_that_ends_again_and_again_is_read_again_each_time() -> None:
    """An inventory lists each of its lines as the last one: the board keeps nothing of it."""
    hub = Hub(before=EARLIER[:20])
    hub.clock._allowance._rereads = Bucket(100, HOUR_NS)
    hub.take(Topic.LOG, EARLIER[20])
    for at in range(21, 60):
        hub.take(Topic.LOGS, inventory(LOG[:1], EARLIER[: at + 1]))
        hub.take(Topic.LOG, EARLIER[at])
    assert sum(isinstance(each, EarlierLinesRead) for each in hub.told) < 6


@pytest.mark.parametrize("sent", [LOG[3], LOG[30], b"x" * 300], ids=["known", "too early", "none"])
def test_a_message_costs_its_bytes_whatever_they_are(sent: bytes) -> None:
    """Then none is even looked at until the quota allows it."""
    hub = Hub(m=LOG[:9])
    hub.clock._allowance._bytes = Bucket(3 * len(sent) + len(LOG[9]), HOUR_NS)
    for _ in range(3):
        hub.take(Topic.LOG, sent)
    assert hub.troubles() == []
    hub.take(Topic.LOG, LOG[9])
    assert sum(isinstance(each, EarlierLinesRead) for each in hub.told) == 1
    assert hub.take(Topic.LOG, LOG[3]) == []
    assert "more than 1 MB a day" in hub.troubles()[-1]


def test_what_cannot_be_read_takes_no_other_log_with_it() -> None:
    """Lines of two logs in a message, and an inventory of both: that which can be read goes on."""
    hub = Hub(m=LOG[:9], before=EARLIER[:9])

    def recall(match: str) -> list[bytes]:
        return _unreadable() if match == "before" else LOG[:9]

    hub.clock.receiver._recall = recall
    both = inventory(LOG[:8], EARLIER[:8])
    for logs in (both, Inventory(both.logs[::-1])):
        assert [ack.have for ack in hub.take(Topic.LOGS, logs)] == [{"m": point(LOG[:8])}]
    hub.told.clear()
    hub.take(Topic.LOG, b"\n".join([EARLIER[9], LOG[9]]))
    hub.take(Topic.LOG, b"\n".join([LOG[10], EARLIER[9]]))
    assert [each.lines for each in hub.told if isinstance(each, EarlierLinesRead)] == [
        (LOG[9],),
        (LOG[10],),
    ]


def test_a_clock_of_which_too_much_waits_is_told() -> None:
    hub = Hub()
    hub.clock.refuse(9, hub.told.append)
    [told] = hub.troubles()
    assert told.startswith("red-1: more messages than the hub can handle in time")
    hub.take(Topic.LINK, state("online"), TOLD_NS + 8)
    assert hub.troubles() == [told]
    hub.take(Topic.LINK, state("online"), TOLD_NS + 9)
    assert hub.troubles() == [told, ""]


@pytest.mark.parametrize("flood", FLOODS)
def test_what_an_account_has_read_again_is_bounded(flood: str) -> None:
    """A message of 150 bytes costs a whole log; a thousand of them cost a few logs."""
    logs = {name: renamed(LOG, name) for name in "abcdef"}
    hub, again = Hub(m=LOG, before=EARLIER, **logs), 0

    def recall(match: str) -> list[bytes]:
        nonlocal again
        again += len(LOG)
        return renamed(LOG, match)

    hub.clock.receiver._recall = recall
    hub.clock._allowance._rereads = Bucket(5 * len(LOG), HOUR_NS)
    for at in range(1000):
        hub.take(*FLOODS[flood][at % len(FLOODS[flood])])
    shown = [each.match for each in hub.told if isinstance(each, MatchBegan)]
    turns = sum(one != other for one, other in pairwise(["", *shown]))
    assert again + turns * len(LOG) <= 6 * len(LOG)


@pytest.mark.parametrize("topic", list(Topic))
@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"[]",
        b"[" * 100_000,
        b'{"logs":[{}]}',
        b'{"logs":[' + b",".join([b'{"match":"m","lines":1,"hash":""}'] * 21) + b"]}",
        b'{"boot":"b","now_ns":-1,"match":"m","seq":1}',
        b'{"state":"online","session":1e400}',
        b"\xff\xfe",
    ],
    ids=["empty", "array", "nested", "no-log", "many", "negative", "infinite", "no-utf-8"],
)
def test_nonsense_is_dropped(topic: Topic, payload: bytes) -> None:
    hub = Hub()
    assert (hub.take(topic, payload), hub.told) == ([], [])
