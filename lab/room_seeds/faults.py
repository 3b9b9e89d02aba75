"""Faults that somebody could make in the product, each of which a law must see in some room.

python -m lab.room_seeds.faults FAULT -m MODULE ARGUMENT...    run a program with one of them
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from runpy import run_module
from typing import Any
from unittest.mock import patch

import msgspec

from clock.storage.disk import Disk
from clock.storage.journal import Journal
from lab.prove.delivery_faults import ACKNOWLEDGES_EARLY, NEVER_ASKS, STORES_AFTER_A_GAP
from lab.room_seeds import laws
from lab.room_seeds.options import Options, options_of
from lab.room_seeds.room import play
from lab.support.faults import Fault, MissedError, Wrong, replaced, seeded, wrapped
from room.boards import liveness
from room.boards.effects import NewLine
from room.boards.followed_log import StoredLog
from room.boards.place_logs import PlaceLogs
from room.broker.delivery.sender import Outgoing, Sender
from room.broker.link import Link
from room.broker.source import Mqtt
from room.broker.topics import HubState
from room.hub.store import items
from room.hub.store.database import Database
from room.hub.store.store import Store
from room.lines.inbox import LogHashes
from room.lines.timing import Timing
from room.sources import tail
from room.sources.directory import DirectoryFollower

MOST_SEEDS = 60  # in which a fault is looked for


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """A fault that was seen."""

    name: str
    law: str
    seed: int
    seconds: float
    """Of the simulated room, until a law saw it."""


CARDS = ("card fails", "card is full", "card lies")


def _forgets_a_line(connect: Any, self: Sender, store: str | None, now_ns: int) -> None:
    logs: dict[str, Outgoing] = vars(self)["_logs"]
    for log in logs.values():
        if len(log.lines) > 1:
            log.lines.pop()
            log.hashes = LogHashes(log.hashes.match, log.hashes.by_line[:-1])
    connect(self, store, now_ns)


def _changes_bytes(write: Any, database: Database, lines: Sequence[NewLine]) -> None:
    write(database, [each._replace(line=each.line.replace(b"+00:00", b"Z")) for each in lines])


def _keeps_to_the_first_hub(handle: Any, self: Link, hub: HubState) -> None:
    if not (hub.state == "online" and vars(self)["_hub"].state == "online"):
        handle(self, hub)


def _drops_what_fails(write: Any, self: Store, items: Sequence[Any]) -> str:
    error: str = write(self, items)
    if error:
        vars(self)["_queue"].written(len(items), 0)
    return error


def _goes_on_after_a_gap(fail: Any, self: Journal, what: str, error: Exception) -> None:
    for log in vars(self)["_logs"]:
        vars(log)["_unsynced"].clear()
    fail(self, what, error)


@contextmanager
def _nobody_syncs() -> Iterator[None]:
    with (
        patch.object(Disk, "append", lambda self, file, data: self.write(file, data)),
        patch.object(tail, "_sync", lambda _: None),
    ):
        yield


def _recalls_nothing(begin: Any, self: PlaceLogs, *arguments: Any) -> None:
    begin(self, *arguments)
    vars(self)["_recall"] = lambda match, source: StoredLog()


def _believes_the_first(
    hear: Any, timing: Timing, boot: str, sent_ns: int, arrival_ns: int
) -> Timing:
    known = timing.boot == boot and timing.slices
    found: Timing = timing if known else hear(timing, boot, sent_ns, arrival_ns)
    return found


FAULTS = seeded(
    {
        laws.hub_tells_what_it_has: {
            "the hub acknowledges lines before it stores them": ACKNOWLEDGES_EARLY
        },
        laws.boards_show_what_was_written: {
            "the hub stores a line after a gap": STORES_AFTER_A_GAP,
            "the lines of two clocks come to one board": wrapped(
                Mqtt,
                "_clock",
                lambda clock, self, name: clock(self, "c1" if name == "c2" else name),
            ),
            "a hub that has begun anew does not recall the logs": wrapped(
                PlaceLogs, "__init__", _recalls_nothing
            ),
        },
        laws.hub_has_every_log: {
            "the hub does not ask for what it lacks": NEVER_ASKS,
            "a link forgets a line when it connects again": wrapped(
                Sender, "connect", _forgets_a_line
            ),
            "a link does not notice that the hub has begun anew": wrapped(
                Link, "_handle_hub", _keeps_to_the_first_hub, first=84
            ),
            "a link does not look at earlier logs again": replaced(
                DirectoryFollower, "_read_left", lambda self: None, first=145
            ),
        },
        laws.stored_logs_are_whole: {
            "the store drops what it could not write": wrapped(Store, "_write", _drops_what_fails)
        },
        laws.each_line_was_written: {
            "the store writes a date in another form": wrapped(items, "write_lines", _changes_bytes)
        },
        laws.no_time_is_taken: {
            "the hub keeps the time of a clock's earlier boot": wrapped(
                liveness,
                "hear",
                lambda hear, timing, boot, *at: hear(timing._replace(boot=boot), boot, *at),
            )
        },
        laws.boards_are_on_time: {
            "the hub believes the first message of a clock not to be late": wrapped(
                liveness, "hear", _believes_the_first, first=48
            )
        },
        laws.logs_on_cards_are_whole: {
            "a clock's journal goes on after a gap": wrapped(
                Journal, "_fail", _goes_on_after_a_gap, without=("card lies",)
            )
        },
        laws.cards_keep_what_they_have: {
            "neither the clock nor its link syncs a line": Wrong(_nobody_syncs, {"without": CARDS}),
            "a clock syncs no directory": replaced(
                Disk, "sync_directory", lambda self, directory: None, without=CARDS
            ),
        },
    }
)


def room_of(fault: Fault, seed: int) -> Options:
    """Return the options of the room in which a fault is looked for."""
    options = options_of(seed)
    kept = {
        each: s
        for each, s in options.incidents.items()
        if each not in fault.needs.get("without", ())
    }
    return msgspec.structs.replace(options, incidents=kept)


def see(fault: Fault) -> Seen:
    """Put a fault in, and play rooms until a law sees it.

    Raises:
        MissedError: none does, or another one than expected does.
    """
    first = fault.needs.get("first", 1)  # the seed that has an incident which shows it
    for seed in range(first, first + MOST_SEEDS):
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
    fault.must_be(found.law, f"seed {seed}: {found.what}")
    return Seen(name=fault.name, law=found.law, seed=seed, seconds=round(found.at_ns / 1e9, 1))


if __name__ == "__main__":
    _, wanted, _, module, *sys.argv[1:] = sys.argv
    with next(fault for fault in FAULTS if fault.name == wanted).put_in():
        run_module(module, run_name="__main__", alter_sys=True)
