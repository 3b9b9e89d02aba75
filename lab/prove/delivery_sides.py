"""The two sides of the delivery: the link of a clock with its card, the hub with its database.

Both run the real `Sender` and `Receiver`. States of a side that lead on alike have one form:

- Instants are left out. The sender's patience may end at any moment, so whatever happens at one
  instant can happen in the search at each.
- A database has no name but whether it is the hub's present one or one that was replaced: none of
  those comes back, so it does not matter which of them a message is from.
- What the receiver says of lines for the boards (`_listed`, `_present`) decides nothing here.
- Lines that wait for the disk are written together, so that their order between logs means nothing.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple
from unittest.mock import patch

from clock.eventlog.codec import Chain, stated_hash
from clock.match.events import Writer
from clock.match.machine import open_match
from clock.match.profiles import PROFILES
from clock.match.rules import Format, MatchSettings
from clock.match.types import Pair
from room.broker.delivery import receiver, sender
from room.broker.delivery.receiver import Receiver
from room.broker.delivery.sender import Sender
from room.broker.topics import Ack, Inventory, LinkHeartbeat
from room.lines.inbox import Point, envelope_of
from room.lines.quota import Allowance, Quota

PRESENT, REPLACED = "present", "replaced"  # databases
BOUNDLESS = Quota(10**9, 10**9, 10**9)  # none is reached here
BRANCHES = "abcdefgh"  # a line is known by its own branch and those of the lines before it

Message = bytes | Inventory | LinkHeartbeat | Ack
Log = tuple[bytes, ...]
Lines = tuple[tuple[str, int], ...]  # how many each match has, in the order of the matches


class Bounds(NamedTuple):
    """What happens at most, and how large the parts of the delivery are."""

    lines: Lines
    losses: int = 0  # how often the card loses the end of a log
    up: int = 2  # messages that the broker holds for the hub
    down: int = 2  # and for the clock
    window: int = 2  # lines of a log on their way at once
    batch: int = 2  # lines in a message
    held: int = 4  # logs whose hashes the hub holds in memory


class Act(NamedTuple):
    """What one side does."""

    name: str
    number: int = 0  # of lines that are left on the card
    message: Message | None = None  # that it takes

    def text(self) -> str:
        """Return it in words."""
        if self.message is not None:
            return f"take {shown(self.message)}"
        return f"{self.name}: {self.number} kept" if self.number else self.name


@cache
def log_of(match: str, branches: str) -> Log:
    """Return the lines of a log, of which each took a branch."""
    if not branches:
        return ()
    before = log_of(match, branches[:-1])
    rules, names = PROFILES["ebf"], Pair("a", "b")
    settings = MatchSettings(
        length=1, score=Pair(0, 0), names=names, format=Format.SINGLE, rules=rules
    )
    _, record = open_match(settings, 0, Writer("1", "", "", "kernel"))
    chain = Chain(match, "", len(before), point_of(before).hash)
    return *before, chain.append(record, branches[-1])[1].removesuffix(b"\n")


def point_of(log: Sequence[bytes]) -> Point:
    """Return the latest line of a log."""
    return Point(len(log), stated_hash(log[-1]) or "") if log else Point()


def place_of(line: bytes) -> tuple[str, int]:
    """Return the match and the number of a line."""
    envelope = envelope_of(line)
    assert envelope is not None
    return envelope.match, envelope.seq


def shown(message: Message) -> str:
    """Return a message in words."""
    match message:
        case bytes():
            places = (place_of(line) for line in message.split(b"\n"))
            return "lines " + " ".join(f"{match}{seq}" for match, seq in places)
        case Inventory(logs=logs):
            return "inventory " + " ".join(f"{log.match}{log.lines}" for log in logs)
        case LinkHeartbeat(match=match, seq=seq):
            return f"heartbeat {match}{seq}"
        case Ack(store=store, have=have, ask=ask):
            points = " ".join(f"{match}{point.seq}" for match, point in have.items())
            asked = f", send from {ask}" if ask else ""
            return f"the {store} database has {points}{asked}"


class Clock:
    """A clock that writes lines on its card, and its link."""

    def __init__(self, bounds: Bounds) -> None:
        self.bounds = bounds
        self.files: dict[str, str] = {}  # the branches of each log's lines, the present log last
        self.losses = 0
        self.sender = Sender()

    def acts(self) -> Iterator[Act]:
        """Yield what it can do."""
        if self._next_match():
            yield Act("write")
        if self.files and self.losses < self.bounds.losses:
            for kept in range(1, len(self.files[self._present]) + 1):
                yield Act("lose lines", kept)
        yield from map(Act, ("restart link", "find hub", "lose hub"))
        yield from map(Act, ("send inventory", "send lines", "send heartbeat"))

    def do(self, act: Act) -> list[Message]:
        """Do something, and return what it sends."""
        with patch.multiple(sender, WINDOW=self.bounds.window, MAX_LINES=self.bounds.batch):
            return self._do(act)

    def _do(self, act: Act) -> list[Message]:
        match act.name:
            case "write":
                self._write(self._next_match())
            case "lose lines":
                self.losses += 1
                self.files[self._present] = self.files[self._present][: act.number]
            case "restart link":
                self._restart_link()
            case "find hub":
                self.sender.connect(PRESENT, 0)
            case "lose hub":
                self.sender.connect(None, 0)
            case "take" if isinstance(act.message, Ack):
                self.sender.acknowledge(act.message, 0)
            case sending:
                return list(self._sent(sending))
        return []

    @property
    def store(self) -> str | None:
        """The database of the hub that the link knows."""
        store: str | None = vars(self.sender)["_store"]
        return store

    def see_replaced(self) -> None:
        """Let the hub have another database, of which the link does not know yet."""
        if self.store == PRESENT:
            vars(self.sender)["_store"] = REPLACED

    def saved(self) -> dict[str, Log]:
        """Return the lines of each log that the hub has on its disk, as the link believes."""
        logs = vars(self.sender)["_logs"]
        return {match: tuple(log.lines[: log.saved]) for match, log in logs.items()}

    @property
    def _present(self) -> str:
        return next(reversed(self.files))

    def _next_match(self) -> str:
        """Return of which match the next line is; "": all are written."""
        for match, most in self.bounds.lines[max(0, len(self.files) - 1) :]:
            if len(self.files.get(match, "")) < most:
                return match
        return ""

    def _write(self, match: str) -> None:
        self.files[match] = self.files.get(match, "") + BRANCHES[self.losses]
        self.sender.add(log_of(match, self.files[match])[-1:], 0, is_present=True)

    def _restart_link(self) -> None:
        """Read the card anew: the present log first, the earlier ones from the latest."""
        self.sender = Sender()
        for match in reversed(self.files):
            lines, is_present = log_of(match, self.files[match]), match == self._present
            self.sender.add(lines, 0, is_present=is_present)

    def _sent(self, sending: str) -> Iterator[Message]:
        if self.store is None and sending == "send heartbeat":
            return
        match sending:
            case "send heartbeat":
                yield LinkHeartbeat("", 0, self.sender.match, self.sender.latest().seq)
            case "send lines":
                yield from filter(None, [self.sender.batch()])
            case _:
                due_ns = self.sender.due_ns()
                yield from filter(None, [due_ns is not None and self.sender.inventory(due_ns)])

    def form(self) -> object:
        """Return all that its future depends on."""
        inside = vars(self.sender)
        inside["_progress_ns"] = inside["_told_ns"] = 0
        inside["_news_ns"] = None if inside["_news_ns"] is None else 0
        logs = [
            (match, tuple(log.lines), log.hashes, log.saved, log.next, log.is_known)
            for match, log in inside["_logs"].items()
        ]
        told = (self.store, inside["_news_ns"], self.sender.match, self.sender.damage)
        return (tuple(self.files.items()), self.losses, tuple(logs), *told)


class Hub:
    """A hub and its database."""

    def __init__(self, bounds: Bounds) -> None:
        self.bounds = bounds
        self.disk: dict[str, Log] = {}
        self.had: frozenset[bytes] = frozenset()  # lines that were ever on this disk
        self._restart()

    def _restart(self) -> None:
        self.waiting: dict[str, Log] = {}  # for the disk
        self.receiver = Receiver(PRESENT, self.saved, self.recall, Allowance(BOUNDLESS))

    def saved(self, match: str) -> Point:
        """See `Receiver`."""
        return point_of(self.disk.get(match, ()))

    def recall(self, match: str) -> Iterable[bytes]:
        """See `Receiver`."""
        return continued(self.disk.get(match, ()), self.waiting.get(match, ()))

    def acts(self) -> Iterator[Act]:
        """Yield what it can do."""
        yield from map(Act, ("write to disk", "restart hub", "new database"))

    def do(self, act: Act) -> list[Message]:
        """Do something, and return what it sends."""
        with patch.object(receiver, "MAX_HELD", self.bounds.held):
            return self._do(act)

    def _do(self, act: Act) -> list[Message]:
        match act.name:
            case "write to disk":
                return self._commit()
            case "restart hub":
                self._restart()
            case "new database":
                self.disk, self.had = {}, frozenset()
                self._restart()
            case _:
                return self._take(act.message)
        return []

    def _commit(self) -> list[Message]:
        waiting, self.waiting = self.waiting, {}
        for match, lines in waiting.items():
            self.disk[match] = continued(self.disk.get(match, ()), lines)
            self.had |= frozenset(lines)
        return [self.receiver.committed(match, self.saved(match)) for match in waiting]

    def _take(self, message: Message | None) -> list[Message]:
        match message:
            case Inventory():
                return [*self.receiver.inventory(message)]
            case LinkHeartbeat():
                return [*self.receiver.heartbeat(message)]
            case bytes():
                return self._take_lines(message)
            case _:
                return []

    def _take_lines(self, payload: bytes) -> list[Message]:
        incoming, acks = self.receiver.lines(payload)
        for match, lines, *_ in incoming:
            self.waiting[match] = (*self.waiting.get(match, ()), *lines)
        return [*acks]

    def form(self) -> object:
        """Return all that its future depends on."""
        inside = vars(self.receiver)
        inside["_listed"], inside["_present"] = {}, ""
        self.waiting = dict(sorted(self.waiting.items()))
        stored = (tuple(sorted(self.disk.items())), self.had, tuple(self.waiting.items()))
        asked = (tuple(sorted(inside["_asked"].items())), inside["_behind"])
        return (*stored, tuple(inside["_hashes"].items()), *asked)


def continued(log: Log, lines: Iterable[bytes]) -> Log:
    """Return a log with lines that follow it, or follow a line of it, as the database keeps it."""
    for line in lines:
        log = (*log[: place_of(line)[1] - 1], line)
    return log
