"""Measure what one clock of a room can do to the others, in about 4 minutes.

First the worst message of each kind, at logs of 10,000 lines: how long it holds the thread of the
broker, and how long an update of the hub holds the pages. Then rooms of 60 clocks beside one that
floods the hub: how much later than an act of the others its event comes.
"""

import asyncio
import gc
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import cache, partial
from itertools import count, cycle
from multiprocessing import get_context
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from clock.apps.playback import play
from clock.apps.script import parse
from clock.eventlog.codec import stated_hash
from clock.eventlog.salvage import salvage
from clock.units import MILLISECOND_NS
from lab.benchmarks.fed_clocks import ROOM
from lab.benchmarks.loads import UI_OPTIONS, settings
from lab.benchmarks.measure import Figure, at_most, percentile_99
from lab.benchmarks.room_load import Costs, opened_hall
from lab.support.last_run import continued
from lab.support.logs import body, renamed, sealed
from lab.support.mosquitto import Peer
from room.boards.effects import NewLine
from room.boards.register import Register
from room.broker.source_clock import ClockAtBroker
from room.broker.topics import (
    MAX_LOGS,
    MAX_PAYLOAD,
    Ack,
    Inventory,
    LinkHeartbeat,
    LinkState,
    LoggedLines,
    OfferReceipt,
    Topic,
    clock_topic,
    decode,
    encode,
)
from room.hub.hub import Hub
from room.hub.store.store import Store
from room.lines.events import Place, SourceEvent
from room.lines.inbox import Verdict
from room.lines.quota import Quota
from room.settings.hub import Broker
from room.simulation.broker import PROGRAM_PATH

if TYPE_CHECKING:
    from multiprocessing.synchronize import Event

LINES = 10_000  # of the logs; a log may have 40,000
MESSAGE_MS = 20.0
CLOCKS, LATE_MS = 60, 250.0
FLOODER = "flood"  # a clock beside them
PLACE = Place(f"test/{FLOODER}", FLOODER, is_file=False, hint="999", clock=FLOODER)
QUOTA = Quota(60, 64)  # as `room.toml` has it
FORKS = 250
SHORT, PART = 3000, 100  # lines of the logs of a flood, and in a message of them

Message = tuple[Topic, bytes]


# --- what a clock may send ------------------------------------------------------------------------


@cache
def long_log(match: str, lines: int = LINES) -> list[bytes]:
    """Return a log of a match that goes on, with some lines more than asked for."""
    if match != "long":
        return renamed(long_log("long", lines), match)
    acts = ["0 press left", "1 press right", "1 press centre", "9 press right"]
    acts += [f"3 press {('left', 'right')[at % 2]}" for at in range(lines + 500)]
    log = list[bytes]()
    play(parse("\n".join(acts), "floods"), settings(99), UI_OPTIONS, log.append)
    return renamed([line.rstrip() for line in log], match)


def after(log: Sequence[bytes], change: Callable[[bytes], bytes]) -> bytes:
    """Return the last line of a log, changed, as another one in its place."""
    return sealed([change(body(log[-1]))], stated_hash(log[-2]) or "")[0]


def variant(log: Sequence[bytes], at: int) -> bytes:
    """Return a fork of the last line of a log: only its time of day differs."""
    return after(log, lambda line: line.replace(b'"wall":"2', b'"wall":"%d ' % at))


def filled(lines: Sequence[bytes]) -> Message:
    """Return as many lines as a message may have, from the first one on."""
    payload = b"\n".join(lines)[: MAX_PAYLOAD + 1]
    return Topic.LOG, payload[: payload.rindex(b"\n")]


def inventory(*logs: Sequence[bytes], hash_: str = "") -> Message:
    """Return an inventory of logs, the present one first; `hash_` is another one's."""
    found = (
        LoggedLines(
            msgspec.json.decode(log[0])["match"], len(log), hash_ or stated_hash(log[-1]) or ""
        )
        for log in logs
    )
    return Topic.LOGS, encode(Inventory(tuple(found)))


