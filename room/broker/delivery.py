"""Bring logs from a clock to the hub over messages that may be lost, repeated or late.

The clock's side is `Sender`, the hub's is `Receiver`; neither knows of a network or a clock. Lines
are numbered and carry hashes, so the hub knows what it lacks and asks for it. The clock forgets
nothing before the hub has it on its disk. Both repeat what they have, never what has happened: the
clock its inventory, until the hub has all of it, and the hub what it has, whenever it is asked.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from clock.units import SECOND_NS
from room.broker.topics import MAX_LOGS, MAX_PAYLOAD, Ack, Heartbeat, Inventory, LoggedLines
from room.lines.inbox import Head, Point, Verdict, envelope_of, receive

PATIENCE_NS = 5 * SECOND_NS  # without progress, until the inventory is repeated
SETTLE_NS = SECOND_NS  # earlier logs that are read within this time are told at once
MAX_LINES = 40  # in a message
MAX_BYTES = 48 * 1024  # in a message, unless one line is longer
WINDOW = 200  # lines of a log that are on their way at once
MAX_HEADS = 4  # logs of a clock whose hashes the hub holds in memory


# --- the clock's side -----------------------------------------------------------------------------


@dataclass
class Outgoing:
    """A log of the clock."""

    head: Head = field(default_factory=Head)
    lines: list[bytes] = field(default_factory=list)
    saved: int = 0  # the hub has the lines up to this one on its disk
    next: int = 1  # the line to be sent next
    is_known: bool = False  # the hub has said what it has of this log

    @property
    def is_complete(self) -> bool:
        """Whether the hub has all of it."""
        return self.saved == self.head.seq

    def forget(self) -> None:
        """Begin as with a hub that has said nothing."""
        self.saved, self.next, self.is_known = 0, 1, False

    def go_back(self, seq: int) -> None:
        """Continue after a line."""
        self.saved, self.next = min(self.saved, seq), min(self.next, seq + 1)


class Sender:
    """The logs of a clock, and how far the hub has them."""

    def __init__(self) -> None:
        """Begin without a log and without a hub."""
        self.match = ""  # the present one
        self.damage = ""  # what cannot be sent, in words
        self._logs: dict[str, Outgoing] = {}  # by match, the latest one last
        self._store: str | None = None  # of the hub; None: there is no hub
        self._progress_ns = 0  # when the hub had more than before, or was told the inventory
        self._news_ns: int | None = None  # when to tell the inventory because it has changed

    # --- the directory --------------------------------------------------------------------------

    def add(self, lines: Iterable[bytes], now_ns: int, *, is_present: bool) -> None:
        """Take lines of a log in their order; they may repeat earlier ones.

        Args:
            lines: without line feeds.
            now_ns: the present instant.
            is_present: they are of the present match; False: of an earlier one.
        """
        if self.is_complete:
            self._progress_ns = now_ns
        match = self.match if is_present else ""
        for line in lines:
            envelope = envelope_of(line)
            match = envelope.match if envelope else match
            if is_present and match != self.match:
                self._begin(match, now_ns)
            log = self._logs.get(match) or self._begin_earlier(match, now_ns)
            if log is not None:
                self._append(log, match, line)

    def latest(self) -> Point:
        """Return the latest line of the present match."""
        log = self._logs.get(self.match)
        return log.head.latest if log else Point()

    @property
    def is_complete(self) -> bool:
        """Whether the hub has everything."""
        return all(log.is_complete for log in self._logs.values())

    def _begin(self, match: str, now_ns: int) -> None:
        """Make another match the present one, and tell the hub."""
        log = self._logs.pop(match, None)
        if log is None:  # the hub cannot have any line of a match that has just begun
            log = Outgoing(is_known=bool(self.match))
        self.match, self._logs[match] = match, log
        self._news_ns = now_ns
        while len(self._logs) > MAX_LOGS:
            del self._logs[next(iter(self._logs))]

    def _begin_earlier(self, match: str, now_ns: int) -> Outgoing | None:
        """Put an earlier match before all others, as they are read from the latest to the first.

        Return None if there are enough.
        """
        if not match or len(self._logs) >= MAX_LOGS:
            return None
        self._logs = {match: Outgoing(), **self._logs}
        self._news_ns = now_ns + SETTLE_NS if self._news_ns is None else self._news_ns
        return self._logs[match]

    def _append(self, log: Outgoing, match: str, line: bytes) -> None:
        log.head, verdict = receive(log.head, line)
        match verdict:
            case Verdict.STORED:
                log.lines.append(line)
            case Verdict.FORK:
                log.lines[log.head.seq - 1 :] = [line]
                log.go_back(log.head.seq - 1)
            case Verdict.MISSING | Verdict.DAMAGED:
                self.damage = f"{match}: line {log.head.seq + 1} is damaged"
            case Verdict.KNOWN:
                pass

    # --- the hub ----------------------------------------------------------------------------------

    def connect(self, store: str | None, now_ns: int) -> None:
        """Take what is known of the hub: its database, or None without a hub."""
        for log in self._logs.values():
            log.forget()
        self._store, self._news_ns = store, now_ns

    def acknowledge(self, ack: Ack, now_ns: int) -> None:
        """Take what the hub says it has."""
        if ack.store != self._store:
            return
        for match, have in ack.have.items():
            log = self._logs.get(match)
            if log is not None and self._settle(log, have, ack.ask if len(ack.have) == 1 else 0):
                self._progress_ns = now_ns

    def _settle(self, log: Outgoing, have: Point, ask: int) -> bool:
        """Bring a log up to what the hub has; return whether that is more than before."""
        is_first, log.is_known = not log.is_known, True
        if not 0 <= have.seq <= log.head.seq or log.head.point(have.seq) != have:  # another branch
            if is_first or ask:
                log.saved, log.next = 0, 1
            return False
        is_more, log.saved = have.seq > log.saved, max(log.saved, have.seq)
        if ask:
            log.next = max(log.saved + 1, min(ask, log.head.seq + 1))
        log.next = max(log.next, log.saved + 1)
        return is_more

    # --- what to send -----------------------------------------------------------------------------

    def due_ns(self) -> int | None:
        """Return when to call `inventory` at the latest; None: when something has happened."""
        if self._store is None:
            return None
        dues_ns = [] if self._news_ns is None else [self._news_ns]
        dues_ns += [] if self.is_complete else [self._progress_ns + PATIENCE_NS]
        return min(dues_ns, default=None)

    def inventory(self, now_ns: int) -> Inventory | None:
        """Return the inventory if it is due, and there is a log; it counts as told then."""
        due_ns = self.due_ns()
        if due_ns is None or now_ns < due_ns:
            return None
        self._news_ns, self._progress_ns = None, now_ns
        logs = tuple(
            LoggedLines(name, log.head.seq, log.head.latest.hash)
            for name, log in reversed(self._logs.items())
            if log.lines
        )
        return Inventory(logs) if logs else None

    def batch(self) -> bytes | None:
        """Return the next lines to be sent; they count as sent then. None: there are none."""
        if self._store is None:
            return None
        for log in reversed(self._logs.values()):
            if log.is_known and log.next <= min(log.head.seq, log.saved + WINDOW):
                lines = _fitting(log.lines[log.next - 1 : log.saved + WINDOW])
                log.next += len(lines)
                return b"\n".join(lines)
        return None


def _fitting(lines: Sequence[bytes]) -> list[bytes]:
    """Return as many lines as a message takes, at least one."""
    fitting, size = [lines[0]], len(lines[0])
    for line in lines[1:MAX_LINES]:
        size += len(line) + 1
        if size > MAX_BYTES:
            break
        fitting.append(line)
    return fitting


# --- the hub's side -------------------------------------------------------------------------------


class Incoming(NamedTuple):
    """New lines of one log in their order, each after the one before or instead of it."""

    match: str
    lines: tuple[bytes, ...]
    is_present: bool  # of the present match
    is_live: bool  # the clock wrote them just now
    is_whole: bool  # the hub has all that the clock's inventory told of the log
    forks: bool  # one of them contradicts a line that came before


class Receiver:
    """What the hub knows of one clock's logs."""

    def __init__(
        self,
        store: str,
        saved: Callable[[str], Point],
        recall: Callable[[str], Iterable[bytes]],
    ) -> None:
        """Begin with what is in the database.

        Args:
            store: the name of the database.
            saved: returns the latest line of a match that is on the disk.
            recall: returns the lines of a match that were kept.
        """
        self._store, self._saved, self._recall = store, saved, recall
        self._heads: dict[str, Head] = {}  # those used last come last
        self._told: dict[str, LoggedLines] = {}  # by the clock's inventory
        self._present = ""
        self._asked: dict[str, int] = {}  # from which line, by match; until that line comes
        self._behind: tuple[str, int] | None = None  # the log at the heartbeat before

    def lines(self, payload: bytes) -> tuple[list[Incoming], list[Ack]]:
        """Take lines; return which of them are new, and what to answer."""
        incoming: list[Incoming] = []
        acks: list[Ack] = []
        if len(payload) > MAX_PAYLOAD:
            return incoming, acks
        for match, lines in _by_match(payload.split(b"\n")):
            fresh, forks = self._take(match, lines, acks)
            if fresh:
                incoming.append(self._incoming(match, fresh, forks=forks))
        return incoming, acks

    def inventory(self, inventory: Inventory) -> list[Ack]:
        """Take what lies in the clock's directory; return what the hub has of it, and lacks."""
        self._told = {log.match: log for log in inventory.logs}
        if inventory.logs:
            self._present = inventory.logs[0].match
        lacking, have = [], {}
        for log in inventory.logs:
            if self._saved(log.match) == log.latest:
                have[log.match] = log.latest
                continue
            head, point = self._head(log.match), self._on_disk(log.match, log.lines)
            if head.seq >= log.lines and head.point(log.lines) == log.latest:
                have[log.match] = point
            else:
                lacking.append(self._ask(log.match, point, min(head.seq + 1, log.lines)))
        return [Ack(self._store, have), *lacking] if have else lacking

    def heartbeat(self, heartbeat: Heartbeat) -> list[Ack]:
        """Take which line is the clock's latest; ask for what has not come since the last time."""
        match, self._present = heartbeat.match, heartbeat.match
        head = self._head(match) if match else Head()
        before, self._behind = self._behind, None
        if heartbeat.seq <= head.seq:
            return []
        self._behind = (match, head.seq)
        if before != self._behind:
            return []
        return [self._ask(match, self._on_disk(match, head.seq), head.seq + 1)]

    def committed(self, match: str, head: Point) -> Ack:
        """Return what to say when lines are on the disk."""
        return Ack(self._store, {match: head})

    def _take(
        self, match: str, lines: Sequence[bytes], acks: list[Ack]
    ) -> tuple[list[bytes], bool]:
        """Return the new ones of some lines, and whether one is a fork; ask for what is missing."""
        head, fresh, forks = self._head(match), list[bytes](), False
        for line in lines:
            head, verdict = receive(head, line)
            match verdict:
                case Verdict.STORED | Verdict.FORK:
                    fresh.append(line)
                    forks = forks or verdict is Verdict.FORK
                case Verdict.MISSING:
                    acks += self._ask_once(match, head.seq + 1)
                case Verdict.DAMAGED:  # it may follow a line of another branch
                    acks += self._ask_once(match, 1)
                case Verdict.KNOWN:
                    pass
        self._hold(match, head)
        if fresh:
            self._asked.pop(match, None)
        return fresh, forks

    def _incoming(self, match: str, fresh: Sequence[bytes], *, forks: bool) -> Incoming:
        head, told = self._heads[match], self._told.get(match)
        return Incoming(
            match,
            tuple(fresh),
            is_present=match == self._present,
            is_live=told is not None and head.seq > told.lines,
            is_whole=told is not None and head.latest == told.latest,
            forks=forks,
        )

    def _ask_once(self, match: str, seq: int) -> list[Ack]:
        """Return a question for lines, unless it was asked already."""
        if self._asked.get(match) == seq:
            return []
        return [self._ask(match, self._on_disk(match, seq), seq)]

    def _ask(self, match: str, have: Point, seq: int) -> Ack:
        self._asked[match] = seq
        return Ack(self._store, {match: have}, seq)

    def _on_disk(self, match: str, seq: int) -> Point:
        """Return what is on the disk of a log up to a line, if it is of the branch that counts."""
        head, saved = self._head(match), self._saved(match)
        if saved.seq > head.seq or head.point(saved.seq) != saved:
            return Point()
        return head.point(min(saved.seq, seq))

    def _head(self, match: str) -> Head:
        """Return what is known of a log."""
        head = self._heads.get(match)
        if head is None:
            head = Head()
            for line in self._recall(match):
                head, _ = receive(head, line)
        self._hold(match, head)
        return head

    def _hold(self, match: str, head: Head) -> None:
        self._heads.pop(match, None)
        self._heads[match] = head
        while len(self._heads) > MAX_HEADS:
            del self._heads[next(iter(self._heads))]


def _by_match(lines: Sequence[bytes]) -> Iterator[tuple[str, list[bytes]]]:
    """Yield the lines of each log; what is no line of a log is dropped."""
    by_match: dict[str, list[bytes]] = {}
    for line in lines:
        envelope = envelope_of(line)
        if envelope is not None:
            by_match.setdefault(envelope.match, []).append(line)
    yield from by_match.items()
