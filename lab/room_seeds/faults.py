"""Faults that somebody could make in the product, each of which a law must see in some room."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, NamedTuple
from unittest.mock import patch

import msgspec

from clock.eventlog.codec import stated_hash
from clock.storage.disk import Disk
from clock.storage.journal import Journal
from lab.room_seeds import laws
from lab.room_seeds.options import Options, options_of
from lab.room_seeds.room import play
from room.boards import liveness
from room.boards.effects import NewLine
from room.boards.followed_log import StoredLog
from room.boards.place_logs import PlaceLogs
from room.broker.delivery import receiver
from room.broker.delivery.receiver import Receiver
from room.broker.delivery.sender import Outgoing, Sender
from room.broker.link import Link
from room.broker.source import Mqtt
from room.broker.source_clock import ClockAtBroker
from room.broker.topics import Ack, HubState
from room.hub.store import items, tables
from room.hub.store.database import Database
from room.hub.store.store import Store
from room.lines.inbox import Head, Point, Verdict, envelope_of, receive
from room.lines.timing import Timing, hear
from room.sources import tail
from room.sources.directory import DirectoryFollower

MOST_SEEDS = 60  # in which a fault is looked for
Law = Callable[..., object]


class Fault(NamedTuple):
    """A fault, and the law that must see it."""

    name: str
    law: str
    put_in: Callable[[], AbstractContextManager[object]]
    without: Sequence[str] = ()  # incidents that would hide it
    first: int = 1  # the seed with which to begin


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """A fault that was seen."""

    name: str
    law: str
    seed: int
    seconds: float
    """Of the simulated room, until a law saw it."""


class MissedError(Exception):
    """No room showed a fault, or another law saw it first."""


_OWNERS = (Receiver, Sender, Link, Mqtt, Store, Journal, PlaceLogs)
_OF: dict[type, dict[str, Any]] = {owner: dict(vars(owner)) for owner in _OWNERS}
_WRITE_LINES = tables.write_lines
CARDS = ("card fails", "card is full", "card lies")


def _acknowledges_early(self: Receiver, match: str, seq: int) -> Point:
    head: Head = _OF[Receiver]["_head"](self, match)
    return head.point(min(head.seq, seq))


def _after_a_gap(head: Head, line: bytes) -> tuple[Head, Verdict]:
    found, verdict = receive(head, line)
    envelope = envelope_of(line)
    if verdict is not Verdict.MISSING or envelope is None:
        return found, verdict
    gap = [""] * (envelope.seq - head.seq - 1)
    return Head(envelope.match, (*head.hashes, *gap, stated_hash(line) or "")), Verdict.STORED


def _forgets_a_line(self: Sender, store: str | None, now_ns: int) -> None:
    logs: dict[str, Outgoing] = vars(self)["_logs"]
    for log in logs.values():
        if len(log.lines) > 1:
            log.lines.pop()
            log.head = Head(log.head.match, log.head.hashes[:-1])
    _OF[Sender]["connect"](self, store, now_ns)


def _never_asks(self: Receiver, match: str, have: Point, seq: int) -> Ack:
    ack: Ack = _OF[Receiver]["_ask"](self, match, have, seq)
    return Ack(ack.store, ack.have)


def _changes_bytes(database: Database, lines: Sequence[NewLine]) -> None:
    changed = [each._replace(line=each.line.replace(b"+00:00", b"Z")) for each in lines]
    _WRITE_LINES(database, changed)


def _keeps_to_the_first_hub(self: Link, hub: HubState) -> None:
    if not (hub.state == "online" and vars(self)["_hub"].state == "online"):
        _OF[Link]["_handle_hub"](self, hub)


def _takes_all_for_one(self: Mqtt, name: str) -> ClockAtBroker:
    clock: ClockAtBroker = _OF[Mqtt]["_clock"](self, "c1" if name == "c2" else name)
    return clock


def _drops_what_fails(self: Store, items: Sequence[Any]) -> str:
    error: str = _OF[Store]["_write"](self, items)
    if error:
        vars(self)["_queue"].written(len(items), 0)
    return error


def _goes_on_after_a_gap(self: Journal, what: str, error: Exception) -> None:
    for log in vars(self)["_logs"]:
        vars(log)["_unsynced"].clear()
    _OF[Journal]["_fail"](self, what, error)


def _does_not_sync(self: Disk, file: int, data: bytes) -> None:
    self.write(file, data)


@contextmanager
def _nobody_syncs() -> Iterator[None]:
    with patch.object(Disk, "append", _does_not_sync), patch.object(tail, "_sync", _ignored):
        yield


def _ignored(_: object) -> None:
    pass


def _recalls_nothing(self: PlaceLogs, *arguments: Any) -> None:
    _OF[PlaceLogs]["__init__"](self, *arguments)
    vars(self)["_recall"] = lambda match, source: StoredLog()


def _keeps_the_old_boot(timing: Timing, boot: str, sent_ns: int, arrival_ns: int) -> Timing:
    return hear(timing._replace(boot=boot), boot, sent_ns, arrival_ns)


def _believes_the_first(timing: Timing, boot: str, sent_ns: int, arrival_ns: int) -> Timing:
    known = timing.boot == boot and timing.slices
    return timing if known else hear(timing, boot, sent_ns, arrival_ns)


def _of(owner: object, name: str, wrong: Any) -> Callable[[], AbstractContextManager[object]]:
    return lambda: patch.object(owner, name, wrong)


FAULTS = (
    Fault(
        "the hub acknowledges lines before it stores them",
        laws.hub_tells_what_it_has.__name__,
        _of(Receiver, "_on_disk", _acknowledges_early),
    ),
    Fault(
        "the hub stores a line after a gap",
        laws.boards_show_what_was_written.__name__,
        _of(receiver, "receive", _after_a_gap),
    ),
    Fault(
        "the hub does not ask for what it lacks",
        laws.hub_has_every_log.__name__,
        _of(Receiver, "_ask", _never_asks),
    ),
    Fault(
        "the store drops what it could not write",
        laws.stored_logs_are_whole.__name__,
        _of(Store, "_write", _drops_what_fails),
    ),
    Fault(
        "the store writes a date in another form",
        laws.each_line_was_written.__name__,
        _of(items, "write_lines", _changes_bytes),
    ),
    Fault(
        "a link forgets a line when it connects again",
        laws.hub_has_every_log.__name__,
        _of(Sender, "connect", _forgets_a_line),
    ),
    Fault(
        "a link does not notice that the hub has begun anew",
        laws.hub_has_every_log.__name__,
        _of(Link, "_handle_hub", _keeps_to_the_first_hub),
        first=84,
    ),
    Fault(
        "a link does not look at earlier logs again",
        laws.hub_has_every_log.__name__,
        _of(DirectoryFollower, "_read_left", lambda self: None),
        first=145,
    ),
    Fault(
        "the lines of two clocks come to one board",
        laws.boards_show_what_was_written.__name__,
        _of(Mqtt, "_clock", _takes_all_for_one),
    ),
    Fault(
        "a hub that has begun anew does not recall the logs",
        laws.boards_show_what_was_written.__name__,
        _of(PlaceLogs, "__init__", _recalls_nothing),
    ),
    Fault(
        "the hub keeps the time of a clock's earlier boot",
        laws.no_time_is_taken.__name__,
        _of(liveness, "hear", _keeps_the_old_boot),
    ),
    Fault(
        "the hub believes the first message of a clock not to be late",
        laws.boards_are_on_time.__name__,
        _of(liveness, "hear", _believes_the_first),
        first=48,
    ),
    Fault(
        "a clock's journal goes on after a gap",
        laws.logs_on_cards_are_whole.__name__,
        _of(Journal, "_fail", _goes_on_after_a_gap),
        without=("card lies",),
    ),
    Fault(
        "neither the clock nor its link syncs a line",
        laws.cards_keep_what_they_have.__name__,
        _nobody_syncs,
        without=CARDS,
    ),
    Fault(
        "a clock syncs no directory",
        laws.cards_keep_what_they_have.__name__,
        _of(Disk, "sync_directory", lambda self, directory: None),
        without=CARDS,
    ),
)


def room_of(fault: Fault, seed: int) -> Options:
    """Return the options of the room in which a fault is looked for."""
    options = options_of(seed)
    kept = {each: s for each, s in options.incidents.items() if each not in fault.without}
    return msgspec.structs.replace(options, incidents=kept)


def see(fault: Fault) -> Seen:
    """Put a fault in, and play rooms until a law sees it.

    Raises:
        MissedError: none does, or another one than expected does.
    """
    for seed in range(fault.first, fault.first + MOST_SEEDS):
        seen = seen_in(fault, seed)
        if seen is not None:
            return seen
    raise MissedError(f"not seen: {fault.name}")


def seen_in(fault: Fault, seed: int) -> Seen | None:
    """Put a fault in and play the room of a seed; return what is seen of it.

    Raises:
        MissedError: another law than the expected one does not hold.
    """
    with fault.put_in():
        found = play(room_of(fault, seed)).violation
    if found is None:
        return None
    if found.law != fault.law:
        raise MissedError(f"{fault.name}: seed {seed}: seen by {found.law}: {found.what}")
    return Seen(name=fault.name, law=found.law, seed=seed, seconds=round(found.at_ns / 1e9, 1))