def beat(boot: str, match: str = "own", seq: int = LINES) -> Message:
    """Return a heartbeat."""
    return Topic.HEARTBEAT, encode(LinkHeartbeat(boot, 1, match, seq))


def claim(name: str) -> bytes:
    """Return a first line that says to continue a match, as after a failure."""
    return continued(salvage(long_log("other")[:9], None), "another clock", name)[0]


def messages() -> Iterator[tuple[str, list[Message]]]:
    """Yield each kind with the messages of its worst case: the last one is measured."""
    own, other = long_log("own"), long_log("other")
    log, shown = own[:LINES], inventory(own[:LINES])
    yield "lines: new ones", [shown, filled(own[LINES:])]
    yield "lines: known ones", [shown, filled(own)]
    yield "lines: damaged ones", [shown, filled([b"[%b" % line for line in own])]
    yield "lines: after a gap", [shown, filled(own[LINES + 50 :])]
    forks = [variant(log, at) for at in range(10 * FORKS)]
    yield "lines: forks of the last one", [shown, filled(forks)]
    yield "lines: a fork of the first one", [shown, (Topic.LOG, claim("own"))]
    yield "lines: of another own match", [shown, (Topic.LOG, other[LINES])]
    begun = [renamed(own[:1], f"m{at}")[0] for at in range(400)]
    yield "lines: of new matches", [shown, filled(begun)]
    claims = [claim(f"m{at}") for at in range(400)]
    yield "lines: claims to continue a match", [shown, filled(claims)]
    yield "inventory: another present match", [shown, inventory(other[:LINES])]
    yield "inventory: a log with another hash", [shown, inventory(other[:LINES], hash_="0" * 32)]
    many = [renamed(own[:1], f"n{at}") for at in range(MAX_LOGS)]
    yield "inventory: 20 logs", [inventory(*many)]
    yield "heartbeat", [shown, beat("b"), beat("c", seq=LINES + 9), beat("d", seq=LINES + 9)]
    yield "state of the link", [(Topic.LINK, encode(LinkState("online", 1, damage="x" * 1000)))]
    yield (
        "answer to an offer",
        [(Topic.OFFERED, encode(OfferReceipt(9, put=False, why="x" * 1000)))],
    )
    yield "lines: none at all", [(Topic.LOG, b"\n" * MAX_PAYLOAD)]


class Held(NamedTuple):
    """How long a message holds each thread, in milliseconds."""

    broker_ms: float
    pages_ms: float


def held_by(sent: Sequence[Message]) -> Held:
    """Let a hub that has two logs of the clock handle messages; return what the last one costs.

    It is the time of the processor: other programs of this computer do not count.
    """
    store, broker_ms = Store(), 0.0
    try:
        for match in ("own", "other"):
            log = enumerate(long_log(match)[:LINES], 1)
            store.keep([NewLine(PLACE.key, match, at, Verdict.STORED, line) for at, line in log])
        store.flush()
        hub = TimedHub(Register(time.monotonic_ns(), recall=store.known), store)
        clock = ClockAtBroker(PLACE, store, QUOTA)
        for topic, payload in sent:
            hub.settle_all()
            gc.collect()
            gc.freeze()  # else what this program keeps would be looked through, too
            hub.longest_ms, begun_ns = 0.0, time.thread_time_ns()
            clock.handle(topic, payload, time.monotonic_ns(), hub.take)
            broker_ms = (time.thread_time_ns() - begun_ns) / MILLISECOND_NS
        hub.settle_all()
        return Held(broker_ms, hub.longest_ms)
    finally:
        store.close()


class TimedHub(Hub):
    """A hub that measures its updates."""

    longest_ms = 0.0

    def __init__(self, register: Register, store: Store) -> None:
        super().__init__(register, store, time.monotonic_ns)

    def update(self, *, everything: bool = False) -> None:
        """See `Hub`."""
        begun_ns = time.thread_time_ns()
        super().update(everything=everything)
        took_ms = (time.thread_time_ns() - begun_ns) / MILLISECOND_NS
        self.longest_ms = max(self.longest_ms, took_ms)

    def take(self, event: SourceEvent) -> None:
        """Let an event wait."""
        self.put(event)

    def settle_all(self) -> None:
        """Handle all that waits, with an event loop of its own."""
        asyncio.run(self.settle())


