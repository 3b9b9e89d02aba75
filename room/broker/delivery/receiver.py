"""The hub's side of the delivery: what the hub has of one clock's logs, and what it lacks."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from room.broker.topics import MAX_PAYLOAD, Ack, Inventory, LinkHeartbeat, LoggedLines
from room.lines.inbox import Head, Point, UnreadableError, Verdict, envelope_of, receive
from room.lines.quota import Allowance

MAX_HEADS = 4  # logs of a clock whose hashes the hub holds in memory


class Incoming(NamedTuple):
    """New lines of one log in their order, each after the one before or instead of it."""

    match: str
    lines: tuple[bytes, ...]
    is_present: bool  # of the present match
    is_live: bool  # the clock wrote them just now
    is_whole: bool  # the hub has all that the clock's inventory listed of the log
    forks: bool  # one of them contradicts a line that came before


class Receiver:
    """What the hub knows of one clock's logs."""

    def __init__(
        self,
        store: str,
        saved: Callable[[str], Point],
        recall: Callable[[str], Iterable[bytes]],
        allowance: Allowance,
    ) -> None:
        """Begin with what is in the database.

        Args:
            store: the name of the database.
            saved: returns the latest line of a match that is on the disk.
            recall: returns the lines of a match that the database has.
            allowance: what the clock may still send.
        """
        self._store, self._saved, self._recall = store, saved, recall
        self._allowance = allowance
        self._heads: dict[str, Head] = {}  # those used last come last
        self._listed: dict[str, LoggedLines] = {}  # the clock's latest inventory, by match
        self._present = ""
        self._shown = ""  # the match that the board follows: each other one is read again for it
        self._asked: dict[str, int] = {}  # from which line, by match; until that line comes
        self._behind: tuple[str, int] | None = None  # the log at the heartbeat before

    def lines(self, payload: bytes) -> tuple[list[Incoming], list[Ack]]:
        """Return which lines of a message are new, and what to answer."""
        incoming: list[Incoming] = []
        acks: list[Ack] = []
        if len(payload) > MAX_PAYLOAD:
            return incoming, acks
        for match, lines in _by_match(payload.split(b"\n")):
            fresh, forks = self._add(match, lines, acks)
            if fresh:
                incoming.append(self._incoming(match, fresh, forks=forks))
        return incoming, acks

    def inventory(self, inventory: Inventory) -> list[Ack]:
        """Return what the hub has of the logs in the clock's directory, and what it lacks."""
        self._listed = {log.match: log for log in inventory.logs}
        if inventory.logs:
            self._present = inventory.logs[0].match
        lacking, have = [], {}
        for log in inventory.logs:
            if self._saved(log.match) == log.latest:
                have[log.match] = log.latest
                continue
            known = self._known(log.match)
            has = known >= log.lines and self._has(log)
            point = self._on_disk(log.match, log.lines)
            if has:
                have[log.match] = point
            elif self._allowance.has(1, begins=not known):
                lacking.append(self._ask(log.match, point, min(known + 1, log.lines)))
        return [Ack(self._store, have), *lacking] if have else lacking

    def heartbeat(self, heartbeat: LinkHeartbeat) -> list[Ack]:
        """Ask for lines before the clock's latest one if they are missing the second time in a row.

        The first time they may still be on their way.
        """
        match, self._present = heartbeat.match, heartbeat.match
        known = self._known(match) if match else 0
        before, self._behind = self._behind, None
        if heartbeat.seq <= known:
            return []
        self._behind = (match, known)
        if before != self._behind or not self._allowance.has(1, begins=not known):
            return []
        return [self._ask(match, self._on_disk(match, known), known + 1)]

    def show(self, match: str) -> bool:
        """Have the board follow a match, if the database has lines of it; return whether it has.

        Raises:
            UnreadableError: too many lines were read again for this account.
        """
        known = self._saved(match).seq
        if match != self._shown and not self._allowance.reread(known):
            raise UnreadableError
        self._shown = match
        return bool(known)

    def committed(self, match: str, head: Point) -> Ack:
        """Return the acknowledgement of lines that are on the disk now."""
        return Ack(self._store, {match: head})

    def _has(self, log: LoggedLines) -> bool:
        """Return whether the hub has exactly these lines; if need be it reads the log again."""
        is_held = log.match in self._heads
        if not is_held and not self._allowance.reread(self._saved(log.match).seq):
            raise UnreadableError
        head = self._head(log.match)
        return head.seq >= log.lines and head.point(log.lines) == log.latest

    def _known(self, match: str) -> int:
        """Return how many lines of a log are known, at least, without reading them again."""
        head = self._heads.get(match)
        return self._saved(match).seq if head is None else head.seq

    def _add(self, match: str, lines: Sequence[bytes], acks: list[Ack]) -> tuple[list[bytes], bool]:
        """Return the new lines and whether one is a fork; add to `acks` what to answer."""
        fresh, forks, known = list[bytes](), False, b""
        is_new = not (self._heads.get(match) or self._saved(match)).seq
        if is_new and not self._allowance.has(1, begins=True):  # asks the database for nothing
            return fresh, forks
        head = self._head(match)
        for line in lines:
            before, (head, verdict) = head, receive(head, line)
            match verdict:
                case Verdict.STORED | Verdict.FORK:
                    is_fork = verdict is Verdict.FORK
                    is_other = match == self._present != self._shown and not fresh
                    again = before.seq if is_other or is_fork > forks else 0
                    if not self._takes(line, before, again):
                        head = before
                        break
                    fresh.append(line)
                    forks = forks or is_fork
                case Verdict.MISSING:
                    acks += self._ask_once(match, head.seq + 1)
                case Verdict.DAMAGED:  # it may follow a line of another branch: ask for all of it
                    acks += self._ask_once(match, 1)
                case Verdict.KNOWN:
                    known = line
        self._hold(match, head)
        if fresh:
            self._asked.pop(match, None)
        elif known:
            acks += self._repeated(match, known)
        return fresh, forks

    def _takes(self, line: bytes, before: Head, again: int) -> bool:
        """Take a line off the quota, and the lines that are read again for it."""
        allowance = self._allowance
        return allowance.reread(again) and allowance.take(len(line), begins=not before.seq)

    def _repeated(self, match: str, known: bytes) -> list[Ack]:
        """Return the acknowledgement of a line that came again.

        The clock sends lines again that both branches of a log begin with, and stops after `WINDOW`
        of them if it does not learn that they are on the disk.
        """
        envelope = envelope_of(known)
        have = self._on_disk(match, envelope.seq) if envelope else Point()
        return [Ack(self._store, {match: have})] if have.seq else []

    def _incoming(self, match: str, fresh: Sequence[bytes], *, forks: bool) -> Incoming:
        head, listed = self._heads[match], self._listed.get(match)
        if match == self._present:
            self._shown = match
        return Incoming(
            match,
            tuple(fresh),
            is_present=match == self._present,
            is_live=listed is not None and head.seq > listed.lines,
            is_whole=listed is not None and head.latest == listed.latest,
            forks=forks,
        )

    def _ask_once(self, match: str, seq: int) -> list[Ack]:
        """Return a question for lines, unless it was asked already.

        After a gap forty lines may come in a message: each would be a question.
        """
        if self._asked.get(match) == seq or not self._allowance.has(1, begins=False):
            return []
        return [self._ask(match, self._on_disk(match, seq), seq)]

    def _ask(self, match: str, have: Point, seq: int) -> Ack:
        self._asked[match] = seq
        return Ack(self._store, {match: have}, seq)

    def _on_disk(self, match: str, seq: int) -> Point:
        """Return what is on the disk of a log up to a line, if it is of the branch that counts.

        It reads no log again if the disk has no later line.
        """
        saved = self._saved(match)
        if match not in self._heads and saved.seq <= seq:
            return saved
        head = self._head(match)
        if saved.seq > head.seq or head.point(saved.seq) != saved:
            return Point()
        return head.point(min(saved.seq, seq))

    def _head(self, match: str) -> Head:
        """Return the lines of a log that are known, by their hashes."""
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
