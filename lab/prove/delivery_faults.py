"""Faults that somebody could make in the delivery of logs, each of which a law must see."""

from typing import Any
from unittest.mock import patch

from clock.eventlog.codec import stated_hash
from lab.prove.delivery_laws import (
    all_arrives_in_the_end,
    clock_forgets_only_what_is_stored,
    few_lines_are_on_their_way,
    hub_tells_what_it_has,
    stored_lines_stay,
    stored_logs_are_whole,
)
from lab.prove.delivery_sides import Hub, place_of
from lab.prove.search import NO_EXCEPTION
from lab.support.faults import replaced, seeded, wrapped
from room.broker.delivery import receiver, sender
from room.broker.delivery.receiver import Receiver
from room.broker.delivery.sender import PATIENCE_NS, Outgoing, Sender
from room.broker.topics import Ack
from room.lines.inbox import LogHashes, Point, Verdict

Received = tuple[LogHashes, Verdict]

# --- in the sender ----------------------------------------------------------------------------


def _counts_twice(settle: Any, self: Sender, log: Outgoing, have: Point, ask: int) -> bool:
    is_more: bool = settle(self, log, have, ask)
    log.saved = min(log.hashes.seq, log.saved + is_more)
    return is_more


def _obeys_any_database(acknowledge: Any, self: Sender, ack: Ack, now_ns: int) -> None:
    store = vars(self)["_store"]
    if store is not None:
        acknowledge(self, Ack(store, ack.have, ack.ask), now_ns)


def _sends_ahead(batch: Any, self: Sender) -> bytes | None:
    with patch.object(sender, "WINDOW", 99):
        sent: bytes | None = batch(self)
    return sent


def _says_it_once(self: Sender) -> int | None:
    inside = vars(self)
    news: int | None = inside["_news_ns"]
    return None if inside["_store"] is None else news


def _is_silent_when_all_seems_there(self: Sender) -> int | None:
    news, inside = _says_it_once(self), vars(self)
    if inside["_store"] is None or self.is_complete:
        return news
    return int(inside["_progress_ns"]) + PATIENCE_NS


# --- in the receiver --------------------------------------------------------------------------


def _after_a_gap(receive: Any, hashes: LogHashes, line: bytes) -> Received:
    found: Received = receive(hashes, line)
    if found[1] is not Verdict.MISSING:
        return found
    match, seq = place_of(line)
    gap = [""] * (seq - hashes.seq - 1)
    return LogHashes(match, (*hashes.by_line, *gap, stated_hash(line) or "")), Verdict.STORED


def _no_fork(receive: Any, hashes: LogHashes, line: bytes) -> Received:
    found, verdict = receive(hashes, line)
    return (hashes, Verdict.KNOWN) if verdict is Verdict.FORK else (found, verdict)


def _known_again(receive: Any, hashes: LogHashes, line: bytes) -> Received:
    found, verdict = receive(hashes, line)
    return found, Verdict.STORED if verdict is Verdict.KNOWN else verdict


def _not_yet_on_disk(_: object, self: Receiver, match: str, seq: int) -> Point:
    hashes: LogHashes = vars(Receiver)["_hashes_of"](self, match)
    return hashes.point(min(hashes.seq, seq))


def _never_asks(ask: Any, *given: Any) -> Ack:
    ack: Ack = ask(*given)
    return Ack(ack.store, ack.have)


def _keeps_hashes(restart: Any, self: Hub) -> None:
    known = vars(self).get("receiver")
    hashes = {} if known is None or self.disk else vars(known)["_hashes"]
    restart(self)
    vars(self.receiver)["_hashes"].update(hashes)


# In a room of real programs, too (lab/room_seeds/faults.py):
ACKNOWLEDGES_EARLY = wrapped(Receiver, "_on_disk", _not_yet_on_disk)
STORES_AFTER_A_GAP = wrapped(receiver, "receive", _after_a_gap)
NEVER_ASKS = wrapped(Receiver, "_ask", _never_asks)

FAULTS = seeded(
    {
        clock_forgets_only_what_is_stored: {
            "the clock counts an acknowledgement twice": wrapped(Sender, "_settle", _counts_twice),
            "the clock obeys a database that was replaced": wrapped(
                Sender, "acknowledge", _obeys_any_database
            ),
            "the clock keeps what was acknowledged of lines that it lost": replaced(
                Outgoing, "go_back", lambda self, seq: None, losses=1
            ),
            "the clock keeps what another database acknowledged": replaced(
                Outgoing, "forget", lambda self: None
            ),
        },
        few_lines_are_on_their_way: {
            "the clock sends lines without a limit": wrapped(
                Sender, "batch", _sends_ahead, lines=(("a", 3),)
            )
        },
        all_arrives_in_the_end: {
            "the clock never repeats what logs it has": replaced(
                Sender, "due_ns", _says_it_once, lines=(("a", 1), ("b", 1))
            ),
            "the clock is silent when all seems to be there": replaced(
                Sender, "due_ns", _is_silent_when_all_seems_there, losses=1
            ),
            "the hub does not ask for what it lacks": NEVER_ASKS,
            "the hub keeps the lines that the clock has lost": wrapped(
                receiver, "receive", _no_fork, losses=1
            ),
            "the hub says nothing of lines that it has": replaced(
                Receiver, "_repeated", lambda self, match, known: [], losses=1, window=1, up=1
            ),
        },
        stored_logs_are_whole: {
            "the hub takes a line after a gap": STORES_AFTER_A_GAP,
            "a hub with a new database keeps what it knew of the old one": wrapped(
                Hub, "_restart", _keeps_hashes
            ),
        },
        stored_lines_stay: {
            "the hub stores a line again that it has": wrapped(receiver, "receive", _known_again)
        },
        hub_tells_what_it_has: {
            "the hub acknowledges lines before they are on its disk": ACKNOWLEDGES_EARLY
        },
        NO_EXCEPTION: {
            "a log without a line has a latest line": replaced(
                LogHashes, "point", lambda self, seq: Point(seq, self.by_line[seq - 1])
            )
        },
    }
)