# --- rooms with a flood ---------------------------------------------------------------------------


class Flood(NamedTuple):
    """What a clock sends again and again."""

    name: str
    each_s: int  # messages a second
    messages: Iterator[Message]


def two_logs() -> tuple[list[bytes], list[bytes]]:
    """Return the logs of two matches, as long as some matches are."""
    return long_log("own")[:SHORT], long_log("other")[:SHORT]


def floods() -> list[Flood]:
    """Return all floods of a clock that has `two_logs`."""
    own, other = two_logs()
    forks = (b"\n".join(variant(own, FORKS * at + each) for each in range(FORKS)) for at in count())
    short = [inventory(log[:-1], hash_="0" * 32) for log in (own, other)]
    ends = (
        message
        for at in count(SHORT + 1)
        for message in (
            inventory(own, long_log("other")[:at]),
            (Topic.LOG, long_log("other")[at - 1]),
        )
    )
    return [
        Flood("none", 0, iter(())),
        Flood("250 forks of a line in a message", 2, ((Topic.LOG, each) for each in forks)),
        Flood("inventories of two matches in turn", 10, cycle([inventory(own), inventory(other)])),
        Flood("inventories with another hash", 10, cycle(short)),
        Flood("a match that ends with each line", 20, ends),
        Flood("a known line", 20, cycle([(Topic.LOG, own[-1])])),
        Flood("known lines, 128 kB", 20, cycle([filled(own)])),
        Flood("heartbeats of new boots", 2000, (beat(f"b{at}") for at in count())),
    ]


def send_flood(login: Broker, number: int, begun: "Event") -> None:
    """Send two logs, then a flood without end; in a process of its own."""
    own, other = two_logs()
    flood, waiting = floods()[number], threading.Event()
    with Peer(login) as peer:
        send = partial(_send, peer, login.username)
        peer.subscribe(clock_topic(ROOM, login.username, Topic.ACK))
        send(inventory(own, other))
        for log in (own, other):
            for at in range(0, SHORT, PART):
                send((Topic.LOG, b"\n".join(log[at : at + PART])))
        have = dict[str, int]()
        while have != {"own": SHORT, "other": SHORT}:
            ack = decode(peer.next()[1], Ack)
            have |= {match: point.seq for match, point in ack.have.items()} if ack else {}
        begun.set()
        for at, message in enumerate(flood.messages):
            if at % flood.each_s == 0:
                waiting.wait(1 - (time.perf_counter() % 1))
            send(message)


def _send(peer: Peer, clock: str, message: Message) -> None:
    topic, payload = message
    peer.send(clock_topic(ROOM, clock, topic), payload)


def flooded(number: int) -> Costs:
    """Return what the other clocks of a room notice of a flood."""
    with ExitStack() as opened:
        hall, room = opened_hall(CLOCKS, opened, FLOODER)
        spawned = get_context("spawn")
        begun = spawned.Event()
        process = spawned.Process(target=send_flood, args=(room.login(FLOODER), number, begun))
        process.start()
        opened.callback(process.join)
        opened.callback(process.kill)
        begun.wait()
        return hall.measure()


def figures() -> Iterator[Figure]:
    """Measure and yield each figure."""
    for name, sent in messages():
        held = held_by(sent)
        yield at_most(name, [held.broker_ms], "ms", MESSAGE_MS)
        yield at_most("the same, for the pages", [held.pages_ms], "ms", MESSAGE_MS)
    if shutil.which("mosquitto", path=PROGRAM_PATH) is None:
        print("There is no broker: sudo apt install mosquitto")
        return
    for number, flood in enumerate(floods()):
        costs = flooded(number)
        late = [percentile_99(costs.delays_ms)]
        yield at_most(f"60 others, p99, flood: {flood.name}", late, "ms", LATE_MS)
        yield at_most("boards whose latest line did not come", [costs.behind], "", 0)
