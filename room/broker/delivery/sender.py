"""The clock's side of the delivery: its logs, and how far the hub has them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from clock.units import SECOND_NS
from room.broker.topics import MAX_LOGS, Ack, Inventory, LoggedLines
from room.lines.inbox import LogHashes, Point, Verdict, envelope_of, receive

PATIENCE_NS = 5 * SECOND_NS  # without progress, until the inventory is repeated
REPEAT_NS = 60 * SECOND_NS  # until it is repeated although the hub seems to have everything
SETTLE_NS = SECOND_NS  # earlier logs that are read within this time share one inventory
MAX_LINES = 40  # in a message
MAX_MESSAGE = 48 * 1024  # bytes, unless one line is longer
WINDOW = 200  # lines of a log that are on their way at once


@dataclass
class Outgoing:
    """A log of the clock."""

    hashes: LogHashes = field(default_factory=LogHashes)
    lines: list[bytes] = field(default_factory=list)
    saved: int = 0  # the hub has the lines up to this one on its disk
    next: int = 1  # the line to be sent next
    is_known: bool = False  # the hub has said what it has of this log
    damage: str = ""  # what cannot be sent, in words

    @property
    def is_complete(self) -> bool:
        """Whether the hub has all of it."""
        return self.saved == self.hashes.seq

    def forget(self) -> None:
        """Forget what the hub has: another hub, or another database, has come."""
        self.saved, self.next, self.is_known = 0, 1, False

    def go_back(self, seq: int) -> None:
        """Continue after a line."""
        self.saved, self.next = min(self.saved, seq), min(self.next, seq + 1)


class Sender:
    """The logs of a clock, and how far the hub has them."""

    def __init__(self) -> None:
        """Begin without a log and without a hub."""
        self.match = ""  # the present one
        self._logs: dict[str, Outgoing] = {}  # by match, the latest one last
        self._store: str | None = None  # of the hub; None: there is no hub
        self._progress_ns = 0  # when the hub got further, or the inventory was sent
        self._told_ns = 0  # when the inventory was sent
        self._news_ns: int | None = None  # when to send the inventory that has changed

    # --- the directory --------------------------------------------------------------------------

    def add(self, lines: Iterable[bytes], now_ns: int, *, is_present: bool) -> None:
        """Add lines of a log in their order; they may repeat earlier ones.

        Args:
            lines: without line feeds.
            now_ns: the present instant.
            is_present: they are of the present match; False: of an earlier one.
        """
        if self.is_complete:  # the hub can get no further: its patience begins with these lines
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
        return log.hashes.latest if log else Point()

    @property
    def is_complete(self) -> bool:
        """Whether the hub has everything."""
        return all(log.is_complete for log in self._logs.values())

    @property
    def damage(self) -> str:
        """What cannot be sent of a log, in words; empty: nothing."""
        return next(filter(None, (log.damage for log in reversed(self._logs.values()))), "")

    def _begin(self, match: str, now_ns: int) -> None:
        """Make another match the present one, and announce it."""
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
        log.hashes, verdict = receive(log.hashes, line)
        match verdict:
            case Verdict.STORED:
                log.lines.append(line)
                log.damage = ""
            case Verdict.FORK:
                log.lines[log.hashes.seq - 1 :] = [line]
                log.go_back(log.hashes.seq - 1)
                log.damage = ""
            case Verdict.MISSING | Verdict.DAMAGED:
                log.damage = f"{match}: line {log.hashes.seq + 1} is damaged"
            case Verdict.KNOWN:
                pass

    # --- the hub ----------------------------------------------------------------------------------

    def connect(self, store: str | None, now_ns: int) -> None:
        """Begin anew with a hub that has come, by the name of its database; None: it has gone."""
        for log in self._logs.values():
            log.forget()
        self._store, self._news_ns = store, now_ns

    def acknowledge(self, ack: Ack, now_ns: int) -> None:
        """Note what the hub has, and from where on it asks again."""
        if ack.store != self._store:
            return
        for match, have in ack.have.items():
            log = self._logs.get(match)
            if log is not None and self._settle(log, have, ack.ask if len(ack.have) == 1 else 0):
                self._progress_ns = now_ns

    def _settle(self, log: Outgoing, have: Point, ask: int) -> bool:
        """Bring a log up to what the hub has; return whether that is more than before."""
        log.is_known = True
        # What the hub has is of another branch.
        if not 0 <= have.seq <= log.hashes.seq or log.hashes.point(have.seq) != have:
            if ask:  # an ack that does not ask was sent before the hub had seen a line of this one
                log.saved, log.next = 0, 1
            return False
        is_more, log.saved = have.seq > log.saved, max(log.saved, have.seq)
        if ask:
            log.next = min(ask, log.hashes.seq + 1)
        log.next = max(log.next, log.saved + 1)
        return is_more

    # --- what to send -----------------------------------------------------------------------------

    def due_ns(self) -> int | None:
        """Return when to call `inventory` at the latest; None: not before a hub comes."""
        if self._store is None:
            return None
        dues_ns = [self._told_ns + REPEAT_NS]
        dues_ns += [] if self._news_ns is None else [self._news_ns]
        dues_ns += [] if self.is_complete else [self._progress_ns + PATIENCE_NS]
        return min(dues_ns)

    def inventory(self, now_ns: int) -> Inventory | None:
        """Return the inventory if it is due, and there is a log; it counts as sent then."""
        due_ns = self.due_ns()
        if due_ns is None or now_ns < due_ns:
            return None
        self._news_ns, self._progress_ns, self._told_ns = None, now_ns, now_ns
        logs = tuple(
            LoggedLines(name, log.hashes.seq, log.hashes.latest.hash)
            for name, log in reversed(self._logs.items())
            if log.lines
        )
        return Inventory(logs) if logs else None

    def batch(self) -> bytes | None:
        """Return the next lines to be sent; they count as sent then. None: there are none."""
        if self._store is None:
            return None
        for log in reversed(self._logs.values()):  # the present match goes first
            if log.is_known and log.next <= min(log.hashes.seq, log.saved + WINDOW):
                lines = _fitting(log.lines[log.next - 1 : log.saved + WINDOW])
                log.next += len(lines)
                return b"\n".join(lines)
        return None


def _fitting(lines: Sequence[bytes]) -> list[bytes]:
    """Return as many lines as a message takes, at least one."""
    fitting, size = [lines[0]], len(lines[0])
    for line in lines[1:MAX_LINES]:
        size += len(line) + 1
        if size > MAX_MESSAGE:
            break
        fitting.append(line)
    return fitting
