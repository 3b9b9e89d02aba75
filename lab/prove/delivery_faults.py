"""Faults that somebody could make in the delivery of logs, each of which a law must see."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, NamedTuple
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
from lab.prove.delivery_sides import Hub, Lines, place_of
from lab.prove.search import NO_EXCEPTION
from room.broker.delivery import receiver, sender
from room.broker.delivery.receiver import Receiver
from room.broker.delivery.sender import PATIENCE_NS, Outgoing, Sender
from room.broker.topics import Ack
from room.lines.inbox import Head, Point, Verdict, receive

Received = tuple[Head, Verdict]


class Fault(NamedTuple):
    """A fault and the law that sees it."""

    name: str
    law: str
    fault: Callable[[], AbstractContextManager[object]]
    losses: int = 0  # of the card, without which it does no harm
    lines: Lines = (("a", 2),)
    window: int = 2
    up: int = 2


# --- in the sender ----------------------------------------------------------------------------

# The private parts of the sender and the receiver that faults replace.
_SENDER, _RECEIVER, _HUB = (dict(vars(owner)) for owner in (Sender, Receiver, Hub))


def _counts_twice(self: Sender, log: Outgoing, have: Point, ask: int) -> bool:
    is_more: bool = _SENDER["_settle"](self, log, have, ask)
    log.saved = min(log.head.seq, log.saved + is_more)
    return is_more


def _obeys_any_database(self: Sender, ack: Ack, now_ns: int) -> None:
    store = vars(self)["_store"]
    if store is not None:
        _SENDER["acknowledge"](self, Ack(store, ack.have, ack.ask), now_ns)


def _sends_ahead(self: Sender) -> bytes | None:
    with patch.object(sender, "WINDOW", 99):
        batch: bytes | None = _SENDER["batch"](self)
    return batch


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


def _after_a_gap(head: Head, line: bytes) -> Received:
    found, verdict = receive(head, line)
    if verdict is not Verdict.MISSING:
        return found, verdict
    match, seq = place_of(line)
    gap = [""] * (seq - head.seq - 1)
    return Head(match, (*head.hashes, *gap, stated_hash(line) or "")), Verdict.STORED


def _no_fork(head: Head, line: bytes) -> Received:
    found, verdict = receive(head, line)
    return (head, Verdict.KNOWN) if verdict is Verdict.FORK else (found, verdict)


def _known_again(head: Head, line: bytes) -> Received:
    found, verdict = receive(head, line)
    return found, Verdict.STORED if verdict is Verdict.KNOWN else verdict


def _not_yet_on_disk(self: Receiver, match: str, seq: int) -> Point:
    head: Head = _RECEIVER["_head"](self, match)
    return head.point(min(head.seq, seq))


def _never_asks(self: Receiver, match: str, have: Point, seq: int) -> Ack:
    ack: Ack = _RECEIVER["_ask"](self, match, have, seq)
    return Ack(ack.store, ack.have)


def _keeps_heads(self: Hub) -> None:
    known = vars(self).get("receiver")
    heads = {} if known is None or self.disk else vars(known)["_heads"]
    _HUB["_restart"](self)
    vars(self.receiver)["_heads"].update(heads)


def _of(owner: object, name: str, wrong: Any) -> Callable[[], AbstractContextManager[object]]:
    return lambda: patch.object(owner, name, wrong)


def _fault(law: Callable[..., object], name: str, fault: Any, **needs: Any) -> Fault:
    return Fault(name, law.__name__, fault, **needs)


FAULTS = (
    _fault(
        clock_forgets_only_what_is_stored,
        "the clock counts an acknowledgement twice",
        _of(Sender, "_settle", _counts_twice),
    ),
    _fault(
        clock_forgets_only_what_is_stored,
        "the clock obeys a database that was replaced",
        _of(Sender, "acknowledge", _obeys_any_database),
    ),
    _fault(
        clock_forgets_only_what_is_stored,
        "the clock keeps what was acknowledged of lines that it lost",
        _of(Outgoing, "go_back", lambda self, seq: None),
        losses=1,
    ),
    _fault(
        clock_forgets_only_what_is_stored,
        "the clock keeps what another database acknowledged",
        _of(Outgoing, "forget", lambda self: None),
    ),
    _fault(
        few_lines_are_on_their_way,
        "the clock sends lines without a limit",
        _of(Sender, "batch", _sends_ahead),
        lines=(("a", 3),),
    ),
    _fault(
        all_arrives_in_the_end,
        "the clock never repeats what logs it has",
        _of(Sender, "due_ns", _says_it_once),
        lines=(("a", 1), ("b", 1)),
    ),
    _fault(
        all_arrives_in_the_end,
        "the clock is silent when all seems to be there",
        _of(Sender, "due_ns", _is_silent_when_all_seems_there),
        losses=1,
    ),
    _fault(
        stored_logs_are_whole,
        "the hub takes a line after a gap",
        _of(receiver, "receive", _after_a_gap),
    ),
    _fault(
        stored_logs_are_whole,
        "a hub with a new database keeps what it knew of the old one",
        _of(Hub, "_restart", _keeps_heads),
    ),
    _fault(
        stored_lines_stay,
        "the hub stores a line again that it has",
        _of(receiver, "receive", _known_again),
    ),
    _fault(
        hub_tells_what_it_has,
        "the hub acknowledges lines before they are on its disk",
        _of(Receiver, "_on_disk", _not_yet_on_disk),
    ),
    _fault(
        all_arrives_in_the_end,
        "the hub does not ask for what it lacks",
        _of(Receiver, "_ask", _never_asks),
    ),
    _fault(
        all_arrives_in_the_end,
        "the hub keeps the lines that the clock has lost",
        _of(receiver, "receive", _no_fork),
        losses=1,
    ),
    _fault(
        all_arrives_in_the_end,
        "the hub says nothing of lines that it has",
        _of(Receiver, "_repeated", lambda self, match, known: []),
        losses=1,
        window=1,
        up=1,
    ),
    Fault(
        "a log without a line has a latest line",
        NO_EXCEPTION,
        _of(Head, "point", lambda self, seq: Point(seq, self.hashes[seq - 1])),
    ),
)
